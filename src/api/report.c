/* Which frames go into a page under a budget, and writing it.

   The size of a frame is known once it is packed, and packing is most of the work: a few frames are packed first, the rest is
   estimated from them, and the smallest stride that seems to fit is tried. Frames are packed once; if an estimate was too low,
   the next stride is tried with all that is known by then. */
#include "api/report.h"

#include "base/parallel.h"
#include "base/text.h"
#include "output/page/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SAMPLES = 7,          /* frames of a run to pack first */
    BATCH = 8,            /* frames packed in parallel, before checking that the stride still fits */
    RUN_TEXT_SLACK = 1024 /* bytes: what the packet of a run may still say about what was left out */
};

typedef struct line {
    int64_t offset;
    size_t length; /* 0: not packed */
    brn_shown_range span[BRN_SHOWN_COUNT];
} line;

typedef struct run_part {
    brn_view *view;
    int nframe;
    line *line;    /* [nframe] */
    double *guess; /* [nframe] bytes */
    int *kept;     /* [nframe] */
    size_t bytes;  /* of the run's own packet, at most */
} run_part;

typedef struct plan {
    brn_ctx *ctx;
    run_part *part;
    int npart;
    int most; /* frames of the longest run */
    int every;
    double mb, room; /* budget; bytes that lines may take */
    brn_packer packer[BATCH];
    struct waiting {
        run_part *part;
        int frame;
        brn_text bytes;
        const char *line; /* the packer's */
        size_t length;
    } waiting[BATCH]; /* frames on their way to the spool */
    int nwaiting;
    brn_spool spool;
    unsigned dropped; /* fields, and contacts in the bit after them */
} plan;

/* ---- strides ----------------------------------------------------------------------------------------------------------- */

/* A stride counts frames of the longest run; shorter runs scale it in proportion, so that equal runs keep equal times. */
static int stride_of(const plan *p, const run_part *r, int stride)
{
    const int64_t own = ((int64_t)stride * r->nframe + p->most - 1) / p->most;
    return own > 1 ? (int)own : 1;
}

/* The one that leaves only the ends of the longest run. */
static int largest_stride(const plan *p)
{
    return p->most > 2 ? p->most - 1 : 1;
}

/* The frame to keep after frame f: the last one is always kept. nframe: none. */
static int next_kept(const run_part *r, int f, int stride)
{
    const int last = r->nframe - 1;
    return f >= last ? r->nframe : f > last - stride ? last : f + stride;
}

/* Sizes of frames not packed: interpolated between the nearest ones that are. The ends are packed first. */
static void guess_far(run_part *r)
{
    int before = 0;
    for (int f = 0; f < r->nframe; ++f) {
        if (r->line[f].length > 0) {
            for (int g = before; g <= f; ++g) {
                const double part = f > before ? (double)(g - before) / (f - before) : 0.0;
                r->guess[g] =
                    (1.0 - part) * (double)r->line[before].length + part * (double)r->line[f].length;
            }
            before = f;
        }
    }
}

/* Better: the mean of the packed ones nearby, so that a single large frame does not stand for its neighbours. */
static void guess_near(run_part *r)
{
    const int reach = r->nframe / 16 > BATCH ? r->nframe / 16 : BATCH;
    double sum = 0.0;
    int count = 0;
    for (int f = -reach; f < r->nframe; ++f) { /* sums up [f - reach, f + reach] */
        const int in = f + reach;
        const int out = f - reach - 1;
        sum += in < r->nframe ? (double)r->line[in].length : 0.0;
        count += in < r->nframe && r->line[in].length > 0;
        sum -= out >= 0 ? (double)r->line[out].length : 0.0;
        count -= out >= 0 && r->line[out].length > 0;
        if (f >= 0 && r->line[f].length == 0 && count > 0) {
            r->guess[f] = sum / count;
        }
    }
}

static void make_guess(run_part *r)
{
    guess_far(r);
    guess_near(r);
}

/* Bytes of all lines with a stride. Sizes must have been guessed. */
static double bytes_with(const plan *p, int stride)
{
    double sum = 0.0;
    for (int i = 0; i < p->npart; ++i) {
        const run_part *r = &p->part[i];
        const int own = stride_of(p, r, stride);
        sum += (double)r->bytes;
        for (int f = 0; f < r->nframe; f = next_kept(r, f, own)) {
            sum += r->guess[f];
        }
    }
    return sum;
}

/* The smallest stride from `low` on that seems to fit; 0: not even the largest. A larger stride has fewer frames, if not always
   fewer bytes: good enough for bisection. */
