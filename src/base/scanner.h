/* A cursor over the bytes of a file: words, numbers, lines, binary items, and messages that name the place. */
#ifndef BRN_BASE_SCANNER_H
#define BRN_BASE_SCANNER_H

#include "base/ctx.h"

typedef struct brn_span {
    const char *at;
    size_t length;
} brn_span;

typedef struct brn_scan {
    brn_ctx *ctx;
    const char *name;  /* of the file, for messages */
    const char *start; /* first byte; line numbers count from here */
    const char *at;    /* next byte to read */
    const char *end;
    const char *mark; /* where the last item began: the place that messages name */
    bool binary;      /* messages name a byte instead of a line */
    bool swap;        /* binary items have the other byte order */
} brn_scan;

/* What a binary item is, and how many bytes it takes. */
typedef enum brn_item {
    BRN_ITEM_I8,
    BRN_ITEM_U8,
    BRN_ITEM_I16,
    BRN_ITEM_U16,
    BRN_ITEM_I32,
    BRN_ITEM_U32,
    BRN_ITEM_I64,
    BRN_ITEM_U64,
    BRN_ITEM_F32,
    BRN_ITEM_F64
} brn_item;

brn_scan brn_scan_open(brn_ctx *ctx, const char *bytes, size_t length, const char *name);
bool brn_machine_is_big_endian(void);

/* "part.msh:12: ..." or "part.msh: byte 345: ..." for the item that began at mark; returns BRN_ERR_FORMAT. */
brn_status brn_scan_fail(const brn_scan *scan, const char *format, ...) BRN_PRINTF(2, 3);
/* "expected WHAT, found 'abc'" (or the end of the file). */
brn_status brn_scan_unexpected(const brn_scan *scan, const char *what);

/* ---- text ------------------------------------------------------------------------------------------------------ */

/* Skips blanks and line ends; false at the end of the file. */
bool brn_scan_more(brn_scan *scan);
/* Skips blanks; true if more follows on the line (a '#' starts a comment if comments is set). */
bool brn_scan_more_here(brn_scan *scan, bool comments);
/* Next word (between blanks) of the file; empty at the end. */
brn_span brn_scan_word(brn_scan *scan);
/* The rest of this line without its end; moves to the next line. */
brn_span brn_scan_line(brn_scan *scan);
/* Moves to the next line. */
void brn_scan_skip_line(brn_scan *scan);
/* The next word must be this one (case ignored). */
brn_status brn_scan_expect(brn_scan *scan, const char *word);
/* `what` describes the number in messages: "the x coordinate". Reals are finite. */
brn_status brn_scan_int(brn_scan *scan, const char *what, int64_t lo, int64_t hi, int64_t *out);
brn_status brn_scan_real(brn_scan *scan, const char *what, double *out);

/* ---- binary ---------------------------------------------------------------------------------------------------- */

size_t brn_item_bytes(brn_item item);
/* True if count items of size bytes are left; overflow-safe. */
bool brn_scan_has(const brn_scan *scan, uint64_t count, size_t size);
brn_status brn_scan_item_int(brn_scan *scan, brn_item item, const char *what, int64_t *out);
brn_status brn_scan_item_real(brn_scan *scan, brn_item item, const char *what, double *out);

/* ---- spans ----------------------------------------------------------------------------------------------------- */

brn_span brn_span_trim(brn_span span);
bool brn_span_is(brn_span span, const char *word); /* case ignored */
bool brn_span_starts(brn_span span, const char *word);
/* Takes the span before the first `separator`, and the separator, off `rest`; the whole rest if there is none. */
brn_span brn_span_split(brn_span *rest, char separator);
bool brn_span_int(brn_span span, int64_t *out);
bool brn_span_real(brn_span span, double *out); /* also takes Fortran's 1.0D+3; false for nan and inf */
/* Length and bytes for a message's %.*s: at most 40 bytes. */
int brn_span_shown(brn_span span);
char *brn_span_dup(brn_ctx *ctx, brn_span span);

#endif
