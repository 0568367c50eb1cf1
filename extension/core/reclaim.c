#include "reclaim.h"

#include "commit.h"
#include "destination.h"
#include "failpoint.h"
#include "hash.h"
#include "index.h"
#include "integer.h"
#include "os.h"
#include "page.h"
#include "pin.h"
#include "spare.h"

enum {
    SAMPLE_AFTER = 128, /* after so many consecutive unused entries of probation, */
    SAMPLE_ONE_OF = 8,
    KEPT_SHARE = 4, /* of so many pages, at most one is kept only for counters in use */
    USE_NEVER = USE_SAMPLED + 1,
};

/* ---- Limbo ---- */

static void free_members(struct cache *cache, uint32_t head, uint32_t generation) {
    const uint32_t pages = page_run(&cache->map, head);
    const uint64_t link = (uint64_t)generation << 32 | head;
    for (uint32_t page = head + 1; page < head + pages; page++) {
        struct page_shared *row = page_row(cache, page);
        uint64_t state = word_load(&row->state);
        /* A member that was freed before, and perhaps taken by another run, links to another head. */
        if (state_of(state) == PAGE_MEMBER && word_load(&row->run_head) == link) {
            word_swap(&row->state, &state, state_change(state, PAGE_FREE));
            FAILPOINT(limbo_member_freed);
        }
    }
}

static bool leave_limbo(struct cache *cache, uint32_t page, uint64_t state, bool insist) {
    fence();
    if (process_reads(cache, page, insist)) {
        return false;
    }
    FAILPOINT(limbo_unheld);
    free_members(cache, page, state_generation(state));
    FAILPOINT(limbo_members_freed);
    return word_swap(&page_row(cache, page)->state, &state, state_change(state, PAGE_FREE));
}

/* ---- Moving one entry ---- */

/* What happens to a page's entries. */
struct rule {
    enum page_log log;        /* entries move to this log */
    unsigned least_use;       /* if their use count is at least this, */
    unsigned lower_use;       /* which is then lowered by this, */
    uint64_t budget;          /* up to this many units in all; */
    unsigned always_use;      /* beyond them, if it is at least this */
    bool samples;             /* a random sample of unused entries moves, too: see is_sampled() */
    bool drops_nothing;       /* if an entry that should move finds no place, the page stays */
    uint64_t dropped, unused; /* entries dropped for room so far, and those of them that were not in use */
};

/* Finds space for a moved entry: in the log's open page, in a spare page that becomes the open page, or in this
 * process's destination, which the reserve becomes. Never reclaims for it. */
static bool place_for_move(struct cache *cache, struct record_shared *record, enum page_log log, uint64_t units,
                           struct reservation *reservation) {
    if (UNLIKELY(cache->map.keeps || cache->destination)) {
        return destination_place(cache, log, units, reservation);
    }
    for (unsigned spare = SPARE_SHARED;;) {
        const uint64_t seen = word_load(&cache->map.header->current[log]);
        if (page_append(cache, record, log, units, reservation)) {
            return true;
        }
        const uint32_t page = spare_take(cache, &spare);
        if (page == cache->map.page_count) {
            return destination_place(cache, log, units, reservation);
        }
        page_open(cache, page, log, seen);
    }
}

/* Points the index word at the copy. */
static bool republish(struct cache *cache, const struct rule *rule, shared_word *slot, uint64_t word,
                      const struct reservation *reservation) {
    const uint64_t location = slot_location(word);
    page_raise_live(cache, reservation->page);
    while (slot_location(word) == location) {
        const unsigned use = slot_use_lowered(word, rule->lower_use);
        if (word_swap(slot, &word, slot_make(slot_tag(word), use, reservation->location))) {
            FAILPOINT(move_published);
            return true;
        }
    }
    page_lower_live(cache, reservation->page, reservation->generation, reservation->units);
    return false;
}

