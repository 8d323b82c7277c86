/* A design problem: from its file to what can be run, with everything that is wrong. */
#include "study/design_inner.h"

#include "base/hash.h"
#include "base/os.h"
#include "optimize/optimize.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------------------------------------------------------- */

static brn_status load_scene(brn_design *d)
{
    d->scene_path = brn_path_beside(d->ctx, brn_scene_file(d->file), d->def->scene);
    if (d->scene_path == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_status status = brn_scene_load(d->ctx, d->scene_path, &d->scene);
    if (d->scene == NULL && status != BRN_ERR_MEMORY) {
        brn_scene_add_problem(d->file, "scene", "%s", brn_ctx_message(d->ctx));
        return BRN_ERR_SCENE;
    }
    return status;
}

static brn_status make(brn_ctx *ctx, brn_scene *file, brn_design_kind kind, brn_status read, brn_design **out)
{
    brn_design *d = NULL;
    if (file == NULL) {
        return read;
    }
    d = brn_calloc(ctx, 1, sizeof *d);
    if (d == NULL) {
        brn_scene_destroy(file);
        return BRN_ERR_MEMORY;
    }
    d->ctx = ctx;
    d->kind = kind;
    d->file = file;
    d->memory.ctx = ctx;
    brn_registry_fill(&d->registry);
    *out = d;
    const void *def = NULL;
    brn_status status = brn_scene_resolve_as(file, &brn_design_table, "design problem", &def);
    d->def = def;
    if (status >= 0 && read >= 0) {
        status = load_scene(d);
    }
    if (status == BRN_ERR_MEMORY) {
        brn_design_destroy(d);
        *out = NULL;
        return status;
    }
    return read < 0                  ? read
           : status == BRN_ERR_SCENE ? brn_fail(ctx, status, "%s", brn_design_problem(d, 0))
                                     : status;
}

brn_status brn_design_parse(brn_ctx *ctx, const char *text, size_t length, const char *name,
                            brn_design_kind kind, brn_design **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, text);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    brn_scene *file = NULL;
    const brn_status status =
        brn_scene_parse(ctx, text, length, name != NULL ? name : "design problem", &file);
    return make(ctx, file, kind, status, out);
}

brn_status brn_design_load(brn_ctx *ctx, const char *path, brn_design_kind kind, brn_design **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, path);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    brn_scene *file = NULL;
    const brn_status status = brn_scene_load(ctx, path, &file);
    return make(ctx, file, kind, status, out);
}

brn_status brn_design_set(brn_design *design, const char *assignment)
{
    BRN_GIVEN(NULL, design);
    BRN_GIVEN(design->ctx, assignment);
    if (design->scene == NULL || design->prepared) {
        return brn_fail(design->ctx, BRN_ERR_RANGE, "%s", "values are set between reading and preparing");
    }
    BRN_GROW(design->ctx, design->set, design->set_room, design->nset + 1);
    char *copy = brn_strdup(design->ctx, assignment);
    if (copy == NULL) {
        return BRN_ERR_MEMORY;
    }
    design->set[design->nset++] = copy;
    return BRN_OK;
}

/* ---- paths of the scene ----------------------------------------------------------------------------------------------------- */

/* Looks a path up in the resolved scene. where: the key of the problem that has it. False: told. */
static bool find_number(brn_design *d, const char *where, const char *path, brn_scene_field *field,
                        double *value)
{
    const brn_status status = brn_scene_find_field(d->scene, &d->registry.schema, path, field);
    if (status < 0) {
        d->starved = d->starved || status == BRN_ERR_MEMORY;
        brn_scene_add_problem(d->file, where, "%s", brn_ctx_message(d->ctx));
        return false;
    }
    if (!brn_scene_field_number(field, value)) {
        brn_scene_add_problem(d->file, where, "'%s' of the scene is not a single number%s", path,
                              field->param->kind == BRN_VECTOR || field->param->kind == BRN_REALS
                                  ? "; take one entry, like [0]"
                                  : "");
        return false;
    }
    return true;
}

