#include "model/repeat.h"

#include "base/hash.h"
#include "base/rng.h"
#include "linalg/dense.h"
#include "model/placement.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

int brn_repeat_count(const brn_body_common *body)
{
    double product = 1.0; /* counts that are too large are a problem already, but may be asked for */
    for (int i = 0; i < body->repeat.count.count; ++i) {
        product *= body->repeat.count.v[i];
    }
    return product < INT_MAX ? (int)product : INT_MAX;
}

/* The numbers of a copy along each axis of the count, the first fastest. */
static void copy_index(const brn_repeat_def *repeat, int copy, int index[3])
{
    memset(index, 0, 3 * sizeof *index);
    for (int i = 0; i < repeat->count.count && i < 3; ++i) {
        index[i] = copy % repeat->count.v[i];
        copy /= repeat->count.v[i];
    }
}

int brn_repeat_find(const brn_body_common *body, const char *word)
{
    const brn_ints *count = &body->repeat.count;
    const size_t length = body->name != NULL ? strlen(body->name) : 0;
    if (count->count == 0 || length == 0 || strncmp(word, body->name, length) != 0) {
        return -1;
    }
    const char *at = word + length;
    uint64_t copy = 0; /* wraps for counts that are a problem already */
    uint64_t stride = 1;
    for (int i = 0; i < count->count; stride *= (uint64_t)count->v[i++]) {
        /* Digits without a sign or a leading 0: one word for a copy. */
        if (at[0] != '_' || at[1] < '0' || at[1] > '9' || (at[1] == '0' && at[2] >= '0' && at[2] <= '9')) {
            return -1;
        }
        char *end = NULL;
        const long index = strtol(at + 1, &end, 10);
        if (index >= count->v[i]) {
            return -1;
        }
        copy += (uint64_t)index * stride;
        at = end;
    }
    return *at == '\0' ? (int)(copy & INT_MAX) : -1;
}

void brn_repeat_name(const brn_body_common *body, int copy, char *name, size_t size)
{
    int index[3];
    copy_index(&body->repeat, copy, index);
    int used = snprintf(name, size, "%s", body->name);
    for (int i = 0; i < body->repeat.count.count && used >= 0 && (size_t)used < size; ++i) {
        used += snprintf(name + used, size - (size_t)used, "_%d", index[i]);
    }
}

/* A turn by an angle that is uniform in [-degrees, degrees] about an axis that is uniform on the sphere, in 2D about z. */
static void random_turn(brn_rng *rng, int dim, double degrees, double out[9])
{
    const double z = dim == 3 ? brn_rng_uniform(rng, -1.0, 1.0) : 1.0;
    const double about = dim == 3 ? brn_rng_uniform(rng, 0.0, 2.0 * PI) : 0.0;
    const double across = sqrt(fmax(0.0, 1.0 - z * z));
    const double axis[3] = {across * cos(about), across * sin(about), z};
    (void)brn_dense_rotation(axis, brn_rng_uniform(rng, -degrees, degrees) * PI / 180.0, out);
}

static void add_jitter(const brn_scene_def *scene, const brn_body_common *body, int copy,
                       brn_body_place *pose)
{
    const brn_jitter_def *jitter = &body->repeat.jitter;
    char name[BRN_REPEAT_NAME_MAX + 64];
    brn_repeat_name(body, copy, name, sizeof name);
    const int seed = scene->seed;
    brn_rng rng = {brn_hash_bytes(brn_hash_text(BRN_HASH_START, name), &seed, sizeof seed)};
    for (int i = 0; i < scene->dimension && jitter->position.count > 0; ++i) {
        const double most = jitter->position.v[jitter->position.count == 1 ? 0 : i];
        pose->position[i] += brn_rng_uniform(&rng, -most, most);
    }
    if (jitter->rotation > 0.0) {
        double turn[9];
        double product[9];
        random_turn(&rng, scene->dimension, jitter->rotation, turn);
        brn_dense_multiply3(turn, pose->rotation, product);
        memcpy(pose->rotation, product, sizeof product);
    }
}

void brn_repeat_pose(brn_scene *scene, const brn_body_common *body, int copy, brn_body_place *out)
{
    const brn_scene_def *def = brn_scene_get_def(scene);
    const brn_repeat_def *repeat = &body->repeat;
    brn_placement_rotation(scene, &body->rotation, def->dimension, out->rotation);
    memcpy(out->position, body->position, sizeof out->position);
    if (repeat->count.count == 0) {
        return;
    }
    int index[3];
    copy_index(repeat, copy, index);
    const bool line = repeat->count.count == 1;
    const bool shifted = index[repeat->count.count - 1] % 2 == 1;
    for (int i = 0; i < def->dimension; ++i) {
        out->position[i] += index[line ? 0 : i] * repeat->spacing[i];
        out->position[i] += shifted ? repeat->stagger[i] : 0.0;
    }
    add_jitter(def, body, copy, out);
}
