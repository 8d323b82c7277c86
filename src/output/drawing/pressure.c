#include "output/drawing/pressure.h"

#include "base/parallel.h"
#include "geom/distance.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64 }; /* sides of contact points */

/* Where one side of a contact point acts. */
typedef struct brn_pressure_hit {
    int facet; /* -1: nowhere */
    double weight[3];
} hit;

static const int *facet_vertices(const brn_pressure *p, int facet)
{
    return p->width == 3 ? p->surface->tri[facet] : p->surface->edge[facet];
}

static const int *facet_first(const brn_pressure *p)
{
    return p->width == 3 ? p->surface->tri_first : p->surface->edge_first;
}

brn_status brn_pressure_make(brn_pressure *p, const brn_drawing *surface, int dim)
{
    brn_ctx *ctx = p->ctx;
    p->surface = surface;
    p->width = dim;
    const int *first = facet_first(p);
    int most = 0;
    for (int b = 0; b < surface->nbody; ++b) {
        most = first[b + 1] - first[b] > most ? first[b + 1] - first[b] : most;
    }
    BRN_ALLOC(ctx, p->tree, surface->nbody);
    BRN_ALLOC(ctx, p->pos, surface->nvertex);
    BRN_ALLOC(ctx, p->force, surface->nvertex);
    BRN_ALLOC(ctx, p->area, surface->nvertex);
    BRN_ALLOC(ctx, p->box, most);
    BRN_ALLOC(ctx, p->touched, surface->nbody);
    return BRN_OK;
}

void brn_pressure_clear(brn_pressure *p)
{
    brn_ctx *ctx = p->ctx;
    for (int b = 0; p->tree != NULL && b < p->surface->nbody; ++b) {
        brn_bvh_destroy(p->tree[b]);
    }
    brn_free(ctx, p->tree);
    brn_free(ctx, p->pos);
    brn_free(ctx, p->force);
    brn_free(ctx, p->area);
    brn_free(ctx, p->box);
    brn_free(ctx, p->touched);
    brn_free(ctx, p->hit);
    *p = (brn_pressure){.ctx = ctx};
}

/* ---- where a point acts --------------------------------------------------------------------------------------------- */

typedef struct query {
    const brn_pressure *pressure;
    int first;         /* facet of the body */
    double point[3];   /* [m] */
    double inwards[3]; /* the force's direction */
    /* only facets whose outer side the force pushes: if a body touches itself, two are equally near */
    bool faced;
} query;

static void gather(const query *q, int facet, double x[4][3])
{
    const int *v = facet_vertices(q->pressure, facet);
    memcpy(x[0], q->point, sizeof x[0]);
    for (int i = 0; i < q->pressure->width; ++i) {
        memcpy(x[i + 1], q->pressure->pos[v[i]], sizeof x[0]);
    }
}

/* Against the outward normal: does the force push the facet's outer side? */
static bool faces(const query *q, double x[4][3])
{
    double a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = x[2][i] - x[1][i];
        b[i] = q->pressure->width == 3 ? x[3][i] - x[1][i] : 0.0;
    }
    b[2] = q->pressure->width == 3 ? b[2] : 1.0; /* the solid is on the left of an edge */
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    return n[0] * q->inwards[0] + n[1] * q->inwards[1] + n[2] * q->inwards[2] < 0.0;
}

static double facet_distance(const void *arg, int item)
{
    const query *q = arg;
    double x[4][3];
    gather(q, q->first + item, x);
    if (q->faced && !faces(q, x)) {
        return INFINITY;
    }
    return q->pressure->width == 3 ? brn_distance_point_triangle2((const double(*)[3])x)
                                   : brn_distance_point_edge2((const double(*)[3])x);
}

static void find_hit(query *q, int body, hit *out)
{
    const brn_bvh *tree = q->pressure->tree[body];
    int item = brn_bvh_nearest(tree, q->point, facet_distance, q);
    if (item < 0 && q->faced) {
        q->faced = false;
        item = brn_bvh_nearest(tree, q->point, facet_distance, q);
    }
    *out = (hit){.facet = -1};
    if (item < 0) {
        return;
    }
    double x[4][3];
    double w[4];
    double n[3];
    gather(q, q->first + item, x);
    const double(*nodes)[3] = (const double(*)[3])x;
    const brn_stencil stencil =
        q->pressure->width == 3 ? brn_classify_point_triangle(nodes) : brn_classify_point_edge(nodes);
    (void)brn_stencil_closest(stencil, nodes, w, n);
    /* The point is the stencil's first node; the facet's weights have the other sign. They sum to 1 up to rounding. */
    double sum = 0.0;
    for (int i = 1; i < stencil.count; ++i) {
        sum += w[i];
    }
    out->facet = q->first + item;
    for (int i = 1; i < stencil.count; ++i) {
        out->weight[stencil.node[i] - 1] = w[i] / sum;
    }
}

/* ---- a frame -------------------------------------------------------------------------------------------------------- */

typedef struct job {
    const brn_pressure *pressure;
    const brn_contact_point *point;
    int nside;
} job;

static bool usable(const brn_contact_point *c)
{
    double sum = c->normal_force + c->gap;
    for (int i = 0; i < 3; ++i) {
        sum += c->place[i] + c->normal[i];
    }
    return isfinite(sum);
}

