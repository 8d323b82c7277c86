/* Small solids as one. A body of one element fills one lane of a batch and costs as much as a full one. */
#include "phys/solid.h"

#include <string.h>

bool brn_solid_alike(const brn_solid *a, const brn_solid *b)
{
    return a->element == b->element && a->material == b->material && a->barrier == b->barrier &&
           memcmp(&a->moduli, &b->moduli, sizeof a->moduli) == 0 && a->group.beta == b->group.beta;
}

/* Copies the numbers [nbatch][per][lanes] of an element of one solid to a lane of another. */
static void copy_lane(const double *from, int element, double *to, int lane, size_t per)
{
    const size_t first = (size_t)(element / BRN_LANES) * per * BRN_LANES + (size_t)(element % BRN_LANES);
    const size_t start = (size_t)(lane / BRN_LANES) * per * BRN_LANES + (size_t)(lane % BRN_LANES);
    for (size_t k = 0; k < per; ++k) {
        to[start + k * BRN_LANES] = from[first + k * BRN_LANES];
    }
}

static brn_status fill(brn_solid *solid, brn_element_group *const *part, int npart)
{
    brn_ctx *ctx = solid->group.ctx;
    const brn_element *element = solid->element;
    const int nnode = element->nnode;
    const size_t square = (size_t)(element->dim * element->dim);
    const size_t nquad = (size_t)element->nquad;
    const size_t shapes = nquad * (size_t)(nnode * element->dim);
    int nelem = 0;
    for (int i = 0; i < npart; ++i) {
        nelem += part[i]->nelem;
    }
    const int nlane = (nelem + BRN_LANES - 1) / BRN_LANES * BRN_LANES;
    BRN_ALLOC(ctx, solid->group.conn, nelem * nnode);
    BRN_ALLOC(ctx, solid->reference, shapes);
    BRN_ALLOC(ctx, solid->inverse, (size_t)nlane * nquad * square);
    BRN_ALLOC(ctx, solid->volume, (size_t)nlane * nquad);
    memcpy(solid->reference, brn_solid_of_group(part[0])->reference, shapes * sizeof *solid->reference);
    for (int i = 0; i < npart; ++i) {
        const brn_solid *from = brn_solid_of_group(part[i]);
        const int count = from->group.nelem;
        const int last =
            i == npart - 1 ? nlane : solid->group.nelem + count; /* padding repeats the last element */
        memcpy(solid->group.conn + solid->group.nelem * nnode, from->group.conn,
               (size_t)(count * nnode) * sizeof *from->group.conn);
        for (int lane = solid->group.nelem; lane < last; ++lane) {
            const int e = lane - solid->group.nelem < count ? lane - solid->group.nelem : count - 1;
            copy_lane(from->inverse, e, solid->inverse, lane, nquad * square);
            if (lane < nelem) { /* without volume */
                copy_lane(from->volume, e, solid->volume, lane, nquad);
            }
        }
        solid->group.nelem += count;
    }
    return BRN_OK;
}

brn_status brn_solid_join(brn_ctx *ctx, brn_element_group *const *part, int npart, brn_solid **out)
{
    brn_solid *solid = NULL;
    *out = NULL;
    BRN_ALLOC(ctx, solid, 1);
    *solid = *brn_solid_of_group(part[0]);
    solid->group.ctx = ctx;
    solid->group.nelem = 0;
    solid->group.conn = NULL;
    solid->reference = solid->inverse = solid->volume = NULL;
    const brn_status status = fill(solid, part, npart);
    if (status < 0) {
        brn_solid_destroy(solid);
        return status;
    }
    *out = solid;
    return BRN_OK;
}
