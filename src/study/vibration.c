/* Modes of a model's bodies, for people: frequencies with Rayleigh damping, shapes at all nodes, effective masses.

   Modal damping: with x M-orthonormal, c = x' C x, so that q'' + c q' + lambda q = 0 and the ratio of critical damping is
   c / (2 sqrt(lambda)). Where materials differ in their damping, coupling of modes through C is left out, as usual. */
#include "base/arena.h"
#include "step/modal.h"

#include <brunt/study.h>
#include <math.h>
#include <string.h>

/* Numbers in the shapes of one search: 1.6 GB. */
#define SEARCH_MAX 2e8

struct brn_vibration {
    brn_ctx *ctx;
    int count, nnode;
    brn_vibration_mode *mode; /* [count] */
    double *shape;            /* [count][nnode][3] */
};

brn_vibration_options brn_vibration_options_default(void)
{
    return (brn_vibration_options){.modes = 10};
}

void brn_vibration_destroy(brn_vibration *v)
{
    if (v == NULL) {
        return;
    }
    brn_free(v->ctx, v->mode);
    brn_free(v->ctx, v->shape);
    brn_free(v->ctx, v);
}

int brn_vibration_count(const brn_vibration *v)
{
    return v != NULL ? v->count : 0;
}

brn_status brn_vibration_get(const brn_vibration *v, int index, brn_vibration_mode *out)
{
    BRN_GIVEN(NULL, v);
    BRN_GIVEN(v->ctx, out);
    if (index < 0 || index >= v->count) {
        return brn_fail(v->ctx, BRN_ERR_RANGE, "mode %d: there are %d", index, v->count);
    }
    *out = v->mode[index];
    return BRN_OK;
}

/* ---- the search ----------------------------------------------------------------------------------------------------------- */

typedef struct search {
    const brn_modal *modal;
    int wanted; /* elastic modes */
    brn_modes *modes;
    brn_mode_kind *kind; /* [modes->count] */
    int loose, elastic;  /* found */
} search;

static brn_status classify(search *s)
{
    const brn_modal *m = s->modal;
    double *work = NULL;
    BRN_ALLOC(m->ctx, s->kind, s->modes->count);
    BRN_ALLOC(m->ctx, work, m->system->ndof);
    brn_status status = BRN_OK;
    s->loose = 0;
    s->elastic = 0;
    for (int i = 0; i < s->modes->count && status >= 0; ++i) {
        const double *x = &s->modes->shape[(size_t)i * (size_t)s->modes->ndof];
        status = brn_mode_classify(m->stiffness, m->stand_in, s->modes->lambda[i], x, work, &s->kind[i]);
        s->loose += s->kind[i] == BRN_MODE_LOOSE;
        s->elastic += s->kind[i] == BRN_MODE_ELASTIC;
    }
    brn_free(m->ctx, work);
    return status;
}

static void clear(search *s)
{
    brn_modes_destroy(s->modes);
    brn_free(s->modal->ctx, s->kind);
    s->modes = NULL;
    s->kind = NULL;
}

/* As many as it takes until enough are elastic: mechanisms and the stand-ins of rigid bodies come on top of rigid motions. */
static brn_status find_enough(search *s)
{
    const brn_modal *m = s->modal;
    const double limit = fmin(SEARCH_MAX / fmax(m->system->ndof, 1.0), 4096.0);
    double count = (double)s->wanted + m->loose;
    for (;;) {
        const int now = (int)fmin(count, m->nfree);
        if (count > limit && now < m->nfree) {
            return brn_fail(
                m->ctx, BRN_ERR_LIMIT,
                "%d modes of %d dofs are too many to search, %d of those found are motions that nothing "
                "resists: ask for one body, for fewer modes, or hold what is loose",
                now, m->nfree, s->loose);
        }
        clear(s);
        BRN_TRY(brn_modes_find(m->ctx, m->stiffness, m->mass, m->held, now, 1e-10, &s->modes));
        BRN_TRY(classify(s));
        if (s->elastic >= s->wanted || now == m->nfree) {
            return BRN_OK;
        }
        count = 2.0 * count;
    }
}

/* ---- figures of a mode ------------------------------------------------------------------------------------------------------ */

