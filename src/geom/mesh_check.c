#include "base/text.h"
#include "geom/cell_measure.h"
#include "geom/node_merge.h"

#include <math.h>

/* A cell whose Jacobian is below this share of (longest edge)^dim cannot be told from a flat one in double precision;
   a needle 1e4 times as long as wide is still at 1e-8. Nodes nearer than this share of the mesh's size coincide. */
static const double flat_share = 1e-13;
static const double near_share = 1e-12;

/* The findings: the first offender of each kind, and how many there are. */
typedef struct check_work {
    const brn_mesh *mesh;
    brn_text text;
    int sorts;
} check_work;

static void separate(check_work *work)
{
    if (work->sorts++ > 0) {
        brn_text_add(&work->text, "; ");
    }
}

static void count_more(check_work *work, long long count, const char *noun)
{
    if (count > 1) {
        brn_text_add(&work->text, " (%lld such %s)", count, noun);
    }
}

static void check_positions(check_work *work)
{
    int first = -1;
    long long count = 0;
    for (int i = 0; i < work->mesh->nnode; ++i) {
        const double *x = work->mesh->pos[i];
        if (!(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]))) {
            first = count++ == 0 ? i : first;
        }
    }
    if (count > 0) {
        const double *x = work->mesh->pos[first];
        separate(work);
        brn_text_add(&work->text, "node %d has a position that is not finite: [%g, %g, %g]", first, x[0],
                     x[1], x[2]);
        count_more(work, count, "nodes");
    }
}

static void check_indices(check_work *work)
{
    const brn_mesh *mesh = work->mesh;
    const brn_cell_info *info = NULL;
    long long count = 0;
    int first = -1, bad = 0, number = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_cell_info *here = brn_cell_get((brn_cell)kind);
        for (int c = 0; c < mesh->ncell[kind]; ++c, ++number) {
            const int *node = mesh->cell[kind] + (size_t)c * (size_t)here->nnode;
            for (int i = 0; i < here->nnode; ++i) {
                if ((node[i] < 0 || node[i] >= mesh->nnode) && count++ == 0) {
                    first = number;
                    bad = node[i];
                    info = here;
                }
            }
        }
    }
    if (count > 0) {
        separate(work);
        brn_text_add(&work->text, "cell %d (%s) refers to node %d, but nodes are 0..%d", first, info->name,
                     bad, mesh->nnode - 1);
        count_more(work, count, "references");
    }
}

/* Which cells are present: some, and all of one dimension. */
static void check_kinds(check_work *work)
{
    const brn_mesh *mesh = work->mesh;
    const int dim = brn_mesh_dim(mesh);
    if (dim == 0) {
        separate(work);
        brn_text_add(&work->text, "the mesh has no cells");
    }
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        if (mesh->ncell[kind] > 0 && info->dim < dim) {
            separate(work);
            brn_text_add(&work->text, "%d %s cells are mixed with cells of dimension %d", mesh->ncell[kind],
                         info->name, dim);
            return;
        }
    }
}

/* A node that a cell lists twice, or -1. */
static int repeated_node(const int *node, int n)
{
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            if (node[i] == node[j]) {
                return node[i];
            }
        }
    }
    return -1;
}

enum { REPEATED, INVERTED, FLAT, SORTS };

typedef struct cell_finding {
    long long count;
    int cell, node; /* node: repeated one, or the one next to the worst Jacobian, -1: inside */
    double value;
    const char *kind;
} cell_finding;

static void note(cell_finding *finding, int cell, int node, double value, const char *kind)
{
    if (finding->count++ == 0) {
        *finding = (cell_finding){1, cell, node, value, kind};
    }
}

static void report_cells(check_work *work, const cell_finding found[SORTS])
{
    for (int sort = 0; sort < SORTS; ++sort) {
        const cell_finding *f = &found[sort];
        if (f->count == 0) {
            continue;
        }
        separate(work);
        brn_text_add(&work->text, "cell %d (%s) ", f->cell, f->kind);
        if (sort == REPEATED) {
            brn_text_add(&work->text, "lists node %d more than once", f->node);
        } else {
            brn_text_add(&work->text, "%s: signed %s %.3g",
                         sort == INVERTED ? "is inverted" : "is degenerate",
                         brn_mesh_dim(work->mesh) == 3 ? "volume" : "area", f->value);
            if (f->node >= 0) {
                brn_text_add(&work->text, " at node %d", f->node);
            }
        }
        count_more(work, f->count, "cells");
    }
}