static brn_design_path path_of(const char *path, const brn_scene_field *field)
{
    const bool whole = field->param->kind == BRN_INT || field->param->kind == BRN_INTS;
    return (brn_design_path){path, whole, field->value, field->entry};
}

/* A key below a block of the problem. */
const char *brn_design_where(brn_design *d, const brn_block *block, const char *key)
{
    const size_t size = strlen(block->path) + strlen(key) + 2;
    char *text = brn_bump_take(&d->memory, size, 1);
    if (text == NULL) {
        d->starved = true;
        return block->path;
    }
    (void)snprintf(text, size, "%s.%s", block->path, key);
    return text;
}

/* ---- parameters ---------------------------------------------------------------------------------------------------------------- */

/* Whole numbers begin and end with one: what lies between is rounded and must not leave the range. */
static void find_range(const brn_design_axis *axis, double *min, double *max)
{
    const brn_parameter_def *def = axis->def;
    const bool whole = axis->info.whole;
    *min = whole ? ceil(def->min) : def->min;
    *max = whole ? floor(def->max) : def->max;
    for (int i = 0; i < def->values.count; ++i) {
        *min = isnan(def->min) ? fmin(i > 0 ? *min : INFINITY, def->values.v[i]) : *min;
        *max = isnan(def->max) ? fmax(i > 0 ? *max : -INFINITY, def->values.v[i]) : *max;
    }
}

static void check_values(brn_design *d, const brn_design_axis *axis)
{
    const brn_reals *values = &axis->def->values;
    for (int i = 0; i < values->count; ++i) {
        const double value = values->v[i];
        const bool broken = axis->info.whole && value != rint(value);
        if (broken || value < axis->info.min || value > axis->info.max) {
            brn_scene_add_problem(d->file, brn_design_where(d, &axis->def->block, "values"), "%g %s", value,
                                  broken ? "is not a whole number"
                                         : "does not lie between min and max; leave these away");
            return;
        }
    }
}

static void check_range(brn_design *d, brn_design_axis *axis)
{
    const brn_parameter_def *def = axis->def;
    brn_design_parameter *info = &axis->info;
    find_range(axis, &info->min, &info->max);
    const bool search = d->kind == BRN_DESIGN_SEARCH;
    const bool alone = def->values.count > 0 && isnan(def->min) && isnan(def->max);
    if (isnan(info->min) || isnan(info->max) || (search && (isnan(def->min) || isnan(def->max)))) {
        brn_scene_add_problem(d->file, def->block.path, "needs min and max%s",
                              search ? "" : ", or the values of a grid");
    } else if (!(info->min < info->max) && !alone) {
        brn_scene_add_problem(d->file, brn_design_where(d, &def->block, "max"), "must be > min%s",
                              info->whole ? ", with two whole numbers at least from one to the other" : "");
    } else if (axis->log && !(info->min > 0.0)) {
        brn_scene_add_problem(d->file, brn_design_where(d, &def->block, "min"),
                              "must be > 0 where scale is log");
    } else if (isfinite(def->start) && !(def->start >= info->min && def->start <= info->max)) {
        brn_scene_add_problem(d->file, brn_design_where(d, &def->block, "start"),
                              "must lie between min and max");
    } else {
        check_values(d, axis);
    }
}

static brn_status read_paths(brn_design *d, brn_design_axis *axis, double *scene_value)
{
    const brn_parameter_def *def = axis->def;
    BRN_BUMP(&d->memory, axis->path, def->paths.count + 1);
    *scene_value = NAN;
    axis->info.whole = false;
    for (int i = def->path != NULL ? -1 : 0; i < def->paths.count; ++i) {
        const char *path = i < 0 ? def->path : def->paths.v[i];
        brn_scene_field field;
        double value = NAN;
        if (find_number(d, brn_design_where(d, &def->block, i < 0 ? "path" : "paths"), path, &field,
                        &value)) {
            axis->info.unit =
                axis->info.unit[0] == '\0' && field.param->unit != NULL && strcmp(field.param->unit, "1") != 0
                    ? field.param->unit
                    : axis->info.unit;
            *scene_value = isnan(*scene_value) ? value : *scene_value;
            axis->path[axis->npath] = path_of(path, &field);
            axis->info.whole = axis->info.whole || axis->path[axis->npath].whole;
            ++axis->npath;
        }
    }
    return BRN_OK;
}

