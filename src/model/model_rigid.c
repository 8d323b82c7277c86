/* Rigid bodies as affine bodies [Lan et al. 2022, "Affine body dynamics"]: the unknowns are an affine map of the body, held
   near a rotation by the energy V kappa |F'F - 1|^2. A body of mass m, centre c and second moment S = int rho r r' has the
   inertia of dim + 1 equal masses at the corners of a simplex,

       x_i = c + L u_i,   L L' = S / m,   sum u_i = 0,   sum u_i u_i' = (dim + 1) 1,

   for every affine velocity, rigid ones included. These handles are free nodes with a diagonal mass; the energy is that of
   one stvk element on them (lambda = 0, mu = 4 kappa) that counts for the volume of the body; every node of the body's
   mesh is tied to them by its barycentric weights w_i = (1 + u_i . L^-1 (X - c)) / (dim + 1). */
#include "linalg/dense.h"
#include "model/builder.h"
#include "model/mass_moments.h"
#include "phys/solid.h"

#include <math.h>
#include <string.h>

/* sqrt(smallest / largest eigenvalue of S) below which a body is too thin for its handles to tell its axes apart. */
static const double THINNEST = 1e-6;

static const double corner3[4][3] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};

/* u_i; positive orientation. */
static void simplex_corner(int dim, int i, double u[3])
{
    memset(u, 0, 3 * sizeof *u);
    if (dim == 3) {
        memcpy(u, corner3[i], 3 * sizeof *u);
        return;
    }
    const double up[3] = {sqrt(2.0), -sqrt(0.5), -sqrt(0.5)};
    const double across[3] = {0.0, -sqrt(1.5), sqrt(1.5)};
    u[0] = across[i];
    u[1] = up[i];
}

static brn_status body_moments(brn_builder *b, int index, const brn_mesh *mesh, brn_moments *out)
{
    const brn_shape_form *form = brn_builder_form(b, index);
    if (form->mesh == mesh && brn_moments_of_primitive(&form->primitive, out)) {
        return BRN_OK;
    }
    return brn_moments_of_mesh(mesh, b->model->dim, out);
}

/* L = Q sqrt(eigenvalues) of S / m [3][3] and its inverse, the eigenvalues at least `least` squared of the largest. False if the body is
   too thin. */
static bool find_axes(const double spread[9], int dim, double least, brn_rigid_frame *frame)
{
    double a[9];
    double w[3];
    double q[9];
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) {
            a[i * dim + j] = spread[3 * i + j];
        }
    }
    const bool found = brn_dense_eigen_sym(dim, a, w, q) >= 0;
    for (int k = 0; k < dim && found; ++k) {
        w[k] = fmax(w[k], least * least * w[dim - 1]);
    }
    if (!found || !(w[0] > 0.0 && sqrt(w[0]) >= THINNEST * sqrt(w[dim - 1]) && isfinite(w[dim - 1]))) {
        return false;
    }
    /* A right-handed frame keeps the simplex positive. */
    const double det = dim == 3 ? brn_dense_det3(q) : brn_dense_det2(q);
    for (int i = 0; i < dim; ++i) {
        for (int k = 0; k < dim; ++k) {
            const double direction = k == 0 && det < 0.0 ? -q[i * dim + k] : q[i * dim + k];
            frame->axes[3 * i + k] = direction * sqrt(w[k]);
            frame->inverse[3 * k + i] = direction / sqrt(w[k]);
        }
    }
    return true;
}

/* The handles, after the nodes of the mesh and placed like them. */
static brn_status add_handles(brn_builder *b, int index, brn_rigid_frame *frame)
{
    brn_model *model = b->model;
    brn_body *body = &model->body[index];
    const int count = model->dim + 1;
    frame->handle = model->nnode;
    BRN_TRY(brn_builder_grow_nodes(b, count));
    const brn_body_place *pose = &b->pose[index];
    for (int n = 0; n < count; ++n) {
        double u[3];
        double arm[3];
        double x[3];
        simplex_corner(model->dim, n, u);
        brn_dense_apply3(frame->axes, u, arm);
        for (int i = 0; i < 3; ++i) {
            arm[i] += frame->centre[i];
        }
        brn_dense_apply3(pose->rotation, arm, x);
        for (int i = 0; i < 3; ++i) {
            model->rest[frame->handle + n][i] = x[i] + pose->position[i];
        }
    }
    body->handle = frame->handle;
    body->node_count += count;
    return BRN_OK;
}

