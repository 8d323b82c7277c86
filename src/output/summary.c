#include "output/summary.h"

#include "base/os.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Bytes of the well-formed UTF-8 sequence at c, 0 if there is none (RFC 3629: no overlong forms, no surrogates). */
static int utf8_length(const unsigned char *c)
{
    const int n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; ++i) {
        if ((c[i] & 0xc0) != 0x80) { /* also stops at the final '\0' */
            return 0;
        }
    }
    const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool beyond = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f);
    return overlong || beyond ? 0 : n;
}

static void add_text(brn_text *json, const char *value)
{
    if (value == NULL) {
        brn_text_add(json, "null");
        return;
    }
    brn_text_append(json, "\"", 1);
    const unsigned char *c = (const unsigned char *)value;
    while (*c != '\0') {
        const int n = utf8_length(c);
        if (n == 0) {
            brn_text_add(json, "\\ufffd"); /* a byte that is no text */
        } else if (*c == '"' || *c == '\\') {
            brn_text_add(json, "\\%c", *c);
        } else if (*c < 0x20 || *c == 0x7f) {
            brn_text_add(json, "\\u%04x", (unsigned)*c);
        } else {
            brn_text_append(json, (const char *)c, (size_t)n);
        }
        c += n > 0 ? n : 1;
    }
    brn_text_append(json, "\"", 1);
}

static void add_real(brn_text *json, double value)
{
    char text[BRN_REAL_TEXT];
    if (isfinite(value)) {
        brn_text_add(json, "%s", brn_format_real(value, text));
    } else {
        brn_text_add(json, "null");
    }
}

static void add_int(brn_text *json, int64_t value)
{
    brn_text_add(json, "%" PRId64, value);
}

/* The members of brn_summary that are plain figures, in order; texts and the hash stand around them. */
#define SUMMARY_FIGURES(X)           \
 X(int, steps)                       \
 X(real, time_end)                   \
 X(real, wall_s)                     \
 X(real, cpu_s)                      \
 X(real, realtime_rate)              \
 X(int, threads)                     \
 X(int, nodes)                       \
 X(int, elements)                    \
 X(int, dofs)                        \
 X(int, contacts_max)                \
 X(real, contacts_mean)              \
 X(int, sticking)                    \
 X(int, slipping)                    \
 X(int, iterations)                  \
 X(real, iterations_per_step)        \
 X(real, gap_min)                    \
 X(real, penetration_max)            \
 X(int, inversions)                  \
 X(int, intersections)               \
 X(real, cone_error_max)             \
 X(real, dissipation_error_max)      \
 X(real, complementarity_max)        \
 X(real, energy_initial)             \
 X(real, energy_final)               \
 X(real, stiffness_work)             \
 X(real, energy_error_max)           \
 X(real, momentum_error_max)         \
 X(real, angular_momentum_error_max) \
 X(real, peak_mb)

brn_status brn_summary_write(brn_ctx *ctx, const char *path, const brn_summary *summary, const char *method,
                             const char *blas)
{
    brn_text json = {.ctx = ctx};
    brn_text_add(&json, "{\n  \"status\": ");
    add_text(&json, summary->status);
    brn_text_add(&json, ",\n  \"reason\": ");
    add_text(&json, summary->reason);
    brn_text_add(&json, ",\n  \"method\": ");
    add_text(&json, method);
#define FIGURE(kind, name)                    \
 brn_text_add(&json, ",\n  \"" #name "\": "); \
 add_##kind(&json, summary->name);
    SUMMARY_FIGURES(FIGURE)
#undef FIGURE
    brn_text_add(&json, ",\n  \"state_hash\": \"%016" PRIx64 "\"", summary->state_hash);
    brn_text_add(&json, ",\n  \"version\": ");
    add_text(&json, BRN_VERSION);
    brn_text_add(&json, ",\n  \"blas\": ");
    add_text(&json, blas);
    brn_text_add(&json, "\n}\n");
    char *text = NULL;
    BRN_TRY(brn_text_take(&json, &text));
    const brn_status status = brn_file_write(ctx, path, text, strlen(text));
    brn_free(ctx, text);
    return status;
}
