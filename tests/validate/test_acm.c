/* Method `acm` against what it promises: a symplectic flow, exact momenta, energy without a drift, the same motion whatever is looked at, no
   collision that is not seen, an end at any speed; and against the exact collision of two bars. */
#include "flow.h"
#include "validate/acm_bounces.h"
#include "validate/rows.h"

#include "base/ctx.h"
#include "geom/ccd.h"
#include "step/sim.h"

#define HEAD "brunt: 1\nmethod: {type: acm}\n"

/* Two bodies of two triangles each that collide with a corner and a side, and rotate. */
#define CHIPS                                                                                       \
 HEAD "dimension: 2\ngravity: [0, 0]\ntime: {step: 0.0078125, end: 0.5}\n"                          \
      "materials: {m: {type: stvk, young: 100, poisson: 0.3, density: 1}}\n"                        \
      "meshes: {chip: {box: {size: [1, 0.6], cells: [1, 1], element: tri3}}}\n"                     \
      "bodies:\n  - {name: low, type: deformable, mesh: chip, material: m, velocity: [0, 0.5], "    \
      "angular_velocity: 0.5}\n"                                                                    \
      "  - {name: top, type: deformable, mesh: chip, material: m, position: [0.3, 0.9], rotation: " \
      "[{axis: [0, 0, 1], degrees: 30}], velocity: [0, -1.5]}\ncontact: {friction: 0}\n"

/* ---- the flow is symplectic ----------------------------------------------------------------------------------------------------- */

enum { NODES = 8, DOFS = 2 * NODES };

/* z = (x, v) in the plane after the run. */
static int flow_map(flow *f, const double *z0, int steps, double *z)
{
    double x[3 * NODES] = {0};
    double v[3 * NODES] = {0};
    brn_report r;
    int contacts = 0;
    for (int i = 0; i < DOFS; ++i) {
        x[3 * (i / 2) + i % 2] = z0[i];
        v[3 * (i / 2) + i % 2] = z0[DOFS + i];
    }
    brn_sim *sim = NULL;
    assert_done(f->ctx, brn_sim_create(f->ctx, f->model, &sim));
    assert_done(f->ctx, brn_sim_edit(sim, x, v));
    for (int k = 0; k < steps; ++k) {
        assert_done(f->ctx, brn_sim_step(sim, &r));
        contacts += r.contacts;
    }
    for (int i = 0; i < DOFS; ++i) {
        z[i] = brn_sim_positions(sim)[3 * (i / 2) + i % 2];
        z[DOFS + i] = brn_sim_velocities(sim)[3 * (i / 2) + i % 2];
    }
    brn_sim_destroy(sim);
    return contacts;
}

/* J' W J = W for the Jacobian of the whole flow by central differences, W = [0 M; -M 0]: with asynchronous steps, layers that are
   entered and left within the run, and an end that is no multiple of all steps. There is no triangulation that pairs are a part of (the paper's section 4). */
