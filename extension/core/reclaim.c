#include "reclaim.h"

#include "hash.h"
#include "index.h"
#include "integer.h"
#include "page.h"
#include "pin.h"
#include "failpoint.h"
#include "spare.h"

enum {
    SAMPLE_AFTER = 128, /* entries of probation that were reclaimed and had not been used, in a row */
    SAMPLE_ONE_OF = 8,
    KEPT_SHARE = 4, /* one page of so many, at most, is kept for counters that nothing else keeps */
};

/* ---- Limbo ---- */

static void free_members(struct cache *cache, uint32_t head, uint32_t generation) {
    const uint32_t pages = page_run(&cache->map, head);
    const uint64_t link = (uint64_t)generation << 32 | head;
    for (uint32_t page = head + 1; page < head + pages; page++) {
        struct page_shared *row = page_row(cache, page);
        uint64_t state = word_load(&row->state);
        /* A member that was freed already, and perhaps taken by another run, links to another head. */
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

/* What becomes of the entries of a page. */
struct rule {
    enum page_log log;  /* to which they move */
    unsigned least_use; /* if they were used so often, */
    unsigned lower_use; /* which is lowered by so much, */
    uint64_t budget;    /* and if they are of no more units in all */
    bool samples;       /* one of many moves without having been used, see is_drawn() */
    bool drops_nothing; /* what is to move and finds no place stays, and so does the page */
};

/* A place for a moved entry: in the log's open page, or in a spare page, which becomes the open one.
 * Never by reclaiming. */
static bool place_for_move(struct cache *cache, struct record_shared *record, enum page_log log, uint64_t units,
                           struct reservation *reservation) {
    for (unsigned spare = 0;;) {
        const uint64_t seen = word_load(&cache->map.header->current[log]);
        if (page_append(cache, record, log, units, reservation)) {
            return true;
        }
        const uint32_t page = spare_take(cache, &spare);
        if (page == cache->map.page_count) {
            return false;
        }
        page_open(cache, page, log, seen);
    }
}

/* Makes the word that names the old entry name its copy instead. */
static bool republish(struct cache *cache, const struct rule *rule, shared_word *slot, uint64_t word,
                      const struct reservation *reservation) {
    const uint64_t location = slot_location(word);
    page_raise_live(cache, reservation->page);
    while (slot_location(word) == location) {
        const unsigned use =
            slot_use(word) > rule->lower_use + USE_NONE ? slot_use(word) - rule->lower_use : USE_NONE;
        if (word_swap(slot, &word, slot_make(slot_tag(word), use, reservation->location))) {
            FAILPOINT(move_published);
            return true;
        }
    }
    page_lower_live(cache, reservation->page, reservation->generation, reservation->units);
    return false;
}

/* False: there is no place for it. */
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
    clear_writing(record);
    return true;
}

/* ---- Counters in use ---- */

/*
 * An integer that was counted lately is moved though nothing else would keep it. A flood of new counters must not take the
 * whole memory by that, so it is limited: in a lap, in which the logs together advance by all pages and each page is
 * reclaimed about once, a quarter of the memory may be kept so. Beyond that the rule of the page decides, which keeps those
 * that are counted often. The word begins anew with each lap, so nothing drifts.
 */
static uint64_t lap(const struct cache *cache) {
    const struct header_shared *header = cache->map.header;
    const uint64_t pages = word_peek(&header->age[LOG_MAIN]) + word_peek(&header->age[LOG_PROBATION]);
    return (uint32_t)(pages / cache->map.page_count);
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
    struct bucket_shared *const buckets[2] = {place->first, place->second};
    for (unsigned b = 0; b < 2; b++) {
        for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
            *word = word_load(&buckets[b]->slots[i]);
            if (slot_location(*word) == location) {
                return &buckets[b]->slots[i];
            }
        }
    }
    return NULL;
}

/*
 * Where nothing in probation has been used for long, it is too short for what is asked for: everybody goes round
 * through more than fits, and each key comes back just after it went. Then some are moved to the main log by lot; those
 * that are asked for there stay. Without it a loop over a little more than the memory never hits; what the log loses by
 * it in a single pass over many keys is little.
 */
static bool is_sampled(struct cache *cache, const struct rule *rule, bool used) {
    if (!rule->samples) {
        return false;
    }
    cache->unused_in_a_row = used ? 0 : cache->unused_in_a_row + 1;
    return cache->unused_in_a_row > SAMPLE_AFTER && cache->unused_in_a_row % SAMPLE_ONE_OF == 0;
}

/* Takes the word out of the index, unless it names another entry by now. */
static void drop(struct cache *cache, const struct entry_shared *entry, shared_word *slot, uint64_t word,
                 enum counter why) {
    const uint64_t location = slot_location(word);
    while (slot_location(word) == location) {
        if (word_swap(slot, &word, 0)) {
            FAILPOINT(reclaim_unlinked);
            count(cache->identity->record, why);
            page_lower_live(cache, ref_page(&cache->map, location), entry->generation, entry_units_all(entry));
            return;
        }
    }
}

/* What becomes of an integer that the rule does not keep. False: it was counted lately, is to stay, and there is no
 * place for it: then its whole page is kept where it is, and counts so. */
