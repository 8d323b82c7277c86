/* JSON: appends values to a text, and checks whether a text is valid JSON. NaN and infinities, which JSON cannot express,
   become null. */
#ifndef BRN_BASE_JSON_H
#define BRN_BASE_JSON_H

#include "base/text.h"

/* In quotes; a NULL pointer becomes null. Bytes that are not UTF-8 become U+FFFD; control characters and the line separators
   U+2028 and U+2029 are escaped, so that the text stays on one line in any language that JSON may be embedded in. */
void brn_json_text(brn_text *json, const char *value);
void brn_json_real(brn_text *json, double value);
void brn_json_int(brn_text *json, int64_t value);

enum { BRN_JSON_DEPTH_MAX = 64 };
/* Is this one JSON value and nothing else (RFC 8259, UTF-8), nested no deeper than the limit? */
bool brn_json_valid(const char *text, size_t length);

#endif
