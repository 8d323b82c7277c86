/* The context: allocator, log, last error, workers. Everything that would be a global elsewhere. */
#ifndef BRN_BASE_CTX_H
#define BRN_BASE_CTX_H

#include <brunt/brunt.h>
#include <stdarg.h>

#if defined(__GNUC__)
# define BRN_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
# define BRN_PRINTF(fmt, first)
#endif

typedef struct brn_arena brn_arena;
typedef struct brn_pool brn_pool;

/* Returns early on a negative status. Remarks (positive) are dropped: the report has them. */
#define BRN_TRY(expr)             \
 do {                             \
  const brn_status try_ = (expr); \
  if (try_ < 0) {                 \
   return try_;                   \
  }                               \
 } while (0)

/* Public calls: returns BRN_ERR_RANGE, with the name of what is missing, if it is NULL. ctx may be NULL: then without words. */
#define BRN_GIVEN(ctx, what)                                                          \
 do {                                                                                 \
  if ((what) == NULL) {                                                               \
   return brn_fail((ctx), BRN_ERR_RANGE, "%s: %s must not be NULL", __func__, #what); \
  }                                                                                   \
 } while (0)

/* Records the message of an error and returns its status, so that a failing line is `return brn_fail(...)`.
   Only on the thread that owns the ctx; a worker returns a bare status. */
brn_status brn_fail(brn_ctx *ctx, brn_status status, const char *format, ...) BRN_PRINTF(3, 4);
void brn_log(brn_ctx *ctx, brn_log_level level, const char *format, ...) BRN_PRINTF(3, 4);

/* BRN_ERR_CANCELLED, without a message, while brn_ctx_cancel is on. Any thread; what may take long asks often. */
brn_status brn_ctx_check(const brn_ctx *ctx);

/* Zeroed memory for count items (never NULL for count 0), or NULL with the ctx's message set. Any thread. */
void *brn_calloc(brn_ctx *ctx, size_t count, size_t size);
/* Grows or shrinks; new bytes are not zeroed. On failure returns NULL and leaves the old block as it was. */
void *brn_realloc(brn_ctx *ctx, void *block, size_t count, size_t size);
void brn_free(brn_ctx *ctx, void *block);
char *brn_strdup(brn_ctx *ctx, const char *text);

/* ptr = count zeroed items, or return BRN_ERR_MEMORY from the enclosing function. */
#define BRN_ALLOC(ctx, ptr, count)                           \
 do {                                                        \
  (ptr) = brn_calloc((ctx), (size_t)(count), sizeof *(ptr)); \
  if ((ptr) == NULL) {                                       \
   return BRN_ERR_MEMORY;                                    \
  }                                                          \
 } while (0)

/* Makes room for `need` items in a growing array (`cap` is its size_t or int capacity), doubling. */
#define BRN_GROW(ctx, ptr, cap, need)                             \
 do {                                                             \
  if ((size_t)(cap) < (size_t)(need)) {                           \
   size_t cap_ = (size_t)(cap) < 8 ? 16 : 2 * (size_t)(cap);      \
   if (cap_ < (size_t)(need)) {                                   \
    cap_ = (size_t)(need);                                        \
   }                                                              \
   void *grown_ = brn_realloc((ctx), (ptr), cap_, sizeof *(ptr)); \
   if (grown_ == NULL) {                                          \
    return BRN_ERR_MEMORY;                                        \
   }                                                              \
   (ptr) = grown_;                                                \
   (cap) = (__typeof__(cap))cap_;                                 \
  }                                                               \
 } while (0)

/* The arena of the calling (main) thread: mark, take, rewind. See base/arena.h. */
brn_arena *brn_ctx_arena(brn_ctx *ctx);
brn_pool *brn_ctx_pool(brn_ctx *ctx);

#endif