/* One element on the handles that stands for the volume of the body and, lumped, for its mass. */
static brn_status add_element(brn_builder *b, int index, double volume, double mass, double stiffness)
{
    const brn_rigid_frame *frame = &b->rigid[index];
    brn_model *model = b->model;
    const int conn[4] = {frame->handle, frame->handle + 1, frame->handle + 2, frame->handle + 3};
    const brn_moduli moduli = {.mu = 4.0 * stiffness};
    brn_solid *solid = NULL;
    const brn_status status =
        brn_solid_create(b->ctx, model->dim == 3 ? BRN_TET4 : BRN_TRI3, &brn_material_stvk, &moduli,
                         (const double(*)[3])model->rest, conn, 1, &solid);
    if (status == BRN_ERR_MESH) {
        return brn_fail(
            b->ctx, status,
            "body '%s': smaller than the rounding of its coordinates: bring it nearer to the origin",
            model->body[index].name);
    }
    BRN_TRY(status);
    const double simplex = brn_solid_element_volume(solid, 0);
    solid->group.density = mass / simplex;
    for (int q = 0; q < solid->element->nquad * BRN_LANES; ++q) {
        solid->volume[q] *= volume / simplex;
    }
    solid->group.cell = -1; /* what is seen is the surface of the body */
    solid->group.young = stiffness;
    return brn_builder_push_group(b, index, &solid->group);
}

/* Flips the faces of a surface that faces inwards. */
static void face_outwards(const brn_model *model, brn_boundary *boundary)
{
    static const int turned[BRN_CELL_COUNT][8] = {
        [BRN_TRI3] = {0, 2, 1},
        [BRN_TRI6] = {0, 2, 1, 5, 4, 3},
        [BRN_QUAD4] = {0, 3, 2, 1},
        [BRN_QUAD8] = {0, 3, 2, 1, 7, 6, 5, 4},
    };
    const double *o = boundary->ntri > 0 ? model->rest[boundary->tri[0][0]] : NULL;
    double volume = 0.0;
    for (int t = 0; t < boundary->ntri; ++t) {
        double x[3][3];
        double cross[3];
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i < 3; ++i) {
                x[k][i] = model->rest[boundary->tri[t][k]][i] - o[i];
            }
        }
        brn_dense_cross3(x[1], x[2], cross);
        volume += brn_dense_dot3(x[0], cross);
    }
    if (!(volume < 0.0)) {
        return;
    }
    for (int t = 0; t < boundary->ntri; ++t) {
        const int second = boundary->tri[t][1];
        boundary->tri[t][1] = boundary->tri[t][2];
        boundary->tri[t][2] = second;
    }
    for (int kind = BRN_TRI3; kind <= BRN_QUAD8; ++kind) {
        const int width = brn_cell_get((brn_cell)kind)->nnode;
        for (int f = 0; f < boundary->nface[kind]; ++f) {
            int old[8];
            int *node = &boundary->face[kind][f * width];
            memcpy(old, node, (size_t)width * sizeof *old);
            for (int i = 0; i < width; ++i) {
                node[i] = old[turned[kind][i]];
            }
        }
    }
}

/* Mass [kg] from what the scene gives: the mass itself or the density. */
static double body_mass(brn_builder *b, const brn_rigid_def *def, double volume)
{
    const bool both = !isnan(def->mass) && !isnan(def->density);
    if (both) {
        brn_builder_problem(b, &def->common.block, "mass", "stands beside 'density'; keep one of the two");
    }
    return !isnan(def->mass) ? def->mass : volume * (isnan(def->density) ? 1000.0 : def->density);
}

/* Barycentric coordinates in the handles of a place in the coordinates of the mesh. */
static void handle_parts(const brn_rigid_frame *frame, int dim, const double place[3], brn_tie_part part[4])
{
    double arm[3];
    double xi[3];
    for (int i = 0; i < 3; ++i) {
        arm[i] = place[i] - frame->centre[i];
    }
    brn_dense_apply3(frame->inverse, arm, xi);
    for (int k = 0; k <= dim; ++k) {
        double u[3];
        simplex_corner(dim, k, u);
        part[k] = (brn_tie_part){frame->handle + k, (1.0 + brn_dense_dot3(u, xi)) / (dim + 1.0)};
    }
}

void brn_builder_rigid_parts(const brn_builder *b, int body, const double place[3], brn_tie_part part[4])
{
    const brn_body_place *pose = &b->pose[body];
    double arm[3];
    double back[3];
    for (int i = 0; i < 3; ++i) {
        arm[i] = place[i] - pose->position[i];
    }
    brn_dense_apply3_t(pose->rotation, arm, back);
    handle_parts(&b->rigid[body], b->model->dim, back, part);
}

