/* Scratch memory of one worker: the caller marks and rewinds, a callee only takes, so an early return cannot leak.
   Chunks are kept on rewind; in the steady state nothing is allocated. */
#ifndef BRN_BASE_ARENA_H
#define BRN_BASE_ARENA_H

#include "base/ctx.h"

typedef struct brn_arena_mark {
    void *chunk;
    size_t used;
} brn_arena_mark;

brn_status brn_arena_create(brn_ctx *ctx, brn_arena **out);
void brn_arena_destroy(brn_arena *arena);
/* Memory for count items, 64-byte aligned, not zeroed; NULL when memory runs out. */
void *brn_arena_take(brn_arena *arena, size_t count, size_t size);
brn_arena_mark brn_arena_now(const brn_arena *arena);
void brn_arena_rewind(brn_arena *arena, brn_arena_mark mark);

#define BRN_TAKE(arena, ptr, count)                                \
 do {                                                              \
  (ptr) = brn_arena_take((arena), (size_t)(count), sizeof *(ptr)); \
  if ((ptr) == NULL) {                                             \
   return BRN_ERR_MEMORY;                                          \
  }                                                                \
 } while (0)

#endif
