/* How far apart two surfaces are that a mode has moved: the largest distance of a point of one from the other, both ways. Points are the
   nodes and the middles of the triangles. */
#include "geom/bvh.h"
#include "geom/distance.h"
#include "study/sample.h"

#include <math.h>
#include <string.h>

/* A body's surface, moved. */
typedef struct surface {
    int node_first, nnode;
    double (*x)[3]; /* [nnode] */
    const brn_boundary *boundary;
    brn_bvh *tree;
    brn_box *box;
} surface;

/* u: [nnode][3] displacement of the body's nodes. */
static brn_status surface_open(const brn_sample *sample, const double *u, double scale, surface *s)
{
    const brn_body *body = brn_sample_body(sample);
    *s = (surface){.node_first = body->node_first, .nnode = body->node_count, .boundary = body->boundary};
    BRN_ALLOC(sample->ctx, s->x, s->nnode);
    BRN_ALLOC(sample->ctx, s->box, s->boundary->ntri);
    for (int n = 0; n < s->nnode; ++n) {
        for (int i = 0; i < 3; ++i) {
            s->x[n][i] = sample->model->rest[s->node_first + n][i] + scale * u[3 * n + i];
        }
    }
    for (int t = 0; t < s->boundary->ntri; ++t) {
        const double *x[3];
        for (int a = 0; a < 3; ++a) {
            x[a] = s->x[s->boundary->tri[t][a] - s->node_first];
        }
        for (int i = 0; i < 3; ++i) {
            s->box[t].lo[i] = fmin(fmin(x[0][i], x[1][i]), x[2][i]);
            s->box[t].hi[i] = fmax(fmax(x[0][i], x[1][i]), x[2][i]);
        }
    }
    BRN_TRY(brn_bvh_create(sample->ctx, &s->tree));
    return brn_bvh_build(s->tree, s->box, s->boundary->ntri);
}

static void surface_close(brn_ctx *ctx, surface *s)
{
    brn_bvh_destroy(s->tree);
    brn_free(ctx, s->box);
    brn_free(ctx, s->x);
}

typedef struct search {
    const surface *in;
    const double *point;
} search;

static double distance2(const void *arg, int triangle)
{
    const search *s = arg;
    double x[4][3];
    memcpy(x[0], s->point, sizeof x[0]);
    for (int a = 0; a < 3; ++a) {
        memcpy(x[a + 1], s->in->x[s->in->boundary->tri[triangle][a] - s->in->node_first], sizeof x[a + 1]);
    }
    return brn_distance_point_triangle2((const double(*)[3])x);
}

static double from_point(const surface *to, const double point[3])
{
    const search s = {to, point};
    const int triangle = brn_bvh_nearest(to->tree, point, distance2, &s);
    return triangle >= 0 ? sqrt(distance2(&s, triangle)) : INFINITY;
}

static double one_way(const surface *from, const surface *to)
{
    double most = 0.0;
    for (int n = 0; n < from->boundary->nnode; ++n) {
        most = fmax(most, from_point(to, from->x[from->boundary->node[n] - from->node_first]));
    }
    for (int t = 0; t < from->boundary->ntri; ++t) {
        double middle[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < 9; ++a) {
            middle[a % 3] += from->x[from->boundary->tri[t][a / 3] - from->node_first][a % 3] / 3.0;
        }
        most = fmax(most, from_point(to, middle));
    }
    return most;
}

brn_status brn_sample_distance(const brn_sample *fine, const brn_sample *coarse, const brn_match *match,
                               int mode, double scale, double *out)
{
    const double *of_fine = &brn_sample_mode(fine, mode).shape[3 * (size_t)brn_sample_body(fine)->node_first];
    const double *of_coarse = &match->shape[3 * (size_t)mode * (size_t)match->nnode];
    surface a = {0};
    surface b = {0};
    brn_status status = surface_open(fine, of_fine, scale, &a);
    status = status >= 0 ? surface_open(coarse, of_coarse, scale, &b) : status;
    if (status >= 0) {
        *out = fmax(one_way(&a, &b), one_way(&b, &a)) / scale;
    }
    surface_close(fine->ctx, &a);
    surface_close(fine->ctx, &b);
    return status;
}
