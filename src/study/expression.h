/* Arithmetic over names, as a design problem writes it: "abs(flight.turn_y - 2*pi)", "landing.verdict == 'rest' and tilt < 10".

   A value is a number, a word, or none: the figure of something that did not happen. None goes through arithmetic and
   comparisons as NaN does; `and` and `or` know it only where the other side does not decide; or_else(x, y) replaces it. */
#ifndef BRN_STUDY_EXPRESSION_H
#define BRN_STUDY_EXPRESSION_H

#include "base/ctx.h"

typedef enum brn_value_kind { BRN_VALUE_NONE, BRN_VALUE_NUMBER, BRN_VALUE_WORD } brn_value_kind;

typedef struct brn_value {
    brn_value_kind kind;
    double number;
    const char *word;
} brn_value;

/* How a column of a series becomes one value. */
typedef enum brn_column_use {
    BRN_COLUMN_PLAIN, /* no function: a figure, a parameter, or the last value of a column */
    BRN_COLUMN_FIRST,
    BRN_COLUMN_LAST,
    BRN_COLUMN_HIGHEST,
    BRN_COLUMN_LOWEST,
    BRN_COLUMN_MEAN, /* over time */
    BRN_COLUMN_AT    /* a time, linear between rows */
} brn_column_use;

/* Where names get their values from. time: of BRN_COLUMN_AT. */
typedef struct brn_value_source {
    brn_value (*get)(void *user, const char *name, brn_column_use use, double time);
    void *user;
} brn_value_source;

/* What a name may stand for; a name may be listed more than once. */
typedef struct brn_known_name {
    const char *name;
    bool word;   /* its value is a word */
    bool column; /* of a series: functions of columns take it */
} brn_known_name;

typedef struct brn_expression brn_expression;

/* The length limits how deeply chains such as 1+1+1 nest, which evaluating follows. */
enum { BRN_EXPRESSION_BYTES_MAX = 2000, BRN_EXPRESSION_DEPTH_MAX = 60 };

/* BRN_ERR_FORMAT, with "position 7: ..." as the ctx's message. */
brn_status brn_expression_parse(brn_ctx *ctx, const char *text, brn_expression **out);
void brn_expression_destroy(brn_expression *expression);
const char *brn_expression_text(const brn_expression *expression);
/* Every name must be known and be used as what it is; BRN_ERR_FORMAT as above, with the nearest name. *word: whether the whole is one; may be
   NULL. */
brn_status brn_expression_check(brn_ctx *ctx, const brn_expression *expression, const brn_known_name *known,
                                int nknown, bool *word);
brn_value brn_expression_value(const brn_expression *expression, const brn_value_source *source);
/* The number of it; NaN for words and none. */
double brn_expression_number(const brn_expression *expression, const brn_value_source *source);
/* Is it a number other than 0 (and NaN)? */
bool brn_expression_holds(const brn_expression *expression, const brn_value_source *source);

/* "a < b" as a - b, which is at most 0 where it holds: the form of a constraint. is_margin: whether it is a comparison of
   that kind (<, <=, >, >=) at all. */
bool brn_expression_is_margin(const brn_expression *expression);
double brn_expression_margin(const brn_expression *expression, const brn_value_source *source);

/* The names in it with the functions of columns about them: "highest(block.z)". text is as written. */
typedef struct brn_reference {
    const char *name;
    const char *text;
    int length; /* of text */
    brn_column_use use;
} brn_reference;

int brn_expression_reference_count(const brn_expression *expression);
brn_reference brn_expression_reference(const brn_expression *expression, int index);
brn_value brn_expression_reference_value(const brn_expression *expression, int index,
                                         const brn_value_source *source);

/* A word that can name a parameter: letters, digits, '_' and '.', and no word of the language. */
bool brn_expression_is_name(const char *word);
/* Reference text: operators and functions. */
const char *brn_expression_help(void);

#endif