static void test_symplectic(void **state)
{
    static const char *const sets[] = {
        "method.layers=cubic",
        "method.layers=quadratic",
        "method.layers=cubic;time.step=0.0071",
        "method.schedule=exact",
        "method.schedule=exact;time.step=0.0071",
        "method.schedule=synchronous",
    };
    FILE *rows = *state;
    for (int k = 0; k < BRN_COUNT(sets); ++k) {
        flow f = flow_open(1, CHIPS, sets[k]);
        double z0[2 * DOFS];
        double z[2 * DOFS];
        static double jacobian[2 * DOFS][2 * DOFS];
        assert_int_equal(flow_nodes(&f), NODES);
        for (int i = 0; i < DOFS; ++i) {
            z0[i] = brn_sim_positions(f.sim)[3 * (i / 2) + i % 2];
            z0[DOFS + i] = brn_sim_velocities(f.sim)[3 * (i / 2) + i % 2];
        }
        const int steps = 40;
        assert_true(flow_map(&f, z0, steps, z) > 5);
        for (int i = 0; i < 2 * DOFS; ++i) {
            static const double offset[] = {-2.0, -1.0, 1.0, 2.0};
            static const double weight[] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
            const double h = 7e-7;
            double at[2 * DOFS];
            double end[2 * DOFS];
            for (int j = 0; j < 2 * DOFS; ++j) {
                jacobian[j][i] = 0.0;
            }
            for (int s = 0; s < BRN_COUNT(offset); ++s) {
                memcpy(at, z0, sizeof at);
                at[i] += offset[s] * h;
                (void)flow_map(&f, at, steps, end);
                for (int j = 0; j < 2 * DOFS; ++j) {
                    jacobian[j][i] += weight[s] * end[j] / h;
                }
            }
        }
        double worst = 0.0;
        const double *mass = f.model->node_mass;
        for (int i = 0; i < 2 * DOFS; ++i) {
            for (int j = 0; j < 2 * DOFS; ++j) {
                double sum = 0.0;
                for (int d = 0; d < DOFS; ++d) {
                    sum += mass[d / 2] *
                           (jacobian[d][i] * jacobian[DOFS + d][j] - jacobian[DOFS + d][i] * jacobian[d][j]);
                }
                const double exact = i + DOFS == j ? mass[i / 2] : j + DOFS == i ? -mass[j / 2] : 0.0;
                worst = fmax(worst, fabs(sum - exact));
            }
        }
        validation_row(rows, "symplectic form, largest change", 0.0, worst, worst, sets[k]);
        /* Differences of fourth order, offsets within which no layer is entered: rounding of the flow, 1e-16/1e-6, times what the collision stretches it by. */
        assert_true(worst < 5e-8);
        flow_close(&f);
    }
}

/* ---- momenta, energy, reversal ---------------------------------------------------------------------------------------------------- */

/* Shells, tets and hexes fly into each other. */
#define CROWD                                                                                              \
 HEAD "gravity: [0, 0, 0]\ntime: {step: 0.00390625, end: 0.5}\n"                                           \
      "materials: {m: {type: stvk, young: 2.0e4, poisson: 0.3, density: 1000}}\n"                          \
      "meshes:\n  cube: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}\n"                 \
      "  ball: {sphere: {radius: 0.06, resolution: 0.05}}\n  sheet: {grid: {size: [0.3, 0.3], cells: [6, " \
      "6]}}\n"                                                                                             \
      "bodies:\n  - {name: cube, type: deformable, mesh: cube, material: m, position: [0, 0.02, 0.07], "   \
      "velocity: "                                                                                         \
      "[0, 0, -0.4], angular_velocity: [1, 2, 3]}\n"                                                       \
      "  - {name: ball, type: deformable, mesh: ball, material: m, position: [0.02, 0, -0.08], velocity: " \
      "[0, 0, 0.5]}\n"                                                                                     \
      "  - {name: sheet, type: shell, mesh: sheet, material: m, thickness: 0.002}\ncontact: {friction: 0}\n"

static void conserve(FILE *rows, const char *sets)
{
    flow f = flow_open(1, CROWD, sets);
    brn_report r = {0};
    double worst[3] = {0};
    int contacts = 0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        worst[0] = fmax(worst[0], r.momentum_error);
        worst[1] = fmax(worst[1], r.angular_momentum_error);
        worst[2] = fmax(worst[2], fabs(r.energy_error));
        contacts += r.contacts;
        assert_int_equal(r.intersections, 0);
    }
    assert_true(contacts > 100);
    validation_row(rows, "momentum", 0.0, worst[0], worst[0], "shell, tets and hexes in contact");
    validation_row(rows, "angular momentum", 0.0, worst[1], worst[1], sets);
    validation_row(rows, "energy, largest deviation", 0.0, worst[2], worst[2], sets);
    assert_true(worst[0] < 1e-13 && worst[1] < 1e-13); /* rounding of some 1e5 impulses */
    assert_true(worst[2] < 5e-3);                      /* what the prototype of the design reached */
    flow_close(&f);
}

static void test_conservation(void **state)
{
    conserve(*state, "method.schedule=levels");
    conserve(*state, "method.schedule=exact");
    conserve(*state, "method.schedule=synchronous");
}

