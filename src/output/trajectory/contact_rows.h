/* /frames/contact of trajectory.h5: the contact points of all frames one after another, a dataset per quantity. The frame set
   BRN_SET_CONTACT holds their number up to the end of each frame, so that a frame is a run of rows. */
#ifndef BRN_OUTPUT_TRAJECTORY_CONTACT_ROWS_H
#define BRN_OUTPUT_TRAJECTORY_CONTACT_ROWS_H

#include "contact/points.h"
#include "output/trajectory/frames.h"

enum { BRN_CONTACT_ROWS = 9 };

typedef struct brn_contact_rows {
    hid_t id[BRN_CONTACT_ROWS]; /* < 0: not there */
    int64_t total;              /* valid rows of every dataset */
    double *buffer;             /* one quantity of a frame */
    size_t capacity;
} brn_contact_rows;

void brn_contact_rows_init(brn_contact_rows *rows);
brn_status brn_contact_rows_create(brn_h5 *h5, brn_contact_rows *rows);
/* Opens and checks types, shapes and chunks; total becomes the smallest number of rows. */
brn_status brn_contact_rows_open(brn_h5 *h5, brn_contact_rows *rows);
/* After the existing rows. */
brn_status brn_contact_rows_append(brn_h5 *h5, brn_contact_rows *rows, const brn_contact_point *point, int n);
/* Rows [first, first + n), which must exist. */
brn_status brn_contact_rows_read(brn_h5 *h5, brn_contact_rows *rows, int64_t first, int n,
                                 brn_contact_point *point);
brn_status brn_contact_rows_cut(brn_h5 *h5, brn_contact_rows *rows, int64_t total);
/* Could this many rows be in the file? A damaged shape must not ask for more memory than the file can fill. */
bool brn_contact_rows_plausible(const brn_contact_rows *rows, int64_t n);
void brn_contact_rows_close(brn_ctx *ctx, brn_contact_rows *rows);

#endif
