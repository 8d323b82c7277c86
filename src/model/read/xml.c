#include "model/read/xml.h"

#include "base/arena.h"
#include "base/scanner.h"
#include "base/text.h"

#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- parsing ------------------------------------------------------------------------------------------------------- */

typedef struct parse {
    brn_xml *xml;
    XML_Parser parser;
    brn_status status;
    int depth;
    int open[BRN_XML_DEPTH_MAX]; /* elements that are not closed yet */
    int last[BRN_XML_DEPTH_MAX]; /* and the last child of each */
} parse;

static int line_of(XML_Parser parser)
{
    const XML_Size line = XML_GetCurrentLineNumber(parser);
    return line < INT_MAX ? (int)line : INT_MAX;
}

static void stop(parse *p, brn_status status)
{
    p->status = status;
    (void)XML_StopParser(p->parser, XML_FALSE);
}

static void refuse(parse *p, const char *why)
{
    stop(p, brn_fail(p->xml->ctx, BRN_ERR_FORMAT, "%s:%d: %s", p->xml->file, line_of(p->parser), why));
}

char *brn_xml_keep(brn_xml *xml, const char *text, size_t length)
{
    char *copy = brn_arena_take(xml->arena, length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* Appends a text with its end; returns where it begins. */
static const char *put(char **to, const char *text)
{
    const size_t size = strlen(text) + 1;
    const char *start = memcpy(*to, text, size);
    *to += size;
    return start;
}

/* Name and attributes of an element in one piece of memory. */
static brn_status copy_element(brn_xml *xml, const char *name, const char **given, brn_xml_element *out)
{
    size_t size = strlen(name) + 1;
    for (int i = 0; i < 2 * out->nattribute; ++i) {
        size += strlen(given[i]) + 1;
    }
    char *to = NULL;
    BRN_TAKE(xml->arena, out->attribute, out->nattribute);
    BRN_TAKE(xml->arena, to, size);
    out->name = put(&to, name);
    for (int i = 0; i < out->nattribute; ++i) {
        out->attribute[i].name = put(&to, given[2 * i]);
        out->attribute[i].value = put(&to, given[2 * i + 1]);
        out->attribute[i].read = false;
    }
    return BRN_OK;
}

static brn_status add_element(parse *p, const char *name, const char **given, int count)
{
    brn_xml *xml = p->xml;
    const int parent = p->depth > 0 ? p->open[p->depth - 1] : -1;
    brn_xml_element element = {
        .line = line_of(p->parser), .parent = parent, .child = -1, .next = -1, .nattribute = count};
    BRN_TRY(copy_element(xml, name, given, &element));
    BRN_GROW(xml->ctx, xml->element, xml->capacity, xml->nelement + 1);
    const int at = xml->nelement++;
    xml->element[at] = element;
    if (parent >= 0) {
        int *last = &p->last[p->depth - 1];
        *(*last < 0 ? &xml->element[parent].child : &xml->element[*last].next) = at;
        *last = at;
    }
    p->open[p->depth] = at;
    p->last[p->depth] = -1;
    ++p->depth;
    return BRN_OK;
}

static void XMLCALL on_start(void *user, const char *name, const char **given)
{
    parse *p = user;
    int count = 0;
    while (given[2 * count] != NULL && count <= BRN_XML_ATTRIBUTES_MAX) {
        ++count;
    }
    if (p->status < 0) {
        return;
    }
    if (p->depth >= BRN_XML_DEPTH_MAX) {
        refuse(p, "elements stand in each other 200 deep: more are not read");
    } else if (p->xml->nelement >= BRN_XML_ELEMENTS_MAX) {
        refuse(p, "more than 200000 elements: more are not read");
    } else if (count > BRN_XML_ATTRIBUTES_MAX) {
        refuse(p, "more than 200 attributes of one element: more are not read");
    } else {
        const brn_status status = add_element(p, name, given, count);
        if (status < 0) {
            stop(p, status);
        }
    }
}

static void XMLCALL on_end(void *user, const char *name)
{
    parse *p = user;
    (void)name;
    if (p->status >= 0) {
        --p->depth;
    }
}

static void XMLCALL on_text(void *user, const char *text, int length)
{
    parse *p = user;
    bool blank = true;
    for (int i = 0; i < length; ++i) {
        blank = blank && strchr(" \t\r\n", text[i]) != NULL;
    }
    if (!blank && p->depth > 0) {
        p->xml->element[p->open[p->depth - 1]].text = true;
    }
}

static void XMLCALL on_doctype(void *user, const char *name, const char *system, const char *public,
                               int inner)
{
    (void)name;
    (void)system;
    (void)public;
    (void)inner;
    refuse(user, "a document type (<!DOCTYPE>) is refused, and entities with it: take it out");
}

static brn_status run_parser(parse *p, const char *bytes, size_t length)
{
    brn_xml *xml = p->xml;
    XML_SetUserData(p->parser, p);
    XML_SetElementHandler(p->parser, on_start, on_end);
    XML_SetCharacterDataHandler(p->parser, on_text);
    XML_SetStartDoctypeDeclHandler(p->parser, on_doctype);
    if (XML_Parse(p->parser, bytes, (int)length, 1) == XML_STATUS_OK || p->status < 0) {
        return p->status;
    }
    const enum XML_Error error = XML_GetErrorCode(p->parser);
    if (error == XML_ERROR_NO_MEMORY) {
        return brn_fail(xml->ctx, BRN_ERR_MEMORY, "%s: out of memory", xml->file);
    }
    return brn_fail(xml->ctx, BRN_ERR_FORMAT, "%s:%d: not well-formed XML: %s", xml->file, line_of(p->parser),
                    XML_ErrorString(error));
}

static brn_status fill(brn_xml *xml, const char *bytes, size_t length, const char *file)
{
    BRN_TRY(brn_arena_create(xml->ctx, &xml->arena));
    xml->file = brn_xml_keep(xml, file, strlen(file));
    if (xml->file == NULL) {
        return BRN_ERR_MEMORY;
    }
    if (length > BRN_XML_BYTES_MAX) {
        return brn_fail(xml->ctx, BRN_ERR_LIMIT, "%s: %zu bytes: more than 64 MiB of XML are not read", file,
                        length);
    }
    parse p = {.xml = xml, .parser = XML_ParserCreate(NULL)};
    if (p.parser == NULL) {
        return brn_fail(xml->ctx, BRN_ERR_MEMORY, "%s: out of memory", file);
    }
    const brn_status status = run_parser(&p, bytes, length);
    XML_ParserFree(p.parser);
    return status;
}

brn_status brn_xml_create(brn_ctx *ctx, const char *bytes, size_t length, const char *file, brn_xml **out)
{
    *out = NULL;
    brn_xml *xml = NULL;
    BRN_ALLOC(ctx, xml, 1);
    xml->ctx = ctx;
    const brn_status status = fill(xml, bytes, length, file);
    if (status < 0) {
        brn_xml_destroy(xml);
        return status;
    }
    *out = xml;
    return BRN_OK;
}

void brn_xml_destroy(brn_xml *xml)
{
    if (xml == NULL) {
        return;
    }
    brn_arena_destroy(xml->arena);
    brn_free(xml->ctx, xml->element);
    brn_free(xml->ctx, xml);
}

brn_status brn_xml_fail(const brn_xml *xml, int element, const char *format, ...)
{
    const brn_xml_element *e = &xml->element[element];
    char text[1024];
    char name[120] = "";
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int i = 0; i < e->nattribute && name[0] == '\0'; ++i) {
        if (strcmp(e->attribute[i].name, "name") == 0) {
            (void)snprintf(name, sizeof name, " name=\"%.80s\"", e->attribute[i].value);
        }
    }
    return brn_fail(xml->ctx, BRN_ERR_FORMAT, "%s:%d: <%.80s%s>: %s", xml->file, e->line, e->name, name,
                    text);
}

/* ---- elements ------------------------------------------------------------------------------------------------------ */

bool brn_xml_is(const brn_xml *xml, int element, const char *name)
{
    return strcmp(xml->element[element].name, name) == 0;
}

/* From an element on along its siblings. */
static int find(brn_xml *xml, int element, const char *name)
{
    while (element >= 0 && name != NULL && !brn_xml_is(xml, element, name)) {
        element = xml->element[element].next;
    }
    if (element >= 0 && name != NULL) {
        xml->element[element].read = true;
    }
    return element;
}

int brn_xml_child(brn_xml *xml, int parent, const char *name)
{
    return find(xml, xml->element[parent].child, name);
}

int brn_xml_next(brn_xml *xml, int element, const char *name)
{
    return find(xml, xml->element[element].next, name);
}

brn_status brn_xml_only(brn_xml *xml, int parent, const char *name, int *out)
{
    *out = brn_xml_child(xml, parent, name);
    const int second = *out >= 0 ? brn_xml_next(xml, *out, name) : -1;
    return second < 0 ? BRN_OK
                      : brn_xml_fail(xml, parent, "has two <%s>, on lines %d and %d: keep one", name,
                                     xml->element[*out].line, xml->element[second].line);
}

/* ---- attributes ---------------------------------------------------------------------------------------------------- */

const char *brn_xml_get(brn_xml *xml, int element, const char *name)
{
    const brn_xml_element *e = &xml->element[element];
    for (int i = 0; i < e->nattribute; ++i) {
        if (strcmp(e->attribute[i].name, name) == 0) {
            e->attribute[i].read = true;
            return e->attribute[i].value;
        }
    }
    return NULL;
}

brn_status brn_xml_need(brn_xml *xml, int element, const char *name, const char **out)
{
    *out = brn_xml_get(xml, element, name);
    if (*out == NULL) {
        return brn_xml_fail(xml, element, "the attribute '%s' is missing", name);
    }
    return **out != '\0' ? BRN_OK : brn_xml_fail(xml, element, "the attribute '%s' must not be empty", name);
}

brn_status brn_xml_some(brn_xml *xml, int element, const char *name, int least, int most, double *out,
                        int *count)
{
    const char *text = brn_xml_get(xml, element, name);
    *count = 0;
    if (text == NULL) {
        return BRN_OK;
    }
    int n = 0;
    for (const char *c = text + strspn(text, " \t\r\n"); *c != '\0'; c += strspn(c, " \t\r\n")) {
        const brn_span word = {c, strcspn(c, " \t\r\n")};
        double value = 0.0;
        if (!brn_span_real(word, &value)) {
            return brn_xml_fail(xml, element, "%s=\"%.60s\": '%.*s' is not a finite number", name, text,
                                brn_span_shown(word), word.at);
        }
        if (n < most) {
            out[n] = value;
        }
        n += n <= most;
        c += word.length;
    }
    if (n < least || n > most) {
        char wanted[40];
        (void)snprintf(wanted, sizeof wanted, least == most ? "%d" : "%d to %d", least, most);
        return brn_xml_fail(xml, element, "%s=\"%.60s\": needs %s number%s, found %s%d", name, text, wanted,
                            most == 1 ? "" : "s", n > most ? "at least " : "", n);
    }
    *count = n;
    return BRN_OK;
}

brn_status brn_xml_reals(brn_xml *xml, int element, const char *name, int count, double *out)
{
    int found = 0;
    return brn_xml_some(xml, element, name, count, count, out, &found);
}

brn_status brn_xml_word(brn_xml *xml, int element, const char *name, const char *const *words, int nword,
                        int fallback, int *out)
{
    const char *value = brn_xml_get(xml, element, name);
    *out = fallback;
    if (value == NULL) {
        return BRN_OK;
    }
    char list[400] = "";
    for (int i = 0; i < nword; ++i) {
        const size_t at = strlen(list);
        if (strcmp(value, words[i]) == 0) {
            *out = i;
            return BRN_OK;
        }
        (void)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    const int near = nword > 1 ? brn_nearest_word(value, words, nword) : -1;
    return brn_xml_fail(xml, element, "%s=\"%.60s\": must be %s%s%s%s%s", name, value,
                        nword > 1 ? "one of " : "", list, near >= 0 ? "; did you mean '" : "",
                        near >= 0 ? words[near] : "", near >= 0 ? "'?" : "");
}
