/*
 * The index: from a key to its entry.
 *
 * A key has two candidate buckets of eight words. A word never moves between slots; a replacement changes it by one
 * compare-and-swap. There are no locks, so no process waits for a stopped one, and each failed swap means that
 * another process succeeded. (A lock would need a timeout, because its holder may be stopped. With a timeout of 1
 * ms, while six processes counted and four filled the cache, 293 counts were refused in 1.2 s.)
 *
 * Two processes that insert an absent key must not both commit, in different slots. So a new word is tentative
 * first. Only other inserters see a tentative word:
 *
 *   put the tentative word; look through both buckets; no rival: commit it, by another swap
 *
 * If the key has a committed word already, my word is withdrawn, and the operation starts again with the committed
 * one. Of two tentative words, the one in the lower slot wins. A rival in a higher slot is withdrawn. For a rival in
 * a lower slot I wait a moment, since it is probably about to be committed; then I withdraw it too, since its owner
 * may be stopped or dead. The owner of a withdrawn word notices that its swap fails, and starts again.
 *
 * At most one word of a key is committed. Proof: let A and B commit words of a key that was absent, and let A's word
 * have been put first, in the single order of swaps and ordered loads. B looked through all slots after that. Either
 * B saw A's word committed, and withdrew its own. Or B saw it tentative, and went on only after withdrawing it, so
 * A's commit failed. Or it was gone: withdrawn, as before, or committed and removed again, so the key was absent.
 */
#ifndef LARDER_INDEX_H
#define LARDER_INDEX_H

#include <string.h>

#include "commit.h"
#include "hash.h"
#include "page.h"
#include "sample.h"

/* An entry found for a key, readable while its page is announced, pinned or being written to. */
struct found {
    shared_word *slot;
    uint64_t word;
    const struct entry_shared *entry;
    uint32_t page;
};

static inline struct place index_place(const struct cache *cache, const struct cache_key *key) {
    return hash_place(&cache->map, hash_mix(key->hash, cache->map.seed));
}

/* For a put: gives both buckets memory. False: there is none. */
static inline bool index_place_to_put(struct cache *cache, const struct cache_key *key, struct place *place) {
    *place = index_place(cache, key);
    return LIKELY(ref_is_bucket(place->first) && ref_is_bucket(place->second)) || commit_place(cache, place);
}

/* True if `place` has all slots of the key. A second bucket that had no memory may have memory by now, and a word of
 * the key. Checked after a word was put into the first bucket. A process that put the key into the second bucket
 * before that gave it memory earlier, so we see the memory; a process that does so later sees our word. */
static inline bool index_is_complete(const struct map *map, const struct place *place) {
    if (LIKELY(place->second != place->first)) {
        return true;
    }
    const uint32_t second = hash_second(map, place->hash);
    return second == hash_first(map, place->hash) || (fence(), !ref_is_bucket(ref_bucket(map, second)));
}

static inline uint64_t load_8(const char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint32_t load_4(const char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* memcmp() for short keys. It makes no call, so a hit saves no registers. The last two words may overlap. */
static inline bool index_same_bytes(const char *a, const char *b, uint32_t length) {
    if (LIKELY(length >= 8)) {
        for (uint32_t i = 0; i + 8 < length; i += 8) {
            if (load_8(a + i) != load_8(b + i)) {
                return false;
            }
        }
        return load_8(a + length - 8) == load_8(b + length - 8);
    }
    if (length >= 4) {
        return load_4(a) == load_4(b) && load_4(a + length - 4) == load_4(b + length - 4);
    }
    return a[0] == b[0] && a[length - 1] == b[length - 1] && a[length / 2] == b[length / 2];
}

/* True if the entry at a location is whole and of this key. */
static inline bool index_is_key(const struct map *map, const struct entry_shared *entry, uint64_t location,
                                uint64_t hash, const struct cache_key *key) {
    return entry_hash(entry) == hash && (entry->where & WHERE_KEY_MASK) == where_make(0, key->length, location) &&
           ref_inside(map, location, entry_units(key->length, entry->units)) &&
           index_same_bytes(entry_key(entry), key->bytes, key->length);
}

static inline bool index_is_expired(const struct entry_shared *entry) {
    return entry->expires != 0 && entry->expires <= cache_now();
}

/* True if the key counts as missing although it has this entry, because the entry is stale, expired, or a
 * placeholder. `header` is as in entry_freshness(). */
static inline bool index_is_missing(const struct entry_shared *header, const struct entry_shared *entry) {
    const uint64_t until = entry_fresh_until(header, entry);
    return (until != 0 && until <= cache_now()) || where_kind(header->where) == CACHE_PLACEHOLDER;
}

/* Looks a key up without pinning. True: `found` is filled and its page is protected. The caller ends that by
 * clear_copying() after its last look at the entry and after any swap of its word. (Otherwise the space could be
 * reused, and the swap would change another key's word.) */
bool index_find_announced(struct cache *cache, struct record_shared *record, const struct place *place,
                          const struct cache_key *key, struct found *found);

/* The use count after one more use. */
static inline unsigned index_use_raised(const struct cache *cache, const struct found *found, unsigned use) {
    if (use == USE_NONE && !page_is_new(cache, found->page)) {
        return USE_WORTH_MOVING;
    }
    if (use < USE_MAX - 1) {
        return use + 1;
    }
    return sample_has(&cache->map, entry_hash(found->entry)) ? USE_SAMPLED : USE_MAX;
}

/* Counts a use, at most four times in an entry's life. Tries once, with a compare-and-swap of the whole word: a
 * plain store could bring back a reclaimed location. */
static inline void index_mark_used(const struct cache *cache, const struct found *found) {
    uint64_t word = found->word;
    const unsigned use = slot_use(word);
    if (use != USE_MAX) {
        const unsigned raised = index_use_raised(cache, found, use);
        if (raised != use) {
            word_swap(found->slot, &word, slot_make(slot_tag(word), raised, slot_location(word)));
        }
    }
}

/* Announces the page that the slot names, unless this process protects it already. `word` receives what the slot
 * names then. Returns NULL if that is no entry. */
const struct entry_shared *index_protect(struct cache *cache, struct record_shared *record,
                                         const shared_word *slot, uint64_t *word);

/* Removes the found word; false: it has changed, look again. */
bool index_unlink(struct cache *cache, const struct found *found);

/* Unlinks a key. True if the key was present and did not count as missing. */
bool index_remove(struct cache *cache, struct record_shared *record, const struct place *place,
                  const struct cache_key *key);

/* True if a bucket has a slot for a new key; removes an expired entry to make one. Needed in a segment that keeps
 * its entries: there nothing is displaced, so without a free slot index_put() of a new key would fail forever. */
bool index_has_room(struct cache *cache, struct record_shared *record, const struct place *place);

/* Points the key's word at a sealed entry, which is still announced in `writing`. `found` is from
 * index_find_announced(); its slot is NULL if the key was absent. False: the key's word has changed, look again. */
bool index_put(struct cache *cache, struct record_shared *record, const struct place *place,
               const struct cache_key *key, const struct found *found, const struct reservation *reservation);

#endif
