/* Figures in the order of the interface: those of all methods, then the method's own. */
#include "api/registry.h"
#include "output/figures/figure_table.h"

#include <math.h>

static int common_count(brn_scope scope)
{
    return scope == BRN_OF_STEP ? BRN_STEP_FIGURES : BRN_RUN_FIGURES;
}

int brn_method_figures(const brn_method *method, brn_scope scope, brn_figure own[BRN_OWN_FIGURES])
{
    const int n = method != NULL ? method->nfigures : 0;
    for (int i = 0; i < n; ++i) {
        const brn_figure *figure = &method->figures[i].figure;
        own[i] = scope == BRN_OF_STEP ? *figure : brn_own_run_figure(figure);
        own[i].group = method->table->name;
        own[i].column = scope == BRN_OF_STEP;
    }
    return n;
}

int brn_figure_count(brn_scope scope, const char *method)
{
    const brn_method *m = brn_method_find(method);
    return common_count(scope) + (m != NULL ? m->nfigures : 0);
}

brn_status brn_figure_get(brn_scope scope, const char *method, int index, brn_figure *out)
{
    BRN_GIVEN(NULL, out);
    brn_figure own[BRN_OWN_FIGURES];
    const int ncommon = common_count(scope);
    const int nown = brn_method_figures(brn_method_find(method), scope, own);
    if (index < 0 || index >= ncommon + nown) {
        return BRN_ERR_RANGE;
    }
    if (index >= ncommon) {
        *out = own[index - ncommon];
    } else {
        *out = scope == BRN_OF_STEP ? brn_step_table[index].figure : brn_run_figure(index);
    }
    return BRN_OK;
}

static double own_value(const double own[BRN_OWN_FIGURES], int index)
{
    return index >= 0 && index < BRN_OWN_FIGURES && isfinite(own[index]) ? own[index] : NAN;
}

double brn_report_figure(const brn_report *report, int index)
{
    if (report == NULL) {
        return NAN;
    }
    const bool common = index >= 0 && index < BRN_STEP_FIGURES;
    return common ? brn_step_value(report, index) : own_value(report->own, index - BRN_STEP_FIGURES);
}

double brn_summary_figure(const brn_summary *summary, int index)
{
    if (summary == NULL) {
        return NAN;
    }
    const bool common = index >= 0 && index < BRN_RUN_FIGURES;
    return common ? brn_run_value(summary, index) : own_value(summary->own, index - BRN_RUN_FIGURES);
}
