#include "model/material_map.h"

#include "base/text.h"
#include "phys/mean_solid.h"

#include <math.h>
#include <stdlib.h>

/* Positions count as equal within this fraction of the body's size, as in model/region.c. */
static const double SLACK = 1e-6;

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a;
    const int y = *(const int *)b;
    return (x > y) - (x < y);
}

/* All nodes of the cell are in the group: readers turn groups of cells into groups of nodes. */
static bool in_group(const brn_group *group, const int *node, int width)
{
    bool all = true;
    for (int a = 0; a < width && all; ++a) {
        all = bsearch(&node[a], group->node, (size_t)group->nnode, sizeof *node, ascending) != NULL;
    }
    return all;
}

/* The centre of the cell is inside. */
static bool in_zone(const brn_zone_def *zone, const brn_mesh *mesh, const int *node, int width, double slack)
{
    double centre[3] = {0.0, 0.0, 0.0};
    bool inside = true;
    double apart = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < width; ++a) {
            centre[i] += mesh->pos[node[a]][i] / width;
        }
        const double off = centre[i] - zone->sphere.centre[i];
        apart += off * off;
        inside = inside && ((i == 2 && brn_mesh_dim(mesh) == 2) ||
                            (centre[i] >= zone->box.min[i] - slack && centre[i] <= zone->box.max[i] + slack));
    }
    return brn_block_given(&zone->box.block) ? inside : sqrt(apart) <= zone->sphere.radius + slack;
}

static double mesh_size(const brn_mesh *mesh)
{
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (int a = 0; a < mesh->nnode; ++a) {
            lo = fmin(lo, mesh->pos[a][i]);
            hi = fmax(hi, mesh->pos[a][i]);
        }
        square += (hi - lo) * (hi - lo);
    }
    return sqrt(square);
}

/* Gives the cells of one entry their material and counts them. */
static int assign(const brn_part_def *part, const brn_mesh *mesh, const brn_group *group, int material,
                  int *of)
{
    const double slack = SLACK * mesh_size(mesh);
    int count = 0;
    for (int kind = 0, number = 0; kind < BRN_CELL_COUNT; ++kind) {
        const int width = brn_cell_get((brn_cell)kind)->nnode;
        for (int c = 0; c < mesh->ncell[kind]; ++c, ++number) {
            const int *node = &mesh->cell[kind][(size_t)c * (size_t)width];
            if (group != NULL ? in_group(group, node, width)
                              : in_zone(&part->where, mesh, node, width, slack)) {
                of[number] = material;
                ++count;
            }
        }
    }
    return count;
}

/* Entry by entry, so that the last one that selects a cell counts. */
static void assign_parts(brn_builder *b, const brn_deformable_def *def, const brn_mesh *mesh, int *of)
{
    const brn_part_def *parts = def->materials.items;
    for (int i = 0; i < def->materials.count; ++i) {
        const brn_part_def *part = &parts[i];
        const int material = brn_builder_find(b, &part->block, "material", BRN_NOUN_MATERIAL, part->material);
        const char *name = part->where.group;
        const brn_group *group = name != NULL ? brn_mesh_find_group(mesh, name) : NULL;
        if (name != NULL && group == NULL) {
            brn_builder_problem(b, &part->where.block, "group", "the mesh has no group of this name");
        } else if (material >= 0 && assign(part, mesh, group, material, of) == 0) {
            brn_builder_problem(
                b, &part->block, "where",
                "selects no element: a box or sphere, in coordinates of the mesh, takes those "
                "with their centre in it; a group those with all their nodes in it");
        }
    }
}

/* ---- solids ------------------------------------------------------------------------------------------------------------ */

/* A material of the scene, ready to make solids of. */
typedef struct substance {
    const brn_material *material; /* NULL: its constants are a problem */
    brn_moduli moduli;
    const brn_material_common *params;
} substance;

static substance get_substance(brn_builder *b, int index)
{
    const brn_variant *variant = &b->def->materials.items[index];
    substance out = {.material = brn_material_of_table(variant->table), .params = variant->value};
    const char *reason = "";
    if (!out.material->moduli(variant->value, &out.moduli, &reason)) {
        brn_scene_add_problem(b->scene, out.params->block.path, "%s", reason);
        out.material = NULL;
    }
    return out;
}

/* How many cells have a material. */
static int count_cells(const brn_material_map *map, const brn_mesh *mesh, int material)
{
    const int total = mesh != NULL ? brn_mesh_cell_total(mesh) : 0;
    int count = 0;
    if (map->of == NULL) {
        return material == map->own ? total : 0;
    }
    for (int i = 0; i < total; ++i) {
        count += map->of[i] == material;
    }
    return count;
}

