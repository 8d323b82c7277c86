/* The pattern of the problem's matrix. Contacts at rest keep it from step to step: then nothing is to be done. */
#include "step/sap/sap_inner.h"

#include "base/param.h"

#include <string.h>

/* A stencil of every listed constraint, those of one width together. */
static brn_status list_stencils(const brn_sap_work *w, brn_stencils lists[BRN_SAP_WIDTH_MAX + 1])
{
    brn_sap_solver *solver = w->solver;
    const brn_sap_problem *p = w->p;
    size_t total = 0;
    int start[BRN_SAP_WIDTH_MAX + 2] = {0};
    for (int width = 1; width <= BRN_SAP_WIDTH_MAX; ++width) {
        lists[width] = (brn_stencils){.width = width};
    }
    for (int i = 0; i < p->nconstraint; ++i) {
        const int width = p->constraint[i].count;
        if (width < 1 || width > BRN_SAP_WIDTH_MAX) {
            return brn_fail(solver->ctx, BRN_ERR_LIMIT, "a constraint on %d block rows: 1 to %d are possible",
                            width, BRN_SAP_WIDTH_MAX);
        }
        lists[width].count += w->listed[i];
        total += w->listed[i] ? (size_t)width : 0;
    }
    BRN_GROW(solver->ctx, solver->stencil, solver->stencil_capacity, total);
    for (int width = 1; width <= BRN_SAP_WIDTH_MAX; ++width) {
        start[width + 1] = start[width] + lists[width].count * width;
        lists[width].node = total > 0 ? solver->stencil + start[width] : NULL;
    }
    for (int i = 0; i < p->nconstraint; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        for (int k = 0; k < c->count && w->listed[i]; ++k) {
            solver->stencil[start[c->count]++] = p->block[c->first + k].row;
        }
    }
    return BRN_OK;
}

/* Where the pairs of each constraint are in the matrix. */
static brn_status locate(brn_sap_work *w, const brn_stencils *lists)
{
    brn_sap_solver *solver = w->solver;
    int *place = solver->place;
    for (int width = 1; width <= BRN_SAP_WIDTH_MAX; ++width) {
        if (lists[width].count > 0) {
            BRN_TRY(brn_block_matrix_locate(w->matrix, &lists[width], place));
            place += (size_t)lists[width].count * (size_t)(width * (width + 1) / 2);
        }
    }
    return BRN_OK;
}

/* Room for all places. */
static brn_status make_room(brn_sap_solver *solver, const brn_stencils *lists)
{
    size_t total = 0;
    for (int width = 1; width <= BRN_SAP_WIDTH_MAX; ++width) {
        total += (size_t)lists[width].count * (size_t)(width * (width + 1) / 2);
    }
    BRN_GROW(solver->ctx, solver->place, solver->place_capacity, total);
    return BRN_OK;
}

/* The order, sizes, A's pattern, widths of the listed constraints, numbers of stencils and the stencils. */
static brn_status sketch(const brn_sap_work *w, const brn_stencils *lists, size_t *count)
{
    brn_sap_solver *solver = w->solver;
    const brn_sap_problem *p = w->p;
    const size_t rows = (size_t)p->nrow + 1;
    const size_t blocks = (size_t)p->a->start[p->nrow];
    size_t nodes = 0;
    for (int width = 1; width <= BRN_SAP_WIDTH_MAX; ++width) {
        nodes += (size_t)(lists[width].count * width);
    }
    *count = 2 + rows + blocks + (size_t)p->nconstraint + BRN_SAP_WIDTH_MAX + nodes;
    BRN_GROW(solver->ctx, solver->fresh, solver->fresh_capacity, *count);
    int *to = solver->fresh;
    *to++ = w->many;
    *to++ = p->size;
    memcpy(to, p->a->start, rows * sizeof *to);
    to += rows;
    memcpy(to, p->a->column, blocks * sizeof *to);
    to += blocks;
    for (int i = 0; i < p->nconstraint; ++i) {
        *to++ = w->listed[i] ? p->constraint[i].count : 0;
    }
    for (int width = 1; width <= BRN_SAP_WIDTH_MAX; ++width) {
        *to++ = lists[width].count;
    }
    if (nodes > 0) {
        memcpy(to, solver->stencil, nodes * sizeof *to);
    }
    return BRN_OK;
}

/* Rows that a listed constraint acts on. */
static void mark_changing(brn_sap_work *w)
{
    const brn_sap_problem *p = w->p;
    memset(w->solver->changing, 0, (size_t)p->nrow);
    for (int i = 0; i < p->nconstraint; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        for (int k = c->first; k < c->first + c->count && w->listed[i]; ++k) {
            w->solver->changing[p->block[k].row] = BRN_NODE_CHANGES;
        }
    }
}

static brn_status analyse(brn_sap_work *w, const brn_stencils *lists)
{
    brn_sap_solver *solver = w->solver;
    const brn_sap_problem *p = w->p;
    BRN_TRY(brn_block_matrix_join(p->a, lists + 1, BRN_SAP_WIDTH_MAX, &solver->joined));
    w->matrix = solver->joined;
    BRN_TRY(locate(w, lists));
    BRN_TRY(brn_sap_list_terms(w, lists));
    if (solver->factor != NULL && (solver->factor_rows != p->nrow || solver->factor_size != p->size)) {
        brn_factor_destroy(solver->factor);
        solver->factor = NULL;
    }
    if (solver->factor == NULL) {
        brn_free(solver->ctx, solver->changing);
        solver->changing = NULL;
        BRN_ALLOC(solver->ctx, solver->changing, p->nrow + 1);
        BRN_TRY(brn_factor_create(solver->ctx, p->a, p->fixed, &solver->factor));
        solver->factor_rows = p->nrow;
        solver->factor_size = p->size;
    }
    mark_changing(w);
    return brn_factor_update_changing(solver->factor, w->matrix, w->many ? solver->changing : NULL);
}

brn_status brn_sap_prepare(brn_sap_work *w)
{
    brn_sap_solver *solver = w->solver;
    brn_stencils lists[BRN_SAP_WIDTH_MAX + 1];
    size_t count = 0;
    BRN_TRY(list_stencils(w, lists));
    BRN_TRY(make_room(solver, lists));
    BRN_TRY(sketch(w, lists, &count));
    if (count != solver->nsketch ||
        memcmp(solver->fresh, solver->sketch, count * sizeof *solver->fresh) != 0) {
        solver->nsketch = 0; /* until all of it is done */
        BRN_TRY(analyse(w, lists));
        int *const other = solver->sketch;
        const size_t capacity = solver->sketch_capacity;
        solver->sketch = solver->fresh;
        solver->sketch_capacity = solver->fresh_capacity;
        solver->fresh = other;
        solver->fresh_capacity = capacity;
        solver->nsketch = count;
    }
    w->matrix = solver->joined;
    return BRN_OK;
}
