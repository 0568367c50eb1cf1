#include "sample.h"

#include <stdlib.h>

#include "os.h"

enum {
    SAMPLES_A_KEY = 32,       /* the mask becomes finer if the ring has room for fewer, */
    SAMPLES_A_KEY_MOST = 256, /* and coarser if it has room for more */
    KEYS_LEAST = 512,         /* fewer sampled keys predict nothing, so the mask becomes no finer then */
    KNOWN_MS = 30 * 1000,
    LATE_SECONDS = 30 * 60, /* a replay takes samples that are older for newer ones */
    HITS_IN_A_ROW = 2,      /* so many count as uses; see layout.h */
    PARTS = SNAPSHOTS,
};

/* ---- Collecting ---- */

static uint64_t make(uint64_t hash, enum sample_kind kind, uint64_t units, uint64_t expires) {
    const uint64_t now = cache_now();
    const uint64_t left = expires == 0 ? 0 : expires > now ? (expires - now + 999) / 1000 : 1;
    return sample_make(hash, kind, units, left, now / 1000);
}

void sample_put(struct cache *cache, uint64_t sample) {
    struct identity *identity = cache->identity;
    if (identity->sampled == 0) {
        identity->sampled_at = cache_now();
    }
    identity->samples[identity->sampled++] = sample;
    if (identity->sampled == SAMPLES_A_PROCESS) {
        sample_flush(cache);
    }
}

/* A key that each request asks for must not fill the ring, so only its first hits are taken until another sampled key
 * takes its place. */
static bool is_asked_again(struct identity *identity, uint64_t hash, enum sample_kind kind) {
    struct recent *recent = &identity->recent[hash >> SAMPLE_BITS_MOST & (RECENT_KEYS - 1)];
    if (kind != SAMPLE_HIT || recent->hash != hash) {
        *recent = (struct recent){.hash = hash, .hits = kind == SAMPLE_HIT};
        return false;
    }
    recent->hits += recent->hits <= HITS_IN_A_ROW;
    return recent->hits > HITS_IN_A_ROW;
}

void sample_add(struct cache *cache, uint64_t hash, enum sample_kind kind, uint64_t units, uint64_t expires) {
    if (!is_asked_again(cache->identity, hash, kind)) {
        sample_put(cache, make(hash, kind, units, expires));
    }
}

bool sample_miss(struct cache *cache, uint64_t hash) {
    sample_add(cache, hash, SAMPLE_MISS, 0, 0);
    return false;
}

uint64_t sample_of_entry(const struct entry_shared *entry) {
    return make(entry_hash(entry), SAMPLE_STORE, entry_units_all(entry), entry_fresh_until(entry, entry));
}

/* ---- The ring ---- */

void sample_restart(struct cache *cache) {
    for (unsigned i = 0; i < SNAPSHOTS; i++) {
        word_store(&cache->map.header->snapshots[i].number, 0);
    }
    cache->predicted_at = 0;
}

/* Samples of keys that a finer mask leaves out are skipped later. After a change to a coarser one, the keys that it
 * adds have no samples in the ring. */
static void choose_mask(struct cache *cache, uint64_t entries) {
    uint64_t seen = word_peek(&cache->map.header->sample_mask);
    const unsigned bits_seen = (unsigned)__builtin_popcountll(seen | cache->map.sample_least);
    const uint64_t words = cache->map.sample_words, room = words / SAMPLES_A_KEY;
    const uint64_t most = room > 2 * KEYS_LEAST ? room : 2 * KEYS_LEAST;
    unsigned bits = bits_seen < SAMPLE_BITS_MOST ? bits_seen : SAMPLE_BITS_MOST;
    while (bits < SAMPLE_BITS_MOST && entries >> bits > most) {
        bits++;
    }
    while (bits > SAMPLE_BITS_LEAST && entries >> bits < words / SAMPLES_A_KEY_MOST) {
        bits--;
    }
    if (bits != bits_seen && word_swap(&cache->map.header->sample_mask, &seen, (UINT64_C(1) << bits) - 1) &&
        bits < bits_seen) {
        sample_restart(cache);
    }
}

/* Done by the process whose samples are the first of a part. If it dies, a snapshot is missing. Whoever reads a
 * snapshot while it is overwritten notices it by the number. */
static void take_snapshot(struct cache *cache, uint64_t number) {
    struct snapshot_shared *snapshot = &cache->map.header->snapshots[number % SNAPSHOTS];
    struct cache_usage usage;
    if (!cache_read_usage(cache, &usage)) {
        return;
    }
    choose_mask(cache, usage.entries);
    word_poke(&snapshot->number, 0);
    fence();
    word_poke(&snapshot->hits, usage.hits);
    word_poke(&snapshot->misses, usage.misses);
    word_store(&snapshot->number, number);
}

static bool has_ring(const struct map *map) {
    return map->sample_words != 0 && ref_has_memory(map, map->sample_step);
}

