/* Every mesh generator and every shape, with every element, at its coarsest and most stretched parameters: the mesh is valid
   (positive Jacobians, closed, does not meet itself), or is refused by a message that names a parameter. What to try is read off
   the tables, so that a new generator or parameter is walked as soon as it is there. */
#include "mesh_fixture.h"

#include "base/rng.h"
#include "geom/intersect.h"
#include "model/shapes/shape.h"

/* One value of a parameter. */
typedef struct choice {
    double number;
    const void *list; /* brn_reals, brn_ints, brn_rows, brn_texts to copy; NULL: the number */
    bool given;       /* of a block */
} choice;

enum { CHOICES_MOST = 32, PARAMS_MOST = 32, TRIES_MOST = 200000, DRAWS = 5000 };

typedef struct axis {
    const brn_param *param;
    int block; /* the axis that says whether the block of this one is given; -1: none */
    size_t offset;
    int count;
    choice choice[CHOICES_MOST];
} axis;

typedef struct walk {
    const brn_table *table;
    int naxis;
    axis axis[PARAMS_MOST];
    brn_rng rng;
    int draws;
    int made, refused, large;    /* how the tries ended */
    int made_with[CHOICES_MOST]; /* valid meshes by choice of the last CHOICE parameter: the element */
} walk;

/* ---- what is tried ------------------------------------------------------------------------------------------------------ */

static double one[] = {1, 1, 1}, flat[] = {1, 1, 1e-3}, thin[] = {1e-3, 1, 1}, rod[] = {1e-3, 1e-3, 1},
              strip[] = {1e-3, 1, 0};
static const brn_reals reals[] = {{3, one}, {3, flat}, {3, thin}, {3, rod}, {2, one}, {2, strip}};
static int n1[] = {1, 1, 1}, n2[] = {2, 2, 2}, n121[] = {1, 2, 1}, n131[] = {1, 3, 1}, n141[] = {1, 4, 1},
           n311[] = {3, 1, 1}, n113[] = {1, 1, 3}, n161[] = {1, 6, 1};
static const brn_ints ints[] = {{0, NULL}, {3, n1},   {3, n2},   {3, n121}, {3, n131}, {3, n141},
                                {3, n161}, {3, n311}, {3, n113}, {2, n1},   {2, n2},   {2, n131}};
