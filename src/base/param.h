/* Parameter tables. One table describes a C struct field by field: name, kind, unit, default, range, help. The scene
   parser fills the struct from it and checks it, `brunt info` and the scene reference print it, the resolved scene is
   written from it. Tables nest, so that one root table is the whole scene format.

   Every struct that a table describes starts with a brn_block. */
#ifndef BRN_BASE_PARAM_H
#define BRN_BASE_PARAM_H

#include <brunt/brunt.h>
#include <math.h>

typedef enum brn_kind {
    BRN_REAL,         /* double */
    BRN_INT,          /* int */
    BRN_BOOL,         /* bool */
    BRN_CHOICE,       /* int: index into choices */
    BRN_TEXT,         /* const char *, NULL when absent and no default */
    BRN_VECTOR,       /* double[3]: 3 numbers, or 2 in a 2D scene (the third is then 0) */
    BRN_REALS,        /* brn_reals: `count` numbers, or any number of them where count is 0 */
    BRN_INTS,         /* brn_ints: likewise */
    BRN_TEXTS,        /* brn_texts: a list of words, each one of choices if choices is given */
    BRN_ROWS,         /* brn_rows: a list of equally long lists of numbers */
    BRN_BLOCK,        /* a nested struct, described by table; block.line == 0 when absent */
    BRN_BLOCKS,       /* brn_blocks: a list of structs; a single map is taken as a list of one */
    BRN_NAMED,        /* brn_blocks: a map from a name (block.name) to a struct */
    BRN_TAGGED,       /* brn_variant: a map whose key `type` names one of the tables of a set */
    BRN_TAGGEDS,      /* brn_variants: a list of tagged variants (bodies) */
    BRN_NAMED_TAGGED, /* brn_variants: a map from a name to a tagged variant (materials) */
    BRN_KEYED,        /* brn_variant: a map with one key that names a table: {box: {...}} */
    BRN_KEYED_HERE,   /* brn_variant: like KEYED, but the key is one of the parent's own keys */
} brn_kind;

/* Head of every described struct. path and name live as long as the scene. */
typedef struct brn_block {
    int line; /* in the scene file; 0: the block was not given; -1: given by an override (brn_scene_set) */
    const char *path; /* "bodies[3].shape" */
    const char *name; /* the key of a named block, the `name` of a body, else NULL */
} brn_block;

static inline bool brn_block_given(const brn_block *block)
{
    return block->line != 0;
}

typedef struct brn_table brn_table;

typedef struct brn_reals {
    int count;
    /* [count]; if given, padded with zeros to at least 3, so that a point in 2D may be read as one in 3D */
    double *v;
} brn_reals;

typedef struct brn_ints {
    int count;
    int *v;
} brn_ints;

typedef struct brn_texts {
    int count;
    const char **v;
    int *choice; /* index of each word where the table gives choices */
} brn_texts;

typedef struct brn_rows {
    int rows, columns;
    double *v; /* [rows][columns] */
} brn_rows;

typedef struct brn_blocks {
    int count;
    void *items; /* [count] structs of table->size bytes */
} brn_blocks;

typedef struct brn_variant {
    const brn_table *table; /* NULL when absent */
    void *value;            /* a struct described by table */
} brn_variant;

typedef struct brn_variants {
    int count;
    brn_variant *items;
} brn_variants;

/* Which values are allowed at the ends of a range. */
typedef enum brn_bounds { BRN_CLOSED, BRN_OPEN, BRN_OPEN_LOW, BRN_OPEN_HIGH } brn_bounds;

typedef struct brn_param {
    const char *name;
    brn_kind kind;
    size_t offset;
    const char *unit; /* "Pa", "1" for a plain number, NULL where it makes no sense */
    const char *help; /* one line */
    bool required;
    double standard; /* default of REAL, INT, BOOL, CHOICE */
    double lo,
        hi; /* range of REAL, INT and of each entry of VECTOR, REALS, INTS, ROWS; both 0: any finite number */
    brn_bounds bounds;
    int count;                  /* REALS, INTS, TEXTS, ROWS (columns): how many; 0 any */
    const char *const *choices; /* NULL-terminated words of CHOICE and TEXTS */
    /* default of TEXT, of TEXTS (words with blanks between), type of an absent TAGGED; may be NULL */
    const char *text;
    const double *vector;   /* default of VECTOR and REALS of fixed count, NULL: zeros */
    int vector_count;       /* REALS of any count: how many `vector` has */
    const brn_table *table; /* BLOCK, BLOCKS, NAMED */
    bool standing;          /* BLOCK: absent is the same as empty, so the resolved scene shows its defaults */
    int set;                /* TAGGED..., KEYED...: which set of tables, see brn_table_set */
    bool resumable;         /* of a method: how far a run may go, not how; a resume may change it */
} brn_param;

