/* What is known of a point: its simulations, and what they come to. */
#include "base/json.h"
#include "study/design_inner.h"
#include "study/run_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- records ------------------------------------------------------------------------------------------------------------------- */

static void free_figures(const brn_design *d, char **figure)
{
    for (int i = 0; figure != NULL && i < d->ncolumn; ++i) {
        brn_free(d->ctx, figure[i]);
    }
    brn_free(d->ctx, (void *)figure);
}

void brn_design_record_destroy(const brn_design *design, brn_design_record *record)
{
    if (record == NULL) {
        return;
    }
    brn_free(design->ctx, record->x);
    brn_free(design->ctx, record->constraint);
    brn_free(design->ctx, record->reason);
    brn_free(design->ctx, record->folder);
    free_figures(design, record->figure);
    brn_free(design->ctx, record);
}

brn_design_record *brn_design_record_create(const brn_design *design)
{
    brn_design_record *r = brn_calloc(design->ctx, 1, sizeof *r);
    if (r == NULL) {
        return NULL;
    }
    r->x = brn_calloc(design->ctx, (size_t)design->n, sizeof *r->x);
    r->constraint = brn_calloc(design->ctx, (size_t)design->nconstraint, sizeof *r->constraint);
    r->figure = brn_calloc(design->ctx, (size_t)design->ncolumn, sizeof *r->figure);
    if (r->x == NULL || r->constraint == NULL || r->figure == NULL) {
        brn_design_record_destroy(design, r);
        return NULL;
    }
    return r;
}

void brn_design_record_view(const brn_design_record *record, brn_design_evaluation *out)
{
    *out = (brn_design_evaluation){
        .index = record->index,
        .x = record->x,
        .objective = record->objective,
        .constraint = record->constraint,
        .figure = (const char *const *)record->figure,
        .violation = record->violation,
        .samples = record->samples,
        .succeeded = record->succeeded,
        .status = record->failed ? "failed" : "done",
        .reason = record->reason != NULL ? record->reason : "",
        .folder = record->folder != NULL ? record->folder : "",
        .wall = record->wall,
        .cpu = record->cpu,
    };
}

bool brn_design_record_better(const brn_design *design, const brn_design_record *a,
                              const brn_design_record *b)
{
    if (design->objective == NULL || isnan(a->objective) || isnan(a->violation)) {
        return false;
    }
    if (b == NULL || isnan(b->objective) || isnan(b->violation)) {
        return true;
    }
    const double slack = design->def->optimizer.slack;
    if (a->violation > slack || b->violation > slack) {
        return a->violation < b->violation;
    }
    return brn_design_maximises(design) ? a->objective > b->objective : a->objective < b->objective;
}

const brn_design_record *brn_design_best(const brn_design *design)
{
    const brn_design_record *best = NULL;
    for (int64_t i = 0; i < design->nused; ++i) {
        best = brn_design_record_better(design, design->used[i], best) ? design->used[i] : best;
    }
    return best;
}

void brn_design_forget(brn_design *design)
{
    for (int64_t i = 0; i < design->nused; ++i) {
        brn_design_record_destroy(design, design->used[i]);
    }
    for (int64_t i = 0; i < design->nlogged; ++i) {
        brn_design_record_destroy(design, design->logged[i]);
    }
    brn_free(design->ctx, (void *)design->used);
    brn_free(design->ctx, (void *)design->logged);
    design->used = design->logged = NULL;
    design->nused = design->used_room = design->nlogged = design->repeated = 0;
}

int64_t brn_design_evaluation_count(const brn_design *design)
{
    return design != NULL ? design->nused : 0;
}

brn_status brn_design_get_evaluation(const brn_design *design, int64_t index, brn_design_evaluation *out)
{
    BRN_GIVEN(NULL, design);
    BRN_GIVEN(design->ctx, out);
    if (index < 0 || index >= design->nused) {
        return brn_fail(design->ctx, BRN_ERR_RANGE, "there is no evaluation %lld", (long long)index);
    }
    brn_design_record_view(design->used[index], out);
    return BRN_OK;
}

