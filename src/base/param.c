#include "base/param.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool has_range(const brn_param *param)
{
    return param->lo != 0.0 || param->hi != 0.0;
}

static bool open_low(const brn_param *param)
{
    return param->bounds == BRN_OPEN || param->bounds == BRN_OPEN_LOW;
}

static bool open_high(const brn_param *param)
{
    return param->bounds == BRN_OPEN || param->bounds == BRN_OPEN_HIGH;
}

static void param_default(const brn_param *param, void *field)
{
    switch (param->kind) {
    case BRN_REAL:
        *(double *)field = param->standard;
        break;
    case BRN_INT:
    case BRN_CHOICE:
        *(int *)field = (int)param->standard;
        break;
    case BRN_BOOL:
        *(bool *)field = param->standard != 0.0;
        break;
    case BRN_TEXT:
        *(const char **)field = param->text;
        break;
    case BRN_VECTOR:
        if (param->vector != NULL) {
            memcpy(field, param->vector, 3 * sizeof(double));
        }
        break;
    case BRN_BLOCK:
        brn_table_defaults(param->table, field);
        break;
    default: /* lists and variants: empty, as the memset left them */
        break;
    }
}

void brn_table_defaults(const brn_table *table, void *out)
{
    memset(out, 0, table->size);
    for (int i = 0; i < table->nparams; ++i) {
        param_default(&table->params[i], (char *)out + table->params[i].offset);
    }
}

const brn_param *brn_table_find(const brn_table *table, const char *name)
{
    for (int i = 0; i < table->nparams; ++i) {
        if (strcmp(table->params[i].name, name) == 0) {
            return &table->params[i];
        }
    }
    return NULL;
}

bool brn_param_in_range(const brn_param *param, double value)
{
    if (!has_range(param)) {
        return isfinite(value);
    }
    const bool above = open_low(param) ? value > param->lo : value >= param->lo;
    const bool below = open_high(param) ? value < param->hi : value <= param->hi;
    return above && below && isfinite(value);
}

char *brn_param_range_text(const brn_param *param, char *buffer, size_t size)
{
    const bool low = has_range(param) && isfinite(param->lo);
    const bool high = has_range(param) && isfinite(param->hi) && param->hi < INT_MAX;
    if (low && high) {
        (void)snprintf(buffer, size, "in %c%g, %g%c", open_low(param) ? '(' : '[', param->lo, param->hi,
                       open_high(param) ? ')' : ']');
    } else if (low) {
        (void)snprintf(buffer, size, "%s %g", open_low(param) ? ">" : ">=", param->lo);
    } else if (high) {
        (void)snprintf(buffer, size, "%s %g", open_high(param) ? "<" : "<=", param->hi);
    } else {
        (void)snprintf(buffer, size, "finite");
    }
    return buffer;
}
