/* Angular momentum. With x~ = (x + x')/2 a step of Newmark's rule or midpoint has x' - x = h (v + v')/2 and M (v' - v) = h F, so that

       sum x' x M v' - x x M v = sum x~ x h F:                                                                        (A)

   forces act half-way, whatever they are. Not as they should

     - elements by Newmark's rule: x~ x (f + f')/2 = -1/4 (x' - x) x (f' - f), of second order in h; by midpoint there is nothing;
     - damping, whose matrix is made at the predicted middle: below that order;
     - contact that slips or rolls: its place is known at x', and goes with a vertex or with the centre of what is round, while forces go with
       the nodes of both bodies, of first order: bodies that slip would turn each other, and a ball would not roll on;
     - the projection in the metric of H: x' x M dv is not that of its forces, x' x B lambda h/2, since stresses turn, of first order.

   What moves as one without any hold, and is not of a linear material, can have its spin corrected: it gets the velocities w x r that make (A) true with elements that have no moment,
   contact that acts at one place, and the projection's forces at x'. This is below the order of the rule, or of contact in it.

   Steps that are repeated by (turning) implicit Euler, x' - x = h v', have their forces at x', where sides that touch are at one place, and

       sum x' x M v' - x x M v = x x h F,

   of first order. They get the spin that makes it x' x h F; the kinetic energy of that is less of what the rule loses. */
#include "step/bbi/bbi.h"

#include "linalg/dense.h"
#include "model/rigid_pose.h"

#include <math.h>
#include <string.h>

/* Of the moments that are summed: less is rounding, and bodies without forces keep their velocities to the last bit. */
static const double ROUNDING = 1e-14;

/* ---- what moves as one ----------------------------------------------------------------------------------------------------- */

static void join(brn_bbi *bbi, int a, int b)
{
    const int to = bbi->cluster[a] < bbi->cluster[b] ? bbi->cluster[a] : bbi->cluster[b];
    const int from = bbi->cluster[a] < bbi->cluster[b] ? bbi->cluster[b] : bbi->cluster[a];
    for (int i = 0; i < bbi->model->nbody && to != from; ++i) {
        bbi->cluster[i] = bbi->cluster[i] == from ? to : bbi->cluster[i];
    }
}

/* Elements such as springs, and attachments. */
static void join_bodies(brn_bbi *bbi, const int *node_body)
{
    const brn_model *model = bbi->model;
    for (int g = 0; g < model->ngroup; ++g) {
        const brn_element_group *group = model->group[g];
        for (int i = 0; i < group->nelem * group->nnode; ++i) {
            join(bbi, node_body[group->conn[i - i % group->nnode]], node_body[group->conn[i]]);
        }
    }
    for (int i = 0; i < model->nattach; ++i) {
        join(bbi, model->attach[i].body, model->attach[i].to);
    }
}

/* Whether its elements resist rotation, as linear ones do: what they take from angular momentum is in their energy. */
static bool is_linear(const brn_model *model, const brn_body *body)
{
    bool any = false;
    for (int g = body->group_first; g < body->group_first + body->group_count; ++g) {
        const brn_solid *solid = brn_solid_of_group(model->group[g]);
        any = any || (solid != NULL && solid->material == &brn_material_linear);
    }
    return any;
}

void brn_bbi_spin_bind(brn_bbi *bbi)
{
    const brn_model *model = bbi->model;
    const int *node_body = bbi->touching->skin->node_body;
    bbi->clamped = bbi->turns = false;
    for (int b = 0; b < model->nbody; ++b) {
        bbi->spin[b].held = bbi->spin[b].bound = false;
    }
    for (int b = 0; b < model->nbody; ++b) {
        brn_bbi_spin *spin = &bbi->spin[bbi->cluster[b]];
        const bool still = model->body[b].type == BRN_BODY_STATIC;
        spin->held = spin->held || still;
        spin->bound = spin->bound || still || is_linear(model, &model->body[b]);
    }
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        brn_bbi_spin *spin = &bbi->spin[bbi->row_cluster[dof / model->dim]];
        const bool held = model->fixed[dof] == BRN_DOF_HELD;
        const int body = node_body[model->row_node[dof / model->dim]];
        spin->held = spin->held || held;
        spin->bound = spin->bound || held;
        bbi->clamped = bbi->clamped || (held && model->body[body].type != BRN_BODY_STATIC);
    }
    for (int row = 0; row < model->nrow; ++row) {
        bbi->turns = bbi->turns || !bbi->spin[bbi->row_cluster[row]].bound;
    }
}

