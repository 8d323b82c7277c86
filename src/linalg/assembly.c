/* A slab keeps, for each of its destinations in ascending order, the list of the buffer slots that add to it: first
   those that are added as they are, then (matrix blocks whose row would be greater than their column) those that are
   added transposed. Slot numbers fit 16 bits because the buffer is small, so the lists of a tet4 mesh take about 50
   bytes an element. */
#include "linalg/assembly.h"

#include "base/parallel.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    /* Of the buffer: with 1 MB of L2 cache, 128k to 448k were equally fast, 1536k half as fast. */
    SLAB_BYTES = 320 * 1024,
    SLAB_MIN = 8, /* elements; kernels work on batches of 4 or 8 */
    SLOTS_MAX = 65535,
    WAVE = 64,  /* slabs evaluated between two joins, when there is more than one thread */
    RANGES = 64 /* parallel pieces of a join */
};

/* The destinations of a slab's gradients or Hessian blocks. */
typedef struct scatter {
    int count;
    int *target;         /* [count], ascending: node or block number */
    uint16_t (*adds)[2]; /* [count], slots added straight, slots added transposed */
    uint16_t *slot;      /* all lists, one after the other */
} scatter;

typedef struct slab {
    int list, first, count;
    scatter grad, hess;
    size_t partial_grad, partial_hess; /* where its sums lie in the wave's buffers */
    void *memory;
} slab;

struct brn_assembly {
    brn_ctx *ctx;
    int nnode, size, nblocks; /* nblocks: of the matrix, -1 without one */
    int nlists;
    int *width;  /* [nlists] */
    int *stride; /* [nlists], elements of a slab */
    int nslabs;
    slab *slabs;
    size_t bytes;
    double *partial_grad, *partial_hess; /* sums of one wave, by slab and destination; NULL with one thread */
    double *energy;                      /* [WAVE][largest stride] */
    int stride_max;
};

/* ---- learning the destinations ------------------------------------------------------------------------------- */

typedef struct pair {
    uint32_t key; /* 2 * target + transposed */
    uint16_t slot;
} pair;

typedef struct learning {
    brn_assembly *assembly;
    const brn_stencils *lists;
    const brn_block_matrix *matrix;
} learning;

/* Stable radix sort by key, 11 bits a pass; the result is in `v`. */
static void sort_pairs(pair *v, pair *other, int n, uint32_t key_max)
{
    enum { BITS = 11, BUCKETS = 1 << BITS };
    pair *from = v;
    pair *to = other;
    for (int shift = 0; shift < 32 && (key_max >> shift) != 0; shift += BITS) {
        int count[BUCKETS + 1] = {0};
        for (int i = 0; i < n; ++i) {
            count[((from[i].key >> shift) & (BUCKETS - 1)) + 1]++;
        }
        for (int b = 0; b < BUCKETS; ++b) {
            count[b + 1] += count[b];
        }
        for (int i = 0; i < n; ++i) {
            to[count[(from[i].key >> shift) & (BUCKETS - 1)]++] = from[i];
        }
        pair *swap = from;
        from = to;
        to = swap;
    }
    if (from != v) {
        memcpy(v, from, (size_t)n * sizeof *v);
    }
}

static int distinct_targets(const pair *v, int n)
{
    int count = 0;
    for (int i = 0; i < n; ++i) {
        count += i == 0 || v[i].key >> 1 != v[i - 1].key >> 1;
    }
    return count;
}

static size_t scatter_bytes(int targets, int slots)
{
    const size_t bytes =
        (size_t)targets * (sizeof(int) + 2 * sizeof(uint16_t)) + (size_t)slots * sizeof(uint16_t);
    return (bytes + 7) / 8 * 8;
}

/* Lays a scatter out in memory; returns the first byte behind it. */
static char *scatter_fill(scatter *s, char *memory, const pair *v, int n)
{
    const int targets = distinct_targets(v, n);
    s->target = (int *)(void *)memory;
    s->adds = (uint16_t(*)[2])(void *)(s->target + targets);
    s->slot = (uint16_t *)(s->adds + targets);
    for (int i = 0; i < n; ++i) {
        const int target = (int)(v[i].key >> 1);
        if (s->count == 0 || s->target[s->count - 1] != target) {
            s->target[s->count] = target;
            s->adds[s->count][0] = 0;
            s->adds[s->count][1] = 0;
            s->count++;
        }
        s->adds[s->count - 1][v[i].key & 1]++;
        s->slot[i] = v[i].slot;
    }
    return memory + scatter_bytes(targets, n);
}

