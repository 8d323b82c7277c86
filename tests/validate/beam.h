/* The beam of the cantilever tests: 50 x 5 x 5 mm, E = 1.66 GPa, Poisson's ratio 0, density 1205 kg/m^3, clamped at -x. */
#ifndef BRN_TESTS_VALIDATE_BEAM_H
#define BRN_TESTS_VALIDATE_BEAM_H

#include "rows.h"
#include "stage.h"

static const double BEAM_LENGTH = 0.05, BEAM_SIDE = 0.005, BEAM_YOUNG = 1.66e9, BEAM_DENSITY = 1205.0;
static const double BEAM_LOAD = 1e-3; /* [N] at the tip, spread over its face */
enum { BEAM_MODES = 3 };

/* ---- Timoshenko's beam ----------------------------------------------------------------------------------------------- */

/* With w'' and the angle of the cross-section psi:  kGA (w'' - psi') = -rho A omega^2 w,
   EI psi'' + kGA (w' - psi) = -rho I omega^2 psi,  w = psi = 0 at 0,  psi' = 0 and w' = psi at L; k = 5/6 (a rectangle with
   Poisson's ratio 0 [Cowper 1966]), G = E/2. As a first-order system y' = A y its transfer matrix is the exponential
   of A L; frequencies are zeros of the determinant of the 2x2 block that maps the clamp's unknowns to the tip's forces. */
static inline double beam_determinant(double hertz, void *unused)
{
    (void)unused;
    const double area = BEAM_SIDE * BEAM_SIDE, inertia = area * area / 12.0;
    const double shear = 5.0 / 6.0 * 0.5 * BEAM_YOUNG * area, bending = BEAM_YOUNG * inertia;
    const double w2 = pow(2.0 * 3.14159265358979323846 * hertz, 2);
    /* In units of the length and of bending/length^2: y = (w/L, psi, Q, M), Q = kGA (w' - psi), M = EI psi'. */
    const double l = BEAM_LENGTH, unit = bending / (l * l);
    const double a[4][4] = {{0.0, 1.0, unit / shear, 0.0},
                            {0.0, 0.0, 0.0, 1.0},
                            {-BEAM_DENSITY * area * w2 * l * l / unit, 0.0, 0.0, 0.0},
                            {0.0, -BEAM_DENSITY * inertia * w2 / unit, -1.0, 0.0}};
    /* exp(a) = (exp(a/1024))^1024, the small one by its series. */
    double e[4][4], term[4][4], next[4][4];
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            e[i][j] = term[i][j] = i == j;
        }
    }
    for (int n = 1; n <= 20; ++n) {
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                next[i][j] = 0.0;
                for (int k = 0; k < 4; ++k) {
                    next[i][j] += term[i][k] * a[k][j] / (1024.0 * n);
                }
            }
        }
        memcpy(term, next, sizeof term);
        for (int i = 0; i < 16; ++i) {
            (&e[0][0])[i] += (&term[0][0])[i];
        }
    }
    for (int n = 0; n < 10; ++n) {
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                next[i][j] = e[i][0] * e[0][j] + e[i][1] * e[1][j] + e[i][2] * e[2][j] + e[i][3] * e[3][j];
            }
        }
        memcpy(e, next, sizeof e);
    }
    return e[2][2] * e[3][3] - e[2][3] * e[3][2];
}

/* The first three bending frequencies [Hz]. */
static inline void beam_timoshenko(double hertz[BEAM_MODES])
{
    hertz[0] = bisect(beam_determinant, NULL, 350.0, 400.0);
    hertz[1] = bisect(beam_determinant, NULL, 2200.0, 2350.0);
    hertz[2] = bisect(beam_determinant, NULL, 5900.0, 6200.0);
}

/* Tip deflection [m] under the tip load: bending and shear. */
static inline double beam_deflection(void)
{
    const double area = BEAM_SIDE * BEAM_SIDE, inertia = area * area / 12.0;
    return BEAM_LOAD * pow(BEAM_LENGTH, 3) / (3.0 * BEAM_YOUNG * inertia) +
           BEAM_LOAD * BEAM_LENGTH / (5.0 / 6.0 * 0.5 * BEAM_YOUNG * area);
}