brn_status brn_bbi_spin_create(brn_bbi *bbi)
{
    const brn_model *model = bbi->model;
    const int *node_body = bbi->touching->skin->node_body;
    BRN_ALLOC(bbi->ctx, bbi->cluster, (size_t)model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->row_cluster, (size_t)model->nrow + 1);
    BRN_ALLOC(bbi->ctx, bbi->spin, (size_t)model->nbody + 1);
    for (int b = 0; b < model->nbody; ++b) {
        bbi->cluster[b] = b;
    }
    join_bodies(bbi, node_body);
    for (int row = 0; row < model->nrow; ++row) {
        bbi->row_cluster[row] = bbi->cluster[node_body[model->row_node[row]]];
    }
    brn_bbi_spin_bind(bbi);
    return BRN_OK;
}

/* ---- moments ---------------------------------------------------------------------------------------------------------------- */

/* The clusters' masses and centres at x [nnode][3], and the centre of all that is loose; nothing is missing yet. */
static void find_centres(brn_bbi *bbi, const double *x)
{
    const brn_model *model = bbi->model;
    const int dim = model->dim;
    double mass = 0.0;
    memset(bbi->about, 0, sizeof bbi->about);
    for (int b = 0; b < model->nbody; ++b) {
        bbi->spin[b] = (brn_bbi_spin){.held = bbi->spin[b].held, .bound = bbi->spin[b].bound};
    }
    for (int row = 0; row < model->nrow; ++row) {
        brn_bbi_spin *spin = &bbi->spin[bbi->row_cluster[row]];
        const int a = model->row_node[row];
        spin->mass += model->node_mass[a];
        for (int i = 0; i < dim; ++i) {
            spin->centre[i] += model->node_mass[a] * x[3 * a + i];
        }
    }
    for (int b = 0; b < model->nbody; ++b) {
        for (int i = 0; i < dim; ++i) {
            bbi->about[i] += bbi->spin[b].bound ? 0.0 : bbi->spin[b].centre[i];
            bbi->spin[b].centre[i] /= bbi->spin[b].mass > 0.0 ? bbi->spin[b].mass : 1.0;
        }
        mass += bbi->spin[b].bound ? 0.0 : bbi->spin[b].mass;
    }
    for (int i = 0; i < dim && mass > 0.0; ++i) {
        bbi->about[i] /= mass;
    }
}

/* The same and the clusters' inertia. */
static brn_status measure(brn_bbi *bbi, const double *x, double *r, double *mass_r)
{
    const brn_model *model = bbi->model;
    const int dim = model->dim;
    find_centres(bbi, x);
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        r[dof] = x[brn_model_at(model, dof)] - bbi->spin[bbi->row_cluster[dof / dim]].centre[dof % dim];
    }
    BRN_TRY(brn_system_mass_apply(bbi->system, r, mass_r));
    /* sum r x (w x M r) = (sum r . M r) w - sum (M r) (r . w): the mass of a pair of nodes is a number */
    for (int row = 0; row < model->nrow; ++row) {
        brn_bbi_spin *spin = &bbi->spin[bbi->row_cluster[row]];
        for (int k = 0; k < dim * dim; ++k) {
            const double product = mass_r[row * dim + k / dim] * r[row * dim + k % dim];
            spin->inertia[3 * (k / dim) + k % dim] -= product;
            for (int i = 0; i < 3 && k / dim == k % dim; ++i) {
                spin->inertia[4 * i] += product;
            }
        }
    }
    return BRN_OK;
}

/* missing += scale (x - about) x q, q packed. About one place for all: what the balance of forces left to two bodies that touch has no moment
   as a whole. */
