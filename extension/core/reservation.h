/* The place that an entry takes before it is written. */
#ifndef LARDER_RESERVATION_H
#define LARDER_RESERVATION_H

#include "process.h"

/*
 * Takes place for an entry of `units`, evicting as needed. True: `pending` is filled. An entry of up to
 * half a page lies in the open page, which stays announced in `writing`; a longer one has a run of pages
 * of its own, whose head is in `opening`. False: no room can be made.
 */
bool reservation_make(struct cache *cache, struct record_shared *record, uint64_t units,
                      struct reservation *reservation);

/* Ends what reservation_make() began: the entry is published (or not, and its place is given up). */
void reservation_end(struct cache *cache, struct record_shared *record, struct reservation *reservation,
                     bool published);

#endif
