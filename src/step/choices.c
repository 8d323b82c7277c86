#include "step/choices.h"

#include "base/arena.h"

#include <math.h>

/* Lines and names of a brief text. What has the same three digits is alike; if that makes too many lines, what is within a
   ratio, or its square ... */
enum { GROUPS_MOST = 8, NAMES_MOST = 4 };
static const double SAME = 1.0005, ALIKE = 1.25;

typedef struct choice {
    brn_choice_range range;
    int source; /* the first that it stands for */
    int sources;
    int group; /* of a source: the choice that it belongs to; -1: it has no values */
} choice;

static void widen(brn_choice_range *to, const brn_choice_range *by, int count)
{
    for (int i = 0; i < count; ++i) {
        to->lo[i] = fmin(to->lo[i], by->lo[i]);
        to->hi[i] = fmax(to->hi[i], by->hi[i]);
    }
}

static choice choice_of(const brn_choices *c, int source)
{
    const brn_source *from = &c->model->source[source];
    choice all = {.source = source, .sources = 1, .group = -1};
    for (int b = from->first; b < from->first + from->count; ++b) {
        brn_choice_range one;
        if (!c->get(c->self, b, &one)) {
            continue;
        }
        all.range = all.group < 0 ? one : all.range;
        all.group = 0;
        widen(&all.range, &one, c->count);
    }
    return all;
}

static bool alike(const choice *a, const choice *b, int count, double ratio)
{
    brn_choice_range both = a->range;
    widen(&both, &b->range, count);
    for (int i = 0; i < count; ++i) {
        if (!(both.hi[i] <= ratio * both.lo[i] || isinf(ratio))) {
            return false;
        }
    }
    return true;
}

/* Every source joins the first group that it is like; *ngroup: GROUPS_MOST + 1 if that is not enough. */
static void join(const brn_choices *c, choice *source, double ratio, choice group[GROUPS_MOST], int *ngroup)
{
    *ngroup = 0;
    for (int s = 0; s < c->model->nsource && *ngroup <= GROUPS_MOST; ++s) {
        int g = 0;
        if (source[s].group < 0) {
            continue;
        }
        while (g < *ngroup && !alike(&group[g], &source[s], c->count, ratio)) {
            ++g;
        }
        if (g < *ngroup) {
            widen(&group[g].range, &source[s].range, c->count);
            group[g].sources++;
        } else if (g < GROUPS_MOST) {
            group[g] = source[s];
        }
        source[s].group = g;
        *ngroup = g < *ngroup ? *ngroup : g + 1;
    }
}

static void add_values(const brn_choices *c, const brn_choice_range *range, brn_text *to)
{
    const char *between = ":";
    for (int i = 0; i < c->count; ++i) {
        const brn_choice_name *name = &c->name[i];
        if (!name->told) {
            continue;
        }
        if (range->hi[i] > SAME * range->lo[i]) {
            brn_text_add(to, "%s %s %.3g to %.3g %s", between, name->word, range->lo[i], range->hi[i],
                         name->unit);
        } else {
            brn_text_add(to, "%s %s %.3g %s", between, name->word, range->lo[i], name->unit);
        }
        between = ",";
    }
    brn_text_add(to, "\n");
}

static void add_group(const brn_choices *c, const choice *source, const choice *group, int number,
                      brn_text *to)
{
    const int named = group->sources > NAMES_MOST ? NAMES_MOST - 1 : group->sources;
    int count = 0;
    for (int s = group->source; count < named; ++s) {
        if (source[s].group == number) {
            brn_text_add(to, "%s%s", count > 0 ? ", " : "", c->model->source[s].name);
            ++count;
        }
    }
    if (named < group->sources) {
        brn_text_add(to, " and %d more", group->sources - named);
    }
    add_values(c, &group->range, to);
}

static brn_status tell(const brn_choices *c, bool brief, brn_text *to)
{
    const int n = c->model->nsource;
    choice group[GROUPS_MOST];
    choice *source = NULL;
    int ngroup = 0;
    BRN_TAKE(brn_ctx_arena(c->ctx), source, n);
    for (int s = 0; s < n; ++s) {
        source[s] = choice_of(c, s);
        if (!brief && source[s].group == 0) {
            brn_text_add(to, "%s", c->model->source[s].name);
            add_values(c, &source[s].range, to);
        }
    }
    if (brief) {
        join(c, source, SAME, group, &ngroup);
        for (double ratio = ALIKE; ngroup > GROUPS_MOST; ratio *= ratio) { /* infinite at the last */
            join(c, source, ratio, group, &ngroup);
        }
        for (int g = 0; g < ngroup; ++g) {
            add_group(c, source, &group[g], g, to);
        }
    }
    return BRN_OK;
}

brn_status brn_choices_tell(const brn_choices *choices, bool brief, brn_text *to)
{
    brn_arena *arena = brn_ctx_arena(choices->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = tell(choices, brief, to);
    brn_arena_rewind(arena, mark);
    return status;
}