static void add_moments(brn_bbi *bbi, const double *x, const double *q, double scale)
{
    const brn_model *model = bbi->model;
    const int dim = model->dim;
    for (int row = 0; row < model->nrow; ++row) {
        brn_bbi_spin *spin = &bbi->spin[bbi->row_cluster[row]];
        double r[3] = {0};
        double f[3] = {0};
        double turn[3];
        for (int i = 0; i < dim; ++i) {
            r[i] = x[3 * model->row_node[row] + i] - bbi->about[i];
            f[i] = scale * q[row * dim + i];
        }
        brn_dense_cross3(r, f, turn);
        for (int i = 0; i < 3; ++i) {
            spin->missing[i] += turn[i];
        }
        spin->summed += brn_dense_length3(r) * brn_dense_length3(f);
    }
}

/* spin->w, the angular velocity that supplies what is missing; false: none. */
static bool find_spin(int dim, brn_bbi_spin *spin)
{
    const double size = spin->inertia[0] + spin->inertia[4] + spin->inertia[8];
    double inverse[9];
    memset(spin->w, 0, sizeof spin->w);
    if (spin->bound || !(brn_dense_length3(spin->missing) > ROUNDING * spin->summed)) {
        return false;
    }
    if (dim == 2) {
        spin->w[2] = spin->inertia[8] > 0.0 ? spin->missing[2] / spin->inertia[8] : 0.0;
    } else if (brn_dense_det3(spin->inertia) > 1e-9 * size * size * size) { /* not all on a line */
        (void)brn_dense_inverse3(spin->inertia, inverse);
        brn_dense_apply3(inverse, spin->missing, spin->w);
    }
    return true;
}

/* v += w x r, packed, of all clusters; whether there were any. */
static bool turn(brn_bbi *bbi, const double *r, double *v)
{
    const brn_model *model = bbi->model;
    const int dim = model->dim;
    bool any = false;
    for (int b = 0; b < model->nbody; ++b) {
        any = (bbi->cluster[b] == b && !brn_bbi_flies(bbi, b) && find_spin(dim, &bbi->spin[b])) || any;
    }
    for (int row = 0; row < model->nrow && any; ++row) {
        double arm[3] = {0};
        double more[3];
        memcpy(arm, &r[row * dim], (size_t)dim * sizeof *arm);
        brn_dense_cross3(bbi->spin[bbi->row_cluster[row]].w, arm, more);
        for (int i = 0; i < dim; ++i) {
            v[row * dim + i] += more[i];
        }
    }
    return any;
}

/* ---- the projection -------------------------------------------------------------------------------------------------------- */

/* What damping does against a change of velocities in the metric of H. */
static brn_status set_recoil(brn_bbi *bbi, const double *change)
{
    const brn_scheme *m = bbi->newton->scheme;
    if (bbi->system->damping == NULL) {
        return BRN_OK;
    }
    BRN_TRY(brn_block_matrix_multiply(bbi->system->damping, change, bbi->recoil));
    for (int i = 0; i < bbi->system->ndof; ++i) {
        bbi->recoil[i] *= -m->h * m->rate;
    }
    return BRN_OK;
}

brn_status brn_bbi_spin_project(brn_bbi *bbi, const double *x, const double *force, double *change)
{
    const brn_scheme *m = bbi->newton->scheme;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    double *r = NULL;
    double *mass = NULL;
    BRN_TRY(set_recoil(bbi, change));
    if (!bbi->turns) {
        return BRN_OK;
    }
    BRN_TAKE(arena, r, bbi->system->ndof);
    BRN_TAKE(arena, mass, bbi->system->ndof);
    BRN_TRY(measure(bbi, x, r, mass));
    add_moments(bbi, x, force, m->s / m->h);
    add_moments(bbi, x, bbi->recoil, m->s / m->h);
    BRN_TRY(brn_system_mass_apply(bbi->system, change, mass));
    add_moments(bbi, x, mass, -1.0);
    (void)turn(bbi, r, change);
    return BRN_OK;
}

/* ---- the step ---------------------------------------------------------------------------------------------------------------- */

/* A point's force acts on the nodes of both sides half-way through their own ways, and should do so on both half-way through that of the place:
   h/2 (way of the side - way of the place) x r is missing. Into the books too. */
