/* Modes of a fine mesh found again on a coarse one. The fine shapes are interpolated at the nodes of the coarse mesh, and compared there
   with the diagonal of the mass as weights:

       c_ij = <p_i, y_j> / (|p_i| |y_j|),      the modal assurance criterion is c^2.

   Frequencies that lie close together belong to shapes that any change of the mesh mixes, so that only their span means anything: such
   a cluster is matched as a whole, and the coarse shapes are turned within it to the fine ones (orthogonal Procrustes problem:
   the orthogonal matrix nearest to c is c (c'c)^(-1/2) [Higham 1986]). */
#include "base/arena.h"
#include "geom/bvh.h"
#include "linalg/blas.h"
#include "model/cell_place.h"
#include "study/sample.h"

#include <math.h>
#include <string.h>

/* Frequencies nearer than this fraction are of one cluster. */
static const double CLOSE = 0.05;

/* ---- fine shapes at coarse nodes -------------------------------------------------------------------------------------------- */

/* The cells of a body: element e of the groups one after the other. */
typedef struct cells {
    const brn_sample *sample;
    brn_bvh *tree;
    brn_box *box;
    int count;
    double place[3];
} cells;

static const brn_element *gather(const cells *c, int cell, const int **node,
                                 double x[BRN_ELEMENT_NODES_MAX][3])
{
    const brn_model *model = c->sample->model;
    int group = brn_sample_body(c->sample)->group_first;
    while (cell >= model->group[group]->nelem) {
        cell -= model->group[group++]->nelem;
    }
    const brn_element_group *g = model->group[group];
    *node = &g->conn[(size_t)cell * (size_t)g->nnode];
    for (int a = 0; a < g->nnode; ++a) {
        memcpy(x[a], model->rest[(*node)[a]], sizeof x[a]);
    }
    return brn_element_of_cell((brn_cell)g->cell);
}

static double distance2(const void *arg, int cell)
{
    const cells *c = arg;
    const int *node = NULL;
    double x[BRN_ELEMENT_NODES_MAX][3];
    brn_cell_place place;
    double apart = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double off =
            fmax(fmax(c->box[cell].lo[i] - c->place[i], c->place[i] - c->box[cell].hi[i]), 0.0);
        apart += off * off;
    }
    brn_cell_place_find(gather(c, cell, &node, x), (const double(*)[3])x, c->place, &place);
    return fmax(place.distance * place.distance, apart);
}

static brn_status cells_open(const brn_sample *sample, cells *c)
{
    const brn_body *body = brn_sample_body(sample);
    *c = (cells){.sample = sample};
    for (int g = 0; g < body->group_count; ++g) {
        c->count += sample->model->group[body->group_first + g]->nelem;
    }
    BRN_TRY(brn_bvh_create(sample->ctx, &c->tree));
    BRN_ALLOC(sample->ctx, c->box, c->count);
    for (int e = 0; e < c->count; ++e) {
        const int *node = NULL;
        double x[BRN_ELEMENT_NODES_MAX][3];
        const brn_element *element = gather(c, e, &node, x);
        c->box[e] = (brn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int a = 0; a < element->nnode; ++a) {
            for (int i = 0; i < 3; ++i) {
                c->box[e].lo[i] = fmin(c->box[e].lo[i], x[a][i]);
                c->box[e].hi[i] = fmax(c->box[e].hi[i], x[a][i]);
            }
        }
    }
    return brn_bvh_build(c->tree, c->box, c->count);
}

static void cells_close(cells *c)
{
    brn_bvh_destroy(c->tree);
    brn_free(c->sample->ctx, c->box);
}

/* out: [modes][nodes of the coarse body][3]. */
static brn_status carry(const brn_sample *fine, const brn_sample *coarse, int modes, double *out)
{
    const brn_body *to = brn_sample_body(coarse);
    cells c;
    brn_status status = cells_open(fine, &c);
    for (int n = 0; n < to->node_count && status >= 0; ++n) {
        const int *node = NULL;
        double x[BRN_ELEMENT_NODES_MAX][3];
        brn_cell_place at;
        memcpy(c.place, coarse->model->rest[to->node_first + n], sizeof c.place);
        const int cell = brn_bvh_nearest(c.tree, c.place, distance2, &c);
        if (cell < 0) {
            status = brn_fail(fine->ctx, BRN_ERR_MESH, "body '%s' has no cells", to->name);
            break;
        }
        const brn_element *element = gather(&c, cell, &node, x);
        brn_cell_place_find(element, (const double(*)[3])x, c.place, &at);
        for (int m = 0; m < modes; ++m) {
            const double *shape = brn_sample_mode(fine, m).shape;
            double *u = &out[3 * ((size_t)m * (size_t)to->node_count + (size_t)n)];
            for (int a = 0; a < element->nnode; ++a) {
                for (int i = 0; i < 3; ++i) {
                    u[i] += at.weight[a] * shape[3 * node[a] + i];
                }
            }
        }
        status = brn_ctx_check(fine->ctx);
    }
    cells_close(&c);
    return status;
}