brn_status brn_material_map_make(brn_builder *b, const brn_deformable_def *def, const brn_mesh *mesh,
                                 brn_material_map *out)
{
    const int before = brn_scene_found(b->scene);
    *out = (brn_material_map){
        .own = brn_builder_find(b, &def->common.block, "material", BRN_NOUN_MATERIAL, def->material),
        .mean = def->dilatation == BRN_DILATATION_MEAN};
    if (out->own >= 0 && mesh != NULL && def->materials.count > 0) {
        const int total = brn_mesh_cell_total(mesh);
        BRN_ALLOC(b->ctx, out->of, total);
        for (int i = 0; i < total; ++i) {
            out->of[i] = out->own;
        }
        assign_parts(b, def, mesh, out->of);
    }
    for (int m = 0; m < b->def->materials.count; ++m) {
        if (m == out->own || count_cells(out, mesh, m) > 0) {
            (void)get_substance(b, m);
        }
    }
    out->good = brn_scene_found(b->scene) == before;
    return BRN_OK;
}

/* The cells of one kind and one material. */
typedef struct cell_run {
    brn_cell kind;
    int material;
    int first; /* number of the kind's first cell */
    int worst; /* number of the worst-shaped cell; the body gets that of its element */
} cell_run;

static brn_status create_solid(const brn_builder *b, brn_cell kind, const substance *from, const int *conn,
                               int nelem, bool averaged, brn_element_group **out)
{
    const double(*rest)[3] = (const double(*)[3])b->model->rest;
    brn_solid *solid = NULL;
    brn_mean_solid *mean = NULL;
    const brn_status status =
        averaged
            ? brn_mean_solid_create(b->ctx, kind, from->material, &from->moduli, rest, conn, nelem, &mean)
            : brn_solid_create(b->ctx, kind, from->material, &from->moduli, rest, conn, nelem, &solid);
    *out = mean != NULL ? &mean->solid.group : solid != NULL ? &solid->group : NULL;
    return status;
}

static brn_status add_solid(brn_builder *b, int index, const brn_mesh *mesh, const brn_material_map *map,
                            cell_run run)
{
    const int *of = map->of;
    brn_model *model = b->model;
    brn_body *body = &model->body[index];
    const int width = brn_cell_get(run.kind)->nnode;
    int nelem = 0;
    int *conn = NULL;
    BRN_ALLOC(b->ctx, conn, (size_t)mesh->ncell[run.kind] * (size_t)width);
    for (int c = 0; c < mesh->ncell[run.kind]; ++c) {
        if (of != NULL && of[run.first + c] != run.material) {
            continue;
        }
        if (run.first + c == run.worst) {
            body->quality.worst_cell = body->elem_count + nelem;
        }
        for (int a = 0; a < width; ++a) {
            conn[nelem * width + a] = mesh->cell[run.kind][c * width + a] + body->node_first;
        }
        ++nelem;
    }
    const substance from = get_substance(b, run.material);
    brn_element_group *solid = NULL;
    const brn_status status =
        nelem > 0 ? create_solid(b, run.kind, &from, conn, nelem, map->mean, &solid) : BRN_OK;
    brn_free(b->ctx, conn);
    if (status == BRN_ERR_MESH) {
        brn_builder_problem(b, &brn_builder_body(b, index)->block, "mesh", "%s", brn_ctx_message(b->ctx));
        return BRN_OK;
    }
    BRN_TRY(status);
    if (solid == NULL) {
        return BRN_OK;
    }
    solid->material = run.material;
    solid->density = from.params->density;
    solid->alpha = from.params->damping.alpha;
    solid->beta = from.params->damping.beta;
    return brn_builder_push_group(b, index, solid);
}

/* "steel 96, rubber 12": what brunt check shows. */
static brn_status list_materials(brn_builder *b, const brn_mesh *mesh, const brn_material_map *map,
                                 brn_body *body)
{
    brn_text text = {.ctx = b->ctx};
    for (int m = 0; m < b->def->materials.count; ++m) {
        const brn_material_common *params = b->def->materials.items[m].value;
        const int count = count_cells(map, mesh, m);
        if (count > 0) {
            brn_text_add(&text, "%s%s %d", text.length > 0 ? ", " : "", params->block.name, count);
        }
    }
    return brn_text_take(&text, &body->materials);
}

brn_status brn_builder_add_solids(brn_builder *b, int index, const brn_mesh *mesh,
                                  const brn_material_map *map)
{
    brn_body *body = &b->model->body[index];
    const int worst = body->quality.worst_cell;
    for (int kind = 0, first = 0; kind < BRN_CELL_COUNT; first += mesh->ncell[kind++]) {
        if (mesh->ncell[kind] > 0 && brn_element_of_cell((brn_cell)kind) == NULL) {
            brn_builder_problem(b, &brn_builder_body(b, index)->block, "mesh", "%s cells are not elements",
                                brn_cell_get((brn_cell)kind)->name);
            continue;
        }
        for (int m = 0; m < b->def->materials.count && mesh->ncell[kind] > 0; ++m) {
            if (map->of != NULL || m == map->own) {
                BRN_TRY(add_solid(b, index, mesh, map, (cell_run){(brn_cell)kind, m, first, worst}));
            }
        }
    }
    return list_materials(b, mesh, map, body);
}
