/*
 * The index: from a key to the location of its entry.
 *
 * A key has two candidate buckets of eight words. A word never moves between slots; replacing a key changes its word
 * where it stands, by one compare-and-swap. Nobody holds a lock, so nobody waits for one who is stopped, and each failed
 * swap means that another has got on.
 *
 * Two who insert an absent key at the same time must not both do so, in different slots. So a new word is tentative
 * first, and its key absent for all but other inserters:
 *
 *   put the tentative word; look through both buckets; nobody else is there: commit, by another swap
 *
 * A committed word of the key: mine goes, and what is there is acted on. Another's tentative one: of the two the one in
 * the lower slot comes first. A higher one I take out; for a lower one I wait a moment, for it is about to be committed,
 * and then take it out as well, for its owner may be stopped or dead. Whoever is taken out sees it when its swap fails,
 * and begins again.
 *
 * Why at most one word of a key is committed: let A and B commit words of one key that was absent, and let A have put its
 * own first, in the single order of swaps and ordered loads. B looked through all slots after that. It saw A's word
 * committed, and gave way; or tentative, and did not go on before it was out, so A's commit failed; or not any more, so
 * it was out, as before, or it had been committed and removed again, and the key was absent.
 */
#ifndef LARDER_INDEX_H
#define LARDER_INDEX_H

#include <string.h>

#include "commit.h"
#include "hash.h"
#include "page.h"

/* An entry found for a key. It may be read while its page is announced, pinned or being written to. */
struct found {
    shared_word *slot;
    uint64_t word;
    const struct entry_shared *entry;
    uint32_t page;
};

static inline struct place index_place(const struct cache *cache, const struct cache_key *key) {
    return hash_place(&cache->map, hash_mix(key->hash, cache->map.seed));
}

/* The same for who may put the key there: both buckets have their memory. False: there is none for them. */
static inline bool index_place_to_put(struct cache *cache, const struct cache_key *key, struct place *place) {
    *place = index_place(cache, key);
    return LIKELY(cache->map.index_whole) || commit_place(cache, place);
}

/*
 * Whether all slots are looked at where the key can stand. Where there was no memory for the second bucket, it may have
 * got it since, and the key a word there. Asked after a word was put in the first one: who has put the key into the second
 * before this looks has given it memory before, and who does it later sees that word.
 */
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

/* memcmp() for keys, most of which are short: without a call, so that the hit of a fetch needs no registers saved;
 * the last words overlap. */
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

/* Whether the entry at a location is whole and the key's. */
static inline bool index_is_key(const struct map *map, const struct entry_shared *entry, uint64_t location,
                                uint64_t hash, const struct cache_key *key) {
    return entry_hash(entry) == hash && (entry->where & WHERE_KEY_MASK) == where_make(0, key->length, location) &&
           ref_inside(map, location, entry_units(key->length, entry->units)) &&
           index_same_bytes(entry_key(entry), key->bytes, key->length);
}

static inline bool index_is_expired(const struct entry_shared *entry) {
    return entry->expires != 0 && entry->expires <= cache_now();
}

/*
 * Looks a key up without pinning. True: `found` is filled and its page is protected; the caller ends the
 * protection with clear_copying() after its last look at the entry and after any compare-and-swap of the
 * word (else the place could be reused, and the swap would hit a stranger).
 */
bool index_find_announced(struct cache *cache, struct record_shared *record, const struct place *place,
                          const struct cache_key *key, struct found *found);

/* Notes that the entry was of use, at most four times in its generation. Once, of the whole word, never retried: a plain
 * store could bring back a reclaimed location. */
static inline void index_mark_used(const struct cache *cache, const struct found *found) {
    uint64_t word = found->word;
    const unsigned use = slot_use(word);
    if (use < USE_MAX) {
        const bool is_worth = use == USE_NONE && !page_is_new(cache, found->page);
        word_swap(found->slot, &word, word + (is_worth ? USE_WORTH_MOVING - USE_NONE : 1) * USE_ONE);
    }
}

/* Announces the page that the word in the slot names, unless it is protected already: NULL if the slot does not name one
 * any more; else `word` is what it names, and its entry protected as by index_find_announced(). */
const struct entry_shared *index_protect(struct cache *cache, struct record_shared *record,
                                         const shared_word *slot, uint64_t *word);

/* Takes the found word out of the index; false: it has changed, look again. */
bool index_unlink(struct cache *cache, const struct found *found);

/* Unlinks a key whatever it is; whether there was an unexpired one. */
bool index_remove(struct cache *cache, struct record_shared *record, const struct place *place,
                  const struct cache_key *key);

/*
 * Makes the key's word name a sealed entry, which is still announced in `writing`. `found` is what index_find_announced()
 * gave, its slot NULL if the key was not there; false: that is no longer so, look again.
 */
bool index_put(struct cache *cache, struct record_shared *record, const struct place *place,
               const struct cache_key *key, const struct found *found, const struct reservation *reservation);

#endif
