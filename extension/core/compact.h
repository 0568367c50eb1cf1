/*
 * Compacting: how a segment that keeps its entries makes room.
 *
 * Nothing unexpired may be evicted. So room can only come from the space that replaced, deleted and expired entries
 * left within pages. The page with most of it is emptied into a page that this process has for itself, the
 * destination. The rest of the destination takes the new entry, and is then open to all. The emptied page replaces
 * the destination as a spare page.
 *
 * So a process that compacts needs one spare page, and two processes never take the room that the other has just
 * made. New keys must leave the spare pages and some more, so that existing entries can be rewritten at any time:
 * see compact_has_room().
 */
#ifndef LARDER_COMPACT_H
#define LARDER_COMPACT_H

#include "process.h"

/* Space for a new entry of up to half a page, as page_append(). False: there is no room. */
bool compact_reserve(struct cache *cache, struct record_shared *record, uint64_t units,
                     struct reservation *reservation);

/* True if a new key may take this much. Drops expired entries before it returns false. */
bool compact_has_room(struct cache *cache, uint64_t units);

#endif