static double product(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* x is M-orthonormal; work [ndof]. */
static brn_status fill_figures(const brn_modal *m, double lambda, const double *x, double *work,
                               brn_vibration_mode *out)
{
    const double pi = 3.14159265358979323846;
    const int dim = m->system->model->dim;
    const int ndof = m->system->ndof;
    BRN_TRY(brn_block_matrix_multiply(m->mass, x, work));
    for (int dof = 0; dof < ndof; ++dof) {
        /* Held places do not take part, and what is tied has given its mass away. */
        out->effective_mass[dof % dim] += m->held[dof] == BRN_DOF_FREE ? work[dof] : 0.0;
    }
    for (int i = 0; i < dim; ++i) {
        out->effective_mass[i] *= out->effective_mass[i];
    }
    if (out->rigid) {
        return BRN_OK;
    }
    const double omega = sqrt(lambda);
    out->lambda = lambda;
    out->frequency = omega / (2.0 * pi);
    if (m->damping != NULL) {
        BRN_TRY(brn_block_matrix_multiply(m->damping, x, work));
        out->ratio = product(ndof, x, work) / (2.0 * omega);
    }
    out->damped = out->ratio < 1.0 ? out->frequency * sqrt(1.0 - out->ratio * out->ratio) : 0.0;
    return BRN_OK;
}

/* The nodes that are tied follow; of a body alone those of its surface, not those attached to other bodies. */
static void follow(const brn_modal *m, double *shape)
{
    const brn_model *model = m->system->model;
    if (m->body < 0) {
        brn_model_follow_nodes(model, shape);
        return;
    }
    const brn_ties *ties = &model->ties;
    for (int tie = 0; tie < ties->count; ++tie) {
        const int node = ties->node[tie];
        if (model->node_row[node] >= 0 || !brn_body_has_node(&model->body[m->body], node)) {
            continue;
        }
        for (int k = ties->start[tie]; k < ties->start[tie + 1]; ++k) {
            for (int i = 0; i < model->dim; ++i) {
                shape[3 * node + i] += ties->weight[k] * shape[3 * ties->master[k] + i];
            }
        }
    }
}

/* Handles are not seen: their displacement says nothing. */
static double largest_seen(const brn_model *model, const double *shape)
{
    double most = 0.0;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const int end = body->handle >= 0 ? body->handle : body->node_first + body->node_count;
        for (int a = body->node_first; a < end; ++a) {
            const double *u = &shape[3 * a];
            most = fmax(most, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        }
    }
    return sqrt(most);
}

static brn_status fill_mode(const brn_modal *m, double lambda, const double *x, double *shape,
                            brn_vibration_mode *out)
{
    double *work = NULL;
    BRN_ALLOC(m->ctx, work, m->system->ndof);
    const brn_status status = fill_figures(m, lambda, x, work, out);
    brn_free(m->ctx, work);
    BRN_TRY(status);
    brn_system_unpack(m->system, x, shape);
    follow(m, shape);
    const double most = largest_seen(m->system->model, shape);
    const double scale = most > 0.0 ? 1.0 / most : 1.0;
    for (int i = 0; i < 3 * m->system->model->nnode; ++i) {
        shape[i] *= scale;
    }
    out->mass = scale * scale;
    out->shape = shape;
    return BRN_OK;
}

/* Loose modes first, then the elastic ones that were asked for. */
static brn_status fill(const search *s, brn_vibration *v)
{
    const brn_modal *m = s->modal;
    const size_t length = 3 * (size_t)m->system->model->nnode;
    v->nnode = m->system->model->nnode;
    const int elastic = s->elastic < s->wanted ? s->elastic : s->wanted;
    BRN_ALLOC(v->ctx, v->mode, s->loose + elastic);
    BRN_ALLOC(v->ctx, v->shape, (size_t)(s->loose + elastic) * length);
    for (int kind = 0; kind < 2; ++kind) {
        const int end = kind == 0 ? s->loose : s->loose + elastic;
        for (int i = 0; s->modes != NULL && i < s->modes->count && v->count < end; ++i) {
            if (s->kind[i] != (kind == 0 ? BRN_MODE_LOOSE : BRN_MODE_ELASTIC)) {
                continue;
            }
            const double *x = &s->modes->shape[(size_t)i * (size_t)s->modes->ndof];
            brn_vibration_mode *mode = &v->mode[v->count];
            mode->rigid = kind == 0;
            BRN_TRY(fill_mode(m, s->modes->lambda[i], x, &v->shape[(size_t)v->count * length], mode));
            v->count++;
        }
    }
    return BRN_OK;
}

/* ---- the call ----------------------------------------------------------------------------------------------------------------- */

static brn_status find(const brn_modal *modal, int wanted, brn_vibration *v)
{
    search s = {.modal = modal, .wanted = wanted};
    brn_status status = modal->nfree > 0 ? find_enough(&s) : BRN_OK;
    status = status >= 0 ? fill(&s, v) : status;
    clear(&s);
    return status;
}

brn_status brn_vibration_find(brn_ctx *ctx, const brn_model *model, const brn_vibration_options *options,
                              brn_vibration **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, model);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    const brn_vibration_options o = options != NULL ? *options : brn_vibration_options_default();
    if (o.modes < 1) {
        return brn_fail(ctx, BRN_ERR_RANGE, "modes = %d: must be >= 1", o.modes);
    }
    const int body = o.body != NULL ? brn_model_find_body(model, o.body) : -1;
    if (o.body != NULL && body < 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "there is no body '%s'", o.body);
    }
    if (body >= 0 && (model->body[body].type == BRN_BODY_STATIC || model->body[body].robot >= 0)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "body '%s' is %s: it does not vibrate", o.body,
                        model->body[body].robot >= 0 ? "a part of a robot" : "static");
    }
    if (body < 0 && (model->nconnect > 0 || model->nrobot > 0)) {
        brn_log(ctx, BRN_LOG_WARNING, "vibration: connections and robots are left out");
    }
    brn_modal *modal = NULL;
    brn_vibration *v = NULL;
    BRN_ALLOC(ctx, v, 1);
    v->ctx = ctx;
    brn_status status = brn_modal_create(ctx, model, body, o.free, &modal);
    status = status >= 0 ? find(modal, o.modes, v) : status;
    brn_modal_destroy(modal);
    if (status < 0) {
        brn_vibration_destroy(v);
        return status;
    }
    *out = v;
    return BRN_OK;
}