/* The pairs (block, slot) of a slab's Hessians; -1 if a block is not in the matrix. */
static int hess_pairs(const learning *w, const slab *s, pair *v)
{
    const int width = w->lists[s->list].width;
    const int *node = w->lists[s->list].node + (size_t)s->first * (size_t)width;
    int n = 0;
    uint16_t slot = 0;
    for (int e = 0; e < s->count; ++e, node += width) {
        for (int a = 0; a < width; ++a) {
            for (int b = a; b < width; ++b, ++slot) {
                const bool flip = node[a] > node[b];
                const int block =
                    brn_block_matrix_find(w->matrix, flip ? node[b] : node[a], flip ? node[a] : node[b]);
                if (block < 0) {
                    return -1;
                }
                v[n++] = (pair){2 * (uint32_t)block + flip, slot};
                /* A node that occurs twice: the block and its mirror image both land on the diagonal. */
                if (a != b && node[a] == node[b]) {
                    v[n++] = (pair){2 * (uint32_t)block + 1, slot};
                }
            }
        }
    }
    return n;
}

static brn_status slab_learn(void *arg, int index, brn_arena *scratch)
{
    learning *w = arg;
    brn_assembly *asmb = w->assembly;
    slab *s = &asmb->slabs[index];
    const int width = w->lists[s->list].width;
    const int grads = s->count * width;
    pair *grad = NULL;
    pair *hess = NULL;
    pair *spare = NULL;
    const size_t room = (size_t)grads * (size_t)(width + 1); /* twice the blocks */
    BRN_TAKE(scratch, grad, grads);
    BRN_TAKE(scratch, spare, room);
    const int *node = w->lists[s->list].node + (size_t)s->first * (size_t)width;
    for (int i = 0; i < grads; ++i) {
        grad[i] = (pair){2 * (uint32_t)node[i], (uint16_t)i};
    }
    sort_pairs(grad, spare, grads, 2 * (uint32_t)asmb->nnode);
    int hesses = 0;
    if (w->matrix != NULL) {
        BRN_TAKE(scratch, hess, room);
        hesses = hess_pairs(w, s, hess);
        if (hesses < 0) {
            return BRN_ERR_RANGE;
        }
        sort_pairs(hess, spare, hesses, 2 * (uint32_t)asmb->nblocks + 1);
    }
    const size_t bytes = scatter_bytes(distinct_targets(grad, grads), grads) +
                         scatter_bytes(distinct_targets(hess, hesses), hesses);
    s->memory = brn_realloc(asmb->ctx, NULL, bytes, 1);
    if (s->memory == NULL) {
        return BRN_ERR_MEMORY;
    }
    char *rest = scatter_fill(&s->grad, s->memory, grad, grads);
    scatter_fill(&s->hess, rest, hess, hesses);
    return BRN_OK;
}

/* ---- create -------------------------------------------------------------------------------------------------------- */

/* Doubles of one element's buffer. */
static size_t element_doubles(int width, int size)
{
    const size_t w = (size_t)width;
    return 1 + w * (size_t)size + w * (w + 1) / 2 * (size_t)(size * size);
}

/* Elements of a slab: as many as the buffer holds, a multiple of 8. */
static int slab_stride(int width, int size)
{
    const size_t pairs = (size_t)width * (size_t)(width + 1) / 2;
    size_t count = SLAB_BYTES / (element_doubles(width, size) * sizeof(double));
    const size_t by_slots = SLOTS_MAX / pairs;
    count = count < by_slots ? count : by_slots;
    count = count / SLAB_MIN * SLAB_MIN;
    return count < SLAB_MIN ? SLAB_MIN : (int)count;
}

static brn_status cut_slabs(brn_assembly *a, const brn_stencils *lists)
{
    brn_ctx *ctx = a->ctx;
    BRN_ALLOC(ctx, a->width, a->nlists);
    BRN_ALLOC(ctx, a->stride, a->nlists);
    long long total = 0;
    for (int l = 0; l < a->nlists; ++l) {
        const brn_stencils *list = &lists[l];
        /* 8 elements of 127 nodes fill the 16-bit slots. */
        if (list->width < 1 || list->width > 127 || list->count < 0) {
            return brn_fail(ctx, BRN_ERR_RANGE,
                            "element list %d: %d elements of %d nodes (1 to 127 are possible)", l,
                            list->count, list->width);
        }
        a->width[l] = list->width;
        a->stride[l] = slab_stride(list->width, a->size);
        a->stride_max = a->stride[l] > a->stride_max ? a->stride[l] : a->stride_max;
        total += (list->count + a->stride[l] - 1LL) / a->stride[l];
    }
    if (total > INT_MAX) {
        return brn_fail(ctx, BRN_ERR_LIMIT, "too many elements");
    }
    BRN_ALLOC(ctx, a->slabs, total);
    for (int l = 0; l < a->nlists; ++l) {
        for (int first = 0; first < lists[l].count;) {
            const int left = lists[l].count - first;
            const int count = left < a->stride[l] ? left : a->stride[l];
            a->slabs[a->nslabs++] = (slab){.list = l, .first = first, .count = count};
            first += count;
        }
    }
    return BRN_OK;
}

