/*
 * Memory as it is needed.
 *
 * A segment's file is sparse. Its index, its entry starts and its pages get their memory in steps, each by one
 * fallocate() before it is first touched, so no write and no read can fail later for want of memory. The step's bit is
 * set after that, sealed (see ref_steps()): a bit that damage sets is no bit.
 *
 * A step is refused where it would take what others need: a sixteenth of the file system stays free, and a quarter of
 * each cgroup's limit. The index may take half of that too, for without its part of it a key cannot be stored at all.
 * What is refused is asked for again some time later; until then the cache lives with what it has.
 */
#ifndef LARDER_COMMIT_H
#define LARDER_COMMIT_H

#include "hash.h"
#include "process.h"

/* Whether it is worth asking for memory: not when it was refused a moment ago. */
bool commit_may_grow(const struct cache *cache);

/* Sees to it that the page, which the caller owns, has its memory. False: there is none for it. */
bool commit_page(struct cache *cache, uint32_t page);

/* Sees to it that the buckets of a place have their memory. False: there is none for the first one. Where there is none
 * for the second one, the first takes its place. */
bool commit_place(struct cache *cache, struct place *place);

/*
 * Makes huge pages of what this process gave its memory, where nothing is missing between, for so long at most: with them
 * a random fetch costs a tenth less, and a new process has one fault for 2 MiB instead of one for 4 KiB. For moments in
 * which nobody waits.
 */
void commit_make_huge(struct cache *cache, uint64_t nanoseconds);

/* Looks whether the whole index has its memory by now, so that look-ups need not ask. */
void commit_check_index(struct map *map);

/* Gives back the memory of a step of pages, from `first` on, which the caller owns; bytes given back. */
uint64_t commit_give_back(struct cache *cache, uint32_t first, uint32_t count);

/* Pages that have their memory. */
uint32_t commit_pages(const struct map *map);

#endif
