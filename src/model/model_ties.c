/* From the ties that bodies and attachments ask for to those of the model: chains are resolved, so that no master is
   tied, ties are sorted by use, and the block rows are numbered. */
#include "model/builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weights below this fraction of the largest are rounding: a node that coincides with another is tied to that one alone. */
static const double WEIGHT_LEAST = 1e-12;

brn_status brn_builder_tie(brn_builder *b, int node, int attachment, const brn_tie_part *part, int count)
{
    brn_tie_drafts *d = &b->ties;
    BRN_GROW(b->ctx, d->tie, d->capacity, d->count + 1);
    BRN_GROW(b->ctx, d->part, d->part_capacity, d->used + count);
    d->tie[d->count++] = (brn_tie_draft){node, attachment, d->used, count};
    memcpy(&d->part[d->used], part, (size_t)count * sizeof *part);
    d->used += count;
    return BRN_OK;
}

/* ---- chains ------------------------------------------------------------------------------------------------------------ */

static int by_node(const void *a, const void *b)
{
    const brn_tie_part *x = a;
    const brn_tie_part *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

/* Sorts, merges equal nodes, drops weights that are rounding and rescales the rest to sum to 1. Returns how many are left. */
static int join(brn_tie_part *part, int count)
{
    double most = 0.0;
    double sum = 0.0;
    int joined = 0;
    int kept = 0;
    qsort(part, (size_t)count, sizeof *part, by_node);
    for (int i = 0; i < count; ++i) {
        if (joined > 0 && part[joined - 1].node == part[i].node) {
            part[joined - 1].weight += part[i].weight;
        } else {
            part[joined++] = part[i];
        }
    }
    for (int i = 0; i < joined; ++i) {
        most = fmax(most, fabs(part[i].weight));
    }
    for (int i = 0; i < joined; ++i) {
        if (fabs(part[i].weight) > WEIGHT_LEAST * most) {
            sum += part[i].weight;
            part[kept++] = part[i];
        }
    }
    for (int i = 0; i < kept && kept < joined; ++i) {
        part[i].weight /= sum;
    }
    return kept;
}

/* Whether all masters of a draft are free, held, or tied by ties that are resolved. */
static bool is_ready(const brn_tie_drafts *d, const brn_tie_draft *tie, const int *of_node,
                     const unsigned char *done)
{
    bool ready = true;
    for (int k = 0; k < tie->count; ++k) {
        const int through = of_node[d->part[tie->first + k].node];
        ready = ready && (through < 0 || done[through]);
    }
    return ready;
}

/* Replaces tied masters by their own masters. */
static brn_status resolve(brn_builder *b, int which, const int *of_node)
{
    brn_tie_drafts *d = &b->ties;
    const brn_tie_draft old = d->tie[which];
    d->tie[which].first = d->used;
    for (int k = 0; k < old.count; ++k) {
        const brn_tie_part part = d->part[old.first + k];
        const int through = of_node[part.node];
        const brn_tie_draft via = through >= 0 ? d->tie[through] : (brn_tie_draft){.count = 1};
        BRN_GROW(b->ctx, d->part, d->part_capacity, d->used + via.count);
        for (int m = 0; m < via.count; ++m) {
            brn_tie_part *to = &d->part[d->used++];
            *to = part;
            if (through >= 0) {
                to->node = d->part[via.first + m].node;
                to->weight *= d->part[via.first + m].weight;
            }
        }
    }
    const int first = d->tie[which].first;
    d->tie[which].count = join(&d->part[first], d->used - first);
    return BRN_OK;
}

/* A node that would be tied to itself through others. */
static void tell_ring(brn_builder *b, const brn_tie_draft *tie, const int *of_node, const unsigned char *done)
{
    const brn_attachment *first = &b->model->attach[tie->attachment];
    const brn_attachment *second = first;
    for (int k = 0; k < tie->count; ++k) {
        const int through = of_node[b->ties.part[tie->first + k].node];
        if (through >= 0 && !done[through]) {
            second = &b->model->attach[b->ties.tie[through].attachment];
        }
    }
    brn_scene_add_problem(
        b->scene, "attach", "'%s' and '%s' tie the same nodes of '%s' and '%s' to each other: leave out one",
        first->name, second->name, b->model->body[first->body].name, b->model->body[first->to].name);
}

/* Resolves ties whose masters are resolved, again and again until none is left. */
static brn_status resolve_all(brn_builder *b, const int *of_node, unsigned char *done)
{
    const brn_tie_drafts *d = &b->ties;
    int left = d->count;
    for (bool progress = true; left > 0 && progress;) {
        progress = false;
        for (int i = 0; i < d->count; ++i) {
            if (!done[i] && is_ready(d, &d->tie[i], of_node, done)) {
                if (d->tie[i].attachment >= 0) { /* ties to rigid bodies need no resolving */
                    BRN_TRY(resolve(b, i, of_node));
                }
                done[i] = 1;
                progress = true;
                --left;
            }
        }
    }
    for (int i = 0; i < d->count && left > 0; ++i) {
        if (!done[i]) {
            tell_ring(b, &d->tie[i], of_node, done);
            break;
        }
    }
    return BRN_OK;
}

/* ---- the model's ties -------------------------------------------------------------------------------------------------- */

enum { ELEMENT = 1, TOUCHES = 2 };

/* What uses each node during a step. */
static void mark_uses(const brn_model *model, unsigned char *use)
{
    for (int g = 0; g < model->ngroup; ++g) {
        const brn_element_group *group = model->group[g];
        for (int i = 0; i < group->nelem * group->nnode; ++i) {
            use[group->conn[i]] |= ELEMENT;
        }
    }
    for (int n = 0; n < model->nbody; ++n) {
        const brn_body *body = &model->body[n];
        for (int i = 0; i < body->touch->nnode; ++i) {
            use[body->touch->node[i]] |= TOUCHES;
        }
        for (int i = 0; i < model->dim && body->plane[0] >= 0; ++i) {
            use[body->plane[i]] |= TOUCHES;
        }
        for (int i = 0; i <= model->dim && body->handle >= 0; ++i) {
            use[body->handle + i] |= TOUCHES;
        }
    }
}

static int sort_of(unsigned char use)
{
    return (use & ELEMENT) != 0 ? 0 : (use & TOUCHES) != 0 ? 1 : 2;
}

static brn_status write_ties(brn_builder *b, const int *of_node, const unsigned char *use)
{
    const brn_tie_drafts *d = &b->ties;
    brn_model *model = b->model;
    brn_ties *ties = &model->ties;
    int total = 0;
    for (int i = 0; i < d->count; ++i) {
        total += d->tie[i].count;
    }
    BRN_ALLOC(b->ctx, ties->node, d->count);
    BRN_ALLOC(b->ctx, ties->start, d->count + 1);
    BRN_ALLOC(b->ctx, ties->master, total);
    BRN_ALLOC(b->ctx, ties->weight, total);
    BRN_ALLOC(b->ctx, ties->of_node, model->nnode);
    for (int a = 0; a < model->nnode; ++a) {
        ties->of_node[a] = -1;
    }
    for (int sort = 0; sort < 3; ++sort) {
        for (int a = 0; a < model->nnode; ++a) {
            if (of_node[a] < 0 || sort_of(use[a]) != sort) {
                continue;
            }
            const brn_tie_draft *from = &d->tie[of_node[a]];
            int at = ties->start[ties->count];
            for (int k = 0; k < from->count; ++k, ++at) {
                ties->master[at] = d->part[from->first + k].node;
                ties->weight[at] = d->part[from->first + k].weight;
            }
            ties->node[ties->count] = a;
            ties->of_node[a] = ties->count++;
            ties->start[ties->count] = at;
        }
        ties->inner = sort == 0 ? ties->count : ties->inner;
        ties->live = sort <= 1 ? ties->count : ties->live;
    }
    return BRN_OK;
}

/* An obstacle has rows where it can be touched or is loaded: its other nodes only show it. */
static brn_status number_rows(brn_builder *b, unsigned char *use)
{
    brn_model *model = b->model;
    for (int n = 0; n < model->nload; ++n) {
        const brn_load *load = &model->load[n];
        for (int i = 0; i < load->nnode; ++i) {
            use[load->node[i]] |= TOUCHES;
        }
        for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
            for (int i = 0; i < load->nface[kind] * brn_cell_get((brn_cell)kind)->nnode; ++i) {
                use[load->face[kind][i]] |= TOUCHES;
            }
        }
    }
    BRN_ALLOC(b->ctx, model->row_node, model->nnode);
    BRN_ALLOC(b->ctx, model->node_row, model->nnode);
    for (int n = 0; n < model->nbody; ++n) {
        const brn_body *body = &model->body[n];
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            const bool row = brn_ties_has(&model->ties, a)   ? (use[a] & ELEMENT) != 0
                             : body->type == BRN_BODY_STATIC ? use[a] != 0
                                                             : true;
            model->node_row[a] = row ? model->nrow : -1;
            if (row) {
                model->row_node[model->nrow++] = a;
            }
        }
    }
    const size_t dim = (size_t)model->dim;
    BRN_ALLOC(b->ctx, model->fixed, (size_t)model->nrow * dim);
    for (int row = 0; row < model->nrow; ++row) {
        memcpy(&model->fixed[(size_t)row * dim], &b->fixed[(size_t)model->row_node[row] * dim], dim);
    }
    return BRN_OK;
}