/* ---- simulations ---------------------------------------------------------------------------------------------------------------- */

void brn_design_simulations_destroy(const brn_design *design, brn_design_simulation *simulation)
{
    for (int i = 0; simulation != NULL && i < design->samples; ++i) {
        brn_free(design->ctx, simulation[i].constraint);
        free_figures(design, simulation[i].figure);
    }
    brn_free(design->ctx, simulation);
}

brn_status brn_design_simulations_create(const brn_design *design, brn_design_simulation **out)
{
    BRN_ALLOC(design->ctx, *out, design->samples);
    bool fine = true;
    for (int i = 0; i < design->samples; ++i) {
        brn_design_simulation *s = &(*out)[i];
        s->objective = NAN;
        s->constraint = brn_calloc(design->ctx, (size_t)design->nconstraint, sizeof *s->constraint);
        s->figure = brn_calloc(design->ctx, (size_t)design->ncolumn, sizeof *s->figure);
        fine = fine && s->constraint != NULL && s->figure != NULL;
        for (int k = 0; fine && k < design->nconstraint; ++k) {
            s->constraint[k] = NAN;
        }
    }
    if (!fine) {
        brn_design_simulations_destroy(design, *out);
        *out = NULL;
        return BRN_ERR_MEMORY;
    }
    return BRN_OK;
}

/* ---- measuring ------------------------------------------------------------------------------------------------------------------- */

typedef struct measured {
    const brn_design *design;
    const double *x;
    const brn_run_figures *figures;
} measured;

static brn_value get_value(void *user, const char *name, brn_column_use use, double time)
{
    const measured *m = user;
    for (int i = 0; use == BRN_COLUMN_PLAIN && i < m->design->n; ++i) {
        if (strcmp(m->design->axis[i].info.name, name) == 0) {
            return (brn_value){.kind = BRN_VALUE_NUMBER, .number = m->x[i]};
        }
    }
    return brn_run_figures_get(m->figures, name, use, time);
}

static brn_status keep_figure(brn_ctx *ctx, brn_value value, char **out)
{
    brn_json json = {.text = {.ctx = ctx}, .lines = -1};
    if (value.kind == BRN_VALUE_WORD) {
        brn_json_text(&json, NULL, value.word);
    } else {
        brn_json_real(&json, NULL, value.kind == BRN_VALUE_NUMBER ? value.number : NAN);
    }
    return brn_text_take(&json.text, out);
}

static brn_status measure(const brn_design *d, const brn_value_source *source, brn_design_simulation *out)
{
    for (int i = 0; i < d->ncolumn; ++i) {
        const brn_design_column *c = &d->column[i];
        const brn_value value = c->reference < 0
                                    ? brn_expression_value(c->expression, source)
                                    : brn_expression_reference_value(c->expression, c->reference, source);
        brn_free(d->ctx, out->figure[i]);
        out->figure[i] = NULL;
        BRN_TRY(keep_figure(d->ctx, value, &out->figure[i]));
    }
    out->objective = d->objective != NULL ? brn_expression_number(d->objective, source) : NAN;
    for (int i = 0; i < d->nconstraint; ++i) {
        out->constraint[i] = brn_expression_margin(d->constraint[i], source);
    }
    out->success = d->success != NULL && brn_expression_holds(d->success, source);
    return BRN_OK;
}

/* A simulation that ended well but has nothing for the objective says so. */
static void tell_missing(const brn_design *d, brn_design_simulation *out)
{
    double value = d->objective != NULL ? out->objective : 0.0;
    const brn_expression *missing = !isfinite(value) ? d->objective : NULL;
    for (int i = 0; i < d->nconstraint && missing == NULL; ++i) {
        value = out->constraint[i];
        missing = !isfinite(value) ? d->constraint[i] : NULL;
    }
    if (missing != NULL) {
        out->value = false;
        (void)snprintf(out->reason, sizeof out->reason, "'%.200s' %s in this run",
                       brn_expression_text(missing), isnan(value) ? "has no value" : "is infinite");
    }
}