static brn_status read_axis(brn_design *d, int index)
{
    brn_design_axis *axis = &d->axis[index];
    const brn_parameter_def *def = (const brn_parameter_def *)d->def->parameters.items + index;
    axis->def = def;
    axis->log = def->scale == BRN_SCALE_LOG;
    axis->info = (brn_design_parameter){.name = def->name, .unit = ""};
    double scene_value = NAN;
    BRN_TRY(read_paths(d, axis, &scene_value));
    check_range(d, axis);
    const brn_design_parameter *info = &axis->info;
    const bool within = scene_value >= info->min && scene_value <= info->max;
    const double middle = axis->log ? sqrt(info->min * info->max) : 0.5 * (info->min + info->max);
    axis->info.start = isfinite(def->start) ? def->start : within ? scene_value : middle;
    if (strchr(def->name, '`') != NULL || strlen(def->name) > 100 || def->name[0] == '\0') {
        brn_scene_add_problem(d->file, brn_design_where(d, &def->block, "name"),
                              "must have 1 to 100 characters without `");
    } else if (!brn_expression_is_name(def->name) && strpbrk(def->name, "[]/-") == NULL) {
        brn_scene_add_problem(d->file, brn_design_where(d, &def->block, "name"),
                              "cannot be used: a word of expressions, or not of letters, digits, _ and .");
    }
    return BRN_OK;
}

static brn_status read_axes(brn_design *d)
{
    d->n = d->def->parameters.count;
    if (d->n == 0) {
        brn_scene_add_problem(d->file, "parameters", "there is none");
    }
    BRN_BUMP(&d->memory, d->axis, d->n + 1);
    for (int i = 0; i < d->n; ++i) {
        BRN_TRY(read_axis(d, i));
    }
    return BRN_OK;
}

static brn_status read_tolerances(brn_design *d)
{
    const brn_robustness_def *robust = &d->def->robustness;
    d->samples = brn_block_given(&robust->block) ? robust->samples : 1;
    d->ntolerance = robust->tolerances.count;
    BRN_BUMP(&d->memory, d->tolerance, d->ntolerance + 1);
    for (int i = 0; i < d->ntolerance; ++i) {
        brn_design_tolerance *t = &d->tolerance[i];
        const brn_tolerance_def *def = (const brn_tolerance_def *)robust->tolerances.items + i;
        *t = (brn_design_tolerance){.def = def, .axis = -1};
        if ((def->path != NULL) == (def->parameter != NULL)) {
            brn_scene_add_problem(d->file, def->block.path, "needs a path or a parameter, one of them");
            continue;
        }
        if (isnan(def->by) == isnan(def->percent)) {
            brn_scene_add_problem(d->file, def->block.path, "needs by or percent, one of them");
        }
        const char *names[256];
        int count = 0;
        for (int k = 0; k < d->n && k < BRN_COUNT(names) && def->parameter != NULL; ++k) {
            names[count++] = d->axis[k].info.name;
            t->axis = strcmp(d->axis[k].info.name, def->parameter) == 0 ? k : t->axis;
        }
        brn_scene_field field;
        double value = NAN;
        const char *where = brn_design_where(d, &def->block, def->path != NULL ? "path" : "parameter");
        if (def->parameter != NULL && t->axis < 0) {
            const int near = brn_nearest_word(def->parameter, names, count);
            brn_scene_add_problem(d->file, where, "there is no parameter of this name%s%s%s",
                                  near >= 0 ? "; did you mean '" : "", near >= 0 ? names[near] : "",
                                  near >= 0 ? "'?" : "");
        } else if (def->path != NULL && find_number(d, where, def->path, &field, &value)) {
            t->whole = path_of(def->path, &field).whole;
            if (!isfinite(value)) {
                brn_scene_add_problem(d->file, where, "the scene does not give it a value to deviate from");
            }
        }
    }
    return BRN_OK;
}

