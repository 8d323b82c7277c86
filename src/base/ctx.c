#include "base/ctx.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "base/text.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct brn_ctx {
    brn_ctx_options options;
    brn_pool *pool;
    atomic_bool cancelled;
    atomic_bool starved; /* an allocation failed after the last message; set by any worker */
    char message[2048];
};

static void *libc_realloc(void *user, void *block, size_t size)
{
    (void)user;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

const char *brn_status_name(brn_status status)
{
    switch (status) {
    case BRN_OK:
        return "done";
    case BRN_ERR_MEMORY:
        return "out of memory";
    case BRN_ERR_RANGE:
        return "value out of range";
    case BRN_ERR_SCENE:
        return "bad scene";
    case BRN_ERR_FILE:
        return "file error";
    case BRN_ERR_FORMAT:
        return "bad file content";
    case BRN_ERR_MESH:
        return "invalid mesh";
    case BRN_ERR_SINGULAR:
        return "singular matrix";
    case BRN_ERR_NOT_FINITE:
        return "not a finite number";
    case BRN_ERR_CONVERGENCE:
        return "no convergence";
    case BRN_ERR_MISSING:
        return "not available";
    case BRN_ERR_LIMIT:
        return "limit exceeded";
    case BRN_ERR_CANCELLED:
        return "cancelled";
    case BRN_ERR_BUSY:
        return "folder in use";
    case BRN_ERR_FULL:
        return "no room left";
    case BRN_REMARK_STOPPED:
        return "stopped";
    }
    return "unknown status";
}

brn_ctx_options brn_ctx_options_default(void)
{
    return (brn_ctx_options){.threads = 0};
}

brn_status brn_ctx_create(const brn_ctx_options *options, brn_ctx **out)
{
    BRN_GIVEN(NULL, out);
    brn_ctx_options chosen = options != NULL ? *options : brn_ctx_options_default();
    if (chosen.realloc == NULL) {
        chosen.realloc = libc_realloc;
    }
    *out = NULL;
    brn_ctx *ctx = chosen.realloc(chosen.realloc_user, NULL, sizeof *ctx);
    if (ctx == NULL) {
        return BRN_ERR_MEMORY;
    }
    memset(ctx, 0, sizeof *ctx);
    ctx->options = chosen;
    const brn_status status = brn_pool_create(ctx, chosen.threads, &ctx->pool);
    if (status < 0) {
        brn_ctx_destroy(ctx);
        return status;
    }
    *out = ctx;
    return BRN_OK;
}

void brn_ctx_destroy(brn_ctx *ctx)
{
    if (ctx == NULL) {
        return;
    }
    brn_pool_destroy(ctx, ctx->pool);
    ctx->options.realloc(ctx->options.realloc_user, ctx, 0);
}

const char *brn_ctx_message(const brn_ctx *ctx)
{
    if (ctx == NULL) {
        return "";
    }
    return atomic_load(&ctx->starved) ? "out of memory" : ctx->message;
}

void brn_ctx_cancel(brn_ctx *ctx, bool on)
{
    if (ctx != NULL) {
        atomic_store(&ctx->cancelled, on);
    }
}

brn_status brn_ctx_check(const brn_ctx *ctx)
{
    return atomic_load_explicit(&ctx->cancelled, memory_order_relaxed) ? BRN_ERR_CANCELLED : BRN_OK;
}

int brn_ctx_threads(const brn_ctx *ctx)
{
    if (ctx == NULL) {
        return 0;
    }
    return brn_pool_workers(ctx->pool);
}

brn_pool *brn_ctx_pool(brn_ctx *ctx)
{
    return ctx->pool;
}

brn_arena *brn_ctx_arena(brn_ctx *ctx)
{
    return brn_pool_arena(ctx->pool, 0);
}

void brn_ctx_free(brn_ctx *ctx, void *text)
{
    if (ctx == NULL) {
        return;
    }
    brn_free(ctx, text);
}

brn_status brn_fail(brn_ctx *ctx, brn_status status, const char *format, ...)
{
    if (ctx == NULL) { /* of a public call without one */
        return status;
    }
    /* Formatted aside first, because an argument may be the old message itself. */
    char text[sizeof ctx->message];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    brn_text_make_plain(text);
    memcpy(ctx->message, text, sizeof text);
    atomic_store(&ctx->starved, false);
    return status;
}

void brn_log(brn_ctx *ctx, brn_log_level level, const char *format, ...)
{
    if (ctx->options.log == NULL) {
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    brn_text_make_plain(text);
    ctx->options.log(ctx->options.log_user, level, text);
}

void *brn_realloc(brn_ctx *ctx, void *block, size_t count, size_t size)
{
    size_t bytes = 0;
    void *grown = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes <= PTRDIFF_MAX) {
        grown = ctx->options.realloc(ctx->options.realloc_user, block, bytes > 0 ? bytes : 1);
    }
    if (grown == NULL) {
        atomic_store(&ctx->starved, true);
    }
    return grown;
}

void *brn_calloc(brn_ctx *ctx, size_t count, size_t size)
{
    void *block = brn_realloc(ctx, NULL, count, size);
    if (block != NULL) {
        memset(block, 0, count * size > 0 ? count * size : 1);
    }
    return block;
}

void brn_free(brn_ctx *ctx, void *block)
{
    if (block != NULL) {
        ctx->options.realloc(ctx->options.realloc_user, block, 0);
    }
}

char *brn_strdup(brn_ctx *ctx, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = brn_realloc(ctx, NULL, size, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}
