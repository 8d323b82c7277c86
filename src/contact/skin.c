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

static double edge_length(const double (*x)[3], const int e[2])
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += (x[e[1]][i] - x[e[0]][i]) * (x[e[1]][i] - x[e[0]][i]);
    }
    return sqrt(sum);
}

static int edge_order(const void *a, const void *b)
{
    const int *x = a;
    const int *y = b;
    const int first = (x[0] > y[0]) - (x[0] < y[0]);
    return first != 0 ? first : (x[1] > y[1]) - (x[1] < y[1]);
}

static brn_status allocate(brn_skin *skin)
{
    const brn_model *model = skin->model;
    int npoint = 0;
    int nedge = 0;
    int ntri = 0;
    for (int b = 0; b < model->nbody; ++b) {
        npoint += model->body[b].touch->nnode;
        nedge += model->body[b].touch->nedge;
        ntri += model->body[b].touch->ntri;
    }
    BRN_ALLOC(skin->ctx, skin->point, npoint);
    BRN_ALLOC(skin->ctx, skin->lone_point, npoint);
    BRN_ALLOC(skin->ctx, skin->lone_end, npoint);
    BRN_ALLOC(skin->ctx, skin->edge, nedge);
    BRN_ALLOC(skin->ctx, skin->lone_edge, nedge);
    BRN_ALLOC(skin->ctx, skin->tri, ntri);
    BRN_ALLOC(skin->ctx, skin->plane, model->nbody);
    BRN_ALLOC(skin->ctx, skin->edge_area, nedge);
    BRN_ALLOC(skin->ctx, skin->edge_sides, nedge);
    BRN_ALLOC(skin->ctx, skin->reach, model->nbody);
    BRN_ALLOC(skin->ctx, skin->node_body, model->nnode);
    BRN_ALLOC(skin->ctx, skin->held, model->nnode);
    BRN_ALLOC(skin->ctx, skin->radius, model->nnode);
    BRN_ALLOC(skin->ctx, skin->node_area, model->nnode);
    BRN_ALLOC(skin->ctx, skin->node_sides, model->nnode);
    BRN_ALLOC(skin->ctx, skin->node_edges, model->nnode);
    return BRN_OK;
}

/* The surfaces of all bodies, joined in their order. */
static void join(brn_skin *skin)
{
    const brn_model *model = skin->model;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const brn_boundary *from = body->touch;
        skin->reach[b] = INFINITY;
        for (int i = 0; i < from->nnode; ++i) {
            skin->point[skin->npoint++] = from->node[i];
        }
        for (int i = 0; i < from->nedge; ++i, ++skin->nedge) {
            memcpy(skin->edge[skin->nedge], from->edge[i], sizeof *from->edge);
        }
        for (int i = 0; i < from->ntri && skin->dim == 3; ++i, ++skin->ntri) {
            memcpy(skin->tri[skin->ntri], from->tri[i], sizeof *from->tri);
        }
        if (body->plane[0] >= 0) {
            memcpy(skin->plane[skin->nplane++], body->plane, sizeof body->plane);
        }
        skin->round = skin->round || body->radius > 0.0;
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            skin->node_body[a] = b;
            skin->radius[a] = body->radius;
            const int row = model->node_row[a];
            skin->held[a] = row >= 0 || body->type == BRN_BODY_STATIC;
            for (int i = 0; i < skin->dim && row >= 0; ++i) {
                skin->held[a] = skin->held[a] && model->fixed[row * skin->dim + i] == BRN_DOF_HELD;
            }
        }
    }
    for (int h = 0; h < model->nhold; ++h) { /* what will be let go can touch then */
        for (int k = 0; k < model->hold[h].nnode && isfinite(model->hold[h].release); ++k) {
            skin->held[model->hold[h].node[k]] = false;
        }
    }
    if (skin->dim == 3) {
        qsort(skin->edge, (size_t)skin->nedge, sizeof *skin->edge, edge_order);
    }
}

int brn_skin_find_edge(const brn_skin *skin, int a, int b)
{
    const int wanted[2] = {a < b ? a : b, a < b ? b : a};
    const int(*found)[2] = bsearch(wanted, skin->edge, (size_t)skin->nedge, sizeof *skin->edge, edge_order);
    return found != NULL ? (int)(found - (const int(*)[2])skin->edge) : -1;
}

static void count_and_share(brn_skin *skin)
{
    const double(*rest)[3] = (const double(*)[3])skin->model->rest;
    for (int e = 0; e < skin->nedge; ++e) {
        for (int k = 0; k < 2; ++k) {
            const int a = skin->edge[e][k];
            skin->node_edges[a]++;
            if (skin->dim == 2) {
                skin->node_sides[a]++;
                skin->node_area[a] += 0.5 * edge_length(rest, skin->edge[e]);
            }
        }
    }
    for (int t = 0; t < skin->ntri; ++t) {
        const double third = triangle_area(rest, skin->tri[t]) / 3.0;
        for (int k = 0; k < 3; ++k) {
            const int a = skin->tri[t][k];
            const int edge = brn_skin_find_edge(skin, a, skin->tri[t][(k + 1) % 3]);
            skin->node_area[a] += third;
            skin->node_sides[a]++;
            if (edge >= 0) {
                skin->edge_area[edge] += third;
                skin->edge_sides[edge]++;
            }
        }
    }
}

