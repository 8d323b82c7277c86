/* A scene written in a test, compiled and ready to step, and the small numerics that the validation programs share. */
#ifndef BRN_TESTS_VALIDATE_STAGE_H
#define BRN_TESTS_VALIDATE_STAGE_H

#include "test.h"

#include "base/ctx.h"
#include "linalg/modes.h"
#include "step/sim.h"

typedef struct stage {
    brn_ctx *ctx;
    brn_scene *scene;
    brn_model *model;
    brn_sim *sim;
} stage;

/* Takes a text made by open_memstream and frees it. */
static inline void stage_open_text(stage *s, char *text)
{
    s->ctx = test_ctx(1);
    s->scene = NULL;
    s->model = NULL;
    s->sim = NULL;
    const brn_status parsed = brn_scene_parse(s->ctx, text, strlen(text), "scene", &s->scene);
    const brn_status compiled = parsed < 0 ? parsed : brn_model_compile(s->ctx, s->scene, &s->model);
    for (int i = 0; compiled < 0 && s->scene != NULL && i < brn_scene_problem_count(s->scene); ++i) {
        print_error("%s\n", brn_scene_problem(s->scene, i));
    }
    free(text);
    assert_done(s->ctx, compiled);
    assert_done(s->ctx, brn_sim_create(s->ctx, s->model, &s->sim));
}

static inline void __attribute__((format(printf, 2, 3))) stage_open(stage *s, const char *format, ...)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    va_list list;
    va_start(list, format);
    vfprintf(file, format, list);
    va_end(list);
    fclose(file);
    stage_open_text(s, text);
}

static inline void stage_close(stage *s)
{
    brn_sim_destroy(s->sim);
    brn_model_destroy(s->model);
    brn_scene_destroy(s->scene);
    brn_ctx_destroy(s->ctx);
}

static inline brn_report stage_step(stage *s)
{
    brn_report report;
    assert_done(s->ctx, brn_sim_step(s->sim, &report));
    return report;
}

/* Steps to the scene's end; the last report. */
static inline brn_report stage_run(stage *s)
{
    brn_report report = {0};
    while (!brn_sim_done(s->sim)) {
        report = stage_step(s);
    }
    return report;
}

static inline brn_report stage_report(stage *s)
{
    brn_report report = {0};
    assert_done(s->ctx, brn_sim_report(s->sim, &report));
    return report;
}

/* Sum of the reactions of a hold along the axes that it holds, [N]. */
static inline void stage_hold_force(const stage *s, const char *name, double force[3])
{
    memset(force, 0, 3 * sizeof *force);
    for (int n = 0; n < s->model->nhold; ++n) {
        const brn_hold *hold = &s->model->hold[n];
        for (int k = 0; k < hold->nnode && strcmp(hold->name, name) == 0; ++k) {
            for (int i = 0; i < 3; ++i) {
                force[i] += (hold->axes >> i & 1u) ? s->sim->state->node_react[3 * hold->node[k] + i] : 0.0;
            }
        }
    }
}

/* Moves every node to x = F (X - centre) + centre, with velocity v + omega x (x - centre). */
static inline void stage_place(stage *s, const double f[3][3], const double velocity[3],
                               const double omega[3])
{
    const int n = s->model->nnode;
    double centre[3] = {0.0, 0.0, 0.0};
    double mass = 0.0;
    for (int a = 0; a < n; ++a) {
        mass += s->model->node_mass[a];
        for (int i = 0; i < 3; ++i) {
            centre[i] += s->model->node_mass[a] * s->model->rest[a][i];
        }
    }
    double(*x)[3] = calloc((unsigned)n, sizeof *x);
    double(*v)[3] = calloc((unsigned)n, sizeof *v);
    assert_non_null(x);
    assert_non_null(v);
    for (int a = 0; a < n; ++a) {
        double r[3];
        for (int i = 0; i < 3; ++i) {
            r[i] = 0.0;
            for (int j = 0; j < 3; ++j) {
                r[i] += f[i][j] * (s->model->rest[a][j] - centre[j] / mass);
            }
            x[a][i] = centre[i] / mass + r[i];
        }
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            v[a][i] = velocity[i] + omega[j] * r[k] - omega[k] * r[j];
        }
    }
    assert_done(s->ctx, brn_sim_edit(s->sim, &x[0][0], &v[0][0]));
    free(x);
    free(v);
}

/* Lowest modes of the model at rest: K x = omega^2 M x. */
static inline brn_modes *stage_modes(stage *s, int count)
{
    brn_system *system = s->sim->system;
    brn_block_matrix *mass = NULL;
    brn_modes *modes = NULL;
    brn_block_matrix_zero(system->matrix);
    assert_done(s->ctx, brn_system_elastic(system, &s->model->rest[0][0], BRN_TANGENT_EXACT, NULL, NULL,
                                           system->matrix));
    assert_done(s->ctx, brn_block_matrix_copy(system->matrix, &mass));
    brn_block_matrix_zero(mass);
    brn_system_mass_add(system, 1.0, mass);
    assert_done(s->ctx, brn_modes_find(s->ctx, system->matrix, mass, s->model->fixed, count, 1e-10, &modes));
    brn_block_matrix_destroy(mass);
    return modes;
}

/* Highest angular frequency at rest [rad/s]. */
static inline double stage_omega_max(stage *s)
{
    double stable = 0.0;
    double resolving = 0.0;
    assert_done(s->ctx, brn_model_estimate_steps(s->ctx, s->model, &stable, &resolving));
    return 2.0 / stable;
}

/* Least squares line y = offset + slope t through n points; returns the slope. */
static inline double fit_line(const double *t, const double *y, int n, double *offset)
{
    double st = 0.0, sy = 0.0, stt = 0.0, sty = 0.0;
    for (int i = 0; i < n; ++i) {
        st += t[i];
        sy += y[i];
    }
    for (int i = 0; i < n; ++i) {
        stt += (t[i] - st / n) * (t[i] - st / n);
        sty += (t[i] - st / n) * (y[i] - sy / n);
    }
    *offset = sy / n - sty / stt * st / n;
    return sty / stt;
}

/* Order p from values q_i = limit + C h_i^p at h, h/2, h/4, and the limit. */
static inline double richardson(double coarse, double middle, double fine, double *limit)
{
    const double ratio = (coarse - middle) / (middle - fine);
    *limit = fine - (middle - fine) / (ratio - 1.0);
    return log2(ratio);
}

/* A zero of f between lo and hi, where its signs differ, to the last bit. */
static inline double bisect(double (*f)(double, void *), void *arg, double lo, double hi)
{
    const double at_lo = f(lo, arg);
    assert_true(at_lo * f(hi, arg) <= 0.0);
    for (int k = 0; k < 200; ++k) {
        const double middle = 0.5 * (lo + hi);
        if (at_lo * f(middle, arg) > 0.0) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return 0.5 * (lo + hi);
}

#endif
