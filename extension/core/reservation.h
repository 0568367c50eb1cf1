/* Reservations: the place of an entry before it is written. */
#ifndef LARDER_RESERVATION_H
#define LARDER_RESERVATION_H

#include "process.h"

/* Takes space for an entry of `units`, evicting as needed. An entry of up to half a page lies in the open page,
 * which stays announced in `writing`. A longer one has a run of pages, whose head is in `opening`. False: no room
 * can be made. */
bool reservation_make(struct cache *cache, struct record_shared *record, uint64_t units,
                      struct reservation *reservation);

/* Ends the reservation: the entry was published, or its space is abandoned. */
void reservation_end(struct cache *cache, struct record_shared *record, struct reservation *reservation,
                     bool published);

#endif
