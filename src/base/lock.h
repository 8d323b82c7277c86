/* One writer a folder: the lock that brn_lock_take (brunt.h) puts on it. */
#ifndef BRN_BASE_LOCK_H
#define BRN_BASE_LOCK_H

#include "base/ctx.h"

/* BRN_ERR_FILE if the folder is not the locked one any more: removed, moved away, or in the hands of another writer after
   someone deleted the lock's file. What its owner would write by name then is not its own. */
brn_status brn_lock_check(const brn_lock *lock);

#endif
