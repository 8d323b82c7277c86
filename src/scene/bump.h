/* Memory that is taken piece by piece and freed all at once: the nodes and texts of a scene. Pieces are small (a word, a
   node), so they are packed to 8 bytes, unlike the scratch arenas of base/. */
#ifndef BRN_SCENE_BUMP_H
#define BRN_SCENE_BUMP_H

#include "base/ctx.h"

typedef struct brn_bump {
    brn_ctx *ctx;
    struct brn_bump_chunk *last;
} brn_bump;

/* Zeroed memory for count items, NULL when memory runs out. */
void *brn_bump_take(brn_bump *bump, size_t count, size_t size);
/* A copy of n bytes with a '\0' behind them. */
char *brn_bump_text(brn_bump *bump, const char *bytes, size_t n);
/* Frees everything; the bump can then be used again. */
void brn_bump_clear(brn_bump *bump);

#define BRN_BUMP(bump, ptr, count)                               \
 do {                                                            \
  (ptr) = brn_bump_take((bump), (size_t)(count), sizeof *(ptr)); \
  if ((ptr) == NULL) {                                           \
   return BRN_ERR_MEMORY;                                        \
  }                                                              \
 } while (0)

#endif