static brn_status hit_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const job *j = arg;
    const brn_pressure *p = j->pressure;
    const int end = brn_block_end(j->nside, BLOCK, block);
    for (int s = block * BLOCK; s < end; ++s) {
        const brn_contact_point *c = &j->point[s / 2];
        const int body = c->body[s % 2];
        const double sign = s % 2 == 0 ? 1.0 : -1.0;
        p->hit[s] = (hit){.facet = -1};
        if (!usable(c) || p->surface->plane[body] || p->tree[body] == NULL) {
            continue;
        }
        query q = {.pressure = p, .first = facet_first(p)[body], .faced = c->body[0] == c->body[1]};
        for (int i = 0; i < 3; ++i) {
            /* The place is half-way between the two surfaces. */
            q.point[i] = c->place[i] + 0.5 * sign * c->gap * c->normal[i];
            q.inwards[i] = sign * c->normal[i];
        }
        find_hit(&q, body, &p->hit[s]);
    }
    return BRN_OK;
}

/* The trees of the bodies that are touched, at the present positions. */
static brn_status update_trees(brn_pressure *p, const brn_contact_point *point, int npoint)
{
    const int *first = facet_first(p);
    memset(p->touched, 0, (size_t)p->surface->nbody * sizeof *p->touched);
    for (int k = 0; k < 2 * npoint; ++k) {
        p->touched[point[k / 2].body[k % 2]] = true;
    }
    for (int b = 0; b < p->surface->nbody; ++b) {
        const int n = first[b + 1] - first[b];
        if (!p->touched[b] || p->surface->plane[b] || n == 0) {
            continue;
        }
        const brn_box_sweep sweep = {.count = n,
                                     .width = p->width,
                                     .node = facet_vertices(p, first[b]),
                                     .x0 = (const double(*)[3])p->pos};
        BRN_TRY(brn_box_sweep_all(p->ctx, &sweep, p->box));
        if (p->tree[b] != NULL) {
            BRN_TRY(brn_bvh_refit(p->tree[b], p->box));
            continue;
        }
        brn_bvh *tree = NULL;
        BRN_TRY(brn_bvh_create(p->ctx, &tree));
        const brn_status status = brn_bvh_build(tree, p->box, n);
        if (status < 0) {
            brn_bvh_destroy(tree);
            return status;
        }
        p->tree[b] = tree;
    }
    return BRN_OK;
}

/* [m^2], in 2D [m]: share of each vertex of a touched body in the facets around it. */
static void find_areas(brn_pressure *p)
{
    const int *first = facet_first(p);
    for (int b = 0; b < p->surface->nbody; ++b) {
        for (int f = first[b]; p->touched[b] && f < first[b + 1]; ++f) {
            const int *v = facet_vertices(p, f);
            double a[3], c[3];
            for (int i = 0; i < 3; ++i) {
                a[i] = p->pos[v[1]][i] - p->pos[v[0]][i];
                c[i] = p->width == 3 ? p->pos[v[2]][i] - p->pos[v[0]][i] : 0.0;
            }
            c[2] = p->width == 3 ? c[2] : 1.0;
            const double n[3] = {a[1] * c[2] - a[2] * c[1], a[2] * c[0] - a[0] * c[2],
                                 a[0] * c[1] - a[1] * c[0]};
            const double area =
                sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * (p->width == 3 ? 1.0 / 6.0 : 1.0 / 2.0);
            for (int i = 0; i < p->width; ++i) {
                p->area[v[i]] += area;
            }
        }
    }
}

brn_status brn_pressure_find(brn_pressure *p, const double *pos, const brn_contact_point *point, int npoint,
                             float *out)
{
    const brn_drawing *s = p->surface;
    memset(p->force, 0, (size_t)s->nvertex * sizeof *p->force);
    memset(p->area, 0, (size_t)s->nvertex * sizeof *p->area);
    for (int v = 0; v < s->nvertex; ++v) {
        memcpy(p->pos[v], pos + 3 * (size_t)s->node[v], sizeof p->pos[v]);
    }
    if (npoint > INT32_MAX / 2) {
        return brn_fail(p->ctx, BRN_ERR_LIMIT, "view: %d contacts in a frame", npoint);
    }
    BRN_TRY(update_trees(p, point, npoint));
    find_areas(p);
    BRN_GROW(p->ctx, p->hit, p->hit_capacity, 2 * (size_t)npoint);
    job j = {p, point, 2 * npoint};
    BRN_TRY(brn_parallel_for(p->ctx, brn_block_count(j.nside, BLOCK), hit_block, &j));
    for (int k = 0; k < j.nside; ++k) {
        const hit *h = &p->hit[k];
        for (int i = 0; h->facet >= 0 && i < p->width; ++i) {
            p->force[facet_vertices(p, h->facet)[i]] += h->weight[i] * point[k / 2].normal_force;
        }
    }
    for (int v = 0; v < s->nvertex; ++v) {
        out[v] = p->area[v] > 0.0 ? brn_drawing_float(p->force[v] / p->area[v]) : 0.0f;
    }
    return BRN_OK;
}