void sample_flush(struct cache *cache) {
    struct identity *identity = cache->identity;
    const struct map *map = &cache->map;
    const unsigned count = identity->sampled;
    identity->sampled = 0;
    if (count == 0 || !has_ring(map) || cache_now() - identity->sampled_at > LATE_SECONDS * UINT64_C(1000)) {
        return;
    }
    const uint64_t from = word_add(&map->header->samples, count), part = map->sample_words / PARTS;
    for (unsigned i = 0; i < count; i++) {
        word_poke(&map->samples[(from + i) & (map->sample_words - 1)], identity->samples[i]);
    }
    if (from / part != (from + count) / part) {
        take_snapshot(cache, (from + count) / part);
    }
}

/* ---- Predicting ---- */

static bool read_snapshot(const struct map *map, uint64_t number, uint64_t *hits, uint64_t *misses) {
    const struct snapshot_shared *snapshot = &map->header->snapshots[number % SNAPSHOTS];
    if (word_load(&snapshot->number) != number) {
        return false;
    }
    *hits = word_peek(&snapshot->hits);
    *misses = word_peek(&snapshot->misses);
    fence();
    return word_peek(&snapshot->number) == number;
}

/* The first of the parts that has a snapshot; 0: none. */
static uint64_t first_part(const struct map *map, uint64_t from, uint64_t to, uint64_t *hits, uint64_t *misses) {
    for (; from < to; from++) {
        if (read_snapshot(map, from, hits, misses)) {
            return from;
        }
    }
    return 0;
}

/* The samples of two times that the ring remembers: from the first on, entries are simulated; from the second on,
 * misses are counted. The oldest part is left out: it is being overwritten. */
struct window {
    uint64_t from, counted_from, to; /* numbers of samples */
    uint64_t hits, misses;           /* since the second time */
};

static bool find_window(const struct map *map, const struct cache_usage *now, struct window *window) {
    uint64_t hits, misses;
    window->to = word_load(&map->header->samples);
    const uint64_t part = map->sample_words / PARTS, last = window->to / part;
    if (last < PARTS) {
        return false;
    }
    window->from = part * first_part(map, last - 7, last - 4, &hits, &misses);
    window->counted_from = part * first_part(map, last - 4, last - 1, &hits, &misses);
    if (window->from == 0 || window->counted_from == 0 || hits > now->hits || misses > now->misses) {
        return false;
    }
    window->hits = now->hits - hits;
    window->misses = now->misses - misses;
    return window->hits + window->misses > 0;
}

/* Copies the samples of the keys that are sampled now. Others may overwrite the first of them meanwhile. */
static void copy(const struct map *map, const struct window *window, uint64_t mask, uint64_t *list,
                 struct samples *samples) {
    for (uint64_t i = window->from; i != window->to; i++) {
        const uint64_t sample = word_peek(&map->samples[i & (map->sample_words - 1)]);
        if (sample_matches(sample, mask)) {
            samples->counted_from += i < window->counted_from;
            list[samples->count++] = sample;
        }
    }
}

static unsigned predict(struct cache *cache, const struct window *window) {
    const struct map *map = &cache->map;
    const uint64_t mask = sample_mask(map);
    const int bits = __builtin_popcountll(mask);
    uint64_t *list = malloc((size_t)(window->to - window->from) * sizeof *list);
    /* A segment that does not get all of its memory would not get more of a larger size. */
    if (!list || bits > SAMPLE_BITS_MOST || ref_pages_usable(map) < map->page_count) {
        free(list);
        return 0;
    }
    struct samples samples = {.list = list, .page_units = (double)page_units(map)};
    samples.keys_each = (double)(UINT64_C(1) << bits);
    samples.units = (double)map->page_count * samples.page_units / samples.keys_each;
    copy(map, window, mask, list, &samples);
    const bool whole = word_load(&map->header->samples) - window->from <= map->sample_words;
    uint64_t misses[PREDICT_SIZES];
    const bool enough = whole && predict_misses(&samples, misses) >= KEYS_LEAST;
    free(list);
    const double requests = (double)(window->hits + window->misses);
    unsigned count = 0;
    for (unsigned size = 0; enough && size < PREDICT_SIZES; size++) {
        const double hits =
            predict_hits(misses, size, (double)window->misses / requests, requests / samples.keys_each);
        cache->predictions[count++] = (struct cache_prediction){(map->file_size << size) >> PREDICT_SAME, hits};
    }
    return count;
}

unsigned cache_predict(struct cache *cache, struct cache_prediction predictions[CACHE_PREDICTIONS]) {
    struct cache_usage usage;
    struct window window;
    if (!cache_read_usage(cache, &usage)) {
        return 0;
    }
    const uint64_t now = os_milliseconds();
    if (cache->predicted_at == 0 || now - cache->predicted_at >= KNOWN_MS) {
        sample_flush(cache);
        cache->predicted = 0;
        if (has_ring(&cache->map) && find_window(&cache->map, &usage, &window)) {
            cache->predicted = predict(cache, &window);
            cache->predicted_at = now;
        }
    }
    for (unsigned i = 0; i < cache->predicted; i++) {
        predictions[i] = cache->predictions[i];
    }
    return cache->predicted;
}