/* Forwards, velocities turned round, and back again: steps of the scene are multiples of all steps, so that the flow is symmetric. */
static void test_reversal(void **state)
{
    FILE *rows = *state;
    flow f = flow_open(1, CHIPS, NULL);
    brn_report r;
    double start[3 * NODES];
    double x[3 * NODES];
    double v[3 * NODES];
    int contacts = 0;
    memcpy(start, brn_sim_positions(f.sim), sizeof start);
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < 32; ++k) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            contacts += r.contacts;
        }
        memcpy(x, brn_sim_positions(f.sim), sizeof x);
        memcpy(v, brn_sim_velocities(f.sim), sizeof v);
        for (int i = 0; i < 3 * NODES; ++i) {
            v[i] = -v[i];
        }
        assert_done(f.ctx, brn_sim_edit(f.sim, x, v));
    }
    double worst = 0.0;
    for (int i = 0; i < 3 * NODES; ++i) {
        worst = fmax(worst, fabs(x[i] - start[i]));
    }
    assert_true(contacts > 10);
    validation_row(rows, "there and back again [m]", 0.0, worst, worst,
                   "0.25 s each way, through a collision");
    assert_true(worst < 6e-13); /* rounding, grown by what the collision stretches */
    flow_close(&f);
}

/* Over more than 5e5 of the shortest steps, and hundreds of bounces; slow_acm_layers goes on from there. */
static void test_long(void **state)
{
    static const char *const layers[] = {"cubic", "quadratic"};
    for (int k = 0; k < BRN_COUNT(layers); ++k) {
        int bounces;
        double steps;
        const double worst = bounce(*state, layers[k], 100.0, &bounces, &steps);
        assert_true(bounces > 100 && steps > 5e5);
        assert_true(worst < 5e-3); /* what the prototype of the design reached */
    }
}

/* A ramp of a few steps of the elements: what loads and gravity have done is in places as well, in a run that is over soon. */
#define RAMP                                                                                                 \
 HEAD "time: {step: 2.7e-6, end: 2.7e-5}\n"                                                                  \
      "materials: {m: {type: stvk, young: 2.5e6, poisson: 0, density: 6112}}\n"                              \
      "meshes: {drum: {lathe: {profile: [[0, -1e-3], [1.5e-3, 0], [0, 1e-3]], segments: 8}}}\n"              \
      "bodies: [{name: drum, type: shell, mesh: drum, material: m, thickness: 5.5e-5, weave: {warp: "        \
      "6.1e+07, "                                                                                            \
      "weft: 3.0e+07, shear: 6.1e+06}}]\n"                                                                   \
      "loads: [{body: drum, where: {all: true}, force: [0.0016, -0.0005, 0.0054], ramp: {from: 2.7e-6, to: " \
      "1.6e-5}}]\n"

static void test_short_run(void **state)
{
    flow f = flow_open(1, RAMP, NULL);
    brn_report r;
    double worst = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        worst = fmax(worst, fabs(r.energy_error));
    }
    validation_row(*state, "energy, a run of 57 steps of elements with a ramp", 0.0, worst, worst,
                   "of that there is");
    assert_true(worst < 5e-3); /* as that of conservation; 0.29 if they act every eighth step */
    flow_close(&f);
}

/* ---- the same motion -------------------------------------------------------------------------------------------------------------- */

static void run_to(flow *f, double end, double *x, size_t count)
{
    brn_report r;
    while (brn_sim_time(f->sim) < end * (1.0 - 1e-9)) {
        assert_done(f->ctx, brn_sim_step(f->sim, &r));
    }
    memcpy(x, brn_sim_positions(f->sim), count * sizeof *x);
}

