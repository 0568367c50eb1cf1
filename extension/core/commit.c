#include "commit.h"

#include "failpoint.h"
#include "limit.h"
#include "os.h"

enum {
    ASK_AGAIN_MS = 100, /* after a refusal */
    BELIEVE_MS = 10,    /* a reading of the cgroups' limits is reused for this time, */
    BELIEVE_PART = 64,  /* or until this part of what they left was taken */
    SPARE_PART = 16,    /* this part of the file system stays free */
    LIMIT_PART = 4,     /* this part of a cgroup's limit stays free */
    STEPS_AT_ONCE = 64, /* steps of the index, when no page gets memory any more */
    BEHIND = 4096, /* bytes behind a step of pages that get memory with it: an entry's header may be read there */
};

const struct bucket_shared ref_no_bucket;

/* ---- Whether there is memory ---- */

/* The part of the free reserve that must be left. */
enum reserve { RESERVE_WHOLE = 1, RESERVE_HALF = 2 };

/* Never 0. */
static uint64_t now(void) {
    const uint64_t time = os_milliseconds();
    return time ? time : 1;
}

static bool may_ask(uint64_t refused_at) {
    return LIKELY(refused_at == 0) || now() - refused_at >= ASK_AGAIN_MS;
}

bool commit_may_grow(const struct cache *cache) {
    return may_ask(cache->refused_at);
}

/* True if the cgroups leave this much, by a reading that is some milliseconds old at most. */
static bool cgroups_allow(struct cache *cache, uint64_t bytes, enum reserve reserve) {
    if (cache->limit_read_at == 0 || now() - cache->limit_read_at >= BELIEVE_MS || cache->limit_budget < bytes) {
        const struct limit limit = limit_read();
        cache->limit = limit.limit;
        cache->limit_left = limit.left;
        cache->limit_budget = limit.left / BELIEVE_PART > bytes ? limit.left / BELIEVE_PART : bytes;
        cache->limit_read_at = now();
    }
    if (cache->limit != UINT64_MAX && cache->limit_left < bytes + cache->limit / LIMIT_PART / reserve) {
        return false;
    }
    cache->limit_budget -= bytes;
    cache->limit_left -= cache->limit_left == UINT64_MAX ? 0 : bytes;
    return true;
}

static bool allowed(struct cache *cache, uint64_t bytes, enum reserve reserve) {
    if (cache->map.keeps) {
        return true; /* such a segment got all its memory when it was created */
    }
    const struct os_space space = os_space(process_file(cache));
    return space.free >= bytes + space.total / SPARE_PART / reserve && cgroups_allow(cache, bytes, reserve);
}

uint32_t commit_pages(const struct map *map) {
    const uint32_t first = map->first_page_step / STEPS_A_WORD;
    const uint32_t words = (map->page_steps + STEPS_A_WORD - 1) / STEPS_A_WORD;
    uint32_t steps = 0;
    for (uint32_t i = 0; i < words; i++) {
        steps += (uint32_t)__builtin_popcount(ref_steps(map, first + i));
    }
    const uint64_t pages = (uint64_t)steps << map->page_step_shift;
    return pages < map->page_count ? (uint32_t)pages : map->page_count;
}

/* ---- Steps ---- */

/* Changes the bit of a step. False: the word is damaged. */
static bool set_bit(const struct map *map, uint32_t step, bool set) {
    const uint32_t number = step / STEPS_A_WORD, bit = UINT32_C(1) << step % STEPS_A_WORD;
    uint64_t known = word_load(&map->steps[number]);
    while (ref_steps_whole(map, number, known)) {
        const uint32_t steps = set ? (uint32_t)known | bit : (uint32_t)known & ~bit;
        if (word_swap(&map->steps[number], &known, ref_sealed_steps(map, number, steps))) {
            return true;
        }
    }
    return false;
}

/* A part of the file, in bytes. */
struct range {
    uint64_t from, to;
};

