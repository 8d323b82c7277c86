/* Method `acm`, what its theory promises: the multisymplectic form formula for potentials without a triangulation [Vouga et al. 2011, section 4], the same bits in any order of
   events that share no node, gradients of gaps, and collisions ruled out by inclusion over every piece of the motion. */
#include "flow.h"
#include "validate/rows.h"

#include "base/rng.h"
#include "geom/ccd_interval.h"
#include "step/acm/acm.h"
#include "step/sim.h"

/* ---- the multisymplectic form formula ---------------------------------------------------------------------------------------------- */

/* Three bodies of two triangles each that collide: pairs of all three are among the potentials, with stencils that overlap those of triangles and of
   each other, and come and go. */
#define CHIPS                                                                                             \
 "brunt: 1\nmethod: {type: acm}\ndimension: 2\ngravity: [0, -1]\ntime: {step: 0.0037, end: 0.5}\n"        \
 "materials: {m: {type: stvk, young: 100, poisson: 0.3, density: 1}}\n"                                   \
 "meshes: {chip: {box: {size: [1, 0.6], cells: [1, 1], element: tri3}}, small: {box: {size: [0.3, 0.4], " \
 "cells: [1, 1], element: tri3}}}\n"                                                                      \
 "bodies:\n  - {name: low, type: deformable, mesh: chip, material: m, velocity: [0, 0.5], "               \
 "angular_velocity: 0.5}\n"                                                                               \
 "  - {name: top, type: deformable, mesh: chip, material: m, position: [0.3, 0.9], rotation: "            \
 "[{axis: [0, 0, 1], degrees: 30}], velocity: [0, -1.5]}\n"                                               \
 "  - {name: side, type: deformable, mesh: small, material: m, position: [-0.75, 0.1], velocity: [1.5, "  \
 "0]}\n"                                                                                                  \
 "contact: {friction: 0}\n"

enum { NODES = 12, DOFS = 2 * NODES, PLACES = 5, EVERY = 25 };

/* Places at the tick of the state and velocities after the impulses until then, as the events left them: (q, p+) of the form, with p = M v. */
static void read_raw(const brn_sim *sim, double *z)
{
    const double *place = brn_state_recall(sim->state, "acm.place")->value;
    const double *velocity = brn_state_recall(sim->state, "acm.velocity")->value;
    const double *lag = brn_state_recall(sim->state, "acm.lag")->value;
    const brn_acm *acm = sim->self;
    for (int i = 0; i < DOFS; ++i) {
        const int at = 3 * (i / 2) + i % 2;
        z[i] = place[at] + lag[i / 2] * acm->tick * velocity[at];
        z[DOFS + i] = velocity[at];
    }
}

/* z [PLACES + 1][2 DOFS] at the start and after every EVERY steps. */
static void raw_flow(flow *f, const double *z0, double (*z)[2 * DOFS])
{
    double x[3 * NODES] = {0};
    double v[3 * NODES] = {0};
    brn_report r;
    brn_sim *sim = NULL;
    for (int i = 0; i < DOFS; ++i) {
        x[3 * (i / 2) + i % 2] = z0[i];
        v[3 * (i / 2) + i % 2] = z0[DOFS + i];
    }
    assert_done(f->ctx, brn_sim_create(f->ctx, f->model, &sim));
    assert_done(f->ctx, brn_sim_edit(sim, x, v));
    read_raw(sim, z[0]);
    for (int k = 1; k <= PLACES; ++k) {
        for (int step = 0; step < EVERY; ++step) {
            assert_done(f->ctx, brn_sim_step(sim, &r));
        }
        read_raw(sim, z[k]);
    }
    brn_sim_destroy(sim);
}

/* dq ^ dp of two columns of a Jacobian [2 DOFS][2 DOFS]. */
static double form(const double *mass, double (*jacobian)[2 * DOFS], int i, int j)
{
    double sum = 0.0;
    for (int d = 0; d < DOFS; ++d) {
        sum +=
            mass[d / 2] * (jacobian[d][i] * jacobian[DOFS + d][j] - jacobian[DOFS + d][i] * jacobian[d][j]);
    }
    return sum;
}

