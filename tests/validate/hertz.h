/* A ball is pressed onto a flat obstacle, or onto its mirror image [Hertz 1881; Johnson 1985, Contact mechanics, ch. 4].

   A quarter of the lower half of the ball: its planes of symmetry are held, its equator moves down without shear, so this is
   a ball between two plates. Hertz's force 4/3 E* sqrt(R) delta^(3/2) takes the ball for a half-space, wrong by the order
   a/R; sphere_approach computes the ball's own approach, so that the discretisation is seen alone. The barrier keeps a gap:
   the indentation is the way of the equator beyond touching plus the gap (its mean, weighted by force; it lies within
   dhat). */
#ifndef BRN_TESTS_VALIDATE_HERTZ_H
#define BRN_TESTS_VALIDATE_HERTZ_H

#include "flow.h"

#include "step/ipc/ipc.h"
#include "step/sim.h"

static const double hertz_young = 1e8, hertz_poisson = 0.3, hertz_radius = 0.05; /* [Pa], [1], [m] */
/* The contact radius is a 50th of the ball's: 1 mm. */
static const double hertz_delta = 2e-5; /* [m] */

typedef struct hertz_case {
    int cells;           /* along the core, which is as long as the contact radius a: they are a/cells wide */
    double dhat;         /* [m] */
    const char *element; /* NULL: hex8 */
    /* NULL: half-space; "ball": the mirror image; else the pattern of a mesh's triangles */
    const char *obstacle;
    double finer; /* cells of the obstacle for each of the ball */
    bool plain;   /* convergent: false */
} hertz_case;

typedef struct hertz_result {
    double force;      /* [N] of the whole ball */
    double gap;        /* [m] mean, weighted by force */
    double contact;    /* [m] contact radius, from the second moment of the pressure: a^2 = 5/2 <r^2> */
    double to_hertz;   /* force over Hertz's at the indentation */
    double to_sphere;  /* force over the ball's */
    double pressure;   /* half-space: root mean square of p - p0 sqrt(1 - r^2/a^2) over p0 */
    double unbalanced; /* of contact and equator, relative */
    int contacts, iterations;
} hertz_result;

static inline double hertz_modulus(void)
{
    return hertz_young / (1.0 - hertz_poisson * hertz_poisson);
}

static inline double hertz_force(double delta)
{
    return 4.0 / 3.0 * hertz_modulus() * sqrt(hertz_radius) * delta * sqrt(delta);
}

/* ---- a ball under Hertz's pressure at both poles --------------------------------------------------------------------------- */

/* Radial and tangential displacement U P_n, V dP_n/dtheta of the surface of a ball of radius 1 under the tractions
   q P_n, t dP_n/dtheta: grad(r^n P_n) and r^2 grad(r^n P_n) + alpha x r^n P_n solve the equations inside [Love 1927, art. 172]. */
static inline void sphere_harmonic(int n, double q, double t, double *u, double *v)
{
    const double lambda = hertz_young * hertz_poisson / ((1.0 + hertz_poisson) * (1.0 - 2.0 * hertz_poisson));
    const double mu = 0.5 * hertz_young / (1.0 + hertz_poisson);
    if (n == 0) {
        *u = q / (3.0 * lambda + 2.0 * mu);
        *v = 0.0;
        return;
    }
    const double alpha = -2.0 * (n * lambda + (3.0 * n + 1.0) * mu) / ((n + 3.0) * lambda + (n + 5.0) * mu);
    const double a = 2.0 * mu * n * (n - 1.0);
    const double b = lambda * (2.0 * n + (n + 3.0) * alpha) + 2.0 * mu * (n + 1.0) * (n + alpha);
    const double c = 2.0 * mu * (n - 1.0);
    const double d = mu * (2.0 * n + alpha);
    const double det = a * d - b * c;
    const double first = (q * d - b * t) / det;
    const double second = (a * t - c * q) / det;
    *u = first * n + second * (n + alpha);
    *v = first + second;
}

/* Approach of a plate and the centre over a^2/R, Hertz's value, for a contact radius a [R = 1]: the displacement under Hertz's
   pressure (along the plate's normal), weighted as the pressure of a flat punch, which is right to first order in a. */