/* ---- expressions ----------------------------------------------------------------------------------------------------------------- */

static brn_status read_expression(brn_design *d, const char *where, const char *text, brn_expression **out)
{
    *out = NULL;
    if (text == NULL) {
        return BRN_OK;
    }
    const brn_status status = brn_expression_parse(d->ctx, text, out);
    if (status == BRN_ERR_FORMAT) {
        brn_scene_add_problem(d->file, where, "%s", brn_ctx_message(d->ctx));
        return BRN_OK;
    }
    return status;
}

static brn_status read_list(brn_design *d, const char *key, const brn_texts *texts, brn_expression ***out,
                            int *count)
{
    BRN_BUMP(&d->memory, *out, texts->count + 1);
    *count = texts->count;
    for (int i = 0; i < texts->count; ++i) {
        char where[64];
        (void)snprintf(where, sizeof where, "%s[%d]", key, i);
        BRN_TRY(read_expression(d, where, texts->v[i], &(*out)[i]));
    }
    return BRN_OK;
}

static brn_status read_assigns(brn_design *d)
{
    d->nassign = d->def->assign.count;
    BRN_BUMP(&d->memory, d->assign, d->nassign + 1);
    for (int i = 0; i < d->nassign; ++i) {
        const brn_setting_def *def = (const brn_setting_def *)d->def->assign.items + i;
        brn_scene_field field;
        double value = NAN;
        d->assign[i].to = (brn_design_path){.path = def->block.name};
        if (find_number(d, def->block.path, def->block.name, &field, &value)) {
            d->assign[i].to = path_of(def->block.name, &field);
        }
        BRN_TRY(read_expression(d, def->block.path, def->value, &d->assign[i].value));
    }
    return BRN_OK;
}

/* Whether something before has set the value that a path leads to: axes up to and with `axis`, of that the first `npath` paths, then the
   first nassign of `assign`. The later would win, and the parameter before seem to do nothing. */
static bool is_set_before(const brn_design *d, const brn_design_path *to, int axis, int npath, int nassign)
{
    bool found = false;
    for (int i = 0; i <= axis && i < d->n; ++i) {
        for (int k = 0; k < (i < axis ? d->axis[i].npath : npath); ++k) {
            const brn_design_path *other = &d->axis[i].path[k];
            found = found || (other->value == to->value && other->entry == to->entry);
        }
    }
    for (int i = 0; i < nassign; ++i) {
        const brn_design_path *other = &d->assign[i].to;
        found = found || (other->value == to->value && other->entry == to->entry);
    }
    return found;
}

static void check_set_twice(brn_design *d)
{
    static const char *const told = "'%s' of the scene is set by another parameter or 'assign' already";
    for (int i = 0; i < d->n; ++i) {
        for (int k = 0; k < d->axis[i].npath; ++k) {
            const brn_design_path *to = &d->axis[i].path[k];
            if (is_set_before(d, to, i, k, 0)) {
                brn_scene_add_problem(d->file, d->axis[i].def->block.path, told, to->path);
            }
        }
    }
    for (int i = 0; i < d->nassign; ++i) {
        const brn_design_path *to = &d->assign[i].to;
        const brn_setting_def *def = (const brn_setting_def *)d->def->assign.items + i;
        if (to->value != NULL && is_set_before(d, to, d->n, 0, i)) {
            brn_scene_add_problem(d->file, def->block.path, told, to->path);
        }
    }
}