/* Threads, how often states are written, a checkpoint in the middle of a window: not a bit changes. */
static void same_bits(const char *schedule)
{
    static const char *const steps[] = {"0.00390625", "0.001953125", "0.015625"};
    enum { MOST = 3 * 400 };
    static double x[4][MOST];
    char sets[100];
    size_t count = 0;
    for (int k = 0; k < 3; ++k) {
        (void)snprintf(sets, sizeof sets, "method.schedule=%s;time.step=%s", schedule, steps[k]);
        flow f = flow_open(k == 1 ? 2 : 1, CROWD, sets);
        count = 3 * (size_t)flow_nodes(&f);
        assert_true(count <= MOST);
        run_to(&f, 0.1875, x[k], count);
        flow_close(&f);
        assert_memory_equal(x[k], x[0], count * sizeof *x[0]);
    }
    (void)snprintf(sets, sizeof sets, "method.schedule=%s;time.step=0.003", schedule);
    flow f = flow_open(1, CROWD, sets);
    run_to(&f, 0.06, x[1], count);
    assert_done(f.ctx, brn_sim_save(f.sim, "acm-checkpoint.h5"));
    run_to(&f, 0.15, x[1], count);
    const uint64_t hash = brn_sim_hash(f.sim);
    assert_done(f.ctx, brn_sim_load(f.sim, "acm-checkpoint.h5"));
    run_to(&f, 0.15, x[2], count);
    assert_memory_equal(x[1], x[2], count * sizeof *x[1]);
    assert_int_equal(hash, brn_sim_hash(f.sim));
    (void)remove("acm-checkpoint.h5");
    flow_close(&f);
}

static void test_same_bits(void **state)
{
    (void)state;
    same_bits("levels");
    same_bits("exact");
}

/* A ball and a wall. */
#define BALL                                                                                            \
 HEAD "gravity: [0, 0, 0]\ntime: {step: 0.001, end: 0.01}\n"                                            \
      "materials: {m: {type: stable_neo_hookean, young: 1.0e6, poisson: 0.3, density: 1000}}\n"         \
      "meshes: {ball: {sphere: {radius: 0.05, resolution: 0.04}}}\n"                                    \
      "bodies:\n  - {name: ball, type: deformable, mesh: ball, material: m, position: [0, 0, 0.052]}\n" \
      "  - {name: wall, type: static, shape: {plane: {normal: [0, 0, 1]}}}\ncontact: {friction: 0.2}\n"

/* Windows that are proved afterwards and slabs that are watched all the time lead to the same motion: with friction, half-spaces that stand still, come
   nearer and turn, and either schedule. */
static void test_detectors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sets;
        double end;
    } cases[] = {
        {CROWD, "contact.friction=0.3;time.step=0.015625", 0.1875},
        {CROWD, "contact.friction=0.3;time.step=0.015625;method.schedule=exact", 0.1875},
        {BALL, "bodies[0].velocity=[0.5, 0, -3];bodies[0].angular_velocity=[0, 30, 0]", 0.01},
        {BALL, "bodies[1].motion={velocity: [0, 0, 0.5], angular_velocity: 20, about: {axis: [1, 0, 0]}}",
         0.01},
    };
    enum { MOST = 3 * 400 };
    static double x[2][MOST];
    for (int k = 0; k < BRN_COUNT(cases); ++k) {
        size_t count = 0;
        double touched = 0.0;
        for (int detector = 0; detector < 2; ++detector) {
            char sets[300];
            (void)snprintf(sets, sizeof sets, "%s;method.detector=%s", cases[k].sets,
                           detector == 0 ? "window" : "kds");
            flow f = flow_open(1, cases[k].text, sets);
            brn_report r = {0};
            count = 3 * (size_t)flow_nodes(&f);
            assert_true(count <= MOST);
            while (brn_sim_time(f.sim) < cases[k].end * (1.0 - 1e-9)) {
                assert_done(f.ctx, brn_sim_step(f.sim, &r));
                touched = fmax(touched, r.own[2]);
            }
            memcpy(x[detector], brn_sim_positions(f.sim), count * sizeof *x[0]);
            flow_close(&f);
        }
        assert_true(touched >= 1.0);
        assert_memory_equal(x[0], x[1], count * sizeof *x[0]);
    }
}

/* ---- fewer evaluations ------------------------------------------------------------------------------------------------------------ */

/* A strip of COLUMNS columns of triangles, FINE of them shrinking to a hundredth of the others' width. */
enum { COLUMNS = 160, FINE = 16, ROWS = 3 };

