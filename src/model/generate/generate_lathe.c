/* A triangle surface: a line in the (r, z) half-plane turned about z. Funnels, cones, bowls, tubes, as obstacles. Points of
   the line on the axis become one node; a line that ends where it starts makes a closed surface. Where the line runs
   upwards the triangles face away from the axis. */
#include "model/generate/generate.h"

#include "geom/intersect.h"

typedef struct lathe_params {
    brn_block block;
    brn_rows profile; /* [m] */
    int segments;
    double resolution; /* [m] */
} lathe_params;

static const brn_param params[] = {
    {.name = "profile",
     .kind = BRN_ROWS,
     .offset = offsetof(lathe_params, profile),
     .unit = "m",
     .required = true,
     .count = 2,
     .help = "points [r, z] of the line, r >= 0; only its ends may lie on the axis"},
    BRN_P_INT(lathe_params, segments, 32, 3, 1000000, "parts of a full turn"),
    BRN_P_REAL(lathe_params, resolution, "m", 0.0, 0.0, INFINITY, BRN_OPEN_HIGH,
               "longest edge along the line; 0: only its points"),
};

static const brn_table table = {
    .name = "lathe",
    .help = "an open or closed surface about z: a line turned about the axis; groups start, end",
    .size = sizeof(lathe_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

/* The line cut to the resolution; a ring of nodes for each of its points. */
typedef struct lathe_work {
    const lathe_params *p;
    brn_mesh *mesh;
    int nring;          /* different ones */
    int nband;          /* bands of triangles between neighbouring rings */
    bool closed;        /* the last band ends at the first ring */
    double (*point)[2]; /* [nring] r, z */
    int *first;         /* [nring + 1] first node of a ring */
} lathe_work;

static const double *row(const lathe_params *p, int i)
{
    return p->profile.v + 2 * (size_t)i;
}

static int parts(const lathe_params *p, int i)
{
    const double *a = row(p, i), *b = row(p, i + 1);
    return p->resolution > 0.0 ? brn_generate_parts(hypot(b[0] - a[0], b[1] - a[1]), p->resolution, 1) : 1;
}

static bool is_closed(const lathe_params *p)
{
    const double *a = row(p, 0), *b = row(p, p->profile.rows - 1);
    return a[0] == b[0] && a[1] == b[1];
}

static brn_status check_profile(brn_ctx *ctx, const lathe_params *p)
{
    const char *path = brn_generate_path(&table, p);
    const int n = p->profile.rows;
    if (n < 2 || p->profile.columns != 2) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.profile: needs at least 2 points [r, z]", path);
    }
    for (int i = 0; i < n; ++i) {
        const double r = row(p, i)[0];
        const bool end = i == 0 || i == n - 1;
        if (!(r > 0.0 || (end && r == 0.0))) {
            return brn_fail(ctx, BRN_ERR_RANGE, "%s.profile[%d]: r = %g must be %s 0", path, i, r,
                            end ? ">=" : ">");
        }
        if (i > 0 && r == row(p, i - 1)[0] && row(p, i)[1] == row(p, i - 1)[1]) {
            return brn_fail(ctx, BRN_ERR_RANGE, "%s.profile[%d]: the same point as the one before", path, i);
        }
    }
    if (n == 2 && row(p, 0)[0] == 0.0 && row(p, 1)[0] == 0.0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.profile: lies on the axis", path);
    }
    if (is_closed(p) && (n < 4 || row(p, 0)[0] == 0.0)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.profile: a closed line needs 4 points off the axis", path);
    }
    return BRN_OK;
}

/* Surfaces turned from lines that cross, touch or run back over themselves do the same. */
static brn_status check_crossing(brn_ctx *ctx, const lathe_params *p)
{
    const int nedge = p->profile.rows - 1;
    const int nnode = is_closed(p) ? nedge : nedge + 1;
    double(*pos)[3] = brn_calloc(ctx, (size_t)nnode, sizeof *pos);
    int(*edge)[2] = brn_calloc(ctx, (size_t)nedge, sizeof *edge);
    brn_intersect *check = NULL;
    brn_status status = pos != NULL && edge != NULL ? brn_intersect_create(ctx, &check) : BRN_ERR_MEMORY;
    int bad = -1;
    for (int i = 0; i < nedge && status >= 0; ++i) {
        const double *a = row(p, i), *b = row(p, i + 1), *c = row(p, i + 2 <= nedge ? i + 2 : 1);
        edge[i][0] = i;
        edge[i][1] = (i + 1) % nnode;
        pos[i][0] = a[0];
        pos[i][1] = a[1];
        pos[(i + 1) % nnode][0] = b[0];
        pos[(i + 1) % nnode][1] = b[1];
        /* Neighbours share a point and must share no other. */
        const bool next = i + 1 < nedge || is_closed(p);
        if (bad < 0 && next &&
            (brn_intersect_segments2d(c, c, a, b) || brn_intersect_segments2d(a, a, b, c))) {
            bad = i;
        }
    }
    if (status >= 0 && bad < 0) {
        const brn_surface line = {.dim = 2,
                                  .nnode = nnode,
                                  .pos = (const double(*)[3])pos,
                                  .nedge = nedge,
                                  .edge = (const int(*)[2])edge};
        brn_intersection found = {0};
        size_t count = 0;
        status = brn_intersect_surface(check, &line, &found, 1, &count);
        bad = count > 0 ? found.edge : -1;
    }
    brn_intersect_destroy(check);
    brn_free(ctx, edge);
    brn_free(ctx, pos);
    if (status >= 0 && bad >= 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.profile[%d]: the line from here meets another part of it",
                        brn_generate_path(&table, p), bad);
    }
    return status;
}