static bool reclaim_integer(struct cache *cache, struct record_shared *record, const struct rule *rule,
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
    drop(cache, entry, slot, word, COUNT_EVICTED);
    return true;
}

/* Moves the entry if the rule allows, else takes its word out of the index. False: it is to stay, and there is no place
 * for it elsewhere. */
static bool reclaim_entry(struct cache *cache, struct record_shared *record, uint32_t page, uint64_t unit,
                          uint32_t generation, struct rule *rule) {
    const uint64_t location = ref_location(&cache->map, page, unit);
    const struct entry_shared *entry = ref_entry(&cache->map, location);
    if (entry->generation != generation || slot_location(entry->where) != location ||
        !entry_inside(&cache->map, location, entry)) {
        return true;
    }
    const struct place place = hash_place(&cache->map, entry_hash(entry));
    uint64_t word;
    shared_word *slot = find_slot(&place, location, &word);
    if (!slot) {
        return true;
    }
    if (!slot_is_committed(word)) {
        drop(cache, entry, slot, word, COUNT_EVICTED); /* its inserter is dead */
        return true;
    }
    if (index_is_expired(entry)) {
        drop(cache, entry, slot, word, COUNT_EXPIRED);
        return true;
    }
    const uint64_t units = entry_units_all(entry);
    const bool used = slot_use(word) >= rule->least_use;
    if ((is_sampled(cache, rule, used) || used) && units <= rule->budget) {
        if (move(cache, record, rule, entry, location, slot, word)) {
            rule->budget -= units;
            return true;
        }
        if (rule->drops_nothing) {
            return false;
        }
    }
    if (entry_is_integer(entry)) {
        return reclaim_integer(cache, record, rule, entry, location, slot, word);
    }
    drop(cache, entry, slot, word, COUNT_EVICTED);
    return true;
}

/*
 * A page that is wasted is compacted: what lives in it moves within its log, as it is; if there is no place for all of
 * it, because others compact at the same time, the rest stays. From another page what was used
 * moves to the main log, with its use count lowered. In the main log that is all of it: it has been of use for long,
 * and dropping it costs more hits than anything else here; use counts fall with every move, so the log yields sooner or
 * later, and who cannot wait reclaims firmly. In probation half a page is enough: where more was used it is by chance, or
 * one visitor's burst.
 */
static struct rule rule_for(const struct map *map, const struct page_shared *row, enum reclaim_effort effort) {
    const enum page_log log = page_log(row);
    const bool gentle = effort == RECLAIM_GENTLY;
    if (gentle && page_is_fragmented(map, row)) {
        return (struct rule){
            .log = log, .least_use = 0, .lower_use = 0, .budget = page_units(map), .drops_nothing = true};
    }
    return (struct rule){
        .log = LOG_MAIN,
        .least_use = USE_WORTH_MOVING,
        .lower_use = 1,
        .budget = gentle && log == LOG_MAIN ? page_units(map) : page_units(map) / 2,
        .samples = gentle && log == LOG_PROBATION,
    };
}

/* False: what is left is to stay. */
static bool reclaim_entries(struct cache *cache, struct record_shared *record, uint32_t page, uint32_t generation,
                            struct rule *rule) {
    const uint64_t words = page_run(&cache->map, page) > 1 ? 1 : page_units(&cache->map) / 64;
    const shared_word *starts = ref_starts(&cache->map, page);
    for (uint64_t i = 0; i < words; i++) {
        for (uint64_t bits = word_load(&starts[i]); bits; bits &= bits - 1) {
            if (!reclaim_entry(cache, record, page, i * 64 + (uint64_t)__builtin_ctzll(bits), generation, rule)) {
                return false;
            }
        }
    }
    return true;
}

/* A run, which may be of one page, is never copied. One that was used is kept: its use count is lowered and it becomes
 * the newest of the main log. */
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
        if (word_swap(slot, &word, word - USE_ONE)) {
            page_make_newest(cache, page, LOG_MAIN);
            return true;
        }
    }
    return false;
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
    /* Not, if its owner died before it had its memory: there is nothing in it then, and nothing may be read. */
    const bool has_memory = ref_page_has_memory(&cache->map, page);
    /* Pins are looked at before anything is unlinked: reclaiming a held page would lose hot keys and gain
     * no room. */
    if (process_writes(cache, page, insist) || process_reads(cache, page, insist) ||
        (chosen->empty && !page_is_dead(row)) || (!insist && has_memory && keep_run(cache, page, generation))) {
        word_swap(&row->state, &reclaiming, state_change(reclaiming, PAGE_CLOSED));
        return false;
    }
    /* The number of living is never too low: at 0 nothing is left to be unlinked. */
    struct rule rule = rule_for(&cache->map, row, effort);
    if (has_memory && (uint32_t)word_load(&row->live) != 0 &&
        !reclaim_entries(cache, record, page, generation, &rule)) {
        cache->unmovable++;
        if (!rule.drops_nothing) {
            /* A counter in use is to stay. As the newest of its log: or it would stay the cheapest, and each store would
             * try it first. */
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

bool reclaim_page(struct cache *cache, struct record_shared *record, uint32_t page, enum reclaim_effort effort) {
    const struct victim as_it_is = {.page = page, .state = word_load(&page_row(cache, page)->state)};
    return reclaim_victim(cache, record, &as_it_is, effort);
}
