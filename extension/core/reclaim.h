/*
 * Taking a page back: its entries are moved or dropped, then it waits in limbo until nobody holds it.
 *
 * Reclaiming goes by the bitmap of entry starts, never by walking lengths: a writer killed between taking
 * its place and writing a header leaves a hole that a walk would stop at. Reclaiming twice is harmless, so
 * a page whose reclaimer died is simply reclaimed again.
 */
#ifndef LARDER_RECLAIM_H
#define LARDER_RECLAIM_H

#include "process.h"

enum reclaim_effort {
    RECLAIM_GENTLY, /* everything used in the main log stays, even if so no room is gained this time, and everything
                   * that lives in a wasted page */
    RECLAIM_FIRMLY, /* of a page at most half stays */
    RECLAIM_INSIST, /* the same; used runs go, and the kernel is asked anew who lives */
};

/*
 * Makes a page free, whatever state it is in: frees it from limbo, reclaims it, or its whole run. False if
 * it cannot be had now: it is open, held, being written to, or somebody else is at it; or it is a run that was used
 * since it was last looked at: that stays, with its use count lowered, as the newest of the main log. Or a counter in it
 * was counted lately and there is no place to move it to: then the page stays as the newest of its log.
 */
bool reclaim_page(struct cache *cache, struct record_shared *record, uint32_t page, enum reclaim_effort effort);

/*
 * The same for a page that was chosen a while ago, in which others may have taken it back, filled it and closed it: then
 * it is the newest now, and stays. So does one that was empty, if by now something lives in it, from a writer who was put
 * aside when others closed it.
 */
bool reclaim_victim(struct cache *cache, struct record_shared *record, const struct victim *chosen,
                    enum reclaim_effort effort);

#endif