static inline double sphere_approach(double a)
{
    enum { POINTS = 400, ORDERS = 6000 };
    static double cosine[POINTS], sine[POINTS], pressure[POINTS], width[POINTS], weight[POINTS],
        before[POINTS], now[POINTS], down[POINTS];
    const double h = 0.5 * M_PI / POINTS;
    for (int j = 0; j < POINTS; ++j) {
        const double phi = (j + 0.5) * h; /* r = a sin phi */
        sine[j] = a * sin(phi);
        cosine[j] = sqrt(1.0 - sine[j] * sine[j]);
        pressure[j] = 2.0 / M_PI * hertz_modulus() * a * cos(phi);
        width[j] = a * cos(phi) / cosine[j] * h * sine[j];
        weight[j] = sin(phi) * h;
        before[j] = 0.0;
        now[j] = 1.0;
        down[j] = 0.0;
    }
    for (int n = 0; n < ORDERS; ++n) {
        double q = 0.0;
        double t = 0.0;
        double u = 0.0;
        double v = 0.0;
        for (int j = 0; j < POINTS && n % 2 == 0; ++j) { /* odd orders cancel between the poles */
            const double slope = n * (cosine[j] * now[j] - before[j]) / sine[j];
            q -= (2.0 * n + 1.0) * pressure[j] * cosine[j] * now[j] * width[j];
            t += n > 0 ? (2.0 * n + 1.0) / (n * (n + 1.0)) * pressure[j] * sine[j] * slope * width[j] : 0.0;
        }
        if (n % 2 == 0) {
            sphere_harmonic(n, q, t, &u, &v);
        }
        for (int j = 0; j < POINTS; ++j) {
            const double slope = n * (cosine[j] * now[j] - before[j]) / sine[j];
            down[j] += -u * now[j] * cosine[j] + v * slope * sine[j];
            const double next = ((2.0 * n + 1.0) * cosine[j] * now[j] - n * before[j]) / (n + 1.0);
            before[j] = now[j];
            now[j] = next;
        }
    }
    double sum = 0.0;
    double total = 0.0;
    for (int j = 0; j < POINTS; ++j) {
        sum += weight[j] * (down[j] + 1.0 - cosine[j]);
        total += weight[j];
    }
    return sum / total / (a * a);
}

/* The ball's force at an indentation. */
static inline double sphere_force(double delta)
{
    /* The factor changes slowly with a: twice is enough. */
    double factor = 1.0;
    for (int k = 0; k < 2; ++k) {
        factor = sphere_approach(sqrt(delta / factor / hertz_radius));
    }
    return hertz_force(delta / factor);
}

/* ---- the run --------------------------------------------------------------------------------------------------------------- */

static inline void hertz_scene(const hertz_case *c, char *text, size_t size)
{
    const double core = sqrt(hertz_radius * hertz_delta);
    const bool twin = c->obstacle != NULL && strcmp(c->obstacle, "ball") == 0;
    const int cells = (int)lround(c->finer * c->cells);
    char mesh[300] = "";
    char body[300] = "shape: {plane: {}}";
    char hold[500] = "";
    if (twin) {
        (void)snprintf(
            mesh, sizeof mesh,
            "  t: {quarter_ball: {radius: %.17g, core: %.17g, cells: %d, layers: %d, element: hex8}}\n",
            hertz_radius, core, cells, 4 * cells);
        /* (x, y, z) -> (y, x, -z) */
        (void)snprintf(
            body, sizeof body,
            "mesh: t, material: m, position: [0, 0, %.17g], rotation: {axis: [1, 1, 0], degrees: 180}",
            -hertz_radius);
        (void)snprintf(hold, sizeof hold,
                       "  - {body: table, where: {group: -y}, axes: x}\n"
                       "  - {body: table, where: {group: -x}, axes: y}\n"
                       "  - {body: table, where: {group: equator}, axes: z}\n");
    } else if (c->obstacle != NULL) {
        /* Five contact radii wide, turned so that no line of it meets one of the ball's. */
        const int across = (int)lround(5.0 * c->finer * c->cells);
        (void)snprintf(mesh, sizeof mesh,
                       "  t: {grid: {size: [%.17g, %.17g], cells: [%d, %d], pattern: %s}}\n", 5.0 * core,
                       5.0 * core, across, across, c->obstacle);
        (void)snprintf(body, sizeof body, "mesh: t, rotation: {degrees: 17}");
    }
    const double clear = 2.0 * c->dhat;
    (void)snprintf(
        text, size,
        "brunt: 1\ngravity: [0, 0, 0]\nintegrator: static\ntime: {step: 1, end: 1}\n"
        "method: {type: ipc, dhat: %.17g, kappa: 1e7, convergent: %s, tolerance: 1e-10, iterations: 300}\n"
        "materials: {m: {type: linear, young: %.17g, poisson: %.17g}}\n"
        "meshes:\n  b: {quarter_ball: {radius: %.17g, core: %.17g, cells: %d, layers: %d, element: %s}}\n%s"
        "bodies:\n  - {name: ball, type: deformable, mesh: b, material: m, position: [0, 0, %.17g]}\n"
        "  - {name: table, type: %s, %s}\n"
        "contact: {self: false}\n"
        "fixed:\n  - {body: ball, where: {group: -x}, axes: x}\n"
        "  - {body: ball, where: {group: -y}, axes: y}\n%s"
        "  - {name: top, body: ball, where: {group: equator}, axes: z,\n"
        "     motion: {table: [[0, 0, 0, 0], [1, 0, 0, %.17g]]}}\n",
        c->dhat, c->plain ? "false" : "true", hertz_young, hertz_poisson, hertz_radius, core, c->cells,
        4 * c->cells, c->element != NULL ? c->element : "hex8", mesh, hertz_radius + clear,
        twin ? "deformable" : "static", body, hold, -(twin ? 2.0 : 1.0) * hertz_delta - clear);
}