static void check_cells(check_work *work)
{
    const brn_mesh *mesh = work->mesh;
    const bool plane = brn_mesh_is_plane(mesh);
    cell_finding found[SORTS] = {{0}};
    int number = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        if (mesh->ncell[kind] == 0) {
            continue;
        }
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        brn_cell_rule rule;
        brn_cell_rule_make((brn_cell)kind, &rule);
        for (int c = 0; c < mesh->ncell[kind]; ++c, ++number) {
            const int *node = mesh->cell[kind] + (size_t)c * (size_t)info->nnode;
            const int twice = repeated_node(node, info->nnode);
            if (twice >= 0) {
                note(&found[REPEATED], number, twice, 0.0, info->name);
                continue;
            }
            brn_cell_measure m;
            brn_cell_measure_of(&rule, (const double(*)[3])mesh->pos, node, plane, &m);
            const double flat = flat_share * pow(m.edge_max, info->dim);
            if (!(m.jacobian > flat)) {
                const int at = m.point < rule.nvolume ? -1 : node[m.point - rule.nvolume];
                note(&found[m.jacobian < -flat ? INVERTED : FLAT], number, at, m.jacobian, info->name);
            }
        }
    }
    report_cells(work, found);
}

static double mesh_size(const brn_mesh *mesh)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < mesh->nnode; ++i) {
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], mesh->pos[i][k]);
            high[k] = fmax(high[k], mesh->pos[i][k]);
        }
    }
    return mesh->nnode > 0 ? hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) : 0.0;
}

/* Unused and coincident nodes. */
static brn_status check_nodes(check_work *work)
{
    const brn_mesh *mesh = work->mesh;
    int *same = NULL;
    BRN_ALLOC(mesh->ctx, same, mesh->nnode);
    for (int i = 0; i < mesh->nnode; ++i) {
        same[i] = -1;
    }
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const size_t n = (size_t)mesh->ncell[kind] * (size_t)brn_cell_get((brn_cell)kind)->nnode;
        for (size_t i = 0; i < n; ++i) {
            same[mesh->cell[kind][i]] = 0;
        }
    }
    int unused = -1, twin = -1;
    long long nunused = 0, ntwin = 0;
    for (int i = 0; i < mesh->nnode; ++i) {
        unused = same[i] < 0 && nunused++ == 0 ? i : unused;
    }
    const brn_status status = brn_node_merge(mesh, near_share * mesh_size(mesh), same);
    for (int i = 0; status >= 0 && i < mesh->nnode; ++i) {
        twin = same[i] >= 0 && same[i] != i && ntwin++ == 0 ? i : twin;
    }
    if (nunused > 0) {
        separate(work);
        brn_text_add(&work->text, "node %d is used by no cell", unused);
        count_more(work, nunused, "nodes");
    }
    if (ntwin > 0) {
        separate(work);
        brn_text_add(&work->text, "nodes %d and %d coincide", same[twin], twin);
        count_more(work, ntwin, "nodes");
    }
    brn_free(mesh->ctx, same);
    return status;
}

brn_status brn_mesh_check(const brn_mesh *mesh, const char *who)
{
    check_work work = {.mesh = mesh, .text = {.ctx = mesh->ctx}};
    check_kinds(&work);
    check_positions(&work);
    check_indices(&work);
    brn_status status = BRN_OK;
    /* Geometry is measured only once numbers and indices are known to be valid. */
    if (work.sorts == 0) {
        check_cells(&work);
        status = check_nodes(&work);
    }
    if (status >= 0 && work.sorts > 0) {
        char *text = NULL;
        status = brn_text_take(&work.text, &text);
        if (status >= 0) {
            status = brn_fail(mesh->ctx, BRN_ERR_MESH, "%s: %s", who, text);
        }
        brn_free(mesh->ctx, text);
    }
    brn_text_clear(&work.text);
    return status;
}
