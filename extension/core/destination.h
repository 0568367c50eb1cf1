/* The destination of compacting: a page that this process has for itself, and moves entries into. See compact.h. */
#ifndef LARDER_DESTINATION_H
#define LARDER_DESTINATION_H

#include "process.h"

/* Takes space in the destination for an entry that reclaiming moves. A new destination belongs to `log`. False: the
 * entry does not fit, or there is no spare page. */
bool destination_place(struct cache *cache, enum page_log log, uint64_t units, struct reservation *reservation);

/* Units that the destination has left; 0: there is no destination. */
uint64_t destination_tail(const struct cache *cache);

/* Takes over the destination of a process that died. With its rest, the page that the process was emptying can be
 * emptied. */
bool destination_adopt(struct cache *cache);

/* Opens the destination to all, or closes it. Called at the end of each operation that may have moved entries. */
void destination_end(struct cache *cache);

#endif
