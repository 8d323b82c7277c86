#include "study/expression_inner.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

const char *brn_expression_help(void)
{
    return "  + - * / ^ ( )            arithmetic; ^ is a power\n"
           "  < <= > >= == !=          1 where it holds, else 0; words are compared by == and !=\n"
           "  and or not               of such values\n"
           "  pi, 1.5e-3, 'rest'       numbers and words\n"
           "  min(..) max(..)          of two or more\n"
           "  abs sqrt sin cos exp log atan2(y, x)\n"
           "  or_else(x, y)            x, or y where x has no value: a flight that never was\n"
           "  first last highest lowest mean(column), at(column, time)\n"
           "                           of a column of series.csv; its name alone is the last value\n"
           "  names                    parameters, keys of summary.json, columns of series.csv; "
           "`arm/right.x` in "
           "backticks\n"
           "                           where a name has other characters than letters, digits, '_' and '.'\n";
}

/* ---- evaluating ------------------------------------------------------------------------------------------------------ */

static brn_value number(double value)
{
    return (brn_value){.kind = BRN_VALUE_NUMBER, .number = value};
}

static const brn_value none = {.kind = BRN_VALUE_NONE};

/* NaN is as little known as none. */
static bool is_known(brn_value value)
{
    return value.kind == BRN_VALUE_WORD || (value.kind == BRN_VALUE_NUMBER && !isnan(value.number));
}

static bool is_true(brn_value value)
{
    return value.kind == BRN_VALUE_NUMBER && is_known(value) && value.number != 0.0;
}

static bool is_false(brn_value value)
{
    return value.kind == BRN_VALUE_NUMBER && value.number == 0.0;
}

static brn_value compare(brn_expression_op op, brn_value a, brn_value b)
{
    if (!is_known(a) || !is_known(b)) {
        return a.kind == BRN_VALUE_NONE || b.kind == BRN_VALUE_NONE ? none : number(NAN);
    }
    if (a.kind != b.kind) {
        return none; /* a figure that is a word here and a number there */
    }
    int order;
    if (a.kind == BRN_VALUE_WORD) {
        order = strcmp(a.word, b.word);
    } else {
        order = a.number < b.number ? -1 : a.number > b.number;
    }
    switch (op) {
    case BRN_OP_LESS:
        return number(order < 0);
    case BRN_OP_LESS_EQUAL:
        return number(order <= 0);
    case BRN_OP_GREATER:
        return number(order > 0);
    case BRN_OP_GREATER_EQUAL:
        return number(order >= 0);
    case BRN_OP_EQUAL:
        return number(order == 0);
    default:
        return number(order != 0);
    }
}

static double arithmetic(brn_expression_op op, double a, double b)
{
    switch (op) {
    case BRN_OP_ADD:
        return a + b;
    case BRN_OP_SUBTRACT:
        return a - b;
    case BRN_OP_MULTIPLY:
        return a * b;
    case BRN_OP_DIVIDE:
        return a / b;
    case BRN_OP_POWER: /* NaN^0 and 1^NaN are 1 in C */
        return isnan(a) || isnan(b) ? NAN : pow(a, b);
    case BRN_OP_MIN:
        return isnan(a) || isnan(b) ? NAN : fmin(a, b);
    case BRN_OP_MAX:
        return isnan(a) || isnan(b) ? NAN : fmax(a, b);
    case BRN_OP_ATAN2:
        return atan2(a, b);
    case BRN_OP_NEGATE:
        return -a;
    case BRN_OP_ABS:
        return fabs(a);
    case BRN_OP_SQRT:
        return sqrt(a);
    case BRN_OP_SIN:
        return sin(a);
    case BRN_OP_COS:
        return cos(a);
    case BRN_OP_EXP:
        return exp(a);
    default: /* BRN_OP_LOG */
        return log(a);
    }
}

