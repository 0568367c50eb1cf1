/*
 * Claims: the right to compute a key, without a system call unless a process waits.
 *
 * A claim is a word in one of the slots of the key's bucket. It names the key by a tag, and the owner by its record.
 * A compare-and-swap makes a claim, another one ends it. A process that wants the claim or its slot reads from the
 * owner's record whether the owner is dead.
 *
 * Two processes may claim one key at once in two slots, if another claim ends while they look for a free slot. So
 * after a process made its claim it looks at the other slots, and ends its claim if one of them has the key:
 *
 *   each        swap my slot from free to my claim; load the other slots
 *
 * All these swaps and loads are in one order. So the later of the two processes sees the other's claim, and at most
 * one of them keeps its own. If both end theirs, they ask again.
 *
 * A waiter marks the claim as waited for and sleeps on its word, for a bounded time, since the owner may die. A
 * sleeping waiter holds nothing, so it blocks no other process even if it is stopped.
 */
#include "claim.h"
#include "attach.h"
#include "failpoint.h"
#include "hash.h"
#include "os.h"

enum { WAIT_NS = 10 * 1000 * 1000 };

/* Bucket and tag of a key's claim. Two keys share both once in 10^11 pairs. */
struct where {
    struct claims_shared *bucket;
    uint64_t tag; /* the tag, in its bits of a claim */
};

static struct where where_of(const struct cache *cache, const struct cache_key *key) {
    const uint64_t hash = hash_mix(key->hash, cache->map.seed);
    return (struct where){
        .bucket = &cache->map.claims[hash % CLAIM_BUCKETS],
        .tag = hash >> CLAIM_TAG_SHIFT << CLAIM_TAG_SHIFT,
    };
}

static uint64_t owner_of(const struct cache *cache) {
    return claim_owner(cache->incarnation, cache->number);
}

static bool has_tag(uint64_t word, uint64_t tag) {
    return word != 0 && word >> CLAIM_TAG_SHIFT << CLAIM_TAG_SHIFT == tag;
}

/* True if the claim in the slot was a dead process's and the slot is free now. */
static bool take_out_dead(struct cache *cache, shared_word *slot, uint64_t word) {
    const bool alive = (word & CLAIM_TAKEN) && process_alive(cache, claim_record(word), claim_incarnation(word),
                                                             OWNER_INCARNATION_BITS, false);
    FAILPOINT(claim_owner_asked);
    return !alive && word_swap(slot, &word, 0);
}

static bool is_own(const struct cache *cache, uint64_t word) {
    return cache->identity->claims > 0 && claim_is_of(word, owner_of(cache));
}

/* True if this process has the key claimed, in any slot. All slots are read: a lower one may hold the claim of
 * another process that is about to end it because of ours. */
static bool is_mine(const struct cache *cache, struct where where) {
    bool mine = false;
    for (unsigned i = 0; i < CLAIM_SLOTS; i++) {
        const uint64_t word = word_load(&where.bucket->slots[i]);
        mine = mine || (has_tag(word, where.tag) && is_own(cache, word));
    }
    return mine;
}

/* The slot, other than `mine`, in which a living process has the key claimed; NULL: none. */
static shared_word *find_other(struct cache *cache, struct where where, const shared_word *mine) {
    for (unsigned i = 0; i < CLAIM_SLOTS; i++) {
        shared_word *slot = &where.bucket->slots[i];
        const uint64_t word = word_load_in_order(slot);
        if (UNLIKELY(has_tag(word, where.tag)) && slot != mine && !take_out_dead(cache, slot, word)) {
            return slot;
        }
    }
    return NULL;
}

/* A free slot; NULL: living processes have all. */
static shared_word *find_free(struct cache *cache, struct claims_shared *bucket) {
    for (unsigned i = 0; i < CLAIM_SLOTS; i++) {
        if (word_load(&bucket->slots[i]) == 0) {
            return &bucket->slots[i];
        }
    }
    for (unsigned i = 0; i < CLAIM_SLOTS; i++) {
        shared_word *slot = &bucket->slots[i];
        if (take_out_dead(cache, slot, word_load(slot))) {
            return slot;
        }
    }
    return NULL;
}

enum cache_result cache_claim(struct cache *cache, const struct cache_key *key) {
    if (!enter_to_store(cache)) {
        return CACHE_UNAVAILABLE;
    }
    const struct where where = where_of(cache, key);
    shared_word *slot;
    uint64_t none;
    do {
        if (find_other(cache, where, NULL) || !(slot = find_free(cache, where.bucket))) {
            return CACHE_EXISTS;
        }
        FAILPOINT(claim_slot_found);
        none = 0;
    } while (!word_swap(slot, &none, where.tag | owner_of(cache)));
    cache->identity->claims++;
    FAILPOINT(claim_made);
    if (find_other(cache, where, slot)) {
        process_end_claim(cache, slot);
        return CACHE_EXISTS;
    }
    return CACHE_OK;
}

enum claim_state claim_look(struct cache *cache, const struct cache_key *key) {
    const struct where where = where_of(cache, key);
    if (is_mine(cache, where)) {
        return CLAIMED_BY_ME;
    }
    if (find_other(cache, where, NULL)) {
        return CLAIMED_BY_OTHER;
    }
    return find_free(cache, where.bucket) ? CLAIMED_BY_NOBODY : CLAIMED_NO_ROOM;
}

/* A slot that is free, or in which another process has any key claimed. Each process starts at another slot. NULL:
 * all are this process's own. */
static shared_word *find_others(struct cache *cache, struct claims_shared *bucket) {
    for (unsigned i = 0; i < CLAIM_SLOTS; i++) {
        shared_word *slot = &bucket->slots[(cache->number + i) % CLAIM_SLOTS];
        if (!is_own(cache, word_load(slot))) {
            return slot;
        }
    }
    return NULL;
}

bool cache_await_claim(struct cache *cache, const struct cache_key *key) {
    if (!attached_record(cache)) {
        return false;
    }
    const struct where where = where_of(cache, key);
    if (is_mine(cache, where)) {
        return false; /* left by an interrupted call; it ends with the request, which would wait for itself */
    }
    shared_word *slot = find_other(cache, where, NULL);
    /* Without another claim of the key there was no room: wait for any of the bucket's claims. */
    if (!slot && !(slot = find_others(cache, where.bucket))) {
        return false;
    }
    uint64_t word = word_load(slot);
    if (word == 0 || (!(word & CLAIM_WAITED) && !word_swap(slot, &word, word | CLAIM_WAITED))) {
        return true; /* it has ended */
    }
    FAILPOINT(claim_waited_for);
    os_wait(slot, (uint32_t)(word | CLAIM_WAITED), WAIT_NS);
    return true;
}

void cache_end_claim(struct cache *cache, const struct cache_key *key) {
    if (cache->identity->claims == 0) {
        return;
    }
    const struct where where = where_of(cache, key);
    for (unsigned i = 0; i < CLAIM_SLOTS; i++) {
        if (has_tag(word_load(&where.bucket->slots[i]), where.tag)) {
            process_end_claim(cache, &where.bucket->slots[i]);
        }
    }
}
