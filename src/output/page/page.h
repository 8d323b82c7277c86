/* The viewer's page, viewer/dist/viewer.html, as it was when the library was built. */
#ifndef BRN_OUTPUT_PAGE_PAGE_H
#define BRN_OUTPUT_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the data of a run go; occurs once in the page. */
#define BRN_PAGE_MARKER "<!--brunt:data-->"

/* Terminated by '\0'. */
const char *brn_page(size_t *size);
typedef struct brn_page_parts {
    const char *before, *behind; /* the marker */
    size_t nbefore, nbehind;
} brn_page_parts;
bool brn_page_split(brn_page_parts *out); /* false: the page has no marker */

#endif