static int find_stride(plan *p, int low)
{
    for (int i = 0; i < p->npart; ++i) {
        make_guess(&p->part[i]);
    }
    int high = largest_stride(p);
    if (low > high || bytes_with(p, high) > p->room) {
        return 0;
    }
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (bytes_with(p, middle) <= p->room) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

/* ---- packing ----------------------------------------------------------------------------------------------------------- */

static brn_status pack_block(void *arg, int k, brn_arena *scratch)
{
    (void)scratch;
    plan *p = arg;
    struct waiting *w = &p->waiting[k];
    return brn_packer_line(&p->packer[k], w->bytes.data, w->bytes.length, &w->line, &w->length);
}

/* The message that a packer could not set on its thread. */
static brn_status tell(const plan *p, brn_status status)
{
    return status == BRN_ERR_LIMIT
               ? brn_fail(p->ctx, status, "report: a frame or the surface is larger than 4 GB")
               : status;
}

/* Packs the waiting frames, all at once. */
static brn_status pack_waiting(plan *p)
{
    const int n = p->nwaiting;
    p->nwaiting = 0;
    BRN_TRY(tell(p, brn_parallel_for(p->ctx, n, pack_block, p)));
    for (int k = 0; k < n; ++k) {
        const struct waiting *w = &p->waiting[k];
        line *l = &w->part->line[w->frame];
        BRN_TRY(brn_spool_add(&p->spool, w->line, w->length, &l->offset));
        l->length = w->length;
    }
    return BRN_OK;
}

/* Queues a frame, unless it is packed already. */
static brn_status want_frame(plan *p, run_part *r, int f)
{
    struct waiting *w = &p->waiting[p->nwaiting];
    const void *bytes = NULL;
    size_t size = 0;
    if (r->line[f].length > 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_view_shoot(r->view, f, true, r->line[f].span, &bytes, &size));
    w->part = r;
    w->frame = f;
    w->bytes.length = 0;
    brn_text_append(&w->bytes, bytes, size);
    if (w->bytes.failed) {
        return BRN_ERR_MEMORY;
    }
    p->nwaiting++;
    return p->nwaiting == BATCH ? pack_waiting(p) : BRN_OK;
}

/* A few frames of each run, the ends among them. */
static brn_status pack_samples(plan *p)
{
    for (int i = 0; i < p->npart; ++i) {
        run_part *r = &p->part[i];
        int before = -1;
        for (int k = 0; k < SAMPLES; ++k) {
            const int f = (int)((int64_t)(r->nframe - 1) * k / (SAMPLES - 1));
            BRN_TRY(f > before ? want_frame(p, r, f) : BRN_OK);
            before = f;
        }
    }
    return pack_waiting(p);
}

/* Does a stride seem to fit, by all that is known? While much is guessed, a twentieth more is allowed. */
static bool fits_now(plan *p, run_part *fresh, int stride, double slack)
{
    make_guess(fresh);
    return bytes_with(p, stride) <= slack * p->room;
}

/* Packs what a stride keeps. *fits turns false as soon as the total seems too large. */
static brn_status pack_stride(plan *p, int stride, bool *fits)
{
    *fits = true;
    for (int i = 0; i < p->npart && *fits; ++i) {
        run_part *r = &p->part[i];
        const int own = stride_of(p, r, stride);
        for (int f = 0; f < r->nframe && *fits; f = next_kept(r, f, own)) {
            const bool known = r->line[f].length > 0;
            BRN_TRY(want_frame(p, r, f));
            *fits = known || p->nwaiting > 0 || fits_now(p, r, stride, 1.05);
        }
        BRN_TRY(pack_waiting(p));
        *fits = *fits && fits_now(p, r, stride, i + 1 < p->npart ? 1.05 : 1.0);
    }
    return BRN_OK;
}

/* ---- messages ------------------------------------------------------------------------------------------------------------ */

static const char *ordinal_ending(int n)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    return n / 10 % 10 == 1 || n % 10 > 3 ? "th" : endings[n % 10];
}

static void say_thinned(const plan *p, const run_part *r, int own, bool asked, char text[160])
{
    if (asked) {
        (void)snprintf(text, 160, "every %d%s of %d frames, as requested", own, ordinal_ending(own),
                       r->nframe);
    } else {
        (void)snprintf(text, 160, "every %d%s of %d frames: the budget is %g MB", own, ordinal_ending(own),
                       r->nframe, p->mb);
    }
}

static void say_dropped(const plan *p, char text[256])
{
    size_t n = (size_t)snprintf(text, 256, "left out, as the budget is %g MB:", p->mb);
    const char *comma = " ";
    if ((p->dropped & BRN_SHOWN_OF_TENSOR) != 0) {
        n += (size_t)snprintf(text + n, 256 - n, " components of stress and strain");
        comma = ", ";
    }
    for (int f = 0; f <= BRN_SHOWN_COUNT && n < 256; ++f) {
        if ((p->dropped & ~BRN_SHOWN_OF_TENSOR) >> f & 1u) {
            n += (size_t)snprintf(text + n, 256 - n, "%s%s", comma,
                                  f < BRN_SHOWN_COUNT ? brn_shown_table[f].label : "contacts");
            comma = ", ";
        }
    }
}

