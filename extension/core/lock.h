/*
 * The lock of a key, in the control word of its first bucket. It serializes the writers of a key, is held
 * for a few loads and one compare-and-swap, and never across user code, a system call or an allocation.
 *
 * It names its owner by record and incarnation. A dead owner has left nothing half done (every change is
 * one word), so the lock is simply taken over.
 */
#ifndef LARDER_LOCK_H
#define LARDER_LOCK_H

#include "process.h"

/* False: its owner lives but has not moved for about a millisecond; once that was waited in vain, a twentieth
 * of it, until the lock is seen to move or the next request begins. */
bool lock_take(struct cache *cache, struct bucket_shared *bucket);
void lock_release(struct cache *cache, struct bucket_shared *bucket);

#endif
