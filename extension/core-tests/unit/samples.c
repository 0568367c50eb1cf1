/* The ring of samples, and what is predicted from it. */
#include "sample.h"

#include <stdlib.h>
#include <unistd.h>

#include "fixture.h"
#include "hash.h"
#include "index.h"
#include "suites.h"

enum { LENGTH = 1000, KEYS = 16 };

static uint64_t hash_of(const struct cache *cache, const struct cache_key *key) {
    return hash_mix(key->hash, cache->map.seed);
}

/* A cache in which something was evicted: from then on there is a ring. */
static struct cache *open_with_ring(size_t mebibytes) {
    struct cache *cache = open_cache(mebibytes);
    commit_samples(cache);
    EXPECT(ref_has_memory(&cache->map, cache->map.sample_step));
    return cache;
}

/* Key `number` of those that are sampled, or of those that are not. */
static struct cache_key pick(const struct cache *cache, bool sampled, unsigned number) {
    for (unsigned i = 0;; i++) {
        const struct cache_key key = key_of("key %u", i);
        number -= sample_has(&cache->map, hash_of(cache, &key)) == sampled;
        if (number == UINT32_MAX) {
            return key;
        }
    }
}

static unsigned use_of(struct cache *cache, struct cache_key key) {
    const struct place place = index_place(cache, &key);
    struct found found;
    EXPECT(index_find_announced(cache, cache->identity->record, &place, &key, &found));
    clear_copying(cache->identity->record);
    return slot_use(found.word);
}

static uint64_t samples_of(const struct cache *cache) {
    return word_load(&cache->map.header->samples) + cache->identity->sampled;
}

static void miss(struct cache *cache, unsigned times) {
    for (unsigned i = 0; i < times; i++) {
        EXPECT(!is_there(cache, pick(cache, true, i % KEYS)));
    }
}

static void fetch_in_turn(struct cache *cache, bool sampled, unsigned rounds) {
    for (unsigned i = 0; i < rounds; i++) {
        for (unsigned key = 0; key < 2; key++) {
            EXPECT(has(cache, pick(cache, sampled, key), key, LENGTH));
        }
    }
}

/* A fetch takes its shortest path at USE_MAX, which counts nothing. Of each sampled key, two hits are noted. */
static void each_fetch(void) {
    struct cache *cache = open_with_ring(16);
    for (long sampled = 0; sampled < 2; sampled++) {
        for (unsigned key = 0; key < 2; key++) {
            EXPECT_EQUAL(put(cache, pick(cache, sampled, key), key, LENGTH), CACHE_OK);
        }
        const uint64_t before = samples_of(cache);
        fetch_in_turn(cache, sampled, 50);
        EXPECT_EQUAL(samples_of(cache) - before, sampled ? 4 : 0);
        EXPECT_EQUAL(use_of(cache, pick(cache, sampled, 0)), sampled ? USE_SAMPLED : USE_MAX);
    }
    close_cache(cache);
}

/* A key that each request asks for does not fill the ring, but is noted again after others. */
static void repeated(void) {
    struct cache *cache = open_with_ring(16);
    EXPECT_EQUAL(put(cache, pick(cache, true, 0), 0, LENGTH), CACHE_OK);
    uint64_t before = samples_of(cache);
    for (unsigned i = 0; i < 100; i++) {
        EXPECT(has(cache, pick(cache, true, 0), 0, LENGTH));
        end_request(cache);
    }
    EXPECT_EQUAL(samples_of(cache) - before, 2);
    for (unsigned i = 0; i < 64 * KEYS; i++) {
        EXPECT(!is_there(cache, pick(cache, true, 1 + i % (8 * KEYS))));
    }
    before = samples_of(cache);
    EXPECT(has(cache, pick(cache, true, 0), 0, LENGTH));
    EXPECT_EQUAL(samples_of(cache) - before, 1);
    close_cache(cache);
}

/* A replay would take them for samples of now. */
static void late(void) {
    struct cache *cache = open_with_ring(16);
    for (unsigned minutes = 20; minutes <= 40; minutes += 20) {
        const uint64_t before = word_load(&cache->map.header->samples);
        miss(cache, 5);
        cache->identity->sampled_at -= UINT64_C(60) * 1000 * minutes;
        end_request(cache);
        EXPECT_EQUAL(word_load(&cache->map.header->samples) - before, minutes < 30 ? 5 : 0);
    }
    close_cache(cache);
}

