#include "output/export/gltf_motion.h"

#include "phys/rotation.h"

#include <math.h>
#include <string.h>

/* Single precision carries 6e-8 of a coordinate; a place, a turned vertex and their sum round a few times. */
static const double float_slack = 1e-6;
/* A rigid body is held in shape by a stiffness: its bending (1e-6 of its size, measured) is not meant to be seen. */
static const double rigid_slack = 1e-4;

void brn_gltf_motion_clear(brn_gltf_motion *motion)
{
    brn_ctx *ctx = motion->ctx;
    for (int b = 0; b < motion->nbody; ++b) {
        brn_free(ctx, motion->body[b].place);
        brn_free(ctx, motion->body[b].turn);
        brn_free(ctx, motion->body[b].low);
        brn_free(ctx, motion->body[b].high);
    }
    brn_free(ctx, motion->body);
    brn_free(ctx, motion->frame);
    brn_free(ctx, motion->time);
    brn_free(ctx, motion->base);
    *motion = (brn_gltf_motion){.ctx = ctx};
}

/* ---- the first frame ------------------------------------------------------------------------------------------------ */

static brn_status start(brn_gltf_motion *motion, const brn_drawing *surface, int frames)
{
    brn_ctx *ctx = motion->ctx;
    BRN_ALLOC(ctx, motion->frame, frames);
    BRN_ALLOC(ctx, motion->time, frames);
    BRN_ALLOC(ctx, motion->base, surface->nvertex);
    BRN_ALLOC(ctx, motion->body, surface->nbody);
    motion->nbody = surface->nbody;
    for (int b = 0; b < surface->nbody; ++b) {
        brn_gltf_body *body = &motion->body[b];
        BRN_ALLOC(ctx, body->place, frames);
        BRN_ALLOC(ctx, body->turn, frames);
        BRN_ALLOC(ctx, body->low, frames);
        BRN_ALLOC(ctx, body->high, frames);
    }
    return BRN_OK;
}

static void mean_position(const int *node, int count, const double *pos, double mean[3])
{
    mean[0] = mean[1] = mean[2] = 0.0;
    for (int v = 0; v < count; ++v) {
        for (int i = 0; i < 3; ++i) {
            mean[i] += pos[3 * (size_t)node[v] + (size_t)i] / count;
        }
    }
}

/* The mesh of a body at the first frame, relative to its middle, where single precision is best. */
static void take_base(brn_gltf_body *body, const int *node, int count, const double *pos, float (*base)[3])
{
    double mean[3];
    mean_position(node, count, pos, mean);
    for (int i = 0; i < 3; ++i) {
        body->origin[i] = (float)mean[i];
    }
    for (int v = 0; v < count; ++v) {
        for (int i = 0; i < 3; ++i) {
            base[v][i] = (float)(pos[3 * (size_t)node[v] + (size_t)i] - (double)body->origin[i]);
            body->size = fmax(body->size, fabs((double)base[v][i]));
        }
    }
}

/* ---- one frame ------------------------------------------------------------------------------------------------------ */

/* Rotation that takes the base nearest to the positions (their means apart): the nearest to sum (x - mean) base^T. */
static void fit_turn(const float (*base)[3], const int *node, int count, const double *pos,
                     const double mean[3], bool flat, double r[9])
{
    double f[9] = {0};
    for (int v = 0; v < count; ++v) {
        for (int i = 0; i < 3; ++i) {
            const double x = pos[3 * (size_t)node[v] + (size_t)i] - mean[i];
            for (int j = 0; j < 3; ++j) {
                f[3 * i + j] += x * (double)base[v][j];
            }
        }
    }
    if (flat) {
        /* A body in a plane turns within it, even if it is mirrored or only a line. */
        const double angle = atan2(f[3] - f[1], f[0] + f[4]);
        const double turned[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
        memcpy(r, turned, sizeof turned);
    } else {
        brn_rotation_nearest(f, r);
    }
}

/* x, y, z, w in the hemisphere of the frame before: interpolation takes the short way. */
static void store_turn(const double r[9], float (*turn)[4], int f)
{
    double q[4];
    brn_rotation_quaternion(r, q);
    const double wxyz[4] = {f > 0 ? (double)turn[f - 1][3] : 1.0, f > 0 ? (double)turn[f - 1][0] : 0.0,
                            f > 0 ? (double)turn[f - 1][1] : 0.0, f > 0 ? (double)turn[f - 1][2] : 0.0};
    const double sign = q[0] * wxyz[0] + q[1] * wxyz[1] + q[2] * wxyz[2] + q[3] * wxyz[3] < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 4; ++k) {
        turn[f][k] = (float)(sign * q[(k + 1) % 4]);
    }
}

/* v + 2 w (u x v) + 2 u x (u x v), of the quaternion u, w as it is stored. */
static void turned(const float q[4], const float v[3], double out[3])
{
    const double u[3] = {q[0], q[1], q[2]};
    const double c[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        out[i] = (double)v[i] + 2.0 * ((double)q[3] * c[i] + u[j] * c[k] - u[k] * c[j]);
    }
}

void brn_gltf_displacement(const brn_gltf_body *body, const float base[3], const double pos[3], float out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = (float)(pos[i] - (double)body->origin[i] - (double)base[i]);
    }
}

