/*
 * Claims: the right to compute a key, without a system call unless somebody waits.
 *
 * A claim is a word in one of the slots of the key's bucket; it names the key by a tag, and the record of its owner. A
 * compare-and-swap makes it, another ends it. A dead owner is seen from its record, by whoever wants the claim or its slot.
 *
 * Two processes may claim one key at once in two slots, if another claim ends while they look for a free one. So each looks
 * at the other slots after it made its claim, and ends it if one of them has the key:
 *
 *   either      swap my slot from free to my claim; load the other slots
 *
 * All of these are in one order, so of two the later one sees the other's claim, and at most one keeps its own. If both end
 * theirs, they ask again.
 *
 * A waiter marks the claim as waited for and sleeps at its word, for a bounded time, since the owner may die. It holds
 * nothing meanwhile, so a stopped one is in nobody's way.
 */
#ifndef LARDER_CLAIM_H
#define LARDER_CLAIM_H

#include "attachment.h"

/* Ends all claims of this process. */
void claims_end(struct cache *cache);

/* After a fork the parent gets another record: from then on its claims name that one. */
void claims_carry_over(struct cache *cache, unsigned number, uint32_t incarnation);

#endif
