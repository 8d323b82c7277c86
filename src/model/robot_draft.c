/* The file of a robot: which links move together, and the shapes that they have. */
#include "model/robot_draft.h"

#include "base/os.h"
#include "model/mass_moments.h"
#include "model/mesh_source.h"

#include <stdio.h>
#include <string.h>

void brn_robot_draft_clear(brn_ctx *ctx, brn_robot_draft *draft)
{
    for (int i = 0; draft->form != NULL && i < draft->npiece; ++i) {
        brn_mesh_destroy(draft->form[i].mesh);
    }
    brn_robot_destroy(draft->file);
    brn_mesh_destroy(draft->nothing);
    brn_free(ctx, draft->cluster);
    brn_free(ctx, draft->piece);
    brn_free(ctx, draft->form);
}

/* ---- meshes ------------------------------------------------------------------------------------------------------------------- */

/* The path of a mesh as a file writes it: beside the robot's file, or, with package://NAME/..., in a folder NAME above it or in one of
   the folders above it. NULL without memory. */
static char *mesh_path(brn_ctx *ctx, const char *robot, const char *name)
{
    static const char package[] = "package://";
    static const char file[] = "file://";
    char above[4096] = "";
    if (strncmp(name, file, sizeof file - 1) == 0) {
        return brn_strdup(ctx, name + sizeof file - 1);
    }
    if (strncmp(name, package, sizeof package - 1) != 0) {
        return brn_path_beside(ctx, robot, name);
    }
    name += sizeof package - 1;
    const char *rest = strchr(name, '/');
    rest = rest != NULL ? rest + 1 : name;
    for (int up = 0; up < 8; ++up) {
        char tried[4096];
        for (int whole = 0; whole < 2; ++whole) {
            (void)snprintf(tried, sizeof tried, "%s%s", above, whole != 0 ? name : rest);
            char *path = brn_path_beside(ctx, robot, tried);
            if (path == NULL || brn_file_exists(path)) {
                return path;
            }
            brn_free(ctx, path);
        }
        (void)strcat(above, "../");
    }
    return brn_path_beside(ctx, robot, rest);
}

static brn_status read_mesh(brn_ctx *ctx, const brn_robot *file, const brn_robot_shape *shape, brn_mesh **out)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double here[3] = {0.0, 0.0, 0.0};
    char *path = mesh_path(ctx, file->xml->file, shape->mesh);
    if (path == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_status status = brn_mesh_read(ctx, path, out);
    brn_free(ctx, path);
    BRN_TRY(status);
    brn_mesh_transform(*out, shape->scale, identity, here);
    return BRN_OK;
}

static brn_status make_form(brn_ctx *ctx, const brn_robot *file, const brn_robot_shape *shape,
                            brn_shape_form *form)
{
    if (shape->primitive.kind != BRN_PRIMITIVE_NONE) {
        return brn_shape_of_primitive(ctx, &shape->primitive, form);
    }
    *form = (brn_shape_form){.axes = BRN_SHAPE_UPRIGHT};
    return read_mesh(ctx, file, shape, &form->mesh);
}