/* Entries that a finer mask leaves out return to the shortest path. */
static void left_out(void) {
    struct cache *cache = open_with_ring(16);
    for (unsigned key = 0; key < 2; key++) {
        EXPECT_EQUAL(put(cache, pick(cache, true, key), key, LENGTH), CACHE_OK);
    }
    fetch_in_turn(cache, true, 5);
    struct cache_key keys[2];
    char names[2][16];
    for (unsigned key = 0; key < 2; key++) {
        keys[key] = pick(cache, true, key);
        keys[key].bytes = memcpy(names[key], keys[key].bytes, keys[key].length);
    }
    word_store(&cache->map.header->sample_mask, UINT64_MAX);
    const uint64_t before = samples_of(cache);
    for (unsigned i = 0; i < 10; i++) {
        EXPECT(has(cache, keys[i % 2], i % 2, LENGTH));
    }
    EXPECT_EQUAL(samples_of(cache) - before, 0);
    EXPECT_EQUAL(use_of(cache, keys[0]), USE_MAX);
    close_cache(cache);
}

/* Reclaiming moves entries in use, and lowers their use count. */
static void moved(void) {
    struct cache *cache = open_with_ring(16);
    EXPECT_EQUAL(put(cache, pick(cache, true, 0), 0, LENGTH), CACHE_OK);
    for (unsigned round = 0; round < 200; round++) {
        for (unsigned i = 0; i < 6; i++) {
            EXPECT(has(cache, pick(cache, true, 0), 0, LENGTH));
        }
        EXPECT_EQUAL(use_of(cache, pick(cache, true, 0)), USE_SAMPLED);
        end_request(cache);
        for (unsigned i = 0; i < 100; i++) {
            EXPECT_EQUAL(put(cache, key_of("value %u", round * 100 + i), i, LENGTH), CACHE_OK);
        }
    }
    EXPECT(info_of(cache).moved > 0);
    close_cache(cache);
}

static void what_counts(void) {
    struct cache *cache = open_with_ring(16);
    struct cache_value value;
    const struct cache_key key = pick(cache, true, 0);
    uint64_t before = samples_of(cache);
    EXPECT(!cache_find(cache, &key, true, &value));
    EXPECT_EQUAL(put(cache, key, 0, LENGTH), CACHE_OK);
    EXPECT_EQUAL(cache_touch(cache, &key, cache_expiry(100)), CACHE_OK);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    EXPECT_EQUAL(put(cache, key, 0, LENGTH), CACHE_OK);
    EXPECT_EQUAL(cache_delete_prefix(cache, key.bytes, key.length), 1);
    EXPECT_EQUAL(samples_of(cache) - before, 6);
    EXPECT_EQUAL(put(cache, key, 0, LENGTH), CACHE_OK);
    before = samples_of(cache);
    EXPECT(cache_find_token(cache, &key, CACHE_UNTRACED, &value, NULL));
    EXPECT(cache_exists(cache, &key));
    EXPECT_EQUAL(samples_of(cache) - before, 0);
    EXPECT_EQUAL(put_as(cache, key, 0, LENGTH, cache_now() + 1, CACHE_SET), CACHE_OK);
    sleep_ms(20);
    before = samples_of(cache);
    EXPECT(!cache_find(cache, &key, true, &value)); /* a delete and a miss */
    EXPECT_EQUAL(samples_of(cache) - before, 2);
    close_cache(cache);
}

/* ---- Processes ---- */

static void end_and_miss(void *argument) {
    struct cache *cache = argument;
    cache_request_end(cache, false);
    EXPECT(cache_request_begin(cache));
    miss(cache, 3);
    cache_request_end(cache, false);
}

static void forked(void) {
    struct cache *cache = open_with_ring(16);
    const shared_word *samples = &cache->map.header->samples;
    miss(cache, 10);
    EXPECT_EQUAL(word_load(samples), 0);
    finish(start_fork(end_and_miss, cache));
    EXPECT_EQUAL(word_load(samples), 3);
    miss(cache, 1); /* the parent needs another record after a fork */
    cache_request_end(cache, false);
    EXPECT_EQUAL(word_load(samples), 14);
    close_cache(cache);
}

static void miss_and_wait(void *unused) {
    (void)unused;
    struct cache *cache = open_with_ring(16);
    miss(cache, 100);
    reached(0, 1);
    sleep_ms(60 * 1000);
}