static void add_place(brn_bbi *bbi, const brn_bbi_point *p, const brn_state *in, const brn_state *out,
                      double impulse[6])
{
    const double h = bbi->newton->scheme->h;
    double way[2][3];
    double place[3];
    double force[3];
    double world[3];
    for (int k = 0; k < 3; ++k) {
        force[k] = p->force[k] - 0.5 * p->impact[k]; /* of the step without the projection */
    }
    brn_bbi_to_world(bbi, p, force, world);
    brn_bbi_way(bbi, p, in, out, way, place);
    for (int side = 0; side < 2; ++side) { /* what moves and cannot be corrected decides */
        const brn_bbi_spin *spin = &bbi->spin[bbi->cluster[p->touch.body[side]]];
        if (spin->bound && bbi->model->body[p->touch.body[side]].type != BRN_BODY_STATIC) {
            memcpy(place, way[side], sizeof place);
        }
    }
    for (int side = 0; side < 2; ++side) {
        brn_bbi_spin *spin = &bbi->spin[bbi->cluster[p->touch.body[side]]];
        double arm[3];
        double torque[3];
        for (int i = 0; i < 3; ++i) {
            arm[i] = (side == 0 ? 0.5 : -0.5) * h * (way[side][i] - place[i]);
        }
        brn_dense_cross3(arm, world, torque);
        for (int i = 0; i < 3 && !spin->bound; ++i) {
            spin->missing[i] += torque[i];
            impulse[3 + i] += torque[i];
        }
    }
}

/* What (A) says about contact: the projection's forces act at x', a quarter of the way further than the ledger has them, and bodies touch
   at one place. */
static void add_contact(brn_bbi *bbi, const brn_state *in, const brn_state *out, double *push,
                        double impulse[6])
{
    const brn_model *model = bbi->model;
    const double h = bbi->newton->scheme->h;
    memset(push, 0, (size_t)bbi->system->ndof * sizeof *push);
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        if (p->force[0] == 0.0 && p->impact[0] == 0.0) {
            continue;
        }
        bbi->spin[bbi->cluster[p->touch.body[0]]].touched = true;
        bbi->spin[bbi->cluster[p->touch.body[1]]].touched = true;
        brn_bbi_pull(bbi, p, p->impact, push);
        add_place(bbi, p, in, out, impulse);
    }
    for (int row = 0; row < model->nrow; ++row) {
        double way[3] = {0};
        double f[3] = {0};
        double torque[3];
        for (int i = 0; i < model->dim; ++i) {
            way[i] = 0.25 * h * bbi->newton->y[row * model->dim + i];
            f[i] = push[row * model->dim + i];
        }
        brn_dense_cross3(way, f, torque);
        for (int i = 0; i < 3; ++i) {
            bbi->spin[bbi->row_cluster[row]].missing[i] += torque[i];
            impulse[3 + i] += torque[i];
        }
    }
}

/* missing = what forces that act at `place` of the way leave of the angular momentum, about one place. */
static brn_status add_step(brn_bbi *bbi, const brn_state *in, const brn_state *out, double place, double *v,
                           double *q)
{
    const brn_newton *n = bbi->newton;
    const brn_model *model = bbi->model;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    double *acted = NULL;
    BRN_TAKE(arena, acted, 3 * model->nnode);
    brn_system_pack(bbi->system, in->node_vel, v);
    BRN_TRY(brn_system_mass_apply(bbi->system, v, q));
    add_moments(bbi, in->node_pos, q, 1.0);
    for (int i = 0; i < 3 * model->nnode; ++i) {
        acted[i] = (1.0 - place) * in->node_pos[i] + place * out->node_pos[i];
    }
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        const int at = brn_model_at(model, dof);
        q[dof] = out->node_load[at] + out->node_damp[at] + n->gravity[dof];
    }
    add_moments(bbi, acted, q, n->scheme->h);
    add_moments(bbi, out->node_pos, bbi->recoil, 0.5 * n->scheme->h);
    brn_system_pack(bbi->system, out->node_vel, v);
    BRN_TRY(brn_system_mass_apply(bbi->system, v, q));
    add_moments(bbi, out->node_pos, q, -1.0);
    return BRN_OK;
}

