/* Energy that a group of bodies gains in a step without work that explains it. The ledger sees the energy of the scene (step/ledger.h): beside a block that
   lands, a sheet may gain many times what it has, untold. So where several groups move, each has its own account: what it has lost by contact, damping
   and the rule pays for what contact gives back, but for no more than a share of its largest energy in a step; what is more is gained. A group that has
   gained more than the ledger would let pass takes the end of a step by (turning) implicit Euler, as a body that comes to rest does, and no other does. */
#include "step/bbi/bbi.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const char MEMORY[] = "bbi.guard";

/* As the ledger's and bbi_books.c: of the largest energy, what is gained in all and in a step, and what may be given back in a step. */
static const double GAIN_TOTAL = 1e-2, GAIN_STEP = 1e-5, GIVEN_BACK = 0.05;
/* Of its size: what a body's weight does along less is no energy to speak of. */
static const double LITTLE = 1e-4;

/* Of a cluster. */
typedef struct account {
    double scale;  /* [J] its largest energy so far */
    double lost;   /* [J] so far, less what was given back */
    double gained; /* [J] */
} account;

enum { WIDTH = sizeof(account) / sizeof(double) };

/* Of clusters, or of groups. */
typedef struct energies {
    double *kinetic, *elastic; /* [J] */
} energies;

/* Whether several groups move. */
static bool is_wanted(const brn_bbi *bbi)
{
    int first = -1;
    bool several = false;
    for (int b = 0; b < bbi->model->nbody; ++b) {
        if (bbi->movable[b] && !brn_bbi_flies(bbi, b)) {
            several = several || (first >= 0 && bbi->group[b] != first);
            first = bbi->group[b];
        }
    }
    return several;
}

brn_status brn_bbi_guard_begin(brn_bbi *bbi)
{
    const int kind = bbi->newton->scheme->kind;
    bbi->guards = (kind == BRN_NEWMARK || kind == BRN_MIDPOINT) && is_wanted(bbi);
    if (!bbi->guards) {
        return BRN_OK;
    }
    memset(bbi->worked, 0, (size_t)bbi->model->nbody * sizeof *bbi->worked);
    return brn_bbi_groups_work(bbi, true, bbi->worked);
}

static brn_status measure(const brn_bbi *bbi, const brn_state *state, energies *of)
{
    const brn_model *model = bbi->model;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    double *v = NULL;
    double *mass = NULL;
    BRN_TAKE(arena, of->kinetic, model->nbody);
    BRN_TAKE(arena, of->elastic, model->nbody);
    BRN_TAKE(arena, v, bbi->system->ndof);
    BRN_TAKE(arena, mass, bbi->system->ndof);
    memset(of->kinetic, 0, (size_t)model->nbody * sizeof(double));
    memset(of->elastic, 0, (size_t)model->nbody * sizeof(double));
    brn_system_pack(bbi->system, state->node_vel, v);
    BRN_TRY(brn_system_mass_apply(bbi->system, v, mass));
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        of->kinetic[bbi->row_cluster[dof / model->dim]] += 0.5 * v[dof] * mass[dof];
    }
    return brn_system_elastic_parts(bbi->system, state->node_pos, bbi->row_cluster, of->elastic);
}

/* [J] of a body's weight along a little of its size. */
static double resting_energy(const brn_bbi *bbi, int b)
{
    const brn_body *body = &bbi->model->body[b];
    const double size = bbi->model->dim == 3 ? cbrt(body->volume) : sqrt(body->volume);
    return body->type == BRN_BODY_STATIC
               ? 0.0
               : LITTLE * brn_dense_length3(bbi->system->controls->gravity) * body->mass * size;
}

static brn_status open_accounts(brn_bbi *bbi, const brn_state *in, brn_state *out, account **accounts)
{
    const int nbody = bbi->model->nbody;
    const brn_memory *memory = brn_state_recall(in, MEMORY);
    double *value = NULL;
    BRN_TRY(brn_state_remember(out, MEMORY, (size_t)nbody * WIDTH, &value));
    *accounts = (account *)(void *)value;
    if (memory != NULL) {
        memcpy(value, memory->value, memory->count * sizeof *value);
        return BRN_OK;
    }
    memset(value, 0, (size_t)nbody * WIDTH * sizeof *value);
    for (int b = 0; b < nbody; ++b) {
        (*accounts)[bbi->cluster[b]].scale += resting_energy(bbi, b);
    }
    return BRN_OK;
}