/* d theta^- + F* d theta^+ = 0 (eq. 10) of the action S_g, by central differences in 2 DOFS variations of the start: with theta^- = -T_d' dq at the
   first point and theta^+ = (T_d' - sum h V') dq at the last, which is p+ dq of the events. Ends are at times at which some potentials act and others
   do not, and in the middle of collisions. */
static double form_error(const char *sets, double *touched)
{
    static double jacobian[PLACES + 1][2 * DOFS][2 * DOFS];
    static double side[2][PLACES + 1][2 * DOFS];
    flow f = flow_open(1, CHIPS, sets);
    double z0[2 * DOFS];
    double worst = 0.0;
    const double h = 1e-7;
    brn_report r;
    assert_int_equal(flow_nodes(&f), NODES);
    for (int i = 0; i < DOFS; ++i) {
        z0[i] = brn_sim_positions(f.sim)[3 * (i / 2) + i % 2];
        z0[DOFS + i] = brn_sim_velocities(f.sim)[3 * (i / 2) + i % 2];
    }
    for (int i = 0; i < 2 * DOFS; ++i) {
        for (int s = 0; s < 2; ++s) {
            double at[2 * DOFS];
            memcpy(at, z0, sizeof at);
            at[i] += s == 0 ? -h : h;
            raw_flow(&f, at, side[s]);
        }
        for (int k = 0; k <= PLACES; ++k) {
            for (int j = 0; j < 2 * DOFS; ++j) {
                jacobian[k][j][i] = (side[1][k][j] - side[0][k][j]) / (2.0 * h);
            }
        }
    }
    for (int k = 1; k <= PLACES; ++k) {
        for (int i = 0; i < 4 * DOFS * DOFS; ++i) {
            const int a = i / (2 * DOFS);
            const int b = i % (2 * DOFS);
            worst = fmax(worst, fabs(form(f.model->node_mass, jacobian[k], a, b) -
                                     form(f.model->node_mass, jacobian[0], a, b)));
        }
    }
    *touched = 0.0;
    for (int k = 0; k < PLACES * EVERY; ++k) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        *touched += r.contacts;
    }
    flow_close(&f);
    return worst;
}

static void test_multisymplectic(void **state)
{
    static const char *const sets[] = {"method.schedule=levels", "method.schedule=exact"};
    FILE *rows = *state;
    double touched;
    for (int k = 0; k < BRN_COUNT(sets); ++k) {
        const double error = form_error(sets[k], &touched);
        validation_row(rows, "multisymplectic form formula, largest error", 0.0, error, error, sets[k]);
        assert_true(touched > 20.0);
        assert_true(error < 1e-6); /* 4e-6 with h = 1e-6, 5e-7 with 3e-7: truncation; rounding is 1e-9 */
    }
    /* What has no potential breaks it: the check can fail. */
    const double friction = form_error("contact.friction=0.3", &touched);
    validation_row(rows, "the same, with friction", NAN, friction, NAN, "which has no potential");
    assert_true(friction > 1e-3);
}

/* ---- the same bits in any order ---------------------------------------------------------------------------------------------------- */

/* Three couples of a ball and a plate, far from each other: bodies in three orders. */
enum { COUPLES = 3, BODIES = 2 * COUPLES, MOST = 4000 };

