#include "output/trajectory/recovery.h"

#include "base/parallel.h"
#include "output/trajectory/fields.h"
#include "output/trajectory/outline.h"
#include "output/trajectory/patch_fit.h"
#include "phys/solid.h"

#include <string.h>

enum {
    PATCH_BLOCK = 64, /* patches */
    VALUE_BLOCK = 512,
    PATCHES_MAX = 256 /* that a node looks at; only a mesh of no use has more */
};

/* Above it a polynomial is cut. A corner of a single cube has 9.5 (hex8) or 4.6 (hex20), nodes of larger meshes below 1. */
static const double LEVERAGE_MAX = 20.0;
/* Patches whose leverage is that many times the smallest one do not count. */
static const double LEVERAGE_SPREAD = 2.0;

/* While it is made. Cells are numbered by kind. A node between materials is split: a site is a node of one material. */
typedef struct workshop {
    brn_ctx *ctx;
    const brn_playback_info *info;
    brn_recovery *out;
    int ncell;
    int *kind;            /* [ncell] */
    int *first_site;      /* [ncell] into cell_site: the sites of its nodes */
    size_t *first_sample; /* [ncell] */
    int *cell_site;
    double (*place)[3]; /* [nsample] at rest */

    int nsite;
    int *site_node, *site_material;
    int *site_next;      /* the next site of its node, -1: none */
    int *node_site;      /* [nnode] first site, -1: none */
    int *first, *around; /* [nsite + 1] the cells around a site, ascending */

    int *patch; /* [nsite] number of the fit of a corner, -1: not needed */
    int npatch;
    int *patch_site;    /* [npatch] */
    brn_patch_fit *fit; /* [npatch] */

    double *sum;    /* [nsample] of the row being made */
    bool *gathered; /* [ncell] is in that row */
    int *row_cell;  /* [ncell] list of these */
} workshop;

int brn_recovery_samples(int kind)
{
    const brn_element *element = brn_element_of_cell((brn_cell)kind);
    return element != NULL ? element->nsample : 0;
}

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

static brn_status make_room(workshop *w, brn_arena *arena)
{
    const brn_playback_info *info = w->info;
    size_t entries = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const size_t n = (size_t)info->ncell[kind];
        w->out->sample_first[kind] = w->out->nsample;
        w->out->nsample += n * (size_t)brn_recovery_samples(kind);
        entries += n * (size_t)brn_cell_get((brn_cell)kind)->nnode;
    }
    if (w->out->nsample > INT32_MAX || entries > INT32_MAX) {
        return brn_fail(w->ctx, BRN_ERR_LIMIT, "values of nodes: the mesh has too many cells");
    }
    w->ncell = brn_outline_cells(info);
    BRN_TAKE(arena, w->kind, w->ncell);
    BRN_TAKE(arena, w->first_site, w->ncell);
    BRN_TAKE(arena, w->first_sample, w->ncell);
    BRN_TAKE(arena, w->cell_site, entries);
    BRN_TAKE(arena, w->place, w->out->nsample);
    BRN_TAKE(arena, w->site_node, entries);
    BRN_TAKE(arena, w->site_material, entries);
    BRN_TAKE(arena, w->site_next, entries);
    BRN_TAKE(arena, w->node_site, info->nnode);
    BRN_TAKE(arena, w->around, entries);
    BRN_TAKE(arena, w->sum, w->out->nsample);
    BRN_TAKE(arena, w->gathered, w->ncell);
    BRN_TAKE(arena, w->row_cell, w->ncell);
    memset(w->node_site, 0xff, (size_t)info->nnode * sizeof *w->node_site);
    memset(w->sum, 0, w->out->nsample * sizeof *w->sum);
    memset(w->gathered, 0, (size_t)w->ncell * sizeof *w->gathered);
    return BRN_OK;
}

static int site_of(workshop *w, int node, int material)
{
    int *link = &w->node_site[node];
    while (*link >= 0 && w->site_material[*link] != material) {
        link = &w->site_next[*link];
    }
    if (*link < 0) {
        *link = w->nsite++;
        w->site_node[*link] = node;
        w->site_material[*link] = material;
        w->site_next[*link] = -1;
    }
    return *link;
}

/* Cells that are no elements, of a damaged file, have neither sites nor samples. */
static int cell_width(const workshop *w, int cell)
{
    const brn_element *element = brn_element_of_cell((brn_cell)w->kind[cell]);
    return element != NULL ? element->nnode : 0;
}

