/* Robots of the model from their drafts: trees, bodies, names. */
#include "linalg/dense.h"
#include "model/robot_draft.h"

#include <stdio.h>
#include <string.h>

void brn_robot_model_destroy(brn_robot_model *robot)
{
    if (robot == NULL) {
        return;
    }
    brn_ctx *ctx = robot->ctx;
    const int nlink = robot->nlink;
    for (int i = 0; i < nlink; ++i) {
        brn_free(ctx, robot->link_name != NULL ? robot->link_name[i] : NULL);
        brn_free(ctx, robot->joint_name != NULL ? robot->joint_name[i] : NULL);
    }
    for (int i = 0; i < robot->ndrive; ++i) {
        brn_free(ctx, robot->drive[i].table);
    }
    void *arrays[] = {robot->name,    robot->link_name, robot->joint_name, robot->reference,
                      robot->cluster, robot->apart,     robot->q0,         robot->v0,
                      robot->drive,   robot->mimic,     robot->coupling,   robot->spring};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(ctx, arrays[i]);
    }
    brn_tree_destroy(robot->tree);
    brn_free(ctx, robot);
}

double brn_drive_control(const brn_drive *drive, double t)
{
    const double *table = drive->table;
    int row = 0;
    while (row + 1 < drive->rows && table[2 * (row + 1)] <= t) {
        ++row;
    }
    double value = table[2 * row + 1];
    if (t > table[2 * row] && row + 1 < drive->rows) {
        const double share = (t - table[2 * row]) / (table[2 * row + 2] - table[2 * row]);
        value += share * (table[2 * row + 3] - value);
    }
    return fmin(fmax(value, drive->range[0]), drive->range[1]);
}

/* ---- making ----------------------------------------------------------------------------------------------------------------- */

/* b after a */
static brn_rigid_map joined(const brn_rigid_map *a, const brn_rigid_map *b)
{
    brn_rigid_map out;
    brn_dense_multiply3(a->rotation, b->rotation, out.rotation);
    brn_rigid_map_apply(a, b->origin, out.origin);
    return out;
}

/* The file's links with the base where the scene puts it. */
static brn_status make_tree(const brn_robot_draft *draft, const brn_robot_def *def,
                            const brn_body_place *base, brn_robot_model *robot)
{
    const brn_robot *file = draft->file;
    brn_link *link = NULL;
    brn_rigid_map place;
    BRN_ALLOC(robot->ctx, link, file->nlink);
    memcpy(link, file->link, (size_t)file->nlink * sizeof *link);
    memcpy(place.rotation, base->rotation, sizeof place.rotation);
    memcpy(place.origin, base->position, sizeof place.origin);
    for (int i = 0; i < file->nlink; ++i) {
        if (link[i].joint.parent < 0) {
            link[i].joint.frame = joined(&place, &link[i].joint.frame);
            if (def->base == BRN_ROBOT_BASE_FREE && link[i].joint.kind == BRN_JOINT_FIXED) {
                const brn_rigid_map frame = link[i].joint.frame;
                link[i].joint = brn_joint_default(BRN_JOINT_FLOATING, -1);
                link[i].joint.frame = frame;
            }
        }
    }
    const brn_status status = brn_tree_create(robot->ctx, link, file->nlink, &robot->tree);
    brn_free(robot->ctx, link);
    return status;
}

static brn_status copy_names(const brn_robot *file, brn_robot_model *robot)
{
    robot->nlink = file->nlink;
    BRN_ALLOC(robot->ctx, robot->link_name, file->nlink);
    BRN_ALLOC(robot->ctx, robot->joint_name, file->nlink);
    BRN_ALLOC(robot->ctx, robot->reference, file->nlink);
    for (int i = 0; i < file->nlink; ++i) {
        char number[32];
        (void)snprintf(number, sizeof number, "%d", i);
        const brn_robot_part *part = &file->part[i];
        const char *joint = robot->tree->link[i].joint.kind == BRN_JOINT_FIXED ? "" : part->joint;
        robot->link_name[i] = brn_strdup(robot->ctx, part->name[0] != '\0' ? part->name : number);
        robot->joint_name[i] = brn_strdup(robot->ctx, joint);
        robot->reference[i] = part->reference;
        if (robot->link_name[i] == NULL || robot->joint_name[i] == NULL) {
            return BRN_ERR_MEMORY;
        }
    }
    return BRN_OK;
}