/* What an optimiser does not take. */
static void check_optimizer(brn_design *d)
{
    const brn_optimizer_def *def = &d->def->optimizer;
    const bool bobyqa = def->type == BRN_OPTIMIZER_BOBYQA;
    if ((bobyqa || def->type == BRN_OPTIMIZER_SUBPLEX) && d->def->constraints.count > 0) {
        brn_scene_add_problem(d->file, "optimizer.type",
                              "takes no constraints; take cobyla, gradient or cmaes");
    }
    if (bobyqa && d->n == 1) {
        brn_scene_add_problem(d->file, "optimizer.type", "needs two parameters; take cobyla or subplex");
    }
    if (def->population > 0 && def->population < 4) {
        brn_scene_add_problem(d->file, "optimizer.population", "must be 4 or more, or 0");
    }
}

static brn_status read_expressions(brn_design *d)
{
    const brn_design_def *def = d->def;
    if (def->objective != NULL && def->maximise != NULL) {
        brn_scene_add_problem(d->file, "maximise", "stands beside 'objective'; keep one of the two");
    }
    if (def->objective == NULL && def->maximise == NULL && d->kind == BRN_DESIGN_SEARCH) {
        brn_scene_add_problem(d->file, "", "missing key 'objective' or 'maximise' (what is sought)");
    }
    if (d->kind == BRN_DESIGN_SEARCH) {
        check_optimizer(d);
    }
    const char *key = def->maximise != NULL ? "maximise" : "objective";
    BRN_TRY(read_expression(d, key, def->maximise != NULL ? def->maximise : def->objective, &d->objective));
    BRN_TRY(read_expression(d, "success", def->success, &d->success));
    BRN_TRY(read_list(d, "constraints", &def->constraints, &d->constraint, &d->nconstraint));
    for (int i = 0; i < d->nconstraint; ++i) {
        char where[64];
        (void)snprintf(where, sizeof where, "constraints[%d]", i);
        if (d->constraint[i] != NULL && !brn_expression_is_margin(d->constraint[i])) {
            brn_scene_add_problem(
                d->file, where, "must be one comparison by <, <=, > or >=; write several as several entries");
        }
    }
    BRN_TRY(read_list(d, "figures", &def->figures, &d->figure, &d->nfigure));
    return read_assigns(d);
}

/* ---- against the scene --------------------------------------------------------------------------------------------------------------------- */

static brn_status resolve_scene(brn_design *d, uint64_t *hash)
{
    char *text = NULL;
    const brn_status status = brn_scene_write(d->scene, &text);
    if (status >= 0 && hash != NULL) {
        *hash = brn_hash_text(*hash, text);
    }
    brn_free(d->ctx, text);
    return status;
}

static bool has_problems(const brn_design *d)
{
    return d->starved || brn_scene_problem_count(d->file) > 0;
}

static brn_status fail_problems(brn_design *d)
{
    if (d->starved) {
        return brn_fail(d->ctx, BRN_ERR_MEMORY, "%s: out of memory", brn_scene_file(d->file));
    }
    return brn_fail(d->ctx, BRN_ERR_SCENE, "%s", brn_design_problem(d, 0));
}

/* What the scene refuses of `set` is the fault of the problem, if the scene is in order by itself. */
static brn_status apply_fixed(brn_design *d)
{
    BRN_TRY(resolve_scene(d, NULL));
    for (int i = 0; i < d->def->set.count; ++i) {
        const brn_setting_def *def = (const brn_setting_def *)d->def->set.items + i;
        brn_text text = {.ctx = d->ctx};
        brn_text_add(&text, "%s=%s", def->block.name, def->value);
        brn_status status = text.failed ? BRN_ERR_MEMORY : brn_scene_set(d->scene, text.data);
        status = status >= 0 ? resolve_scene(d, NULL) : status;
        brn_text_clear(&text);
        if (status == BRN_ERR_SCENE) {
            brn_scene_add_problem(d->file, def->block.path, "the scene refuses it: %s",
                                  brn_ctx_message(d->ctx));
            return fail_problems(d);
        }
        BRN_TRY(status);
    }
    for (int i = 0; i < d->nset; ++i) {
        BRN_TRY(brn_scene_set(d->scene, d->set[i]));
    }
    return BRN_OK;
}