/* Matter that the file leaves to a mesh: `weighs`. */
static brn_status add_matter(brn_robot *file, const brn_robot_shape *shape, const brn_mesh *mesh)
{
    brn_moments moments;
    brn_inertia *to = &file->link[shape->link].inertia;
    BRN_TRY(brn_moments_of_mesh(mesh, 3, &moments));
    const double density = isnan(shape->mass) ? shape->density : shape->mass / moments.volume;
    const brn_inertia own = brn_inertia_of_moments(&moments, density);
    const brn_inertia placed = brn_inertia_placed(&own, &shape->frame);
    *to = to->mass > 0.0 ? brn_inertia_sum(to, &placed) : placed;
    return BRN_OK;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------------------- */

/* A link shows what touches, or what is only to be seen if nothing touches. */
static bool is_used(const brn_robot *file, int index)
{
    const brn_robot_shape *shape = &file->shape[index];
    bool used = shape->touches;
    if (!used && shape->seen) {
        used = true;
        for (int i = 0; i < file->nshape; ++i) {
            used = used && !(file->shape[i].touches && file->shape[i].link == shape->link);
        }
    }
    return used;
}

static void find_clusters(const brn_robot *file, bool free, int *cluster)
{
    for (int i = 0; i < file->nlink; ++i) {
        const brn_joint *joint = &file->link[i].joint;
        const bool loose = free && joint->parent < 0;
        cluster[i] = joint->kind != BRN_JOINT_FIXED || loose ? i
                     : joint->parent >= 0                    ? cluster[joint->parent]
                                                             : -1;
    }
}

static double cluster_mass(const brn_robot_draft *draft, int cluster)
{
    double mass = 0.0;
    for (int i = 0; i < draft->file->nlink; ++i) {
        mass += draft->cluster[i] == cluster ? draft->file->link[i].inertia.mass : 0.0;
    }
    return mass;
}

/* Pieces of one cluster, links in their order. */
static void list_pieces(brn_robot_draft *draft, int cluster)
{
    const brn_robot *file = draft->file;
    const int before = draft->npiece;
    for (int link = cluster < 0 ? -1 : 0; link < file->nlink; ++link) {
        for (int s = 0; s < file->nshape; ++s) {
            const int own = link < 0 ? -1 : draft->cluster[link];
            if (file->shape[s].link == link && own == cluster && is_used(file, s)) {
                draft->piece[draft->npiece++] = (brn_robot_piece){link, cluster, s};
            }
        }
    }
    if (cluster >= 0 && draft->npiece == before && cluster_mass(draft, cluster) > 0.0) {
        draft->piece[draft->npiece++] = (brn_robot_piece){cluster, cluster, -1};
    }
}

static brn_status make(brn_builder *b, const brn_robot_def *def, brn_robot_draft *draft)
{
    brn_robot *file = draft->file;
    BRN_ALLOC(b->ctx, draft->cluster, file->nlink);
    BRN_ALLOC(b->ctx, draft->piece, file->nlink + file->nshape);
    BRN_ALLOC(b->ctx, draft->form, file->nlink + file->nshape);
    BRN_TRY(brn_mesh_create(b->ctx, 0, &draft->nothing));
    find_clusters(file, def->base == BRN_ROBOT_BASE_FREE, draft->cluster);
    for (int i = 0; i < file->nshape; ++i) {
        brn_mesh *mesh = NULL;
        if (file->shape[i].weighs) {
            BRN_TRY(read_mesh(b->ctx, file, &file->shape[i], &mesh));
            const brn_status status = add_matter(file, &file->shape[i], mesh);
            brn_mesh_destroy(mesh);
            BRN_TRY(status);
        }
    }
    for (int cluster = -1; cluster < file->nlink; ++cluster) {
        list_pieces(draft, cluster);
    }
    for (int i = 0; i < draft->npiece; ++i) {
        const brn_robot_piece *piece = &draft->piece[i];
        if (piece->shape < 0) {
            continue;
        }
        const brn_robot_shape *shape = &file->shape[piece->shape];
        if (piece->cluster >= 0 && !(cluster_mass(draft, piece->cluster) > 0.0)) {
            return brn_fail(b->ctx, BRN_ERR_FORMAT,
                            "%s:%d: link '%s' moves and has a shape, but no mass: give it inertia",
                            file->xml->file, shape->line, file->part[piece->link].name);
        }
        const brn_status status = make_form(b->ctx, file, shape, &draft->form[i]);
        if (status < 0 && status != BRN_ERR_MEMORY) {
            char why[400];
            (void)snprintf(why, sizeof why, "%s", brn_ctx_message(b->ctx));
            return brn_fail(b->ctx, status, "%s:%d: %s", file->xml->file, shape->line, why);
        }
        BRN_TRY(status);
        if (!shape->touches) { /* it is only seen */
            draft->form[i].primitive.kind = BRN_PRIMITIVE_NONE;
        }
    }
    return BRN_OK;
}

brn_status brn_robot_draft_make(brn_builder *b, int source)
{
    const brn_robot_def *def = b->def->bodies.items[source].value;
    brn_robot_draft *draft = &b->robot[source];
    if (b->def->dimension != 3) {
        brn_builder_problem(b, &def->common.block, "type", "a robot needs a 3D scene");
        return BRN_OK;
    }
    if (def->common.mesh != NULL) {
        brn_builder_problem(b, &def->common.block, "mesh", "a robot has its shapes from its file");
    }
    char *path = brn_path_beside(b->ctx, brn_scene_file(b->scene), def->file);
    if (path == NULL) {
        return BRN_ERR_MEMORY;
    }
    brn_status status = brn_robot_read(b->ctx, path, &draft->file);
    brn_free(b->ctx, path);
    status = status >= 0 ? make(b, def, draft) : status;
    for (int i = 0; status >= 0 && i < draft->file->nwarning; ++i) {
        brn_log(b->ctx, BRN_LOG_WARNING, "%s", draft->file->warning[i]);
    }
    if (status < 0) {
        brn_robot_draft_clear(b->ctx, draft);
        *draft = (brn_robot_draft){0};
    }
    if (status < 0 && status != BRN_ERR_MEMORY) {
        brn_builder_problem(b, &def->common.block, "file", "%s", brn_ctx_message(b->ctx));
        return BRN_OK;
    }
    return status;
}
