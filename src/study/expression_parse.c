/* From text to nodes, by recursive descent:

       or      = and {"or" and}                 and   = not {"and" not}
       not     = "not" not | compare            compare = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
       sum     = product {("+" | "-") product}  product = unary {("*" | "/") unary}
       unary   = "-" unary | power              power = primary ["^" unary]
       primary = number | 'word' | name | function "(" or {"," or} ")" | "(" or ")" */
#include "base/text.h"
#include "study/expression_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    brn_ctx *ctx;
    brn_expression *e;
    const char *at; /* next byte */
    int depth;
} parser;

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char digits[] = "0123456789";

typedef struct function {
    const char *name;
    brn_expression_op op;
    int least, most; /* arguments */
    brn_column_use use;
} function;

enum { MANY = 100 };

static const function functions[] = {
    {"min", BRN_OP_MIN, 2, MANY, BRN_COLUMN_PLAIN},
    {"max", BRN_OP_MAX, 2, MANY, BRN_COLUMN_PLAIN},
    {"abs", BRN_OP_ABS, 1, 1, BRN_COLUMN_PLAIN},
    {"sqrt", BRN_OP_SQRT, 1, 1, BRN_COLUMN_PLAIN},
    {"sin", BRN_OP_SIN, 1, 1, BRN_COLUMN_PLAIN},
    {"cos", BRN_OP_COS, 1, 1, BRN_COLUMN_PLAIN},
    {"exp", BRN_OP_EXP, 1, 1, BRN_COLUMN_PLAIN},
    {"log", BRN_OP_LOG, 1, 1, BRN_COLUMN_PLAIN},
    {"atan2", BRN_OP_ATAN2, 2, 2, BRN_COLUMN_PLAIN},
    {"or_else", BRN_OP_OR_ELSE, 2, 2, BRN_COLUMN_PLAIN},
    {"first", BRN_OP_NAME, 1, 1, BRN_COLUMN_FIRST},
    {"last", BRN_OP_NAME, 1, 1, BRN_COLUMN_LAST},
    {"highest", BRN_OP_NAME, 1, 1, BRN_COLUMN_HIGHEST},
    {"lowest", BRN_OP_NAME, 1, 1, BRN_COLUMN_LOWEST},
    {"mean", BRN_OP_NAME, 1, 1, BRN_COLUMN_MEAN},
    {"at", BRN_OP_NAME, 2, 2, BRN_COLUMN_AT},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static brn_status parse_or(parser *p, int *out);
static brn_status parse_unary(parser *p, int *out);

/* ---- characters ------------------------------------------------------------------------------------------------------ */

static void skip_blanks(parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static int position(const parser *p)
{
    return (int)(p->at - p->e->text);
}

static bool is_letter(char c)
{
    return c != '\0' && (strchr(letters, c) != NULL || (unsigned char)c >= 0x80);
}

/* Length of the name at a place; 0: there is none. */
static size_t name_length(const char *at)
{
    size_t n = 0;
    while (is_letter(at[n]) || (n > 0 && at[n] != '\0' && (strchr(digits, at[n]) != NULL || at[n] == '.'))) {
        ++n;
    }
    return n;
}

static bool is_word(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && strncmp(at, word, n) == 0;
}

/* Takes a word of the language if it comes next. */
static bool take_keyword(parser *p, const char *word)
{
    skip_blanks(p);
    const size_t n = name_length(p->at);
    if (!is_word(p->at, n, word)) {
        return false;
    }
    p->at += n;
    return true;
}

static bool take_sign(parser *p, const char *sign)
{
    skip_blanks(p);
    const size_t n = strlen(sign);
    if (strncmp(p->at, sign, n) != 0) {
        return false;
    }
    p->at += n;
    return true;
}

/* What stands there, for a message: a word or a character, whole in UTF-8. */
static int shown_length(const char *at)
{
    const size_t n = name_length(at);
    return n > 0 ? (n < 40 ? (int)n : 40) : 1;
}

static brn_status fail_expected(const parser *p, const char *what)
{
    if (*p->at == '\0') {
        return brn_fail(p->ctx, BRN_ERR_FORMAT, "position %d: it ends where %s should follow",
                        position(p) + 1, what);
    }
    const bool shown = (unsigned char)*p->at >= 0x20 && (unsigned char)*p->at != 0x7f;
    return brn_fail(p->ctx, BRN_ERR_FORMAT, "position %d: '%.*s' where %s should be", position(p) + 1,
                    shown ? shown_length(p->at) : 1, shown ? p->at : "?", what);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------------- */

static brn_status add_node(parser *p, brn_expression_node node, int *out)
{
    brn_expression *e = p->e;
    BRN_GROW(p->ctx, e->node, e->capacity, e->count + 1);
    node.length = position(p) - node.at;
    while (node.length > 0 && strchr(" \t\r\n", e->text[node.at + node.length - 1]) != NULL) {
        --node.length;
    }
    e->node[e->count] = node;
    *out = e->count++;
    return BRN_OK;
}

static brn_status join(parser *p, brn_expression_op op, int a, int b, int *out)
{
    return add_node(p, (brn_expression_node){.op = op, .a = a, .b = b, .at = p->e->node[a].at}, out);
}

/* A copy of n bytes; there is room for all of the text. */
static const char *keep_word(parser *p, const char *bytes, size_t n)
{
    char *word = p->e->words + p->e->used;
    memcpy(word, bytes, n);
    word[n] = '\0';
    p->e->used += n + 1;
    return word;
}

static brn_status enter(parser *p)
{
    if (++p->depth > BRN_EXPRESSION_DEPTH_MAX) {
        return brn_fail(p->ctx, BRN_ERR_FORMAT, "position %d: nested deeper than %d levels", position(p) + 1,
                        BRN_EXPRESSION_DEPTH_MAX);
    }
    return BRN_OK;
}

/* ---- primaries ----------------------------------------------------------------------------------------------------------- */

static brn_status parse_number(parser *p, int *out)
{
    const int start = position(p);
    size_t n = strspn(p->at, digits);
    n += p->at[n] == '.' ? 1 + strspn(p->at + n + 1, digits) : 0;
    const size_t sign = p->at[n] == 'e' || p->at[n] == 'E' ? 1 + (p->at[n + 1] == '+' || p->at[n + 1] == '-') : 0;
    const size_t exponent = sign > 0 ? strspn(p->at + n + sign, digits) : 0;
    n += exponent > 0 ? sign + exponent : 0;
    char text[64];
    double value = NAN;
    if (n < sizeof text) {
        memcpy(text, p->at, n);
        text[n] = '\0';
    }
    if (n >= sizeof text || !brn_parse_real(text, &value) || is_letter(p->at[n]) || p->at[n] == '.') {
        return brn_fail(p->ctx, BRN_ERR_FORMAT, "position %d: '%.*s' is not a number", start + 1,
                        (int)(n < 40 ? n + (p->at[n] != '\0') : 40), p->at);
    }
    p->at += n;
    return add_node(p, (brn_expression_node){.op = BRN_OP_NUMBER, .a = -1, .b = -1, .at = start, .number = value},
                    out);
}

/* 'word' or "word", or `name`. */
static brn_status parse_quoted(parser *p, int *out)
{
    const int start = position(p);
    const char quote = *p->at++;
    const char *end = strchr(p->at, quote);
    if (end == NULL || (quote == '`' && end == p->at)) {
        return brn_fail(p->ctx, BRN_ERR_FORMAT, "position %d: a %c without %s", start + 1, quote,
                        end == NULL ? "a second one" : "a name behind it");
    }
    const char *word = keep_word(p, p->at, (size_t)(end - p->at));
    p->at = end + 1;
    return add_node(p,
                    (brn_expression_node){.op = quote == '`' ? BRN_OP_NAME : BRN_OP_WORD,
                                          .a = -1,
                                          .b = -1,
                                          .at = start,
                                          .text = word},
                    out);
}

/* A function of a column: its argument is a name, not a value. */
static brn_status parse_column(parser *p, const function *f, int start, int *out)
{
    skip_blanks(p);
    const size_t n = *p->at == '`' ? 0 : name_length(p->at);
    const char *name = NULL;
    if (n > 0) {
        name = keep_word(p, p->at, n);
        p->at += n;
    } else if (*p->at == '`') {
        int quoted = -1;
        BRN_TRY(parse_quoted(p, &quoted));
        name = p->e->node[quoted].text;
        p->e->count = quoted; /* only its name is wanted */
    } else {
        return fail_expected(p, "the name of a column");
    }
    int time = -1;
    if (f->use == BRN_COLUMN_AT) {
        if (!take_sign(p, ",")) {
            return fail_expected(p, "', time)'");
        }
        BRN_TRY(parse_or(p, &time));
    }
    if (!take_sign(p, ")")) {
        return fail_expected(p, "')'");
    }
    return add_node(
        p, (brn_expression_node){.op = BRN_OP_NAME, .a = time, .b = -1, .at = start, .text = name, .use = f->use},
        out);
}

static brn_status parse_call(parser *p, const function *f, int start, int *out)
{
    if (!take_sign(p, "(")) {
        return brn_fail(p->ctx, BRN_ERR_FORMAT, "position %d: %s is a function: %s(...)", start + 1, f->name,
                        f->name);
    }
    if (f->op == BRN_OP_NAME) {
        return parse_column(p, f, start, out);
    }
    int count = 0;
    int value = -1, next = -1;
    do {
        BRN_TRY(parse_or(p, &next));
        ++count;
        if (count == 1) {
            value = next;
        } else if (count <= f->most) {
            BRN_TRY(join(p, f->op, value, next, &value));
            p->e->node[value].at = start;
        }
    } while (count <= f->most && take_sign(p, ","));
    if (count < f->least || count > f->most) {
        return brn_fail(p->ctx, BRN_ERR_FORMAT, "position %d: %s takes %d value%s%s", start + 1, f->name,
                        f->least, f->least == 1 ? "" : "s", f->most == MANY ? " or more" : "");
    }
    if (!take_sign(p, ")")) {
        return fail_expected(p, "')'");
    }
    if (f->most == 1) {
        return add_node(p, (brn_expression_node){.op = f->op, .a = value, .b = -1, .at = start}, out);
    }
    p->e->node[value].length = position(p) - start;
    *out = value;
    return BRN_OK;
}

static brn_status parse_name(parser *p, int *out)
{
    const int start = position(p);
    const size_t n = name_length(p->at);
    for (int i = 0; i < FUNCTIONS; ++i) {
        if (is_word(p->at, n, functions[i].name)) {
            p->at += n;
            return parse_call(p, &functions[i], start, out);
        }
    }
    if (is_word(p->at, n, "and") || is_word(p->at, n, "or")) {
        return fail_expected(p, "a value");
    }
    brn_expression_node node = {.op = BRN_OP_NAME, .a = -1, .b = -1, .at = start};
    if (is_word(p->at, n, "pi")) {
        node.op = BRN_OP_NUMBER;
        node.number = 3.14159265358979323846;
    } else {
        node.text = keep_word(p, p->at, n);
    }
    p->at += n;
    skip_blanks(p);
    if (*p->at == '(') {
        const char *words[FUNCTIONS];
        for (int i = 0; i < FUNCTIONS; ++i) {
            words[i] = functions[i].name;
        }
        const int near = node.text != NULL ? brn_nearest_word(node.text, words, FUNCTIONS) : -1;
        return brn_fail(p->ctx, BRN_ERR_FORMAT, "position %d: there is no function '%.40s'%s%s%s", start + 1,
                        node.text != NULL ? node.text : "pi", near >= 0 ? "; did you mean '" : "",
                        near >= 0 ? words[near] : "", near >= 0 ? "'?" : "");
    }
    return add_node(p, node, out);
}

static brn_status parse_primary(parser *p, int *out)
{
    skip_blanks(p);
    const char c = *p->at;
    if (c != '\0' && (strchr(digits, c) != NULL || (c == '.' && strchr(digits, p->at[1]) != NULL && p->at[1] != '\0'))) {
        return parse_number(p, out);
    }
    if (c == '\'' || c == '"' || c == '`') {
        return parse_quoted(p, out);
    }
    if (is_letter(c)) {
        return parse_name(p, out);
    }
    if (c != '(') {
        return fail_expected(p, "a value");
    }
    ++p->at;
    BRN_TRY(parse_or(p, out));
    return take_sign(p, ")") ? BRN_OK : fail_expected(p, "')'");
}

/* ---- operators ------------------------------------------------------------------------------------------------------------ */

static brn_status parse_power(parser *p, int *out)
{
    BRN_TRY(parse_primary(p, out));
    if (!take_sign(p, "^")) {
        return BRN_OK;
    }
    int exponent = -1;
    BRN_TRY(parse_unary(p, &exponent));
    return join(p, BRN_OP_POWER, *out, exponent, out);
}

static brn_status parse_unary(parser *p, int *out)
{
    skip_blanks(p);
    const int start = position(p);
    if (!take_sign(p, "-")) {
        return parse_power(p, out);
    }
    BRN_TRY(enter(p));
    int value = -1;
    BRN_TRY(parse_unary(p, &value));
    --p->depth;
    return add_node(p, (brn_expression_node){.op = BRN_OP_NEGATE, .a = value, .b = -1, .at = start}, out);
}

static brn_status parse_product(parser *p, int *out)
{
    BRN_TRY(parse_unary(p, out));
    for (;;) {
        const bool times = take_sign(p, "*");
        if (!times && !take_sign(p, "/")) {
            return BRN_OK;
        }
        int next = -1;
        BRN_TRY(parse_unary(p, &next));
        BRN_TRY(join(p, times ? BRN_OP_MULTIPLY : BRN_OP_DIVIDE, *out, next, out));
    }
}

static brn_status parse_sum(parser *p, int *out)
{
    BRN_TRY(parse_product(p, out));
    for (;;) {
        const bool plus = take_sign(p, "+");
        if (!plus && !take_sign(p, "-")) {
            return BRN_OK;
        }
        int next = -1;
        BRN_TRY(parse_product(p, &next));
        BRN_TRY(join(p, plus ? BRN_OP_ADD : BRN_OP_SUBTRACT, *out, next, out));
    }
}

static bool take_comparison(parser *p, brn_expression_op *op)
{
    static const struct {
        const char *sign;
        brn_expression_op op;
    } signs[] = {{"<=", BRN_OP_LESS_EQUAL}, {">=", BRN_OP_GREATER_EQUAL}, {"==", BRN_OP_EQUAL},
                 {"!=", BRN_OP_NOT_EQUAL},  {"<", BRN_OP_LESS},           {">", BRN_OP_GREATER}};
    for (int i = 0; i < (int)(sizeof signs / sizeof *signs); ++i) {
        if (take_sign(p, signs[i].sign)) {
            *op = signs[i].op;
            return true;
        }
    }
    return false;
}

static brn_status parse_compare(parser *p, int *out)
{
    BRN_TRY(parse_sum(p, out));
    brn_expression_op op = BRN_OP_LESS, again = op;
    if (!take_comparison(p, &op)) {
        return BRN_OK;
    }
    int next = -1;
    BRN_TRY(parse_sum(p, &next));
    BRN_TRY(join(p, op, *out, next, out));
    const int here = position(p);
    if (take_comparison(p, &again)) {
        return brn_fail(p->ctx, BRN_ERR_FORMAT, "position %d: a second comparison; write 'a < b and b < c'",
                        here + 1);
    }
    return BRN_OK;
}

static brn_status parse_not(parser *p, int *out)
{
    skip_blanks(p);
    const int start = position(p);
    if (!take_keyword(p, "not")) {
        return parse_compare(p, out);
    }
    BRN_TRY(enter(p));
    int value = -1;
    BRN_TRY(parse_not(p, &value));
    --p->depth;
    return add_node(p, (brn_expression_node){.op = BRN_OP_NOT, .a = value, .b = -1, .at = start}, out);
}

static brn_status parse_and(parser *p, int *out)
{
    BRN_TRY(parse_not(p, out));
    while (take_keyword(p, "and")) {
        int next = -1;
        BRN_TRY(parse_not(p, &next));
        BRN_TRY(join(p, BRN_OP_AND, *out, next, out));
    }
    return BRN_OK;
}

static brn_status parse_or(parser *p, int *out)
{
    BRN_TRY(enter(p));
    BRN_TRY(parse_and(p, out));
    while (take_keyword(p, "or")) {
        int next = -1;
        BRN_TRY(parse_and(p, &next));
        BRN_TRY(join(p, BRN_OP_OR, *out, next, out));
    }
    --p->depth;
    return BRN_OK;
}

static brn_status parse_all(parser *p)
{
    brn_expression *e = p->e;
    BRN_TRY(parse_or(p, &e->root));
    skip_blanks(p);
    if (*p->at == '=' && p->at[1] != '=') {
        return brn_fail(p->ctx, BRN_ERR_FORMAT, "position %d: '=' where '==' should be", position(p) + 1);
    }
    return *p->at == '\0' ? BRN_OK : fail_expected(p, "an operator or the end");
}

brn_status brn_expression_parse(brn_ctx *ctx, const char *text, brn_expression **out)
{
    *out = NULL;
    const size_t length = strlen(text);
    if (length > BRN_EXPRESSION_BYTES_MAX) {
        return brn_fail(ctx, BRN_ERR_FORMAT, "longer than %d characters", BRN_EXPRESSION_BYTES_MAX);
    }
    brn_expression *e = NULL;
    BRN_ALLOC(ctx, e, 1);
    e->ctx = ctx;
    e->text = brn_strdup(ctx, text);
    e->words = brn_calloc(ctx, 2 * length + 2, 1); /* a '\0' a word, and every word has a byte at least */
    parser p = {.ctx = ctx, .e = e, .at = e->text};
    const brn_status status = e->text != NULL && e->words != NULL ? parse_all(&p) : BRN_ERR_MEMORY;
    if (status < 0) {
        brn_expression_destroy(e);
        return status;
    }
    *out = e;
    return BRN_OK;
}

void brn_expression_destroy(brn_expression *expression)
{
    if (expression == NULL) {
        return;
    }
    brn_free(expression->ctx, expression->node);
    brn_free(expression->ctx, expression->words);
    brn_free(expression->ctx, expression->text);
    brn_free(expression->ctx, expression);
}

const char *brn_expression_text(const brn_expression *expression)
{
    return expression->text;
}

bool brn_expression_is_name(const char *word)
{
    const size_t n = name_length(word);
    bool fine = n > 0 && word[n] == '\0' && strcmp(word, "pi") != 0 && strcmp(word, "and") != 0 &&
                strcmp(word, "or") != 0 && strcmp(word, "not") != 0;
    for (int i = 0; i < FUNCTIONS; ++i) {
        fine = fine && strcmp(word, functions[i].name) != 0;
    }
    return fine;
}
