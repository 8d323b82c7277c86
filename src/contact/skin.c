#include "contact/skin.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double triangle_area(const double (*x)[3], const int t[3])
{
    double a[3];
    double b[3];
    double c[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = x[t[1]][i] - x[t[0]][i];
        b[i] = x[t[2]][i] - x[t[0]][i];
    }
    brn_dense_cross3(a, b, c);
    return 0.5 * sqrt(brn_dense_dot3(c, c));
}

static int edge_order(const void *a, const void *b)
{
    const int *x = a;
    const int *y = b;
    const int first = (x[0] > y[0]) - (x[0] < y[0]);
    return first != 0 ? first : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Room for the boundaries of all bodies, joined in their order. */
static brn_status join(brn_skin *skin)
{
    const brn_model *model = skin->model;
    int npoint = 0;
    int nedge = 0;
    int ntri = 0;
    for (int b = 0; b < model->nbody; ++b) {
        npoint += model->body[b].boundary->nnode;
        nedge += model->body[b].boundary->nedge;
        ntri += model->body[b].boundary->ntri;
    }
    BRN_ALLOC(skin->ctx, skin->point, npoint);
    BRN_ALLOC(skin->ctx, skin->edge, nedge);
    BRN_ALLOC(skin->ctx, skin->tri, ntri);
    BRN_ALLOC(skin->ctx, skin->edge_area, nedge);
    BRN_ALLOC(skin->ctx, skin->node_body, model->nnode);
    BRN_ALLOC(skin->ctx, skin->held, model->nnode);
    BRN_ALLOC(skin->ctx, skin->node_area, model->nnode);
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const brn_boundary *from = body->boundary;
        memcpy(&skin->point[skin->npoint], from->node, (size_t)from->nnode * sizeof *from->node);
        skin->npoint += from->nnode;
        for (int i = 0; i < from->nedge; ++i, ++skin->nedge) {
            memcpy(skin->edge[skin->nedge], from->edge[i], sizeof *from->edge);
        }
        for (int i = 0; i < from->ntri && skin->dim == 3; ++i, ++skin->ntri) {
            memcpy(skin->tri[skin->ntri], from->tri[i], sizeof *from->tri);
        }
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            skin->node_body[a] = b;
            skin->held[a] = 1;
            for (int i = 0; i < skin->dim; ++i) {
                skin->held[a] = skin->held[a] && model->fixed[a * skin->dim + i];
            }
        }
    }
    return BRN_OK;
}

static void share_surface(brn_skin *skin)
{
    const double(*rest)[3] = (const double(*)[3])skin->model->rest;
    for (int e = 0; e < skin->nedge && skin->dim == 2; ++e) {
        const int *n = skin->edge[e];
        const double length = hypot(rest[n[1]][0] - rest[n[0]][0], rest[n[1]][1] - rest[n[0]][1]);
        skin->node_area[n[0]] += 0.5 * length;
        skin->node_area[n[1]] += 0.5 * length;
    }
    for (int t = 0; t < skin->ntri; ++t) {
        const double third = triangle_area(rest, skin->tri[t]) / 3.0;
        for (int k = 0; k < 3; ++k) {
            const int a = skin->tri[t][k];
            const int b = skin->tri[t][(k + 1) % 3];
            const int wanted[2] = {a < b ? a : b, a < b ? b : a};
            skin->node_area[a] += third;
            /* The edges of a body are sorted, and so are those of all bodies: their nodes are contiguous. */
            const int(*found)[2] =
                bsearch(wanted, skin->edge, (size_t)skin->nedge, sizeof *skin->edge, edge_order);
            if (found != NULL) {
                skin->edge_area[found - (const int(*)[2])skin->edge] += third;
            }
        }
    }
}

brn_status brn_skin_create(brn_ctx *ctx, const brn_model *model, brn_skin **out)
{
    *out = NULL;
    brn_skin *skin = NULL;
    BRN_ALLOC(ctx, skin, 1);
    skin->ctx = ctx;
    skin->model = model;
    skin->dim = model->dim;
    const brn_status status = join(skin);
    if (status < 0) {
        brn_skin_destroy(skin);
        return status;
    }
    if (skin->dim == 3) {
        qsort(skin->edge, (size_t)skin->nedge, sizeof *skin->edge, edge_order);
    }
    share_surface(skin);
    *out = skin;
    return BRN_OK;
}

void brn_skin_destroy(brn_skin *skin)
{
    if (skin == NULL) {
        return;
    }
    void *arrays[] = {skin->point, skin->edge,      skin->tri,      skin->node_body,
                      skin->held,  skin->node_area, skin->edge_area};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(skin->ctx, arrays[i]);
    }
    brn_free(skin->ctx, skin);
}

bool brn_skin_may_touch(const brn_skin *skin, const int *a, int na, const int *b, int nb)
{
    bool held = true;
    for (int i = 0; i < na; ++i) {
        held = held && skin->held[a[i]];
        for (int j = 0; j < nb; ++j) {
            if (a[i] == b[j]) {
                return false;
            }
        }
    }
    for (int j = 0; j < nb; ++j) {
        held = held && skin->held[b[j]];
    }
    return !held && (skin->model->contact_self || skin->node_body[a[0]] != skin->node_body[b[0]]);
}
