/* Small two-body drops over the whole range that method ipc must stand: a body falls, or is shot, on another one that is
   held at its foot. Whatever happens, no state has an intersection or an inverted element; a run that cannot go on says what
   to change and keeps what it has. */
#ifndef BRN_TESTS_FAULT_ROBUST_H
#define BRN_TESTS_FAULT_ROBUST_H

#include "flow.h"

#include "base/os.h"

typedef struct robust_case {
    int dim;
    int cells;    /* along an edge of a body */
    double young; /* [Pa] */
    double step;  /* [s] */
    double dhat;  /* of the scene's size */
    double speed; /* [m/s] */
} robust_case;

typedef struct robust_result {
    bool finished;
    int steps, substeps, iterations;
    double gap_min, seconds;
} robust_result;

enum { ROBUST_STEPS = 5 };

static const double robust_young[] = {5e3, 1e6, 1e8, 2e10};
static const double robust_step[] = {1e-5, 1e-3, 0.05, 1.0};
static const double robust_dhat[] = {1e-6, 1e-4, 1e-2};
static const double robust_speed[] = {0.0, 1.0, 30.0, 1000.0};
enum { ROBUST_CASES = 4 * 4 * 3 * 4 };

static inline robust_case robust_numbered(int dim, int i)
{
    return (robust_case){.dim = dim,
                         .cells = 2,
                         .young = robust_young[i % 4],
                         .step = robust_step[i / 4 % 4],
                         .dhat = robust_dhat[i / 16 % 3],
                         .speed = robust_speed[i / 48]};
}

static inline char *robust_text(const robust_case *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    const double dhat = 0.25 * c->dhat;
    const double place = 0.1 + 0.9 * dhat; /* within reach of the barrier from the start */
    fprintf(file, "brunt: 1\ndimension: %d\ntime: {step: %g, end: %g}\nmethod: {type: ipc, dhat: %g}\n",
            c->dim, c->step, ROBUST_STEPS * c->step, dhat);
    fprintf(file, "materials: {a: {type: neo_hookean, young: %g, poisson: 0.4, density: 1000}}\n", c->young);
    fprintf(file, "contact: {friction: 0.3}\n");
    if (c->dim == 2) {
        fprintf(file, "meshes: {m: {box: {size: [0.1, 0.1], cells: [%d, %d], element: tri3}}}\n", c->cells,
                c->cells);
        fprintf(
            file,
            "bodies:\n  - {name: foot, type: deformable, mesh: m, material: a}\n"
            "  - {name: head, type: deformable, mesh: m, material: a, position: [0.013, %.17g], velocity: "
            "[%g, %g]}\n",
            place, 0.1 * c->speed, -c->speed);
        fprintf(file, "fixed:\n  - {body: foot, where: {face: -y}}\n");
    } else {
        fprintf(file, "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [%d, %d, %d], element: tet4}}}\n",
                c->cells, c->cells, c->cells);
        fprintf(file,
                "bodies:\n  - {name: foot, type: deformable, mesh: m, material: a}\n"
                "  - {name: head, type: deformable, mesh: m, material: a, position: [0.013, 0.007, %.17g], "
                "velocity: [%g, 0, %g]}\n",
                place, 0.1 * c->speed, -c->speed);
        fprintf(file, "fixed:\n  - {body: foot, where: {face: -z}}\n");
    }
    fclose(file);
    return text;
}

static inline void robust_name(const robust_case *c, char *out, size_t room)
{
    (void)snprintf(out, room, "%dD, E %g Pa, h %g s, dhat %g, %g m/s", c->dim, c->young, c->step, c->dhat,
                   c->speed);
}

/* Runs one case; fails the test if a promise is broken. */
static inline robust_result robust_run(const robust_case *c)
{
    char name[160];
    robust_name(c, name, sizeof name);
    char *text = robust_text(c);
    flow f = flow_open(1, text, NULL);
    free(text);
    robust_result result = {.finished = true, .gap_min = INFINITY};
    const double started = brn_wall_time();
    while (!brn_sim_done(f.sim) && result.finished) {
        brn_report r;
        const uint64_t before = brn_sim_hash(f.sim);
        const brn_status status = brn_sim_step(f.sim, &r);
        if (status < 0) {
            const char *why = brn_ctx_message(f.ctx);
            if (brn_sim_hash(f.sim) != before || strstr(why, "try a smaller time.step") == NULL) {
                fail_msg("%s: stopped without keeping its state or saying what to change: %s", name, why);
            }
            result.finished = false;
            continue;
        }
        if (r.intersections != 0 || r.inversions != 0 || !(r.gap_min > 0.0)) {
            fail_msg("%s: step %lld has %d intersections, %d inversions, gap %g", name, (long long)r.step,
                     r.intersections, r.inversions, r.gap_min);
        }
        result.steps++;
        result.substeps += r.substeps;
        result.iterations += r.iterations;
        result.gap_min = fmin(result.gap_min, r.gap_min);
    }
    result.seconds = brn_wall_time() - started;
    if (!result.finished || result.substeps > result.steps) {
        print_message("%s: %s after %d steps in %d parts, %d iterations, gap %.2g m, %.2f s%s%s\n", name,
                      result.finished ? "done" : "STOPPED", result.steps, result.substeps, result.iterations,
                      result.gap_min, result.seconds, result.finished ? "" : ": ",
                      result.finished ? "" : brn_ctx_message(f.ctx));
    }
    flow_close(&f);
    return result;
}

#endif
