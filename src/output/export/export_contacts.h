/* Contact points in exported files. */
#ifndef BRN_OUTPUT_EXPORT_EXPORT_CONTACTS_H
#define BRN_OUTPUT_EXPORT_EXPORT_CONTACTS_H

#include "base/text.h"
#include "contact/points.h"

/* A whole VTU file of vertices, appended to xml: force (normal and friction, on the first body), normal_force, normal,
   friction, slip, gap, mu, body. time [s]. */
brn_status brn_export_contact_grid(brn_ctx *ctx, const brn_contact_point *point, int npoint, double time,
                                   brn_text *xml);

#endif