/* Moves an entry and its word. False: no space. */
static bool move(struct cache *cache, struct record_shared *record, const struct rule *rule,
                 const struct entry_shared *entry, uint64_t location, shared_word *slot, uint64_t word) {
    struct reservation reservation;
    if (!place_for_move(cache, record, rule->log, entry_units_all(entry), &reservation)) {
        return false;
    }
    if (entry_is_integer(entry)) {
        integer_force_seal(&cache->map, entry); /* else a count could go into it after it was copied */
        FAILPOINT(move_sealed);
    }
    page_copy(cache, &reservation, entry, location, entry->expires);
    FAILPOINT(move_copied);
    if (republish(cache, rule, slot, word, &reservation)) {
        count(record, COUNT_MOVED);
        page_lower_live(cache, ref_page(&cache->map, location), entry->generation, entry_units_all(entry));
    }
    /* In a segment that keeps its entries, the announced page is that of a new entry, see compact_reserve(). */
    if (LIKELY(!cache->map.keeps)) {
        clear_writing(record);
    }
    return true;
}

/* ---- Counters in use ---- */

/*
 * A counter in use is moved even if the page's rule would drop it. So that a flood of new counters does not fill the
 * cache, at most a quarter of the memory is kept this way in a lap. A lap is the time in which the logs advance by
 * all pages, so each page is reclaimed about once. Beyond that quarter, the page's rule decides. The word restarts
 * with each lap, so nothing drifts.
 */
static uint64_t lap(const struct cache *cache) {
    return (uint32_t)(pages_had(&cache->map) / cache->map.page_count);
}

static bool keep_counter(struct cache *cache, uint64_t units) {
    const uint64_t now = lap(cache) << 32, most = (uint64_t)(cache->map.page_count / KEPT_SHARE)
                                                  << cache->map.unit_shift;
    shared_word *kept = &cache->map.header->counters_kept;
    uint64_t word = word_load(kept), next;
    do {
        next = (word >> 32 == now >> 32 ? word : now) + units;
        if ((uint32_t)next > most) {
            return false;
        }
    } while (!word_swap(kept, &word, next));
    cache->counters_kept += units;
    return true;
}

/* ---- Reclaiming ---- */

static shared_word *find_slot(const struct place *place, uint64_t location, uint64_t *word) {
    for (unsigned i = 0; i < place_slots(place); i++) {
        *word = word_load(place_slot(place, i));
        if (slot_location(*word) == location) {
            return place_slot(place, i);
        }
    }
    return NULL;
}

/*
 * If nothing in probation has been used for long, keys return just after they were evicted, because more is in use
 * than fits. Then a random sample moves to the main log, and what is used of it stays. Without it, a loop over a
 * little more than the memory never hits. A single pass over many keys loses little by it. The sample is one in
 * eight, after 128 unused entries. With it a loop over 1.1 times the memory hits 61 %, and two points are lost where
 * a third of the requests are scans.
 */
static bool is_sampled(struct cache *cache, const struct rule *rule, bool used) {
    if (!rule->samples) {
        return false;
    }
    cache->unused_in_a_row = used ? 0 : cache->unused_in_a_row + 1;
    return cache->unused_in_a_row > SAMPLE_AFTER && cache->unused_in_a_row % SAMPLE_ONE_OF == 0;
}

/* Removes the word unless it names another entry by now, which returns false. */
static bool drop(struct cache *cache, const struct entry_shared *entry, shared_word *slot, uint64_t word,
                 enum counter why) {
    const uint64_t location = slot_location(word);
    while (slot_location(word) == location) {
        if (word_swap(slot, &word, 0)) {
            FAILPOINT(reclaim_unlinked);
            count(cache->identity->record, why);
            if (why == COUNT_EXPIRED) {
                sample_note(cache, entry_hash(entry), SAMPLE_DELETE, 0, 0);
            }
            page_lower_live(cache, ref_page(&cache->map, location), entry->generation, entry_units_all(entry));
            return true;
        }
    }
    return false;
}

static void drop_for_room(struct cache *cache, struct rule *rule, const struct entry_shared *entry,
                          shared_word *slot, uint64_t word) {
    if (drop(cache, entry, slot, word, COUNT_EVICTED)) {
        rule->dropped++;
        rule->unused += slot_use(word) < USE_WORTH_MOVING;
    }
}

