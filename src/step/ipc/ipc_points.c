/* The contact points at the end of a step. Normal forces are the barrier's there; friction is what the step was solved with,
   from the normal forces of the last renewal, so that the lag shows as a cone error. */
#include "step/ipc/ipc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_slip(const brn_ipc *ipc, const brn_ipc_slide *slide, const double *x, brn_contact_point *to)
{
    brn_ipc_slip(ipc, slide, x, to->slip);
    for (int i = 0; i < 3; ++i) {
        to->slip[i] /= ipc->h;
    }
}

static void add_friction(const brn_ipc *ipc, const brn_ipc_slide *slide, const double *x,
                         brn_contact_point *to)
{
    brn_ipc_friction_force(ipc, slide, x, to->friction);
    add_slip(ipc, slide, x, to);
}

static void set_pair(const brn_ipc *ipc, const int node[4], brn_contact_point *to)
{
    to->body[0] = ipc->skin->node_body[node[0]];
    to->body[1] = ipc->skin->node_body[node[brn_touch_count(node) - 1]];
    to->stick_speed = brn_ipc_speed(ipc, node[0], node[brn_touch_count(node) - 1]);
    to->mu = ipc->system->controls->friction[brn_model_pair(ipc->model, to->body[0], to->body[1])];
}

/* A pair that parted during the step: friction without a normal force. */
static void add_parted(const brn_ipc *ipc, const brn_ipc_slide *slide, const double *x, brn_contact_point *to)
{
    const int last = slide->pair[brn_touch_count(slide->pair) - 1];
    *to = (brn_contact_point){.gap = brn_skin_reach(ipc->skin, slide->pair[0], last)};
    set_pair(ipc, slide->pair, to);
    memcpy(to->normal, slide->normal, sizeof to->normal);
    memcpy(to->place, &x[3 * slide->pair[0]], sizeof to->place);
    add_friction(ipc, slide, x, to);
}

brn_status brn_ipc_find_points(brn_ipc *ipc, const double *x)
{
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    if (ipc->nslide > 0) {
        qsort(ipc->slide, (size_t)ipc->nslide, sizeof *ipc->slide, brn_ipc_slide_order);
    }
    BRN_GROW(ipc->ctx, ipc->point, ipc->point_capacity, (size_t)ipc->ncontact + (size_t)ipc->nslide);
    ipc->npoint = 0;
    for (int i = 0; i < ipc->ncontact; ++i) {
        const brn_contact_pair *c = &ipc->contact[i];
        brn_contact_point *to = &ipc->point[ipc->npoint++];
        double weight[4];
        *to = (brn_contact_point){.gap = brn_pair_gap(c)};
        set_pair(ipc, c->node, to);
        to->normal_force = brn_ipc_normal_force(ipc, c, x, weight, to->normal);
        brn_pair_place(ipc->skin, c, x, weight, to->normal, to->place);
        brn_ipc_slide wanted = {.kind = c->kind};
        memcpy(wanted.pair, c->node, sizeof wanted.pair);
        brn_ipc_slide *slide = ipc->nslide > 0 ? bsearch(&wanted, ipc->slide, (size_t)ipc->nslide,
                                                         sizeof *ipc->slide, brn_ipc_slide_order)
                                               : NULL;
        if (slide != NULL) {
            add_friction(ipc, slide, x, to);
            slide->lever.count = 0;     /* reported */
        } else if (ipc->from != NULL) { /* it slips all the same */
            memcpy(wanted.normal, to->normal, sizeof wanted.normal);
            brn_lever_of_pair(ipc->skin, c, weight, to->normal, x, &wanted.lever);
            add_slip(ipc, &wanted, x, to);
        }
    }
    for (int i = 0; i < ipc->nslide; ++i) {
        if (ipc->slide[i].lever.count > 0 && ipc->slide[i].force > 0.0) {
            add_parted(ipc, &ipc->slide[i], x, &ipc->point[ipc->npoint++]);
        }
    }
    ipc->nslide = 0; /* consumed: the next step renews them */
    return BRN_OK;
}