/* Sets the scene to a point and resolves it. */
static brn_status try_point(brn_design *d, const double *x)
{
    brn_design_settings settings = {.ctx = d->ctx};
    brn_status status = brn_design_point_settings(d, x, 0, &settings, NULL);
    for (int i = 0; status >= 0 && i < settings.count; ++i) {
        status = brn_scene_set(d->scene, settings.item[i]);
    }
    brn_design_settings_clear(&settings);
    return status >= 0 ? resolve_scene(d, NULL) : status;
}

/* Every parameter alone at its ends: what the scene refuses is the fault of the problem. */
static brn_status try_ends(brn_design *d, double *x)
{
    for (int i = 0; i < d->n; ++i) {
        const double start = x[i];
        for (int end = 0; end < 2; ++end) {
            x[i] = end == 0 ? d->axis[i].info.min : d->axis[i].info.max;
            const brn_status status = try_point(d, x);
            if (status == BRN_ERR_SCENE) {
                brn_scene_add_problem(d->file,
                                      brn_design_where(d, &d->axis[i].def->block, end == 0 ? "min" : "max"),
                                      "the scene refuses it: %s", brn_ctx_message(d->ctx));
            } else if (status < 0) {
                return status;
            }
        }
        x[i] = start;
    }
    return BRN_OK;
}

static brn_status try_scene(brn_design *d)
{
    double *x = NULL;
    BRN_ALLOC(d->ctx, x, d->n);
    for (int i = 0; i < d->n; ++i) {
        x[i] = d->axis[i].info.start;
    }
    brn_status status = try_ends(d, x);
    status = status >= 0 ? try_point(d, x) : status;
    if (status == BRN_ERR_SCENE && !has_problems(d)) {
        brn_scene_add_problem(d->file, "parameters", "the scene refuses the start: %s",
                              brn_ctx_message(d->ctx));
    }
    brn_free(d->ctx, x);
    if (status < 0 || has_problems(d)) {
        return status < 0 && status != BRN_ERR_SCENE ? status : fail_problems(d);
    }
    brn_model *model = NULL;
    status = brn_model_compile(d->ctx, d->scene, &model);
    status = status >= 0 ? brn_design_know_figures(d, model) : status;
    brn_model_destroy(model);
    return status;
}

/* Options that say how far it goes, not where, may change when it goes on. */
static uint64_t hash_problem(const brn_design *d)
{
    brn_design_def def = *d->def;
    def.title = NULL;
    def.optimizer.evaluations = 0;
    def.optimizer.target = def.optimizer.tolerance = 0.0;
    def.limit = 0.0;
    return brn_table_hash(brn_hash_text(BRN_HASH_START, d->kind == BRN_DESIGN_SWEEP ? "sweep" : "search"),
                          &brn_design_table, &def);
}

brn_status brn_design_prepare(brn_design *design)
{
    BRN_GIVEN(NULL, design);
    brn_design *d = design;
    if (d->scene == NULL || d->prepared) {
        return brn_fail(d->ctx, BRN_ERR_RANGE, "%s",
                        d->prepared ? "it is prepared already" : brn_design_problem(d, 0));
    }
    d->hash = hash_problem(d);
    BRN_TRY(apply_fixed(d));
    BRN_TRY(resolve_scene(d, &d->hash));
    BRN_TRY(read_axes(d));
    BRN_TRY(read_tolerances(d));
    BRN_TRY(read_expressions(d));
    check_set_twice(d);
    BRN_TRY(brn_design_know_parameters(d));
    if (has_problems(d)) {
        return fail_problems(d);
    }
    BRN_TRY(brn_design_make_draws(d));
    BRN_TRY(try_scene(d));
    brn_design_check_names(d);
    if (has_problems(d)) {
        return fail_problems(d);
    }
    BRN_TRY(brn_design_list_columns(d));
    d->prepared = true;
    return BRN_OK;
}

