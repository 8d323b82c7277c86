/* Why a step ends with parts that touch, in words of the scene. */
#include "step/ipc/ipc.h"

#include "linalg/dense.h"

#include <math.h>

/* Of a body's size: no distance, as far as a message is concerned. */
static const double NEXT_TO = 1e-3;

/* Whether a side of a meeting goes where a motion takes it, or nowhere: the node that stands for it is held, or one that is as good
   as there. Parts that are held altogether are not kept apart (contact/skin.h), so it is their neighbours that meet. */
static bool is_held(const brn_ipc *ipc, const double *x, int node, const double place[3])
{
    const brn_skin *skin = ipc->skin;
    const int body = skin->node_body[node];
    bool held = skin->held[node] != 0;
    for (int i = 0; i < skin->npoint && !held; ++i) {
        const int a = skin->point[i];
        const double way[3] = {x[3 * a] - place[0], x[3 * a + 1] - place[1], x[3 * a + 2] - place[2]};
        held = skin->held[a] != 0 && skin->node_body[a] == body &&
               sqrt(brn_dense_dot3(way, way)) < NEXT_TO * ipc->body[body].size;
    }
    return held;
}

brn_status brn_ipc_tell_stuck(const brn_ipc *ipc, const double *x, const brn_meetings *meetings)
{
    const double *at = meetings->place;
    const char *names[2];
    bool held = true;
    for (int k = 0; k < 2; ++k) {
        const int node = meetings->node[k];
        names[k] = ipc->model->body[ipc->skin->node_body[node]].name;
        held = held && is_held(ipc, x, node, at);
    }
    return brn_fail(ipc->ctx, BRN_ERR_CONVERGENCE,
                    held ? "t = %g s: '%s' and '%s' are moved into each other near [%.4g, %.4g, %.4g], where "
                           "both are held and neither can give way; change the motions, or hold less"
                         : "t = %g s: the gap between '%s' and '%s' near [%.4g, %.4g, %.4g] shrank below the "
                           "rounding of positions; try a larger method.dhat or method.kappa",
                    ipc->t, names[0], names[1], at[0], at[1], at[2]);
}
