#include "index.h"

#include "failpoint.h"
#include "integer.h"
#include "occupied.h"
#include "page.h"
#include "pin.h"

/* The wait for another inserter of the key takes some microseconds. */
enum { SPINS_A_TURN = 32, TURNS = 8 };

/* Pages that this process pins or writes into cannot be reclaimed. */
static bool is_protected(const struct record_shared *record, uint32_t page) {
    return pin_is_held(record, page) || word_peek(&record->writing) == (uint64_t)page + 1;
}

const struct entry_shared *index_protect(struct cache *cache, struct record_shared *record,
                                         const shared_word *slot, uint64_t *word) {
    *word = word_load(slot);
    for (;;) {
        const uint64_t location = slot_location(*word);
        const uint32_t page = ref_page(&cache->map, location);
        if (location == 0 || page >= cache->map.page_count) {
            return NULL;
        }
        if (is_protected(record, page)) {
            return ref_entry(&cache->map, location);
        }
        announce_copying(record, page);
        FAILPOINT(find_announced);
        *word = word_load(slot);
        if (slot_location(*word) == location) {
            /* without memory there is no entry: the word is damaged */
            return LIKELY(ref_page_has_memory(&cache->map, page)) ? ref_entry(&cache->map, location) : NULL;
        }
    }
}

/* Fills `found` if the slot names the key, even tentatively. index_protect() tries again while the word changes:
 * otherwise a writer would put the key into a second slot, and a delete would leave the key. Each further turn means
 * that another process succeeded. */
static bool look(struct cache *cache, struct record_shared *record, shared_word *slot, const struct place *place,
                 const struct cache_key *key, struct found *found) {
    uint64_t word;
    const struct entry_shared *entry = index_protect(cache, record, slot, &word);
    if (!entry || slot_tag(word) != place->tag ||
        !index_is_key(&cache->map, entry, slot_location(word), place->hash, key)) {
        return false;
    }
    *found = (struct found){
        .slot = slot,
        .word = word,
        .entry = entry,
        .page = ref_page(&cache->map, slot_location(word)),
    };
    return true;
}

bool index_find_announced(struct cache *cache, struct record_shared *record, const struct place *place,
                          const struct cache_key *key, struct found *found) {
    struct bucket_shared *bucket = place->first;
    for (unsigned b = 0; b < 2; b++, bucket = place->second) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            shared_word *slot = &bucket->slots[i];
            if (UNLIKELY(slot_tag(word_peek(slot)) == place->tag) &&
                look(cache, record, slot, place, key, found) && slot_is_committed(found->word)) {
                return true;
            }
        }
    }
    found->slot = NULL;
    return false;
}

bool index_unlink(struct cache *cache, const struct found *found) {
    uint64_t word = found->word;
    while (!word_swap(found->slot, &word, 0)) {
        if (slot_location(word) != slot_location(found->word)) {
            return false;
        }
    }
    FAILPOINT(index_unlinked);
    page_lower_live(cache, found->page, found->entry->generation, entry_units_all(found->entry));
    return true;
}

bool index_remove(struct cache *cache, struct record_shared *record, const struct place *place,
                  const struct cache_key *key) {
    struct found found;
    bool unlinked = false, missing = true;
    /* Removes one entry only: if the key is found again after that, a process that had found it absent added it. */
    while (!unlinked && index_find_announced(cache, record, place, key, &found)) {
        missing = index_is_missing(found.entry, found.entry);
        unlinked = index_unlink(cache, &found);
    }
    clear_copying(record);
    return unlinked && !missing;
}

/* ---- Putting ---- */

static unsigned free_slots(const struct bucket_shared *bucket) {
    unsigned free = 0;
    for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
        free += word_peek(&bucket->slots[i]) == 0;
    }
    return free;
}

static shared_word *fill_free_slot(struct bucket_shared *bucket, uint64_t word) {
    for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
        uint64_t empty = 0;
        if (word_peek(&bucket->slots[i]) == 0 && word_swap(&bucket->slots[i], &empty, word)) {
            return &bucket->slots[i];
        }
    }
    return NULL;
}

enum { SLOTS_OF_A_KEY = 2 * BUCKET_SLOTS, COUNTERS_THAT_STAY = SLOTS_OF_A_KEY / 4 };

/* The least used slot of both buckets that is not `excluded`. Tentative ones come last. Ties go to the first slot
 * from a number that depends on the key, so that the same slot does not always suffer. */
static unsigned least_used(const struct place *place, uint32_t excluded) {
    unsigned least = SLOTS_OF_A_KEY, least_use = UINT32_MAX;
    for (unsigned i = 0; i < SLOTS_OF_A_KEY; i++) {
        const unsigned slot = (unsigned)((place->hash >> 8) + i) % SLOTS_OF_A_KEY;
        const uint64_t word = word_load(place_slot(place, slot));
        const unsigned counted = slot_use(word) < USE_MAX ? slot_use(word) : USE_MAX;
        const unsigned use = slot_is_committed(word) ? counted : USE_MAX + 1;
        if (!(excluded >> slot & 1) && use < least_use) {
            least = slot;
            least_use = use;
        }
    }
    return least;
}

/* Called if both buckets are full: displaces the least used entry. A counter in use stays, unless there are many: a
 * flood of counters must not take the index. */