/* All entries of a page have one age, so its evictions cost three additions. In the main log, unused entries were read
 * before they moved there, apart from the sample of is_sampled(). */
static void note_evicted(struct cache *cache, const struct page_shared *row, const struct rule *rule) {
    commit_samples(cache);
    struct header_shared *header = cache->map.header;
    const uint64_t now = (os_milliseconds() - header->created) / 1000, begun = word_load(&row->extent) >> 32;
    const uint64_t seconds = now > begun ? now - begun : 0;
    const unsigned doublings = seconds == 0 ? 0 : 64 - (unsigned)__builtin_clzll(seconds);
    word_add(&header->evicted_ages[doublings < EVICTED_AGES ? doublings : EVICTED_AGES - 1], rule->dropped);
    word_add(&header->evicted_seconds, rule->dropped * seconds);
    word_add(&header->evicted_unread, page_log(row) == LOG_PROBATION ? rule->unused : 0);
    word_poke(&header->evicted_at, pages_had(&cache->map));
}

/* Drops or moves an integer that the rule does not keep. False: a counter in use finds no space; its whole page
 * stays, and counts as kept. */
static bool reclaim_integer(struct cache *cache, struct record_shared *record, struct rule *rule,
                            const struct entry_shared *entry, uint64_t location, shared_word *slot,
                            uint64_t word) {
    if (!integer_may_go(&cache->map, entry)) {
        if (keep_counter(cache, entry_units_all(entry)) &&
            move(cache, record, rule, entry, location, slot, word)) {
            return true;
        }
        if (keep_counter(cache, page_units(&cache->map))) {
            return false;
        }
        integer_force_seal(&cache->map, entry);
    }
    FAILPOINT(reclaim_sealed);
    drop_for_room(cache, rule, entry, slot, word);
    return true;
}

/* True if an entry of this generation of its page starts at `location`. */
static bool is_entry(const struct cache *cache, const struct entry_shared *entry, uint64_t location,
                     uint32_t generation) {
    return entry->generation == generation && slot_location(entry->where) == location &&
           entry_inside(&cache->map, location, entry);
}

/* Moves or drops an entry. False: it has to stay, since it finds no space elsewhere. */
static bool reclaim_entry(struct cache *cache, struct record_shared *record, uint32_t page, uint64_t unit,
                          uint32_t generation, struct rule *rule) {
    const uint64_t location = ref_location(&cache->map, page, unit);
    const struct entry_shared *entry = ref_entry(&cache->map, location);
    if (!is_entry(cache, entry, location, generation)) {
        return true;
    }
    const struct place place = hash_place(&cache->map, entry_hash(entry));
    uint64_t word;
    shared_word *slot = find_slot(&place, location, &word);
    if (!slot) {
        return true;
    }
    if (!slot_is_committed(word)) {
        drop(cache, entry, slot, word, COUNT_EVICTED); /* its inserter died */
        return true;
    }
    if (index_is_expired(entry)) {
        drop(cache, entry, slot, word, COUNT_EXPIRED);
        return true;
    }
    const uint64_t units = entry_units_all(entry);
    const bool used = slot_use(word) >= rule->least_use;
    if ((is_sampled(cache, rule, used) || used) && (units <= rule->budget || slot_use(word) >= rule->always_use)) {
        if (move(cache, record, rule, entry, location, slot, word)) {
            rule->budget -= units < rule->budget ? units : rule->budget;
            return true;
        }
        if (rule->drops_nothing) {
            return false;
        }
    }
    if (entry_is_integer(entry)) {
        return reclaim_integer(cache, record, rule, entry, location, slot, word);
    }
    drop_for_room(cache, rule, entry, slot, word);
    return true;
}

/*
 * A fragmented page is compacted: its live entries move within their log, unchanged, and stay if they find no space.
 * From other pages, used entries move to the main log, with their use count lowered. From the main log all used
 * entries move: they have been in use for long, and dropping them costs the most hits. Their use counts fall with
 * each move, so the log yields in the end. From probation up to half a page moves, as more than that is chance, or one
 * visitor's burst; but whatever was used four times moves. Else half of what is in use, and was stored since the last
 * lap, is lost when a script fills the cache.
 */
