#include "state/state.h"

#include "base/hash.h"

#include <string.h>

brn_status brn_state_create(brn_ctx *ctx, const brn_state_sizes *sizes, brn_state **out)
{
    *out = NULL;
    if (sizes->nnode < 0 || sizes->nrigid < 0 || sizes->njoint < 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "state: %d nodes, %d rigid bodies, %d joints: must be >= 0",
                        sizes->nnode, sizes->nrigid, sizes->njoint);
    }
    brn_state *state = NULL;
    BRN_ALLOC(ctx, state, 1);
    state->ctx = ctx;
    state->sizes = *sizes;
    bool complete = true;
#define MAKE(name, count, width, what)                                               \
 state->name = brn_calloc(ctx, (size_t)sizes->count * (width), sizeof *state->name); \
 complete = complete && state->name != NULL;
    BRN_STATE_ARRAYS(MAKE)
#undef MAKE
    if (!complete) {
        brn_state_destroy(state);
        return BRN_ERR_MEMORY;
    }
    *out = state;
    return BRN_OK;
}

void brn_state_destroy(brn_state *state)
{
    if (state == NULL) {
        return;
    }
#define FREE(name, count, width, what) brn_free(state->ctx, state->name);
    BRN_STATE_ARRAYS(FREE)
#undef FREE
    for (int i = 0; i < state->memory_capacity; ++i) {
        brn_free(state->ctx, state->memory[i].value);
    }
    brn_free(state->ctx, state->memory);
    brn_free(state->ctx, state);
}

/* Slots beyond nmemory keep their buffers for reuse, so all up to the capacity must be well-formed. */
static brn_status reserve_slots(brn_state *state, int count)
{
    const int old = state->memory_capacity;
    BRN_GROW(state->ctx, state->memory, state->memory_capacity, count);
    if (state->memory_capacity > old) {
        memset(state->memory + old, 0, (size_t)(state->memory_capacity - old) * sizeof *state->memory);
    }
    return BRN_OK;
}

/* At least one entry, so that the array of a memory of length 0 is not NULL. */
static brn_status reserve_values(brn_ctx *ctx, brn_memory *memory, size_t count)
{
    BRN_GROW(ctx, memory->value, memory->capacity, count > 0 ? count : 1);
    return BRN_OK;
}

brn_status brn_state_copy(const brn_state *from, brn_state *to)
{
    if (from == to) {
        return BRN_OK;
    }
    if (memcmp(&from->sizes, &to->sizes, sizeof from->sizes) != 0) {
        return brn_fail(to->ctx, BRN_ERR_RANGE, "state: copy between states of different sizes");
    }
    to->step = from->step;
    memcpy(to->ledger, from->ledger, sizeof to->ledger);
    to->story = from->story;
#define COPY(name, count, width, what) \
 memcpy(to->name, from->name, (size_t)to->sizes.count *(width) * sizeof *to->name);
    BRN_STATE_ARRAYS(COPY)
#undef COPY
    BRN_TRY(reserve_slots(to, from->nmemory));
    to->nmemory = 0;
    for (int i = 0; i < from->nmemory; ++i) {
        const brn_memory *source = &from->memory[i];
        brn_memory *target = &to->memory[i];
        BRN_TRY(reserve_values(to->ctx, target, source->count));
        memcpy(target->name, source->name, sizeof target->name);
        memcpy(target->value, source->value, source->count * sizeof *target->value);
        target->count = source->count;
        to->nmemory = i + 1;
    }
    return BRN_OK;
}

uint64_t brn_state_hash(const brn_state *state)
{
    uint64_t hash = brn_hash_bytes(BRN_HASH_START, &state->step, sizeof state->step);
    hash = brn_hash_bytes(hash, state->ledger, sizeof state->ledger);
    static const brn_story none = {0};
    if (memcmp(&state->story, &none, sizeof none) != 0) {
        hash = brn_hash_bytes(hash, &state->story, sizeof state->story);
    }
#define HASH(name, count, width, what) \
 hash = brn_hash_bytes(hash, state->name, (size_t)state->sizes.count * (width) * sizeof *state->name);
    BRN_STATE_ARRAYS(HASH)
#undef HASH
    for (int i = 0; i < state->nmemory; ++i) {
        const brn_memory *memory = &state->memory[i];
        hash = brn_hash_text(hash, memory->name);
        hash = brn_hash_bytes(hash, memory->value, memory->count * sizeof *memory->value);
    }
    return hash;
}

static brn_memory *find_memory(const brn_state *state, const char *name)
{
    for (int i = 0; i < state->nmemory; ++i) {
        if (strcmp(state->memory[i].name, name) == 0) {
            return &state->memory[i];
        }
    }
    return NULL;
}

/* Moves the last memory to where its name belongs. */
static void sort_last(brn_state *state)
{
    brn_memory *at = &state->memory[state->nmemory - 1];
    const brn_memory last = *at;
    for (; at > state->memory && strcmp(at[-1].name, last.name) > 0; --at) {
        *at = at[-1];
    }
    *at = last;
}

brn_status brn_state_remember(brn_state *state, const char *name, size_t count, double **out)
{
    const size_t length = strlen(name);
    if (length == 0 || length >= sizeof state->memory->name) {
        return brn_fail(state->ctx, BRN_ERR_RANGE,
                        "state: '%s' is not a valid name of a memory (1 to %zu characters)", name,
                        sizeof state->memory->name - 1);
    }
    brn_memory *memory = find_memory(state, name);
    const bool fresh = memory == NULL;
    if (fresh) {
        BRN_TRY(reserve_slots(state, state->nmemory + 1));
        memory = &state->memory[state->nmemory];
        memory->count = 0;
    }
    BRN_TRY(reserve_values(state->ctx, memory, count));
    if (count > memory->count) {
        memset(memory->value + memory->count, 0, (count - memory->count) * sizeof *memory->value);
    }
    memory->count = count;
    *out = memory->value;
    if (fresh) {
        memset(memory->name, 0, sizeof memory->name);
        memcpy(memory->name, name, length);
        state->nmemory++;
        sort_last(state);
    }
    return BRN_OK;
}

const brn_memory *brn_state_recall(const brn_state *state, const char *name)
{
    return find_memory(state, name);
}

void brn_state_forget(brn_state *state, const char *name)
{
    brn_memory *memory = find_memory(state, name);
    if (memory == NULL) {
        return;
    }
    const brn_memory gone = *memory; /* its buffer moves to the freed slot */
    const brn_memory *end = state->memory + --state->nmemory;
    for (; memory < end; ++memory) {
        *memory = memory[1];
    }
    *memory = gone;
}

void brn_state_forget_all(brn_state *state)
{
    state->nmemory = 0;
}
