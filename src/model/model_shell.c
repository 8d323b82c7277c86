/* Shells: a sheet of triangles becomes a membrane, which carries the mass and is shown, and its bending (phys/shells/). */
#include "model/builder.h"
#include "phys/shells/bending.h"
#include "phys/shells/membrane.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Stiffness of the stretch limit's barrier, as a share of the membrane's: it grows without bound anyway. */
static const double LIMIT_STIFFNESS = 0.1;

bool brn_builder_check_shell(brn_builder *b, const brn_shell_def *def, const brn_mesh *mesh,
                             const brn_material *material)
{
    const brn_block *block = &def->soft.common.block;
    const int before = brn_scene_found(b->scene);
    if (b->model->dim != 3) {
        brn_builder_problem(b, block, "type", "a shell needs a 3D scene; a 2D scene has no sheets");
    }
    if (brn_mesh_dim(mesh) != 2) {
        brn_builder_problem(b, block, "mesh", "a shell needs a mesh of triangles, this one has %s",
                            brn_mesh_dim(mesh) == 3   ? "volume cells"
                            : brn_mesh_dim(mesh) == 1 ? "lines"
                                                      : "no cells");
    }
    for (int kind = 0; kind < BRN_CELL_COUNT && brn_mesh_dim(mesh) == 2; ++kind) {
        if (mesh->ncell[kind] > 0 && kind != BRN_TRI3) {
            brn_builder_problem(b, block, "mesh", "a shell needs tri3 cells, this mesh has %s",
                                brn_cell_get((brn_cell)kind)->name);
        }
    }
    if (material != &brn_material_stvk && material != &brn_material_neo_hookean) {
        brn_builder_problem(b, block, "material", "is %s: a shell takes stvk or neo_hookean",
                            material->table->name);
    }
    if (!isnan(def->flexural_rigidity) && def->bending != 1.0) {
        brn_builder_problem(b, block, "bending", "stands beside 'flexural_rigidity'; keep one of the two");
    }
    const brn_weave_def *weave = &def->weave;
    brn_membrane_law law;
    if (brn_block_given(&weave->block) &&
        !brn_membrane_orthotropic(weave->warp, weave->weft, weave->shear, weave->poisson, &law)) {
        brn_builder_problem(b, &weave->block, "poisson", "must be below sqrt(warp / weft) = %g",
                            sqrt(weave->warp / weave->weft));
    }
    return brn_scene_found(b->scene) == before;
}

static brn_membrane_law law_of(const brn_shell_def *def, const brn_material *material,
                               const brn_moduli *moduli)
{
    const brn_weave_def *weave = &def->weave;
    brn_membrane_law law;
    if (brn_block_given(&weave->block)) {
        (void)brn_membrane_orthotropic(weave->warp, weave->weft, weave->shear, weave->poisson, &law);
    } else {
        const bool quadratic = material == &brn_material_stvk;
        law = brn_membrane_isotropic(quadratic ? BRN_MEMBRANE_QUADRATIC : BRN_MEMBRANE_NEO_HOOKEAN,
                                     moduli->lambda, moduli->mu);
    }
    if (!isnan(def->stretch_limit)) {
        law.limit = def->stretch_limit;
        law.limit_stiffness = LIMIT_STIFFNESS * fmax(law.stiffness[0], law.stiffness[1]);
    }
    return law;
}

/* Direction of the warp at every triangle, in the world. */
static brn_status fill_warp(brn_builder *b, int index, const brn_shell_def *def, int nelem, double (**out)[3])
{
    *out = NULL;
    if (!brn_block_given(&def->weave.block)) {
        return BRN_OK;
    }
    double along[3];
    brn_dense_apply3(b->pose[index].rotation, def->weave.direction, along);
    BRN_ALLOC(b->ctx, *out, nelem);
    for (int e = 0; e < nelem; ++e) {
        memcpy((*out)[e], along, sizeof along);
    }
    return BRN_OK;
}

/* What a sheet's two groups are made of. */
typedef struct sheet {
    const brn_shell_def *def;
    brn_membrane_law law;
    double (*warp)[3]; /* [nelem]; NULL: first edges */
    const int *conn;   /* [nelem][3] */
    int nelem;
} sheet;

static brn_status open_sheet(brn_builder *b, int index, const brn_material *material,
                             const brn_moduli *moduli, sheet *s)
{
    const brn_boundary *boundary = b->model->body[index].boundary;
    s->def = brn_builder_def(b, index)->value;
    s->law = law_of(s->def, material, moduli);
    s->conn = boundary->face[BRN_TRI3];
    s->nelem = boundary->nface[BRN_TRI3];
    return fill_warp(b, index, s->def, s->nelem, &s->warp);
}

