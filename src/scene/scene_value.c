/* Values of the simple kinds: from a node of the tree to a field of a struct. */
#include "scene/scene_inner.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* " [Pa]", or "" for a plain number. */
static const char *unit_text(const brn_param *param, char buffer[40])
{
    buffer[0] = '\0';
    if (param->unit != NULL && strcmp(param->unit, "1") != 0) {
        (void)snprintf(buffer, 40, " [%s]", param->unit);
    }
    return buffer;
}

/* " Pa", behind a number. */
static const char *behind(const brn_param *param, char buffer[40])
{
    const bool unit = param->unit != NULL && strcmp(param->unit, "1") != 0;
    (void)snprintf(buffer, 40, "%s%s", unit ? " " : "", unit ? param->unit : "");
    return buffer;
}

/* What was found, where a problem's " = value" does not show it. */
static const char *found_text(const brn_yaml *node)
{
    if (node->kind == BRN_YAML_MAP) {
        return ", found a block";
    }
    if (node->kind == BRN_YAML_LIST) {
        return ", found a list";
    }
    return brn_yaml_is_null(node) ? ", found no value" : "";
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* .inf and .nan, as YAML spells them. */
static bool parse_special(const char *text, double *out)
{
    static const char *const nans[] = {".nan", ".NaN", ".NAN"};
    static const char *const infs[] = {".inf", ".Inf", ".INF"};
    const bool minus = text[0] == '-';
    const char *bare = text + (minus || text[0] == '+');
    for (int i = 0; i < 3; ++i) {
        if (strcmp(text, nans[i]) == 0) {
            *out = NAN;
            return true;
        }
        if (strcmp(bare, infs[i]) == 0) {
            *out = minus ? -INFINITY : INFINITY;
            return true;
        }
    }
    return false;
}

/* A number with '_' between digits, as some YAML readers take it. */
static bool has_underscores(const char *text)
{
    char bare[64];
    size_t used = 0;
    double value;
    for (const char *c = text; *c != '\0' && used + 1 < sizeof bare; ++c) {
        if (*c != '_') {
            bare[used++] = *c;
        }
    }
    bare[used] = '\0';
    return strchr(text, '_') != NULL && brn_parse_real(bare, &value);
}

static void tell_not_number(brn_resolver *r, const brn_param *param, const brn_yaml *node, const char *what)
{
    char unit[40];
    const char *hint = "";
    double value = 0.0;
    const bool plain = node->kind == BRN_YAML_SCALAR;
    if (plain && node->quoted) {
        hint = ", not text in quotes";
    } else if (plain && has_underscores(node->text)) {
        hint = "; write it without '_'";
    } else if (plain && brn_parse_real(node->text, &value) && value == floor(value)) {
        hint = ", written in digits alone"; /* 1e3 */
    }
    BRN_RESOLVE_TELL(r, node, "must be %s%s%s%s", what, unit_text(param, unit), hint, found_text(node));
}

static void tell_range(brn_resolver *r, const brn_param *param, const brn_yaml *node, bool finite)
{
    char range[80], unit[40];
    (void)brn_param_range_text(param, range, sizeof range);
    if (!finite || strcmp(range, "finite") == 0) {
        BRN_RESOLVE_TELL(r, node, "must be a finite number");
        return;
    }
    BRN_RESOLVE_TELL(r, node, "must be %s%s", range, behind(param, unit));
}

/* Beyond any scene, from atoms to planets, and a long way inside of what doubles can multiply: what is written there is a slip,
   and would come to light as a failure elsewhere. The last is for all other units. */
static const struct magnitude {
    const char *unit;
    double least, most;
} magnitudes[] = {
    {"m", 1e-15, 1e15},     {"s", 1e-18, 1e18},  {"m/s", 1e-18, 1e12},
    {"m/s^2", 1e-18, 1e15}, {"Pa", 1e-15, 1e20}, {"kg/m^3", 1e-12, 1e20},
    {"rad/s", 1e-18, 1e15}, {"kg", 1e-30, 1e30}, {NULL, 1e-30, 1e30},
};

/* Small numbers count as 0, which only some parameters may be. */
static bool tell_magnitude(brn_resolver *r, const brn_param *param, const brn_yaml *node, double value)
{
    char unit[40];
    const struct magnitude *m = magnitudes;
    while (m->unit != NULL && (param->unit == NULL || strcmp(m->unit, param->unit) != 0)) {
        ++m;
    }
    const bool large = !(fabs(value) <= m->most);
    const bool small = value > 0.0 && value < m->least && !brn_param_in_range(param, 0.0);
    if (large || small) {
        BRN_RESOLVE_TELL(r, node,
                         "must be %s %g%s: no scene needs a %s one; look at the exponent and the unit",
                         small || value < 0.0 ? ">=" : "<=", small ? m->least : copysign(m->most, value),
                         behind(param, unit), small ? "smaller" : "larger");
    }
    return large || small;
}

static bool read_real(brn_resolver *r, const brn_param *param, const brn_yaml *node, double *out)
{
    double value = 0.0;
    const bool plain = node->kind == BRN_YAML_SCALAR && !node->quoted;
    if (!plain || !(brn_parse_real(node->text, &value) || parse_special(node->text, &value))) {
        tell_not_number(r, param, node, "a number");
        return false;
    }
    if (!brn_param_in_range(param, value)) {
        tell_range(r, param, node, isfinite(value));
        return false;
    }
    if (tell_magnitude(r, param, node, value)) {
        return false;
    }
    *out = value;
    return true;
}

static bool read_int(brn_resolver *r, const brn_param *param, const brn_yaml *node, int *out)
{
    long long value = 0;
    double real = 0.0;
    const bool plain = node->kind == BRN_YAML_SCALAR && !node->quoted;
    const bool whole = plain && brn_parse_int(node->text, &value);
    const bool huge = !whole && plain && strspn(node->text, "+-0123456789") == strlen(node->text) &&
                      brn_parse_real(node->text, &real);
    real = whole ? (double)value : real;
    if (!whole && !huge) {
        tell_not_number(r, param, node, "a whole number");
        return false;
    }
    if (!brn_param_in_range(param, real)) {
        tell_range(r, param, node, isfinite(real));
        return false;
    }
    if (!(real >= INT_MIN && real <= INT_MAX)) {
        BRN_RESOLVE_TELL(r, node, "must be in [%d, %d]", INT_MIN, INT_MAX);
        return false;
    }
    *out = (int)value;
    return true;
}

/* ---- words --------------------------------------------------------------------------------------------------------- */

static void read_bool(brn_resolver *r, const brn_yaml *node, bool *out)
{
    const bool plain = node->kind == BRN_YAML_SCALAR && !node->quoted;
    if (plain && strcmp(node->text, "true") == 0) {
        *out = true;
    } else if (plain && strcmp(node->text, "false") == 0) {
        *out = false;
    } else {
        BRN_RESOLVE_TELL(r, node, "must be true or false%s", found_text(node));
    }
}

static bool read_text(brn_resolver *r, const brn_yaml *node, const char *what, const char **out)
{
    if (node->kind != BRN_YAML_SCALAR || brn_yaml_is_null(node)) {
        BRN_RESOLVE_TELL(r, node, "must be %s%s", what, found_text(node));
        return false;
    }
    *out = node->text; /* lives as long as the scene: nodes are never freed one by one */
    return true;
}

/* The index of a word in the parameter's choices, or -1 and a problem. */
static int read_choice(brn_resolver *r, const brn_param *param, const brn_yaml *node)
{
    int count = 0;
    for (; param->choices[count] != NULL; ++count) {
        if (node->kind == BRN_YAML_SCALAR && strcmp(param->choices[count], node->text) == 0) {
            return count;
        }
    }
    brn_text words = {.ctx = r->ctx};
    for (int i = 0; i < count; ++i) {
        brn_text_add(&words, "%s%s", i > 0 ? ", " : "", param->choices[i]);
    }
    const char *found = found_text(node);
    brn_text_add(&words, "%s", found);
    if (found[0] == '\0') {
        brn_suggest(&words, node->text, param->choices, count);
    }
    BRN_RESOLVE_TELL(r, node, "must be one of %s", words.data != NULL ? words.data : "");
    brn_text_clear(&words);
    return -1;
}

/* ---- lists ----------------------------------------------------------------------------------------------------------- */

/* Entry i of a list, where a bare scalar is a list of one. */
static const brn_yaml *entry(const brn_yaml *node, int i)
{
    return node->kind == BRN_YAML_LIST ? node->items[i] : node;
}

static int entries(const brn_yaml *node)
{
    if (node->kind == BRN_YAML_LIST) {
        return node->count;
    }
    return brn_yaml_is_null(node) ? 0 : 1;
}

static size_t push_entry(brn_resolver *r, const brn_yaml *node, int i)
{
    const size_t length = r->path.length;
    if (node->kind == BRN_YAML_LIST) {
        brn_resolve_push_index(r, i);
    }
    return length;
}

/* False and a problem unless the node is a list (or a scalar) of the right length. */
static bool check_list(brn_resolver *r, const brn_param *param, const brn_yaml *node, const char *what)
{
    char unit[40];
    (void)unit_text(param, unit);
    if (node->kind == BRN_YAML_MAP) {
        BRN_RESOLVE_TELL(r, node, "must be a list of %s%s, found a block", what, unit);
        return false;
    }
    if (param->count > 0 && entries(node) != param->count) {
        BRN_RESOLVE_TELL(r, node, "must be a list of %d %s%s, found %d", param->count, what, unit,
                         entries(node));
        return false;
    }
    return true;
}

static brn_status read_reals(brn_resolver *r, const brn_param *param, const brn_yaml *node, brn_reals *out)
{
    if (!check_list(r, param, node, "numbers")) {
        return BRN_OK;
    }
    const int count = entries(node);
    double *v = NULL;
    BRN_BUMP(r->memory, v, count > 3 ? count : 3);
    bool good = true;
    for (int i = 0; i < count; ++i) {
        const size_t length = push_entry(r, node, i);
        good = read_real(r, param, entry(node, i), &v[i]) && good;
        brn_resolve_pop(r, length);
    }
    if (good) {
        *out = (brn_reals){count, v};
    }
    return BRN_OK;
}

static brn_status read_ints(brn_resolver *r, const brn_param *param, const brn_yaml *node, brn_ints *out)
{
    if (!check_list(r, param, node, "whole numbers")) {
        return BRN_OK;
    }
    const int count = entries(node);
    int *v = NULL;
    BRN_BUMP(r->memory, v, count);
    bool good = true;
    for (int i = 0; i < count; ++i) {
        const size_t length = push_entry(r, node, i);
        good = read_int(r, param, entry(node, i), &v[i]) && good;
        brn_resolve_pop(r, length);
    }
    if (good) {
        *out = (brn_ints){count, v};
    }
    return BRN_OK;
}

static brn_status read_texts(brn_resolver *r, const brn_param *param, const brn_yaml *node, brn_texts *out)
{
    if (!check_list(r, param, node, "words")) {
        return BRN_OK;
    }
    const int count = entries(node);
    brn_texts list = {.count = count};
    BRN_BUMP(r->memory, list.v, count);
    BRN_BUMP(r->memory, list.choice, count);
    bool good = true;
    for (int i = 0; i < count; ++i) {
        const size_t length = push_entry(r, node, i);
        const brn_yaml *word = entry(node, i);
        if (param->choices != NULL) {
            list.choice[i] = read_choice(r, param, word);
            good = list.choice[i] >= 0 && good;
            list.v[i] = list.choice[i] >= 0 ? param->choices[list.choice[i]] : "";
        } else {
            good = read_text(r, word, "a word", &list.v[i]) && good;
        }
        brn_resolve_pop(r, length);
    }
    if (good) {
        *out = list;
    }
    return BRN_OK;
}

static void read_vector(brn_resolver *r, const brn_param *param, const brn_yaml *node, double *out)
{
    char unit[40];
    const int dim = r->dimension;
    const bool list = node->kind == BRN_YAML_LIST;
    if (!list) {
        BRN_RESOLVE_TELL(r, node, "must be a list of %d numbers%s%s", dim, unit_text(param, unit),
                         found_text(node));
        return;
    }
    if (node->count != dim && node->count != 3) {
        BRN_RESOLVE_TELL(r, node, "must be a list of %d numbers%s, found %d", dim, unit_text(param, unit),
                         node->count);
        return;
    }
    double v[3] = {0};
    bool good = true;
    for (int i = 0; i < node->count; ++i) {
        const size_t length = push_entry(r, node, i);
        good = read_real(r, param, node->items[i], &v[i]) && good;
        brn_resolve_pop(r, length);
    }
    if (good) {
        memcpy(out, v, sizeof v);
    }
}

/* Checks the shape: a list of lists, each as long as the first (and as param->count, if that is given). */
static bool check_rows(brn_resolver *r, const brn_param *param, const brn_yaml *node)
{
    const int columns = param->count > 0 ? param->count : node->count > 0 ? node->items[0]->count : 0;
    bool good = true;
    for (int i = 0; i < node->count; ++i) {
        const brn_yaml *row = node->items[i];
        const size_t length = push_entry(r, node, i);
        if (row->kind != BRN_YAML_LIST) {
            BRN_RESOLVE_TELL(r, row, "must be a list of numbers%s", found_text(row));
            good = false;
        } else if (row->count == 0 || row->count != columns) {
            BRN_RESOLVE_TELL(r, row, "must be a list of %d numbers, found %d", columns > 0 ? columns : 1,
                             row->count);
            good = false;
        }
        brn_resolve_pop(r, length);
    }
    return good;
}

static brn_status read_rows(brn_resolver *r, const brn_param *param, const brn_yaml *node, brn_rows *out)
{
    if (node->kind != BRN_YAML_LIST) {
        BRN_RESOLVE_TELL(r, node, "must be a list of lists of numbers%s", found_text(node));
        return BRN_OK;
    }
    if (node->count == 0 || !check_rows(r, param, node)) {
        return BRN_OK;
    }
    const int columns = node->items[0]->count;
    double *v = NULL;
    size_t cells = 0;
    if (__builtin_mul_overflow((size_t)node->count, (size_t)columns, &cells)) {
        return BRN_ERR_MEMORY;
    }
    BRN_BUMP(r->memory, v, cells);
    bool good = true;
    for (int i = 0; i < node->count; ++i) {
        const size_t outer = push_entry(r, node, i);
        for (int j = 0; j < columns; ++j) {
            const size_t inner = push_entry(r, node->items[i], j);
            good =
                read_real(r, param, node->items[i]->items[j], &v[(size_t)i * (size_t)columns + (size_t)j]) &&
                good;
            brn_resolve_pop(r, inner);
        }
        brn_resolve_pop(r, outer);
    }
    if (good) {
        *out = (brn_rows){node->count, columns, v};
    }
    return BRN_OK;
}

/* ---- entry points -------------------------------------------------------------------------------------------------- */

brn_status brn_resolve_value(brn_resolver *r, const brn_param *param, const brn_yaml *node, void *field)
{
    int choice = 0;
    switch (param->kind) {
    case BRN_REAL:
        (void)read_real(r, param, node, field);
        return BRN_OK;
    case BRN_INT:
        (void)read_int(r, param, node, field);
        return BRN_OK;
    case BRN_BOOL:
        read_bool(r, node, field);
        return BRN_OK;
    case BRN_CHOICE:
        choice = read_choice(r, param, node);
        *(int *)field = choice >= 0 ? choice : *(int *)field;
        return BRN_OK;
    case BRN_TEXT:
        (void)read_text(r, node, "a text", field);
        return BRN_OK;
    case BRN_VECTOR:
        read_vector(r, param, node, field);
        return BRN_OK;
    case BRN_REALS:
        return read_reals(r, param, node, field);
    case BRN_INTS:
        return read_ints(r, param, node, field);
    case BRN_TEXTS:
        return read_texts(r, param, node, field);
    case BRN_ROWS:
        return read_rows(r, param, node, field);
    default:
        return BRN_OK; /* blocks and variants: scene_resolve.c */
    }
}

/* Words of a default, separated by single blanks. */
static brn_status default_texts(brn_resolver *r, const brn_param *param, brn_texts *out)
{
    int count = 1;
    for (const char *c = param->text; *c != '\0'; ++c) {
        count += *c == ' ';
    }
    BRN_BUMP(r->memory, out->v, count);
    BRN_BUMP(r->memory, out->choice, count);
    const char *word = param->text;
    for (int i = 0; i < count; ++i) {
        const size_t n = strcspn(word, " ");
        out->v[i] = brn_bump_text(r->memory, word, n);
        if (out->v[i] == NULL) {
            return BRN_ERR_MEMORY;
        }
        for (int k = 0; param->choices != NULL && param->choices[k] != NULL; ++k) {
            out->choice[i] = strcmp(param->choices[k], out->v[i]) == 0 ? k : out->choice[i];
        }
        word += n + (word[n] == ' ');
    }
    out->count = count;
    return BRN_OK;
}

brn_status brn_resolve_list_default(brn_resolver *r, const brn_param *param, void *field)
{
    if (param->kind == BRN_TEXTS && param->text != NULL) {
        return default_texts(r, param, field);
    }
    const int count = param->count > 0 ? param->count : param->vector_count;
    if (param->kind != BRN_REALS || count == 0) {
        return BRN_OK;
    }
    brn_reals *reals = field;
    BRN_BUMP(r->memory, reals->v, count > 3 ? count : 3);
    if (param->vector != NULL) {
        memcpy(reals->v, param->vector, (size_t)count * sizeof *reals->v);
    }
    reals->count = count;
    return BRN_OK;
}