brn_status brn_design_measure(const brn_design *design, const double *x, const char *folder,
                              brn_design_simulation *out)
{
    brn_run_figures figures;
    const brn_status read = brn_run_figures_read(design->ctx, folder, &figures);
    if (read < 0) {
        out->value = false;
        (void)snprintf(out->reason, sizeof out->reason, "%s", brn_ctx_message(design->ctx));
        return read == BRN_ERR_MEMORY ? read : BRN_OK;
    }
    measured m = {design, x, &figures};
    const brn_value_source source = {get_value, &m};
    const brn_status status = measure(design, &source, out);
    const brn_value word = brn_run_figures_get(&figures, "status", BRN_COLUMN_PLAIN, 0.0);
    const brn_value why = brn_run_figures_get(&figures, "reason", BRN_COLUMN_PLAIN, 0.0);
    const bool done = word.kind == BRN_VALUE_WORD && strcmp(word.word, "done") == 0;
    const bool suspect = word.kind == BRN_VALUE_WORD && strcmp(word.word, "suspect") == 0;
    out->value = done || (suspect && design->def->suspect == 1);
    if (!out->value) {
        (void)snprintf(out->reason, sizeof out->reason, "%s: %.400s",
                       word.kind == BRN_VALUE_WORD ? word.word : "no status",
                       why.kind == BRN_VALUE_WORD ? why.word : "");
        out->success = false;
    } else {
        tell_missing(design, out);
    }
    brn_run_figures_clear(&figures);
    return status;
}

/* ---- what the simulations of a point come to ------------------------------------------------------------------------------------------ */

/* Of the objective (constraint -1) or a constraint: the mean, or the worst, which is the highest, or where high is good the lowest. */
static double combine(const brn_design *d, const brn_design_simulation *simulation, int constraint)
{
    const bool lowest = constraint < 0 && brn_design_maximises(d);
    double sum = 0.0, worst = lowest ? INFINITY : -INFINITY;
    for (int i = 0; i < d->samples; ++i) {
        const brn_design_simulation *s = &simulation[i];
        const double value = constraint < 0 ? s->objective : s->constraint[constraint];
        if (!s->value || isnan(value)) {
            return NAN;
        }
        sum += value;
        worst = lowest ? fmin(worst, value) : fmax(worst, value);
    }
    return d->def->robustness.mode == BRN_ROBUST_MEAN ? sum / (double)d->samples : worst;
}

brn_status brn_design_record_sum_up(const brn_design *design, brn_design_record *record,
                                    brn_design_simulation *simulation)
{
    const brn_design *d = design;
    record->samples = d->samples;
    record->succeeded = d->success != NULL ? 0 : -1;
    record->failed = record->lost = false;
    record->wall = record->cpu = 0.0;
    const char *reason = NULL;
    for (int i = 0; i < d->samples; ++i) {
        record->failed = record->failed || !simulation[i].value;
        record->lost = record->lost || simulation[i].lost;
        record->succeeded += d->success != NULL && simulation[i].success;
        record->wall += simulation[i].wall;
        record->cpu += simulation[i].cpu;
        reason = reason == NULL && !simulation[i].value ? simulation[i].reason : reason;
    }
    record->objective = combine(d, simulation, -1);
    record->violation = record->failed ? NAN : 0.0;
    for (int k = 0; k < d->nconstraint; ++k) {
        record->constraint[k] = combine(d, simulation, k);
        record->violation =
            isnan(record->constraint[k]) ? NAN : fmax(record->violation, record->constraint[k]);
    }
    record->reason = brn_strdup(d->ctx, reason != NULL ? reason : "");
    bool fine = record->reason != NULL;
    for (int i = 0; i < d->ncolumn; ++i) { /* the record has the figures of the first one */
        const char *figure = simulation[0].figure[i];
        record->figure[i] = figure != NULL ? brn_strdup(d->ctx, figure) : NULL;
        fine = fine && (figure == NULL || record->figure[i] != NULL);
    }
    return fine ? BRN_OK : BRN_ERR_MEMORY;
}