static struct rule rule_for(const struct map *map, const struct page_shared *row, enum reclaim_effort effort) {
    const enum page_log log = page_log(row);
    const bool gentle = effort == RECLAIM_GENTLY;
    if (map->keeps || (gentle && page_is_fragmented(map, row))) {
        return (struct rule){
            .log = log, .always_use = USE_NEVER, .budget = page_units(map), .drops_nothing = true};
    }
    return (struct rule){
        .log = LOG_MAIN,
        .least_use = USE_WORTH_MOVING,
        .lower_use = 1,
        .always_use = gentle ? USE_MAX : USE_NEVER,
        .budget = gentle && log == LOG_MAIN ? page_units(map) : page_units(map) / 2,
        .samples = gentle && log == LOG_PROBATION,
    };
}

/* False: some entries stay. */
static bool reclaim_entries(struct cache *cache, struct record_shared *record, uint32_t page, uint32_t generation,
                            struct rule *rule) {
    const uint64_t words = page_run(&cache->map, page) > 1 ? 1 : page_units(&cache->map) / 64;
    const shared_word *starts = ref_starts(&cache->map, page);
    bool emptied = true;
    for (uint64_t i = 0; i < words; i++) {
        for (uint64_t bits = word_load(&starts[i]); bits; bits &= bits - 1) {
            emptied &=
                reclaim_entry(cache, record, page, i * 64 + (uint64_t)__builtin_ctzll(bits), generation, rule);
            if (!emptied && !cache->map.keeps) {
                return false;
            }
        }
    }
    return emptied;
}

/* A used run, even of one page, is not copied. It becomes the newest of the main log, with its use count lowered. */
static bool keep_run(struct cache *cache, uint32_t page, uint32_t generation) {
    const uint64_t location = ref_location(&cache->map, page, 0);
    const struct entry_shared *entry = ref_entry(&cache->map, location);
    if (entry_units_all(entry) <= page_units(&cache->map) / 2 || entry->generation != generation ||
        index_is_expired(entry)) {
        return false;
    }
    const struct place place = hash_place(&cache->map, entry_hash(entry));
    uint64_t word;
    shared_word *slot = find_slot(&place, location, &word);
    while (slot && slot_location(word) == location && slot_use(word) >= USE_WORTH_MOVING) {
        if (word_swap(slot, &word, slot_make(slot_tag(word), slot_use_lowered(word, 1), location))) {
            page_make_newest(cache, page, LOG_MAIN);
            return true;
        }
    }
    return false;
}

/* A run is not compacted. In a segment that keeps its entries, it goes only as a whole. */
static bool must_stay(const struct map *map, uint32_t page) {
    return map->keeps && page_run(map, page) > 1 && !page_is_dead(&map->pages[page]);
}

static bool reclaim(struct cache *cache, struct record_shared *record, const struct victim *chosen,
                    enum reclaim_effort effort) {
    const bool insist = effort == RECLAIM_INSIST;
    const uint32_t page = chosen->page;
    uint64_t state = chosen->state;
    struct page_shared *row = page_row(cache, page);
    const uint32_t generation = state_generation(state);
    uint64_t reclaiming = state_make(generation, cache->incarnation, cache->number, PAGE_RECLAIMING);
    if (!word_swap(&row->state, &state, reclaiming)) {
        return false;
    }
    FAILPOINT(reclaim_begun);
    fence();
    /* A page without memory (its owner died early) holds nothing and must not be read. */
    const bool has_memory = ref_page_has_memory(&cache->map, page);
    /* Pins are checked before anything is unlinked. Reclaiming a held page would lose hot keys and gain no room. */
    const bool is_written = process_writes(cache, page, insist);
    if (is_written || process_reads(cache, page, insist) || (chosen->empty && !page_is_dead(row)) ||
        must_stay(&cache->map, page) || (!insist && has_memory && keep_run(cache, page, generation))) {
        cache->others_busy |= is_written; /* briefly, unless that process is stopped */
        word_swap(&row->state, &reclaiming, state_change(reclaiming, PAGE_CLOSED));
        return false;
    }
    /* The number of live entries is never too low. At 0, nothing is left to unlink. */
    struct rule rule = rule_for(&cache->map, row, effort);
    const bool emptied = !has_memory || (uint32_t)word_load(&row->live) == 0 ||
                         reclaim_entries(cache, record, page, generation, &rule);
    if (rule.dropped > 0) {
        note_evicted(cache, row, &rule);
    }
    if (!cache->map.keeps) {
        destination_end(cache);
    }
    if (!emptied) {
        cache->unmovable++;
        if (!rule.drops_nothing) {
            /* The page stays for a counter in use. It becomes the newest of its log, or every store would try it
             * first. */
            page_make_newest(cache, page, page_log(row));
        }
        word_swap(&row->state, &reclaiming, state_change(reclaiming, PAGE_CLOSED));
        return false;
    }
    FAILPOINT(reclaim_emptied);
    const uint64_t limbo = state_change(reclaiming, PAGE_LIMBO);
    return word_swap(&row->state, &reclaiming, limbo) && leave_limbo(cache, page, limbo, insist);
}

