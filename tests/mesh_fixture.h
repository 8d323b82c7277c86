/* Shared by the mesh tests: generator parameters by name, exact surface integrals, an allocator that fails on demand. */
#ifndef BRN_TESTS_MESH_FIXTURE_H
#define BRN_TESTS_MESH_FIXTURE_H

#include "test.h"

#include "model/generate/generate.h"

/* Everything any generator takes; what its table does not have must be left out (0 or NULL). */
typedef struct recipe {
    const char *generator, *element, *pattern;
    double size[3];
    int nsize;
    int cells[3];
    int ncells;
    double radius, height, resolution, cell;
    int subdivisions; /* 0: left at its default */
    const char **layers;
    int nlayers;
    double ratio, point[3]; /* ratio 0: no grading */
    struct {
        const char *name;
        double value;
    } number[8];      /* any other real, whole number or choice, until the first without a name */
    const char *rows; /* name of a list of points */
    brn_rows points;
} recipe;

/* A parameter and its field; "feet.height" is one of a nested block, which then counts as given. */
static inline const brn_param *recipe_param(const brn_table *table, void *params, const char *name,
                                            void **field)
{
    char head[64];
    const size_t n = strcspn(name, ".");
    assert_true(n < sizeof head);
    memcpy(head, name, n);
    head[n] = '\0';
    const brn_param *param = brn_table_find(table, head);
    if (param == NULL) {
        fail_msg("%s has no parameter %s", table->name, head);
    }
    *field = (char *)params + param->offset;
    if (name[n] != '.') {
        return param;
    }
    ((brn_block *)*field)->line = 1;
    return recipe_param(param->table, *field, name + n + 1, field);
}

static inline void *recipe_field(const brn_table *table, void *params, const char *name)
{
    void *field = NULL;
    (void)recipe_param(table, params, name, &field);
    return field;
}

static inline void recipe_choice(const brn_table *table, void *params, const char *name, const char *word)
{
    int *field = recipe_field(table, params, name);
    const brn_param *param = brn_table_find(table, name);
    for (int i = 0; param->choices[i] != NULL; ++i) {
        if (strcmp(param->choices[i], word) == 0) {
            *field = i;
            return;
        }
    }
    fail_msg("%s.%s has no choice %s", table->name, name, word);
}

static inline const brn_generator *find_generator(const char *name)
{
    for (int i = 0; i < brn_generator_count(); ++i) {
        if (strcmp(brn_generator_get(i)->table->name, name) == 0) {
            return brn_generator_get(i);
        }
    }
    fail_msg("no generator %s", name);
    return NULL;
}

/* Fills the generator's struct as the parser would and calls it. */
static inline brn_status recipe_make(brn_ctx *ctx, const recipe *r, brn_mesh **out)
{
    const brn_generator *generator = find_generator(r->generator);
    const brn_table *table = generator->table;
    union {
        double align;
        char bytes[1024];
    } params;
    assert_true(table->size <= sizeof params);
    brn_table_defaults(table, &params);
    double size[3];
    int cells[3];
    memcpy(size, r->size, sizeof size);
    memcpy(cells, r->cells, sizeof cells);
    if (r->nsize > 0) {
        *(brn_reals *)recipe_field(table, &params, "size") = (brn_reals){r->nsize, size};
    }
    if (r->ncells > 0) {
        *(brn_ints *)recipe_field(table, &params, "cells") = (brn_ints){r->ncells, cells};
    }
    const char *const names[] = {"radius", "height", "resolution", "cell"};
    const double values[] = {r->radius, r->height, r->resolution, r->cell};
    for (int i = 0; i < 4; ++i) {
        if (values[i] != 0.0) {
            *(double *)recipe_field(table, &params, names[i]) = values[i];
        }
    }
    if (r->subdivisions != 0) {
        *(int *)recipe_field(table, &params, "subdivisions") = r->subdivisions;
    }
    for (int i = 0; i < BRN_COUNT(r->number) && r->number[i].name != NULL; ++i) {
        void *field = NULL;
        if (recipe_param(table, &params, r->number[i].name, &field)->kind == BRN_REAL) {
            *(double *)field = r->number[i].value;
        } else {
            *(int *)field = (int)r->number[i].value;
        }
    }
    if (r->rows != NULL) {
        *(brn_rows *)recipe_field(table, &params, r->rows) = r->points;
    }
    if (r->element != NULL) {
        recipe_choice(table, &params, "element", r->element);
    }
    if (r->pattern != NULL) {
        recipe_choice(table, &params, "pattern", r->pattern);
    }
    if (r->nlayers > 0) {
        *(brn_texts *)recipe_field(table, &params, "layers") = (brn_texts){r->nlayers, r->layers, NULL};
    }
    if (r->ratio > 0.0) {
        brn_grading *grading = recipe_field(table, &params, "grading");
        grading->block.line = 1;
        grading->ratio = r->ratio;
        memcpy(grading->point, r->point, sizeof grading->point);
    }
    return generator->generate(ctx, &params, out);
}

