#include "step/modal.h"

#include "phys/shells/spring.h"

#include <math.h>
#include <string.h>

/* ---- matrices ---------------------------------------------------------------------------------------------------------- */

brn_status brn_modal_mass(const brn_system *s, bool condensed, brn_block_matrix **out)
{
    BRN_TRY(brn_block_matrix_copy(s->matrix, out));
    brn_block_matrix_zero(*out);
    brn_system_mass_add(s, 1.0, *out);
    if (condensed) {
        brn_system_condense(s, *out);
    }
    return BRN_OK;
}

/* Which elements count, and by how much. */
typedef struct pick {
    const brn_system *system;
    brn_stencils *list; /* [npart] */
    int body;           /* -1: of any */
    bool rigid;         /* of rigid bodies alone */
    bool damping;       /* times beta */
} pick;

static int body_of(const brn_model *model, int node)
{
    int lo = 0;
    int hi = model->nbody;
    while (hi - lo > 1) { /* nodes of bodies follow each other */
        const int middle = (lo + hi) / 2;
        lo = model->body[middle].node_first <= node ? middle : lo;
        hi = model->body[middle].node_first <= node ? hi : middle;
    }
    return lo;
}

/* Springs belong to no body; all other elements lie within one. */
static bool is_picked(const pick *p, int part, int element)
{
    const brn_element_group *group = p->system->part[part];
    if (brn_spring_of_group(group) != NULL) {
        return p->body < 0 && !p->rigid;
    }
    const int body =
        body_of(p->system->model, p->list[part].node[(size_t)element * (size_t)p->list[part].width]);
    return (p->body < 0 || body == p->body) &&
           (!p->rigid || p->system->model->body[body].type == BRN_BODY_RIGID);
}

static brn_status pick_elements(void *arg, int part, int first, int count, double *energy, double *grad,
                                double *hess, brn_arena *scratch)
{
    (void)scratch;
    const pick *p = arg;
    const brn_element_group *group = p->system->part[part];
    group->kind->eval(group, (const double(*)[3])p->system->model->rest, first, count,
                      p->damping ? BRN_TANGENT_VISCOUS : BRN_TANGENT_PROJECTED, energy, grad, hess);
    const size_t size = (size_t)brn_group_hess_size(group);
    for (int e = 0; e < count; ++e) {
        const bool counts = is_picked(p, part, first + e);
        for (size_t i = 0; i < size; ++i) {
            double *entry = &hess[(size_t)e * size + i];
            *entry = counts ? *entry * (p->damping ? group->beta : 1.0) : 0.0;
        }
    }
    return BRN_OK;
}

/* out: with the pattern of the system's matrix, zero before. */
static brn_status assemble(brn_system *s, int body, bool rigid, bool damping, brn_block_matrix *out)
{
    pick p = {.system = s, .body = body, .rigid = rigid, .damping = damping};
    BRN_TAKE(brn_ctx_arena(s->ctx), p.list, s->npart + 1);
    for (int i = 0; i < s->npart; ++i) {
        p.list[i] = brn_group_stencils(s->part[i]);
    }
    return brn_assembly_add(s->elastic, pick_elements, &p, NULL, NULL, out);
}

static brn_status add_damping(brn_modal *m)
{
    brn_system *s = m->system;
    if (s->damping == NULL) {
        return BRN_OK;
    }
    if (m->body < 0) {
        BRN_TRY(brn_system_damping_update(s, &s->model->rest[0][0]));
        BRN_TRY(brn_block_matrix_copy(s->damping, &m->damping));
        brn_system_condense(s, m->damping);
        return BRN_OK;
    }
    BRN_TRY(brn_block_matrix_copy(s->damping, &m->damping));
    brn_block_matrix_zero(m->damping);
    BRN_TRY(assemble(s, m->body, false, true, m->damping));
    const int dim = s->model->dim;
    const brn_block_matrix *mass = s->model->mass;
    for (int k = 0; s->model->mass_alpha != NULL && k < mass->start[mass->n]; ++k) {
        double *block = &m->damping->value[(size_t)s->mass_block[k] * (size_t)(dim * dim)];
        for (int i = 0; i < dim; ++i) {
            block[i * dim + i] += s->model->mass_alpha[k];
        }
    }
    return BRN_OK;
}

