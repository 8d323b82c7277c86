/* Hashes of what tables describe. Values only: padding, line numbers and addresses do not count. */
#include "base/hash.h"
#include "base/param.h"

static uint64_t hash_reals(uint64_t hash, const double *v, int count)
{
    for (int i = 0; i < count; ++i) {
        const double value = isnan(v[i]) ? NAN : v[i]; /* every NaN means "not given" */
        hash = brn_hash_bytes(hash, &value, sizeof value);
    }
    return hash;
}

/* An absent text is not an empty one. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text != NULL ? brn_hash_text(hash, text) : brn_hash_bytes(hash, "", 1);
}

static uint64_t hash_variant(uint64_t hash, const brn_variant *variant)
{
    hash = hash_text(hash, variant->table != NULL ? variant->table->name : NULL);
    return variant->table != NULL ? brn_table_hash(hash, variant->table, variant->value) : hash;
}

static uint64_t hash_blocks(uint64_t hash, const brn_table *table, const brn_blocks *blocks)
{
    for (int i = 0; i < blocks->count; ++i) {
        const brn_block *block = (const void *)((const char *)blocks->items + (size_t)i * table->size);
        hash = brn_table_hash(hash_text(hash, block->name), table, block);
    }
    return brn_hash_bytes(hash, &blocks->count, sizeof blocks->count);
}

uint64_t brn_param_hash(uint64_t hash, const brn_param *param, const void *field)
{
    switch (param->kind) {
    case BRN_REAL:
        return hash_reals(hash, field, 1);
    case BRN_INT:
    case BRN_CHOICE:
        return brn_hash_bytes(hash, field, sizeof(int));
    case BRN_BOOL:
        return brn_hash_bytes(hash, field, sizeof(bool));
    case BRN_TEXT:
        return hash_text(hash, *(const char *const *)field);
    case BRN_VECTOR:
        return hash_reals(hash, field, 3);
    case BRN_REALS: {
        const brn_reals *list = field;
        return brn_hash_bytes(hash_reals(hash, list->v, list->count), &list->count, sizeof list->count);
    }
    case BRN_INTS: {
        const brn_ints *list = field;
        return brn_hash_bytes(hash, list->v, (size_t)list->count * sizeof *list->v);
    }
    case BRN_TEXTS: {
        const brn_texts *list = field;
        for (int i = 0; i < list->count; ++i) {
            hash = hash_text(hash, list->v[i]);
        }
        return brn_hash_bytes(hash, &list->count, sizeof list->count);
    }
    case BRN_ROWS: {
        const brn_rows *table = field;
        return brn_hash_bytes(hash_reals(hash, table->v, table->rows * table->columns), &table->columns,
                              sizeof table->columns);
    }
    case BRN_BLOCK: { /* for a standing block, absent is the same as empty */
        const bool given = param->standing || brn_block_given(field);
        return brn_table_hash(brn_hash_bytes(hash, &given, sizeof given), param->table, field);
    }
    case BRN_BLOCKS:
    case BRN_NAMED:
        return hash_blocks(hash, param->table, field);
    case BRN_TAGGED:
    case BRN_KEYED:
    case BRN_KEYED_HERE:
        return hash_variant(hash, field);
    case BRN_TAGGEDS:
    case BRN_NAMED_TAGGED: {
        const brn_variants *list = field;
        for (int i = 0; i < list->count; ++i) {
            hash = hash_variant(hash, &list->items[i]);
        }
        return brn_hash_bytes(hash, &list->count, sizeof list->count);
    }
    }
    return hash;
}

uint64_t brn_table_hash(uint64_t hash, const brn_table *table, const void *value)
{
    for (int i = 0; i < table->nparams; ++i) {
        const brn_param *param = &table->params[i];
        hash = brn_param_hash(hash, param, (const char *)value + param->offset);
    }
    return hash;
}