static shared_word *displace(struct cache *cache, struct record_shared *record, const struct place *place,
                             uint64_t word) {
    const unsigned first = least_used(place, 0);
    unsigned slot;
    uint64_t old = 0;
    const struct entry_shared *entry = NULL;
    uint32_t passed = 0;
    for (unsigned stay = 0; stay <= COUNTERS_THAT_STAY; stay++) {
        slot = stay < COUNTERS_THAT_STAY ? least_used(place, passed) : first;
        entry = index_protect(cache, record, place_slot(place, slot), &old);
        if (!entry || !entry_is_integer(entry) || integer_may_go(&cache->map, entry)) {
            break;
        }
        passed |= UINT32_C(1) << slot;
    }
    if (old == 0 || !word_swap(place_slot(place, slot), &old, word)) {
        return NULL;
    }
    FAILPOINT(index_displaced);
    if (entry) {
        /* not counted as dead: if the index is too small, compacting would never end */
        page_lower_live(cache, ref_page(&cache->map, slot_location(old)), entry->generation, 0);
    }
    count(record, COUNT_DISPLACED);
    return place_slot(place, slot);
}

bool index_has_room(struct cache *cache, struct record_shared *record, const struct place *place) {
    if (free_slots(place->first) + free_slots(place->second) > 0) {
        return true;
    }
    for (unsigned i = 0; i < SLOTS_OF_A_KEY; i++) {
        struct found found = {.slot = place_slot(place, i)};
        found.entry = index_protect(cache, record, found.slot, &found.word);
        found.page = ref_page(&cache->map, slot_location(found.word));
        if (found.entry && index_is_expired(found.entry) && index_unlink(cache, &found)) {
            count(record, COUNT_EXPIRED);
            return true;
        }
    }
    return false;
}

/* Points the key's word at another entry. Within one page the number of live entries does not change. */
static bool replace(struct cache *cache, const struct found *found, uint64_t word,
                    const struct reservation *reservation) {
    const bool same_page = found->page == reservation->page;
    if (!same_page) {
        page_raise_live(cache, reservation->page);
    }
    uint64_t old = found->word;
    while (!word_swap(found->slot, &old, word)) {
        if (slot_location(old) != slot_location(found->word)) {
            if (!same_page) {
                page_lower_live(cache, reservation->page, reservation->generation, reservation->units);
            }
            return false;
        }
    }
    FAILPOINT(index_replaced);
    const uint64_t units = entry_units_all(found->entry);
    if (same_page) {
        page_add_dead(cache, found->page, units);
    } else {
        page_lower_live(cache, found->page, found->entry->generation, units);
    }
    return true;
}

/* Puts the word into the emptier bucket: filling the first bucket first would lose keys long before the index is
 * full. NULL: another process was faster. */
static shared_word *take_slot(struct cache *cache, struct record_shared *record, const struct place *place,
                              uint64_t word) {
    const unsigned first = free_slots(place->first);
    const unsigned second = place->second == place->first ? 0 : free_slots(place->second);
    if (first + second == 0) {
        return cache->map.keeps ? NULL : displace(cache, record, place, word);
    }
    return fill_free_slot(first >= second ? place->first : place->second, word);
}

/* Finds another word of the key, and protects its page. Each slot is loaded in order after our own word was put;
 * what look() loads is newer still. */
static bool find_rival(struct cache *cache, struct record_shared *record, const struct place *place,
                       const struct cache_key *key, const shared_word *mine, struct found *rival) {
    for (unsigned i = 0; i < SLOTS_OF_A_KEY; i++) {
        shared_word *slot = place_slot(place, i);
        if (slot != mine && slot_tag(word_load_in_order(slot)) == place->tag &&
            look(cache, record, slot, place, key, rival)) {
            return true;
        }
    }
    return false;
}

/* Removes a tentative word, unless it was committed since. */
static void withdraw(struct cache *cache, const struct found *tentative) {
    uint64_t word = tentative->word;
    if (word_swap(tentative->slot, &word, 0)) {
        FAILPOINT(index_withdrawn);
        page_lower_live(cache, tentative->page, tentative->entry->generation, 0);
    }
}

/* Spins, since the other process is about to commit and a yield could take long. */
static void wait_for_rival(void) {
    for (unsigned i = 0; i < SPINS_A_TURN; i++) {
        spin_pause();
    }
}

/* Inserts an absent key, see index.h. */
static bool insert(struct cache *cache, struct record_shared *record, const struct place *place,
                   const struct cache_key *key, const struct reservation *reservation) {
    struct found mine = {
        .word = slot_make(place->tag, USE_TENTATIVE, reservation->location),
        .page = reservation->page,
        .entry = ref_entry(&cache->map, reservation->location),
    };
    page_raise_live(cache, reservation->page);
    mine.slot = take_slot(cache, record, place, mine.word);
    if (!mine.slot) {
        page_lower_live(cache, reservation->page, reservation->generation, 0);
        return false;
    }
    FAILPOINT(index_tentative);
    occupied_mark(&cache->map, ref_bucket_of(&cache->map, mine.slot));
    FAILPOINT(index_marked);
    if (UNLIKELY(!index_is_complete(&cache->map, place))) {
        withdraw(cache, &mine);
        return false;
    }
    struct found rival;
    for (unsigned turn = 0; find_rival(cache, record, place, key, mine.slot, &rival);) {
        if (slot_is_committed(rival.word)) {
            withdraw(cache, &mine);
            return false;
        }
        if (rival.slot < mine.slot && turn < TURNS) {
            wait_for_rival();
            turn++;
        } else {
            withdraw(cache, &rival);
        }
    }
    FAILPOINT(index_alone);
    uint64_t word = mine.word;
    return word_swap(mine.slot, &word, slot_make(place->tag, USE_NONE, reservation->location));
}

bool index_put(struct cache *cache, struct record_shared *record, const struct place *place,
               const struct cache_key *key, const struct found *found, const struct reservation *reservation) {
    return found->slot ? replace(cache, found, slot_make(place->tag, USE_NONE, reservation->location), reservation)
                       : insert(cache, record, place, key, reservation);
}
