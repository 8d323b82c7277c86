/* Scene -> model. Every problem of the scene is collected before the build gives up: a bad body does not hide a bad load. */
#include "model/body_types.h"
#include "model/mass.h"
#include "model/model.h"
#include "model/placement.h"
#include "model/region.h"
#include "phys/forces/face.h"

#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NODES_MAX = 200000000 };

typedef struct builder {
    brn_ctx *ctx;
    brn_scene *scene;
    const brn_scene_def *def;
    brn_model *model;
    brn_mesh **mesh;            /* [meshes], made at first use */
    bool *tried;                /* [meshes] */
    const brn_mesh **body_mesh; /* [bodies], NULL where it is missing */
    int *mass_kind;             /* [bodies] */
} builder;

/* Adds a problem at BLOCK.KEY. */
#define PROBLEM(b, block_, key, ...)                                   \
 do {                                                                  \
  char path_[256];                                                     \
  (void)snprintf(path_, sizeof path_, "%s.%s", (block_)->path, (key)); \
  brn_scene_add_problem((b)->scene, path_, __VA_ARGS__);               \
 } while (0)

static const brn_body_common *body_common(const builder *b, int body)
{
    return b->def->bodies.items[body].value;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static int find_named_block(const brn_blocks *blocks, size_t size, const char *name)
{
    for (int i = 0; i < blocks->count; ++i) {
        const brn_block *block = (const brn_block *)((const char *)blocks->items + (size_t)i * size);
        if (strcmp(block->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int find_material(const builder *b, const char *name)
{
    for (int i = 0; i < b->def->materials.count; ++i) {
        if (strcmp(((const brn_block *)b->def->materials.items[i].value)->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* "; did you mean 'x'?" or "; there is: a, b" for the names given by a callback over an index. */
static const char *suggest(const char *word, const char *const *names, int count, char *buffer, size_t size)
{
    const int near = brn_nearest_word(word, names, count);
    if (near >= 0) {
        (void)snprintf(buffer, size, "; did you mean '%s'?", names[near]);
        return buffer;
    }
    size_t used = (size_t)snprintf(buffer, size, count > 0 ? "; there is: " : "; there is none");
    for (int i = 0; i < count && used < size; ++i) {
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    return buffer;
}

enum { NAMES_MAX = 64 };

static void unknown_mesh(builder *b, const brn_block *block, const char *word)
{
    const char *names[NAMES_MAX];
    const brn_mesh_def *meshes = b->def->meshes.items;
    int count = 0;
    for (; count < b->def->meshes.count && count < NAMES_MAX; ++count) {
        names[count] = meshes[count].block.name;
    }
    char text[512];
    PROBLEM(b, block, "mesh", "no such mesh%s", suggest(word, names, count, text, sizeof text));
}

static void unknown_material(builder *b, const brn_block *block, const char *word)
{
    const char *names[NAMES_MAX];
    int count = 0;
    for (; count < b->def->materials.count && count < NAMES_MAX; ++count) {
        names[count] = ((const brn_block *)b->def->materials.items[count].value)->name;
    }
    char text[512];
    PROBLEM(b, block, "material", "no such material%s", suggest(word, names, count, text, sizeof text));
}

/* Index of a body named by a load, hold or probe; -1 after adding a problem, or when that body itself is broken. */
static int find_body(builder *b, const brn_block *block, const char *word)
{
    const char *names[NAMES_MAX];
    int count = 0;
    for (int i = 0; i < b->def->bodies.count; ++i) {
        if (strcmp(body_common(b, i)->name, word) == 0) {
            return b->body_mesh[i] != NULL ? i : -1;
        }
        if (count < NAMES_MAX) {
            names[count++] = body_common(b, i)->name;
        }
    }
    char text[512];
    PROBLEM(b, block, "body", "no such body%s", suggest(word, names, count, text, sizeof text));
    return -1;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

static brn_status body_mesh(builder *b, const brn_body_common *common, const brn_mesh **out)
{
    *out = NULL;
    if (common->mesh == NULL) {
        PROBLEM(b, &common->block, "mesh", "is needed");
        return BRN_OK;
    }
    const int index = find_named_block(&b->def->meshes, sizeof(brn_mesh_def), common->mesh);
    if (index < 0) {
        unknown_mesh(b, &common->block, common->mesh);
        return BRN_OK;
    }
    if (!b->tried[index]) {
        b->tried[index] = true;
        const brn_mesh_def *meshes = b->def->meshes.items;
        BRN_TRY(brn_placement_mesh(b->scene, &meshes[index], b->ctx, &b->mesh[index]));
    }
    *out = b->mesh[index];
    return BRN_OK;
}

/* The mesh suits the body: right dimension, flat in 2D, no inverted cell. */
static bool mesh_suits(builder *b, const brn_body_common *common, const brn_mesh *mesh, bool solid)
{
    const int dim = b->model->dim;
    if (solid && brn_mesh_dim(mesh) != dim) {
        PROBLEM(b, &common->block, "mesh",
                "a deformable body in a %dD scene wants a mesh of %s, this one has %s", dim,
                dim == 3 ? "tets or hexes" : "triangles",
                brn_mesh_dim(mesh) == 3 ? "volume cells" : "surface cells");
        return false;
    }
    for (int a = 0; a < mesh->nnode && dim == 2; ++a) {
        if (mesh->pos[a][2] != 0.0) {
            PROBLEM(b, &common->block, "mesh", "node %d has z = %g: a 2D scene wants a flat mesh at z = 0", a,
                    mesh->pos[a][2]);
            return false;
        }
    }
    char who[160];
    (void)snprintf(who, sizeof who, "body '%s'", common->name);
    const brn_status status = brn_mesh_check(mesh, who);
    if (status < 0) {
        PROBLEM(b, &common->block, "mesh", "%s", brn_ctx_message(b->ctx));
    }
    return status >= 0;
}

static brn_status add_nodes(builder *b, const brn_body_common *common, const brn_mesh *mesh, brn_body *body)
{
    brn_model *model = b->model;
    body->node_first = model->nnode;
    body->node_count = mesh->nnode;
    if (mesh->nnode > NODES_MAX - model->nnode) {
        return brn_fail(b->ctx, BRN_ERR_LIMIT, "more than %d nodes in all", NODES_MAX);
    }
    void *grown = brn_realloc(b->ctx, model->rest, (size_t)(model->nnode + mesh->nnode), sizeof *model->rest);
    if (grown == NULL) {
        return BRN_ERR_MEMORY;
    }
    model->rest = grown;
    double r[9];
    brn_placement_rotation(b->scene, &common->rotation, model->dim, r);
    for (int a = 0; a < mesh->nnode; ++a) {
        const double *x = mesh->pos[a];
        for (int i = 0; i < 3; ++i) {
            model->rest[model->nnode + a][i] =
                r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2] + common->position[i];
        }
    }
    model->nnode += mesh->nnode;
    return BRN_OK;
}

/* Boundary in the model's node numbers. */
static brn_status add_boundary(builder *b, const brn_mesh *mesh, brn_body *body)
{
    (void)b;
    BRN_TRY(brn_boundary_create(mesh, &body->boundary));
    brn_boundary *boundary = body->boundary;
    const int shift = body->node_first;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const int width = brn_cell_get((brn_cell)kind)->nnode;
        for (int i = 0; i < boundary->nface[kind] * width; ++i) {
            boundary->face[kind][i] += shift;
        }
    }
    for (int i = 0; i < boundary->ntri; ++i) {
        for (int k = 0; k < 3; ++k) {
            boundary->tri[i][k] += shift;
        }
    }
    for (int i = 0; i < boundary->nedge; ++i) {
        boundary->edge[i][0] += shift;
        boundary->edge[i][1] += shift;
    }
    for (int i = 0; i < boundary->nnode; ++i) {
        boundary->node[i] += shift;
    }
    return BRN_OK;
}

static brn_status add_body_frame(builder *b, int index, const brn_mesh *mesh)
{
    const brn_body_common *common = body_common(b, index);
    brn_model *model = b->model;
    brn_body *body = &model->body[index];
    body->solid_first = model->nsolid;
    body->elem_first = model->nelem;
    brn_mesh_measure(mesh, &body->quality);
    BRN_TRY(add_nodes(b, common, mesh, body));
    return add_boundary(b, mesh, body);
}

/* Elastic constants of a body's material; NULL after adding a problem. */
static const brn_material *body_material(builder *b, const brn_deformable_def *def, brn_moduli *moduli,
                                         const brn_material_common **params)
{
    const int index = find_material(b, def->material);
    if (index < 0) {
        unknown_material(b, &def->common.block, def->material);
        return NULL;
    }
    const brn_variant *variant = &b->def->materials.items[index];
    const brn_material *material = brn_material_of_table(variant->table);
    *params = variant->value;
    const char *reason = "";
    if (!material->moduli(variant->value, moduli, &reason)) {
        brn_scene_add_problem(b->scene, (*params)->block.path, "%s", reason);
        return NULL;
    }
    return material;
}

static brn_status add_solids(builder *b, int index, const brn_mesh *mesh, const brn_material *material,
                             const brn_moduli *moduli, const brn_material_common *params)
{
    brn_model *model = b->model;
    brn_body *body = &model->body[index];
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        if (mesh->ncell[kind] == 0) {
            continue;
        }
        if (brn_element_of_cell((brn_cell)kind) == NULL) {
            PROBLEM(b, &body_common(b, index)->block, "mesh", "%s cells are no elements",
                    brn_cell_get((brn_cell)kind)->name);
            continue;
        }
        const int width = brn_cell_get((brn_cell)kind)->nnode;
        int *conn = NULL;
        BRN_ALLOC(b->ctx, conn, (size_t)mesh->ncell[kind] * (size_t)width);
        for (int i = 0; i < mesh->ncell[kind] * width; ++i) {
            conn[i] = mesh->cell[kind][i] + body->node_first;
        }
        brn_solid *solid = NULL;
        const brn_status status =
            brn_solid_create(b->ctx, (brn_cell)kind, material, moduli, (const double(*)[3])model->rest, conn,
                             mesh->ncell[kind], &solid);
        brn_free(b->ctx, conn);
        if (status == BRN_ERR_MESH) {
            PROBLEM(b, &body_common(b, index)->block, "mesh", "%s", brn_ctx_message(b->ctx));
            continue;
        }
        BRN_TRY(status);
        solid->density = params->density;
        solid->alpha = params->damping.alpha;
        solid->beta = params->damping.beta;
        void *grown = brn_realloc(b->ctx, model->solid, (size_t)model->nsolid + 1, sizeof(brn_solid *));
        if (grown == NULL) {
            brn_solid_destroy(solid);
            return BRN_ERR_MEMORY;
        }
        model->solid = grown;
        model->solid[model->nsolid++] = solid;
        body->solid_count++;
        body->elem_count += solid->nelem;
        model->nelem += solid->nelem;
    }
    return BRN_OK;
}

static brn_status add_deformable(builder *b, int index)
{
    const brn_deformable_def *def = b->def->bodies.items[index].value;
    const brn_mesh *mesh = NULL;
    brn_moduli moduli = {0};
    const brn_material_common *params = NULL;
    BRN_TRY(body_mesh(b, &def->common, &mesh));
    const brn_material *material = body_material(b, def, &moduli, &params);
    if (mesh == NULL || material == NULL || !mesh_suits(b, &def->common, mesh, true)) {
        return BRN_OK;
    }
    b->body_mesh[index] = mesh;
    b->mass_kind[index] = def->mass;
    b->model->body[index].type = BRN_BODY_DEFORMABLE;
    BRN_TRY(add_body_frame(b, index, mesh));
    return add_solids(b, index, mesh, material, &moduli, params);
}

static brn_status add_static(builder *b, int index)
{
    const brn_static_def *def = b->def->bodies.items[index].value;
    const brn_mesh *mesh = NULL;
    BRN_TRY(body_mesh(b, &def->common, &mesh));
    if (mesh == NULL || !mesh_suits(b, &def->common, mesh, false)) {
        return BRN_OK;
    }
    b->body_mesh[index] = mesh;
    b->model->body[index].type = BRN_BODY_STATIC;
    return add_body_frame(b, index, mesh);
}

static brn_status add_bodies(builder *b)
{
    const int count = b->def->bodies.count;
    BRN_ALLOC(b->ctx, b->model->body, count);
    BRN_ALLOC(b->ctx, b->body_mesh, count);
    BRN_ALLOC(b->ctx, b->mass_kind, count);
    BRN_ALLOC(b->ctx, b->mesh, b->def->meshes.count);
    BRN_ALLOC(b->ctx, b->tried, b->def->meshes.count);
    if (count == 0) {
        brn_scene_add_problem(b->scene, "bodies", "a scene needs at least one body");
    }
    for (int i = 0; i < count; ++i) {
        brn_body *body = &b->model->body[i];
        b->model->nbody = i + 1;
        body->name = brn_strdup(b->ctx, body_common(b, i)->name);
        if (body->name == NULL) {
            return BRN_ERR_MEMORY;
        }
        BRN_TRY(b->def->bodies.items[i].table == &brn_static_table ? add_static(b, i) : add_deformable(b, i));
    }
    return BRN_OK;
}

/* Initial velocities: translation plus rotation about the centre of mass (known once the mass is). */
static brn_status add_velocities(builder *b)
{
    brn_model *model = b->model;
    BRN_ALLOC(b->ctx, model->vel0, model->nnode);
    for (int n = 0; n < model->nbody; ++n) {
        const brn_body *body = &model->body[n];
        if (body->type != BRN_BODY_DEFORMABLE) {
            continue;
        }
        const brn_deformable_def *def = b->def->bodies.items[n].value;
        const brn_reals *spin = &def->angular_velocity;
        const int wanted = model->dim == 3 ? 3 : 1;
        if (spin->count != 0 && spin->count != wanted) {
            PROBLEM(b, &def->common.block, "angular_velocity", "wants %d number%s in %dD, found %d", wanted,
                    wanted > 1 ? "s" : "", model->dim, spin->count);
            continue;
        }
        double w[3] = {0.0, 0.0, 0.0};
        if (spin->count > 0) {
            memcpy(wanted == 3 ? w : &w[2], spin->v, (size_t)wanted * sizeof(double));
        }
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3;
                const int k = (i + 2) % 3;
                model->vel0[a][i] = def->velocity[i] + w[j] * (model->rest[a][k] - body->centre[k]) -
                                    w[k] * (model->rest[a][j] - body->centre[j]);
            }
        }
    }
    return BRN_OK;
}

/* ---- holds, loads, probes ------------------------------------------------------------------------------------------ */

static brn_status copy_motion(builder *b, const brn_motion_def *def, brn_motion *out)
{
    out->until = INFINITY;
    out->axis[2] = 1.0;
    if (def->block.line == 0) {
        return BRN_OK;
    }
    memcpy(out->velocity, def->velocity, sizeof out->velocity);
    memcpy(out->point, def->about.point, sizeof out->point);
    out->angular_velocity = def->angular_velocity;
    out->until = isnan(def->until) ? INFINITY : def->until;
    if (b->model->dim == 3 && def->about.block.line != 0) {
        const double *axis = def->about.axis;
        const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        if (!(length > 0.0)) {
            PROBLEM(b, &def->about.block, "axis", "must not be zero");
            return BRN_OK;
        }
        for (int i = 0; i < 3; ++i) {
            out->axis[i] = axis[i] / length;
        }
    }
    BRN_ALLOC(b->ctx, out->table, (size_t)def->table.rows * 4);
    out->rows = def->table.rows;
    for (int i = 0; i < def->table.rows; ++i) {
        for (int k = 0; k < def->table.columns && k < 4; ++k) {
            out->table[4 * i + k] = def->table.v[i * def->table.columns + k];
        }
    }
    return BRN_OK;
}

static char *name_or_number(brn_ctx *ctx, const char *name, const char *noun, int index)
{
    char numbered[64];
    (void)snprintf(numbered, sizeof numbered, "%s%d", noun, index);
    return brn_strdup(ctx, name != NULL ? name : numbered);
}

/* Marks the hold's dofs. Two holds on one dof contradict each other as soon as one of them moves. */
static void mark_fixed(builder *b, const brn_hold *hold, const brn_block *block, int *owner)
{
    brn_model *model = b->model;
    bool told = false;
    for (int n = 0; n < hold->nnode; ++n) {
        for (int i = 0; i < model->dim; ++i) {
            const int dof = hold->node[n] * model->dim + i;
            if ((hold->axes >> i & 1u) == 0) {
                continue;
            }
            const brn_hold *other = owner[dof] > 0 ? &model->hold[owner[dof] - 1] : NULL;
            if (other != NULL && !told &&
                (hold->motion.rows > 0 || other->motion.rows > 0 ||
                 memcmp(&hold->motion, &other->motion, offsetof(brn_motion, rows)) != 0)) {
                brn_scene_add_problem(
                    b->scene, block->path,
                    "node %d is held by '%s' already, with another motion: leave it to one of them",
                    hold->node[n], other->name);
                told = true;
            }
            owner[dof] = (int)(hold - model->hold) + 1;
            model->fixed[dof] = 1;
        }
    }
}

static brn_status add_static_hold(builder *b, int body, brn_hold *hold)
{
    const brn_static_def *def = b->def->bodies.items[body].value;
    const brn_body *from = &b->model->body[body];
    hold->name = brn_strdup(b->ctx, from->name);
    BRN_ALLOC(b->ctx, hold->node, from->node_count);
    if (hold->name == NULL) {
        return BRN_ERR_MEMORY;
    }
    hold->nnode = from->node_count;
    for (int a = 0; a < from->node_count; ++a) {
        hold->node[a] = from->node_first + a;
    }
    hold->axes = 7u;
    return copy_motion(b, &def->motion, &hold->motion);
}

static brn_status add_fixed_hold(builder *b, int index, brn_hold *hold)
{
    const brn_fixed_def *def = (const brn_fixed_def *)b->def->fixed.items + index;
    hold->name = name_or_number(b->ctx, def->name, "fixed", index);
    if (hold->name == NULL) {
        return BRN_ERR_MEMORY;
    }
    for (const char *c = def->axes != NULL ? def->axes : "xyz"; *c != '\0'; ++c) {
        hold->axes |= 1u << (*c - 'x');
    }
    BRN_TRY(copy_motion(b, &def->motion, &hold->motion));
    const int body = find_body(b, &def->block, def->body);
    if (body < 0) {
        return BRN_OK;
    }
    if (b->model->body[body].type != BRN_BODY_DEFORMABLE) {
        PROBLEM(b, &def->block, "body", "is static: give the body itself a motion");
        return BRN_OK;
    }
    return brn_region_nodes(b->scene, b->model, &b->model->body[body], b->body_mesh[body], &def->where,
                            &hold->node, &hold->nnode);
}

static brn_status add_holds(builder *b)
{
    brn_model *model = b->model;
    BRN_ALLOC(b->ctx, model->hold, model->nbody + b->def->fixed.count);
    BRN_ALLOC(b->ctx, model->fixed, (size_t)model->nnode * (size_t)model->dim);
    int *owner = NULL;
    BRN_ALLOC(b->ctx, owner, (size_t)model->nnode * (size_t)model->dim);
    brn_status status = BRN_OK;
    for (int i = 0; i < model->nbody && status >= 0; ++i) {
        if (model->body[i].type == BRN_BODY_STATIC && b->body_mesh[i] != NULL) {
            brn_hold *hold = &model->hold[model->nhold++];
            status = add_static_hold(b, i, hold);
            mark_fixed(b, hold, &body_common(b, i)->block, owner);
        }
    }
    for (int i = 0; i < b->def->fixed.count && status >= 0; ++i) {
        brn_hold *hold = &model->hold[model->nhold++];
        status = add_fixed_hold(b, i, hold);
        mark_fixed(b, hold, &((const brn_fixed_def *)b->def->fixed.items)[i].block, owner);
    }
    brn_free(b->ctx, owner);
    return status;
}

/* Nodal forces of a dead traction over the region's faces, accumulated on the region's nodes. */
static brn_status spread_traction(builder *b, const brn_body *body, const double traction[3], brn_load *load)
{
    brn_model *model = b->model;
    int faces = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        int *face = NULL;
        int nface = 0;
        BRN_TRY(brn_region_faces(model, body, (brn_cell)kind, load->node, load->nnode, &face, &nface));
        const int width = brn_cell_get((brn_cell)kind)->nnode;
        faces += nface;
        for (int f = 0; f < nface; ++f) {
            double x[BRN_FACE_NODES_MAX][3];
            double force[BRN_FACE_NODES_MAX][3];
            for (int a = 0; a < width; ++a) {
                memcpy(x[a], model->rest[face[f * width + a]], sizeof x[a]);
            }
            brn_face_traction((brn_cell)kind, (const double(*)[3])x, traction, force);
            for (int a = 0; a < width; ++a) {
                int n =
                    0; /* the region's list is short or the load is set up once: a scan by bisection would be noise */
                for (int lo = 0, hi = load->nnode; lo < hi;) {
                    n = (lo + hi) / 2;
                    if (load->node[n] == face[f * width + a]) {
                        break;
                    }
                    *(load->node[n] < face[f * width + a] ? &lo : &hi) =
                        load->node[n] < face[f * width + a] ? n + 1 : n;
                }
                for (int i = 0; i < 3; ++i) {
                    load->force[3 * n + i] += force[a][i];
                }
            }
        }
        brn_free(b->ctx, face);
    }
    return faces > 0 ? BRN_OK : BRN_ERR_RANGE;
}

static brn_status collect_faces(builder *b, const brn_body *body, brn_load *load, int *total)
{
    *total = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        BRN_TRY(brn_region_faces(b->model, body, (brn_cell)kind, load->node, load->nnode, &load->face[kind],
                                 &load->nface[kind]));
        *total += load->nface[kind];
    }
    return BRN_OK;
}

static bool vector_of(builder *b, const brn_load_def *def, const char *key, const brn_reals *from,
                      double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    if (from->count != b->model->dim && from->count != 3) {
        PROBLEM(b, &def->block, key, "wants %d numbers, found %d", b->model->dim, from->count);
        return false;
    }
    memcpy(out, from->v, (size_t)from->count * sizeof *out);
    return true;
}

static const char no_faces[] =
    "the region holds no whole boundary face: select a surface, e.g. where: {face: +z}";

static brn_status fill_load(builder *b, const brn_load_def *def, const brn_body *body, brn_load *load)
{
    double vector[3];
    if (def->force.count > 0) {
        if (vector_of(b, def, "force", &def->force, vector)) {
            for (int n = 0; n < load->nnode; ++n) {
                for (int i = 0; i < 3; ++i) {
                    load->force[3 * n + i] = vector[i] / load->nnode;
                }
            }
        }
        return BRN_OK;
    }
    if (def->traction.count > 0) {
        if (vector_of(b, def, "traction", &def->traction, vector)) {
            const brn_status status = spread_traction(b, body, vector, load);
            if (status == BRN_ERR_RANGE) {
                PROBLEM(b, &def->block, "where", "%s", no_faces);
                return BRN_OK;
            }
            return status;
        }
        return BRN_OK;
    }
    int faces = 0;
    load->pressure = def->pressure;
    BRN_TRY(collect_faces(b, body, load, &faces));
    if (faces == 0) {
        PROBLEM(b, &def->block, "where", "%s", no_faces);
    }
    load->nnode = 0;
    b->model->has_pressure = true;
    return BRN_OK;
}

static brn_status add_load(builder *b, int index, brn_load *load)
{
    const brn_load_def *def = (const brn_load_def *)b->def->loads.items + index;
    load->name = name_or_number(b->ctx, def->name, "load", index);
    if (load->name == NULL) {
        return BRN_ERR_MEMORY;
    }
    /* Static runs ramp what has no ramp of its own over the whole run, so that load stepping has something to step. */
    load->ramp_from = def->ramp.block.line != 0 ? def->ramp.from : 0.0;
    load->ramp_to = def->ramp.block.line != 0 ? def->ramp.to : 0.0;
    if (def->ramp.block.line == 0 && b->model->integrator == BRN_STATIC) {
        load->ramp_to = b->model->end;
    }
    const int kinds = (def->force.count > 0) + (def->traction.count > 0) + !isnan(def->pressure);
    if (kinds != 1) {
        brn_scene_add_problem(b->scene, def->block.path,
                              "wants one of: force, traction, pressure; found %d of them", kinds);
        return BRN_OK;
    }
    const int body = find_body(b, &def->block, def->body);
    if (body < 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_region_nodes(b->scene, b->model, &b->model->body[body], b->body_mesh[body], &def->where,
                             &load->node, &load->nnode));
    BRN_ALLOC(b->ctx, load->force, (size_t)load->nnode * 3);
    return load->nnode > 0 ? fill_load(b, def, &b->model->body[body], load) : BRN_OK;
}

static brn_status add_loads(builder *b)
{
    BRN_ALLOC(b->ctx, b->model->load, b->def->loads.count);
    for (int i = 0; i < b->def->loads.count; ++i) {
        b->model->nload = i + 1;
        BRN_TRY(add_load(b, i, &b->model->load[i]));
    }
    return BRN_OK;
}

static brn_status add_probes(builder *b)
{
    const brn_blocks *probes = &b->def->output.probes;
    BRN_ALLOC(b->ctx, b->model->probe, probes->count);
    for (int i = 0; i < probes->count; ++i) {
        const brn_probe_def *def = (const brn_probe_def *)probes->items + i;
        brn_probe *probe = &b->model->probe[i];
        b->model->nprobe = i + 1;
        probe->name = name_or_number(b->ctx, def->name, "probe", i);
        if (probe->name == NULL) {
            return BRN_ERR_MEMORY;
        }
        const int body = find_body(b, &def->block, def->body);
        if (body >= 0) {
            BRN_TRY(brn_region_nodes(b->scene, b->model, &b->model->body[body], b->body_mesh[body],
                                     &def->where, &probe->node, &probe->nnode));
        }
    }
    return BRN_OK;
}

/* ---- settings -------------------------------------------------------------------------------------------------------- */

static brn_status add_settings(builder *b)
{
    brn_model *model = b->model;
    const brn_scene_def *def = b->def;
    model->title = brn_strdup(b->ctx, def->title != NULL ? def->title : "");
    if (model->title == NULL) {
        return BRN_ERR_MEMORY;
    }
    model->dim = def->dimension;
    memcpy(model->gravity, def->gravity, sizeof model->gravity);
    if (model->dim == 2 && model->gravity[2] != 0.0) {
        brn_scene_add_problem(b->scene, "gravity", "a 2D scene has no z axis: write [0, -9.81]");
    }
    model->step = def->time.step;
    model->end = def->time.end;
    const double steps = model->end / model->step;
    if (!(steps < 1e15)) {
        brn_scene_add_problem(b->scene, "time", "end / step = %g: too many steps", steps);
    } else {
        model->nstep = (int64_t)ceil(steps * (1.0 - 1e-12) - 1e-12);
    }
    model->integrator = def->integrator;
    model->method = def->method.table;
    model->method_params = brn_calloc(b->ctx, 1, model->method->size);
    if (model->method_params == NULL) {
        return BRN_ERR_MEMORY;
    }
    memcpy(model->method_params, def->method.value, model->method->size);
    model->contact_friction = def->contact.friction;
    model->contact_self = def->contact.self;
    const double thinned = fmax(model->step, model->end / 200.0);
    model->frame_every = isnan(def->output.every) ? thinned : def->output.every;
    for (int i = 0; i < def->output.fields.count; ++i) {
        model->fields[def->output.fields.choice[i]] = true;
    }
    model->write_vtu = def->output.vtu;
    model->checkpoint_every = def->output.checkpoint;
    return BRN_OK;
}

static brn_status build(builder *b)
{
    BRN_TRY(add_settings(b));
    BRN_TRY(add_bodies(b));
    if (brn_scene_problem_count(b->scene) == 0) {
        BRN_TRY(brn_model_build_mass(b->model, b->mass_kind));
        BRN_TRY(add_velocities(b));
    }
    BRN_TRY(add_holds(b));
    BRN_TRY(add_loads(b));
    BRN_TRY(add_probes(b));
    if (brn_scene_problem_count(b->scene) > 0) {
        return brn_fail(b->ctx, BRN_ERR_SCENE, "%s", brn_scene_problem(b->scene, 0));
    }
    return BRN_OK;
}

brn_status brn_model_build(brn_ctx *ctx, brn_scene *scene, brn_model **out)
{
    *out = NULL;
    builder b = {.ctx = ctx, .scene = scene, .def = brn_scene_get_def(scene)};
    BRN_ALLOC(ctx, b.model, 1);
    b.model->ctx = ctx;
    const brn_status status = build(&b);
    for (int i = 0; b.mesh != NULL && i < b.def->meshes.count; ++i) {
        brn_mesh_destroy(b.mesh[i]);
    }
    brn_free(ctx, b.mesh);
    brn_free(ctx, b.tried);
    brn_free(ctx, b.body_mesh);
    brn_free(ctx, b.mass_kind);
    if (status < 0) {
        brn_model_destroy(b.model);
        return status;
    }
    *out = b.model;
    return BRN_OK;
}
