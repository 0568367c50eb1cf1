/*
 * Process records: which processes are attached, which are dead, and which pages they hold.
 *
 * Holding the lock on byte n of the segment's file *is* owning record n. The kernel releases the lock at death, so
 * liveness needs no process id, clock or signal. A mapped page holds the lock, not a descriptor, which other code
 * may close. A process that takes the byte of a dead record raises the record's incarnation first, and then clears
 * what the dead owner announced.
 *
 * A fork abandons the record: parent and child each claim a new one at their next use, carry the pins over, and then
 * release the old lock. So a held page is never unpinned.
 */
#ifndef LARDER_PROCESS_H
#define LARDER_PROCESS_H

#include "thread_state.h"

/* Guards the list of caches, and every moment in which a descriptor is opened, locked or closed. fork() waits for
 * it, so no thread holds it for long. */
void process_lock(void);
bool process_trylock(void);
void process_unlock(void);

/* Descriptors that stay open while a thread does something slow without the lock. A child that is forked in this
 * time closes them. */
struct open_files {
    unsigned count;
    int fds[3];
    struct open_files *next;
};
void process_unlock_with(struct open_files *files);
void process_lock_again(struct open_files *files);

/* Lists the cache. From then on, forks and the end of its thread are handled. */
void process_register(struct cache *cache);
void process_unregister(struct cache *cache);

/* Claims a record by a lock on `fd`, which the cache then owns. `reader` is a read-only description of the same
 * file, which the caller closes. False: no record is free, or, with errno, none can be locked. */
bool process_claim_locked(struct cache *cache, int fd, int reader);
/* Clears the record and unlocks it. For the second the caller holds process_lock(). */
void process_leave(struct cache *cache);
void process_leave_locked(struct cache *cache);
/* Unlocks the record without clearing it, if this process does not own it any more. */
void process_release_locked(struct cache *cache);
/* Releases the lock of a key, see lock.c, and closes its description. */
void process_close_lock(struct cache *cache);
/* Ends the claim in a slot, see claim.c, if it is this process's. The second ends all claims of this process. */
void process_end_claim(struct cache *cache, shared_word *slot);
void process_end_claims(struct cache *cache);
/* True if the record is still the claimed one. If another process has it, it is forgotten and left unchanged. */
bool process_owns(struct cache *cache);
/* A new description of the attached segment's file. -1 with errno; ESTALE: the path names another file, or none.
 * `known` is an older descriptor, or -1. The caller holds process_lock(). */
int process_open_locked(const struct cache *cache, int known, bool writable);
/* A descriptor of the attached segment's file. Other code of the process may have closed it, and opened another file
 * under its number; then the segment is opened again. -1: that is impossible now. */
int process_file(struct cache *cache);
/* True if a descriptor still is one of that file. */
bool process_is_file(const struct cache *cache, int fd);
/* True if the process that claimed `number` as `incarnation` (its low `bits` bits) is alive. The record of a dead
 * one is cleared. Unless `fresh`, an answer of the kernel is reused for some milliseconds. */
bool process_alive(struct cache *cache, unsigned number, uint32_t incarnation, unsigned bits, bool fresh);

/* True if a live process is writing into the page. The second: is reading it, by a pin or by `copying`. */
bool process_writes(struct cache *cache, uint32_t page, bool fresh);
bool process_reads(struct cache *cache, uint32_t page, bool fresh);

/* ---- Announcements, by the record's owner. They release: work on the page announced before is done. ---- */

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

static inline void count(struct record_shared *record, enum counter counter) {
    word_poke(&record->counters[counter], word_peek(&record->counters[counter]) + 1);
}

#endif
