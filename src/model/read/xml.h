/* XML files as a tree of elements with attributes, and messages that name file and line. Document types are refused, so that there
   are no entities but the five of XML; size, depth and counts are limited. What a reader asks for is marked as read: what remains is
   told by brn_xml_unread, so that nothing of a file is dropped silently. */
#ifndef BRN_MODEL_READ_XML_H
#define BRN_MODEL_READ_XML_H

#include "base/ctx.h"

enum {
    BRN_XML_BYTES_MAX = 64 << 20,
    BRN_XML_DEPTH_MAX = 200,
    BRN_XML_ELEMENTS_MAX = 200000,
    BRN_XML_ATTRIBUTES_MAX = 200, /* of one element */
    BRN_XML_WARNINGS_MAX = 100
};

typedef struct brn_xml_attribute {
    const char *name, *value;
    bool read;
} brn_xml_attribute;

typedef struct brn_xml_element {
    const char *name;
    int line;                /* on which it begins */
    int parent, child, next; /* elements, -1: none; child is the first */
    int nattribute;
    brn_xml_attribute *attribute;
    bool read, text; /* text: has some that is not blank */
} brn_xml_element;

typedef struct brn_xml {
    brn_ctx *ctx;
    const char *file; /* for messages */
    int nelement;
    brn_xml_element *element; /* in the order of the file, the root first */
    size_t capacity;
    brn_arena *arena; /* of all text */
} brn_xml;

/* BRN_ERR_FORMAT, "arm.urdf:12: ...", if it is not well-formed or beyond a limit. */
brn_status brn_xml_create(brn_ctx *ctx, const char *bytes, size_t length, const char *file, brn_xml **out);
void brn_xml_destroy(brn_xml *xml);

/* "arm.urdf:12: <joint name="elbow">: ..."; returns BRN_ERR_FORMAT. */
brn_status brn_xml_fail(const brn_xml *xml, int element, const char *format, ...) BRN_PRINTF(3, 4);

/* First element in `parent`, or next one after `element`, with a name (NULL: any); -1: none. Marks it as read. */
int brn_xml_child(brn_xml *xml, int parent, const char *name);
int brn_xml_next(brn_xml *xml, int element, const char *name);
/* The only child of that name; -1: none. Two are an error. */
brn_status brn_xml_only(brn_xml *xml, int parent, const char *name, int *out);
bool brn_xml_is(const brn_xml *xml, int element, const char *name);

/* Value of an attribute, NULL if it is not given. `need`: an error then, and if it is empty. */
const char *brn_xml_get(brn_xml *xml, int element, const char *name);
brn_status brn_xml_need(brn_xml *xml, int element, const char *name, const char **out);
/* `count` finite numbers between blanks; out stays as it is if the attribute is not given. */
brn_status brn_xml_reals(brn_xml *xml, int element, const char *name, int count, double *out);
/* The same of `least` to `most` numbers; how many there were, 0 if it is not given. */
brn_status brn_xml_some(brn_xml *xml, int element, const char *name, int least, int most, double *out,
                        int *count);
/* Index of the value in a list of words, `fallback` if it is not given; another word is an error that names the list. */
brn_status brn_xml_word(brn_xml *xml, int element, const char *name, const char *const *words, int nword,
                        int fallback, int *out);
/* Memory that lives as long as the file; NULL if there is none left. */
char *brn_xml_keep(brn_xml *xml, const char *text, size_t length);

/* A sentence for each kind of element and attribute that nobody read, in the order of the file: [*count] texts in the memory of
   the file, which must be new. */
brn_status brn_xml_unread(brn_xml *xml, const char ***out, int *count);

#endif
