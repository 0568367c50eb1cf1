/*
 * Memory on demand.
 *
 * A segment's file is sparse. Index, entry starts and pages get memory in steps, each by one system call before it
 * is first touched. So no later access can fail for lack of memory. Then the step's bit is set in a sealed word (see
 * ref_steps()), so that a bit set by damage is ignored.
 *
 * A step is refused if it would take memory that other programs need: a sixteenth of the file system and a quarter
 * of each cgroup's limit stay free. The index may take half of that, since without its bucket a key cannot be stored
 * at all. Refused steps are tried again later; until then the cache works with the memory that it has.
 */
#ifndef LARDER_COMMIT_H
#define LARDER_COMMIT_H

#include "hash.h"
#include "process.h"

/* False just after a refusal: asking for memory again would be useless. */
bool commit_may_grow(const struct cache *cache);

/* Gives a page that the caller has claimed its memory. False: there is none. */
bool commit_page(struct cache *cache, uint32_t page);

/* Gives the buckets of a place their memory. False: there is none for the first. Without memory for the second, the
 * first is used in its place. */
bool commit_place(struct cache *cache, struct place *place);

/* Gives the ring of samples its memory, if there is some to spare. */
void commit_samples(struct cache *cache);

/* Makes huge pages of the part of the file to which this process gave memory, for `nanoseconds` at most. They make a
 * random fetch a tenth faster, and a new process faults once for 2 MiB instead of once for 4 KiB. Called when no
 * client waits. */
void commit_make_huge(struct cache *cache, uint64_t nanoseconds);

/* Notes if the whole index has memory, so that look-ups need not ask any more. */
void commit_check_index(struct map *map);

/* Gives back the memory of a step of pages, from `first` on, all claimed by the caller. Returns the bytes given
 * back. */
uint64_t commit_give_back(struct cache *cache, uint32_t first, uint32_t count);

/* Pages that have their memory. */
uint32_t commit_pages(const struct map *map);

#endif