static inline brn_mesh *recipe_mesh(brn_ctx *ctx, const recipe *r)
{
    brn_mesh *mesh = NULL;
    assert_done(ctx, recipe_make(ctx, r, &mesh));
    return mesh;
}

/* Shape function values from their derivatives along the ray from node 0 (3 Gauss points, exact to degree 5). */
static inline void shape_values(brn_cell kind, const double xi[3], double out[20])
{
    static const double at[3] = {0.5 - 0.38729833462074168852, 0.5, 0.5 + 0.38729833462074168852};
    static const double weight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    double node[20][3], grad[20][3];
    brn_cell_nodes(kind, node);
    for (int i = 0; i < 20; ++i) {
        out[i] = i == 0 ? 1.0 : 0.0;
    }
    for (int p = 0; p < 3; ++p) {
        double x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = node[0][k] + at[p] * (xi[k] - node[0][k]);
        }
        brn_cell_gradients(kind, x, grad);
        for (int i = 0; i < brn_cell_get(kind)->nnode; ++i) {
            for (int k = 0; k < 3; ++k) {
                out[i] += weight[p] * grad[i][k] * (xi[k] - node[0][k]);
            }
        }
    }
}

/* Quadrature on a face: 5 x 5 Gauss points, on triangles through the collapsed square: exact to degree 8, more than
   the integrand x.n of any face has. */
typedef struct face_rule {
    bool made;
    double weight[25], value[25][20], grad[25][20][3];
} face_rule;

static inline void face_rule_make(brn_cell kind, face_rule *rule)
{
    static const double at[5] = {0.046910077030668003601, 0.230765344947158454482, 0.5,
                                 0.769234655052841545518, 0.953089922969331996399};
    static const double weight[5] = {0.118463442528094543757, 0.239314335249683234021,
                                     0.284444444444444444444, 0.239314335249683234021,
                                     0.118463442528094543757};
    const bool simplex = brn_cell_get(kind)->ncorner == 3;
    for (int p = 0; p < 25; ++p) {
        const double s = at[p % 5], t = at[p / 5];
        const double xi[3] = {simplex ? s : 2.0 * s - 1.0, simplex ? t * (1.0 - s) : 2.0 * t - 1.0, 0.0};
        rule->weight[p] = weight[p % 5] * weight[p / 5] * (simplex ? 1.0 - s : 4.0);
        shape_values(kind, xi, rule->value[p]);
        brn_cell_gradients(kind, xi, rule->grad[p]);
    }
    rule->made = true;
}

/* Adds the area vector of a (curved) face and its part x.n dA / 3 of the volume. */
static inline void face_integrals(const brn_mesh *mesh, brn_cell kind, const int *node, double area[3],
                                  double *volume)
{
    static face_rule rules[BRN_CELL_COUNT];
    face_rule *rule = &rules[kind];
    if (!rule->made) {
        face_rule_make(kind, rule);
    }
    for (int p = 0; p < 25; ++p) {
        double x[3] = {0}, a[3] = {0}, b[3] = {0};
        for (int i = 0; i < brn_cell_get(kind)->nnode; ++i) {
            for (int k = 0; k < 3; ++k) {
                x[k] += rule->value[p][i] * mesh->pos[node[i]][k];
                a[k] += rule->grad[p][i][0] * mesh->pos[node[i]][k];
                b[k] += rule->grad[p][i][1] * mesh->pos[node[i]][k];
            }
        }
        for (int k = 0; k < 3; ++k) {
            const double n = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
            area[k] += rule->weight[p] * n;
            *volume += rule->weight[p] * n * x[k] / 3.0;
        }
    }
}

