/*
 * Reclaiming a page: its entries are moved or dropped, then it stays in limbo until nobody holds it.
 *
 * It follows the bitmap of entry starts, not lengths: a writer killed before it wrote its header leaves a hole. Doing
 * it twice is harmless, so a page whose reclaimer died is simply reclaimed again.
 */
#ifndef LARDER_RECLAIM_H
#define LARDER_RECLAIM_H

#include "process.h"

enum reclaim_effort {
    /* all used entries of the main log move, and all live ones of a fragmented page, even if no room is gained */
    RECLAIM_GENTLY,
    RECLAIM_FIRMLY, /* at most half of a page moves */
    RECLAIM_INSIST, /* the same; used runs go, and the kernel is asked again who is alive */
};

/*
 * Makes a page free, whatever its state, with its whole run. False if that is impossible now: it is open, held, being
 * written to or reclaimed by another; or a used run, which stays as the newest of the main log with its use count
 * lowered; or a counter in use found no place to move to: then the page stays as the newest of its log. In a segment that
 * keeps, every effort only compacts.
 */
bool reclaim_page(struct cache *cache, struct record_shared *record, uint32_t page, enum reclaim_effort effort);

/* The same for a page that was chosen earlier: only if its state has not changed since, and if it was empty it must
 * still be. */
bool reclaim_victim(struct cache *cache, struct record_shared *record, const struct victim *chosen,
                    enum reclaim_effort effort);

/* Drops the expired entries of a closed page, and nothing else. */
void reclaim_expired(struct cache *cache, uint32_t page);

#endif
