/*
 * Compacting: how a segment that keeps its entries makes room.
 *
 * Nothing unexpired may go, so room is what replaced, deleted and expired entries left within pages. The page with most of
 * it is emptied into a page that this process has for itself, the destination. What the destination has left takes the new
 * entry, and is then open to all. The emptied page replaces the destination as a spare one.
 *
 * So whoever compacts needs one spare page, and two processes never take room that the other has just made. For what is
 * there to be rewritten at any time, new keys must leave the spare pages and some more: compact_has_room().
 */
#ifndef LARDER_COMPACT_H
#define LARDER_COMPACT_H

#include "process.h"

/* Space for a new entry of up to half a page, as page_append(). False: there is no room. */
bool compact_reserve(struct cache *cache, struct record_shared *record, uint64_t units,
                     struct reservation *reservation);

/* True if a new key may take so much. Drops expired entries if not. */
bool compact_has_room(struct cache *cache, uint64_t units);

#endif
