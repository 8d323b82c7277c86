/* Forces that a step starts with. Where hundreds of points bear, those of the step before are nearer to the answer than none: the free step
   with them hardly leaves the contact, so that few points beside those that bear come into question, and Newton's method of the contact problem
   starts among them. Smaller problems cost so little that they start from nothing. The forces are part of the state, as a step depends on its
   state alone. */
#include "step/bbi/bbi.h"

#include <string.h>

static const char FORCES[] = "bbi.forces";
/* Of a point: what it is, and its force in the world. */
enum { KIND, BODY, OTHER = BODY + 1, NODE, EDGE, FORCE, NUMBERS = FORCE + 3 };

/* A point of convex bodies has no name of its own. */
static bool has_name(const brn_touching_point *touch)
{
    return touch->kind != BRN_TOUCHING_CONVEX;
}

static bool is_named(const brn_touching_point *touch, const double *name)
{
    return touch->kind == (int)name[KIND] && touch->body[0] == (int)name[BODY] &&
           touch->body[1] == (int)name[OTHER] && touch->node[0] == (int)name[NODE] &&
           (touch->kind != BRN_TOUCHING_EDGES || touch->node[2] == (int)name[EDGE]);
}

static bool bears(const brn_bbi_point *p)
{
    return p->force[0] > 0.0 && has_name(&p->touch);
}

void brn_bbi_warm_forget(brn_state *out)
{
    brn_state_forget(out, FORCES);
}

brn_status brn_bbi_warm_remember(const brn_bbi *bbi, brn_state *out)
{
    int count = 0;
    double *memory = NULL;
    for (int i = 0; i < bbi->npoint; ++i) {
        count += bears(&bbi->point[i]);
    }
    if (count < BRN_BBI_LARGE || !bbi->newton->scheme->inertia) {
        brn_bbi_warm_forget(out);
        return BRN_OK;
    }
    BRN_TRY(brn_state_remember(out, FORCES, (size_t)count * NUMBERS, &memory));
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        if (bears(p)) {
            memory[KIND] = p->touch.kind;
            memory[BODY] = p->touch.body[0];
            memory[OTHER] = p->touch.body[1];
            memory[NODE] = p->touch.node[0];
            memory[EDGE] = p->touch.kind == BRN_TOUCHING_EDGES ? p->touch.node[2] : -1;
            brn_bbi_to_world(bbi, p, p->force, &memory[FORCE]);
            memory += NUMBERS;
        }
    }
    return BRN_OK;
}

/* The force of the point of that name; NULL: it had none. Points come in the same order in every search, apart from some. */
static const double *find_force(const brn_memory *memory, size_t *near, const brn_touching_point *touch)
{
    const size_t count = memory->count / NUMBERS;
    for (size_t k = 0; k < count; ++k) {
        const size_t at = (*near + k) % count;
        const double *name = &memory->value[at * NUMBERS];
        if (is_named(touch, name)) {
            *near = at + 1;
            return &name[FORCE];
        }
    }
    return NULL;
}

void brn_bbi_warm_start(brn_bbi *bbi, const brn_state *in)
{
    const int dim = bbi->model->dim;
    const brn_memory *memory = brn_state_recall(in, FORCES);
    size_t near = 0;
    if (memory == NULL || memory->count < NUMBERS || !bbi->newton->scheme->inertia) {
        return;
    }
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        const double *world = has_name(&p->touch) ? find_force(memory, &near, &p->touch) : NULL;
        double force[3] = {0};
        for (int k = 0; k < dim && world != NULL; ++k) {
            const double *axis = &p->touch.frame[dim * (k == 0 ? dim - 1 : k - 1)];
            for (int d = 0; d < dim; ++d) {
                force[k] += axis[d] * world[d];
            }
        }
        if (force[0] > 0.0) {
            memcpy(p->force, force, sizeof force);
        }
    }
}