/* Determinant of the two equations for w ~ sin(pi x/L), psi ~ cos(pi x/L): hinged ends. */
static inline double beam_hinged_determinant(double hertz, void *unused)
{
    (void)unused;
    const double area = BEAM_SIDE * BEAM_SIDE, inertia = area * area / 12.0,
                 k = 3.14159265358979323846 / BEAM_LENGTH;
    const double shear = 5.0 / 6.0 * 0.5 * BEAM_YOUNG * area, bending = BEAM_YOUNG * inertia;
    const double w2 = pow(2.0 * 3.14159265358979323846 * hertz, 2);
    return (BEAM_DENSITY * area * w2 - shear * k * k) *
               (BEAM_DENSITY * inertia * w2 - bending * k * k - shear) -
           shear * k * shear * k;
}

/* ---- the finite elements ----------------------------------------------------------------------------------------------- */

/* 10 n x n x n cells. hinged: both ends keep y and z only (a sine wave has no edge singularity there). */
static inline void beam_open(stage *s, const char *element, int n, const char *integrator, bool hinged)
{
    stage_open(
        s,
        "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 1, end: 1}\nmethod: {type: none, tolerance: 1.0e-12}\n"
        "integrator: %s\n"
        "materials: {m: {type: linear, young: %g, poisson: 0, density: %g}}\n"
        "meshes: {beam: {box: {size: [%g, %g, %g], cells: [%d, %d, %d], element: %s}}}\n"
        "bodies: [{name: b, type: deformable, mesh: beam, material: m}]\n"
        "fixed: [%s]\n"
        "loads: [{body: b, where: {face: +x}, traction: [0, 0, %.17g]}]\n",
        integrator, BEAM_YOUNG, BEAM_DENSITY, BEAM_LENGTH, BEAM_SIDE, BEAM_SIDE, 10 * n, n, n, element,
        hinged ? "{body: b, where: {face: -x}, axes: yz}, {body: b, where: {face: +x}, axes: yz}, "
                 "{body: b, where: {nearest: [0, 0, 0]}, axes: x}"
               : "{body: b, where: {face: -x}}",
        BEAM_LOAD / (BEAM_SIDE * BEAM_SIDE));
}

/* Is the mode's mean over the cross-sections a transverse motion? A twist or a stretch has none. */
static inline bool beam_is_bending(const stage *s, const double *shape)
{
    enum { SLICES = 64 };
    double mean[SLICES][3] = {{0.0}};
    double mass[SLICES] = {0.0};
    double along = 0.0;
    double across = 0.0;
    double all = 0.0;
    for (int a = 0; a < s->model->nnode; ++a) {
        const double place = (s->model->rest[a][0] / BEAM_LENGTH + 0.5) * (SLICES - 1) + 0.5;
        const int slice = (int)fmin(fmax(place, 0.0), SLICES - 1);
        mass[slice] += s->model->node_mass[a];
        for (int i = 0; i < 3; ++i) {
            mean[slice][i] += s->model->node_mass[a] * shape[3 * a + i];
            all += s->model->node_mass[a] * shape[3 * a + i] * shape[3 * a + i];
        }
    }
    for (int k = 0; k < SLICES; ++k) {
        along += mass[k] > 0.0 ? mean[k][0] * mean[k][0] / mass[k] : 0.0;
        across += mass[k] > 0.0 ? (mean[k][1] * mean[k][1] + mean[k][2] * mean[k][2]) / mass[k] : 0.0;
    }
    return across > 0.5 * all && across > along;
}

/* The first bending frequencies [Hz]: means of the pairs that a square cross-section has (a mesh of tets is not quite
   symmetric and splits them a little). */
