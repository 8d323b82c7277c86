/* Inside api/: a page with runs in it, thinned to a budget. */
#ifndef BRN_API_REPORT_H
#define BRN_API_REPORT_H

#include "api/view.h"

#define BRN_REPORT_MB 25.0 /* of a report, by default */

/* Writes `path` with the frames of all views, at most every n-th. Frames are dropped evenly until the file is no larger
   than mb megabytes (10^6 bytes); if even two frames are too many, fields are dropped (the views keep them). BRN_ERR_LIMIT: no
   page of these runs is that small; the message says which budget would do. */
brn_status brn_page_write(brn_ctx *ctx, brn_view *const *view, int nview, const char *path, int every,
                          double mb);

#endif
