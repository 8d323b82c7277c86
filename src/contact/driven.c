/* Parts that are held, moved into others: no method can keep them apart. */
#include "contact/meetings.h"

/* Of the system's size: rounding of a motion along a plane. */
static const double ALONG = 1e-9;

/* [m] Height of a point's surface over a half-space. */
static double height(const brn_skin *skin, const int *plane, int point, const double *x)
{
    return brn_skin_plane_distance(skin, plane, &x[3 * point], x) - skin->radius[point];
}

brn_status brn_meetings_check_driven(const brn_skin *skin, double size, double t, const double *before,
                                     const double *after)
{
    const brn_body *body = skin->model->body;
    const double least = -ALONG * size;
    for (int i = 0; i < skin->npoint; ++i) {
        const int a = skin->point[i];
        const int own = skin->node_body[a];
        const bool driven = skin->held[a] && body[own].type != BRN_BODY_STATIC;
        for (int n = 0; n < skin->nplane && driven; ++n) {
            const int *plane = skin->plane[n];
            const int other = skin->node_body[plane[0]];
            if (!brn_model_apart(skin->model, own, other) && height(skin, plane, a, before) >= least &&
                height(skin, plane, a, after) < least) {
                return brn_fail(
                    skin->ctx, BRN_ERR_CONVERGENCE,
                    "t = %g s: '%s' is moved into '%s' near [%.4g, %.4g, %.4g], where it is held and "
                    "cannot give way; change the motion, or hold less",
                    t, body[own].name, body[other].name, after[3 * a], after[3 * a + 1], after[3 * a + 2]);
            }
        }
    }
    return BRN_OK;
}

brn_status brn_meetings_refuse_driven(const brn_skin *skin, const brn_meetings *meetings, double t)
{
    if (meetings->count == 0) {
        return BRN_OK;
    }
    const brn_body *body = skin->model->body;
    const double *at = meetings->place;
    return brn_fail(
        skin->ctx, BRN_ERR_CONVERGENCE,
        "t = %g s: '%s' and '%s' are moved into each other near [%.4g, %.4g, %.4g], where both are "
        "held and neither can give way; change the motions, or hold less",
        t, body[skin->node_body[meetings->node[0]]].name, body[skin->node_body[meetings->node[1]]].name,
        at[0], at[1], at[2]);
}