static void mesh_problem(brn_builder *b, int index, const char *remedy)
{
    brn_builder_problem(b, &brn_builder_body(b, index)->block, "mesh", "%s%s", brn_ctx_message(b->ctx),
                        remedy);
}

static brn_status add_membrane(brn_builder *b, int index, const sheet *s, const brn_material_common *params)
{
    brn_body *body = &b->model->body[index];
    const double thickness = s->def->thickness;
    brn_membrane *membrane = NULL;
    const brn_status status =
        brn_membrane_create(b->ctx, &s->law, thickness, (const double(*)[3])b->model->rest, s->conn,
                            (const double(*)[3])s->warp, s->nelem, &membrane);
    if (status == BRN_ERR_MESH) {
        mesh_problem(b, index, "");
        return BRN_OK;
    }
    BRN_TRY(status);
    membrane->group.density = params->density;
    membrane->group.alpha = params->damping.alpha;
    membrane->group.beta = params->damping.beta;
    /* A sheet yields to pressures of the order of its tension over its size, not of its modulus. */
    membrane->group.young *= fmin(1.0, thickness / brn_body_diagonal(b->model, body));
    return brn_builder_push_group(b, index, &membrane->group);
}

brn_status brn_builder_add_sheet(brn_builder *b, int index, const brn_material *material,
                                 const brn_moduli *moduli, const brn_material_common *params)
{
    brn_body *body = &b->model->body[index];
    sheet s;
    body->solid = false;
    body->radius = 0.5 * ((const brn_shell_def *)brn_builder_def(b, index)->value)->thickness;
    brn_status status = open_sheet(b, index, material, moduli, &s);
    status = status >= 0 ? add_membrane(b, index, &s, params) : status;
    brn_free(b->ctx, s.warp);
    return status;
}

/* ---- bending ------------------------------------------------------------------------------------------------------ */

/* Triangles with all nodes held for good or attached have a prescribed motion: they clamp the sheet beside them. */
static brn_status fill_clamped(const brn_builder *b, const sheet *s, unsigned char **out)
{
    BRN_ALLOC(b->ctx, *out, s->nelem);
    for (int e = 0; e < s->nelem; ++e) {
        bool held = true;
        for (int dof = 0; dof < 9; ++dof) {
            const int at = 3 * s->conn[3 * e + dof / 3] + dof % 3;
            held = held && b->fixed[at] != BRN_DOF_FREE && !b->released[at];
        }
        (*out)[e] = held;
    }
    return BRN_OK;
}

static brn_status bend_sheet(brn_builder *b, int index, const sheet *s, const brn_material_common *params)
{
    const double t = s->def->thickness;
    const double plate = t * t * t / 12.0;
    const double scale = isnan(s->def->flexural_rigidity)
                             ? s->def->bending * plate
                             : s->def->flexural_rigidity / fmax(s->law.stiffness[0], s->law.stiffness[1]);
    brn_bending_options options = {.warp = (const double(*)[3])s->warp,
                                   .flat = s->def->rest == BRN_REST_FLAT,
                                   .hinge = s->def->plate == BRN_PLATE_HINGE};
    for (int i = 0; i < 6; ++i) {
        options.stiffness[i] = scale * s->law.stiffness[i];
    }
    unsigned char *clamped = NULL;
    brn_bending *bending = NULL;
    brn_status status = fill_clamped(b, s, &clamped);
    options.clamped = clamped;
    status = status >= 0 ? brn_bending_create(b->ctx, &options, (const double(*)[3])b->model->rest, s->conn,
                                              s->nelem, &bending)
                         : status;
    brn_free(b->ctx, clamped);
    if (status == BRN_ERR_MESH) {
        mesh_problem(b, index, "; 'bending: 0' does without");
        return BRN_OK;
    }
    BRN_TRY(status);
    bending->group.beta = params->damping.beta;
    return brn_builder_push_group(b, -1, &bending->group);
}

brn_status brn_builder_bend_sheets(brn_builder *b)
{
    for (int i = 0; i < b->model->nbody; ++i) {
        if (b->model->body[i].type != BRN_BODY_SHELL || b->model->body[i].group_count == 0) {
            continue;
        }
        const brn_shell_def *def = brn_builder_def(b, i)->value;
        brn_moduli moduli = {0};
        const brn_material_common *params = NULL;
        const brn_material *material = brn_builder_material(b, &def->soft, &moduli, &params);
        if (material == NULL || !(def->bending > 0.0)) {
            continue;
        }
        sheet s;
        brn_status status = open_sheet(b, i, material, &moduli, &s);
        status = status >= 0 ? bend_sheet(b, i, &s, params) : status;
        brn_free(b->ctx, s.warp);
        BRN_TRY(status);
    }
    return BRN_OK;
}
