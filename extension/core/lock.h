/*
 * Exclusive locks on keys.
 *
 * The lock of a key is a lock of the kernel on one byte of the segment's file, far behind its end: the byte follows from
 * the key's hash, so two keys share one once in 10^18 pairs. The kernel releases it when its owner dies, and lets a
 * waiting process sleep. Its description is not the record's: a parent keeps its lock when it forks, and the child does
 * not inherit it.
 */
#ifndef LARDER_LOCK_H
#define LARDER_LOCK_H

#include "attachment.h"

/* Releases the lock, and closes its description. The segment is being left. */
void lock_close(struct cache *cache);

#endif
