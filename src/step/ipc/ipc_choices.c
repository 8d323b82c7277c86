/* The values that the method chose, told: a line for every body of the scene or, in brief, for every group of bodies that
   are alike. */
#include "step/ipc/ipc.h"

#include <math.h>

/* Lines and names of a brief text. What has the same three digits is alike; if that makes too many lines, what is within a
   ratio, or its square ... */
enum { GROUPS_MOST = 8, NAMES_MOST = 4 };
static const double SAME = 1.0005, ALIKE = 1.25;

enum { SIZE, DHAT, SPEED, KAPPA, TOLERANCE, VALUES };
static const char *const words[VALUES] = {"size", "dhat", "friction_speed", "kappa", "tolerance"};
static const char *const units[VALUES] = {"m", "m", "m/s", "Pa or more", "m/s"};

typedef struct choice {
    double lo[VALUES], hi[VALUES];
    int source; /* the first that it stands for */
    int sources;
    int group; /* of a source: the choice that it belongs to; -1: an obstacle, which has no values */
} choice;

static void widen(choice *to, const choice *by)
{
    for (int i = 0; i < VALUES; ++i) {
        to->lo[i] = fmin(to->lo[i], by->lo[i]);
        to->hi[i] = fmax(to->hi[i], by->hi[i]);
    }
}

static choice choice_of(const brn_ipc *ipc, int source)
{
    const brn_source *from = &ipc->model->source[source];
    choice all = {.source = source, .sources = 1, .group = isinf(ipc->body[from->first].size) ? -1 : 0};
    for (int c = from->first; c < from->first + from->count; ++c) {
        const brn_ipc_body *b = &ipc->body[c];
        const double value[VALUES] = {b->size, b->dhat, b->speed, b->kappa_start,
                                      ipc->params->tolerance * b->size};
        choice one;
        for (int i = 0; i < VALUES; ++i) {
            one.lo[i] = one.hi[i] = value[i];
            all.lo[i] = c == from->first ? value[i] : all.lo[i];
            all.hi[i] = c == from->first ? value[i] : all.hi[i];
        }
        widen(&all, &one);
    }
    return all;
}

static bool alike(const choice *a, const choice *b, double ratio)
{
    choice both = *a;
    widen(&both, b);
    for (int i = 0; i < VALUES; ++i) {
        if (!(both.hi[i] <= ratio * both.lo[i])) {
            return false;
        }
    }
    return true;
}

/* Every source joins the first group that it is like; *ngroup: GROUPS_MOST + 1 if that is not enough. */
static void join(choice *source, int nsource, double ratio, choice group[GROUPS_MOST], int *ngroup)
{
    *ngroup = 0;
    for (int s = 0; s < nsource && *ngroup <= GROUPS_MOST; ++s) {
        int g = 0;
        if (source[s].group < 0) {
            continue;
        }
        while (g < *ngroup && !alike(&group[g], &source[s], ratio)) {
            ++g;
        }
        if (g < *ngroup) {
            widen(&group[g], &source[s]);
            group[g].sources++;
        } else if (g < GROUPS_MOST) {
            group[g] = source[s];
        }
        source[s].group = g;
        *ngroup = g < *ngroup ? *ngroup : g + 1;
    }
}

static void add_values(const brn_ipc_params *p, const choice *c, brn_text *to)
{
    const bool open[VALUES] = {true, isnan(p->dhat), isnan(p->friction_speed), isnan(p->kappa), true};
    const char *between = ":";
    for (int i = 0; i < VALUES; ++i) {
        if (open[i] && c->hi[i] > SAME * c->lo[i]) {
            brn_text_add(to, "%s %s %.3g to %.3g %s", between, words[i], c->lo[i], c->hi[i], units[i]);
        } else if (open[i]) {
            brn_text_add(to, "%s %s %.3g %s", between, words[i], c->lo[i], units[i]);
        }
        between = open[i] ? "," : between;
    }
    brn_text_add(to, "\n");
}

static void add_group(const brn_ipc *ipc, const choice *source, const choice *group, int number, brn_text *to)
{
    const int named = group->sources > NAMES_MOST ? NAMES_MOST - 1 : group->sources;
    int count = 0;
    for (int s = group->source; count < named; ++s) {
        if (source[s].group == number) {
            brn_text_add(to, "%s%s", count > 0 ? ", " : "", ipc->model->source[s].name);
            ++count;
        }
    }
    if (named < group->sources) {
        brn_text_add(to, " and %d more", group->sources - named);
    }
    add_values(ipc->params, group, to);
}

brn_status brn_ipc_tell_choices(const void *self, bool brief, brn_text *to)
{
    const brn_ipc *ipc = self;
    const int n = ipc->model->nsource;
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    choice group[GROUPS_MOST];
    choice *source = NULL;
    int ngroup = 0;
    BRN_TAKE(arena, source, n);
    for (int s = 0; s < n; ++s) {
        source[s] = choice_of(ipc, s);
        if (!brief && source[s].group == 0) {
            brn_text_add(to, "%s", ipc->model->source[s].name);
            add_values(ipc->params, &source[s], to);
        }
    }
    if (brief) {
        join(source, n, SAME, group, &ngroup);
        for (double ratio = ALIKE; ngroup > GROUPS_MOST; ratio *= ratio) { /* infinite at the last */
            join(source, n, ratio, group, &ngroup);
        }
        for (int g = 0; g < ngroup; ++g) {
            add_group(ipc, source, &group[g], g, to);
        }
    }
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}