/* What the other side decides is known even where this one is not. */
static brn_value logic(brn_expression_op op, brn_value a, brn_value b)
{
    const bool both = op == BRN_OP_AND;
    if (both ? is_false(a) || is_false(b) : is_true(a) || is_true(b)) {
        return number(!both);
    }
    if (both ? is_true(a) && is_true(b) : is_false(a) && is_false(b)) {
        return number(both);
    }
    return none;
}

/* The parser has limited brackets and length, and so the depth. */
static brn_value evaluate(const brn_expression *e, int index, const brn_value_source *source)
{
    const brn_expression_node *n = &e->node[index];
    const brn_value a = n->a >= 0 ? evaluate(e, n->a, source) : none;
    const brn_value b = n->b >= 0 ? evaluate(e, n->b, source) : none;
    switch (n->op) {
    case BRN_OP_NUMBER:
        return number(n->number);
    case BRN_OP_WORD:
        return (brn_value){.kind = BRN_VALUE_WORD, .word = n->text};
    case BRN_OP_NAME:
        if (n->use == BRN_COLUMN_AT && !(a.kind == BRN_VALUE_NUMBER && is_known(a))) {
            return none;
        }
        return source->get(source->user, n->text, n->use, a.number);
    case BRN_OP_OR_ELSE:
        return is_known(a) ? a : b;
    case BRN_OP_NOT:
        return is_true(a) ? number(0.0) : is_false(a) ? number(1.0) : none;
    case BRN_OP_AND:
    case BRN_OP_OR:
        return logic(n->op, a, b);
    case BRN_OP_LESS:
    case BRN_OP_LESS_EQUAL:
    case BRN_OP_GREATER:
    case BRN_OP_GREATER_EQUAL:
    case BRN_OP_EQUAL:
    case BRN_OP_NOT_EQUAL:
        return compare(n->op, a, b);
    default:
        if (a.kind != BRN_VALUE_NUMBER || (n->b >= 0 && b.kind != BRN_VALUE_NUMBER)) {
            return none;
        }
        return number(arithmetic(n->op, a.number, b.number));
    }
}

brn_value brn_expression_value(const brn_expression *expression, const brn_value_source *source)
{
    return evaluate(expression, expression->root, source);
}

double brn_expression_number(const brn_expression *expression, const brn_value_source *source)
{
    const brn_value value = brn_expression_value(expression, source);
    return value.kind == BRN_VALUE_NUMBER ? value.number : NAN;
}

bool brn_expression_holds(const brn_expression *expression, const brn_value_source *source)
{
    return is_true(brn_expression_value(expression, source));
}

bool brn_expression_is_margin(const brn_expression *expression)
{
    const brn_expression_op op = expression->node[expression->root].op;
    return op == BRN_OP_LESS || op == BRN_OP_LESS_EQUAL || op == BRN_OP_GREATER || op == BRN_OP_GREATER_EQUAL;
}