/* The impulse of the dampers against the projection, which the ledger does not know of. */
static void book_recoil(const brn_bbi *bbi, const double *x, double impulse[6])
{
    const brn_model *model = bbi->model;
    for (int row = 0; row < model->nrow; ++row) {
        double f[3] = {0};
        double torque[3];
        for (int i = 0; i < model->dim; ++i) {
            f[i] = 0.5 * bbi->newton->scheme->h * bbi->recoil[row * model->dim + i];
        }
        brn_dense_cross3(&x[3 * model->row_node[row]], f, torque);
        for (int i = 0; i < 3; ++i) {
            impulse[i] += f[i];
            impulse[3 + i] += torque[i];
        }
    }
}

/* [J] that dv = w x r adds to the kinetic energy, of clusters that nothing touches and of others; q = M v. What coasts belongs to these: its
   energies are booked as what they were before. */
static brn_status energy_of(const brn_bbi *bbi, const double *q, const double *dv, double *mass,
                            double out[2])
{
    const int dim = bbi->model->dim;
    BRN_TRY(brn_system_mass_apply(bbi->system, dv, mass));
    out[0] = out[1] = 0.0;
    for (int i = 0; i < bbi->system->ndof; ++i) {
        const bool contact = bbi->spin[bbi->row_cluster[i / dim]].touched || bbi->coasts[i / dim];
        out[contact] += dv[i] * (q[i] + 0.5 * mass[i]);
    }
    return BRN_OK;
}

/* Velocities of `out` get what is missing; gain [J] as energy_of has it. */
static brn_status supply(brn_bbi *bbi, const brn_state *in, brn_state *out, double place, const double *r,
                         double gain[2])
{
    const int ndof = bbi->system->ndof;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    double *v = NULL;
    double *q = NULL;
    double *mass = NULL;
    BRN_TAKE(arena, v, ndof);
    BRN_TAKE(arena, q, ndof);
    BRN_TAKE(arena, mass, ndof);
    BRN_TRY(add_step(bbi, in, out, place, v, q));
    memset(v, 0, (size_t)ndof * sizeof *v);
    gain[0] = gain[1] = 0.0;
    if (!turn(bbi, r, v)) {
        return BRN_OK;
    }
    BRN_TRY(energy_of(bbi, q, v, mass, gain));
    for (int dof = 0; dof < ndof; ++dof) {
        out->node_vel[brn_model_at(bbi->model, dof)] += v[dof];
    }
    brn_model_follow_nodes(bbi->model, out->node_vel);
    brn_rigid_states(bbi->model, out->node_pos, out->node_vel, out->rigid_pose, out->rigid_vel);
    return BRN_OK;
}

brn_status brn_bbi_spin_settle(brn_bbi *bbi, const brn_state *in, brn_state *out, brn_books *books)
{
    const brn_scheme *m = bbi->newton->scheme;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    double *r = NULL;
    double *push = NULL;
    double gain[2];
    const bool chord = m->kind == BRN_NEWMARK || m->kind == BRN_MIDPOINT;
    if (!chord && (m->kind != BRN_IMPLICIT_EULER || m->integrator == BRN_IMPLICIT_EULER)) {
        return BRN_OK;
    }
    BRN_TAKE(arena, r, bbi->system->ndof);
    BRN_TAKE(arena, push, bbi->system->ndof);
    if (bbi->turns) {
        BRN_TRY(measure(bbi, out->node_pos, r, push));
    }
    if (chord) {
        add_contact(bbi, in, out, push, books->base_impulse);
        book_recoil(bbi, out->node_pos, books->base_impulse);
    }
    if (!bbi->turns) {
        return BRN_OK;
    }
    BRN_TRY(supply(bbi, in, out, books->place, r, gain));
    if (!chord) { /* less is lost by the rule */
        books->moved += gain[1];
        brn_bbi_dissipate(in, -gain[1], books);
        return BRN_OK;
    }
    /* Where bodies touch it is a part of what contact does. Elsewhere it is neither loss nor dissipation: it takes back most of the rule's own
       error of the energy, and what is left remains one. */
    books->moved += gain[0] + gain[1];
    brn_bbi_dissipate(in, -gain[1], books);
    return BRN_OK;
}