static void place_samples(const workshop *w, const brn_element *element, const int *node, size_t at)
{
    for (int s = 0; s < element->nsample; ++s) {
        double n[BRN_ELEMENT_NODES_MAX];
        double *place = w->place[at + (size_t)s];
        element->shape(element->sample + 3 * (size_t)s, n);
        place[0] = place[1] = place[2] = 0.0;
        for (int k = 0; k < 3 * element->nnode; ++k) {
            place[k % 3] += n[k / 3] * w->info->rest[node[k / 3]][k % 3];
        }
    }
}

static void list_cells(workshop *w)
{
    const brn_playback_info *info = w->info;
    int next = 0;
    for (int kind = 0, cell = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_element *element = brn_element_of_cell((brn_cell)kind);
        for (int c = 0; c < info->ncell[kind]; ++c, ++cell) {
            const int samples = brn_recovery_samples(kind);
            w->kind[cell] = kind;
            w->first_site[cell] = next;
            w->first_sample[cell] = w->out->sample_first[kind] + (size_t)c * (size_t)samples;
            if (element == NULL) {
                continue;
            }
            const int *node = info->cell[kind] + (size_t)c * (size_t)element->nnode;
            const int material = info->cell_material[kind] != NULL ? info->cell_material[kind][c] : 0;
            for (int a = 0; a < element->nnode; ++a) {
                w->cell_site[next++] = site_of(w, node[a], material);
            }
            place_samples(w, element, node, w->first_sample[cell]);
        }
    }
}

static brn_status find_around(workshop *w, brn_arena *arena)
{
    BRN_TAKE(arena, w->first, w->nsite + 1);
    memset(w->first, 0, ((size_t)w->nsite + 1) * sizeof *w->first);
    for (int cell = 0; cell < w->ncell; ++cell) {
        for (int a = 0; a < cell_width(w, cell); ++a) {
            w->first[w->cell_site[w->first_site[cell] + a]]++;
        }
    }
    for (int s = 0; s < w->nsite; ++s) {
        w->first[s + 1] += w->first[s];
    }
    for (int cell = w->ncell - 1; cell >= 0; --cell) {
        for (int a = 0; a < cell_width(w, cell); ++a) {
            w->around[--w->first[w->cell_site[w->first_site[cell] + a]]] = cell;
        }
    }
    return BRN_OK;
}

/* ---- patches ------------------------------------------------------------------------------------------------------------ */

/* The corners of the cells around the wanted nodes. */
static brn_status list_patches(workshop *w, const int *node, brn_arena *arena)
{
    BRN_TAKE(arena, w->patch, w->nsite);
    BRN_TAKE(arena, w->patch_site, w->nsite);
    memset(w->patch, 0xff, (size_t)w->nsite * sizeof *w->patch);
    for (int v = 0; v < w->out->nvalue; ++v) {
        for (int s = w->node_site[node != NULL ? node[v] : v]; s >= 0; s = w->site_next[s]) {
            for (int i = w->first[s]; i < w->first[s + 1]; ++i) {
                const int cell = w->around[i];
                const int ncorner = brn_cell_get((brn_cell)w->kind[cell])->ncorner;
                for (int a = 0; a < ncorner; ++a) {
                    const int corner = w->cell_site[w->first_site[cell] + a];
                    if (w->patch[corner] < 0) {
                        w->patch[corner] = w->npatch;
                        w->patch_site[w->npatch++] = corner;
                    }
                }
            }
        }
    }
    BRN_ALLOC(w->ctx, w->fit, w->npatch); /* large, and arenas keep what they had */
    return BRN_OK;
}

/* near: as in brn_patch_fit_make. */
static brn_status fit_patch(const workshop *w, int site, const double *near, brn_patch_fit *out,
                            brn_arena *scratch)
{
    const brn_arena_mark mark = brn_arena_now(scratch);
    int axes = 3, degree = 2, n = 0, room = 0;
    for (int i = w->first[site]; i < w->first[site + 1]; ++i) {
        room += brn_recovery_samples(w->kind[w->around[i]]);
    }
    double(*place)[3] = NULL;
    BRN_TAKE(scratch, place, room);
    for (int i = w->first[site]; i < w->first[site + 1]; ++i) {
        const int cell = w->around[i];
        const brn_cell_info *info = brn_cell_get((brn_cell)w->kind[cell]);
        const int samples = brn_recovery_samples(w->kind[cell]);
        axes = info->dim < axes ? info->dim : axes;
        degree = info->nnode == info->ncorner ? 1 : degree;
        memcpy(place + n, w->place + w->first_sample[cell], (size_t)samples * sizeof *place);
        n += samples;
    }
    brn_patch_fit_make(out, axes, degree, (const double(*)[3])place, n, near);
    brn_arena_rewind(scratch, mark);
    return BRN_OK;
}