/* With several threads a wave of slabs is evaluated at once; its sums wait in a buffer for their turn. */
static brn_status wave_create(brn_assembly *a)
{
    size_t grad_max = 0;
    size_t hess_max = 0;
    size_t grad = 0;
    size_t hess = 0;
    for (int i = 0; i < a->nslabs; ++i) {
        slab *s = &a->slabs[i];
        if (i % WAVE == 0) {
            grad = 0;
            hess = 0;
        }
        s->partial_grad = grad;
        s->partial_hess = hess;
        grad += (size_t)s->grad.count * (size_t)a->size;
        hess += (size_t)s->hess.count * (size_t)(a->size * a->size);
        grad_max = grad > grad_max ? grad : grad_max;
        hess_max = hess > hess_max ? hess : hess_max;
    }
    const size_t waiting = (size_t)(a->nslabs < WAVE ? a->nslabs : WAVE) * (size_t)a->stride_max;
    BRN_ALLOC(a->ctx, a->energy, waiting);
    a->bytes += waiting * sizeof(double);
    if (brn_ctx_threads(a->ctx) > 1 && a->nslabs > 1) {
        BRN_ALLOC(a->ctx, a->partial_grad, grad_max);
        BRN_ALLOC(a->ctx, a->partial_hess, hess_max);
        a->bytes += (grad_max + hess_max) * sizeof(double);
    }
    return BRN_OK;
}

static brn_status assembly_fill(brn_assembly *a, const brn_stencils *lists, const brn_block_matrix *matrix)
{
    BRN_TRY(cut_slabs(a, lists));
    for (int l = 0; l < a->nlists; ++l) {
        const size_t entries = (size_t)lists[l].count * (size_t)lists[l].width;
        for (size_t k = 0; k < entries; ++k) {
            if (lists[l].node[k] < 0 || lists[l].node[k] >= a->nnode) {
                return brn_fail(a->ctx, BRN_ERR_RANGE,
                                "element list %d, element %zu: node %d is not in [0, %d)", l,
                                k / (size_t)lists[l].width, lists[l].node[k], a->nnode);
            }
        }
    }
    learning w = {a, lists, matrix};
    const brn_status status = brn_parallel_for(a->ctx, a->nslabs, slab_learn, &w);
    if (status == BRN_ERR_RANGE) {
        return brn_fail(a->ctx, status, "the matrix does not contain the pattern of the elements");
    }
    if (status < 0) {
        return brn_fail(a->ctx, status, "out of memory for the assembly of %d slabs", a->nslabs);
    }
    for (int i = 0; i < a->nslabs; ++i) {
        const slab *s = &a->slabs[i];
        const int width = a->width[s->list];
        a->bytes += sizeof *s + scatter_bytes(s->grad.count, s->count * width);
        a->bytes += matrix != NULL ? scatter_bytes(s->hess.count, s->count * width * (width + 1) / 2) : 0;
    }
    return wave_create(a);
}

brn_status brn_assembly_create(brn_ctx *ctx, int nnode, int size, const brn_stencils *lists, int nlists,
                               const brn_block_matrix *matrix, brn_assembly **out)
{
    *out = NULL;
    if (nnode < 0 || nnode > INT_MAX / 2 || size < 1 || size > 3 || nlists < 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "assembly over %d nodes with %d unknowns each", nnode, size);
    }
    if (matrix != NULL && (matrix->n != nnode || matrix->size != size)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "assembly over %d nodes into a matrix of %d rows", nnode,
                        matrix->n);
    }
    brn_assembly *a = NULL;
    BRN_ALLOC(ctx, a, 1);
    a->ctx = ctx;
    a->nnode = nnode;
    a->size = size;
    a->nlists = nlists;
    a->nblocks = matrix != NULL ? matrix->start[nnode] : -1;
    const brn_status status = assembly_fill(a, lists, matrix);
    if (status < 0) {
        brn_assembly_destroy(a);
        return status;
    }
    *out = a;
    return BRN_OK;
}