/* A key that is none, but that people write, and what to write instead. */
typedef struct brn_hint {
    const char *word, *instead;
} brn_hint;

struct brn_table {
    const char *name; /* "neo_hookean", "box", "scene" */
    const char *help; /* one line */
    size_t size;      /* of the struct */
    const brn_param *params;
    int nparams;
    /* a parameter that a bare scalar or list in place of the map stands for, or NULL */
    const char *shorthand;
    /* Checks across fields, called with the filled struct once each field is valid by itself;
       reports what is wrong with brn_scene_add_problem. May be NULL. */
    void (*check)(brn_scene *scene, int dimension, const void *value);
    const brn_hint *hints; /* ended by a NULL word; may be NULL */
};

/* The sets of tables that a variant may choose from. The parser gets them as arrays, so that scene/ need not know the layers
   above it. */
enum { BRN_SET_METHOD, BRN_SET_MATERIAL, BRN_SET_MESH, BRN_SET_BODY, BRN_SET_SHAPE, BRN_SET_COUNT };

typedef struct brn_table_set {
    const char *noun; /* "material" */
    const brn_table *const *tables;
    int count;
} brn_table_set;

/* The whole scene format: the root table and the sets its variants refer to. */
typedef struct brn_schema {
    const brn_table *root;
    brn_table_set sets[BRN_SET_COUNT];
    bool (*touches)(const brn_table *method); /* may bodies touch each other with it? NULL: never */
} brn_schema;

#define BRN_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Short forms for common cases; anything else is written as a designated initialiser. */
#define BRN_P_REAL(type, field, unit_, standard_, lo_, hi_, bounds_, help_)                            \
 {                                                                                                     \
  .name = #field, .kind = BRN_REAL, .offset = offsetof(type, field), .unit = (unit_), .help = (help_), \
  .standard = (standard_), .lo = (lo_), .hi = (hi_), .bounds = (bounds_)                               \
 }
/* A length that must be given. */
#define BRN_P_LENGTH(type, field, help_)                                                           \
 {                                                                                                 \
  .name = #field, .kind = BRN_REAL, .offset = offsetof(type, field), .unit = "m", .help = (help_), \
  .required = true, .hi = INFINITY, .bounds = BRN_OPEN                                             \
 }
#define BRN_P_INT(type, field, standard_, lo_, hi_, help_)                                        \
 {                                                                                                \
  .name = #field, .kind = BRN_INT, .offset = offsetof(type, field), .unit = "1", .help = (help_), \
  .standard = (standard_), .lo = (lo_), .hi = (hi_)                                               \
 }
#define BRN_P_BOOL(type, field, standard_, help_)                                     \
 {                                                                                    \
  .name = #field, .kind = BRN_BOOL, .offset = offsetof(type, field), .help = (help_), \
  .standard = (standard_)                                                             \
 }
#define BRN_P_CHOICE(type, field, standard_, choices_, help_)                           \
 {                                                                                      \
  .name = #field, .kind = BRN_CHOICE, .offset = offsetof(type, field), .help = (help_), \
  .standard = (standard_), .choices = (choices_)                                        \
 }
#define BRN_P_VECTOR(type, field, unit_, help_)                                                         \
 {                                                                                                      \
  .name = #field, .kind = BRN_VECTOR, .offset = offsetof(type, field), .unit = (unit_), .help = (help_) \
 }
#define BRN_P_TEXT(type, field, help_)                                               \
 {                                                                                   \
  .name = #field, .kind = BRN_TEXT, .offset = offsetof(type, field), .help = (help_) \
 }
#define BRN_P_BLOCK(type, field, table_, help_)                                                          \
 {                                                                                                       \
  .name = #field, .kind = BRN_BLOCK, .offset = offsetof(type, field), .help = (help_), .table = (table_) \
 }

/* Fills a described struct with its defaults, nested blocks included (marked as not given). */
void brn_table_defaults(const brn_table *table, void *out);
const brn_param *brn_table_find(const brn_table *table, const char *name);
/* True if the value is inside the parameter's range; false for NaN. */
bool brn_param_in_range(const brn_param *param, double value);
/* "> 0", "in [0, 1)", "in (-1, 0.5)": for messages and the reference. Returns buffer. */
char *brn_param_range_text(const brn_param *param, char *buffer, size_t size);
/* Extends a hash (base/hash.h) by the value of a parameter, or of every one of a described struct, nested ones too. */
uint64_t brn_param_hash(uint64_t hash, const brn_param *param, const void *field);
uint64_t brn_table_hash(uint64_t hash, const brn_table *table, const void *value);

#endif