static brn_status fit_block(void *arg, int block, brn_arena *scratch)
{
    const workshop *w = arg;
    const int end = brn_block_end(w->npatch, PATCH_BLOCK, block);
    for (int p = block * PATCH_BLOCK; p < end; ++p) {
        BRN_TRY(fit_patch(w, w->patch_site[p], NULL, &w->fit[p], scratch));
    }
    return BRN_OK;
}

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

/* A patch seen from a node: the basis there, cut to a degree, and what comes of it. */
typedef struct opinion {
    int patch, terms, rank;
    double leverage, psi[BRN_FIT_TERMS];
} opinion;

static void ask(const workshop *w, int patch, const double x[3], opinion *out)
{
    const brn_patch_fit *fit = &w->fit[patch];
    out->patch = patch;
    brn_patch_fit_basis(fit, x, out->psi);
    for (int degree = 2; degree >= 0; --degree) {
        out->terms = brn_patch_fit_terms(fit, degree);
        out->rank = brn_patch_fit_rank(fit, degree);
        out->leverage = 0.0;
        for (int k = 0; k < out->terms; ++k) {
            out->leverage += out->psi[k] * out->psi[k];
        }
        if (out->leverage <= LEVERAGE_MAX) {
            return;
        }
    }
}

/* The patches around the corners of the cells of a site, each once. */
static int ask_all(const workshop *w, int site, opinion *out)
{
    int n = 0;
    for (int i = w->first[site]; i < w->first[site + 1]; ++i) {
        const int cell = w->around[i];
        const int ncorner = brn_cell_get((brn_cell)w->kind[cell])->ncorner;
        for (int a = 0; a < ncorner && n < PATCHES_MAX; ++a) {
            const int patch = w->patch[w->cell_site[w->first_site[cell] + a]];
            bool seen = false;
            for (int k = 0; k < n && !seen; ++k) {
                seen = out[k].patch == patch;
            }
            if (!seen) {
                ask(w, patch, w->info->rest[w->site_node[site]], &out[n++]);
            }
        }
    }
    return n;
}

/* Adds `share` times an opinion to the row. */
static void add_opinion(workshop *w, const opinion *o, const brn_patch_fit *fit, double share, int *ncell)
{
    const int site = w->patch_site[o->patch];
    for (int i = w->first[site]; i < w->first[site + 1]; ++i) {
        const int cell = w->around[i];
        const size_t first = w->first_sample[cell];
        for (size_t s = first; s < first + (size_t)brn_recovery_samples(w->kind[cell]); ++s) {
            w->sum[s] += share * brn_patch_fit_share(fit, o->psi, o->terms, w->place[s]);
        }
        if (!w->gathered[cell]) {
            w->gathered[cell] = true;
            w->row_cell[(*ncell)++] = cell;
        }
    }
}

/* Fits the patch anew if it is of degree 2, for the node at x. */
static brn_status refine(const workshop *w, const double *x, opinion *o, brn_patch_fit *fit)
{
    *fit = w->fit[o->patch];
    if (fit->nterm > 1 + fit->axes) {
        BRN_TRY(fit_patch(w, w->patch_site[o->patch], x, fit, brn_ctx_arena(w->ctx)));
        brn_patch_fit_basis(fit, x, o->psi);
    }
    return BRN_OK;
}

/* Moves the row being made to the end of the list. */
static brn_status store_row(workshop *w, int ncell)
{
    brn_recovery *r = w->out;
    for (int i = 0; i < ncell; ++i) {
        const int cell = w->row_cell[i];
        const size_t samples = (size_t)brn_recovery_samples(w->kind[cell]);
        BRN_GROW(w->ctx, r->sample, r->sample_capacity, r->nentry + samples);
        BRN_GROW(w->ctx, r->weight, r->weight_capacity, r->nentry + samples);
        for (size_t s = w->first_sample[cell]; s < w->first_sample[cell] + samples; ++s) {
            r->sample[r->nentry] = (int)s;
            r->weight[r->nentry++] = w->sum[s];
            w->sum[s] = 0.0;
        }
        w->gathered[cell] = false;
        r->used[cell] = true;
    }
    BRN_GROW(w->ctx, r->entry_end, r->row_capacity, r->nrow + 1);
    r->entry_end[r->nrow++] = r->nentry;
    return BRN_OK;
}