/* How far each kind of motion would be from the trajectory, and the box of the displacements. */
static void measure(brn_gltf_body *body, const float (*base)[3], const int *node, int count,
                    const double *pos, int f)
{
    for (int v = 0; v < count; ++v) {
        const double *x = pos + 3 * (size_t)node[v];
        float move[3];
        double spun[3];
        brn_gltf_displacement(body, base[v], x, move);
        turned(body->turn[f], base[v], spun);
        for (int i = 0; i < 3; ++i) {
            const double shift = (double)body->place[f][i] - (double)body->origin[i];
            const double off[BRN_GLTF_MORPH] = {
                [BRN_GLTF_STILL] = (double)move[i],
                [BRN_GLTF_SHIFT] = (double)move[i] - shift,
                [BRN_GLTF_TURN] = x[i] - (double)body->place[f][i] - spun[i],
            };
            for (int kind = 0; kind < BRN_GLTF_MORPH; ++kind) {
                body->error[kind] = fmax(body->error[kind], fabs(off[kind]));
            }
            const float value = f == 0 ? base[v][i] : move[i];
            body->low[f][i] = v == 0 ? value : fminf(body->low[f][i], value);
            body->high[f][i] = v == 0 ? value : fmaxf(body->high[f][i], value);
            body->reach = fmax(body->reach, fabs(x[i]));
        }
    }
}

static void take_frame(brn_gltf_body *body, const float (*base)[3], const int *node, int count,
                       const double *pos, int f, bool flat)
{
    double mean[3];
    double base_mean[3] = {0};
    double r[9];
    double spun[3];
    mean_position(node, count, pos, mean);
    fit_turn(base, node, count, pos, mean, flat, r);
    store_turn(r, body->turn, f);
    /* The base's middle is the origin only up to rounding. */
    for (int v = 0; v < count; ++v) {
        for (int i = 0; i < 3; ++i) {
            base_mean[i] += (double)base[v][i] / count;
        }
    }
    for (int i = 0; i < 3; ++i) {
        spun[i] = r[3 * i] * base_mean[0] + r[3 * i + 1] * base_mean[1] + r[3 * i + 2] * base_mean[2];
        body->place[f][i] = (float)(mean[i] - spun[i]);
    }
    measure(body, base, node, count, pos, f);
}

static brn_status check_finite(brn_ctx *ctx, const brn_playback_info *info, int b, const int *node, int count,
                               const double *pos, int frame)
{
    for (int v = 0; v < count; ++v) {
        for (int i = 0; i < 3; ++i) {
            if (!(fabs(pos[3 * (size_t)node[v] + (size_t)i]) <= 1e30)) {
                return brn_fail(ctx, BRN_ERR_FORMAT,
                                "export: frame %d: node %d of body '%s' is not at a finite place", frame,
                                node[v], info->body_name[b]);
            }
        }
    }
    return BRN_OK;
}

/* ---- all frames ----------------------------------------------------------------------------------------------------- */

static brn_status take_bodies(brn_gltf_motion *motion, const brn_playback_info *info,
                              const brn_drawing *surface, const double *pos, int number)
{
    const int f = motion->nframe;
    for (int b = 0; b < surface->nbody; ++b) {
        const int first = surface->vertex_first[b];
        const int count = surface->vertex_first[b + 1] - first;
        const int *node = surface->node + first;
        BRN_TRY(check_finite(motion->ctx, info, b, node, count, pos, number));
        if (f == 0) {
            take_base(&motion->body[b], node, count, pos, motion->base + first);
        }
        take_frame(&motion->body[b], (const float(*)[3])motion->base + first, node, count, pos, f,
                   info->dim == 2);
    }
    return BRN_OK;
}

static brn_gltf_kind choose(const brn_gltf_body *body, int type)
{
    const double bend = type == BRN_BODY_RIGID ? rigid_slack * body->size : 0.0;
    for (int kind = 0; kind < BRN_GLTF_MORPH; ++kind) {
        const double slack = float_slack * (body->reach + body->size) + (kind == BRN_GLTF_TURN ? bend : 0.0);
        if (body->error[kind] <= slack) {
            return (brn_gltf_kind)kind;
        }
    }
    return BRN_GLTF_MORPH;
}

brn_status brn_gltf_motion_find(brn_gltf_motion *motion, brn_playback *playback, const brn_drawing *surface,
                                int every, brn_frame *frame)
{
    const brn_playback_info *info = brn_playback_get(playback);
    BRN_TRY(start(motion, surface, info->nframe));
    for (int f = 0; f < info->nframe; f += every < info->nframe ? every : info->nframe) {
        BRN_TRY(brn_playback_read(playback, f, frame));
        const float time = (float)frame->time;
        if (motion->nframe > 0 && !(time > motion->time[motion->nframe - 1])) {
            continue; /* glTF wants times that grow */
        }
        BRN_TRY(take_bodies(motion, info, surface, frame->pos, f));
        motion->frame[motion->nframe] = f;
        motion->time[motion->nframe++] = time;
    }
    for (int b = 0; b < surface->nbody; ++b) {
        motion->body[b].kind = choose(&motion->body[b], info->body_type[b]);
    }
    return BRN_OK;
}