static void killed(void) {
    struct cache *cache = open_with_ring(16);
    const pid_t child = start(miss_and_wait, NULL);
    await(0, 1);
    kill_and_wait(child);
    EXPECT_EQUAL(word_load(&cache->map.header->samples), 96);
    miss(cache, 32);
    EXPECT_EQUAL(word_load(&cache->map.header->samples), 128);
    close_cache(cache);
}

enum { WRITERS = 4, EACH = 36000 };

static void miss_many(void *unused) {
    (void)unused;
    struct cache *cache = open_with_ring(16);
    struct cache_prediction predictions[CACHE_PREDICTIONS];
    for (unsigned i = 0; i < EACH; i++) {
        sample_add(cache, (uint64_t)(i % 5000 + 1) << SAMPLE_BITS_MOST, SAMPLE_MISS, 0, 0);
        if (i % 12000 == 0) {
            cache->predicted_at = 0;
            cache_predict(cache, predictions);
        }
    }
    close_cache(cache);
}

/* The ring is overwritten eight times by processes that know nothing of each other. */
static void around(void) {
    struct cache *cache = open_with_ring(16);
    const struct map *map = &cache->map;
    pid_t writers[WRITERS];
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = start(miss_many, NULL);
    }
    finish_all(writers, WRITERS);
    EXPECT_EQUAL(word_load(&map->header->samples), WRITERS * EACH);
    EXPECT(map->sample_words * 8 < WRITERS * EACH);
    for (uint32_t i = 0; i < map->sample_words; i++) {
        const uint64_t word = word_peek(&map->samples[i]);
        EXPECT(word != 0 && sample_is_request(word) && sample_matches(word, sample_mask(map)));
    }
    for (unsigned i = 0; i < SNAPSHOTS; i++) {
        const uint64_t number = word_load(&map->header->snapshots[i].number);
        EXPECT(number % SNAPSHOTS == i && number * (map->sample_words / SNAPSHOTS) <= WRITERS * EACH);
    }
    close_cache(cache);
}

/* ---- Predicting ---- */

static uint64_t random_word(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return *state ^ *state >> 29;
}

/* The segment is shared, so anything may be in the ring and in the words about it. */
static void garbage(void) {
    struct cache *cache = open_with_ring(32);
    const struct map *map = &cache->map;
    struct header_shared *header = map->header;
    struct cache_prediction predictions[CACHE_PREDICTIONS];
    uint64_t state = 3;
    unsigned known = 0;
    EXPECT_EQUAL(cache_predict(cache, predictions), 0);
    for (unsigned round = 0; round < 40; round++) {
        const uint64_t last = round % 4 == 3 ? random_word(&state) : 20 + round;
        word_store(&header->samples, last * (map->sample_words / SNAPSHOTS));
        for (uint32_t i = 0; i < map->sample_words; i++) {
            word_poke(&map->samples[i], random_word(&state) >> random_word(&state) % 64);
        }
        for (uint64_t number = last - SNAPSHOTS + 1; number <= last; number++) {
            struct snapshot_shared *snapshot = &header->snapshots[number % SNAPSHOTS];
            word_store(&snapshot->number, random_word(&state) % 16 ? number : random_word(&state));
            word_store(&snapshot->hits, random_word(&state) % 1000);
            word_store(&snapshot->misses, random_word(&state) % 1000);
        }
        word_store(&header->totals[COUNT_HITS], random_word(&state) % 8000);
        word_store(&header->totals[COUNT_MISSES], random_word(&state) % 8000);
        word_store(&header->sample_mask, round % 2 ? random_word(&state) : 0);
        word_store(&header->pages_usable, random_word(&state) % 3);
        cache->predicted_at = 0;
        const unsigned count = cache_predict(cache, predictions);
        EXPECT(count == 0 || count == CACHE_PREDICTIONS);
        for (unsigned i = 0; i < count; i++) {
            EXPECT(predictions[i].hit_rate >= 0 && predictions[i].hit_rate <= 1);
        }
        known += count > 0;
    }
    EXPECT(known > 0);
    close_cache(cache);
}

static unsigned mask_bits(const struct cache *cache) {
    return (unsigned)__builtin_popcountll(sample_mask(&cache->map));
}

/* Samples until every part has a snapshot. */
static void go_around(struct cache *cache) {
    for (unsigned i = 0; i < 2 * cache->map.sample_words; i++) {
        sample_add(cache, (uint64_t)(i % 5000 + 1) << SAMPLE_BITS_MOST, SAMPLE_MISS, 0, 0);
    }
    for (unsigned i = 0; i < SNAPSHOTS; i++) {
        EXPECT(word_load(&cache->map.header->snapshots[i].number) != 0);
    }
}