bool reclaim_victim(struct cache *cache, struct record_shared *record, const struct victim *chosen,
                    enum reclaim_effort effort) {
    const bool insist = effort == RECLAIM_INSIST;
    const uint32_t page = chosen->page;
    const uint64_t state = chosen->state;
    if (word_load(&page_row(cache, page)->state) != state) {
        return false;
    }
    switch (state_of(state)) {
        case PAGE_FREE:
            return true;
        case PAGE_LIMBO:
            return leave_limbo(cache, page, state, insist);
        case PAGE_CLOSED:
            return reclaim(cache, record, chosen, effort);
        case PAGE_OPENING:
        case PAGE_OPEN:
        case PAGE_RECLAIMING:
            return page_abandoned(cache, page, state, insist) && reclaim(cache, record, chosen, effort);
        case PAGE_MEMBER: {
            const uint32_t head = page_head(&cache->map, page);
            if (head != page) {
                return reclaim_page(cache, record, head, effort) &&
                       state_of(word_load(&page_row(cache, page)->state)) == PAGE_FREE;
            }
            uint64_t member = state;
            return page_abandoned(cache, page, state, insist) &&
                   word_swap(&page_row(cache, page)->state, &member, state_change(member, PAGE_FREE));
        }
    }
    return false;
}

void reclaim_expired(struct cache *cache, uint32_t page) {
    struct page_shared *row = page_row(cache, page);
    uint64_t state = word_load(&row->state);
    uint64_t reclaiming = state_make(state_generation(state), cache->incarnation, cache->number, PAGE_RECLAIMING);
    if (state_of(state) != PAGE_CLOSED || page_run(&cache->map, page) > 1 ||
        !ref_page_has_memory(&cache->map, page) || !word_swap(&row->state, &state, reclaiming)) {
        return;
    }
    FAILPOINT(expired_begun);
    const shared_word *starts = ref_starts(&cache->map, page);
    for (uint64_t i = 0; i < page_units(&cache->map) / 64; i++) {
        for (uint64_t bits = word_load(&starts[i]); bits; bits &= bits - 1) {
            const uint64_t unit = i * 64 + (uint64_t)__builtin_ctzll(bits);
            const uint64_t location = ref_location(&cache->map, page, unit);
            const struct entry_shared *entry = ref_entry(&cache->map, location);
            if (is_entry(cache, entry, location, state_generation(state)) && index_is_expired(entry)) {
                const struct place place = hash_place(&cache->map, entry_hash(entry));
                uint64_t word;
                shared_word *slot = find_slot(&place, location, &word);
                if (slot && slot_is_committed(word)) {
                    drop(cache, entry, slot, word, COUNT_EXPIRED);
                }
            }
        }
    }
    word_swap(&row->state, &reclaiming, state_change(reclaiming, PAGE_CLOSED));
}

bool reclaim_page(struct cache *cache, struct record_shared *record, uint32_t page, enum reclaim_effort effort) {
    const struct victim as_it_is = {.page = page, .state = word_load(&page_row(cache, page)->state)};
    return reclaim_victim(cache, record, &as_it_is, effort);
}