/* What a group has gained in the step, into the accounts of its clusters, in proportion to their energies. Returns whether it is too much: then nothing is. */
static bool settle(const brn_bbi *bbi, int group, double gain, account *of)
{
    account all = {0};
    for (int b = 0; b < bbi->model->nbody; ++b) {
        if (bbi->cluster[b] == b && bbi->group[b] == group) {
            all.scale += of[b].scale;
            all.lost += of[b].lost;
            all.gained += of[b].gained;
        }
    }
    const double back = fmin(gain, fmin(all.lost, GIVEN_BACK * all.scale)); /* < 0: it is lost */
    const double rest = gain - back;
    if (all.gained + rest > GAIN_TOTAL * all.scale && rest > GAIN_STEP * all.scale) {
        return true;
    }
    for (int b = 0; b < bbi->model->nbody; ++b) {
        if (bbi->cluster[b] == b && bbi->group[b] == group && all.scale > 0.0) {
            of[b].lost = (all.lost - back) * of[b].scale / all.scale;
            of[b].gained = (all.gained + rest) * of[b].scale / all.scale;
        }
    }
    return false;
}

static brn_status judge(brn_bbi *bbi, const brn_state *in, brn_state *out, bool *any)
{
    const int nbody = bbi->model->nbody;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    account *of = NULL;
    double *gain = NULL; /* of groups */
    bool *flies = NULL;
    energies before;
    energies after;
    BRN_TAKE(arena, gain, nbody);
    BRN_TAKE(arena, flies, nbody);
    BRN_TRY(measure(bbi, in, &before));
    BRN_TRY(measure(bbi, out, &after));
    BRN_TRY(open_accounts(bbi, in, out, &of));
    for (int g = 0; g < nbody; ++g) {
        gain[g] = -bbi->worked[g];
        flies[g] = false;
    }
    for (int b = 0; b < nbody; ++b) {
        const double most =
            fmax(fmax(before.kinetic[b], after.kinetic[b]), fmax(before.elastic[b], after.elastic[b]));
        of[b].scale = fmax(of[b].scale, most);
        gain[bbi->group[b]] += after.kinetic[b] + after.elastic[b] - before.kinetic[b] - before.elastic[b];
        flies[bbi->group[b]] = flies[bbi->group[b]] || brn_bbi_flies(bbi, b);
    }
    for (int g = 0; g < bbi->ngroup; ++g) {
        const bool gains = !flies[g] && settle(bbi, g, gain[g], of);
        for (int b = 0; b < nbody && gains; ++b) {
            bbi->apart[b] = bbi->apart[b] || (bbi->group[b] == g && bbi->movable[b]);
        }
        *any = *any || gains;
    }
    return BRN_OK;
}

/* What could touch a body that goes elsewhere goes with it: the two ends of a step know nothing of each other. */
static void take_along(brn_bbi *bbi)
{
    bool more = true;
    while (more) {
        more = false;
        for (int i = 0; i < bbi->npoint; ++i) {
            const int *body = bbi->point[i].touch.body;
            const bool parts =
                bbi->movable[body[0]] && bbi->movable[body[1]] && bbi->apart[body[0]] != bbi->apart[body[1]];
            const int left = bbi->apart[body[0]] ? body[1] : body[0];
            for (int b = 0; b < bbi->model->nbody && parts; ++b) {
                bbi->apart[b] = bbi->apart[b] || (bbi->group[b] == bbi->group[left] && bbi->movable[b]);
            }
            more = more || parts;
        }
    }
}

brn_status brn_bbi_guard_end(brn_bbi *bbi, const brn_state *in, brn_state *out, bool *any)
{
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    if (!*any) {
        memset(bbi->apart, 0, (size_t)bbi->model->nbody * sizeof *bbi->apart);
    }
    if (!bbi->guards) {
        return BRN_OK;
    }
    bool gains = false;
    const brn_status status = judge(bbi, in, out, &gains);
    if (gains) {
        take_along(bbi);
    }
    *any = *any || gains;
    brn_arena_rewind(arena, mark);
    return status;
}

brn_status brn_bbi_guard_carry(const brn_state *in, brn_state *out)
{
    const brn_memory *memory = brn_state_recall(in, MEMORY);
    double *value = NULL;
    if (memory == NULL) {
        brn_state_forget(out, MEMORY);
        return BRN_OK;
    }
    BRN_TRY(brn_state_remember(out, MEMORY, memory->count, &value));
    memcpy(value, memory->value, memory->count * sizeof *value);
    return BRN_OK;
}
