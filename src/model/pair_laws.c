/* Laws of pairs of bodies: friction, and the keys of contact that only some methods use. They are stored by kinds of bodies: the
   copies of a scene's body are of one kind, except those that a pair names individually. So a wall of a thousand bricks is
   one row, and no table has a million entries. */
#include "model/builder.h"

#include <math.h>

static brn_body_range find_side(brn_builder *b, const brn_pair_def *pair, int side)
{
    return brn_builder_find_bodies(b, &pair->block, side == 0 ? "between[0]" : "between[1]",
                                   pair->between.v[side]);
}

/* Bodies named individually in a pair get a kind of their own. */
static void split_kinds(brn_builder *b)
{
    brn_model *model = b->model;
    const brn_pair_def *pairs = b->def->contact.pairs.items;
    for (int i = 0; i < model->nbody; ++i) {
        model->body[i].kind = model->body[i].source;
    }
    model->nkind = b->def->bodies.count;
    for (int i = 0; i < b->def->contact.pairs.count; ++i) {
        for (int k = 0; k < 2; ++k) {
            const brn_body_range range = find_side(b, &pairs[i], k);
            for (int n = range.first; n < range.first + range.count; ++n) {
                brn_body *body = &model->body[n];
                if (range.count < model->source[body->source].count && body->kind == body->source) {
                    body->kind = model->nkind++;
                }
            }
        }
    }
}

/* Sets a table for every pair of bodies from two ranges; the table is created at first use. */
static brn_status set_pairs(brn_builder *b, double **table, brn_body_range first, brn_body_range second,
                            double standard, double value)
{
    brn_model *model = b->model;
    const size_t size = (size_t)model->nkind * (size_t)model->nkind;
    if (isnan(value)) {
        return BRN_OK;
    }
    if (*table == NULL) {
        BRN_ALLOC(b->ctx, *table, size);
        for (size_t i = 0; i < size; ++i) {
            (*table)[i] = standard;
        }
    }
    /* Bodies of one kind are interchangeable, so only the first of each run of a kind matters. */
    for (int i = first.first; i < first.first + first.count; ++i) {
        if (i > first.first && model->body[i].kind == model->body[i - 1].kind) {
            continue;
        }
        for (int j = second.first; j < second.first + second.count; ++j) {
            if (j == second.first || model->body[j].kind != model->body[j - 1].kind) {
                (*table)[brn_model_pair(model, i, j)] = value;
                (*table)[brn_model_pair(model, j, i)] = value;
            }
        }
    }
    return BRN_OK;
}

/* Pairs that the scene lets pass through each other. */
static brn_status set_apart(brn_builder *b, brn_body_range first, brn_body_range second)
{
    brn_model *model = b->model;
    if (model->apart == NULL) {
        BRN_ALLOC(b->ctx, model->apart, (size_t)model->nkind * (size_t)model->nkind);
    }
    for (int i = first.first; i < first.first + first.count; ++i) {
        for (int j = second.first; j < second.first + second.count; ++j) {
            model->apart[brn_model_pair(model, i, j)] = model->apart[brn_model_pair(model, j, i)] = true;
        }
    }
    return BRN_OK;
}

brn_status brn_builder_add_laws(brn_builder *b)
{
    const brn_contact_def *contact = &b->def->contact;
    const brn_pair_def *pairs = contact->pairs.items;
    const brn_body_range all = {0, b->model->nbody};
    split_kinds(b);
    BRN_TRY(set_pairs(b, &b->model->friction, all, all, contact->friction, contact->friction));
    for (int key = 0; key < BRN_CONTACT_KEY_COUNT; ++key) {
        BRN_TRY(set_pairs(b, &b->model->contact_key[key], all, all, NAN, contact->key[key]));
    }
    for (int i = 0; i < contact->pairs.count && brn_scene_problem_count(b->scene) == 0; ++i) {
        const brn_body_range first = find_side(b, &pairs[i], 0);
        const brn_body_range second = find_side(b, &pairs[i], 1);
        BRN_TRY(set_pairs(b, &b->model->friction, first, second, contact->friction, pairs[i].friction));
        for (int key = 0; key < BRN_CONTACT_KEY_COUNT; ++key) {
            BRN_TRY(set_pairs(b, &b->model->contact_key[key], first, second, NAN, pairs[i].key[key]));
        }
        if (!pairs[i].touch) {
            BRN_TRY(set_apart(b, first, second));
        }
    }
    return BRN_OK;
}
