/*
 * Process records: who is attached, who is dead, who holds what.
 *
 * Holding the lock on byte n of the segment's file *is* owning record n. The kernel lets go of it at
 * death, so no process id, no clock and no signal is needed to know who lives. Whoever takes the byte of
 * a dead record first raises its incarnation and only then clears what the dead one announced.
 *
 * A record is left behind at a fork: parent and child each claim a new one at their next use, carry the
 * pins over and only then close the description of the old one. So at no moment a held page is unpinned.
 */
#ifndef LARDER_PROCESS_H
#define LARDER_PROCESS_H

#include "attachment.h"

/* Guards the list of caches, and every moment in which a description is opened or holds a lock besides
 * the record's own: fork() waits for it. */
void process_lock(void);
void process_unlock(void);

/* Once a process; see cache_prepare(). */
void process_prepare(void);

/* See cache_pid(). */
pid_t process_id(void);

/* Puts the cache on the list; from then on forks are handled. */

void process_register(struct cache *cache);
void process_unregister(struct cache *cache);

/* Claims a record with a description that the cache will own from then on; false if none is free. */
bool process_claim_locked(struct cache *cache, int fd);
/* Clears the record and closes its description. */
void process_leave(struct cache *cache);
/* Whether the record is still the one that was claimed. If it has become another's it is forgotten, and
 * nothing in it changed. Nor is the description closed: who closed it behind our back may have given its
 * number to another file. */
bool process_owns(struct cache *cache);
/*
 * Whether the process that claimed `number` as `incarnation` (its low `bits` bits) lives. A dead one's
 * record is swept. Unless `fresh`, an answer of the kernel is believed for some milliseconds.
 */
bool process_alive(struct cache *cache, unsigned number, uint32_t incarnation, unsigned bits, bool fresh);

/* Whether a living process has the page in `writing`; or pinned, or in `copying`. */
bool process_writes(struct cache *cache, uint32_t page, bool fresh);
bool process_reads(struct cache *cache, uint32_t page, bool fresh);

/* ---- Announcements, all by the owner of the record. Releasing, because the next page takes the place of
 * the last: what was done with that one is done. ---- */

static inline void announce_copying(struct record_shared *record, uint32_t page) {
    word_store(&record->copying, (uint64_t)page + 1);
    fence();
}
static inline void announce_writing(struct record_shared *record, uint32_t page) {
    word_store(&record->writing, (uint64_t)page + 1);
    fence();
}
static inline void clear_copying(struct record_shared *record) {
    word_store(&record->copying, 0);
}
static inline void clear_writing(struct record_shared *record) {
    word_store(&record->writing, 0);
}

/* A counter of one's own record. */
static inline void count(struct record_shared *record, enum counter counter) {
    word_poke(&record->counters[counter], word_peek(&record->counters[counter]) + 1);
}

#endif