static bool excludes(const brn_robot_draft *draft, int a, int b)
{
    bool out = false;
    for (int i = 0; i < draft->file->nexclude && !out; ++i) {
        int c[2];
        for (int k = 0; k < 2; ++k) {
            const int link = draft->file->exclude[i][k];
            c[k] = link >= 0 ? draft->cluster[link] : -1;
        }
        out = (c[0] == a && c[1] == b) || (c[0] == b && c[1] == a);
    }
    return out;
}

/* Whether a cluster hangs on another by one joint. */
static bool hangs_on(const brn_robot_draft *draft, int a, int b)
{
    const int parent = a >= 0 ? draft->file->link[a].joint.parent : -1;
    return a >= 0 && (parent >= 0 ? draft->cluster[parent] : -1) == b;
}

/* Which bodies of the robot do not touch each other: those of one cluster, neighbours, what the file excludes. */
static brn_status list_apart(const brn_robot_draft *draft, const brn_robot_def *def, brn_robot_model *robot)
{
    const int count = draft->npiece;
    BRN_ALLOC(robot->ctx, robot->apart, (size_t)count * (size_t)count);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            const int a = draft->piece[i].cluster;
            const int b = draft->piece[j].cluster;
            robot->apart[i * count + j] = !def->self || a == b || hangs_on(draft, a, b) ||
                                          hangs_on(draft, b, a) || excludes(draft, a, b);
        }
    }
    return BRN_OK;
}

