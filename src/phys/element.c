#include "base/param.h"
#include "phys/solid.h"

#define BRN_ELEMENT(name) &brn_element_##name,
static const brn_element *const elements[] = {
#include "phys/elements/elements.def"
};
#undef BRN_ELEMENT

int brn_element_count(void)
{
    return BRN_COUNT(elements);
}

const brn_element *brn_element_get(int index)
{
    return index >= 0 && index < BRN_COUNT(elements) ? elements[index] : NULL;
}

const brn_element *brn_element_of_cell(brn_cell cell)
{
    for (int i = 0; i < BRN_COUNT(elements); ++i) {
        if (elements[i]->cell == cell) {
            return elements[i];
        }
    }
    return NULL;
}

/* Where samples are not the quadrature points (hexahedra), the trilinear function that is nearest to the values at those in the
   least squares sense of the quadrature: on [-1, 1]^3 its kernel is the product of (1 + 3 s q)/2 over the axes. */
void brn_element_sampling(const brn_element *element, brn_sampling out)
{
    for (int s = 0; s < element->nsample; ++s) {
        const double *at = element->sample + 3 * (size_t)s;
        for (int q = 0; q < element->nquad; ++q) {
            const double *from = element->point + 3 * (size_t)q;
            const double kernel =
                (1.0 + 3.0 * at[0] * from[0]) * (1.0 + 3.0 * at[1] * from[1]) * (1.0 + 3.0 * at[2] * from[2]);
            out[s][q] = element->sample == element->point ? (s == q ? 1.0 : 0.0)
                                                          : 0.125 * element->weight[q] * kernel;
        }
    }
}