static void write_couples(const int order[BODIES], char *text, size_t size)
{
    size_t at = (size_t)snprintf(
        text, size,
        "brunt: 1\nmethod: {type: acm}\ngravity: [0, 0, -9.81]\ntime: {step: 0.001953125, end: 0.05}\n"
        "materials:\n  m0: {type: stvk, young: 2.0e4, poisson: 0.3, density: 1000}\n"
        "  m1: {type: stable_neo_hookean, young: 3.0e4, poisson: 0.3, density: 900}\n"
        "  m2: {type: corotated, young: 2.5e4, poisson: 0.2, density: 800}\n"
        "  s0: {type: stvk, young: 2.0e5, poisson: 0.3, density: 1000}\n"
        "  s1: {type: neo_hookean, young: 3.0e5, poisson: 0.2, density: 900}\n"
        "  s2: {type: stvk, young: 2.5e5, poisson: 0.3, density: 800}\n"
        "meshes:\n  ball: {sphere: {radius: 0.05, resolution: 0.04}}\n"
        "  sheet: {grid: {size: [0.2, 0.2], cells: [5, 5]}}\ncontact: {friction: 0.2}\nbodies:\n");
    for (int i = 0; i < BODIES; ++i) {
        const int couple = order[i] / 2;
        at += (size_t)snprintf(
            text + at, size - at,
            order[i] % 2 == 0
                ? "  - {name: ball%d, type: deformable, mesh: ball, material: m%d, position: [%d, 0.01, "
                  "0.053], velocity: [0.1, 0, -1], angular_velocity: [3, 2, 1]}\n"
                : "  - {name: sheet%d, type: shell, mesh: sheet, material: s%d, thickness: 0.002, position: "
                  "[%d, 0, 0]}\n",
            couple, couple, couple);
    }
    assert_true(at < size);
}

/* [body of the first order][..] places of nodes at the end. */
static double end_in_order(const int order[BODIES], const char *sets, int threads, double (*x)[MOST])
{
    char text[4000];
    double deepest = 0.0;
    write_couples(order, text, sizeof text);
    flow f = flow_open(threads, text, sets);
    brn_report r;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        deepest = fmax(deepest, r.own[BRN_ACM_DEEPEST]);
    }
    for (int i = 0; i < BODIES; ++i) {
        const brn_body *body = &f.model->body[i];
        assert_true(3 * body->node_count <= MOST);
        memcpy(x[order[i]], &brn_sim_positions(f.sim)[3 * body->node_first],
               3 * (size_t)body->node_count * sizeof(double));
    }
    flow_close(&f);
    return deepest;
}

/* Events of one time that share no node act in three orders, on one thread and on two: not a bit differs. */
static void test_orders(void **state)
{
    (void)state;
    static const int order[3][BODIES] = {{0, 1, 2, 3, 4, 5}, {4, 2, 5, 0, 3, 1}, {2, 0, 4, 1, 5, 3}};
    static const char *const sets[] = {"method.schedule=levels", "method.schedule=exact"};
    static double x[2][BODIES][MOST];
    /* The ball of a couple stays before its sheet: which of two edges is the first is seen in the last bit of their distance. */
    for (int k = 0; k < BRN_COUNT(sets); ++k) {
        assert_true(end_in_order(order[0], sets[k], 1, x[0]) >= 1.0);
        for (int o = 0; o < 3; ++o) {
            for (int threads = 1; threads <= 2; ++threads) {
                (void)end_in_order(order[o], sets[k], threads, x[1]);
                assert_memory_equal(x[0], x[1], sizeof x[0]);
            }
        }
    }
}

/* ---- gradients --------------------------------------------------------------------------------------------------------------------- */

/* The slope of a gap along a coordinate by five points; NaN: closest points go from one region to another between them. */
static double gap_slope(const brn_candidate *c, double x[4][3], int i, const double weight[4])
{
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0},
                        share[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
    const double h = 1e-4;
    const double kept = x[i / 3][i % 3];
    double sum = 0.0;
    for (int s = 0; s < 4; ++s) {
        double here[4] = {0};
        double normal[3];
        x[i / 3][i % 3] = kept + at[s] * h;
        sum += share[s] * brn_acm_gap(c, (const double(*)[3])x, 0.01, here, normal) / h;
        for (int k = 0; k < brn_touch_count(c->node); ++k) {
            sum = (here[k] != 0.0) == (weight[k] != 0.0) ? sum : NAN;
        }
    }
    x[i / 3][i % 3] = kept;
    return sum;
}

