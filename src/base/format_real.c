/* Numbers as text: the least of 15, 16 and 17 digits that reads back to the same number, rounded as printf rounds. */
#include "base/fives.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Magnitudes that brn_format_real does by integers, exactly, without printf and strtod; others are rare. */
static const double SMALLEST = 1e-32;
static const double LARGEST = 1e15;

enum { DIGITS = 17 };
#define TEN_16 UINT64_C(10000000000000000)

typedef unsigned __int128 wide;

/* A number m 2^e as decimal: V = m 5^k 2^(e + k) = whole + rest / 2^shift, with k such that V has 17 digits. A change of m by one changes
   V 2^shift by 5^k. */
typedef struct scaled {
    uint64_t whole;
    wide rest, five; /* five: 5^k */
    int shift;
} scaled;

/* Digits, of which the first stands for 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int count, exponent;
} decimal;

/* 5^k, k <= 54. */
static wide power_of_five(int k)
{
    const int first = k < BRN_FIVES ? k : BRN_FIVES - 1;
    return (wide)brn_fives[first] * brn_fives[k - first];
}

/* m 5^k has up to 53 + 112 bits, V has 57: k <= 48 and shift from 1 to 112 for magnitudes as above. */
static void scale(uint64_t m, int e, int k, scaled *out)
{
    out->five = power_of_five(k);
    out->shift = -(e + k);
    const wide low = (wide)m * (uint64_t)out->five;
    const wide high = (wide)m * (uint64_t)(out->five >> 64) + (low >> 64);
    const uint64_t last = (uint64_t)low;
    const int s = out->shift % 64;
    if (out->shift < 64) {
        out->whole = (uint64_t)(high << (64 - s)) | last >> s;
        out->rest = last & ((UINT64_C(1) << s) - 1);
    } else {
        out->whole = (uint64_t)(high >> s);
        out->rest = (high & (((wide)1 << s) - 1)) << 64 | last;
    }
}

/* V in units of `unit`, rounded to nearest, ties to even. */
static uint64_t round_to(const scaled *v, uint64_t unit)
{
    const uint64_t down = v->whole / unit;
    const uint64_t over = v->whole % unit;
    const wide half = (wide)1 << (v->shift - 1);
    const bool odd = down % 2 == 1;
    const bool up = unit == 1 ? v->rest > half || (v->rest == half && odd)
                              : 2 * over > unit || (2 * over == unit && (v->rest > 0 || odd));
    return down + up;
}

/* Whether `near` is nearer to V than to what the next numbers give: half of 5^k, below a power of two a quarter. 5^k is odd, so there are no ties. */
static bool reads_back(const scaled *v, uint64_t near, bool power_of_two)
{
    const bool above = near > v->whole;
    const uint64_t apart = above ? near - v->whole : v->whole - near;
    if (apart > 12) { /* 5^k is at most 23 units: V < 10^17, m >= 2^52 */
        return false;
    }
    const wide difference = above ? ((wide)apart << v->shift) - v->rest : ((wide)apart << v->shift) + v->rest;
    return difference * (power_of_two && !above ? 4 : 2) < v->five;
}

/* value: positive, within the magnitudes above. */
static decimal find_digits(double value)
{
    int e = 0;
    const uint64_t m = (uint64_t)ldexp(frexp(value, &e), 53);
    int exponent = (int)floor((e - 1) * 0.30102999566398120); /* of ten: right or one too small */
    scaled v;
    scale(m, e - 53, DIGITS - 1 - exponent, &v);
    if (v.whole >= 10 * TEN_16) {
        ++exponent;
        scale(m, e - 53, DIGITS - 1 - exponent, &v);
    }
    decimal out = {.count = DIGITS};
    for (uint64_t unit = 100; unit > 0; unit /= 10) {
        out.digits = round_to(&v, unit);
        out.count = unit == 100 ? DIGITS - 2 : unit == 10 ? DIGITS - 1 : DIGITS;
        if (unit == 1 || reads_back(&v, out.digits * unit, m == UINT64_C(1) << 52)) {
            exponent += out.digits * unit == 10 * TEN_16;
            break;
        }
    }
    out.exponent = exponent;
    return out;
}

/* As "%.*g" prints them. */
static void print_digits(const decimal *d, char *to)
{
    char digit[DIGITS + 2];
    int n = 0;
    uint64_t left = d->digits;
    while (left % 10 == 0) {
        left /= 10;
    }
    for (uint64_t i = left; i > 0; i /= 10) {
        ++n;
    }
    for (int i = n - 1; i >= 0; --i, left /= 10) {
        digit[i] = (char)('0' + left % 10);
    }
    const bool power = d->exponent < -4 || d->exponent >= d->count;
    const int before = power ? 1 : d->exponent + 1; /* digits before the point */
    if (before <= 0) {
        *to++ = '0';
        *to++ = '.';
    }
    for (int i = before; i < 0; ++i) {
        *to++ = '0';
    }
    for (int i = 0; i < n || i < before; ++i) {
        if (i == before && i > 0) {
            *to++ = '.';
        }
        *to++ = i < n ? digit[i] : '0';
    }
    if (power) {
        const int size = abs(d->exponent); /* below 100 */
        *to++ = 'e';
        *to++ = d->exponent < 0 ? '-' : '+';
        *to++ = (char)('0' + size / 10);
        *to++ = (char)('0' + size % 10);
    }
    *to = '\0';
}

static void print_any(double value, char text[BRN_REAL_TEXT])
{
    for (int precision = 15; precision <= DIGITS; ++precision) {
        (void)snprintf(text, BRN_REAL_TEXT, "%.*g", precision, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
}

char *brn_format_real(double value, char buffer[BRN_REAL_TEXT])
{
    if (isnan(value)) {
        return memcpy(buffer, ".nan", 5);
    }
    if (isinf(value)) {
        return strcpy(buffer, value > 0 ? ".inf" : "-.inf");
    }
    if (value == 0.0) {
        return strcpy(buffer, signbit(value) ? "-0.0" : "0.0");
    }
    char digits[BRN_REAL_TEXT];
    if (fabs(value) >= SMALLEST && fabs(value) < LARGEST) {
        const decimal d = find_digits(fabs(value));
        digits[0] = '-';
        print_digits(&d, digits + (value < 0.0));
    } else {
        print_any(value, digits);
    }
    /* A mantissa without a point reads as an integer, or (1e6) as a string, in YAML 1.1 readers. */
    size_t used = 0;
    bool pointed = false;
    for (const char *c = digits; *c != '\0'; ++c) {
        if (*c == ',' || *c == '.') {
            buffer[used++] = '.';
            pointed = true;
            continue;
        }
        if (*c == 'e' && !pointed) {
            buffer[used++] = '.';
            buffer[used++] = '0';
            pointed = true;
        }
        buffer[used++] = *c;
    }
    if (!pointed) {
        buffer[used++] = '.';
        buffer[used++] = '0';
    }
    buffer[used] = '\0';
    return buffer;
}
