/* Sorting short lists of numbers in place. */
#ifndef BRN_LINALG_SORT_H
#define BRN_LINALG_SORT_H

#include <stddef.h>

/* Shell sort with Ciura's gaps: lists are short, and no memory or recursion is needed for the long ones. */
static inline void brn_sort_ints(int *v, int n)
{
    static const int gaps[] = {86961, 39405, 17961, 8151, 3548, 1577, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; ++g) {
        const int gap = gaps[g];
        for (int i = gap; i < n; ++i) {
            const int x = v[i];
            int j = i;
            for (; j >= gap && v[j - gap] > x; j -= gap) {
                v[j] = v[j - gap];
            }
            v[j] = x;
        }
    }
}

#endif
