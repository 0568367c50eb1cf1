/*
 * Memory on demand.
 *
 * A segment's file is sparse. Index, entry starts and pages get memory in steps, each by one system call before it is
 * first touched, so no later access can fail for want of memory. Then the step's bit is set, sealed (see ref_steps()):
 * a bit set by damage counts for nothing.
 *
 * A step is refused if it would take what others need: a sixteenth of the file system and a quarter of each cgroup's
 * limit stay free. The index may take half of that, for without its bucket a key cannot be stored at all. Refused
 * steps are tried again later; until then the cache makes do.
 */
#ifndef LARDER_COMMIT_H
#define LARDER_COMMIT_H

#include "hash.h"
#include "process.h"

/* True if asking for memory may succeed: not just after a refusal. */
bool commit_may_grow(const struct cache *cache);

/* Gives a page of the caller's its memory. False: there is none. */
bool commit_page(struct cache *cache, uint32_t page);

/* Gives the buckets of a place their memory. False: there is none for the first. Without memory for the second, the
 * first takes its place. */
bool commit_place(struct cache *cache, struct place *place);

/* Makes huge pages of the part of the file that this process gave memory, for so long at most: they make a random
 * fetch a tenth faster, and new processes fault once for 2 MiB instead of 4 KiB. Called when nobody waits. */
void commit_make_huge(struct cache *cache, uint64_t nanoseconds);

/* Notes when the whole index has memory, so that look-ups stop asking. */
void commit_check_index(struct map *map);

/* Gives back the memory of a step of pages, from `first` on, all claimed by the caller; the bytes given back. */
uint64_t commit_give_back(struct cache *cache, uint32_t first, uint32_t count);

/* Pages that have their memory. */
uint32_t commit_pages(const struct map *map);

#endif