static void write_strip(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file,
                  "# vtk DataFile Version 3.0\nstrip\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
                  (COLUMNS + 1) * (ROWS + 1));
    double x = 0.0;
    for (int i = 0; i <= COLUMNS; ++i) {
        for (int j = 0; j <= ROWS; ++j) {
            (void)fprintf(file, "%.17g %g 0\n", x, 0.01 * j);
        }
        x += 0.01 * (i < FINE ? pow(100.0, (double)(i - FINE + 1) / (FINE - 1)) : 1.0);
    }
    const int count = 2 * COLUMNS * ROWS;
    (void)fprintf(file, "CELLS %d %d\n", count, 4 * count);
    for (int i = 0; i < COLUMNS; ++i) {
        for (int j = 0; j < ROWS; ++j) {
            const int a = i * (ROWS + 1) + j;
            const int b = a + ROWS + 1;
            (void)fprintf(file, "3 %d %d %d\n3 %d %d %d\n", a, b, b + 1, a, b + 1, a + 1);
        }
    }
    (void)fprintf(file, "CELL_TYPES %d\n", count);
    for (int i = 0; i < count; ++i) {
        (void)fprintf(file, "5\n");
    }
    assert_int_equal(fclose(file), 0);
}

#define STRIP                                                                                     \
 HEAD "dimension: 2\ngravity: [0, 0]\ntime: {step: 1.0e-3, end: 4.0e-3}\n"                        \
      "materials: {m: {type: stvk, young: 1.0e6, poisson: 0.3, density: 1000}}\n"                 \
      "meshes: {strip: {file: acm-strip.vtk}}\n"                                                  \
      "bodies:\n  - {name: strip, type: deformable, mesh: strip, material: m, velocity: [0, 0], " \
      "angular_velocity: 3}\ncontact: {friction: 0}\n"

/* Where a mesh is finer in one place, the rest need not follow. */
static void test_fewer_evaluations(void **state)
{
    static const char *const sets[] = {"method.schedule=synchronous", "method.schedule=levels",
                                       "method.schedule=exact"};
    FILE *rows = *state;
    double events[3] = {0.0, 0.0, 0.0};
    double x[3][3];
    write_strip("acm-strip.vtk");
    for (int k = 0; k < 3; ++k) {
        flow f = flow_open(1, STRIP, sets[k]);
        brn_report r;
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            events[k] += r.own[0];
        }
        memcpy(x[k], &brn_sim_positions(f.sim)[3 * (size_t)(flow_nodes(&f) - 1)], sizeof x[k]);
        flow_close(&f);
        validation_row(rows, "events of a graded strip, synchronous over", NAN, events[0] / events[k], NAN,
                       sets[k]);
        assert_near(x[k][0], x[0][0], 1e-5);
        assert_near(x[k][1], x[0][1], 1e-5);
    }
    assert_true(events[0] >= 8.0 * events[1] && events[0] >= 8.0 * events[2]);
    (void)remove("acm-strip.vtk");
}

/* ---- nothing meets ---------------------------------------------------------------------------------------------------------------- */

/* A state after every shortest step has all breakpoints of the motion, whatever windows were; every pair of a point and an edge of two bodies is then
   looked at by CCD over each of them. */
static void test_certified(void **state)
{
    (void)state;
    flow f = flow_open(1, CHIPS, "method.stiffness=2;time.step=0.00048828125");
    double before[3 * NODES];
    brn_report r = {0};
    int checked = 0;
    while (brn_sim_time(f.sim) < 0.45) {
        memcpy(before, brn_sim_positions(f.sim), sizeof before);
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        const double *after = brn_sim_positions(f.sim);
        for (int p = 0; p < NODES; ++p) {
            const int other = p < NODES / 2 ? NODES / 2 : 0;
            for (int e = 0; e < 6; ++e) { /* all pairs of nodes of the other body: sides and diagonals */
                static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}};
                const int node[3] = {p, other + ends[e][0], other + ends[e][1]};
                double x0[3][3];
                double x1[3][3];
                for (int k = 0; k < 3; ++k) {
                    memcpy(x0[k], &before[3 * node[k]], sizeof x0[k]);
                    memcpy(x1[k], &after[3 * node[k]], sizeof x1[k]);
                }
                assert_true(brn_ccd_point_edge((const double(*)[3])x0, (const double(*)[3])x1, 0.0, 1e-3,
                                               1.0) >= 1.0);
                ++checked;
            }
        }
        assert_int_equal(r.intersections, 0);
    }
    assert_true(checked > 10000);
    flow_close(&f);
}

