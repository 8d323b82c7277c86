/* The hash of a described struct sees every value of every kind, and nothing else: no padding, lines or addresses. */
#include "test.h"

#include "base/hash.h"
#include "base/param.h"

#include <math.h>

typedef struct inner {
    brn_block block;
    bool flag;
    int count;
} inner;

static const brn_param inner_params[] = {
    BRN_P_BOOL(inner, flag, false, ""),
    BRN_P_INT(inner, count, 3, 0, 10, ""),
};
static const brn_table inner_table = {
    .name = "inner", .size = sizeof(inner), .params = inner_params, .nparams = BRN_COUNT(inner_params)};
static const brn_table twin_table = {
    .name = "twin", .size = sizeof(inner), .params = inner_params, .nparams = BRN_COUNT(inner_params)};

typedef struct outer {
    brn_block block;
    double real;
    int number, choice;
    bool flag;
    const char *text;
    double vector[3];
    brn_reals reals;
    brn_ints ints;
    brn_texts texts;
    brn_rows rows;
    inner one, standing;
    brn_blocks many, named;
    brn_variant variant;
    brn_variants variants;
} outer;

#define FIELD(field, kind_)                                         \
 {                                                                  \
  .name = #field, .kind = (kind_), .offset = offsetof(outer, field) \
 }
static const brn_param params[] = {
    FIELD(real, BRN_REAL),
    FIELD(number, BRN_INT),
    FIELD(choice, BRN_CHOICE),
    FIELD(flag, BRN_BOOL),
    FIELD(text, BRN_TEXT),
    FIELD(vector, BRN_VECTOR),
    FIELD(reals, BRN_REALS),
    FIELD(ints, BRN_INTS),
    FIELD(texts, BRN_TEXTS),
    FIELD(rows, BRN_ROWS),
    {.name = "one", .kind = BRN_BLOCK, .offset = offsetof(outer, one), .table = &inner_table},
    {.name = "standing",
     .kind = BRN_BLOCK,
     .offset = offsetof(outer, standing),
     .table = &inner_table,
     .standing = true},
    {.name = "many", .kind = BRN_BLOCKS, .offset = offsetof(outer, many), .table = &inner_table},
    {.name = "named", .kind = BRN_NAMED, .offset = offsetof(outer, named), .table = &inner_table},
    FIELD(variant, BRN_TAGGED),
    FIELD(variants, BRN_TAGGEDS),
};
static const brn_table table = {
    .name = "outer", .size = sizeof(outer), .params = params, .nparams = BRN_COUNT(params)};

/* Where the lists of a struct are, so that every example has addresses of its own. */
typedef struct example {
    outer value;
    double reals[3], rows[4];
    int ints[2];
    char text[8], word[2][8];
    const char *words[2];
    inner many[2], named[1], chosen, item;
    brn_variant items[1];
} example;

static void fill(example *e, int rubbish)
{
    memset(e, rubbish, sizeof *e);
    const brn_block block = {.line = rubbish};
    strcpy(e->text, "abc");
    strcpy(e->word[0], "one");
    strcpy(e->word[1], "two");
    for (int i = 0; i < 4; ++i) {
        e->rows[i] = i;
        e->reals[i % 3] = 2.0 * (i % 3);
        e->ints[i % 2] = 5 + i % 2;
    }
    inner *const blocks[] = {&e->many[0], &e->many[1],   &e->named[0],      &e->chosen,
                             &e->item,    &e->value.one, &e->value.standing};
    for (int i = 0; i < BRN_COUNT(blocks); ++i) {
        blocks[i]->block = block;
        blocks[i]->flag = i % 2 == 0;
        blocks[i]->count = i;
    }
    e->named[0].block.name = "name";
    e->words[0] = e->word[0];
    e->words[1] = e->word[1];
    e->items[0] = (brn_variant){&twin_table, &e->item};
    outer *v = &e->value;
    v->block = block;
    v->real = NAN;
    v->number = 4;
    v->choice = 1;
    v->flag = true;
    v->text = e->text;
    v->vector[0] = v->vector[1] = v->vector[2] = 0.5;
    v->reals = (brn_reals){3, e->reals};
    v->ints = (brn_ints){2, e->ints};
    v->texts = (brn_texts){2, e->words, NULL};
    v->rows = (brn_rows){2, 2, e->rows};
    v->many = (brn_blocks){2, e->many};
    v->named = (brn_blocks){1, e->named};
    v->variant = (brn_variant){&inner_table, &e->chosen};
    v->variants = (brn_variants){1, e->items};
}

static uint64_t hash_of(const example *e)
{
    return brn_table_hash(BRN_HASH_START, &table, &e->value);
}

static void test_hash_of_a_table(void **state)
{
    (void)state;
    static example a;
    static example b;
    fill(&a, 0x11);
    const uint64_t hash = hash_of(&a);
    /* the same values elsewhere, with other padding and lines, and another NaN */
    fill(&b, 0x77);
    b.value.real = copysign(NAN, -1.0);
    b.value.standing.block.line = 0;
    assert_true(hash_of(&b) == hash);
#define CHANGE(what)               \
 fill(&b, 0x11);                   \
 what;                             \
 if (hash_of(&b) == hash) {        \
  fail_msg("not seen: %s", #what); \
 }
    CHANGE(b.value.real = 0.0)
    CHANGE(b.value.number = 5)
    CHANGE(b.value.choice = 0)
    CHANGE(b.value.flag = false)
    CHANGE(b.text[2] = 'd')
    CHANGE(b.value.text = NULL)
    CHANGE(b.value.vector[2] = 0.25)
    CHANGE(b.reals[1] = 2.5)
    CHANGE(b.value.reals.count = 2)
    CHANGE(b.ints[1] = 7)
    CHANGE(b.value.ints.count = 1)
    CHANGE(b.word[1][0] = 'x')
    CHANGE(b.value.texts.count = 1)
    CHANGE(b.rows[3] = 7.0)
    CHANGE(b.value.rows = ((brn_rows){1, 4, b.rows}))
    CHANGE(b.value.one.count = 9)
    CHANGE(b.value.one.block.line = 0)
    CHANGE(b.value.standing.flag = !b.value.standing.flag)
    CHANGE(b.many[1].count = 9)
    CHANGE(b.value.many.count = 1)
    CHANGE(b.named[0].block.name = "other")
    CHANGE(b.value.variant.table = &twin_table)
    CHANGE(b.value.variant.table = NULL)
    CHANGE(b.chosen.count = 9)
    CHANGE(b.item.count = 9)
    CHANGE(b.value.variants.count = 0)
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hash_of_a_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