double brn_expression_margin(const brn_expression *expression, const brn_value_source *source)
{
    const brn_expression_node *n = &expression->node[expression->root];
    const bool less = n->op == BRN_OP_LESS || n->op == BRN_OP_LESS_EQUAL;
    const brn_value a = evaluate(expression, less ? n->a : n->b, source);
    const brn_value b = evaluate(expression, less ? n->b : n->a, source);
    return a.kind == BRN_VALUE_NUMBER && b.kind == BRN_VALUE_NUMBER ? a.number - b.number : NAN;
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

int brn_expression_reference_count(const brn_expression *expression)
{
    int count = 0;
    for (int i = 0; i < expression->count; ++i) {
        count += expression->node[i].op == BRN_OP_NAME;
    }
    return count;
}

/* The node of a reference; the caller keeps to the count. */
static int reference_node(const brn_expression *e, int index)
{
    for (int i = 0; i < e->count; ++i) {
        if (e->node[i].op == BRN_OP_NAME && index-- == 0) {
            return i;
        }
    }
    return -1;
}

brn_reference brn_expression_reference(const brn_expression *expression, int index)
{
    const int found = reference_node(expression, index);
    if (found < 0) {
        return (brn_reference){.name = "", .text = ""};
    }
    const brn_expression_node *n = &expression->node[found];
    return (brn_reference){n->text, expression->text + n->at, n->length, n->use};
}

brn_value brn_expression_reference_value(const brn_expression *expression, int index,
                                         const brn_value_source *source)
{
    const int found = reference_node(expression, index);
    return found >= 0 ? evaluate(expression, found, source) : none;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------------ */

typedef struct checker {
    brn_ctx *ctx;
    const brn_expression *e;
    const brn_known_name *known;
    int nknown;
} checker;

static brn_status fail_name(const checker *c, const brn_expression_node *n)
{
    const char **words = brn_calloc(c->ctx, (size_t)c->nknown, sizeof *words);
    if (words == NULL) {
        return BRN_ERR_MEMORY;
    }
    const bool columns = n->use != BRN_COLUMN_PLAIN;
    bool figures = false; /* known beside parameters */
    int count = 0;
    for (int i = 0; i < c->nknown; ++i) {
        figures = figures || c->known[i].column;
        if (c->known[i].column || !columns) {
            words[count++] = c->known[i].name;
        }
    }
    const int near = brn_nearest_word(n->text, words, count);
    const brn_status status = brn_fail(
        c->ctx, BRN_ERR_FORMAT, "position %d: unknown %s '%s'%s%s%s", n->at + 1, columns ? "column" : "name",
        n->text, near >= 0 ? "; did you mean '" : "", near >= 0 ? words[near] : "",
        near >= 0 ? "'?"
        : figures ? ": a parameter, a key of summary.json or a column of series.csv ('brunt info figures')"
                  : ": only parameters are known before the run");
    brn_free(c->ctx, (void *)words);
    return status;
}

static brn_status name_kind(const checker *c, const brn_expression_node *n, bool *word)
{
    for (int i = 0; i < c->nknown; ++i) {
        const brn_known_name *k = &c->known[i];
        if (strcmp(k->name, n->text) == 0 && (k->column || n->use == BRN_COLUMN_PLAIN)) {
            *word = k->word;
            return BRN_OK;
        }
    }
    return fail_name(c, n);
}

static brn_status fail_kind(const checker *c, int index, bool word)
{
    const brn_expression_node *n = &c->e->node[index];
    return brn_fail(c->ctx, BRN_ERR_FORMAT, "position %d: '%.*s' is a %s where a %s is needed", n->at + 1,
                    n->length, c->e->text + n->at, word ? "word" : "number", word ? "number" : "word");
}

/* Whether a part is a word; its own parts come before it in the list, so that `kind` knows them. */
static brn_status part_kind(const checker *c, int index, const bool *kind, bool *word)
{
    const brn_expression_node *n = &c->e->node[index];
    const bool a = n->a >= 0 && kind[n->a], b = n->b >= 0 && kind[n->b];
    *word = false;
    switch (n->op) {
    case BRN_OP_NAME:
        return a ? fail_kind(c, n->a, true) : name_kind(c, n, word);
    case BRN_OP_WORD:
        *word = true;
        return BRN_OK;
    case BRN_OP_OR_ELSE:
        *word = a;
        return a != b ? fail_kind(c, n->b, b) : BRN_OK;
    case BRN_OP_EQUAL:
    case BRN_OP_NOT_EQUAL:
        return a != b ? fail_kind(c, n->b, b) : BRN_OK;
    default:
        return a ? fail_kind(c, n->a, true) : b ? fail_kind(c, n->b, true) : BRN_OK;
    }
}

brn_status brn_expression_check(brn_ctx *ctx, const brn_expression *expression, const brn_known_name *known,
                                int nknown, bool *word)
{
    const checker c = {ctx, expression, known, nknown};
    bool *kind = NULL;
    BRN_ALLOC(ctx, kind, expression->count);
    brn_status status = BRN_OK;
    for (int i = 0; i < expression->count && status >= 0; ++i) {
        status = part_kind(&c, i, kind, &kind[i]);
    }
    if (word != NULL) {
        *word = status >= 0 && kind[expression->count - 1]; /* the whole stands last */
    }
    brn_free(ctx, kind);
    return status;
}
