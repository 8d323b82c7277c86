/* Shared by expression.c and expression_parse.c. */
#ifndef BRN_STUDY_EXPRESSION_INNER_H
#define BRN_STUDY_EXPRESSION_INNER_H

#include "study/expression.h"

typedef enum brn_expression_op {
    BRN_OP_NUMBER,
    BRN_OP_WORD,
    BRN_OP_NAME,
    BRN_OP_NEGATE,
    BRN_OP_NOT,
    BRN_OP_ABS,
    BRN_OP_SQRT,
    BRN_OP_SIN,
    BRN_OP_COS,
    BRN_OP_EXP,
    BRN_OP_LOG,
    BRN_OP_ADD,
    BRN_OP_SUBTRACT,
    BRN_OP_MULTIPLY,
    BRN_OP_DIVIDE,
    BRN_OP_POWER,
    BRN_OP_MIN,
    BRN_OP_MAX,
    BRN_OP_ATAN2,
    BRN_OP_OR_ELSE,
    BRN_OP_LESS,
    BRN_OP_LESS_EQUAL,
    BRN_OP_GREATER,
    BRN_OP_GREATER_EQUAL,
    BRN_OP_EQUAL,
    BRN_OP_NOT_EQUAL,
    BRN_OP_AND,
    BRN_OP_OR
} brn_expression_op;

/* A node comes after its parts. */
typedef struct brn_expression_node {
    brn_expression_op op;
    int a, b;        /* its parts; -1: none. Of BRN_COLUMN_AT: a is the time */
    int at, length;  /* bytes of the text that it is */
    double number;   /* NUMBER */
    const char *text; /* NAME, WORD */
    brn_column_use use;
} brn_expression_node;

struct brn_expression {
    brn_ctx *ctx;
    char *text;
    char *words; /* storage of names and words, each ended by '\0' */
    size_t used; /* of words */
    brn_expression_node *node;
    int count, capacity, root;
};

#endif
