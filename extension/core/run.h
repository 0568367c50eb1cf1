/* Runs: neighbouring pages for an entry of more than half a page. */
#ifndef LARDER_RUN_H
#define LARDER_RUN_H

#include "process.h"

/* Takes pages for an entry of so many units, evicting as needed. False: there are none to be had. */
bool run_make(struct cache *cache, struct record_shared *record, uint64_t units, struct reservation *reservation);

/* Gives back the first `claimed` pages of a run that was not published. The head last: while it speaks, its members are
 * nobody else's. */
void run_release(struct cache *cache, uint32_t start, uint32_t claimed);

#endif