/* ---- which is which ------------------------------------------------------------------------------------------------------- */

typedef struct pairing {
    const brn_sample *fine, *coarse;
    int modes;       /* of the fine one */
    double *carried; /* [modes][nodes][3] */
    double *c;       /* [modes][coarse->elastic] */
    double *norm;    /* [modes] of the carried shapes */
    bool *taken;     /* [coarse->elastic] */
} pairing;

static const double *coarse_shape(const pairing *p, int mode)
{
    return &brn_sample_mode(p->coarse, mode).shape[3 * (size_t)brn_sample_body(p->coarse)->node_first];
}

static double weigh(const pairing *p, const double *a, const double *b)
{
    const brn_model *model = p->coarse->model;
    const brn_body *body = brn_sample_body(p->coarse);
    double sum = 0.0;
    for (int n = 0; n < body->node_count; ++n) {
        const int row = model->node_row[body->node_first + n];
        const double mass = row >= 0 ? model->mass->value[model->mass->start[row]] : 0.0;
        sum += mass * (a[3 * n] * b[3 * n] + a[3 * n + 1] * b[3 * n + 1] + a[3 * n + 2] * b[3 * n + 2]);
    }
    return sum;
}

static void correlate(pairing *p)
{
    const size_t length = 3 * (size_t)brn_sample_body(p->coarse)->node_count;
    for (int i = 0; i < p->modes; ++i) {
        const double *a = &p->carried[(size_t)i * length];
        p->norm[i] = sqrt(weigh(p, a, a));
        for (int j = 0; j < p->coarse->elastic; ++j) {
            const double *b = coarse_shape(p, j);
            const double both = p->norm[i] * sqrt(weigh(p, b, b));
            p->c[i * p->coarse->elastic + j] = both > 0.0 ? weigh(p, a, b) / both : 0.0;
        }
    }
}

/* The coarse modes, ascending, that have most of the cluster's span and are not another's. False: there are not enough. */
static bool choose(pairing *p, int first, int count, int *chosen)
{
    const int all = p->coarse->elastic;
    bool *mine = &p->taken[all];
    memset(mine, 0, (size_t)all * sizeof *mine);
    for (int k = 0; k < count; ++k) {
        int best = -1;
        double most = 0.0;
        for (int j = 0; j < all; ++j) {
            double sum = 0.0;
            for (int i = first; i < first + count; ++i) {
                sum += p->c[i * all + j] * p->c[i * all + j];
            }
            if (!p->taken[j] && !mine[j] && sum > most) {
                best = j;
                most = sum;
            }
        }
        if (best < 0) {
            return false;
        }
        mine[best] = true;
    }
    for (int j = 0, k = 0; j < all; ++j) {
        if (mine[j]) {
            p->taken[j] = true;
            chosen[k++] = j;
        }
    }
    return true;
}

/* turn[n][n], by rows: the orthogonal matrix nearest to the block of c. work: [n (2 n + 1) + 66 n] */
static brn_status turn_to(const pairing *p, int first, int n, const int *chosen, double *turn, double *work)
{
    double *gram = work;          /* c'c, then its vectors by columns */
    double *value = gram + n * n; /* its eigenvalues */
    double *root = value + n;     /* (c'c)^(-1/2) */
    double *scratch = root + n * n;
    const int all = p->coarse->elastic;
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
            gram[a * n + b] = 0.0;
            for (int i = first; i < first + n; ++i) {
                gram[a * n + b] += p->c[i * all + chosen[a]] * p->c[i * all + chosen[b]];
            }
        }
    }
    const int room = 66 * n;
    int info = 0;
    dsyev_("V", "U", &n, gram, &n, value, scratch, &room, &info);
    if (info != 0) {
        return brn_fail(p->fine->ctx, BRN_ERR_NOT_FINITE, "modes: LAPACK's dsyev failed (%d)", info);
    }
    for (int a = 0; a < n * n; ++a) {
        root[a] = 0.0;
        for (int k = 0; k < n; ++k) {
            root[a] += gram[k * n + a / n] * gram[k * n + a % n] / sqrt(fmax(value[k], 1e-12));
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int b = 0; b < n; ++b) {
            turn[i * n + b] = 0.0;
            for (int a = 0; a < n; ++a) {
                turn[i * n + b] += p->c[(first + i) * all + chosen[a]] * root[a * n + b];
            }
        }
    }
    return BRN_OK;
}

