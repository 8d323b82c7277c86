#include "model/generate/generate.h"

#include "geom/intersect.h"

#include <string.h>

#define GENERATOR(name) extern const brn_generator brn_generator_##name;
#include "model/generate/generators.def"
#undef GENERATOR

static const brn_generator *const generators[] = {
#define GENERATOR(name) &brn_generator_##name,
#include "model/generate/generators.def"
#undef GENERATOR
};

int brn_generator_count(void)
{
    return BRN_COUNT(generators);
}

const brn_generator *brn_generator_get(int index)
{
    return index >= 0 && index < BRN_COUNT(generators) ? generators[index] : NULL;
}

const brn_generator *brn_generator_of_table(const brn_table *table)
{
    for (int i = 0; i < BRN_COUNT(generators); ++i) {
        if (generators[i]->table == table) {
            return generators[i];
        }
    }
    return NULL;
}

const char *brn_generate_path(const brn_table *table, const void *params)
{
    const brn_block *block = params;
    return block->path != NULL ? block->path : table->name;
}

static int choice_count(const brn_param *param)
{
    int n = 0;
    while (param->choices[n] != NULL) {
        n++;
    }
    return n;
}

static brn_status check_number(brn_ctx *ctx, const char *path, const brn_param *param, double value)
{
    char range[64];
    if (!brn_param_in_range(param, value)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.%s = %g: must be %s", path, param->name, value,
                        brn_param_range_text(param, range, sizeof range));
    }
    return BRN_OK;
}

static brn_status check_choice(brn_ctx *ctx, const char *path, const brn_param *param, int value)
{
    if (value < 0 || value >= choice_count(param)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.%s = %d: no such choice", path, param->name, value);
    }
    return BRN_OK;
}

static brn_status check_field(brn_ctx *ctx, const char *path, const brn_param *param, const void *field)
{
    const brn_reals *reals = field;
    const brn_ints *ints = field;
    const brn_rows *rows = field;
    switch (param->kind) {
    case BRN_REAL:
        return check_number(ctx, path, param, *(const double *)field);
    case BRN_INT:
        return check_number(ctx, path, param, *(const int *)field);
    case BRN_CHOICE:
        return check_choice(ctx, path, param, *(const int *)field);
    case BRN_VECTOR:
        for (int k = 0; k < 3; ++k) {
            BRN_TRY(check_number(ctx, path, param, ((const double *)field)[k]));
        }
        return BRN_OK;
    case BRN_REALS:
        for (int k = 0; k < reals->count; ++k) {
            BRN_TRY(check_number(ctx, path, param, reals->v[k]));
        }
        return BRN_OK;
    case BRN_INTS:
        for (int k = 0; k < ints->count; ++k) {
            BRN_TRY(check_number(ctx, path, param, ints->v[k]));
        }
        return BRN_OK;
    case BRN_ROWS:
        for (int k = 0; k < rows->rows * rows->columns; ++k) {
            BRN_TRY(check_number(ctx, path, param, rows->v[k]));
        }
        return BRN_OK;
    case BRN_BLOCK:
        return ((const brn_block *)field)->line != 0 ? brn_generate_check(ctx, param->table, field) : BRN_OK;
    default:
        return BRN_OK;
    }
}

brn_status brn_generate_check(brn_ctx *ctx, const brn_table *table, const void *params)
{
    const char *path = brn_generate_path(table, params);
    for (int i = 0; i < table->nparams; ++i) {
        const brn_param *param = &table->params[i];
        BRN_TRY(check_field(ctx, path, param, (const char *)params + param->offset));
    }
    return BRN_OK;
}

brn_status brn_generate_limit(brn_ctx *ctx, const brn_table *table, const void *params, const char *param,
                              double cells)
{
    if (!(cells <= BRN_GENERATE_CELLS_MAX)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.%s: gives %.3g cells, at most %d are allowed",
                        brn_generate_path(table, params), param, cells, BRN_GENERATE_CELLS_MAX);
    }
    return BRN_OK;
}

/* Does the boundary meet itself? */
static brn_status check_boundary(const brn_mesh *mesh, size_t *count)
{
    brn_boundary *b = NULL;
    BRN_TRY(brn_boundary_create(mesh, &b));
    const brn_surface surface = {.dim = 3,
                                 .nnode = mesh->nnode,
                                 .pos = (const double(*)[3])mesh->pos,
                                 .nedge = b->nedge,
                                 .edge = (const int(*)[2])b->edge,
                                 .ntri = b->ntri,
                                 .tri = (const int(*)[3])b->tri};
    brn_intersect *check = NULL;
    brn_status status = brn_intersect_create(mesh->ctx, &check);
    if (status >= 0) {
        status = brn_intersect_surface(check, &surface, NULL, 0, count);
    }
    brn_intersect_destroy(check);
    brn_boundary_destroy(b);
    return status;
}

brn_status brn_generate_sound(const brn_mesh *mesh, const brn_table *table, const void *params,
                              const char *param, const char *remedy)
{
    const char *path = brn_generate_path(table, params);
    size_t count = 0;
    brn_status status = brn_mesh_check(mesh, "its mesh");
    status = status < 0 ? status : check_boundary(mesh, &count);
    if (status < 0) {
        return status == BRN_ERR_MEMORY ? status
                                        : brn_fail(mesh->ctx, BRN_ERR_RANGE, "%s.%s: %s: %s", path, param,
                                                   remedy, brn_ctx_message(mesh->ctx));
    }
    return count == 0 ? BRN_OK
                      : brn_fail(mesh->ctx, BRN_ERR_RANGE, "%s.%s: %s: the surface meets itself", path, param,
                                 remedy);
}

int brn_generate_parts(double length, double size, int least)
{
    /* A hair less than the quotient, so that 1 / 0.1 is ten parts and not eleven. */
    const double parts = ceil(length / size * (1.0 - 1e-12));
    const double most = 2.0 * BRN_GENERATE_CELLS_MAX;
    return parts < least ? least : parts < most ? (int)parts : (int)most;
}

brn_status brn_generate_group(brn_mesh *mesh, const char *name, const unsigned char *marked)
{
    int *node = NULL;
    BRN_ALLOC(mesh->ctx, node, mesh->nnode);
    int count = 0;
    for (int i = 0; i < mesh->nnode; ++i) {
        if (marked[i]) {
            node[count++] = i;
        }
    }
    const brn_status status = brn_mesh_add_group(mesh, name, node, count);
    brn_free(mesh->ctx, node);
    return status;
}