static double foreseen(const brn_prediction *p, const char *name)
{
    for (int i = 0; i < p->line_count; ++i) {
        if (strcmp(p->line[i].name, name) == 0) {
            return p->line[i].hi;
        }
    }
    return NAN;
}

/* At any speed the run ends and nothing has passed; the ball, which gets there within the run's first tenth, is bounced off as long as it is not crushed; layers and
   events are those that the depth law foresees, as near as for random impacts (test_acm_predict). */
static void test_any_speed(void **state)
{
    FILE *rows = *state;
    for (int k = -3; k <= 4; ++k) {
        char sets[300];
        const double speed = pow(10.0, k);
        const double gap = fmin(2e-3, 2e-3 * speed); /* the ball's own vibrations take some ms */
        const double end =
            fmin(0.02,
                 12e-3 / speed); /* crushed at once: until what follows would have passed six times the gap */
        (void)snprintf(
            sets, sizeof sets,
            "bodies[0].velocity=[0, 0, %.9g];bodies[0].position=[0, 0, %.9g];time.step=%.9g;time.end=%.9g",
            -speed, 0.05 + gap, end / 8.0, end);
        flow f = flow_open(1, BALL, sets);
        brn_prediction p;
        assert_done(f.ctx, brn_model_predict(f.ctx, f.model, &p));
        const double layer = foreseen(&p, "acm.deepest");
        const double count = foreseen(&p, "acm.events") + foreseen(&p, "acm.contact_events");
        brn_report r = {0};
        double events = 0.0;
        double deepest = 0.0;
        double away = 0.0;
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            assert_int_equal(r.intersections, 0);
            assert_true(r.gap_min > 0.0);
            events += r.own[0] + r.own[1];
            deepest = fmax(deepest, r.own[2]);
            assert_true(fabs(r.energy_error) < 5e-3);
        }
        for (int a = 0; a < flow_nodes(&f); ++a) {
            away += f.model->node_mass[a] * brn_sim_velocities(f.sim)[3 * a + 2];
        }
        assert_true(deepest >= 1.0);
        assert_true(speed > 1.0 || away > 0.0);
        assert_true(fabs(log(deepest / layer)) < log(4.0) && fabs(log(events / count)) < log(20.0));
        char note[120];
        (void)snprintf(note, sizeof note, "%.3g foreseen; deepest layer %g, %g foreseen; energy off by %.1e",
                       count, deepest, layer, fabs(r.energy_error));
        char what[60];
        (void)snprintf(what, sizeof what, "events of a collision at %g m/s", speed);
        validation_row(rows, what, NAN, events, NAN, note);
        flow_close(&f);
    }
}

/* What is held on both sides cannot be kept apart: a motion that would take one into the other ends the run, and says which. */
static void test_driven_into(void **state)
{
    (void)state;
    static const char *const floors[] = {"plane: {normal: [0, 0, 1]}", "box: {size: [1, 1, 0.002]}"};
    for (int k = 0; k < BRN_COUNT(floors); ++k) {
        char text[900];
        (void)snprintf(text, sizeof text,
                       HEAD
                       "gravity: [0, 0, 0]\ntime: {step: 0.01, end: 0.1}\n"
                       "materials: {m: {type: stvk, young: 1e4, poisson: 0.3, density: 1000}}\n"
                       "meshes: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1], element: hex8}}}\n"
                       "bodies:\n  - {name: cube, type: deformable, mesh: cube, material: m, position: "
                       "[0, 0, 0.055]}\n"
                       "  - {name: floor, type: static, shape: {%s}}\n"
                       "fixed: [{body: cube, where: {face: -z}, motion: {velocity: [0, 0, -0.1], "
                       "angular_velocity: 0.1, about: {axis: [1, 0, 0]}}}]\n",
                       floors[k]);
        flow f = flow_open(1, text, NULL);
        brn_report r = {0};
        brn_status status = BRN_OK;
        while (!brn_sim_done(f.sim) && status >= 0) {
            status = brn_sim_step(f.sim, &r);
        }
        assert_int_equal(status, BRN_ERR_CONVERGENCE);
        assert_non_null(strstr(brn_ctx_message(f.ctx), "'cube'"));
        assert_non_null(strstr(brn_ctx_message(f.ctx), "'floor'"));
        flow_close(&f);
    }
}