/* Shares of the ball's round surface at rest, seen from below, [nnode]. */
static inline double *hertz_areas(const flow *f)
{
    const brn_skin *skin = ((brn_ipc *)f->sim->self)->skin;
    const double(*rest)[3] = (const double(*)[3])f->model->rest;
    const double centre =
        rest[f->model->body[0].node_first][2] + hertz_radius; /* the lowest node comes first */
    double *area = calloc((size_t)f->model->nnode, sizeof *area);
    for (int t = 0; t < skin->ntri; ++t) {
        const int *n = skin->tri[t];
        bool round = skin->node_body[n[0]] == 0;
        for (int k = 0; k < 3; ++k) {
            const double *x = rest[n[k]];
            const double r = sqrt(x[0] * x[0] + x[1] * x[1] + (x[2] - centre) * (x[2] - centre));
            round = round && fabs(r - hertz_radius) < 1e-9 * hertz_radius;
        }
        const double *x = rest[n[0]];
        const double *y = rest[n[1]];
        const double *z = rest[n[2]];
        const double seen = 0.5 * fabs((y[0] - x[0]) * (z[1] - x[1]) - (y[1] - x[1]) * (z[0] - x[0]));
        for (int k = 0; k < 3 && round; ++k) {
            area[n[k]] += seen / 3.0;
        }
    }
    return area;
}

static inline double hertz_pressure_error(const flow *f, double a, double force)
{
    const brn_ipc *ipc = f->sim->self;
    double *area = hertz_areas(f);
    int count = 0;
    const brn_contact_point *point = brn_sim_contacts(f->sim, &count);
    const double peak = 1.5 * force / (M_PI * a * a);
    double sum = 0.0;
    double weight = 0.0;
    for (int i = 0; i < count; ++i) {
        const int node = ipc->contact[i].node[0]; /* contact points are in the order of the contacts */
        const double r = hypot(point[i].place[0], point[i].place[1]);
        const double exact = peak * sqrt(fmax(0.0, 1.0 - r * r / (a * a)));
        const double off = point[i].normal_force / area[node] - exact;
        sum += area[node] * off * off;
        weight += area[node];
    }
    free(area);
    return sqrt(sum / weight) / peak;
}

static inline hertz_result hertz_press(const hertz_case *c)
{
    char text[4000];
    hertz_result out = {0};
    brn_report report;
    hertz_scene(c, text, sizeof text);
    flow f = flow_open(2, text, NULL);
    assert_done(f.ctx, brn_sim_step(f.sim, &report));
    assert_int_equal(report.intersections, 0);
    int count = 0;
    const brn_contact_point *point = brn_sim_contacts(f.sim, &count);
    double up = 0.0;
    double second = 0.0;
    for (int i = 0; i < count; ++i) {
        const double z = (point[i].body[0] == 0 ? 1.0 : -1.0) * point[i].normal[2] * point[i].normal_force;
        up += z;
        out.gap += z * point[i].gap;
        second += z * (point[i].place[0] * point[i].place[0] + point[i].place[1] * point[i].place[1]);
    }
    double held = 0.0;
    for (int n = 0; n < f.model->nhold; ++n) {
        const brn_hold *hold = &f.model->hold[n];
        for (int k = 0; k < hold->nnode && strcmp(hold->name, "top") == 0; ++k) {
            held -= f.sim->state->node_react[3 * hold->node[k] + 2];
        }
    }
    const bool twin = c->obstacle != NULL && strcmp(c->obstacle, "ball") == 0;
    out.force = 4.0 * held;
    out.unbalanced = fabs(up / held - 1.0);
    out.gap /= up;
    out.contact = sqrt(2.5 * second / up);
    out.contacts = report.contacts;
    out.iterations = report.iterations;
    const double delta = hertz_delta + (twin ? 0.5 : 1.0) * out.gap;
    out.to_hertz = out.force / hertz_force(delta);
    out.to_sphere = out.force / sphere_force(delta);
    out.pressure = c->obstacle == NULL ? hertz_pressure_error(&f, out.contact, out.force) : NAN;
    flow_close(&f);
    return out;
}

#endif
