/*
 * Reclaiming a page: its entries are moved or dropped, then it stays in limbo until no process holds it.
 *
 * Reclaiming follows the bitmap of entry starts, not lengths: a writer killed before it wrote its header leaves a
 * hole. Repeating it is harmless, so a page whose reclaimer died is simply reclaimed again.
 */
#ifndef LARDER_RECLAIM_H
#define LARDER_RECLAIM_H

#include "process.h"

enum reclaim_effort {
    /* used entries of the main log and live entries of a fragmented page move, even if that gains no room */
    RECLAIM_GENTLY,
    RECLAIM_FIRMLY, /* at most half of a page moves */
    RECLAIM_INSIST, /* the same; also drops used runs, and asks the kernel again which processes are alive */
};

/*
 * Makes a page free, whatever its state, with its whole run. False if that is impossible now:
 *  - the page is open, held, being written to, or being reclaimed by another process;
 *  - it is a used run, which stays as the newest of the main log with its use count lowered;
 *  - a counter in use found no place to move to; then the page stays as the newest of its log.
 *
 * In a segment that keeps its entries, every effort only compacts.
 */
bool reclaim_page(struct cache *cache, struct record_shared *record, uint32_t page, enum reclaim_effort effort);

/* The same for a page that was chosen earlier. Only if its state has not changed since; and if it was empty, it must
 * still be empty. */
bool reclaim_victim(struct cache *cache, struct record_shared *record, const struct victim *chosen,
                    enum reclaim_effort effort);

/* Drops the expired entries of a closed page, and nothing else. */
void reclaim_expired(struct cache *cache, uint32_t page);

#endif
