/* The destination of compacting: a page that this process has for itself, and moves entries into. See compact.h. */
#ifndef LARDER_DESTINATION_H
#define LARDER_DESTINATION_H

#include "process.h"

/* Space in the destination for an entry that reclaiming moves; a new one belongs to `log`. False: it does not fit, or no
 * page is spare. */
bool destination_place(struct cache *cache, enum page_log log, uint64_t units, struct reservation *reservation);

/* Units that it has left; 0: there is none. */
uint64_t destination_tail(const struct cache *cache);

/* Takes over that of a process that died, with which the page that it was emptying can be emptied. */
bool destination_adopt(struct cache *cache);

/* Opens it to all, or closes it. Called at the end of each operation that may have moved entries. */
void destination_end(struct cache *cache);

#endif
