/* Messages that list what is allowed: the keys of a block, the names of a set. */
#include "scene/scene_inner.h"

#include <string.h>

enum { WORDS_MAX = 256 }; /* that a message can list */

typedef struct word_list {
    const char *word[WORDS_MAX];
    int count;
} word_list;

static void add_word(word_list *list, const char *word)
{
    if (list->count < WORDS_MAX) {
        list->word[list->count++] = word;
    }
}

static void add_set(word_list *list, const brn_table_set *set)
{
    for (int i = 0; i < set->count; ++i) {
        add_word(list, set->tables[i]->name);
    }
}

static void add_keys(word_list *list, const brn_resolver *r, const brn_table *table, bool tagged)
{
    if (tagged) {
        add_word(list, "type");
    }
    for (int i = 0; i < table->nparams; ++i) {
        if (table->params[i].kind == BRN_KEYED_HERE) {
            add_set(list, &r->schema->sets[table->params[i].set]);
        } else {
            add_word(list, table->params[i].name);
        }
    }
}

static void list_words(brn_text *out, const word_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        brn_text_add(out, "%s%s", i > 0 ? ", " : "", list->word[i]);
    }
}

const char *brn_text_shown(const brn_text *text)
{
    return text->data != NULL ? text->data : "";
}

void brn_suggest(brn_text *out, const char *word, const char *const *words, int count)
{
    const int nearest = brn_nearest_word(word, words, count);
    if (nearest >= 0) {
        brn_text_add(out, "; did you mean '%s'?", words[nearest]);
    }
}

static const char *find_hint(const brn_table *table, const char *word)
{
    for (const brn_hint *hint = table->hints; hint != NULL && hint->word != NULL; ++hint) {
        if (strcmp(hint->word, word) == 0) {
            return hint->instead;
        }
    }
    return NULL;
}

void brn_resolve_tell_unknown_key(brn_resolver *r, const brn_table *table, const brn_yaml *child, bool tagged)
{
    word_list words = {.count = 0};
    brn_text text = {.ctx = r->ctx};
    if (r->scene->nproblem < BRN_SCENE_PROBLEMS_MAX) { /* else it is only counted */
        const char *instead = find_hint(table, child->key);
        add_keys(&words, r, table, tagged);
        if (instead != NULL) {
            brn_text_add(&text, "; %s", instead);
        } else {
            brn_suggest(&text, child->key, words.word, words.count);
        }
        if (text.length == 0) {
            brn_text_add(&text, words.count > 0 ? "; allowed here: " : "; no keys are allowed here");
            list_words(&text, &words);
        }
    }
    brn_scene_tell(r->scene, child->line, NULL, brn_text_shown(&r->path), "unknown key%s",
                   brn_text_shown(&text));
    brn_text_clear(&text);
}

void brn_resolve_tell_unknown_type(brn_resolver *r, const brn_table_set *set, const brn_yaml *type,
                                   const char *word)
{
    word_list words = {.count = 0};
    brn_text text = {.ctx = r->ctx};
    add_set(&words, set);
    brn_suggest(&text, word, words.word, words.count);
    brn_text_add(&text, "%sone of ", text.length > 0 ? " " : "; ");
    list_words(&text, &words);
    BRN_RESOLVE_TELL(r, type, "unknown %s%s", set->noun, brn_text_shown(&text));
    brn_text_clear(&text);
}

static void tell_words(brn_resolver *r, const brn_yaml *node, const char *what, const word_list *words)
{
    brn_text text = {.ctx = r->ctx};
    list_words(&text, words);
    BRN_RESOLVE_TELL(r, node, "%s%s", what, brn_text_shown(&text));
    brn_text_clear(&text);
}

void brn_resolve_tell_set(brn_resolver *r, const brn_yaml *node, const char *what, const brn_table_set *set)
{
    word_list words = {.count = 0};
    add_set(&words, set);
    tell_words(r, node, what, &words);
}

void brn_resolve_tell_keys(brn_resolver *r, const brn_yaml *node, const char *what, const brn_table *table,
                           bool tagged)
{
    word_list words = {.count = 0};
    add_keys(&words, r, table, tagged);
    tell_words(r, node, what, &words);
}