/* The combination of coarse shapes for a fine one, as large as that: of all multiples the nearest. */
static void combine(const pairing *p, int mode, int n, const int *chosen, const double *row, brn_match *out)
{
    const size_t length = 3 * (size_t)out->nnode;
    double *shape = &out->shape[(size_t)mode * length];
    const double *want = &p->carried[(size_t)mode * length];
    for (int k = 0; k < n; ++k) {
        const double *part = coarse_shape(p, chosen[k]);
        const double factor = row[k] / sqrt(weigh(p, part, part));
        for (size_t i = 0; i < length; ++i) {
            shape[i] += factor * part[i];
        }
    }
    const double own = weigh(p, shape, shape);
    const double both = weigh(p, shape, want);
    const double size = own > 0.0 ? both / own : 0.0;
    for (size_t i = 0; i < length; ++i) {
        shape[i] *= size;
    }
    out->alike[mode] = own > 0.0 ? both * both / (own * p->norm[mode] * p->norm[mode]) : 0.0;
}

static brn_status match_cluster(pairing *p, int first, int n, brn_match *out)
{
    brn_arena *arena = brn_ctx_arena(p->fine->ctx);
    int *chosen = NULL;
    double *turn = NULL;
    double *work = NULL;
    BRN_TAKE(arena, chosen, n);
    BRN_TAKE(arena, turn, n * n);
    BRN_TAKE(arena, work, n * (2 * n + 1) + 66 * n);
    if (!choose(p, first, n, chosen)) {
        return BRN_OK;
    }
    BRN_TRY(turn_to(p, first, n, chosen, turn, work));
    for (int i = 0; i < n; ++i) {
        out->lambda[first + i] = brn_sample_mode(p->coarse, chosen[i]).lambda;
        combine(p, first + i, n, chosen, &turn[i * n], out);
    }
    return BRN_OK;
}

static brn_status match_all(pairing *p, brn_match *out)
{
    for (int first = 0; first < p->modes;) {
        int end = first + 1;
        while (end < p->modes && brn_sample_mode(p->fine, end).frequency <
                                     (1.0 + CLOSE) * brn_sample_mode(p->fine, end - 1).frequency) {
            ++end;
        }
        BRN_TRY(match_cluster(p, first, end - first, out));
        first = end;
    }
    return BRN_OK;
}

static brn_status fill(pairing *p, brn_match *out)
{
    brn_ctx *ctx = out->ctx;
    const size_t length = 3 * (size_t)out->nnode;
    BRN_ALLOC(ctx, out->lambda, out->modes);
    BRN_ALLOC(ctx, out->alike, out->modes);
    BRN_ALLOC(ctx, out->shape, (size_t)out->modes * length);
    BRN_ALLOC(ctx, p->carried, (size_t)out->modes * length);
    BRN_ALLOC(ctx, p->c, (size_t)out->modes * (size_t)p->coarse->elastic);
    BRN_ALLOC(ctx, p->norm, out->modes);
    BRN_ALLOC(ctx, p->taken, 2 * (size_t)p->coarse->elastic);
    for (int i = 0; i < out->modes; ++i) {
        out->lambda[i] = NAN;
    }
    BRN_TRY(carry(p->fine, p->coarse, p->modes, p->carried));
    correlate(p);
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = match_all(p, out);
    brn_arena_rewind(arena, mark);
    return status;
}

brn_status brn_match_find(const brn_sample *fine, const brn_sample *coarse, int modes, brn_match **out)
{
    *out = NULL;
    brn_ctx *ctx = fine->ctx;
    BRN_TRY(brn_blas_reserve(ctx));
    brn_match *match = NULL;
    BRN_ALLOC(ctx, match, 1);
    *match = (brn_match){.ctx = ctx,
                         .modes = modes < fine->elastic ? modes : fine->elastic,
                         .nnode = brn_sample_body(coarse)->node_count};
    pairing p = {.fine = fine, .coarse = coarse, .modes = match->modes};
    const brn_blas_threads threads = brn_blas_begin();
    const brn_status status = fill(&p, match);
    brn_blas_end(threads);
    brn_free(ctx, p.carried);
    brn_free(ctx, p.c);
    brn_free(ctx, p.norm);
    brn_free(ctx, p.taken);
    if (status < 0) {
        brn_match_destroy(match);
        return status;
    }
    *out = match;
    return BRN_OK;
}

void brn_match_destroy(brn_match *match)
{
    if (match == NULL) {
        return;
    }
    brn_free(match->ctx, match->lambda);
    brn_free(match->ctx, match->alike);
    brn_free(match->ctx, match->shape);
    brn_free(match->ctx, match);
}