/* Cores have the surface of their shape: a sphere 4 pi r^2, a capsule 2 pi r l along its edge and a half-sphere at each
   end; discs and stadia likewise. */
static void add_cores(brn_skin *skin)
{
    const double(*rest)[3] = (const double(*)[3])skin->model->rest;
    const double pi = acos(-1.0);
    for (int e = 0; e < skin->nedge && skin->dim == 3; ++e) {
        const int *n = skin->edge[e];
        if (skin->edge_sides[e] == 0) {
            memcpy(skin->lone_edge[skin->nlone_edge++], n, sizeof *skin->edge);
            skin->edge_area[e] = 2.0 * pi * skin->radius[n[0]] * edge_length(rest, n);
        }
    }
    for (int i = 0; i < skin->npoint; ++i) {
        const int a = skin->point[i];
        const double r = skin->radius[a];
        const bool lone = skin->node_edges[a] == 0;
        if (lone) {
            skin->lone_point[skin->nlone_point++] = a;
        }
        if (!lone && skin->dim == 3 && skin->node_sides[a] == 0) {
            skin->lone_end[skin->nlone_end++] = a;
        }
        if (lone || (skin->dim == 3 && skin->node_sides[a] == 0)) {
            const double whole = skin->dim == 3 ? 4.0 * pi * r * r : 2.0 * pi * r;
            skin->node_area[a] = lone ? whole : 0.5 * whole;
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
    const brn_status status = allocate(skin);
    if (status < 0) {
        brn_skin_destroy(skin);
        return status;
    }
    join(skin);
    count_and_share(skin);
    add_cores(skin);
    *out = skin;
    return BRN_OK;
}

void brn_skin_destroy(brn_skin *skin)
{
    if (skin == NULL) {
        return;
    }
    void *arrays[] = {skin->point,      skin->edge,       skin->tri,       skin->lone_point,
                      skin->lone_edge,  skin->plane,      skin->node_body, skin->held,
                      skin->radius,     skin->node_area,  skin->edge_area, skin->node_sides,
                      skin->node_edges, skin->edge_sides, skin->lone_end,  skin->reach};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(skin->ctx, arrays[i]);
    }
    brn_free(skin->ctx, skin);
}

/* A part that is welded to a body lies on it or in it, without a gap. */
static bool is_attached(const brn_model *model, const int *node, int count, int body)
{
    const brn_body *b = &model->body[body];
    bool attached = false;
    for (int i = 0; i < count; ++i) {
        const int to = model->attached_to[node[i]];
        attached = attached || to == body ||
                   (to >= 0 && b->robot >= 0 && model->body[to].robot == b->robot &&
                    model->body[to].link == b->link);
    }
    return attached;
}

/* A node that both have: nodes belong to one body. */
static bool share_node(const int *a, int na, const int *b, int nb)
{
    bool shared = false;
    for (int i = 0; i < na && !shared; ++i) {
        for (int j = 0; j < nb; ++j) {
            shared = shared || a[i] == b[j];
        }
    }
    return shared;
}

static bool all_held(const brn_skin *skin, const int *node, int count)
{
    bool held = true;
    for (int i = 0; i < count && held; ++i) {
        held = skin->held[node[i]];
    }
    return held;
}

bool brn_skin_may_touch(const brn_skin *skin, const int *a, int na, const int *b, int nb)
{
    const brn_model *model = skin->model;
    const int body = skin->node_body[a[0]];
    const int other = skin->node_body[b[0]];
    if (body == other &&
        (!model->contact_self || model->body[body].type == BRN_BODY_RIGID || share_node(a, na, b, nb))) {
        return false;
    }
    if (model->attached_to != NULL && (is_attached(model, a, na, other) || is_attached(model, b, nb, body))) {
        return false;
    }
    if ((model->apart != NULL || model->nrobot > 0 || model->nconnect > 0) &&
        brn_model_apart(model, body, other)) {
        return false;
    }
    return !(all_held(skin, a, na) && all_held(skin, b, nb));
}

void brn_skin_plane_normal(const brn_skin *skin, const int *plane, const double *x, double n[3])
{
    double a[3];
    double b[3] = {0.0, 0.0, 1.0};
    for (int i = 0; i < 3; ++i) {
        a[i] = x[3 * plane[1] + i] - x[3 * plane[0] + i];
        b[i] = skin->dim == 3 ? x[3 * plane[2] + i] - x[3 * plane[0] + i] : b[i];
    }
    if (skin->dim == 3) {
        brn_dense_cross3(a, b, n);
    } else {
        brn_dense_cross3(b, a, n);
    }
    const double length = sqrt(brn_dense_dot3(n, n));
    for (int i = 0; i < 3; ++i) {
        n[i] /= length;
    }
}

double brn_skin_plane_distance(const brn_skin *skin, const int *plane, const double p[3], const double *x)
{
    double n[3];
    double r[3];
    brn_skin_plane_normal(skin, plane, x, n);
    for (int i = 0; i < 3; ++i) {
        r[i] = p[i] - x[3 * plane[0] + i];
    }
    return brn_dense_dot3(n, r);
}
