#include "output/page/page.h"

#include <string.h>

/* The assembler copies the file: a C array of a few hundred kilobytes takes a compiler seconds. The build
   defines BRN_PAGE_FILE. */
__asm__(".section .rodata.brn_page,\"a\"\n"
        ".global brn_page_first\n"
        ".hidden brn_page_first\n"
        "brn_page_first:\n"
        ".incbin \"" BRN_PAGE_FILE "\"\n"
        ".global brn_page_last\n"
        ".hidden brn_page_last\n"
        "brn_page_last:\n"
        ".byte 0\n"
        ".text\n");

extern const char brn_page_first[] __attribute__((visibility("hidden")));
extern const char brn_page_last[] __attribute__((visibility("hidden")));

const char *brn_page(size_t *size)
{
    *size = (size_t)((uintptr_t)brn_page_last - (uintptr_t)brn_page_first);
    return brn_page_first;
}

bool brn_page_split(brn_page_parts *out)
{
    size_t size = 0;
    const char *page = brn_page(&size);
    const char *marker = strstr(page, BRN_PAGE_MARKER);
    if (marker == NULL) {
        return false;
    }
    out->before = page;
    out->nbefore = (size_t)(marker - page);
    out->behind = marker + strlen(BRN_PAGE_MARKER);
    out->nbehind = size - out->nbefore - strlen(BRN_PAGE_MARKER);
    return true;
}