/* Rigid bodies as stiff for their mass as the stiffest of what deforms, so that they take no part in its modes. */
static brn_status firm_rigid(brn_modal *m, bool *any)
{
    const brn_model *model = m->system->model;
    const int dim = model->dim;
    double ratio = 0.0;
    *any = false;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        *any = *any || body->type == BRN_BODY_RIGID;
        for (int a = body->node_first;
             brn_body_has_cells(body->type) && a < body->node_first + body->node_count; ++a) {
            const int row = model->node_row[a];
            for (int i = 0; row >= 0 && model->node_mass[a] > 0.0 && i < dim; ++i) {
                ratio = fmax(ratio, m->system->stiff_diagonal[row * dim + i] / model->node_mass[a]);
            }
        }
    }
    return *any && ratio > 0.0 ? brn_system_firm(m->system, ratio, 1.0) : BRN_OK;
}

static brn_status add_matrices(brn_modal *m)
{
    brn_system *s = m->system;
    bool rigid = false;
    BRN_TRY(firm_rigid(m, &rigid));
    BRN_TRY(brn_block_matrix_copy(s->matrix, &m->stiffness)); /* that at rest */
    if (m->body >= 0) {
        brn_block_matrix_zero(m->stiffness);
        BRN_TRY(assemble(s, m->body, false, false, m->stiffness));
    }
    if (rigid) {
        BRN_TRY(brn_block_matrix_copy(s->matrix, &m->stand_in));
        brn_block_matrix_zero(m->stand_in);
        BRN_TRY(assemble(s, m->body, true, false, m->stand_in));
        if (m->body < 0) {
            brn_system_condense(s, m->stand_in);
        }
    }
    BRN_TRY(brn_modal_mass(s, m->body < 0, &m->mass));
    return add_damping(m);
}

/* ---- what can move ------------------------------------------------------------------------------------------------------- */

/* Of a row. The lumped mass says nothing: at corners of quadratic elements it is below 0. */
static bool has_mass(const brn_model *model, int row)
{
    return model->mass->value[model->mass->start[row]] > 0.0;
}

static bool vibrates(const brn_modal *m, int body)
{
    const brn_body *b = &m->system->model->body[body];
    return b->type != BRN_BODY_STATIC && b->robot < 0 && (m->body < 0 || m->body == body);
}

static void let_go(brn_modal *m)
{
    const brn_model *model = m->system->model;
    const int dim = model->dim;
    memset(m->held, BRN_DOF_HELD, (size_t)m->system->ndof);
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        if (!vibrates(m, b)) {
            continue;
        }
        m->loose += dim == 3 ? 6 : 3;
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            const int row = model->node_row[a];
            for (int i = 0; row >= 0 && has_mass(model, row) && i < dim; ++i) {
                const bool tied = m->body < 0 && model->fixed[row * dim + i] == BRN_DOF_TIED;
                m->held[row * dim + i] = tied ? BRN_DOF_TIED : BRN_DOF_FREE;
            }
        }
    }
}

/* Holds of static bodies come first; what is attached to one is among its nodes. */
static void hold(brn_modal *m, bool free)
{
    const brn_model *model = m->system->model;
    const int dim = model->dim;
    int nstatic = 0;
    for (int b = 0; b < model->nbody; ++b) {
        nstatic += model->body[b].type == BRN_BODY_STATIC;
    }
    for (int n = 0; n < model->nhold; ++n) {
        const brn_hold *h = &model->hold[n];
        if (n < nstatic ? m->body >= 0 : free) {
            continue;
        }
        for (int a = 0; a < h->nnode; ++a) {
            const int row = model->node_row[h->node[a]];
            for (int i = 0; row >= 0 && i < dim; ++i) {
                if ((h->axes >> i & 1u) != 0 && m->held[row * dim + i] == BRN_DOF_FREE) {
                    m->held[row * dim + i] = BRN_DOF_HELD;
                }
            }
        }
    }
    for (int dof = 0; dof < m->system->ndof; ++dof) {
        m->nfree += m->held[dof] == BRN_DOF_FREE;
    }
}