static void masks(void) {
    struct cache *cache = open_with_ring(32);
    struct cache_prediction predictions[CACHE_PREDICTIONS];
    go_around(cache);
    EXPECT_EQUAL(mask_bits(cache), SAMPLE_BITS_LEAST);
    EXPECT_EQUAL(word_load(&cache->map.header->sample_mask), 0);
    put_many(cache, "small ", 150000, 16);
    go_around(cache);
    EXPECT_EQUAL(mask_bits(cache), 8); /* 1,024 keys at most */
    cache_count_fetch(cache, false);
    EXPECT_EQUAL(cache_predict(cache, predictions), CACHE_PREDICTIONS);
    EXPECT(cache_clear(cache));
    EXPECT_EQUAL(cache_predict(cache, predictions), 0); /* what the ring says is past */
    go_around(cache);
    EXPECT_EQUAL(mask_bits(cache), SAMPLE_BITS_LEAST);
    cache_count_fetch(cache, false);
    EXPECT_EQUAL(cache_predict(cache, predictions), CACHE_PREDICTIONS);
    /* The ring has no samples of the keys that a coarser mask adds. */
    word_store(&cache->map.header->sample_mask, (1 << 20) - 1);
    const uint64_t part = cache->map.sample_words / SNAPSHOTS;
    for (uint64_t i = 0; i <= part; i++) {
        sample_add(cache, 0, SAMPLE_MISS, 0, 0);
    }
    EXPECT_EQUAL(mask_bits(cache), SAMPLE_BITS_LEAST);
    unsigned snapshots = 0;
    for (unsigned i = 0; i < SNAPSHOTS; i++) {
        snapshots += word_load(&cache->map.header->snapshots[i].number) != 0;
    }
    EXPECT_EQUAL(snapshots, 1);
    close_cache(cache);
}

/* Until then the ring takes no memory, and no sample is put there. */
static void no_ring(void) {
    struct cache *cache = open_cache(16);
    struct cache_prediction predictions[CACHE_PREDICTIONS];
    for (unsigned i = 0; i < 2 * cache->map.sample_words; i++) {
        sample_add(cache, (uint64_t)(i % 5000 + 1) << SAMPLE_BITS_MOST, SAMPLE_MISS, 0, 0);
    }
    EXPECT_EQUAL(word_load(&cache->map.header->samples), 0);
    EXPECT_EQUAL(cache_predict(cache, predictions), 0);
    EXPECT(!ref_has_memory(&cache->map, cache->map.sample_step));
    put_many(cache, "value ", 4 * 8 * MIB / LENGTH, LENGTH);
    EXPECT(info_of(cache).evicted > 0);
    EXPECT(ref_has_memory(&cache->map, cache->map.sample_step));
    miss(cache, SAMPLES_A_PROCESS);
    EXPECT(word_load(&cache->map.header->samples) > 0);
    expect_sound(cache);
    close_cache(cache);
}

/* Nothing is evicted there, so nothing is to be predicted and nothing is sampled. */
static void keeping(void) {
    struct cache_options options = options_of(8);
    options.keeps = true;
    struct cache *cache = open_with(&options);
    struct cache_prediction predictions[CACHE_PREDICTIONS];
    put_many(cache, "key ", 1000, 100);
    cache_request_end(cache, false);
    EXPECT_EQUAL(samples_of(cache), 0);
    EXPECT_EQUAL(cache_predict(cache, predictions), 0);
    close_cache(cache);
}

static const struct test tests[] = {
    {"each fetch of a sampled key is noted, and none of another", each_fetch},
    {"one key does not fill the ring", repeated},
    {"samples that come too late are left out", late},
    {"entries that are no longer sampled are fetched as fast as others", left_out},
    {"a moved entry is sampled again", moved},
    {"what uses no entry is not noted", what_counts},
    {"a forked child leaves its parent's to the parent", forked},
    {"of a killed process 32 at most are lost", killed},
    {"several processes fill the ring again and again", around},
    {"any words in the ring do no harm", garbage},
    {"the mask follows the number of entries", masks},
    {"there is no ring until something is evicted", no_ring},
    {"none in a segment that keeps its entries", keeping},
    {0},
};
const struct suite suite_samples = {.name = "samples", .tests = tests};
