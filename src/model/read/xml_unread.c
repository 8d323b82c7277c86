/* What nobody read of a file. */
#include "base/arena.h"
#include "model/read/xml.h"

#include <stdio.h>
#include <string.h>

/* An element (attribute NULL) or attribute that was not read, and how often. */
typedef struct leftover {
    const char *element, *attribute, *parent;
    int line, times;
    bool text;
} leftover;

typedef struct leftovers {
    leftover item[BRN_XML_WARNINGS_MAX];
    int count;
    int more; /* that found no room */
} leftovers;

static bool same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void add_leftover(leftovers *all, leftover item)
{
    for (int i = 0; i < all->count; ++i) {
        leftover *other = &all->item[i];
        if (same(other->element, item.element) && same(other->attribute, item.attribute) &&
            same(other->parent, item.parent) && other->text == item.text) {
            ++other->times;
            return;
        }
    }
    if (all->count < BRN_XML_WARNINGS_MAX - 1) {
        item.times = 1;
        all->item[all->count++] = item;
    } else {
        ++all->more;
    }
}

static void collect(const brn_xml *xml, leftovers *all)
{
    for (int i = 0; i < xml->nelement; ++i) {
        brn_xml_element *e = &xml->element[i];
        const char *parent = e->parent >= 0 ? xml->element[e->parent].name : NULL;
        const bool dropped = e->parent >= 0 && !xml->element[e->parent].read; /* with its parent */
        e->read = e->read && !dropped;
        if (dropped) {
            continue;
        }
        if (!e->read) {
            add_leftover(all, (leftover){.element = e->name, .parent = parent, .line = e->line});
            continue;
        }
        if (e->text) {
            add_leftover(all,
                         (leftover){.element = e->name, .parent = parent, .line = e->line, .text = true});
        }
        for (int k = 0; k < e->nattribute; ++k) {
            const brn_xml_attribute *a = &e->attribute[k];
            if (!a->read && strncmp(a->name, "xmlns", 5) != 0) {
                add_leftover(all, (leftover){.element = e->name, .attribute = a->name, .line = e->line});
            }
        }
    }
}

static brn_status tell(brn_xml *xml, const leftover *item, const char **out)
{
    char what[300];
    char text[600];
    if (item->attribute != NULL) {
        (void)snprintf(what, sizeof what, "the attribute '%.80s' of <%.80s>", item->attribute, item->element);
    } else if (item->text) {
        (void)snprintf(what, sizeof what, "the text in <%.80s>", item->element);
    } else {
        (void)snprintf(what, sizeof what, "<%.80s>%s%.80s%s", item->element,
                       item->parent != NULL ? " in <" : "", item->parent != NULL ? item->parent : "",
                       item->parent != NULL ? ">" : "");
    }
    int length = snprintf(text, sizeof text, "%.200s:%d: %s has no effect", xml->file, item->line, what);
    if (item->times > 1) {
        length += snprintf(text + length, sizeof text - (size_t)length, " (%d times)", item->times);
    }
    *out = brn_xml_keep(xml, text, (size_t)length);
    return *out != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

brn_status brn_xml_unread(brn_xml *xml, const char ***out, int *count)
{
    leftovers all = {.count = 0};
    collect(xml, &all);
    BRN_TAKE(xml->arena, *out, BRN_XML_WARNINGS_MAX);
    *count = 0;
    for (int i = 0; i < all.count; ++i) {
        BRN_TRY(tell(xml, &all.item[i], &(*out)[*count]));
        ++*count;
    }
    if (all.more > 0) {
        char text[120];
        const int length =
            snprintf(text, sizeof text, "and %d more elements and attributes have no effect", all.more);
        (*out)[*count] = brn_xml_keep(xml, text, (size_t)length);
        if ((*out)[*count] == NULL) {
            return BRN_ERR_MEMORY;
        }
        ++*count;
    }
    return BRN_OK;
}
