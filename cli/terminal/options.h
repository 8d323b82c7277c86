/* Command-line options from a table. One table per sub-command gives the parser, the usage line and the help, so they
   cannot disagree. Long options take `--name value` or `--name=value`, short ones `-o value` or `-ovalue`;
   `--` ends the options; options and operands may be mixed. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 }; /* exit codes */
enum { CLI_PARSED = -1 };                             /* go on: not an exit code */

typedef enum cli_kind {
    CLI_FLAG,   /* bool */
    CLI_TEXT,   /* const char * */
    CLI_INT,    /* int in [lo, hi] */
    CLI_CHOICE, /* const char *, one of choices */
    CLI_LIST,   /* cli_list: may be given many times */
} cli_kind;

/* Values in the order given; items point into argv, the array is freed with cli_list_free. */
typedef struct cli_list {
    const char **items;
    int count;
} cli_list;

typedef struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* short form, 0 if none */
    cli_kind kind;
    const char *value; /* what stands for the value in the help: "DIR"; NULL for a flag */
    const char *help;  /* one line */
    void *target;      /* where the value goes, by kind; holds the default at first */
    int lo, hi;
    const char *const *choices; /* NULL-terminated */
} cli_option;

typedef struct cli_syntax {
    const char *command; /* "run" */
    const char *summary; /* what it does, one or more lines */
    const char *operand; /* "SCENE"; NULL if it takes none */
    const char *operand_help;
    int operands_min; /* 0 or 1; at most one operand */
    const cli_option *options;
    int option_count;
    const char *examples; /* ready lines */
} cli_syntax;

/* Parses argv[0..argc) (the words after the command). --help and -h print the help to stdout and give CLI_DONE; an error
   goes to stderr and gives CLI_USAGE; otherwise CLI_PARSED, with *operand the operand or NULL. */
int cli_parse(const cli_syntax *syntax, int argc, char **argv, const char **operand);
void cli_print_help(const cli_syntax *syntax);
void cli_list_free(cli_list *list);

/* Index of the word nearest to `word` in edit distance, or -1 if none is near enough to suggest. */
int cli_nearest(const char *word, const char *const *words, int count);

#define CLI_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