static void cut_line(lathe_work *w)
{
    const lathe_params *p = w->p;
    int ring = 0;
    for (int i = 0; i + 1 < p->profile.rows; ++i) {
        const double *a = row(p, i), *b = row(p, i + 1);
        const int n = parts(p, i);
        for (int k = 0; k < n; ++k, ++ring) {
            const double t = (double)k / n;
            w->point[ring][0] = (1.0 - t) * a[0] + t * b[0];
            w->point[ring][1] = (1.0 - t) * a[1] + t * b[1];
        }
    }
    if (!w->closed) {
        w->point[ring][0] = row(p, p->profile.rows - 1)[0];
        w->point[ring][1] = row(p, p->profile.rows - 1)[1];
    }
    for (ring = 0; ring < w->nring; ++ring) {
        w->first[ring + 1] = w->first[ring] + (w->point[ring][0] > 0.0 ? p->segments : 1);
    }
}

static void place_nodes(const lathe_work *w)
{
    for (int ring = 0; ring < w->nring; ++ring) {
        const int first = w->first[ring];
        for (int i = first; i < w->first[ring + 1]; ++i) {
            const double angle = 2.0 * M_PI * ((double)(i - first) / w->p->segments);
            w->mesh->pos[i][0] = w->point[ring][0] * cos(angle);
            w->mesh->pos[i][1] = w->point[ring][0] * sin(angle);
            w->mesh->pos[i][2] = w->point[ring][1];
        }
    }
}

static int ring_node(const lathe_work *w, int ring, int i)
{
    const int first = w->first[ring], count = w->first[ring + 1] - first;
    return first + i % count;
}

static void connect(const lathe_work *w)
{
    int *tri = w->mesh->cell[BRN_TRI3];
    for (int band = 0; band < w->nband; ++band) {
        for (int i = 0; i < w->p->segments; ++i) {
            const int above = (band + 1) % w->nring;
            const int quad[4] = {ring_node(w, band, i), ring_node(w, band, i + 1), ring_node(w, above, i + 1),
                                 ring_node(w, above, i)};
            /* Alternating diagonals; a point on the axis leaves one triangle. */
            const int s = (i + band) & 1;
            for (int t = 0; t < 2; ++t) {
                const int corner[3] = {quad[s], quad[s + 1 + t], quad[(s + 2 + t) % 4]};
                if (corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0]) {
                    *tri++ = corner[0];
                    *tri++ = corner[1];
                    *tri++ = corner[2];
                }
            }
        }
    }
}

static brn_status add_groups(const lathe_work *w)
{
    for (int end = 0; !w->closed && end < 2; ++end) {
        const int ring = end == 0 ? 0 : w->nring - 1, count = w->first[ring + 1] - w->first[ring];
        int *node = NULL;
        BRN_ALLOC(w->mesh->ctx, node, count);
        for (int i = 0; i < count; ++i) {
            node[i] = w->first[ring] + i;
        }
        const brn_status status = brn_mesh_add_group(w->mesh, end == 0 ? "start" : "end", node, count);
        brn_free(w->mesh->ctx, node);
        BRN_TRY(status);
    }
    return BRN_OK;
}

static brn_status build(brn_ctx *ctx, lathe_work *w)
{
    BRN_ALLOC(ctx, w->point, w->nring);
    BRN_ALLOC(ctx, w->first, (size_t)w->nring + 1);
    cut_line(w);
    const int tips = (w->point[0][0] == 0.0) + (w->point[w->nring - 1][0] == 0.0);
    BRN_TRY(brn_mesh_create(ctx, w->first[w->nring], &w->mesh));
    BRN_TRY(brn_mesh_alloc_cells(w->mesh, BRN_TRI3, (2 * w->nband - tips) * w->p->segments));
    place_nodes(w);
    connect(w);
    return add_groups(w);
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const lathe_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    BRN_TRY(check_profile(ctx, p));
    BRN_TRY(check_crossing(ctx, p));
    double bands = 0.0;
    for (int i = 0; i + 1 < p->profile.rows; ++i) {
        bands += parts(p, i);
    }
    BRN_TRY(brn_generate_limit(ctx, &table, p, "resolution", 2.0 * bands * p->segments));
    lathe_work w = {.p = p, .nband = (int)bands, .closed = is_closed(p)};
    w.nring = w.nband + !w.closed;
    const brn_status status = build(ctx, &w);
    brn_free(ctx, w.point);
    brn_free(ctx, w.first);
    if (status < 0) {
        brn_mesh_destroy(w.mesh);
        return status;
    }
    *out = w.mesh;
    return BRN_OK;
}

/* Of the solid that a closed line, or one from axis to axis, makes: a sum of truncated cones. An open surface has none. */
static double volume(const void *given)
{
    const lathe_params *p = given;
    const int n = p->profile.rows;
    if (!is_closed(p) && (row(p, 0)[0] != 0.0 || row(p, n - 1)[0] != 0.0)) {
        return NAN;
    }
    double sum = 0.0;
    for (int i = 0; i + 1 < n; ++i) {
        const double *a = row(p, i), *b = row(p, i + 1);
        sum += M_PI / 3.0 * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0]) * (b[1] - a[1]);
    }
    return fabs(sum);
}

const brn_generator brn_generator_lathe = {&table, generate, volume};
