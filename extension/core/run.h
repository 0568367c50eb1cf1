/* Runs: consecutive pages for an entry longer than half a page. It loses the rest of its last page, half of the memory just
 * over 32 or 64 KiB. Smaller units would lose less, but an area that they share would be pinned and evicted as a whole. */
#ifndef LARDER_RUN_H
#define LARDER_RUN_H

#include "process.h"

/* Takes pages for an entry of so many units, evicting as needed. False: none can be taken. */
bool run_make(struct cache *cache, struct record_shared *record, uint64_t units, struct reservation *reservation);

/* Releases the first `claimed` pages of an unpublished run, the head last: until then its members are nobody
 * else's. */
void run_release(struct cache *cache, uint32_t start, uint32_t claimed);

#endif
