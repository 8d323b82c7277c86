#include "model/cell_search.h"

#include <math.h>
#include <string.h>

/* Nodes farther from a deformable body than this fraction of its shortest edge are welded to it only if the scene says so. */
static const double REACH = 0.5;
/* Anything below this fraction of an edge is rounding. */
static const double GAP_ROUNDING = 1e-9;
/* A sheet is a surface: what is off it by more than this fraction of its size cannot turn with it. */
static const double BESIDE = 1e-6;

/* Kind and nodes of a cell. */
static brn_cell cell_nodes(const brn_cell_search *s, int cell, const int **node)
{
    int kind = 0;
    while (cell >= s->mesh->ncell[kind]) {
        cell -= s->mesh->ncell[kind++];
    }
    *node = &s->mesh->cell[kind][(size_t)cell * (size_t)brn_cell_get((brn_cell)kind)->nnode];
    return (brn_cell)kind;
}

static const brn_element *gather(const brn_cell_search *s, int cell, const int **node,
                                 double x[BRN_ELEMENT_NODES_MAX][3])
{
    const brn_element *element = brn_element_of_cell(cell_nodes(s, cell, node));
    for (int a = 0; a < element->nnode; ++a) {
        memcpy(x[a], s->model->rest[s->body->node_first + (*node)[a]], sizeof x[a]);
    }
    return element;
}

/* For the tree's search: never less than the distance from the box, since a curved cell may stick out of it. */
static double distance2(const void *arg, int cell)
{
    const brn_cell_search *s = arg;
    const int *node = NULL;
    double x[BRN_ELEMENT_NODES_MAX][3];
    brn_cell_place place;
    brn_cell_place_find(gather(s, cell, &node, x), (const double(*)[3])x, s->place, &place);
    double apart = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double off =
            fmax(fmax(s->box[cell].lo[i] - s->place[i], s->place[i] - s->box[cell].hi[i]), 0.0);
        apart += off * off;
    }
    return fmax(place.distance * place.distance, apart);
}

brn_status brn_cell_search_open(brn_builder *b, int body, brn_cell_search *s)
{
    const brn_mesh *mesh = b->body_mesh[body];
    const int count = brn_mesh_cell_total(mesh);
    *s = (brn_cell_search){.model = b->model, .body = &b->model->body[body], .mesh = mesh};
    BRN_TRY(brn_bvh_create(b->ctx, &s->tree));
    BRN_ALLOC(b->ctx, s->box, count);
    for (int c = 0; c < count; ++c) {
        const int *node = NULL;
        double x[BRN_ELEMENT_NODES_MAX][3];
        const brn_element *element = gather(s, c, &node, x);
        s->box[c] = (brn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int a = 0; a < element->nnode; ++a) {
            for (int i = 0; i < 3; ++i) {
                s->box[c].lo[i] = fmin(s->box[c].lo[i], x[a][i]);
                s->box[c].hi[i] = fmax(s->box[c].hi[i], x[a][i]);
            }
        }
    }
    return brn_bvh_build(s->tree, s->box, count);
}

void brn_cell_search_close(brn_ctx *ctx, brn_cell_search *s)
{
    brn_bvh_destroy(s->tree);
    brn_free(ctx, s->box);
}

int brn_cell_search_find(brn_cell_search *s, const double place[3], brn_tie_part part[BRN_ELEMENT_NODES_MAX],
                         double *gap)
{
    const int *cell_node = NULL;
    double x[BRN_ELEMENT_NODES_MAX][3];
    brn_cell_place at;
    memcpy(s->place, place, sizeof s->place);
    const int cell = brn_bvh_nearest(s->tree, s->place, distance2, s);
    *gap = INFINITY;
    if (cell < 0) {
        return 0;
    }
    const brn_element *element = gather(s, cell, &cell_node, x);
    brn_cell_place_find(element, (const double(*)[3])x, s->place, &at);
    const double edge = s->body->quality.smallest_edge;
    *gap = at.residual > BESIDE * edge ? fmax(at.residual, at.distance) : at.distance;
    *gap = *gap > GAP_ROUNDING * edge ? *gap : 0.0;
    for (int a = 0; a < element->nnode; ++a) {
        part[a] = (brn_tie_part){s->body->node_first + cell_node[a], at.weight[a]};
    }
    return element->nnode;
}

double brn_cell_search_reach(const brn_cell_search *s)
{
    const bool sheet = brn_mesh_dim(s->mesh) < s->model->dim;
    return (sheet ? BESIDE : REACH) * s->body->quality.smallest_edge;
}