void brn_assembly_destroy(brn_assembly *a)
{
    if (a == NULL) {
        return;
    }
    for (int i = 0; i < a->nslabs; ++i) {
        brn_free(a->ctx, a->slabs[i].memory);
    }
    brn_free(a->ctx, a->slabs);
    brn_free(a->ctx, a->width);
    brn_free(a->ctx, a->stride);
    brn_free(a->ctx, a->partial_grad);
    brn_free(a->ctx, a->partial_hess);
    brn_free(a->ctx, a->energy);
    brn_free(a->ctx, a);
}

size_t brn_assembly_bytes(const brn_assembly *a)
{
    return a->bytes + sizeof *a;
}

/* ---- adding ---------------------------------------------------------------------------------------------------------- */

typedef struct adding {
    brn_assembly *assembly;
    brn_element_fn fn;
    void *arg;
    double *grad, *hess; /* the targets; NULL: not wanted */
    bool energy;
    int first, end; /* slabs of the wave */
    bool waits;     /* sums go to the wave's buffers */
} adding;

/* Sums every destination's slots. A block takes s values; `sums` is NULL to add to the target at once. */
static inline __attribute__((always_inline)) void gather(const scatter *t, const double *buffer,
                                                         double *target, double *sums, const int s)
{
    const uint16_t *slot = t->slot;
    for (int d = 0; d < t->count; ++d) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = t->adds[d][0]; k > 0; --k) {
            const double *v = buffer + (size_t)*slot++ * (size_t)s;
            for (int c = 0; c < s; ++c) {
                sum[c] += v[c];
            }
        }
        double *to = sums != NULL ? sums + (size_t)d * (size_t)s : target + (size_t)t->target[d] * (size_t)s;
        for (int c = 0; c < s; ++c) {
            to[c] = sums != NULL ? sum[c] : to[c] + sum[c];
        }
    }
}

static inline __attribute__((always_inline)) void gather_blocks(const scatter *t, const double *buffer,
                                                                double *target, double *sums, const int s)
{
    const uint16_t *slot = t->slot;
    for (int d = 0; d < t->count; ++d) {
        double sum[9] = {0.0};
        double mirrored[9] = {0.0};
        for (int k = t->adds[d][0]; k > 0; --k) {
            const double *v = buffer + (size_t)*slot++ * (size_t)(s * s);
            for (int c = 0; c < s * s; ++c) {
                sum[c] += v[c];
            }
        }
        for (int k = t->adds[d][1]; k > 0; --k) {
            const double *v = buffer + (size_t)*slot++ * (size_t)(s * s);
            for (int c = 0; c < s * s; ++c) {
                mirrored[c] += v[c];
            }
        }
        double *to = sums != NULL ? sums + (size_t)d * (size_t)(s * s)
                                  : target + (size_t)t->target[d] * (size_t)(s * s);
        for (int r = 0; r < s; ++r) {
            for (int c = 0; c < s; ++c) {
                const double both = sum[r * s + c] + mirrored[c * s + r];
                to[r * s + c] = sums != NULL ? both : to[r * s + c] + both;
            }
        }
    }
}

/* One copy of the loops for each block size, so that the compiler unrolls them. */
static void slab_gather(const adding *job, const slab *s, const double *grad, const double *hess)
{
    const brn_assembly *a = job->assembly;
    double *grad_sums = job->waits ? a->partial_grad + s->partial_grad : NULL;
    double *hess_sums = job->waits ? a->partial_hess + s->partial_hess : NULL;
    if (job->grad != NULL) {
        switch (a->size) {
        case 1:
            gather(&s->grad, grad, job->grad, grad_sums, 1);
            break;
        case 2:
            gather(&s->grad, grad, job->grad, grad_sums, 2);
            break;
        default:
            gather(&s->grad, grad, job->grad, grad_sums, 3);
            break;
        }
    }
    if (job->hess != NULL) {
        switch (a->size) {
        case 1:
            gather_blocks(&s->hess, hess, job->hess, hess_sums, 1);
            break;
        case 2:
            gather_blocks(&s->hess, hess, job->hess, hess_sums, 2);
            break;
        default:
            gather_blocks(&s->hess, hess, job->hess, hess_sums, 3);
            break;
        }
    }
}