static double cube[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
static double skew[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 5, 0, 1, 6, 0, 1, 6, 1, 1, 5, 1, 1};
static double twisted[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1};
static double sunk[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0.2, 0.2, 0.1, 0, 1, 1};
static double mirrored[] = {0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static double plate[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1e-4, 1, 0, 1e-4, 1, 1, 1e-4, 0, 1, 1e-4};
static double tube[] = {1, 0, 1, 1}, tip[] = {0, 0, 1, 1}, double_cone[] = {0, 0, 1, 1, 0, 2},
              ring[] = {1, 0, 2, 0, 2, 1, 1, 0}, crossed[] = {1, 0, 2, 1, 2, 0, 1, 1},
              flat_ring[] = {1, 0, 2, 0}, backwards[] = {1, 0, 1, 2, 1, 1},
              eight[] = {1, 0, 2, 1, 1, 1, 2, 0, 1, 0};
static const brn_rows rows3[] = {{8, 3, cube}, {8, 3, skew},     {8, 3, twisted},
                                 {8, 3, sunk}, {8, 3, mirrored}, {8, 3, plate}};
static const brn_rows rows2[] = {{2, 2, tube},    {2, 2, tip},       {3, 2, double_cone}, {4, 2, ring},
                                 {4, 2, crossed}, {2, 2, flat_ring}, {3, 2, backwards},   {5, 2, eight}};
static const char *single[] = {"#"}, *touching[] = {"#./.#"}, *corner[] = {"#./..", "../.#"},
                  *hollow[] = {"###/#.#/###"}, *none[] = {"."}, *ragged[] = {"##/#"}, *pair[] = {"#", "#"};
static const brn_texts texts[] = {{1, single, NULL}, {1, touching, NULL}, {2, corner, NULL},
                                  {1, hollow, NULL}, {1, none, NULL},     {1, ragged, NULL},
                                  {2, pair, NULL}};

static void add(axis *a, double number)
{
    for (int i = 0; i < a->count; ++i) {
        if (a->choice[i].list == NULL && a->choice[i].number == number) {
            return;
        }
    }
    assert_true(a->count < CHOICES_MOST);
    a->choice[a->count++] = (choice){.number = number};
}

static void add_lists(axis *a, const void *lists, int count, size_t size)
{
    for (int i = 0; i < count; ++i) {
        assert_true(a->count < CHOICES_MOST);
        a->choice[a->count++] = (choice){.list = (const char *)lists + (size_t)i * size};
    }
}

/* The values of a parameter that are worth a try: the ends of its range and what is next to them, and lengths from much less to
   much more than 1. */
static void list_choices(const brn_param *p, axis *a)
{
    a->param = p;
    switch (p->kind) {
    case BRN_REAL:
        if (p->unit != NULL && strcmp(p->unit, "m") == 0) {
            const double lengths[] = {1.0, 0.9, 1e-2, 30.0};
            for (int i = 0; i < 4; ++i) {
                add(a, lengths[i]);
            }
            if (p->lo == 0.0 && brn_param_in_range(p, 0.0)) {
                add(a, 0.0);
            }
        } else { /* angles, ratios */
            add(a, p->standard);
            add(a, p->lo);
            add(a, isfinite(p->hi) ? p->hi : 1e3);
            add(a, 0.25 * p->lo + 0.75 * (isfinite(p->hi) ? p->hi : 1e3));
            add(a, 90.0);
        }
        break;
    case BRN_INT:
        for (int i = 0; i < 4; ++i) {
            add(a, p->lo + i);
        }
        break;
    case BRN_BOOL:
        add(a, 0.0);
        add(a, 1.0);
        break;
    case BRN_CHOICE:
        for (int i = 0; p->choices[i] != NULL; ++i) {
            add(a, i);
        }
        break;
    case BRN_REALS:
        add_lists(a, reals, BRN_COUNT(reals), sizeof *reals);
        break;
    case BRN_INTS:
        add_lists(a, ints, BRN_COUNT(ints), sizeof *ints);
        break;
    case BRN_ROWS:
        add_lists(a, p->count == 2 ? (const void *)rows2 : rows3,
                  p->count == 2 ? BRN_COUNT(rows2) : BRN_COUNT(rows3), sizeof *rows2);
        break;
    case BRN_TEXTS:
        add_lists(a, texts, BRN_COUNT(texts), sizeof *texts);
        break;
    case BRN_VECTOR: /* as all its entries */
        add(a, 0.0);
        add(a, 0.5);
        add(a, -10.0);
        break;
    case BRN_BLOCK: /* its own parameters follow */
        add(a, 0.0);
        a->choice[a->count++] = (choice){.given = true};
        break;
    default:
        fail_msg("%s: no values to try for a parameter of this kind", p->name);
    }
}

static void list_axes(const brn_table *table, size_t offset, int block, walk *w)
{
    for (int i = 0; i < table->nparams; ++i) {
        assert_true(w->naxis < PARAMS_MOST);
        axis *a = &w->axis[w->naxis++];
        a->offset = offset + table->params[i].offset;
        a->block = block;
        list_choices(&table->params[i], a);
        if (table->params[i].kind == BRN_BLOCK) {
            list_axes(table->params[i].table, a->offset, (int)(a - w->axis), w);
        }
    }
}

static void put(const axis *a, int index, void *params)
{
    void *field = (char *)params + a->offset;
    const choice *c = &a->choice[index];
    switch (a->param->kind) {
    case BRN_REAL:
        *(double *)field = c->number;
        break;
    case BRN_BOOL:
        *(bool *)field = c->number != 0.0;
        break;
    case BRN_VECTOR:
        for (int k = 0; k < 3; ++k) {
            ((double *)field)[k] = c->number;
        }
        break;
    case BRN_REALS:
        memcpy(field, c->list, sizeof(brn_reals));
        break;
    case BRN_INTS:
        memcpy(field, c->list, sizeof(brn_ints));
        break;
    case BRN_ROWS:
        memcpy(field, c->list, sizeof(brn_rows));
        break;
    case BRN_TEXTS:
        memcpy(field, c->list, sizeof(brn_texts));
        break;
    case BRN_BLOCK:
        ((brn_block *)field)->line = c->given;
        break;
    default:
        *(int *)field = (int)c->number;
    }
}

/* ---- what must hold ----------------------------------------------------------------------------------------------------- */

/* What a try was, for messages. */
static const char *describe(const walk *w, const int *at)
{
    static char text[1024];
    int n = snprintf(text, sizeof text, "%s:", w->table->name);
    for (int i = 0; i < w->naxis; ++i) {
        const axis *a = &w->axis[i];
        const choice *c = &a->choice[at[i]];
        if (a->param->kind == BRN_CHOICE) {
            n += snprintf(text + n, sizeof text - (size_t)n, " %s=%s", a->param->name,
                          a->param->choices[(int)c->number]);
        } else if (c->list != NULL) {
            n += snprintf(text + n, sizeof text - (size_t)n, " %s=#%d", a->param->name, at[i]);
        } else {
            n += snprintf(text + n, sizeof text - (size_t)n, " %s=%g", a->param->name,
                          c->given ? 1.0 : c->number);
        }
    }
    return text;
}

/* The message starts with the table's name and one of its parameters, or says that the scene's dimension is wrong. */
static bool names_parameter(const brn_table *table, const char *message)
{
    const size_t n = strlen(table->name);
    if (strstr(message, "a 2D scene has no") != NULL) {
        return true;
    }
    if (strncmp(message, table->name, n) != 0 || message[n] != '.') {
        return false;
    }
    for (int i = 0; i < table->nparams; ++i) {
        const size_t length = strlen(table->params[i].name);
        const char next =
            strncmp(message + n + 1, table->params[i].name, length) == 0 ? message[n + 1 + length] : 'a';
        if (next == ' ' || next == ':' || next == '[' || next == '.') {
            return true;
        }
    }
    return false;
}

/* Triangles pass every edge as often one way as the other. Cubes that share an edge only pass it four times. */
static bool is_closed(const brn_boundary *b)
{
    long long sum = 0;
    for (int e = 0; e < b->nedge; ++e) {
        const int low = b->edge[e][0], high = b->edge[e][1];
        int way = 0;
        for (int t = 0; t < b->ntri; ++t) {
            for (int k = 0; k < 3; ++k) {
                const int p = b->tri[t][k], q = b->tri[t][(k + 1) % 3];
                way += (p == low && q == high) - (p == high && q == low);
            }
        }
        sum += abs(way);
    }
    return sum == 0;
}

/* NULL, or what is wrong with the mesh. whole: it encloses a volume. */
static const char *find_fault(brn_ctx *ctx, brn_mesh *mesh, bool solid, bool whole)
{
    static char text[1024];
    if (solid && brn_mesh_check(mesh, "it") < 0) {
        return brn_ctx_message(ctx);
    }
    brn_boundary *b = NULL;
    if ((solid ? brn_boundary_create(mesh, &b) : brn_boundary_of_surface(mesh, &b)) < 0) {
        return brn_ctx_message(ctx);
    }
    const bool space = b->ntri > 0 && !(solid && brn_mesh_dim(mesh) == 2);
    const bool closed = is_closed(b);
    const brn_surface surface = {.dim = space ? 3 : 2,
                                 .nnode = mesh->nnode,
                                 .pos = (const double(*)[3])mesh->pos,
                                 .nedge = b->nedge,
                                 .edge = (const int(*)[2])b->edge,
                                 .ntri = b->ntri,
                                 .tri = (const int(*)[3])b->tri};
    brn_intersect *check = NULL;
    brn_intersection found = {0};
    size_t count = 0;
    text[0] = '\0';
    assert_done(ctx, brn_intersect_create(ctx, &check));
    assert_done(ctx, brn_intersect_surface(check, &surface, &found, 1, &count));
    if (count > 0) {
        (void)snprintf(text, sizeof text, "it meets itself %zu times, first at %g %g %g", count,
                       found.point[0], found.point[1], found.point[2]);
    } else if (space && whole && !closed) {
        (void)snprintf(text, sizeof text, "it is not closed");
    }
    brn_intersect_destroy(check);
    brn_boundary_destroy(b);
    return text[0] != '\0' ? text : NULL;
}

/* Memory for coarse meshes; finer ones are not what is walked. */
typedef struct purse {
    size_t left, refused;
} purse;

static void *purse_realloc(void *user, void *block, size_t size)
{
    purse *p = user;
    if (size == 0) {
        free(block);
        return NULL;
    }
    if (size > p->left) {
        p->refused = size > p->refused ? size : p->refused;
        return NULL;
    }
    return realloc(block, size);
}

static brn_ctx *purse_ctx(purse *p)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    options.realloc = purse_realloc;
    options.realloc_user = p;
    brn_ctx *ctx = NULL;
    assert_int_equal(brn_ctx_create(&options, &ctx), BRN_OK);
    return ctx;
}

/* ---- the walk ------------------------------------------------------------------------------------------------------------ */

/* A generator, or a shape in 2D or 3D. */
typedef struct maker {
    const brn_generator *generator;
    const brn_shape *shape;
    int dim;
} maker;

static const brn_table *table_of(const maker *m)
{
    return m->generator != NULL ? m->generator->table : m->shape->table;
}

/* whole: the surface encloses a volume. */
static brn_status make(const maker *m, brn_ctx *ctx, const void *params, brn_mesh **out, bool *whole)
{
    if (m->generator != NULL) {
        const brn_status status = m->generator->generate(ctx, params, out);
        *whole = status >= 0 && (brn_mesh_dim(*out) == 3 ||
                                 (brn_table_find(m->generator->table, "element") == NULL &&
                                  m->generator->volume != NULL && isfinite(m->generator->volume(params))));
        return status;
    }
    brn_shape_form form = {0};
    const brn_status status = m->shape->make(ctx, params, m->dim, &form);
    *out = form.mesh;
    *whole = m->dim == 3 && !form.half_space;
    return status;
}

/* Bytes of the largest array (arenas take 1 MB), and nodes of what is looked at closely. */
static const size_t PURSE = 2000000;
static const int COARSE = 2000;

static int try_one(brn_ctx *ctx, purse *money, walk *w, const int *at, const maker *m)
{
    union {
        double align;
        char bytes[1024];
    } params;
    assert_true(w->table->size <= sizeof params);
    brn_table_defaults(w->table, &params);
    int element = 0;
    for (int i = 0; i < w->naxis; ++i) {
        put(&w->axis[i], at[i], &params);
        element = w->axis[i].param->kind == BRN_CHOICE ? at[i] : element;
    }
    brn_mesh *mesh = NULL;
    money->left = PURSE;
    bool whole = false;
    const brn_status status = make(m, ctx, &params, &mesh, &whole);
    money->left = SIZE_MAX;
    int bad = 0;
    if (status == BRN_ERR_MEMORY || (status >= 0 && mesh->nnode > COARSE)) {
        w->large++;
    } else if (status >= 0) {
        const bool solid = m->generator != NULL && brn_table_find(w->table, "element") != NULL;
        const char *fault = find_fault(ctx, mesh, solid, whole);
        if (fault != NULL) {
            print_error("%s: %s\n", describe(w, at), fault);
            bad = 1;
        }
        w->made++;
        w->made_with[element]++;
    } else {
        if (!names_parameter(w->table, brn_ctx_message(ctx))) {
            print_error("%s: refused without a parameter: %s\n", describe(w, at), brn_ctx_message(ctx));
            bad = 1;
        }
        w->refused++;
    }
    brn_mesh_destroy(mesh);
    return bad;
}

static bool is_left_out(const walk *w, const int *at, int i)
{
    const int block = w->axis[i].block;
    return block >= 0 && !w->axis[block].choice[at[block]].given;
}

/* The same as another one, because a block is not given? */
static bool is_repeated(const walk *w, const int *at)
{
    for (int i = 0; i < w->naxis; ++i) {
        if (at[i] > 0 && is_left_out(w, at, i)) {
            return true;
        }
    }
    return false;
}

/* Any combination; the first choice of a parameter, which suits the others best, as often as all others. */
static void draw_one(walk *w, int *at)
{
    for (int i = 0; i < w->naxis; ++i) {
        const bool first = brn_rng_next(&w->rng) % 2 == 0 && w->axis[i].param->kind != BRN_BLOCK;
        at[i] =
            first || is_left_out(w, at, i) ? 0 : (int)(brn_rng_next(&w->rng) % (uint64_t)w->axis[i].count);
    }
}

/* The next combination; false after the last. Of more than can be tried, some at random. */
static bool advance(walk *w, int *at)
{
    double all = 1.0;
    for (int i = 0; i < w->naxis; ++i) {
        all *= w->axis[i].count;
    }
    if (all > TRIES_MOST) {
        draw_one(w, at);
        return ++w->draws < DRAWS;
    }
    for (int i = w->naxis - 1; i >= 0; --i) {
        if (++at[i] < w->axis[i].count) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

static int walk_table(const maker *m)
{
    const brn_table *table = table_of(m);
    walk w = {.table = table};
    list_axes(table, 0, -1, &w);
    purse money = {.left = SIZE_MAX};
    brn_ctx *ctx = purse_ctx(&money);
    int at[PARAMS_MOST] = {0};
    int bad = 0;
    do {
        bad += is_repeated(&w, at) ? 0 : try_one(ctx, &money, &w, at, m);
    } while (bad < 10 && advance(&w, at));
    print_message("%s: %d valid, %d refused, %d not coarse\n", table->name, w.made, w.refused, w.large);
    assert_true(w.made > 0 || m->dim == 2);
    for (int i = 0; i < w.naxis; ++i) { /* every element was made */
        for (int k = 0; w.axis[i].param->kind == BRN_CHOICE && k < w.axis[i].count; ++k) {
            if (strcmp(w.axis[i].param->name, "element") == 0 && w.made_with[k] == 0) {
                fail_msg("%s: no mesh of %s", table->name, w.axis[i].param->choices[k]);
            }
        }
    }
    brn_ctx_destroy(ctx);
    return bad;
}

/* ---- the tests ----------------------------------------------------------------------------------------------------------- */

static int each_maker(int (*fn)(const maker *m))
{
    int bad = 0;
    for (int i = 0; i < brn_generator_count(); ++i) {
        bad += fn(&(maker){.generator = brn_generator_get(i)});
    }
    for (int i = 0; i < brn_shape_count(); ++i) {
        bad += fn(&(maker){.shape = brn_shape_get(i), .dim = 2});
        bad += fn(&(maker){.shape = brn_shape_get(i), .dim = 3});
    }
    return bad;
}

static void test_coarsest(void **state)
{
    (void)state;
    assert_int_equal(each_maker(walk_table), 0);
}

/* Parameters at the far ends of their ranges, alone and together: refused, or too large for the purse, whose first refusal
   shows that no array for more cells than the limit was asked for. */
static int walk_extremes(const maker *m)
{
    const brn_table *table = table_of(m);
    walk w = {.table = table};
    list_axes(table, 0, -1, &w);
    for (int i = 0; i < w.naxis; ++i) {
        axis *a = &w.axis[i];
        const brn_param *p = a->param;
        static int most[] = {BRN_GENERATE_CELLS_MAX, BRN_GENERATE_CELLS_MAX, BRN_GENERATE_CELLS_MAX};
        static const brn_ints huge[] = {{3, most}, {2, most}};
        a->count = a->param->kind == BRN_CHOICE ? a->count : 1;
        if (p->kind == BRN_REAL && p->unit != NULL && strcmp(p->unit, "m") == 0) {
            add(a, 1e-200);
            add(a, 1e200);
        } else if (p->kind == BRN_INT) {
            add(a, p->hi);
        } else if (p->kind == BRN_INTS) {
            add_lists(a, huge, 2, sizeof *huge);
        }
    }
    purse money = {.left = SIZE_MAX};
    brn_ctx *ctx = purse_ctx(&money);
    int at[PARAMS_MOST] = {0};
    do {
        union {
            double align;
            char bytes[1024];
        } params;
        brn_table_defaults(table, &params);
        for (int i = 0; i < w.naxis; ++i) {
            put(&w.axis[i], at[i], &params);
        }
        brn_mesh *mesh = NULL;
        bool whole = false;
        money = (purse){.left = PURSE};
        const brn_status status = make(m, ctx, &params, &mesh, &whole);
        /* Positions of at most twice as many nodes, or node numbers of at most 20 a cell. */
        assert_true(money.refused <= (size_t)BRN_GENERATE_CELLS_MAX * 80);
        if (status < 0 && status != BRN_ERR_MEMORY && !names_parameter(table, brn_ctx_message(ctx))) {
            fail_msg("%s: refused without a parameter: %s", describe(&w, at), brn_ctx_message(ctx));
        }
        money.left = SIZE_MAX;
        brn_mesh_destroy(mesh);
    } while (advance(&w, at));
    brn_ctx_destroy(ctx);
    return 0;
}

static void test_finest(void **state)
{
    (void)state;
    (void)each_maker(walk_extremes);
    /* More triangles than the limit, though the number of segments is within its range. */
    const brn_shape *sphere = NULL;
    for (int i = 0; i < brn_shape_count(); ++i) {
        sphere = strcmp(brn_shape_get(i)->table->name, "sphere") == 0 ? brn_shape_get(i) : sphere;
    }
    union {
        double align;
        char bytes[256];
    } params;
    brn_ctx *ctx = test_ctx(1);
    brn_shape_form form = {0};
    brn_table_defaults(sphere->table, &params);
    *(double *)recipe_field(sphere->table, &params, "radius") = 1.0;
    *(int *)recipe_field(sphere->table, &params, "segments") = 10000;
    assert_int_equal(sphere->make(ctx, &params, 3, &form), BRN_ERR_RANGE);
    assert_string_equal(brn_ctx_message(ctx),
                        "sphere.segments: gives 1e+08 cells, at most 50000000 are allowed");
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarsest),
        cmocka_unit_test(test_finest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
