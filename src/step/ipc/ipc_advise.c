/* Where to put a body that meets another at the start: it is moved along each axis, both ways, until the two are apart, by
   doubling and bisection; the shortest way is advised, the way up if others are no shorter. */
#include "step/ipc/ipc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first distance tried and the gap that is left, in sizes of the body; the last one, in sizes of the model. */
static const double FIRST = 1e-4;
static const double GAP = 2e-3;
static const double FARTHEST = 2.0;
enum { BISECTIONS = 12 };

typedef struct mover {
    brn_ipc *ipc;
    const double *x; /* [nnode][3] the start */
    double *moved;   /* [nnode][3] */
    int between[2];  /* the body that moves, and the other */
    double size;     /* [m] of the body that moves */
} mover;

static brn_status meets_at(mover *m, int axis, double way, bool *out)
{
    const brn_body *body = &m->ipc->model->body[m->between[0]];
    memcpy(m->moved, m->x, (size_t)m->ipc->model->nnode * 3 * sizeof *m->moved);
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        m->moved[3 * a + axis] += way;
    }
    brn_meetings meetings = {.between = m->between};
    BRN_TRY(brn_ipc_find_meetings(m->ipc, m->moved, &meetings));
    *out = meetings.count > 0;
    return BRN_OK;
}

/* Shortest way along an axis, sign +1 or -1; INFINITY if it is not below `least`. */
static brn_status find_way(mover *m, int axis, double sign, double least, double *way)
{
    double near = 0.0;
    double far = FIRST * m->size;
    bool meets = true;
    *way = INFINITY;
    while (true) {
        BRN_TRY(meets_at(m, axis, sign * far, &meets));
        if (!meets || 2.0 * far >= fmin(FARTHEST * m->ipc->system->size, 2.0 * least)) {
            break;
        }
        near = far;
        far *= 2.0;
    }
    if (meets) {
        return BRN_OK;
    }
    for (int i = 0; i < BISECTIONS; ++i) {
        const double middle = 0.5 * (near + far);
        BRN_TRY(meets_at(m, axis, sign * middle, &meets));
        near = meets ? middle : near;
        far = meets ? far : middle;
    }
    *way = far;
    return BRN_OK;
}

static double size_of(const brn_model *model, const brn_body *body)
{
    double size = 0.0;
    for (int i = 0; i < model->dim; ++i) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (int a = 0; a < body->boundary->nnode; ++a) {
            lo = fmin(lo, model->rest[body->boundary->node[a]][i]);
            hi = fmax(hi, model->rest[body->boundary->node[a]][i]);
        }
        size = fmax(size, hi - lo);
    }
    return size;
}

/* Three digits, rounded up, in a unit that suits: "1.2 mm". */
static void write_length(double length, char *text, size_t size)
{
    const double unit = pow(10.0, floor(log10(length)) - 2.0);
    const double rounded = ceil(length / unit - 1e-9) * unit;
    const int prefix = rounded < 0.9995e-3 ? 2 : rounded < 0.9995 ? 1 : 0;
    (void)snprintf(text, size, "%.4g %s", rounded * pow(1e3, prefix),
                   (const char *[]){"m", "mm", "um"}[prefix]);
}

/* The axis against gravity; upwards without any. */
static int up_axis(const brn_model *model, double *sign)
{
    int up = model->dim - 1;
    for (int i = 0; i < model->dim; ++i) {
        up = fabs(model->gravity[i]) > fabs(model->gravity[up]) ? i : up;
    }
    *sign = model->gravity[up] > 0.0 ? -1.0 : 1.0;
    return up;
}

static brn_status search(mover *m, char advice[BRN_IPC_ADVICE])
{
    const brn_model *model = m->ipc->model;
    double up_sign = 1.0;
    const int up = up_axis(model, &up_sign);
    double best = INFINITY;
    int axis = up;
    double sign = up_sign;
    for (int k = 0; k < 2 * model->dim; ++k) { /* the way up first */
        const int i = (up + k / 2) % model->dim;
        const double s = k % 2 == 0 ? up_sign : -up_sign;
        double way = INFINITY;
        BRN_TRY(find_way(m, i, s, best, &way));
        if (way < 0.99 * best) {
            best = way;
            axis = i;
            sign = s;
        }
    }
    if (isfinite(best)) {
        char length[32];
        write_length(best + GAP * m->size, length, sizeof length);
        (void)snprintf(advice, BRN_IPC_ADVICE, "%s '%.80s' by %s along %s%c",
                       axis == up && sign == up_sign ? "lift" : "move", model->body[m->between[0]].name,
                       length, sign < 0.0 ? "-" : "", "xyz"[axis]);
    }
    return BRN_OK;
}

brn_status brn_ipc_advise(brn_ipc *ipc, const double *x, const brn_meetings *meetings,
                          char advice[BRN_IPC_ADVICE])
{
    const brn_model *model = ipc->model;
    mover m = {.ipc = ipc, .x = x};
    m.between[0] = ipc->skin->node_body[meetings->node[0]];
    m.between[1] = ipc->skin->node_body[meetings->node[1]];
    const brn_body *pair[2] = {&model->body[m.between[0]], &model->body[m.between[1]]};
    if (m.between[0] == m.between[1]) {
        return BRN_OK;
    }
    /* Obstacles stay; of two others the higher one moves. */
    double sign = 1.0;
    const int up = up_axis(model, &sign);
    const bool lower = sign * pair[0]->centre[up] < sign * pair[1]->centre[up];
    if (pair[0]->type == BRN_BODY_STATIC || (pair[1]->type != BRN_BODY_STATIC && lower)) {
        m.between[0] = ipc->skin->node_body[meetings->node[1]];
        m.between[1] = ipc->skin->node_body[meetings->node[0]];
    }
    m.size = size_of(model, &model->body[m.between[0]]);
    if (!(m.size > 0.0)) {
        return BRN_OK;
    }
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    BRN_TAKE(arena, m.moved, (size_t)model->nnode * 3);
    const brn_status status = search(&m, advice);
    brn_arena_rewind(arena, mark);
    return status;
}
