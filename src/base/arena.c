#include "base/arena.h"

#include <stdint.h>

enum { CHUNK_BYTES = 1 << 20, ALIGN = 64 };

typedef struct chunk {
    struct chunk *next;
    size_t size; /* usable bytes from base */
    size_t used;
    unsigned char *base; /* aligned start inside this block */
} chunk;

struct brn_arena {
    brn_ctx *ctx;
    chunk *first, *last; /* last: the chunk in use; those after it are empty and kept */
};

brn_status brn_arena_create(brn_ctx *ctx, brn_arena **out)
{
    brn_arena *arena = NULL;
    BRN_ALLOC(ctx, arena, 1);
    arena->ctx = ctx;
    *out = arena;
    return BRN_OK;
}

void brn_arena_destroy(brn_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    for (chunk *c = arena->first; c != NULL;) {
        chunk *next = c->next;
        brn_free(arena->ctx, c);
        c = next;
    }
    brn_free(arena->ctx, arena);
}

static chunk *chunk_create(brn_ctx *ctx, size_t bytes)
{
    const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    chunk *c = brn_realloc(ctx, NULL, sizeof *c + size + ALIGN, 1);
    if (c == NULL) {
        return NULL;
    }
    const uintptr_t start = (uintptr_t)(c + 1);
    c->base = (unsigned char *)((start + ALIGN - 1) / ALIGN * ALIGN);
    c->size = size;
    c->used = 0;
    c->next = NULL;
    return c;
}

void *brn_arena_take(brn_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - 2 * ALIGN) {
        return NULL;
    }
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    chunk *c = arena->last;
    /* Walk to a kept chunk that is large enough; smaller ones on the way are skipped, not lost. */
    while (c != NULL && c->size - c->used < bytes && c->next != NULL) {
        c = c->next;
        c->used = 0;
    }
    if (c == NULL || c->size - c->used < bytes) {
        chunk *fresh = chunk_create(arena->ctx, bytes);
        if (fresh == NULL) {
            return NULL;
        }
        if (c == NULL) {
            arena->first = fresh;
        } else {
            c->next = fresh;
        }
        c = fresh;
    }
    arena->last = c;
    void *taken = c->base + c->used;
    c->used += bytes;
    return taken;
}

brn_arena_mark brn_arena_now(const brn_arena *arena)
{
    return (brn_arena_mark){arena->last, arena->last != NULL ? arena->last->used : 0};
}

void brn_arena_rewind(brn_arena *arena, brn_arena_mark mark)
{
    chunk *c = mark.chunk != NULL ? mark.chunk : arena->first;
    if (c == NULL) {
        return;
    }
    c->used = mark.used;
    arena->last = c;
}