/* A block of a few elements that lies down on a box across a gap of a ten thousandth of its edges, so that layers are thin and act often. */
#define LAID                                                                                        \
 HEAD "time: {step: 0.007, end: 0.021}\n"                                                           \
      "materials: {m: {type: neo_hookean, young: 1.5e5, poisson: 0.02, density: 9000}}\n"           \
      "meshes: {block: {box: {size: [0.016, 0.008, 0.007], cells: [3, 1, 2], element: hex8}}}\n"    \
      "bodies:\n  - {name: block, type: deformable, mesh: block, material: m, position: [0, 0, "    \
      "0.0035015]}\n"                                                                               \
      "  - {name: floor, type: static, shape: {box: {size: [0.05, 0.05, 0.02]}}, position: [0, 0, " \
      "-0.01]}\ncontact: {friction: 0.4, restitution: 0.1}\n"

/* Restitution takes no more than there is: of what rests, and where layers are given stiff or act often. */
static void test_restitution_books(void **state)
{
    static const char *const sets[] = {"method.layers=cubic", "method.layers=quadratic",
                                       "method.schedule=exact",
                                       "method.layers=quadratic;method.step=2e-7;method.thickness=1e-6",
                                       "method.layers=quadratic;method.stiffness=1e7;method.thickness=1e-6"};
    FILE *rows = *state;
    for (int k = 0; k < BRN_COUNT(sets); ++k) {
        flow f = flow_open(1, LAID, sets[k]);
        brn_report r = {0};
        double worst = 0.0;
        int contacts = 0;
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            worst = fmax(worst, fabs(r.energy_error));
            contacts += r.contacts;
        }
        assert_true(contacts > 10);
        assert_true(r.dissipated > 0.0);
        validation_row(rows, "energy, a block laid down, restitution 0.1", 0.0, worst, worst, sets[k]);
        assert_true(worst < 5e-3); /* as that of conservation */
        flow_close(&f);
    }
}

/* Stiffness and step from a hundredth to a hundred times what the method would choose, 1.5e4 N/m and 2e-5 s, thickness from a tenth of it to a little more than
   the gap at the start. A step that is too long for its stiffness is not taken: all runs end, and nothing has passed. */
static void test_any_layers(void **state)
{
    FILE *rows = *state;
    static const double thickness[] = {2e-4, 2.5e-3}, factor[] = {0.01, 1.0, 100.0};
    double worst = 0.0;
    for (int i = 0; i < 18; ++i) {
        char sets[300];
        (void)snprintf(sets, sizeof sets,
                       "bodies[0].velocity=[0.5, 0, "
                       "-3];method.thickness=%g;method.stiffness=%g;method.step=%g;time.end=0.002",
                       thickness[i % 2], 1.5e4 * factor[i / 2 % 3], 2e-5 * factor[i / 6]);
        flow f = flow_open(1, BALL, sets);
        brn_report r = {0};
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            assert_int_equal(r.intersections, 0);
            assert_true(r.gap_min > 0.0);
            worst = fmax(worst, fabs(r.energy_error));
        }
        flow_close(&f);
    }
    validation_row(rows, "energy, any layers, largest deviation", 0.0, worst, worst,
                   "stiffness and step over four decades, two thicknesses");
    assert_true(worst < 0.02); /* what makes a run suspect */
}

/* ---- exact answers ---------------------------------------------------------------------------------------------------------------- */

/* Two bars of length 10 and wave speed 1 meet at +-0.1: they stay together for 20, and then have exchanged their velocities. Their nodes move along them alone.
   Momentum is exchanged at the rate of 0.1 of the area: contact lasts from the first to the last state between which it is at a hundredth of that or more. */
