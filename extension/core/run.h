/* Runs: consecutive pages for an entry longer than half a page. The rest of the last page is lost; that is half of
 * the memory for entries just over 32 or 64 KiB. Smaller units would lose less, but the area that they share would
 * be pinned and evicted as a whole. */
#ifndef LARDER_RUN_H
#define LARDER_RUN_H

#include "process.h"

/* Takes pages for an entry of `units`, evicting as needed. False: none can be taken. */
bool run_make(struct cache *cache, struct record_shared *record, uint64_t units, struct reservation *reservation);

/* Releases the first `claimed` pages of an unpublished run, the head last. Until the head is released, no other
 * process can take its members. */
void run_release(struct cache *cache, uint32_t start, uint32_t claimed);

#endif
