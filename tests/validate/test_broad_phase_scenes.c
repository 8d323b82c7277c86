/* The broad phase on real motion: at every tenth step of every scene of the gallery the candidates are exactly the pairs
   that looking at every pair finds. Which pairs count (swept boxes within the distance, no common node, not both held,
   not one body where self-contact is off, not neighbours in a sheet that cannot touch) is written anew here. Looked at
   are the motion of the step itself and ten times that motion, as a first Newton step may be far too long. Where a kind
   has many parts, the first members are a random subset. Shapes that the gallery lacks stand in two scenes here.
   Arguments: names of scenes; none: all. */
#include "flow.h"

#include "base/rng.h"
#include "contact/candidates.h"
#include "step/ipc/ipc.h"
#include "step/sim.h"
#include "step/stages.h"

#include <dirent.h>

enum { EVERY = 10, SUBSET = 500, ALL_UP_TO = 2000 };

/* Parts of one kind: n times `width` nodes. */
typedef struct parts {
    int n, width;
    const int *node;
    brn_box *box; /* swept */
    bool *first;  /* may be the first member of a pair */
} parts;

/* One line a kind of candidate between two lists of parts: a new kind is a new line. Points meet half-spaces apart. */
enum { POINTS, EDGES, TRIS, LONE_POINTS, LONE_EDGES, BARE_POINTS, LISTS };

typedef struct pairing {
    brn_touch kind;
    int dim; /* 0: both */
    int a, b;
} pairing;

static const pairing pairings[] = {
    {BRN_TOUCH_POINT_EDGE, 2, POINTS, EDGES},
    {BRN_TOUCH_POINT_EDGE, 3, BARE_POINTS, LONE_EDGES},
    {BRN_TOUCH_POINT_TRIANGLE, 3, POINTS, TRIS},
    {BRN_TOUCH_EDGE_EDGE, 3, EDGES, EDGES},
    {BRN_TOUCH_POINT_POINT, 0, LONE_POINTS, LONE_POINTS},
};

static const pairing plane_pairing = {BRN_TOUCH_POINT_PLANE, 0, POINTS, POINTS};

typedef struct key {
    int kind;
    int node[4];
} key;

typedef struct keys {
    key *item;
    size_t count, capacity;
} keys;

typedef struct bench {
    const brn_skin *skin;
    parts part[LISTS];
    keys found, brute;
    size_t pairs; /* compared in all */
} bench;

static void add_key(keys *list, key k)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 1024;
        list->item = realloc(list->item, list->capacity * sizeof *list->item);
        assert_non_null(list->item);
    }
    list->item[list->count++] = k;
}

