#include "base/scanner.h"

#include "base/fives.h"
#include "base/text.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

brn_scan brn_scan_open(brn_ctx *ctx, const char *bytes, size_t length, const char *name)
{
    return (brn_scan){
        .ctx = ctx, .name = name, .start = bytes, .at = bytes, .end = bytes + length, .mark = bytes};
}

bool brn_machine_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

brn_status brn_scan_fail(const brn_scan *scan, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (scan->binary) {
        return brn_fail(scan->ctx, BRN_ERR_FORMAT, "%s: byte %zu: %s", scan->name,
                        (size_t)(scan->mark - scan->start), text);
    }
    /* Lines are counted only here: reading pays nothing for them. */
    size_t line = 1;
    for (const char *c = scan->start; c < scan->mark; ++line) {
        const char *newline = memchr(c, '\n', (size_t)(scan->mark - c));
        if (newline == NULL) {
            break;
        }
        c = newline + 1;
    }
    return brn_fail(scan->ctx, BRN_ERR_FORMAT, "%s:%zu: %s", scan->name, line, text);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool brn_scan_more(brn_scan *scan)
{
    while (scan->at < scan->end && (is_blank(*scan->at) || *scan->at == '\n')) {
        ++scan->at;
    }
    return scan->at < scan->end;
}

bool brn_scan_more_here(brn_scan *scan, bool comments)
{
    while (scan->at < scan->end && is_blank(*scan->at)) {
        ++scan->at;
    }
    return scan->at < scan->end && *scan->at != '\n' && !(comments && *scan->at == '#');
}

brn_span brn_scan_word(brn_scan *scan)
{
    (void)brn_scan_more(scan);
    scan->mark = scan->at;
    while (scan->at < scan->end && !is_blank(*scan->at) && *scan->at != '\n') {
        ++scan->at;
    }
    return (brn_span){scan->mark, (size_t)(scan->at - scan->mark)};
}

brn_span brn_scan_line(brn_scan *scan)
{
    scan->mark = scan->at;
    const size_t left = (size_t)(scan->end - scan->at);
    const char *newline = left > 0 ? memchr(scan->at, '\n', left) : NULL;
    size_t length = newline != NULL ? (size_t)(newline - scan->at) : left;
    scan->at = newline != NULL ? newline + 1 : scan->end;
    if (length > 0 && scan->mark[length - 1] == '\r') {
        --length;
    }
    return (brn_span){scan->mark, length};
}

void brn_scan_skip_line(brn_scan *scan)
{
    const char *mark = scan->mark;
    (void)brn_scan_line(scan);
    scan->mark = mark;
}

brn_status brn_scan_unexpected(const brn_scan *scan, const char *what)
{
    brn_scan copy = *scan;
    copy.at = scan->mark;
    const brn_span word = brn_scan_word(&copy);
    if (word.length == 0) {
        return brn_scan_fail(&copy, "expected %s, found the end of the file", what);
    }
    return brn_scan_fail(&copy, "expected %s, found '%.*s'", what, brn_span_shown(word), word.at);
}

brn_status brn_scan_expect(brn_scan *scan, const char *word)
{
    return brn_span_is(brn_scan_word(scan), word) ? BRN_OK : brn_scan_unexpected(scan, word);
}

brn_status brn_scan_int(brn_scan *scan, const char *what, int64_t lo, int64_t hi, int64_t *out)
{
    const brn_span word = brn_scan_word(scan);
    if (!brn_span_int(word, out)) {
        char text[160];
        (void)snprintf(text, sizeof text, "%s (a whole number)", what);
        return brn_scan_unexpected(scan, text);
    }
    if (*out < lo || *out > hi) {
        return brn_scan_fail(scan, "%s is %lld: must be between %lld and %lld", what, (long long)*out,
                             (long long)lo, (long long)hi);
    }
    return BRN_OK;
}

brn_status brn_scan_real(brn_scan *scan, const char *what, double *out)
{
    const brn_span word = brn_scan_word(scan);
    if (!brn_span_real(word, out)) {
        char text[160];
        (void)snprintf(text, sizeof text, "%s (a finite number)", what);
        return brn_scan_unexpected(scan, text);
    }
    return BRN_OK;
}

/* ---- binary ---------------------------------------------------------------------------------------------------- */

size_t brn_item_bytes(brn_item item)
{
    static const unsigned char bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return bytes[item];
}

bool brn_scan_has(const brn_scan *scan, uint64_t count, size_t size)
{
    return count <= (uint64_t)(scan->end - scan->at) / size;
}

/* The bits of the next item, zero-extended. */
static brn_status take_bits(brn_scan *scan, brn_item item, const char *what, uint64_t *bits)
{
    const size_t n = brn_item_bytes(item);
    scan->mark = scan->at;
    if (!brn_scan_has(scan, 1, n)) {
        return brn_scan_fail(scan, "expected %s, found the end of the file", what);
    }
    unsigned char raw[8];
    memcpy(raw, scan->at, n);
    scan->at += n;
    const bool big = brn_machine_is_big_endian() != scan->swap;
    *bits = 0;
    for (size_t i = 0; i < n; ++i) {
        *bits = *bits << 8 | raw[big ? i : n - 1 - i];
    }
    return BRN_OK;
}

static double real_of_bits(brn_item item, uint64_t bits)
{
    if (item == BRN_ITEM_F64) {
        double value;
        memcpy(&value, &bits, 8);
        return value;
    }
    const uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, 4);
    return (double)value;
}