/* The gradient of a gap, weights times the normal, against central differences: all kinds of pairs, closest points in all regions. */
static void test_gap_gradient(void **state)
{
    FILE *rows = *state;
    static const struct {
        int kind, nodes;
    } kinds[] = {{BRN_TOUCH_POINT_POINT, 2},
                 {BRN_TOUCH_POINT_EDGE, 3},
                 {BRN_TOUCH_POINT_TRIANGLE, 4},
                 {BRN_TOUCH_EDGE_EDGE, 4}};
    brn_rng rng = {7};
    double worst = 0.0;
    int checked = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        const int kind = trial % BRN_COUNT(kinds);
        brn_candidate c = {.kind = kinds[kind].kind, .node = {0, 1, 2, 3}};
        double x[4][3] = {{0}};
        double weight[4] = {0};
        double normal[3];
        for (int k = kinds[kind].nodes; k < 4; ++k) {
            c.node[k] = -1;
        }
        for (int i = 0; i < 3 * kinds[kind].nodes; ++i) {
            x[i / 3][i % 3] = brn_rng_uniform(&rng, -1.0, 1.0);
        }
        const double gap = brn_acm_gap(&c, (const double(*)[3])x, 0.01, weight, normal);
        for (int i = 0; i < 3 * kinds[kind].nodes && gap > 0.2; ++i) {
            const double exact = weight[i / 3] * normal[i % 3];
            const double found = gap_slope(&c, x, i, weight);
            worst = isnan(found) ? worst : fmax(worst, fabs(found - exact));
            checked += !isnan(found);
        }
    }
    assert_true(checked > 10000);
    validation_row(rows, "gradient of a gap against differences", 0.0, worst, worst, "points, edges, faces");
    assert_true(worst < 2e-10); /* h^4/30 times fifth derivatives, 24/gap^4: 1e-12, and rounding 1e-15/h */
}

/* ---- nothing meets ------------------------------------------------------------------------------------------------------------------ */

/* A ball, a cube and a sheet that fly into each other, one of each kind of elements. */
#define CROWD                                                                                               \
 "brunt: 1\nmethod: {type: acm}\ngravity: [0, 0, 0]\ntime: {step: 9.5367431640625e-7, end: 0.015625}\n"     \
 "materials: {m: {type: stvk, young: 2.0e4, poisson: 0.3, density: 1000}}\n"                                \
 "meshes:\n  cube: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1], element: hex8}}\n"                       \
 "  ball: {sphere: {radius: 0.06, resolution: 0.08}}\n  sheet: {grid: {size: [0.3, 0.3], cells: [4, 4]}}\n" \
 "bodies:\n  - {name: cube, type: deformable, mesh: cube, material: m, position: [0, 0.02, 0.055], "        \
 "velocity: [0, 0, -1], angular_velocity: [1, 2, 3]}\n"                                                     \
 "  - {name: ball, type: deformable, mesh: ball, material: m, position: [0.02, 0, -0.065], velocity: [0, "  \
 "0, "                                                                                                      \
 "1]}\n  - {name: sheet, type: shell, mesh: sheet, material: m, thickness: 0.002}\ncontact: {friction: "    \
 "0}\n"

/* States that follow each other, in blocks of PIECES pieces of the motion. */
enum { PIECES = 64 };

typedef struct track {
    int nnode, pieces;
    double *x;       /* [PIECES + 1][nnode][3] */
    double *lo, *hi; /* [nnode][3] over all of the block */
    double pairs, looked;
} track;

static void bound(track *t)
{
    const size_t count = 3 * (size_t)t->nnode;
    for (size_t i = 0; i < count; ++i) {
        t->lo[i] = INFINITY;
        t->hi[i] = -INFINITY;
        for (int k = 0; k <= t->pieces; ++k) {
            t->lo[i] = fmin(t->lo[i], t->x[(size_t)k * count + i]);
            t->hi[i] = fmax(t->hi[i], t->x[(size_t)k * count + i]);
        }
    }
}

/* Whether boxes about two sets of nodes are apart; lo, hi: [nnode][3] of each node. */
static bool boxes_apart(const double *lo, const double *hi, const int *a, int na, const int *b, int nb)
{
    for (int k = 0; k < 3; ++k) {
        double least[2] = {INFINITY, INFINITY};
        double most[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < na + nb; ++i) {
            const int side = i >= na;
            const int at = 3 * (side ? b[i - na] : a[i]) + k;
            least[side] = fmin(least[side], lo[at]);
            most[side] = fmax(most[side], hi[at]);
        }
        if (least[0] > most[1] || least[1] > most[0]) {
            return true;
        }
    }
    return false;
}