static brn_status make_robot(brn_builder *b, int source, int index, const brn_body_place *base,
                             brn_robot_model *robot)
{
    const brn_robot_draft *draft = &b->robot[source];
    const brn_robot_def *def = b->def->bodies.items[source].value;
    robot->source = source;
    robot->body_first = index;
    robot->body_count = draft->npiece;
    BRN_TRY(make_tree(draft, def, base, robot));
    BRN_TRY(copy_names(draft->file, robot));
    BRN_ALLOC(b->ctx, robot->cluster, robot->nlink);
    memcpy(robot->cluster, draft->cluster, (size_t)robot->nlink * sizeof *robot->cluster);
    BRN_TRY(list_apart(draft, def, robot));
    return brn_robot_add_joints(b, draft, robot);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------------------- */

/* Matter of a cluster in the world, links as placed. */
static brn_inertia cluster_matter(const brn_robot_model *robot, const brn_tree_motion *motion, int cluster)
{
    brn_inertia sum = {0};
    for (int i = 0; i < robot->nlink; ++i) {
        const brn_inertia *own = &robot->tree->link[i].inertia;
        if (robot->cluster[i] == cluster && own->mass > 0.0) {
            const brn_inertia placed = brn_inertia_placed(own, &motion->place[i]);
            sum = sum.mass > 0.0 ? brn_inertia_sum(&sum, &placed) : placed;
        }
    }
    return sum;
}

/* The same matter, seen from a frame in the world, and shared by so many. */
static brn_inertia shared(const brn_inertia *matter, const brn_body_place *pose, int count)
{
    brn_inertia out = {.mass = matter->mass / count};
    double arm[3];
    double half[9];
    for (int i = 0; i < 3; ++i) {
        arm[i] = matter->centre[i] - pose->position[i];
    }
    brn_dense_apply3_t(pose->rotation, arm, out.centre);
    brn_dense_multiply3_tn(pose->rotation, matter->about, half);
    brn_dense_multiply3(half, pose->rotation, out.about);
    for (int i = 0; i < 9; ++i) {
        out.about[i] /= count;
    }
    return out;
}

static brn_status name_body(brn_builder *b, int source, int copy, int piece, brn_body *body)
{
    const brn_robot_draft *draft = &b->robot[source];
    const brn_robot_piece *own = &draft->piece[piece];
    char robot[BRN_REPEAT_NAME_MAX + 64];
    char name[BRN_REPEAT_NAME_MAX + 400];
    int number = 1;
    for (int i = 0; i < piece; ++i) {
        number += draft->piece[i].link == own->link;
    }
    brn_repeat_name(b->def->bodies.items[source].value, copy, robot, sizeof robot);
    const char *link = own->link >= 0 ? draft->file->part[own->link].name : "world";
    const int length = link[0] != '\0' ? snprintf(name, sizeof name, "%s/%.200s", robot, link)
                                       : snprintf(name, sizeof name, "%s/%d", robot, own->link);
    if (number > 1) {
        (void)snprintf(name + length, sizeof name - (size_t)length, "/%d", number);
    }
    body->name = brn_strdup(b->ctx, name);
    return body->name != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

/* What is only to be seen touches nothing. */
static brn_status untouch(brn_builder *b, int index)
{
    brn_body *body = &b->model->body[index];
    body->solid = false;
    body->radius = 0.0;
    if (body->touch != body->boundary) {
        brn_boundary_destroy(body->touch);
    }
    body->touch = NULL;
    return brn_builder_make_core(b->ctx, 0, 0, &body->touch);
}

static brn_status add_piece(brn_builder *b, int index, const brn_robot_draft *draft,
                            const brn_robot_model *robot, const brn_tree_motion *motion)
{
    const int k = index - robot->body_first;
    const brn_robot_piece *piece = &draft->piece[k];
    const brn_robot_shape *shape = piece->shape >= 0 ? &draft->file->shape[piece->shape] : NULL;
    const brn_mesh *mesh = shape != NULL ? draft->form[k].mesh : draft->nothing;
    const brn_rigid_map here = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const brn_rigid_map link = piece->link >= 0 ? motion->place[piece->link] : robot->base;
    const brn_rigid_map place = joined(&link, shape != NULL ? &shape->frame : &here);
    memcpy(b->pose[index].rotation, place.rotation, sizeof place.rotation);
    memcpy(b->pose[index].position, place.origin, sizeof place.origin);
    if (piece->cluster < 0) {
        b->body_mesh[index] = mesh;
        b->model->body[index].type = BRN_BODY_STATIC;
        BRN_TRY(brn_builder_add_frame(b, index, mesh));
        if (b->model->body[index].radius > 0.0) {
            BRN_TRY(brn_builder_add_corners(b, index));
        }
    } else {
        int count = 0;
        for (int i = 0; i < draft->npiece; ++i) {
            count += draft->piece[i].cluster == piece->cluster;
        }
        const brn_inertia matter = cluster_matter(robot, motion, piece->cluster);
        const brn_inertia own = shared(&matter, &b->pose[index], count);
        BRN_TRY(brn_builder_add_firm(b, index, mesh, &own));
    }
    return shape == NULL || shape->touches ? BRN_OK : untouch(b, index);
}

static brn_status add_pieces(brn_builder *b, int source, int copy, brn_robot_model *robot)
{
    const brn_robot_draft *draft = &b->robot[source];
    brn_tree_motion *motion = NULL;
    BRN_TRY(brn_tree_motion_create(robot->tree, &motion));
    brn_tree_place(robot->tree, robot->q0, motion);
    brn_status status = BRN_OK;
    for (int k = 0; k < draft->npiece && status >= 0; ++k) {
        const int index = robot->body_first + k;
        brn_body *body = &b->model->body[index];
        b->model->nbody = index + 1;
        body->source = source;
        body->plane[0] = -1;
        body->handle = -1;
        body->solid = draft->piece[k].shape >= 0;
        body->robot = b->model->nrobot - 1;
        body->link = draft->piece[k].cluster;
        status = name_body(b, source, copy, k, body);
        status = status >= 0 ? add_piece(b, index, draft, robot, motion) : status;
    }
    brn_tree_motion_destroy(motion);
    return status;
}

brn_status brn_builder_add_robot(brn_builder *b, int source, int copy, int index)
{
    brn_model *model = b->model;
    const brn_robot_def *def = b->def->bodies.items[source].value;
    brn_body_place base;
    brn_robot_model *robot = NULL;
    void *grown = brn_realloc(b->ctx, model->robot, (size_t)model->nrobot + 1, sizeof *model->robot);
    if (grown == NULL) {
        return BRN_ERR_MEMORY;
    }
    model->robot = grown;
    BRN_ALLOC(b->ctx, robot, 1);
    robot->ctx = b->ctx;
    robot->index = model->nrobot;
    model->robot[model->nrobot++] = robot;
    char name[BRN_REPEAT_NAME_MAX + 64];
    brn_repeat_name(&def->common, copy, name, sizeof name);
    robot->name = brn_strdup(b->ctx, name);
    if (robot->name == NULL) {
        return BRN_ERR_MEMORY;
    }
    brn_repeat_pose(b->scene, &def->common, copy, &base);
    memcpy(robot->base.rotation, base.rotation, sizeof base.rotation);
    memcpy(robot->base.origin, base.position, sizeof base.position);
    const brn_status status = make_robot(b, source, index, &base, robot);
    if (status < 0 && status != BRN_ERR_MEMORY) {
        brn_builder_problem(b, &def->common.block, "file", "%s", brn_ctx_message(b->ctx));
        return BRN_OK;
    }
    BRN_TRY(status);
    robot->q_first = model->njoint;
    robot->v_first = model->njoint; /* as many places, the last of them unused where quaternions are */
    robot->drive_first = model->ndrive;
    robot->link_first = model->nlink;
    model->nlink += robot->nlink;
    model->njoint += robot->tree->nq;
    model->ndrive += robot->ndrive;
    return robot->q0 != NULL ? add_pieces(b, source, copy, robot) : BRN_OK;
}

brn_status brn_builder_move_robots(brn_builder *b)
{
    brn_model *model = b->model;
    for (int r = 0; r < model->nrobot; ++r) {
        const brn_robot_model *robot = model->robot[r];
        brn_tree_motion *motion = NULL;
        BRN_TRY(brn_tree_motion_create(robot->tree, &motion));
        brn_tree_place(robot->tree, robot->q0, motion);
        brn_tree_move(robot->tree, robot->v0, motion);
        for (int n = robot->body_first; n < robot->body_first + robot->body_count; ++n) {
            const brn_body *body = &model->body[n];
            for (int a = body->node_first; a < body->node_first + body->node_count && body->link >= 0; ++a) {
                brn_tree_velocity_at(robot->tree, motion, body->link, model->rest[a], model->vel0[a]);
            }
        }
        brn_tree_motion_destroy(motion);
    }
    return BRN_OK;
}

/* ---- names ---------------------------------------------------------------------------------------------------------------------- */

brn_body_range brn_builder_robot_link(const brn_builder *b, const char *word)
{
    const brn_model *model = b->model;
    for (int r = 0; model != NULL && r < model->nrobot; ++r) {
        const brn_robot_model *robot = model->robot[r];
        const size_t length = strlen(robot->name);
        if (strncmp(word, robot->name, length) != 0 || word[length] != '/') {
            continue;
        }
        brn_body_range found = {0, 0};
        for (int n = robot->body_first; n < robot->body_first + robot->body_count; ++n) {
            const char *own = model->body[n].name;
            const size_t whole = strlen(word);
            const bool fits =
                own != NULL && strncmp(own, word, whole) == 0 && (own[whole] == '\0' || own[whole] == '/');
            found = fits ? (brn_body_range){found.count > 0 ? found.first : n, found.count + 1} : found;
        }
        for (int i = 0; i < robot->nlink && found.count == 0; ++i) { /* without shapes of its own */
            for (int n = robot->body_first; n < robot->body_first + robot->body_count; ++n) {
                if (strcmp(robot->link_name[i], word + length + 1) == 0 && found.count == 0 &&
                    model->body[n].link == robot->cluster[i]) {
                    found = (brn_body_range){n, 1};
                }
            }
        }
        if (found.count > 0) {
            return found;
        }
    }
    return (brn_body_range){0, 0};
}

bool brn_model_apart(const brn_model *model, int body, int other)
{
    const brn_body *a = &model->body[body];
    const brn_body *c = &model->body[other];
    if (model->apart != NULL && model->apart[brn_model_pair(model, body, other)]) {
        return true;
    }
    if (brn_model_joined(model, body, other)) {
        return true;
    }
    if (a->robot < 0 || a->robot != c->robot) {
        return false;
    }
    const brn_robot_model *robot = model->robot[a->robot];
    return robot->apart[(body - robot->body_first) * robot->body_count + other - robot->body_first];
}