brn_status brn_scan_item_int(brn_scan *scan, brn_item item, const char *what, int64_t *out)
{
    uint64_t bits = 0;
    BRN_TRY(take_bits(scan, item, what, &bits));
    switch (item) {
    case BRN_ITEM_I8:
        *out = (int8_t)bits;
        break;
    case BRN_ITEM_I16:
        *out = (int16_t)bits;
        break;
    case BRN_ITEM_I32:
        *out = (int32_t)bits;
        break;
    case BRN_ITEM_F32:
    case BRN_ITEM_F64:
        return brn_scan_fail(scan, "expected %s as a whole number, found a floating-point type", what);
    default:
        if (item == BRN_ITEM_U64 && bits > INT64_MAX) {
            return brn_scan_fail(scan, "%s is %llu: too large", what, (unsigned long long)bits);
        }
        *out = (int64_t)bits;
        break;
    }
    return BRN_OK;
}

brn_status brn_scan_item_real(brn_scan *scan, brn_item item, const char *what, double *out)
{
    if (item != BRN_ITEM_F32 && item != BRN_ITEM_F64) {
        int64_t whole = 0;
        BRN_TRY(brn_scan_item_int(scan, item, what, &whole));
        *out = (double)whole;
        return BRN_OK;
    }
    uint64_t bits = 0;
    BRN_TRY(take_bits(scan, item, what, &bits));
    *out = real_of_bits(item, bits);
    if (!isfinite(*out)) {
        return brn_scan_fail(scan, "%s is %g: must be a finite number", what, *out);
    }
    return BRN_OK;
}

/* ---- spans ----------------------------------------------------------------------------------------------------- */

brn_span brn_span_trim(brn_span span)
{
    while (span.length > 0 && is_blank(span.at[0])) {
        ++span.at;
        --span.length;
    }
    while (span.length > 0 && is_blank(span.at[span.length - 1])) {
        --span.length;
    }
    return span;
}

bool brn_span_starts(brn_span span, const char *word)
{
    const size_t n = strlen(word);
    if (span.length < n) {
        return false;
    }
    for (size_t i = 0; i < n; ++i) {
        if (toupper((unsigned char)span.at[i]) != toupper((unsigned char)word[i])) {
            return false;
        }
    }
    return true;
}

bool brn_span_is(brn_span span, const char *word)
{
    return span.length == strlen(word) && brn_span_starts(span, word);
}

brn_span brn_span_split(brn_span *rest, char separator)
{
    const char *found = rest->length > 0 ? memchr(rest->at, separator, rest->length) : NULL;
    brn_span head = *rest;
    if (found == NULL) {
        *rest = (brn_span){rest->at + rest->length, 0};
        return head;
    }
    head.length = (size_t)(found - rest->at);
    *rest = (brn_span){found + 1, rest->length - head.length - 1};
    return head;
}

int brn_span_shown(brn_span span)
{
    return span.length < 40 ? (int)span.length : 40;
}

char *brn_span_dup(brn_ctx *ctx, brn_span span)
{
    char *copy = brn_calloc(ctx, span.length + 1, 1);
    if (copy != NULL && span.length > 0) {
        memcpy(copy, span.at, span.length);
    }
    return copy;
}