static brn_status make_row(workshop *w, int site)
{
    opinion o[PATCHES_MAX];
    const int n = ask_all(w, site, o);
    int rank = 0, ncell = 0;
    double least = INFINITY, total = 0.0;
    for (int i = 0; i < n; ++i) {
        if (o[i].rank > rank || (o[i].rank == rank && o[i].leverage < least)) {
            rank = o[i].rank;
            least = o[i].leverage;
        }
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < n; ++i) {
            if (o[i].rank == rank && o[i].leverage <= LEVERAGE_SPREAD * least) {
                const double weight = least * least / (o[i].leverage * o[i].leverage);
                total += pass == 0 ? weight : 0.0;
                if (pass == 1) {
                    brn_patch_fit fit;
                    BRN_TRY(refine(w, w->info->rest[w->site_node[site]], &o[i], &fit));
                    add_opinion(w, &o[i], &fit, weight / total, &ncell);
                }
            }
        }
    }
    return store_row(w, ncell);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------ */

static brn_status make(workshop *w, const int *node, brn_arena *arena)
{
    brn_recovery *r = w->out;
    BRN_TRY(make_room(w, arena));
    BRN_ALLOC(w->ctx, r->used, w->ncell);
    BRN_ALLOC(w->ctx, r->row_first, (size_t)r->nvalue + 1);
    list_cells(w);
    BRN_TRY(find_around(w, arena));
    BRN_TRY(list_patches(w, node, arena));
    BRN_TRY(brn_parallel_for(w->ctx, brn_block_count(w->npatch, PATCH_BLOCK), fit_block, w));
    for (int v = 0; v < r->nvalue; ++v) {
        for (int s = w->node_site[node != NULL ? node[v] : v]; s >= 0; s = w->site_next[s]) {
            BRN_TRY(make_row(w, s));
        }
        r->row_first[v + 1] = r->nrow;
    }
    return BRN_OK;
}

brn_status brn_recovery_make(brn_recovery *r, const brn_playback_info *info, const int *node, int nvalue)
{
    brn_arena *arena = brn_ctx_arena(r->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    workshop w = {.ctx = r->ctx, .info = info, .out = r};
    r->nvalue = node != NULL ? nvalue : info->nnode;
    const brn_status status = make(&w, node, arena);
    brn_free(r->ctx, w.fit);
    brn_arena_rewind(arena, mark);
    return status;
}

void brn_recovery_clear(brn_recovery *r)
{
    brn_ctx *ctx = r->ctx;
    brn_free(ctx, r->used);
    brn_free(ctx, r->row_first);
    brn_free(ctx, r->entry_end);
    brn_free(ctx, r->sample);
    brn_free(ctx, r->weight);
    *r = (brn_recovery){.ctx = ctx};
}

typedef struct apply_job {
    const brn_recovery *recovery;
    const double *sample;
    double *out;
} apply_job;

static void apply_row(const brn_recovery *r, int row, const double *sample, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    for (size_t e = row > 0 ? r->entry_end[row - 1] : 0; e < r->entry_end[row]; ++e) {
        for (int k = 0; k < 6; ++k) {
            out[k] += r->weight[e] * sample[6 * (size_t)r->sample[e] + (size_t)k];
        }
    }
}

static brn_status apply_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const apply_job *job = arg;
    const brn_recovery *r = job->recovery;
    const int end = brn_block_end(r->nvalue, VALUE_BLOCK, block);
    for (int v = block * VALUE_BLOCK; v < end; ++v) {
        double *out = job->out + 6 * (size_t)v;
        double other[6];
        memset(out, 0, 6 * sizeof *out);
        for (int row = r->row_first[v]; row < r->row_first[v + 1]; ++row) {
            apply_row(r, row, job->sample, other);
            if (row == r->row_first[v] || brn_von_mises(other) > brn_von_mises(out)) {
                memcpy(out, other, sizeof other);
            }
        }
    }
    return BRN_OK;
}

brn_status brn_recovery_apply(const brn_recovery *r, const double *sample, double *out)
{
    apply_job job = {r, sample, out};
    return brn_parallel_for(r->ctx, brn_block_count(r->nvalue, VALUE_BLOCK), apply_block, &job);
}