static int key_order(const void *a, const void *b)
{
    const int *x = a;
    const int *y = b;
    for (int i = 0; i < 5; ++i) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

/* ---- looking at every pair -------------------------------------------------------------------------------------------- */

/* The box of a part's surface, which is its radius away from its nodes. */
static void sweep(const brn_skin *skin, parts *p, const double *x0, const double *x1)
{
    for (int i = 0; i < p->n; ++i) {
        for (int k = 0; k < 3; ++k) {
            double lo = INFINITY;
            double hi = -INFINITY;
            for (int j = 0; j < p->width; ++j) {
                const int at = 3 * p->node[i * p->width + j] + k;
                lo = fmin(lo, fmin(x0[at], x1[at]));
                hi = fmax(hi, fmax(x0[at], x1[at]));
            }
            const double radius = skin->radius[p->node[i * p->width]];
            p->box[i].lo[k] = lo - radius;
            p->box[i].hi[k] = hi + radius;
        }
    }
}

static bool apart(const brn_box *a, const brn_box *b, double distance)
{
    for (int k = 0; k < 3; ++k) {
        if (a->lo[k] - b->hi[k] > distance || b->lo[k] - a->hi[k] > distance) {
            return true;
        }
    }
    return false;
}

static bool counts(const bench *s, const int *a, int na, const int *b, int nb)
{
    const brn_model *model = s->skin->model;
    const int dim = model->dim;
    bool free_dof = false;
    for (int i = 0; i < na + nb; ++i) {
        const int node = i < na ? a[i] : b[i - na];
        for (int k = 0; k < dim; ++k) {
            const int row = model->node_row[node]; /* what touches has one, or is tied */
            free_dof = free_dof || row < 0 || model->fixed[row * dim + k] != BRN_DOF_HELD;
        }
        for (int j = 0; j < nb && i < na; ++j) {
            if (a[i] == b[j]) {
                return false;
            }
        }
    }
    int body[2] = {-1, -1};
    for (int n = 0; n < model->nbody; ++n) {
        const int first = model->body[n].node_first;
        const int end = first + model->body[n].node_count;
        body[0] = a[0] >= first && a[0] < end ? n : body[0];
        body[1] = b[0] >= first && b[0] < end ? n : body[1];
    }
    const bool one = body[0] == body[1];
    if (brn_model_apart(model, body[0], body[1])) { /* tests/unit/test_robot_model.c */
        return false;
    }
    for (int i = 0; i < na + nb; ++i) { /* welded to the other, or to another body of the same link */
        const int node = i < na ? a[i] : b[i - na];
        const int to = model->attached_to != NULL ? model->attached_to[node] : -1;
        const brn_body *other = &model->body[body[i < na ? 1 : 0]];
        const brn_body *on = to >= 0 ? &model->body[to] : NULL;
        if (on != NULL &&
            (on == other || (on->robot >= 0 && on->robot == other->robot && on->link == other->link))) {
            return false;
        }
    }
    return free_dof && !(one && (!model->contact_self || model->body[body[0]].type == BRN_BODY_RIGID));
}

/* Neighbours in a sheet are nearer than its thickness: they keep at most half of their distance at rest. A pair that is
   further apart than this plus the distance cannot touch, and need not be a candidate though its boxes are near. */
static bool sheet_apart(const brn_skin *skin, const int *a, int na, const int *b, int nb, const double *x0,
                        const double *x1, double distance)
{
    if (skin->radius[a[0]] == 0.0 || skin->node_body[a[0]] != skin->node_body[b[0]]) {
        return false;
    }
    double gap = 0.0;
    double rest = INFINITY; /* nearest two nodes */
    for (int k = 0; k < 3; ++k) {
        double lo[2] = {INFINITY, INFINITY};
        double hi[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < na + nb; ++i) {
            const int at = 3 * (i < na ? a[i] : b[i - na]) + k;
            lo[i >= na] = fmin(lo[i >= na], fmin(x0[at], x1[at]));
            hi[i >= na] = fmax(hi[i >= na], fmax(x0[at], x1[at]));
        }
        const double d = fmax(0.0, fmax(lo[1] - hi[0], lo[0] - hi[1]));
        gap += d * d;
    }
    for (int i = 0; i < na; ++i) {
        for (int j = 0; j < nb; ++j) {
            const double *p = skin->model->rest[a[i]];
            const double *q = skin->model->rest[b[j]];
            rest = fmin(rest, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
        }
    }
    return sqrt(gap) > distance + fmin(2.0 * skin->radius[a[0]], 0.5 * rest);
}

static key make_key(const pairing *p, const int *a, int na, const int *b, int nb)
{
    key k = {.kind = (int)p->kind, .node = {-1, -1, -1, -1}};
    memcpy(k.node, a, (size_t)na * sizeof *a);
    memcpy(&k.node[na], b, (size_t)nb * sizeof *b);
    return k;
}

static void look_at_all(bench *s, const pairing *p, const double *x0, const double *x1, double distance)
{
    const parts *a = &s->part[p->a];
    const parts *b = &s->part[p->b];
    for (int i = 0; i < a->n; ++i) {
        for (int j = 0; j < b->n && a->first[i]; ++j) {
            /* of one list each pair once, the lower number first; a pair of two first members is met from the lower */
            const bool twice = p->a == p->b && (j == i || (j < i && a->first[j]));
            const int *na = &a->node[i * a->width];
            const int *nb = &b->node[j * b->width];
            if (twice || apart(&a->box[i], &b->box[j], distance) || !counts(s, na, a->width, nb, b->width) ||
                sheet_apart(s->skin, na, a->width, nb, b->width, x0, x1, distance)) {
                continue;
            }
            const bool swap = p->a == p->b && j < i;
            add_key(&s->brute,
                    swap ? make_key(p, nb, b->width, na, a->width) : make_key(p, na, a->width, nb, b->width));
        }
    }
}

/* Points that are near a half-space at one end of their way; all of them if it turns. */
static void look_at_plane(bench *s, const int *plane, const double *x0, const double *x1, double distance)
{
    const parts *points = &s->part[POINTS];
    const int dim = s->skin->dim;
    double n[2][3];
    brn_skin_plane_normal(s->skin, plane, x0, n[0]);
    brn_skin_plane_normal(s->skin, plane, x1, n[1]);
    const bool turns = memcmp(n[0], n[1], sizeof n[0]) != 0;
    for (int i = 0; i < points->n; ++i) {
        const int p = points->node[i];
        const double before = brn_skin_plane_distance(s->skin, plane, &x0[3 * p], x0);
        const double after = brn_skin_plane_distance(s->skin, plane, &x1[3 * p], x1);
        const bool near = fmin(before, after) - s->skin->radius[p] <= distance;
        if (points->first[i] && (turns || near) && counts(s, &p, 1, plane, dim)) {
            add_key(&s->brute, make_key(&plane_pairing, &p, 1, plane, dim));
        }
    }
}

/* ---- the candidates among those --------------------------------------------------------------------------------------- */

static const pairing *pairing_of(int kind, int dim)
{
    for (size_t i = 0; i < sizeof pairings / sizeof *pairings; ++i) {
        if ((int)pairings[i].kind == kind && (pairings[i].dim == dim || pairings[i].dim == 0)) {
            return &pairings[i];
        }
    }
    if (kind != BRN_TOUCH_POINT_PLANE) {
        fail_msg("candidates of kind %d are not known to this test", kind);
    }
    return &plane_pairing;
}

/* The number of a part by its nodes; the nodes of edges ascend along the list in 3D. */
static int part_number(const parts *p, const int *node)
{
    int lo = 0;
    int hi = p->n - 1;
    while (lo <= hi) {
        const int mid = lo + (hi - lo) / 2;
        const int *at = &p->node[mid * p->width];
        int order = 0;
        for (int k = 0; k < p->width && order == 0; ++k) {
            order = (at[k] > node[k]) - (at[k] < node[k]);
        }
        if (order == 0) {
            return mid;
        }
        lo = order < 0 ? mid + 1 : lo;
        hi = order > 0 ? mid - 1 : hi;
    }
    fail_msg("a candidate has a part that is not of the skin");
    return -1;
}

/* Those with near boxes: a list has others too. */
static void take_candidates(bench *s, const brn_candidates *candidates, const double *x0, const double *x1,
                            double distance)
{
    const brn_candidate *c = brn_candidates_get(candidates);
    for (int i = 0; i < brn_candidates_count(candidates); ++i) {
        const int dim = s->skin->dim;
        const pairing *p = pairing_of(c[i].kind, dim);
        const parts *a = &s->part[p->a];
        const bool plane = p == &plane_pairing;
        assert_true(c[i].area > 0.0 && isfinite(c[i].area));
        assert_true(c[i].offset >= 0.0 && isfinite(c[i].offset));
        bool wanted = a->first[part_number(a, c[i].node)];
        if (p->a == p->b && !plane) {
            wanted = wanted || a->first[part_number(a, &c[i].node[a->width])];
        }
        const int width = plane ? dim : s->part[p->b].width;
        const int *b = &c[i].node[a->width];
        if (wanted && brn_candidates_near(candidates, &c[i], x0, x1, distance) &&
            (plane || !sheet_apart(s->skin, c[i].node, a->width, b, width, x0, x1, distance))) {
            add_key(&s->found, make_key(p, c[i].node, a->width, b, width));
        }
    }
}

static void compare(bench *s, brn_candidates *candidates, const double *x0, const double *x1, double distance)
{
    assert_done(s->skin->ctx, brn_candidates_find(candidates, x0, x1, distance));
    s->found.count = 0;
    s->brute.count = 0;
    for (int k = 0; k < LISTS; ++k) {
        sweep(s->skin, &s->part[k], x0, x1);
    }
    for (size_t i = 0; i < sizeof pairings / sizeof *pairings; ++i) {
        if (pairings[i].dim == s->skin->dim || pairings[i].dim == 0) {
            look_at_all(s, &pairings[i], x0, x1, distance);
        }
    }
    for (int i = 0; i < s->skin->nplane; ++i) {
        look_at_plane(s, s->skin->plane[i], x0, x1, distance);
    }
    take_candidates(s, candidates, x0, x1, distance);
    if (s->found.count > 0) {
        qsort(s->found.item, s->found.count, sizeof *s->found.item, key_order);
    }
    if (s->brute.count > 0) {
        qsort(s->brute.item, s->brute.count, sizeof *s->brute.item, key_order);
    }
    const size_t least = s->found.count < s->brute.count ? s->found.count : s->brute.count;
    for (size_t i = 0; i < least; ++i) {
        if (key_order(&s->found.item[i], &s->brute.item[i]) != 0) {
            const key *f = &s->found.item[i];
            const key *b = &s->brute.item[i];
            fail_msg("first difference: candidate %d: %d %d %d %d, by looking at all %d: %d %d %d %d",
                     f->kind, f->node[0], f->node[1], f->node[2], f->node[3], b->kind, b->node[0], b->node[1],
                     b->node[2], b->node[3]);
        }
    }
    assert_int_equal(s->found.count, s->brute.count);
    s->pairs += s->brute.count;
}

/* ---- scenes ----------------------------------------------------------------------------------------------------------- */

static void choose_first(parts *p, brn_rng *rng)
{
    p->box = calloc((size_t)p->n + 1, sizeof *p->box);
    p->first = calloc((size_t)p->n + 1, sizeof *p->first);
    assert_true(p->box != NULL && p->first != NULL);
    for (int i = 0; i < p->n; ++i) {
        p->first[i] = p->n <= ALL_UP_TO;
    }
    for (int i = 0; i < SUBSET && p->n > ALL_UP_TO; ++i) {
        p->first[brn_rng_next(rng) % (uint64_t)p->n] = true;
    }
}

static double contact_distance(const flow *f)
{
    const bool ipc = strcmp(f->sim->method->table->name, "ipc") == 0;
    return ipc ? ((const brn_ipc *)f->sim->self)->dhat_most : 1e-3 * f->sim->system->size;
}

static flow scene_open(const char *name)
{
    char path[1024];
    flow f = {.ctx = test_ctx(0)};
    (void)snprintf(path, sizeof path, BRN_SOURCE_DIR "/scenes/%s/scene.yaml", name);
    assert_done(f.ctx, brn_scene_load(f.ctx, path, &f.scene));
    if (strcmp(name, "drape") == 0) { /* brute force is for thousands of parts, not for 60 000 */
        assert_done(f.ctx, brn_scene_set(f.scene, "meshes.cloth.grid.cells=[36,36]"));
    }
    assert_done(f.ctx, brn_model_compile(f.ctx, f.scene, &f.model));
    assert_done(f.ctx, brn_sim_create(f.ctx, f.model, &f.sim));
    return f;
}

/* The points without a triangle, ascending; the caller frees them. */
static int *bare_points(const brn_skin *skin, int *count)
{
    int *list = malloc(((size_t)skin->npoint + 1) * sizeof *list);
    assert_non_null(list);
    *count = 0;
    for (int i = 0; i < skin->npoint; ++i) {
        list[*count] = skin->point[i];
        *count += skin->node_sides[skin->point[i]] == 0;
    }
    return list;
}

static void run_scene(const char *name, flow f)
{
    brn_skin *skin = NULL;
    brn_candidates *candidates = NULL;
    assert_done(f.ctx, brn_skin_create(f.ctx, f.model, &skin));
    assert_done(f.ctx, brn_candidates_create(f.ctx, skin, &candidates));
    brn_rng rng = {2026};
    int nbare = 0;
    int *bare = bare_points(skin, &nbare);
    bench s = {.skin = skin,
               .part = {{.n = skin->npoint, .width = 1, .node = skin->point},
                        {.n = skin->nedge, .width = 2, .node = (const int *)skin->edge},
                        {.n = skin->ntri, .width = 3, .node = (const int *)skin->tri},
                        {.n = skin->nlone_point, .width = 1, .node = skin->lone_point},
                        {.n = skin->nlone_edge, .width = 2, .node = (const int *)skin->lone_edge},
                        {.n = nbare, .width = 1, .node = bare}}};
    for (int k = 0; k < LISTS; ++k) {
        choose_first(&s.part[k], &rng);
    }
    const size_t length = (size_t)f.model->nnode * 3;
    double *before = malloc(2 * length * sizeof *before);
    assert_non_null(before);
    double *far = before + length;
    const double distance = contact_distance(&f);
    /* Of a launch, as far as the body has left the ground: what flies and lands takes hundreds of steps more. Of scenes whose steps
       are thousands of shorter ones, the first twentieth. */
    const bool short_steps = f.model->integrator == BRN_VARIATIONAL;
    const int64_t steps = short_steps ? f.model->nstep / 20 + 1 : INT64_MAX;
    while (!brn_sim_done(f.sim) && brn_stages_now(f.sim->state) < BRN_STAGE_FLIGHT &&
           brn_sim_step_count(f.sim) < steps) {
        memcpy(before, brn_sim_positions(f.sim), length * sizeof *before);
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        if (brn_sim_step_count(f.sim) % EVERY == 0 || brn_sim_done(f.sim)) {
            const double *x = brn_sim_positions(f.sim);
            for (size_t i = 0; i < length; ++i) {
                far[i] = before[i] + 10.0 * (x[i] - before[i]);
            }
            compare(&s, candidates, before, x, distance);
            compare(&s, candidates, before, far, distance);
        }
    }
    print_message("%-20s %6d points %6d edges %6d triangles: %zu pairs\n", name, skin->npoint, skin->nedge,
                  skin->ntri, s.pairs);
    free(bare);
    free(before);
    free(s.found.item);
    free(s.brute.item);
    for (int k = 0; k < LISTS; ++k) {
        free(s.part[k].box);
        free(s.part[k].first);
    }
    brn_candidates_destroy(candidates);
    brn_skin_destroy(skin);
    flow_close(&f);
}

static int chosen_count;
static char **chosen;

static void test_scenes(void **state)
{
    (void)state;
    for (int i = 0; i < chosen_count; ++i) {
        run_scene(chosen[i], scene_open(chosen[i]));
    }
    DIR *dir = chosen_count == 0 ? opendir(BRN_SOURCE_DIR "/scenes") : NULL;
    assert_true(dir != NULL || chosen_count > 0);
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] != '.') {
            run_scene(entry->d_name, scene_open(entry->d_name));
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
}

/* Half-spaces, one that turns, round obstacles and rigid bodies. */
static void test_shapes(void **state)
{
    (void)state;
    static const char space[] =
        "brunt: 1\nmethod: {type: ipc, dhat: 2e-3}\ntime: {step: 0.01, end: 0.4}\n"
        "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
        "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3], element: tet4}}}\n"
        "bodies:\n  - {name: left, type: deformable, mesh: m, material: a, position: [-0.1, 0, 0.2]}\n"
        "  - {name: right, type: deformable, mesh: m, material: a, position: [0.1, 0.01, 0.2]}\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: flap, type: static, shape: {plane: {normal: [1, 0, 0]}}, position: [-0.3, 0, 0],\n"
        "     motion: {angular_velocity: 0.1, about: {point: [-0.3, 0, 0], axis: [0, 1, 0]}}}\n"
        "  - {name: ball, type: static, shape: {sphere: {radius: 0.05}}, position: [-0.09, 0, 0.06]}\n"
        "  - {name: rod, type: static, shape: {capsule: {radius: 0.03, height: 0.1}}, position: [0.1, 0, "
        "0.08],\n"
        "     rotation: {axis: [1, 0, 0], degrees: 90}}\n"
        "  - {name: pea, type: rigid, shape: {sphere: {radius: 0.05}}, density: 1000, position: [0, 0.3, "
        "0.06]}\n"
        "  - {name: bean, type: rigid, shape: {capsule: {radius: 0.03, height: 0.1}}, density: 1000,\n"
        "     position: [0.01, 0.3, 0.2], rotation: {axis: [1, 0.3, 0], degrees: 80}}\n"
        "  - {name: nut, type: rigid, shape: {sphere: {radius: 0.04}}, density: 1000, position: [0.02, 0.31, "
        "0.3]}\n";
    static const char plane[] =
        "brunt: 1\ndimension: 2\nmethod: {type: ipc, dhat: 2e-3}\ntime: {step: 0.01, end: 0.4}\n"
        "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
        "meshes: {m: {box: {size: [0.1, 0.1], cells: [3, 3], element: tri3}}}\n"
        "bodies:\n  - {name: left, type: deformable, mesh: m, material: a, position: [-0.1, 0.2]}\n"
        "  - {name: right, type: deformable, mesh: m, material: a, position: [0.1, 0.2]}\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 1]}}}\n"
        "  - {name: ball, type: static, shape: {sphere: {radius: 0.05}}, position: [-0.09, 0.06]}\n"
        "  - {name: rod, type: static, shape: {capsule: {radius: 0.03, height: 0.1}}, position: [0.1, "
        "0.06]}\n"
        "  - {name: pea, type: rigid, shape: {sphere: {radius: 0.05}}, density: 1000, position: [0.4, "
        "0.06]}\n"
        "  - {name: nut, type: rigid, shape: {sphere: {radius: 0.04}}, density: 1000, position: [0.41, "
        "0.16]}\n";
    run_scene("(shapes, 3D)", flow_open(0, space, NULL));
    run_scene("(shapes, 2D)", flow_open(0, plane, NULL));
}

int main(int argc, char **argv)
{
    chosen_count = argc - 1;
    chosen = argv + 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes), cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