static brn_status tie_nodes(brn_builder *b, int index, const brn_mesh *mesh)
{
    for (int a = 0; a < mesh->nnode; ++a) {
        brn_tie_part part[4];
        handle_parts(&b->rigid[index], b->model->dim, mesh->pos[a], part);
        BRN_TRY(brn_builder_tie(b, b->model->body[index].node_first + a, -1, part, b->model->dim + 1));
    }
    return BRN_OK;
}

/* A body whose handles' places are known. */
static brn_status make_rigid(brn_builder *b, int index, const brn_mesh *mesh, double volume, double mass,
                             double stiffness)
{
    const brn_shape_form *form = brn_builder_form(b, index);
    b->body_mesh[index] = mesh;
    b->mass_kind[index] = BRN_MASS_LUMPED;
    b->model->body[index].type = BRN_BODY_RIGID;
    BRN_TRY(brn_builder_add_frame(b, index, mesh));
    if (b->model->dim == 3 && (form->mesh != mesh || form->primitive.kind == BRN_PRIMITIVE_NONE) &&
        brn_mesh_dim(mesh) == 2) {
        face_outwards(b->model, b->model->body[index].boundary);
    }
    BRN_TRY(add_handles(b, index, &b->rigid[index]));
    BRN_TRY(tie_nodes(b, index, mesh));
    return add_element(b, index, volume, mass, stiffness);
}

brn_status brn_builder_add_rigid(brn_builder *b, int index, const brn_mesh *mesh)
{
    const brn_rigid_def *def = brn_builder_def(b, index)->value;
    brn_rigid_frame *frame = &b->rigid[index];
    const char *key = def->shape.table != NULL ? "shape" : "mesh";
    brn_moments moments;
    const brn_shape_form *form = brn_builder_form(b, index);
    if (form->mesh == mesh && form->half_space) {
        brn_builder_problem(b, &def->common.block, key,
                            "a half-space is unbounded: only a static body can be one");
        return BRN_OK;
    }
    const brn_status status = body_moments(b, index, mesh, &moments);
    if (status < 0 && status != BRN_ERR_MEMORY) {
        brn_builder_problem(b, &def->common.block, key, "a rigid body needs a volume: %s",
                            brn_ctx_message(b->ctx));
        return BRN_OK;
    }
    BRN_TRY(status);
    /* Inertia goes with the fifth power of the size. */
    if (!(moments.volume >= 1e-150 && moments.volume <= 1e150)) {
        brn_builder_problem(b, &def->common.block, key,
                            "a volume of %g: a rigid body must have one from 1e-150 to 1e150",
                            moments.volume);
        return BRN_OK;
    }
    const double mass = body_mass(b, def, moments.volume);
    double spread[9];
    for (int i = 0; i < 9; ++i) {
        spread[i] = moments.second[i] / moments.volume;
    }
    memcpy(frame->centre, moments.centre, sizeof frame->centre);
    if (!find_axes(spread, b->model->dim, 0.0, frame)) {
        brn_builder_problem(b, &def->common.block, key,
                            "is too thin for a rigid body: below %g of its length", THINNEST);
        return BRN_OK;
    }
    return make_rigid(b, index, mesh, moments.volume, mass, def->stiffness);
}

/* Links of robots are rigid in `sap` whatever these say. */
static const double LINK_STIFFNESS = 1e8, LINK_DENSITY = 1e3;
/* Handles of a thin link are at least so far from its plane or axis, as a fraction of their distances in it. */
static const double LINK_THINNEST = 1e-4;

brn_status brn_builder_add_firm(brn_builder *b, int index, const brn_mesh *mesh, const brn_inertia *matter)
{
    brn_rigid_frame *frame = &b->rigid[index];
    const double half = 0.5 * (matter->about[0] + matter->about[4] + matter->about[8]);
    double spread[9]; /* int rho r r' = 1/2 tr(I) 1 - I */
    for (int i = 0; i < 9; ++i) {
        spread[i] = ((i % 4 == 0 ? half : 0.0) - matter->about[i]) / matter->mass;
    }
    memcpy(frame->centre, matter->centre, sizeof frame->centre);
    if (!find_axes(spread, b->model->dim, LINK_THINNEST, frame)) {
        brn_builder_problem(b, &brn_builder_body(b, index)->block, "file",
                            "%s: a mass of %g kg with an inertia that handles cannot show",
                            b->model->body[index].name, matter->mass);
        return BRN_OK;
    }
    return make_rigid(b, index, mesh, matter->mass / LINK_DENSITY, matter->mass, LINK_STIFFNESS);
}