/* Digits of a whole number, with sign. */
bool brn_span_int(brn_span span, int64_t *out)
{
    const char *c = span.at;
    const char *end = span.at + span.length;
    const bool negative = c < end && *c == '-';
    if (c < end && (*c == '-' || *c == '+')) {
        ++c;
    }
    if (c == end || end - c > 19) {
        return false;
    }
    uint64_t value = 0; /* 19 digits stay below 2^64 */
    for (; c < end; ++c) {
        if (*c < '0' || *c > '9') {
            return false;
        }
        value = 10 * value + (uint64_t)(*c - '0');
    }
    if (value > INT64_MAX) {
        return false;
    }
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* A decimal number taken apart: digits * 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
    bool negative;
    bool exact; /* all digits fitted, the exponent is small: exact_real may be used */
} decimal;

/* Takes the text apart; false if it is no plain decimal number. */
static bool split_decimal(brn_span span, decimal *out)
{
    const char *c = span.at;
    const char *end = span.at + span.length;
    *out = (decimal){.negative = c < end && *c == '-', .exact = true};
    if (c < end && (*c == '-' || *c == '+')) {
        ++c;
    }
    int ndigit = 0;      /* significant ones, without leading zeros */
    bool digits = false; /* any at all */
    bool pointed = false;
    for (; c < end; ++c) {
        if (*c == '.' && !pointed) {
            pointed = true;
            continue;
        }
        if (*c < '0' || *c > '9') {
            break;
        }
        digits = true;
        out->exponent -= pointed;
        ndigit += ndigit > 0 || *c != '0';
        out->exact = out->exact && ndigit <= 19;
        if (out->exact) {
            out->digits = 10 * out->digits + (uint64_t)(*c - '0');
        }
    }
    if (!digits) {
        return false;
    }
    if (c < end) {
        if (strchr("eEdD", *c) == NULL || *c == '\0') {
            return false;
        }
        int64_t power = 0;
        if (!brn_span_int((brn_span){c + 1, (size_t)(end - c - 1)}, &power)) {
            return false;
        }
        const int64_t sum = power > INT_MAX ? INT_MAX : power < INT_MIN / 2 ? INT_MIN / 2 : power;
        out->exact = out->exact && sum > -1000 && sum < 1000;
        out->exponent += out->exact ? (int)sum : 0;
    }
    out->exact = out->exact && out->exponent > -BRN_FIVES && out->exponent < BRN_FIVES;
    return true;
}

static int bit_length(unsigned __int128 value)
{
    const uint64_t high = (uint64_t)(value >> 64);
    const uint64_t low = (uint64_t)value;
    return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
}

/* digits * 10^exponent = digits * 5^exponent * 2^exponent in 128-bit integers, rounded once, to even: the same double
   as a correctly rounded strtod. A quotient keeps at least 64 bits, its remainder decides ties. */
static double exact_real(const decimal *number)
{
    if (number->digits == 0) {
        return number->negative ? -0.0 : 0.0;
    }
    int shift = number->exponent;
    unsigned __int128 value = number->digits;
    bool sticky = false;
    if (number->exponent >= 0) {
        value *= brn_fives[number->exponent];
    } else {
        const int lift = __builtin_clzll(number->digits) + 64;
        const uint64_t divisor = brn_fives[-number->exponent];
        const unsigned __int128 dividend = value << lift;
        value = dividend / divisor;
        sticky = value * divisor != dividend;
        shift -= lift;
    }
    const int excess = bit_length(value) - 53;
    uint64_t mantissa = 0;
    if (excess <= 0) { /* only products: exact */
        return ldexp((double)(uint64_t)value * (number->negative ? -1.0 : 1.0), shift);
    }
    const unsigned __int128 half = (unsigned __int128)1 << (excess - 1);
    const unsigned __int128 low = value & ((half << 1) - 1);
    mantissa = (uint64_t)(value >> excess);
    if (low > half || (low == half && (sticky || (mantissa & 1) != 0))) {
        ++mantissa;
    }
    return ldexp((double)mantissa * (number->negative ? -1.0 : 1.0), shift + excess);
}

bool brn_span_real(brn_span span, double *out)
{
    decimal number;
    if (!split_decimal(span, &number)) {
        return false;
    }
    if (number.exact) {
        *out = exact_real(&number);
        return true;
    }
    /* Many digits or a large exponent: the general parser, with C's exponent letter. */
    char copy[400];
    if (span.length >= sizeof copy) {
        return false;
    }
    memcpy(copy, span.at, span.length);
    copy[span.length] = '\0';
    for (char *c = copy; *c != '\0'; ++c) {
        *c = *c == 'd' || *c == 'D' ? 'e' : *c;
    }
    return brn_parse_real(copy, out) && isfinite(*out);
}