/* Numbers that a mesh must get right whatever made it: it passes the check, its boundary is closed and outward, and the
   volume by its cells equals the volume by its boundary. */
static inline brn_mesh_quality check_solid(brn_mesh *mesh, const char *who)
{
    assert_done(mesh->ctx, brn_mesh_check(mesh, who));
    brn_mesh_quality quality;
    brn_mesh_measure(mesh, &quality);
    brn_boundary *b = NULL;
    assert_done(mesh->ctx, brn_boundary_create(mesh, &b));
    double area[3] = {0}, volume = 0.0, size = 0.0;
    for (int kind = BRN_TRI3; kind <= BRN_QUAD8; ++kind) {
        for (int f = 0; f < b->nface[kind]; ++f) {
            double one[3] = {0};
            face_integrals(mesh, (brn_cell)kind, b->face[kind] + f * brn_cell_get((brn_cell)kind)->nnode, one,
                           &volume);
            for (int k = 0; k < 3; ++k) {
                area[k] += one[k];
                size += fabs(one[k]);
            }
        }
    }
    /* Sums of up to 1e4 faces of equal sign: rounding below 1e-12 of their size. */
    for (int k = 0; k < 3; ++k) {
        assert_near(area[k], 0.0, 1e-12 * size);
    }
    assert_near(volume, quality.volume, 1e-11 * quality.volume);
    assert_true(quality.worst > 0.0);
    /* A closed surface of triangles: every edge in two of them. */
    assert_int_equal(2 * b->nedge, 3 * b->ntri);
    brn_boundary_destroy(b);
    return quality;
}

static inline int group_size(const brn_mesh *mesh, const char *name)
{
    const brn_group *group = brn_mesh_find_group(mesh, name);
    assert_non_null(group);
    return group->nnode;
}

/* A recipe that must be refused, with words of its message. */
static inline void refuse(brn_ctx *ctx, recipe r, brn_status status, const char *words)
{
    brn_mesh *mesh = NULL;
    const brn_status got = recipe_make(ctx, &r, &mesh);
    if (got != status) {
        fail_msg("%s: '%s' was not found: %s", r.generator, words, brn_status_name(got));
    }
    assert_null(mesh);
    if (strstr(brn_ctx_message(ctx), words) == NULL) {
        fail_msg("'%s' is not in '%s'", words, brn_ctx_message(ctx));
    }
}

/* ---- an allocator that fails ---------------------------------------------------------------------------------------- */

typedef struct failing {
    long long count, fail_at; /* the fail_at-th allocation fails; 0: none */
    long long live;
} failing;

static inline void *failing_realloc(void *user, void *block, size_t size)
{
    failing *f = user;
    if (size == 0) {
        f->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (++f->count == f->fail_at) {
        return NULL;
    }
    void *got = realloc(block, size);
    f->live += block == NULL && got != NULL;
    return got;
}

/* Runs `work` with the k-th allocation failing for k = 1, 2, ... until it succeeds; returns how many it made. */
static inline long long fail_each_allocation(brn_status (*work)(brn_ctx *ctx, const void *arg),
                                             const void *arg)
{
    for (long long k = 1; k < 100000; ++k) {
        failing f = {0};
        brn_ctx_options options = brn_ctx_options_default();
        options.threads = 1;
        options.realloc = failing_realloc;
        options.realloc_user = &f;
        brn_ctx *ctx = NULL;
        assert_int_equal(brn_ctx_create(&options, &ctx), BRN_OK);
        f.fail_at = f.count + k;
        const brn_status status = work(ctx, arg);
        const bool failed = f.count >= f.fail_at;
        if (failed) {
            assert_int_equal(status, BRN_ERR_MEMORY);
            assert_ptr_equal(strstr(brn_ctx_message(ctx), "out of memory"), brn_ctx_message(ctx));
        } else {
            assert_done(ctx, status);
        }
        brn_ctx_destroy(ctx);
        assert_int_equal(f.live, 0);
        if (!failed) {
            return k - 1;
        }
    }
    fail_msg("never succeeded");
    return 0;
}

#endif