static brn_status close_ties(brn_builder *b, int *of_node, unsigned char *use, unsigned char *done)
{
    for (int a = 0; a < b->model->nnode; ++a) {
        of_node[a] = -1;
    }
    for (int i = 0; i < b->ties.count; ++i) {
        of_node[b->ties.tie[i].node] = i;
    }
    BRN_TRY(resolve_all(b, of_node, done));
    if (brn_scene_problem_count(b->scene) > 0) {
        return BRN_OK;
    }
    mark_uses(b->model, use);
    if (b->ties.count > 0) {
        BRN_TRY(write_ties(b, of_node, use));
    }
    return number_rows(b, use);
}

brn_status brn_builder_close_ties(brn_builder *b)
{
    int *of_node = brn_calloc(b->ctx, (size_t)b->model->nnode, sizeof *of_node);
    unsigned char *use = brn_calloc(b->ctx, (size_t)b->model->nnode, 1);
    unsigned char *done = brn_calloc(b->ctx, (size_t)b->ties.count, 1);
    const brn_status status =
        of_node != NULL && use != NULL && done != NULL ? close_ties(b, of_node, use, done) : BRN_ERR_MEMORY;
    brn_free(b->ctx, of_node);
    brn_free(b->ctx, use);
    brn_free(b->ctx, done);
    return status;
}