static inline void beam_frequencies(const char *element, int n, bool hinged, int count, double *hertz)
{
    stage s;
    beam_open(&s, element, n, "newmark", hinged);
    brn_modes *modes = stage_modes(&s, 12);
    int found = 0;
    for (int i = 0; i < modes->count && found < 2 * count; ++i) {
        if (beam_is_bending(&s, &modes->shape[(size_t)i * (size_t)modes->ndof])) {
            hertz[found / 2] =
                (found % 2 == 1 ? hertz[found / 2] : 0.0) + 0.5 * sqrt(modes->lambda[i]) / 6.283185307179586;
            ++found;
        }
    }
    assert_int_equal(found, 2 * count);
    brn_modes_destroy(modes);
    stage_close(&s);
}

/* Work-conjugate tip deflection under the spread load [m]: mean over the tip face, weighted as the load is. */
static inline double beam_tip(const char *element, int n)
{
    stage s;
    beam_open(&s, element, n, "static", false);
    stage_run(&s);
    const brn_load *load = &s.model->load[0];
    double work = 0.0;
    for (int k = 0; k < load->nnode; ++k) {
        work += load->force[3 * k + 2] *
                (brn_sim_positions(s.sim)[3 * load->node[k] + 2] - s.model->rest[load->node[k]][2]);
    }
    stage_close(&s);
    return work / BEAM_LOAD;
}

/* ---- convergence --------------------------------------------------------------------------------------------------------- */

typedef struct beam_case {
    const char *element;
    int n;                /* cells across the beam: n, 2n, 4n */
    double smooth;        /* order that theory gives for a smooth solution, 2 p */
    double low, high;     /* bounds of the order that is measured on the cantilever */
    double smooth_margin; /* of the order on the hinged beam */
} beam_case;

static inline void beam_row(FILE *rows, const beam_case *c, const char *what, const char *unit, double exact,
                            const double v[3], bool hinged)
{
    char quantity[128];
    char note[160];
    double limit = 0.0;
    const double order = richardson(v[0], v[1], v[2], &limit);
    (void)snprintf(quantity, sizeof quantity, "%s, %s: limit", c->element, what);
    (void)snprintf(note, sizeof note, "%s; %d to %d cells across: %.6g, %.6g, %.6g", unit, c->n, 4 * c->n,
                   v[0], v[1], v[2]);
    validation_row(rows, quantity, exact, limit, fabs(limit / exact - 1.0), note);
    (void)snprintf(quantity, sizeof quantity, "%s, %s: order", c->element, what);
    (void)snprintf(note, sizeof note,
                   hinged || c->smooth == 2.0 ? "" : "at least 2.7 at the clamped edge, 4 away from it");
    validation_row(rows, quantity, c->smooth, order, fabs(order - c->smooth), note);
    assert_near(limit, exact, 0.005 * exact);
    if (hinged) {
        assert_near(order, c->smooth, c->smooth_margin);
    } else {
        assert_true(order >= c->low && order <= c->high);
    }
}

static inline void beam_converge(FILE *rows, const beam_case *c)
{
    static const double stated[BEAM_MODES] = {376.74, 2274.8, 6039.7};
    static const char *const names[BEAM_MODES] = {"bending frequency 1", "bending frequency 2",
                                                  "bending frequency 3"};
    double exact[BEAM_MODES];
    double hertz[3][BEAM_MODES];
    double hinged[3];
    double stiffness[3];
    beam_timoshenko(exact);
    for (int k = 0; k < 3; ++k) {
        beam_frequencies(c->element, c->n << k, false, BEAM_MODES, hertz[k]);
        beam_frequencies(c->element, c->n << k, true, 1, &hinged[k]);
        stiffness[k] = BEAM_LOAD / beam_tip(c->element, c->n << k);
    }
    beam_row(rows, c, "tip stiffness", "N/m", BEAM_LOAD / beam_deflection(), stiffness, false);
    for (int m = 0; m < BEAM_MODES; ++m) {
        /* The figures that the project was given, to their last digit or two. */
        assert_near(exact[m], stated[m], 1e-4 * stated[m]);
        const double v[3] = {hertz[0][m], hertz[1][m], hertz[2][m]};
        beam_row(rows, c, names[m], "Hz", exact[m], v, false);
    }
    beam_row(rows, c, "hinged ends, frequency 1", "Hz", bisect(beam_hinged_determinant, NULL, 900.0, 1200.0),
             hinged, true);
}

#endif
