#include "contact/meetings.h"

#include <string.h>

typedef struct view {
    const brn_skin *skin;
    const int *between;
} view;

static bool counts(const view *v, int node, int other)
{
    const int body[2] = {v->skin->node_body[node], v->skin->node_body[other]};
    return v->between == NULL || (body[0] == v->between[0] && body[1] == v->between[1]) ||
           (body[0] == v->between[1] && body[1] == v->between[0]);
}

/* Whether the exact test covers an edge and a triangle (3D) or another edge (2D): two obstacles may overlap. */
static bool looked_at(const void *arg, int a, int b)
{
    const view *v = arg;
    const brn_skin *skin = v->skin;
    if (!counts(v, skin->edge[a][0], skin->dim == 2 ? skin->edge[b][0] : skin->tri[b][0])) {
        return false;
    }
    return skin->dim == 2 ? brn_skin_may_touch(skin, skin->edge[a], 2, skin->edge[b], 2)
                          : brn_skin_may_touch(skin, skin->edge[a], 2, skin->tri[b], 3);
}

void brn_meetings_add(const brn_skin *skin, brn_meetings *meetings, int a, int b, const double place[3])
{
    if (counts(&(view){skin, meetings->between}, a, b) && meetings->count++ == 0) {
        meetings->node[0] = a;
        meetings->node[1] = b;
        memcpy(meetings->place, place, sizeof meetings->place);
    }
}

static brn_status list(brn_intersect *check, const view *v, const double *x, brn_intersection *found,
                       int room, size_t *count)
{
    const brn_skin *skin = v->skin;
    const brn_surface surface = {
        .dim = skin->dim,
        .nnode = skin->model->nnode,
        .pos = (const double(*)[3])x,
        .nedge = skin->nedge,
        .edge = (const int(*)[2])skin->edge,
        .ntri = skin->ntri,
        .tri = (const int(*)[3])skin->tri,
        .keep = looked_at,
        .keep_arg = v,
    };
    return brn_intersect_surface(check, &surface, found, room, count);
}

brn_status brn_meetings_list(brn_intersect *check, const brn_skin *skin, const double *x,
                             brn_intersection *found, int room, size_t *count)
{
    return list(check, &(view){skin, NULL}, x, found, room, count);
}

static brn_status add_intersections(brn_intersect *check, const brn_skin *skin, const double *x,
                                    brn_meetings *meetings)
{
    const view between = {skin, meetings->between};
    brn_intersection first;
    size_t count = 0;
    BRN_TRY(list(check, &between, x, &first, 1, &count));
    if (count > 0) {
        brn_meetings_add(skin, meetings, skin->edge[first.edge][0],
                         skin->dim == 2 ? skin->edge[first.other][0] : skin->tri[first.other][0],
                         first.point);
        meetings->count += count - 1;
    }
    return BRN_OK;
}

static void add_half_spaces(const brn_skin *skin, const double *x, brn_meetings *meetings)
{
    for (int n = 0; n < skin->nplane; ++n) {
        const int *plane = skin->plane[n];
        for (int i = 0; i < skin->npoint; ++i) {
            const int point = skin->point[i];
            if (brn_skin_may_touch(skin, &point, 1, plane, skin->dim) &&
                brn_skin_inside_plane(skin, plane, point, x)) {
                brn_meetings_add(skin, meetings, point, plane[0], &x[3 * point]);
            }
        }
    }
}

brn_status brn_meetings_add_surfaces(brn_intersect *check, const brn_skin *skin, const double *x,
                                     const brn_contact_pair *pair, int npair, brn_meetings *meetings)
{
    const size_t before = meetings->count;
    BRN_TRY(add_intersections(check, skin, x, meetings));
    add_half_spaces(skin, x, meetings);
    /* Round parts have no exact test, and what touches to rounding may have passed it: distances decide. */
    const bool exact = meetings->count > before;
    for (int i = 0; i < npair; ++i) {
        const brn_contact_pair *p = &pair[i];
        const bool unseen = !exact || (p->offset > 0.0 && p->kind != BRN_TOUCH_POINT_PLANE);
        if (unseen && brn_pair_touches(p, x)) {
            brn_meetings_add(skin, meetings, p->node[0], p->node[brn_touch_count(p->node) - 1],
                             &x[3 * p->node[0]]);
        }
    }
    return BRN_OK;
}

brn_status brn_meetings_refuse(const brn_skin *skin, const brn_meetings *meetings, const char *advice)
{
    if (meetings->count == 0) {
        return BRN_OK;
    }
    const brn_model *model = skin->model;
    return brn_fail(
        skin->ctx, BRN_ERR_SCENE,
        "body '%s' and body '%s' touch or intersect at the start, near [%g, %g, %g] (%zu places): method %s "
        "needs a gap between them%s%s",
        model->body[skin->node_body[meetings->node[0]]].name,
        model->body[skin->node_body[meetings->node[1]]].name, meetings->place[0], meetings->place[1],
        meetings->place[2], meetings->count, model->method->name, advice[0] != '\0' ? "; " : "", advice);
}