/* ---- asking --------------------------------------------------------------------------------------------------------------------------------- */

int brn_design_problem_count(const brn_design *design)
{
    return design != NULL ? brn_scene_problem_count(design->file) + brn_scene_problem_count(design->scene)
                          : 0;
}

const char *brn_design_problem(const brn_design *design, int index)
{
    if (design == NULL) {
        return "";
    }
    const int own = brn_scene_problem_count(design->file);
    return index < own ? brn_scene_problem(design->file, index)
                       : brn_scene_problem(design->scene, index - own);
}

int brn_design_parameter_count(const brn_design *design)
{
    return design != NULL && design->prepared ? design->n : 0;
}

brn_status brn_design_get_parameter(const brn_design *design, int index, brn_design_parameter *out)
{
    BRN_GIVEN(NULL, design);
    BRN_GIVEN(design->ctx, out);
    if (index < 0 || index >= brn_design_parameter_count(design)) {
        return brn_fail(design->ctx, BRN_ERR_RANGE, "there is no parameter %d", index);
    }
    *out = design->axis[index].info;
    return BRN_OK;
}

const char *brn_design_scene(const brn_design *design)
{
    return design != NULL && design->scene_path != NULL ? design->scene_path : "";
}

const char *brn_design_objective(const brn_design *design)
{
    return design != NULL && design->objective != NULL ? brn_expression_text(design->objective) : NULL;
}

bool brn_design_maximises(const brn_design *design)
{
    return design != NULL && design->def != NULL && design->def->maximise != NULL;
}

int brn_design_figure_count(const brn_design *design)
{
    return design != NULL ? design->ncolumn : 0;
}

const char *brn_design_figure(const brn_design *design, int index)
{
    return index >= 0 && index < brn_design_figure_count(design) ? design->column[index].name : "";
}

int brn_design_constraint_count(const brn_design *design)
{
    return design != NULL ? design->nconstraint : 0;
}

const char *brn_design_constraint(const brn_design *design, int index)
{
    return index >= 0 && index < brn_design_constraint_count(design)
               ? brn_expression_text(design->constraint[index])
               : "";
}

brn_status brn_design_info(brn_ctx *ctx, char **text)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, text);
    const brn_schema schema = {.root = &brn_design_table};
    brn_text out = {.ctx = ctx};
    brn_text_add(&out, "design: %s\n", brn_design_table.help);
    brn_table_describe(&brn_design_table, &schema, 2, &out);
    brn_text_add(&out, "\nexpressions\n%s", brn_expression_help());
    return brn_text_take(&out, text);
}

static void free_expressions(brn_design *d)
{
    brn_expression_destroy(d->objective);
    brn_expression_destroy(d->success);
    for (int i = 0; d->constraint != NULL && i < d->nconstraint; ++i) {
        brn_expression_destroy(d->constraint[i]);
    }
    for (int i = 0; d->figure != NULL && i < d->nfigure; ++i) {
        brn_expression_destroy(d->figure[i]);
    }
    for (int i = 0; d->assign != NULL && i < d->nassign; ++i) {
        brn_expression_destroy(d->assign[i].value);
    }
}

void brn_design_destroy(brn_design *design)
{
    if (design == NULL) {
        return;
    }
    brn_design *d = design;
    brn_ctx *ctx = d->ctx;
    brn_design_forget(d);
    free_expressions(d);
    for (int i = 0; i < d->nset; ++i) {
        brn_free(ctx, d->set[i]);
    }
    brn_free(ctx, (void *)d->set);
    brn_free(ctx, d->known);
    brn_free(ctx, d->draw);
    brn_free(ctx, d->scene_path);
    brn_bump_clear(&d->memory);
    brn_scene_destroy(d->scene);
    brn_scene_destroy(d->file);
    brn_free(ctx, d);
}
