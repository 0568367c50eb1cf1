/*
 * Taking a page back: its entries are moved or dropped, then it waits in limbo until nobody holds it.
 *
 * Draining goes by the bitmap of entry starts, never by walking lengths: a writer killed between taking
 * its place and writing a header leaves a hole that a walk would stop at. Draining twice is harmless, so
 * a page whose drainer died is simply drained again.
 */
#ifndef LARDER_DRAIN_H
#define LARDER_DRAIN_H

#include "process.h"

/*
 * Makes a page free, whatever state it is in: frees it from limbo, drains it, or its whole run. False if
 * it cannot be had now: it is open, held, being written to, or somebody else is at it. A run that was
 * used since it was last looked at is kept, with its use count lowered and its age renewed, unless the caller
 * insists; then the kernel is asked anew, too, who lives.
 */
bool drain_page(struct cache *cache, struct record_shared *record, uint32_t page, bool insist);

#endif