static brn_status fill(brn_modal *m, const brn_model *model, bool free)
{
    BRN_TRY(brn_system_create(m->ctx, model, &m->system));
    BRN_ALLOC(m->ctx, m->held, m->system->ndof);
    let_go(m);
    hold(m, free);
    brn_arena *arena = brn_ctx_arena(m->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = add_matrices(m);
    brn_arena_rewind(arena, mark);
    return status;
}

brn_status brn_modal_create(brn_ctx *ctx, const brn_model *model, int body, bool free, brn_modal **out)
{
    *out = NULL;
    brn_modal *m = NULL;
    BRN_ALLOC(ctx, m, 1);
    m->ctx = ctx;
    m->body = body;
    const brn_status status = fill(m, model, free);
    if (status < 0) {
        brn_modal_destroy(m);
        return status;
    }
    *out = m;
    return BRN_OK;
}

void brn_modal_destroy(brn_modal *m)
{
    if (m == NULL) {
        return;
    }
    brn_block_matrix_destroy(m->stiffness);
    brn_block_matrix_destroy(m->mass);
    brn_block_matrix_destroy(m->damping);
    brn_block_matrix_destroy(m->stand_in);
    brn_system_destroy(m->system);
    brn_free(m->ctx, m->held);
    brn_free(m->ctx, m);
}

/* ---- kinds of modes ------------------------------------------------------------------------------------------------------ */

/* x' |K| x: what rounding of x' K x is relative to. */
static double sum_magnitudes(const brn_block_matrix *k, const double *x)
{
    const int s = k->size;
    double sum = 0.0;
    for (int row = 0; row < k->n; ++row) {
        for (int b = k->start[row]; b < k->start[row + 1]; ++b) {
            const double *block = &k->value[(size_t)b * (size_t)(s * s)];
            const double twice = b == k->start[row] ? 1.0 : 2.0;
            for (int i = 0; i < s * s; ++i) {
                sum += twice * fabs(block[i] * x[row * s + i / s] * x[k->column[b] * s + i % s]);
            }
        }
    }
    return sum;
}

/* The same as if every node were as stiff in all directions as in its stiffest: what the search's own error is relative to. */
static double sum_stiffest(const brn_block_matrix *k, const double *x)
{
    const int s = k->size;
    double sum = 0.0;
    for (int row = 0; row < k->n; ++row) {
        const double *block = &k->value[(size_t)k->start[row] * (size_t)(s * s)];
        double most = 0.0;
        double square = 0.0;
        for (int i = 0; i < s; ++i) {
            most = fmax(most, fabs(block[i * s + i]));
            square += x[row * s + i] * x[row * s + i];
        }
        sum += most * square;
    }
    return sum;
}

brn_status brn_mode_classify(const brn_block_matrix *stiffness, const brn_block_matrix *stand_in,
                             double lambda, const double *shape, double *work, brn_mode_kind *out)
{
    /* Rigid motions come out below 1e-15 of it; the lowest bending mode of a beam a thousand times as long as it is thick, with
       two elements across, at 1e-12. */
    const double rounding = 1e-13;
    /* A flat sheet without bending stiffness has nothing at all across it to compare rounding with: the search leaves 1e-15 of the stiffness
       in its plane. A sheet that is a hundred thousand times as long as it is thick bends at 1e-13. */
    const double search = 1e-14;
    *out = BRN_MODE_ELASTIC;
    if (!(lambda > rounding * sum_magnitudes(stiffness, shape)) ||
        !(lambda > search * sum_stiffest(stiffness, shape))) {
        *out = BRN_MODE_LOOSE;
    } else if (stand_in != NULL) {
        double energy = 0.0;
        BRN_TRY(brn_block_matrix_multiply(stand_in, shape, work));
        for (int i = 0; i < stand_in->n * stand_in->size; ++i) {
            energy += shape[i] * work[i];
        }
        *out = energy > 0.5 * lambda ? BRN_MODE_STAND_IN : BRN_MODE_ELASTIC;
    }
    return BRN_OK;
}