static uint64_t bytes_of(struct range range) {
    return range.to - range.from;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The range of the pages of a step, and that of their entry starts. */
static void ranges_of(const struct map *map, uint32_t page, struct range *data, struct range *starts) {
    const uint64_t first = page >> map->page_step_shift << map->page_step_shift;
    const uint64_t count = ref_step_pages(map, (uint32_t)first);
    data->from = (map->first_page + first) * page_bytes(map);
    data->to = data->from + count * page_bytes(map);
    starts->from = (uint64_t)((const char *)ref_starts(map, (uint32_t)first) - map->writable);
    starts->to = starts->from + count * page_units(map) / 8;
}

/* Gives a range its memory. Through the mapping that takes half the time, and this process is most likely to write
 * there. Memory taken before a failure is not given back, because another process may have filled the step at the
 * same time. It stays for the next try, which is for the same step. */
static bool fill(struct cache *cache, struct range range) {
    if (!os_fill_mapped(cache->map.writable + range.from, bytes_of(range)) &&
        os_fill(process_file(cache), range.from, bytes_of(range)) != 0) {
        return false;
    }
    const bool none = cache->filled_to == 0;
    cache->filled_from = none ? range.from : least(cache->filled_from, range.from);
    cache->filled_to = none || cache->filled_to < range.to ? range.to : cache->filled_to;
    return true;
}

/* ---- The index ---- */

void commit_check_index(struct map *map) {
    uint32_t steps = map->bucket_steps;
    for (uint32_t word = 0; steps > 0; word++) {
        const uint32_t here = steps < STEPS_A_WORD ? steps : STEPS_A_WORD;
        const uint32_t all = here == STEPS_A_WORD ? UINT32_MAX : (UINT32_C(1) << here) - 1;
        if ((ref_steps(map, word) & all) != all) {
            return;
        }
        steps -= here;
    }
    map->index_whole = true;
}

/* Gives a step of the index its memory. False: there is none, or the word of steps is damaged. */
static bool commit_index_step(struct cache *cache, uint32_t step) {
    const struct map *map = &cache->map;
    if (ref_has_memory(map, step)) {
        return true;
    }
    const uint64_t first = (uint64_t)step << map->bucket_step_shift;
    const uint64_t count = least(UINT64_C(1) << map->bucket_step_shift, map->bucket_count - first);
    struct range buckets = {.from = (uint64_t)((const char *)&map->buckets[first] - map->writable)};
    buckets.to = buckets.from + count * sizeof(struct bucket_shared);
    if (!may_ask(cache->index_refused_at)) {
        return false;
    }
    if (!allowed(cache, bytes_of(buckets), RESERVE_HALF) || !fill(cache, buckets)) {
        cache->index_refused_at = now();
        return false;
    }
    FAILPOINT(commit_bucket_filled);
    if (!set_bit(map, step, true)) {
        return false;
    }
    if (ref_steps(map, step / STEPS_A_WORD) == UINT32_MAX || step + 1 == map->bucket_steps) {
        commit_check_index(&cache->map);
    }
    return true;
}

static struct bucket_shared *commit_bucket(struct cache *cache, uint32_t number) {
    const bool has_memory = commit_index_step(cache, number >> cache->map.bucket_step_shift);
    return has_memory ? &cache->map.buckets[number] : NULL;
}

bool commit_place(struct cache *cache, struct place *place) {
    struct bucket_shared *const first = commit_bucket(cache, hash_first(&cache->map, place->hash));
    if (!first) {
        return false;
    }
    struct bucket_shared *const second = commit_bucket(cache, hash_second(&cache->map, place->hash));
    place->first = first;
    place->second = second ? second : first;
    return true;
}

/* When no page gets memory any more, the index takes what it still needs, some steps at a time. */
static void complete_index(struct cache *cache) {
    unsigned left = STEPS_AT_ONCE;
    for (uint32_t step = 0; step < cache->map.bucket_steps && left > 0 && !cache->map.index_whole; step++) {
        if (!ref_has_memory(&cache->map, step)) {
            left = commit_index_step(cache, step) ? left - 1 : 0;
        }
    }
}

/* ---- The pages ---- */

/* Notes, for all users of the segment, how many pages can be used. */
static void refuse(struct cache *cache) {
    cache->refused_at = now();
    const uint32_t pages = commit_pages(&cache->map);
    word_poke(&cache->map.header->pages_usable, pages ? pages : 1);
    complete_index(cache);
}

static void grown(struct cache *cache) {
    cache->refused_at = 0;
    if (word_peek(&cache->map.header->pages_usable) != 0) {
        word_poke(&cache->map.header->pages_usable, 0);
    }
}

bool commit_page(struct cache *cache, uint32_t page) {
    const struct map *map = &cache->map;
    if (LIKELY(ref_page_has_memory(map, page))) {
        return true;
    }
    struct range data, starts;
    ranges_of(map, page, &data, &starts);
    data.to = least(data.to + BEHIND, map->file_size);
    if (!commit_may_grow(cache)) {
        return false;
    }
    if (!allowed(cache, bytes_of(data) + bytes_of(starts), RESERVE_WHOLE) || !fill(cache, starts) ||
        !fill(cache, data)) {
        refuse(cache);
        return false;
    }
    FAILPOINT(commit_filled);
    if (!set_bit(map, ref_page_step(map, page), true)) {
        return false;
    }
    FAILPOINT(commit_noted);
    grown(cache);
    return true;
}

/* ---- The ring of samples ---- */

static struct range ring_of(const struct map *map) {
    const uint64_t from = (uint64_t)((const char *)map->samples - map->writable);
    return (struct range){from, from + map->sample_words * sizeof(shared_word)};
}

void commit_samples(struct cache *cache) {
    const struct map *map = &cache->map;
    if (LIKELY(map->sample_words == 0 || ref_has_memory(map, map->sample_step)) ||
        !may_ask(cache->ring_refused_at)) {
        return;
    }
    const struct range ring = ring_of(map);
    if (!allowed(cache, bytes_of(ring), RESERVE_HALF) || !fill(cache, ring)) {
        cache->ring_refused_at = now();
        return;
    }
    set_bit(map, map->sample_step, true);
}

/* ---- Huge pages ---- */

/* True if all steps with bytes in the range have memory. The steps are numbered from `first`, have `bytes` each, and
 * lie from `begin` to `end`. */
static bool have_memory(const struct map *map, struct range range, uint32_t first, uint64_t bytes, uint64_t begin,
                        uint64_t end) {
    const uint64_t from = range.from > begin ? range.from : begin, to = least(range.to, end);
    for (uint64_t at = from; at < to; at += bytes - (at - begin) % bytes) {
        if (!ref_has_memory(map, first + (uint32_t)((at - begin) / bytes))) {
            return false;
        }
    }
    return true;
}

static bool is_whole(const struct map *map, struct range range) {
    const uint64_t buckets = (uint64_t)((const char *)map->buckets - map->writable);
    const uint64_t starts = (uint64_t)((const char *)map->starts - map->writable);
    const uint64_t data = (uint64_t)map->first_page * page_bytes(map);
    const uint64_t data_step = page_bytes(map) << map->page_step_shift;
    const struct range ring = ring_of(map);
    return range.to <= map->file_size &&
           (map->sample_words == 0 ||
            have_memory(map, range, map->sample_step, bytes_of(ring), ring.from, ring.to)) &&
           have_memory(map, range, 0, sizeof(struct bucket_shared) << map->bucket_step_shift, buckets,
                       buckets + map->bucket_count * sizeof(struct bucket_shared)) &&
           have_memory(map, range, map->first_page_step, data_step / 64, starts,
                       starts + map->page_count * page_units(map) / 8) &&
           have_memory(map, range, map->first_page_step, data_step, data, map->size);
}

/* Not done near a limit: while a huge page is made, it takes its memory twice. */
void commit_make_huge(struct cache *cache, uint64_t nanoseconds) {
    const uint64_t begun = os_nanoseconds();
    bool never = false;
    for (struct range huge; cache->filled_to != 0; cache->filled_from = huge.to) {
        huge.from = cache->filled_from / OS_HUGE_BYTES * OS_HUGE_BYTES;
        huge.to = huge.from + OS_HUGE_BYTES;
        if (huge.from >= cache->filled_to || never) {
            cache->filled_to = 0;
        } else if (os_nanoseconds() - begun >= nanoseconds) {
            return;
        } else if (is_whole(&cache->map, huge) && allowed(cache, OS_HUGE_BYTES, RESERVE_WHOLE)) {
            os_make_huge(cache->map.writable + huge.from, &never);
        }
    }
}

/* ---- Giving back ---- */

/* True if one of the pages is still read, through a pin from before it was free. */
static bool anybody_reads(struct cache *cache, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (process_reads(cache, first + i, true)) {
            return true;
        }
    }
    return false;
}

/* While we own the pages, no process gives them memory. A reader announces or pins a page, fences, and checks that
 * the page has memory. Here the step's bit is cleared, then a fence, then the readers are checked. So either the
 * reader reads nothing, or the memory stays. */
uint64_t commit_give_back(struct cache *cache, uint32_t first, uint32_t count) {
    const struct map *map = &cache->map;
    struct range data, starts;
    ranges_of(map, first, &data, &starts);
    if (!set_bit(map, ref_page_step(map, first), false)) {
        return 0;
    }
    FAILPOINT(release_noted);
    fence();
    data.from += BEHIND; /* these bytes belong to the step before */
    const int fd = process_file(cache);
    if (anybody_reads(cache, first, count) || !os_punch(fd, data.from, bytes_of(data))) {
        set_bit(map, ref_page_step(map, first), true);
        return 0;
    }
    FAILPOINT(release_punched);
    os_punch(fd, starts.from, bytes_of(starts));
    return bytes_of(data) + bytes_of(starts);
}