#define BARS                                                                                  \
 HEAD "gravity: [0, 0, 0]\ntime: {step: 0.02, end: 24}\n"                                     \
      "materials: {m: {type: linear, young: 1, poisson: 0, density: 1}}\n"                    \
      "meshes: {bar: {box: {size: [10, 0.5, 0.5], cells: [100, 1, 1], element: hex8}}}\n"     \
      "bodies:\n  - {name: left, type: deformable, mesh: bar, material: m, position: "        \
      "[-5.005, 0, 0], velocity: [0.1, 0, 0]}\n"                                              \
      "  - {name: right, type: deformable, mesh: bar, material: m, position: [5.005, 0, 0], " \
      "velocity: [-0.1, 0, 0]}\n"                                                             \
      "fixed:\n  - {body: left, where: {all: true}, axes: yz}\n  - {body: right, where: "     \
      "{all: true}, axes: yz}\n"                                                              \
      "contact: {friction: 0, self: false}\n"

typedef struct bars_end {
    double lasted, after, energy; /* [s], [m/s], largest deviation */
} bars_end;

static bars_end run_bars(int cells)
{
    static const double RATE = 0.01; /* [m/s^2] stress 0.1 on an area 0.25, mass 2.5 */
    char set[80];
    (void)snprintf(set, sizeof set, "meshes.bar.box.cells=[%d, 1, 1]", cells);
    flow f = flow_open(1, BARS, set);
    const int half = flow_nodes(&f) / 2;
    brn_report r = {0};
    bars_end end = {.after = 0.1};
    double began = NAN;
    while (!brn_sim_done(f.sim)) {
        const double before = end.after;
        double momentum = 0.0;
        double mass = 0.0;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        for (int a = 0; a < half; ++a) {
            momentum += f.model->node_mass[a] * brn_sim_velocities(f.sim)[3 * a];
            mass += f.model->node_mass[a];
        }
        end.after = momentum / mass;
        end.energy = fmax(end.energy, fabs(r.energy_error));
        if (fabs(end.after - before) > 0.01 * RATE * f.model->step) {
            began = isnan(began) ? brn_sim_time(f.sim) - f.model->step : began;
            end.lasted = brn_sim_time(f.sim) - began;
        }
    }
    flow_close(&f);
    return end;
}

static void test_two_bars(void **state)
{
    FILE *rows = *state;
    static const int cells[] = {40, 80, 160};
    double before = INFINITY;
    for (int k = 0; k < BRN_COUNT(cells); ++k) {
        const bars_end end = run_bars(cells[k]);
        const double error[2] = {fabs(end.lasted - 20.0) / 20.0, fabs(end.after + 0.1) / 0.1};
        char note[40];
        (void)snprintf(note, sizeof note, "%d cells each", cells[k]);
        validation_row(rows, "two bars: time in contact [s]", 20.0, end.lasted, error[0], note);
        validation_row(rows, "two bars: velocity after [m/s]", -0.1, end.after, error[1], note);
        validation_row(rows, "two bars: energy, largest deviation", 0.0, end.energy, end.energy, note);
        assert_true(error[0] < 0.01 && error[1] < before);
        before = error[1];
    }
    assert_true(before < 0.01);
}

static int open_rows(void **state)
{
    *state = validation_open("acm", "Asynchronous contact (`acm`)",
                             "What the method promises, measured with default settings. The symplectic form "
                             "by central differences of the whole flow (tolerance 5e-8: "
                             "rounding of the differences); momenta to rounding; energy "
                             "within 0.5 %; two bars within 1 %.");
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
        cmocka_unit_test(test_symplectic),
        cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_reversal),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_fewer_evaluations),
        cmocka_unit_test(test_detectors),
        cmocka_unit_test(test_certified),
        cmocka_unit_test(test_any_speed),
        cmocka_unit_test(test_driven_into),
        cmocka_unit_test(test_restitution_books),
        cmocka_unit_test(test_any_layers),
        cmocka_unit_test(test_two_bars),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_short_run),
    };
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
