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
