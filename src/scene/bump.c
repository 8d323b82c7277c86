#include "scene/bump.h"

#include <stdint.h>
#include <string.h>

enum { ALIGN = 8, CHUNK_FIRST = 4000, CHUNK_LARGEST = 1 << 20 };

typedef struct brn_bump_chunk {
    struct brn_bump_chunk *before;
    size_t size, used;
    _Alignas(16) unsigned char bytes[];
} chunk;

/* Chunks double, so that a small scene stays small and a large one takes few of them. */
static chunk *chunk_add(brn_bump *bump, size_t bytes)
{
    size_t size = bump->last == NULL ? CHUNK_FIRST : 2 * bump->last->size;
    size = size > CHUNK_LARGEST ? CHUNK_LARGEST : size;
    size = size < bytes ? bytes : size;
    chunk *fresh = brn_realloc(bump->ctx, NULL, sizeof *fresh + size, 1);
    if (fresh != NULL) {
        fresh->before = bump->last;
        fresh->size = size;
        fresh->used = 0;
        bump->last = fresh;
    }
    return fresh;
}

void *brn_bump_take(brn_bump *bump, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX / 2) {
        return NULL;
    }
    bytes = bytes == 0 ? ALIGN : (bytes + ALIGN - 1) / ALIGN * ALIGN;
    chunk *c = bump->last;
    if (c == NULL || c->size - c->used < bytes) {
        c = chunk_add(bump, bytes);
        if (c == NULL) {
            return NULL;
        }
    }
    void *taken = c->bytes + c->used;
    c->used += bytes;
    return memset(taken, 0, bytes);
}

char *brn_bump_text(brn_bump *bump, const char *bytes, size_t n)
{
    char *copy = brn_bump_take(bump, n + 1, 1);
    if (copy != NULL && n > 0) {
        memcpy(copy, bytes, n);
    }
    return copy;
}

void brn_bump_clear(brn_bump *bump)
{
    while (bump->last != NULL) {
        chunk *before = bump->last->before;
        brn_free(bump->ctx, bump->last);
        bump->last = before;
    }
}