static brn_status slab_add(void *arg, int index, brn_arena *scratch)
{
    const adding *job = arg;
    const brn_assembly *a = job->assembly;
    const slab *s = &a->slabs[job->first + index];
    const size_t width = (size_t)a->width[s->list];
    const size_t count = (size_t)s->count;
    double *grad = NULL;
    double *hess = NULL;
    if (job->grad != NULL) {
        BRN_TAKE(scratch, grad, count * width * (size_t)a->size);
    }
    if (job->hess != NULL) {
        BRN_TAKE(scratch, hess, count * (width * (width + 1) / 2) * (size_t)(a->size * a->size));
    }
    double *energy = job->energy ? a->energy + (size_t)index * (size_t)a->stride_max : NULL;
    BRN_TRY(job->fn(job->arg, s->list, s->first, s->count, energy, grad, hess, scratch));
    slab_gather(job, s, grad, hess);
    return BRN_OK;
}

/* First destination of a slab that is >= bound. */
static int scatter_find(const scatter *t, long long bound)
{
    int low = 0;
    int high = t->count;
    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (t->target[mid] < bound) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/* Adds the waiting sums of one range of destinations, slab after slab. */
static void join_range(const adding *job, bool blocks, int range)
{
    const brn_assembly *a = job->assembly;
    const size_t s = (size_t)(blocks ? a->size * a->size : a->size);
    double *target = blocks ? job->hess : job->grad;
    /* The span of the wave's destinations, cut evenly. */
    long long low = INT_MAX;
    long long high = -1;
    for (int i = job->first; i < job->end; ++i) {
        const scatter *t = blocks ? &a->slabs[i].hess : &a->slabs[i].grad;
        if (t->count > 0) {
            low = t->target[0] < low ? t->target[0] : low;
            high = t->target[t->count - 1] > high ? t->target[t->count - 1] : high;
        }
    }
    const long long from = low + (high + 1 - low) * range / RANGES;
    const long long to = low + (high + 1 - low) * (range + 1) / RANGES;
    for (int i = job->first; i < job->end; ++i) {
        const slab *b = &a->slabs[i];
        const scatter *t = blocks ? &b->hess : &b->grad;
        const double *sums = blocks ? a->partial_hess + b->partial_hess : a->partial_grad + b->partial_grad;
        for (int d = scatter_find(t, from); d < t->count && t->target[d] < to; ++d) {
            double *v = target + (size_t)t->target[d] * s;
            for (size_t c = 0; c < s; ++c) {
                v[c] += sums[(size_t)d * s + c];
            }
        }
    }
}

static brn_status wave_join(void *arg, int range, brn_arena *scratch)
{
    (void)scratch;
    const adding *job = arg;
    if (job->grad != NULL) {
        join_range(job, false, range);
    }
    if (job->hess != NULL) {
        join_range(job, true, range);
    }
    return BRN_OK;
}

/* Neumaier's compensated sum, one term. */
static void sum_add(double sum[2], double term)
{
    const double total = sum[0] + term;
    sum[1] += fabs(sum[0]) >= fabs(term) ? (sum[0] - total) + term : (term - total) + sum[0];
    sum[0] = total;
}

static void energy_add(const adding *job, double sum[2])
{
    const brn_assembly *a = job->assembly;
    for (int i = job->first; i < job->end; ++i) {
        const double *e = a->energy + (size_t)(i - job->first) * (size_t)a->stride_max;
        for (int k = 0; k < a->slabs[i].count; ++k) {
            sum_add(sum, e[k]);
        }
    }
}

brn_status brn_assembly_add(brn_assembly *a, brn_element_fn fn, void *arg, double *energy, double *grad,
                            brn_block_matrix *matrix)
{
    if (matrix != NULL &&
        (matrix->n != a->nnode || matrix->size != a->size || matrix->start[matrix->n] != a->nblocks)) {
        return brn_fail(a->ctx, BRN_ERR_RANGE, "assembly into a matrix of another pattern");
    }
    adding job = {a, fn, arg, grad, matrix != NULL ? matrix->value : NULL, energy != NULL, 0, 0, false};
    job.waits = a->partial_grad != NULL;
    double sum[2] = {0.0, 0.0};
    for (int first = 0; first < a->nslabs; first += WAVE) {
        job.first = first;
        job.end = a->nslabs - first < WAVE ? a->nslabs : first + WAVE;
        BRN_TRY(brn_parallel_for(a->ctx, job.end - first, slab_add, &job));
        if (job.waits) {
            BRN_TRY(brn_parallel_for(a->ctx, RANGES, wave_join, &job));
        }
        if (energy != NULL) {
            energy_add(&job, sum);
        }
    }
    if (energy != NULL) {
        /* An infinite term makes the compensation NaN, the plain sum stays infinite. */
        *energy += isfinite(sum[0]) ? sum[0] + sum[1] : sum[0];
    }
    return BRN_OK;
}