/* The packet of a run with the frames of a stride, as a line. */
static brn_status pack_run(plan *p, run_part *r, int stride, const char **text, size_t *length)
{
    brn_run_card card;
    brn_shown_range span[BRN_SHOWN_COUNT];
    char thinned[160];
    char dropped[256];
    const char *note = dropped;
    const void *bytes = NULL;
    size_t size = 0;
    const int own = stride_of(p, r, stride);
    brn_view_card(r->view, &card);
    for (int f = 0; f < BRN_SHOWN_COUNT; ++f) {
        span[f] = (brn_shown_range){INFINITY, -INFINITY};
    }
    card.nframe = 0;
    for (int f = 0; f < r->nframe; f = next_kept(r, f, own)) {
        r->kept[card.nframe++] = f;
        if (r->line[f].length > 0) {
            brn_shown_range_widen(span, r->line[f].span);
        }
    }
    card.frame = r->kept;
    card.span = span;
    if (card.nframe < r->nframe) {
        say_thinned(p, r, own, stride == p->every, thinned);
        card.thinned = thinned;
    }
    if (p->dropped != 0) {
        say_dropped(p, dropped);
        card.note = &note;
        card.nnote = 1;
    }
    BRN_TRY(brn_run_packet(&r->view->camera, &card, &r->view->run, &bytes, &size));
    return tell(p, brn_packer_line(&p->packer[0], bytes, size, text, length));
}

/* ---- fields that do not fit ---------------------------------------------------------------------------------------------- */

/* Those least missed come first: what can be derived from others. */
static const unsigned drop_order[] = {
    BRN_SHOWN_OF_TENSOR,      1u << BRN_SHOWN_DISPLACEMENT, 1u << BRN_SHOWN_STRAIN, 1u << BRN_SHOWN_SPEED,
    1u << BRN_SHOWN_PRESSURE, 1u << BRN_SHOWN_VON_MISES,    1u << BRN_SHOWN_COUNT};

/* What a run has of some fields; contacts are in the bit after the last. */
static unsigned had(const brn_camera *c, unsigned fields)
{
    return (c->shown | (c->contacts ? 1u << BRN_SHOWN_COUNT : 0u)) & fields;
}

/* Drops the next fields from all runs and forgets all lines. false: nothing is left to drop. */
static bool drop_fields(plan *p)
{
    for (size_t k = 0; k < sizeof drop_order / sizeof *drop_order; ++k) {
        const unsigned fields = drop_order[k];
        unsigned any = 0;
        for (int i = 0; i < p->npart; ++i) {
            brn_camera *c = &p->part[i].view->camera;
            any |= had(c, fields);
            c->contacts = c->contacts && (fields >> BRN_SHOWN_COUNT & 1u) == 0;
            c->shown &= ~fields;
            c->dropped |= fields;
        }
        if (any != 0) {
            p->dropped |= fields;
            p->spool.end = 0;
            for (int i = 0; i < p->npart; ++i) {
                for (int f = 0; f < p->part[i].nframe; ++f) {
                    p->part[i].line[f].length = 0;
                }
            }
            return true;
        }
    }
    return false;
}

/* ---- the plan ------------------------------------------------------------------------------------------------------------ */

static brn_status too_small(plan *p)
{
    const double bytes = bytes_with(p, largest_stride(p)) + (double)brn_html_frame_bytes(p->npart);
    return brn_fail(p->ctx, BRN_ERR_LIMIT,
                    "a budget of %g MB is too small: the viewer, the surface and %s take %.3g MB; "
                    "a budget of %g MB would do",
                    p->mb, p->most > 1 ? "two frames" : "one frame", bytes / 1e6, ceil(bytes / 1e4) / 100.0);
}

/* Room for the packets of the runs themselves, at their largest. */
static brn_status measure_runs(plan *p)
{
    for (int i = 0; i < p->npart; ++i) {
        const char *text = NULL;
        size_t length = 0;
        BRN_TRY(pack_run(p, &p->part[i], p->every, &text, &length));
        p->part[i].bytes = length + RUN_TEXT_SLACK;
    }
    return BRN_OK;
}

/* The stride that fits, with its frames packed; 0: none does. A stride that did not fit is a lower bound for the next;
   one that did is taken unless what is known by then promises a quarter more frames. So each round narrows the choice, and
   few frames are packed in vain. */