/* Proves by inclusion that two parts do not meet in any piece of a block. */
static void prove_pair(track *t, const int *a, int na, const int *b, int nb)
{
    for (int i = 0; i < na * nb; ++i) {
        if (a[i / nb] == b[i % nb]) {
            return;
        }
    }
    t->pairs += t->pieces;
    for (int k = 0; k < t->pieces && !boxes_apart(t->lo, t->hi, a, na, b, nb); ++k) {
        double x[2][4][3];
        for (int i = 0; i < na + nb; ++i) {
            const size_t node = (size_t)(i < na ? a[i] : b[i - na]);
            for (int side = 0; side < 2; ++side) {
                memcpy(x[side][i], &t->x[3 * ((size_t)(k + side) * (size_t)t->nnode + node)], sizeof x[0][0]);
            }
        }
        const double(*x0)[3] = (const double(*)[3])x[0], (*x1)[3] = (const double(*)[3])x[1];
        const brn_interval_hit hit = na == 1 ? brn_interval_point_triangle(x0, x1, 0.0, 1e-9, 1.0)
                                             : brn_interval_edge_edge(x0, x1, 0.0, 1e-9, 1.0);
        t->looked += 1.0;
        assert_false(hit.collides);
    }
}

static void prove_block(track *t, const brn_skin *skin)
{
    bound(t);
    for (int i = 0; i < skin->npoint; ++i) {
        for (int j = 0; j < skin->ntri; ++j) {
            prove_pair(t, &skin->point[i], 1, skin->tri[j], 3);
        }
    }
    for (int i = 0; i < skin->nedge; ++i) {
        for (int j = 0; j < i; ++j) {
            prove_pair(t, skin->edge[i], 2, skin->edge[j], 2);
        }
    }
    memcpy(t->x, &t->x[3 * (size_t)t->pieces * (size_t)t->nnode], 3 * (size_t)t->nnode * sizeof *t->x);
    t->pieces = 0;
}

/* States follow each other at the shortest step of any force, so that every piece of the motion is a straight line from one to the next; each point
   against each triangle and each edge against each other is proved apart by inclusion, those of one body as well. */
static void test_certified(void **state)
{
    FILE *rows = *state;
    flow f = flow_open(1, CROWD, NULL);
    const brn_skin *skin = ((const brn_acm *)f.sim->self)->skin;
    track t = {.nnode = flow_nodes(&f)};
    const size_t count = 3 * (size_t)t.nnode;
    brn_report r;
    double deepest = 0.0;
    t.x = calloc((PIECES + 1) * count, sizeof *t.x);
    t.lo = calloc(count, sizeof *t.lo);
    t.hi = calloc(count, sizeof *t.hi);
    assert_true(t.x != NULL && t.lo != NULL && t.hi != NULL);
    memcpy(t.x, brn_sim_positions(f.sim), count * sizeof *t.x);
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_true(r.own[BRN_ACM_STEP_LEAST] >= f.model->step);
        assert_int_equal(r.intersections, 0);
        deepest = fmax(deepest, r.own[BRN_ACM_DEEPEST]);
        memcpy(&t.x[(size_t)++t.pieces * count], brn_sim_positions(f.sim), count * sizeof *t.x);
        if (t.pieces == PIECES || brn_sim_done(f.sim)) {
            prove_block(&t, skin);
        }
    }
    validation_row(rows, "pairs and pieces of motion proved apart by inclusion", NAN, t.pairs, NAN,
                   "shell, tets and a hex");
    assert_true(deepest >= 3.0 && t.looked > 1e4);
    free(t.x);
    free(t.lo);
    free(t.hi);
    flow_close(&f);
}

static int open_rows(void **state)
{
    *state = validation_open(
        "acm_promises", "Asynchronous contact: what its theory promises",
        "The multisymplectic form formula of the discrete action for potentials without a "
        "triangulation, by central differences (tolerance 1e-6) at five times, in the middle of "
        "collisions of three bodies; gradients of gaps; collisions ruled out by inclusion. The same bits "
        "come out with bodies in three orders, on one thread and on two.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multisymplectic),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_gap_gradient),
        cmocka_unit_test(test_certified),
    };
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
