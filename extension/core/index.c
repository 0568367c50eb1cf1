#include "index.h"

#include "page.h"
#include "pin.h"
#include "point.h"

/* A page that this process has pinned, or into which it is writing, cannot be taken away. */
static bool is_protected(const struct record_shared *record, uint32_t page) {
    return pin_is_held(record, page) || word_peek(&record->writing) == (uint64_t)page + 1;
}

/* Fills `found` if the slot holds the key. Never gives up while it may: a writer would put the key into a
 * second slot, a delete would leave it. Each further turn means that others have drained a page. */
static bool look(struct cache *cache, struct record_shared *record, shared_word *slot, const struct place *place,
                 const struct cache_key *key, struct found *found) {
    uint64_t word = word_load(slot);
    while (slot_tag(word) == place->tag && slot_location(word)) {
        const uint64_t location = slot_location(word);
        const uint32_t page = ref_page(&cache->map, location);
        if (page >= cache->map.page_count) {
            return false;
        }
        if (!is_protected(record, page)) {
            announce_copying(record, page);
            POINT(find_announced);
            word = word_load(slot);
            if (slot_location(word) != location) {
                continue;
            }
        }
        const struct entry_shared *entry = ref_entry(&cache->map, location);
        if (!index_is_key(&cache->map, entry, location, place->hash, key)) {
            return false;
        }
        *found = (struct found){.slot = slot, .word = word, .entry = entry, .page = page};
        return true;
    }
    return false;
}

bool index_find_announced(struct cache *cache, struct record_shared *record, const struct place *place,
                          const struct cache_key *key, struct found *found) {
    struct bucket_shared *bucket = place->first;
    for (;;) {
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            if (slot_tag(word_peek(&bucket->slots[i])) == place->tag &&
                look(cache, record, &bucket->slots[i], place, key, found)) {
                return true;
            }
        }
        if (bucket == place->second) {
            break;
        }
        bucket = place->second;
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
    POINT(index_unlinked);
    page_lower_live(cache, found->page, found->entry->life, entry_units_all(found->entry));
    return true;
}

bool index_remove(struct cache *cache, struct record_shared *record, const struct place *place,
                  const struct cache_key *key) {
    struct found found;
    bool removed = false;
    while (index_find_announced(cache, record, place, key, &found)) {
        const bool expired = index_is_expired(found.entry);
        if (index_unlink(cache, &found)) {
            removed = removed || !expired;
        }
    }
    clear_copying(record);
    return removed;
}

/* ---- Putting ---- */

static unsigned free_slots(const struct bucket_shared *bucket) {
    unsigned free = 0;
    for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
        free += word_peek(&bucket->slots[i]) == 0;
    }
    return free;
}

static bool fill_free_slot(struct bucket_shared *bucket, uint64_t word) {
    for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
        uint64_t empty = 0;
        if (word_peek(&bucket->slots[i]) == 0 && word_swap(&bucket->slots[i], &empty, word)) {
            return true;
        }
    }
    return false;
}

/* Both buckets are full: the least used of the fourteen gives way. */
static bool displace(struct cache *cache, struct record_shared *record, const struct place *place, uint64_t word) {
    shared_word *least = NULL;
    uint64_t least_word = 0;
    for (unsigned i = 0; i < 2 * BUCKET_SLOTS; i++) {
        /* Begins at a place that the key decides, so that not always the same slot suffers. */
        const unsigned slot = (unsigned)((place->hash >> 8) + i) % (2 * BUCKET_SLOTS);
        shared_word *candidate =
            slot < BUCKET_SLOTS ? &place->first->slots[slot] : &place->second->slots[slot - BUCKET_SLOTS];
        const uint64_t value = word_load(candidate);
        if (!least || slot_use(value) < slot_use(least_word)) {
            least = candidate;
            least_word = value;
        }
    }
    const uint32_t page = ref_page(&cache->map, slot_location(least_word));
    const uint32_t life =
        page < cache->map.page_count ? (uint32_t)(word_load(&page_row(cache, page)->live) >> 32) : 0;
    if (least_word == 0 || !word_swap(least, &least_word, word)) {
        return false;
    }
    POINT(index_displaced);
    /* The life was read while the word named the page. If the word was taken out and came back meanwhile,
     * the life is an older one and nothing is subtracted: the number of living is never too low. */
    if (page < cache->map.page_count) {
        page_lower_live(cache, page, life, 0); /* nothing protects the entry, its length cannot be read */
    }
    count(record, COUNT_DISPLACED);
    return true;
}

/* The key's word names another entry now. Within one page (and so one life) the number of living stays. */
static bool replace(struct cache *cache, const struct found *found, uint64_t word, const struct pending *pending) {
    const bool same_page = found->page == pending->page;
    if (!same_page) {
        page_raise_live(cache, pending->page);
    }
    uint64_t old = found->word;
    while (!word_swap(found->slot, &old, word)) {
        if (slot_location(old) != slot_location(found->word)) {
            if (!same_page) {
                page_lower_live(cache, pending->page, pending->life, pending->units);
            }
            return false;
        }
    }
    POINT(index_replaced);
    const uint64_t units = entry_units_all(found->entry);
    if (same_page) {
        page_add_dead(cache, found->page, units);
    } else {
        page_lower_live(cache, found->page, found->entry->life, units);
    }
    return true;
}

/* Into the emptier of the two: filling the first one first loses keys long before the index is full. */
static bool insert(struct cache *cache, struct record_shared *record, const struct place *place, uint64_t word) {
    const unsigned first = free_slots(place->first);
    const unsigned second = place->second == place->first ? 0 : free_slots(place->second);
    if (first + second == 0) {
        return displace(cache, record, place, word);
    }
    return fill_free_slot(first >= second ? place->first : place->second, word);
}

bool index_put_locked(struct cache *cache, struct record_shared *record, const struct place *place,
                      const struct found *found, const struct pending *pending) {
    const uint64_t word = slot_make(place->tag, 0, pending->location);
    if (found->slot) {
        return replace(cache, found, word, pending);
    }
    page_raise_live(cache, pending->page);
    const bool put = insert(cache, record, place, word);
    if (!put) {
        page_lower_live(cache, pending->page, pending->life, pending->units);
    }
    return put;
}
