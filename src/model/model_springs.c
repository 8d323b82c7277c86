/* Springs of a model, from the nodes of one region to the nearest ones of another. */
#include "linalg/dense.h"
#include "model/builder.h"
#include "model/region.h"
#include "phys/shells/spring.h"

#include <math.h>

typedef struct ends {
    int nfrom, *from; /* node numbers of the model */
    int nto, *to;
} ends;

/* Nodes of a region of the bodies that a spring names; none after adding a problem, or if a body has a problem already. */
static brn_status end_nodes(brn_builder *b, const brn_spring_def *def, const char *key,
                            const brn_where_def *where, int **node, int *nnode)
{
    const char *word = key[0] == 't' ? def->to : def->body;
    const brn_body_range range = brn_builder_find_bodies(b, &def->block, key, word);
    bool whole = range.count > 0;
    for (int i = range.first; i < range.first + range.count; ++i) {
        whole = whole && b->body_mesh[i] != NULL;
    }
    return whole ? brn_region_nodes(b->scene, b->model, range.first, range.count, b->body_mesh, where, node,
                                    nnode)
                 : BRN_OK;
}

static brn_status find_ends(brn_builder *b, const brn_spring_def *def, ends *out)
{
    static const brn_where_def whole = {.all = true};
    const brn_where_def *at = brn_block_given(&def->at.block) ? &def->at : &whole;
    BRN_TRY(end_nodes(b, def, "body", &def->where, &out->from, &out->nfrom));
    return end_nodes(b, def, def->to != NULL ? "to" : "body", at, &out->to, &out->nto);
}

/* The node of the other region that is nearest to a node and not the node itself; -1: there is none. */
static int nearest(const brn_model *model, const ends *e, int node)
{
    int best = -1;
    double best_square = INFINITY;
    for (int i = 0; i < e->nto; ++i) {
        double way[3];
        for (int k = 0; k < 3; ++k) {
            way[k] = model->rest[e->to[i]][k] - model->rest[node][k];
        }
        const double square = brn_dense_dot3(way, way);
        if (e->to[i] != node && square < best_square) {
            best = e->to[i];
            best_square = square;
        }
    }
    return best;
}

static brn_status join_ends(brn_builder *b, const brn_spring_def *def, const ends *e, brn_arena *arena)
{
    int *conn = NULL;
    double *stiffness = NULL;
    double *length = NULL;
    BRN_TAKE(arena, conn, 2 * (size_t)e->nfrom);
    BRN_TAKE(arena, stiffness, e->nfrom);
    BRN_TAKE(arena, length, e->nfrom);
    int count = 0;
    for (int i = 0; i < e->nfrom; ++i) {
        const int to = nearest(b->model, e, e->from[i]);
        if (to >= 0) {
            conn[2 * count] = e->from[i];
            conn[2 * count + 1] = to;
            stiffness[count] = def->stiffness;
            length[count++] = def->length;
        }
    }
    if (count == 0) {
        return BRN_OK; /* an empty region is a problem already */
    }
    brn_spring *spring = NULL;
    BRN_TRY(brn_spring_create(b->ctx, (const double(*)[3])b->model->rest, conn, stiffness,
                              isnan(def->length) ? NULL : length, def->pull_only, count, &spring));
    spring->group.beta = def->damping / def->stiffness;
    return brn_builder_push_group(b, -1, &spring->group);
}

static brn_status add_springs(brn_builder *b, const brn_spring_def *def)
{
    ends e = {0};
    brn_arena *arena = brn_ctx_arena(b->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    if (b->model->dim != 3) {
        brn_scene_add_problem(b->scene, def->block.path, "springs need a 3D scene");
        return BRN_OK;
    }
    brn_status status = find_ends(b, def, &e);
    status = status >= 0 ? join_ends(b, def, &e, arena) : status;
    brn_arena_rewind(arena, mark);
    brn_free(b->ctx, e.from);
    brn_free(b->ctx, e.to);
    return status;
}

brn_status brn_builder_add_springs(brn_builder *b)
{
    const brn_spring_def *springs = b->def->springs.items;
    for (int i = 0; i < b->def->springs.count; ++i) {
        BRN_TRY(add_springs(b, &springs[i]));
    }
    return BRN_OK;
}