static brn_status find_fit(plan *p, int *stride)
{
    int low = p->every;
    int fit = 0;
    for (int next = find_stride(p, low); next > 0 && (fit == 0 || 5 * (int64_t)next <= 4 * (int64_t)fit);
         next = find_stride(p, low)) {
        bool fits = false;
        BRN_TRY(pack_stride(p, next, &fits));
        fit = fits ? next : fit;
        low = fits ? low : next + 1;
    }
    *stride = fit;
    return BRN_OK;
}

static bool any_of_tensor(const plan *p)
{
    unsigned any = 0;
    for (int i = 0; i < p->npart; ++i) {
        any |= had(&p->part[i].view->camera, BRN_SHOWN_OF_TENSOR);
    }
    return any != 0;
}

/* Components of tensors are most of a frame: they stay only where no frame goes because of them. */
static brn_status choose(plan *p, int *stride)
{
    for (;;) {
        BRN_TRY(measure_runs(p));
        BRN_TRY(pack_samples(p));
        const bool extra = any_of_tensor(p);
        *stride = 0;
        if (!extra) {
            BRN_TRY(find_fit(p, stride));
        } else if (find_stride(p, p->every) == p->every) {
            bool fits = false;
            BRN_TRY(pack_stride(p, p->every, &fits));
            *stride = fits ? p->every : 0;
        }
        if (*stride > 0) {
            return BRN_OK;
        }
        if (!drop_fields(p)) {
            return too_small(p);
        }
    }
}

static brn_status write_page(plan *p, int stride, brn_html *html, const char *path)
{
    BRN_TRY(brn_html_open(html, path));
    for (int i = 0; i < p->npart; ++i) {
        run_part *r = &p->part[i];
        const int own = stride_of(p, r, stride);
        const char *text = NULL;
        size_t length = 0;
        BRN_TRY(brn_html_begin_run(html));
        BRN_TRY(pack_run(p, r, stride, &text, &length));
        BRN_TRY(brn_html_line(html, text, length));
        for (int f = 0; f < r->nframe; f = next_kept(r, f, own)) {
            BRN_TRY(brn_spool_copy(&p->spool, r->line[f].offset, r->line[f].length, html));
        }
        BRN_TRY(brn_html_end_run(html));
    }
    return brn_html_close(html);
}

static brn_status prepare(plan *p, brn_view *const *view, const char *path)
{
    BRN_ALLOC(p->ctx, p->part, p->npart);
    for (int i = 0; i < p->npart; ++i) {
        run_part *r = &p->part[i];
        r->view = view[i];
        r->nframe = brn_view_frames(view[i]);
        if (r->nframe == 0) {
            return brn_fail(p->ctx, BRN_ERR_MISSING, "%s: the run has no frames", view[i]->name);
        }
        p->most = r->nframe > p->most ? r->nframe : p->most;
        BRN_ALLOC(p->ctx, r->line, r->nframe);
        BRN_ALLOC(p->ctx, r->guess, r->nframe);
        BRN_ALLOC(p->ctx, r->kept, r->nframe);
    }
    p->every = p->every < largest_stride(p) ? p->every : largest_stride(p);
    return brn_spool_open(&p->spool, path);
}

static void clear(plan *p)
{
    for (int i = 0; p->part != NULL && i < p->npart; ++i) {
        brn_free(p->ctx, p->part[i].line);
        brn_free(p->ctx, p->part[i].guess);
        brn_free(p->ctx, p->part[i].kept);
    }
    brn_free(p->ctx, p->part);
    for (int k = 0; k < BATCH; ++k) {
        brn_packer_clear(&p->packer[k]);
        brn_text_clear(&p->waiting[k].bytes);
    }
    brn_spool_clear(&p->spool);
}

brn_status brn_page_write(brn_ctx *ctx, brn_view *const *view, int nview, const char *path, int every,
                          double mb)
{
    if (!(mb > 0.0 && mb < 1e9) || every < 1 || nview < 1) {
        return brn_fail(ctx, BRN_ERR_RANGE,
                        "report: %d runs, every %d frames, a budget of %g MB: all must be > 0", nview, every,
                        mb);
    }
    plan p = {.ctx = ctx, .npart = nview, .every = every, .mb = mb};
    for (int k = 0; k < BATCH; ++k) {
        p.packer[k].ctx = ctx;
        p.waiting[k].bytes.ctx = ctx;
    }
    p.spool.ctx = ctx;
    p.room = 1e6 * mb - (double)brn_html_frame_bytes(nview);
    brn_html html = {.ctx = ctx};
    int stride = 0;
    brn_status status = prepare(&p, view, path);
    status = status >= 0 ? choose(&p, &stride) : status;
    status = status >= 0 ? write_page(&p, stride, &html, path) : status;
    brn_html_discard(&html);
    clear(&p);
    return status;
}
