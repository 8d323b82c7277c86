/* An HDF5 file driver that moves a file from one whole state to the next, even if the process is killed.

   HDF5 spreads an update over several places: superblock, object headers, B-tree nodes. A kill between two of those writes
   can make every frame unreadable. With this driver raw data beyond the end of the last commit go to the file at once,
   because nothing refers to them yet; metadata and all overwritten bytes are kept in memory (in pages) until a commit.
   A commit

       1. extends the file and writes the pages beyond its old end: nothing refers to them yet,
       2. writes all other pages to PATH.journal, with a checksum,
       3. writes them to the file, in place,
       4. empties the journal.

   A kill before 2 is complete leaves the old state; after that, recover gives the new one. A full disk shows in 1 or 2 (or
   when raw data are written), with the old state still whole. */
#ifndef BRN_OUTPUT_TRAJECTORY_JOURNAL_H
#define BRN_OUTPUT_TRAJECTORY_JOURNAL_H

#include "state/hdf5_file.h"

/* A file access list with this driver and the `earliest` format, to create or open a file for writing; < 0 on failure.
   Close it by H5Pclose after use. */
hid_t brn_journal_access(brn_ctx *ctx);
/* Flushes HDF5 and commits. */
brn_status brn_journal_commit(brn_h5 *h5);
/* Commits and syncs to the disk. */
brn_status brn_journal_sync(brn_h5 *h5);
/* After a failure: nothing more is written, not even when the file is closed. */
void brn_journal_abandon(brn_h5 *h5);
/* Completes the commit that a killed process left behind, if there is one. Does nothing while the writer is alive. */
brn_status brn_journal_recover(brn_ctx *ctx, const char *path);

#endif
