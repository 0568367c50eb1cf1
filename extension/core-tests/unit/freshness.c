/* Values that are kept for longer than they are fresh. */
#include "attach.h"
#include "fixture.h"
#include "index.h"
#include "integer.h"
#include "suites.h"

#include <string.h>

enum { HOUR = 3600 * 1000 };

static enum cache_result put_fresh(struct cache *cache, struct cache_key key, uint64_t seed, size_t length,
                                   uint64_t fresh_until, uint64_t kept) {
    struct cache_span span;
    const enum cache_result result =
        cache_reserve_fresh(cache, &key, length, cache_freshness(fresh_until, 0.25), CACHE_SET, &span);
    if (result != CACHE_OK) {
        return result;
    }
    EXPECT_EQUAL(span.length, (length + 7) / 8 * 8);
    fill_pattern(span.bytes, span.length, seed);
    return cache_commit(cache, &key, KIND, kept, CACHE_SET, NULL);
}

static void put_stale(struct cache *cache, struct cache_key key, uint64_t seed, size_t length) {
    EXPECT_EQUAL(put_fresh(cache, key, seed, length, cache_now() - 1, cache_now() + HOUR), CACHE_OK);
}

/* True if the value is present, fresh or stale, as it was stored. */
static bool is_kept(struct cache *cache, struct cache_key key, uint64_t seed, size_t length, bool zero_copy) {
    struct cache_value value;
    if (!cache_find_kept(cache, &key, zero_copy, &value)) {
        return false;
    }
    EXPECT_EQUAL(value.kind, KIND);
    EXPECT_EQUAL(value.length, (length + 7) / 8 * 8);
    EXPECT_EQUAL(value.cost, 2500);
    EXPECT(value.found > 0 && value.found <= cache_now());
    EXPECT(is_pattern(value.bytes, value.length, seed));
    return true;
}

static void words(void) {
    EXPECT_EQUAL(cache_freshness(0, 0), 0);
    EXPECT_EQUAL(cache_freshness(0, 0.00004), cache_freshness(0, 0.0001)); /* 0 means that it is not known */
    EXPECT(cache_freshness(0, 1e-9) != 0);
    EXPECT_EQUAL(cache_freshness(1000, 0), 1000);
    EXPECT_EQUAL(cache_freshness(1000, 1e9), cache_freshness(1000, 4000));
    EXPECT_EQUAL(cache_freshness(1000, __builtin_inf()), cache_freshness(1000, 4000));
    EXPECT_EQUAL(cache_freshness(EXPIRES_MAX, 0.0001), (UINT64_C(1) << EXPIRES_BITS) + EXPIRES_MAX);
}

/* Stale values are found by calls that accept them, whatever their lengths and number of fetches. */
static void every_size(void) {
    struct cache *cache = open_cache(16);
    static const size_t lengths[] = {0, 8, 16, 24, 32, 100, 30000, 32 * KIB, 200 * KIB, MIB};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const struct cache_key key = key_of("a");
        EXPECT_EQUAL(put_fresh(cache, key, i, lengths[i], cache_now() + HOUR, cache_now() + 2 * HOUR), CACHE_OK);
        for (unsigned j = 0; j < 10; j++) {
            EXPECT(has(cache, key, i, lengths[i]));
            EXPECT(has_copied(cache, key, i, lengths[i]));
            EXPECT(is_kept(cache, key, i, lengths[i], true) && is_kept(cache, key, i, lengths[i], false));
        }
        put_stale(cache, key, i + 100, lengths[i]);
        for (unsigned j = 0; j < 10; j++) {
            EXPECT(!is_there(cache, key));
            EXPECT(is_kept(cache, key, i + 100, lengths[i], true) &&
                   is_kept(cache, key, i + 100, lengths[i], false));
        }
        EXPECT_EQUAL(put_fresh(cache, key, i, lengths[i], cache_now() - 2, cache_now() - 1), CACHE_OK);
        EXPECT(!is_kept(cache, key, i, lengths[i], true));
        expect_sound(cache);
    }
    expect_nothing_left(cache);
}

static void ends(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(put_fresh(cache, key, 1, 100, cache_now() + 50, cache_now() + HOUR), CACHE_OK);
    while (cache_exists(cache, &key)) {
        EXPECT(is_kept(cache, key, 1, 100, true));
    }
    EXPECT(!is_there(cache, key));
    EXPECT(is_kept(cache, key, 1, 100, true));
    EXPECT_EQUAL(put_fresh(cache, key, 1, 100, cache_now() + 20, cache_now() + 60), CACHE_OK);
    while (is_kept(cache, key, 1, 100, true)) {
    }
    EXPECT(!is_there(cache, key));
    EXPECT_EQUAL(info_of(cache).entries, 0);
    expect_nothing_left(cache);
}

/* The key of a stale value counts as missing. */
static void counts_as_missing(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    struct cache_entry entry;
    struct cache_value value;
    uint64_t token;
    int64_t sum;
    put_stale(cache, key, 1, 100);
    EXPECT(!cache_exists(cache, &key));
    EXPECT_EQUAL(cache_describe(cache, &key, &entry), CACHE_ABSENT);
    EXPECT(!cache_find_token(cache, &key, CACHE_ZERO_COPY, &value, &token));
    EXPECT_EQUAL(cache_touch(cache, &key, 0), CACHE_ABSENT);
    EXPECT_EQUAL(cache_swap(cache, &key, 1, 2), CACHE_ABSENT);
    EXPECT_EQUAL(put_as(cache, key, 2, 100, 0, CACHE_REPLACE), CACHE_ABSENT);
    struct cache_walk *walk = cache_walk_begin("", 0);
    EXPECT_EQUAL(cache_walk_next(cache, walk, &entry), CACHE_ABSENT);
    cache_walk_end(walk);
    EXPECT(is_kept(cache, key, 1, 100, true));
    EXPECT_EQUAL(put_as(cache, key, 3, 100, 0, CACHE_ADD), CACHE_OK);
    EXPECT(has(cache, key, 3, 100));

    put_stale(cache, key, 1, 100);
    EXPECT_EQUAL(cache_count(cache, &key, 7, 0, &sum), CACHE_OK);
    EXPECT_EQUAL(sum, 7);
    put_stale(cache, key, 1, 100);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_ABSENT);
    EXPECT(!is_kept(cache, key, 1, 100, true));
    put_stale(cache, key, 1, 100);
    EXPECT_EQUAL(cache_delete_prefix(cache, "a", 1), 0);
    EXPECT(!is_kept(cache, key, 1, 100, true));
    expect_nothing_left(cache);
}

/* The token of a stale value still names it. */
static void replaced_by_token(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    struct cache_value value;
    struct cache_span span;
    uint64_t token;
    put_stale(cache, key, 1, 100);
    EXPECT(cache_find_token(cache, &key, CACHE_ZERO_COPY | CACHE_STALE, &value, &token));
    EXPECT(value.expires != 0 && value.expires <= value.found && value.kept > value.found);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQUAL(cache_reserve(cache, &key, 100, CACHE_REPLACE, &span), CACHE_OK);
        fill_pattern(span.bytes, span.length, 2);
        EXPECT_EQUAL(cache_commit(cache, &key, KIND, 0, CACHE_REPLACE, &token), i ? CACHE_DIFFERENT : CACHE_OK);
        EXPECT(has(cache, key, 2, 100));
    }
    expect_nothing_left(cache);
}

static int64_t integer_of(struct cache *cache, const struct cache_key *key, struct cache_value *value) {
    int64_t number;
    EXPECT(cache_find_kept(cache, key, true, value));
    EXPECT_EQUAL(value->kind, CACHE_INTEGER);
    EXPECT_EQUAL(value->length, sizeof number);
    memcpy(&number, value->bytes, sizeof number);
    return number;
}

/* Integers with freshness take 8 bytes more. They are counted in place, and while another process is about to move
 * them. */
static void integers(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("n"), plain = key_of("p");
    const uint64_t fresh_until = cache_now() + HOUR, kept = cache_now() + 2 * HOUR;
    struct cache_entry entry, other;
    struct cache_value value;
    int64_t sum;
    EXPECT_EQUAL(cache_store_integer_fresh(cache, &key, 5, kept, cache_freshness(fresh_until, 1), CACHE_SET, NULL),
                 CACHE_OK);
    EXPECT_EQUAL(cache_store_integer(cache, &plain, 5, kept, CACHE_SET, NULL), CACHE_OK);
    EXPECT_EQUAL(cache_describe(cache, &key, &entry), CACHE_OK);
    EXPECT_EQUAL(cache_describe(cache, &plain, &other), CACHE_OK);
    EXPECT_EQUAL(entry.size, other.size + 8);
    for (int64_t i = 1; i < 20; i++) {
        EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &sum), CACHE_OK);
        EXPECT_EQUAL(sum, 5 + i);
        if (i % 3 == 0) {
            struct found found;
            const struct place place = index_place(cache, &key);
            EXPECT(index_find_announced(cache, attached_record(cache), &place, &key, &found));
            integer_force_seal(&cache->map, found.entry);
            clear_copying(attached_record(cache));
        }
        EXPECT_EQUAL(integer_of(cache, &key, &value), 5 + i);
        EXPECT_EQUAL(value.expires, fresh_until);
        EXPECT_EQUAL(value.kept, kept);
        EXPECT_EQUAL(value.cost, CACHE_COSTS_A_SECOND);
    }
    expect_nothing_left(cache);
}

static void touched(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    struct cache_value value;
    const uint64_t now = cache_now();
    EXPECT_EQUAL(put_fresh(cache, key, 1, 100, now + HOUR, now + 3 * HOUR), CACHE_OK);
    EXPECT_EQUAL(cache_touch(cache, &key, now + 5 * HOUR), CACHE_OK);
    EXPECT(is_kept(cache, key, 1, 100, true));
    EXPECT(cache_find_kept(cache, &key, true, &value));
    EXPECT_EQUAL(value.expires, now + 5 * HOUR);
    EXPECT_EQUAL(value.kept, now + 7 * HOUR);
    EXPECT_EQUAL(cache_touch(cache, &key, cache_expiry(1e300)), CACHE_OK);
    EXPECT(cache_find_kept(cache, &key, true, &value));
    EXPECT(value.expires == EXPIRES_MAX && value.kept == EXPIRES_MAX);
    EXPECT_EQUAL(cache_touch(cache, &key, 0), CACHE_OK);
    EXPECT(cache_find_kept(cache, &key, true, &value));
    EXPECT(value.expires == 0 && value.kept == 0 && value.cost == 2500);
    EXPECT_EQUAL(cache_touch(cache, &key, cache_now() + 20), CACHE_OK);
    sleep_ms(30);
    EXPECT(!is_kept(cache, key, 1, 100, true));
    expect_nothing_left(cache);
}

/* Eviction moves a used value unchanged. */
static void moved(void) {
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 20; i++) {
        put_stale(cache, key_of("stale %u", i), i, 50 + i * 40);
        EXPECT_EQUAL(put_fresh(cache, key_of("fresh %u", i), i, 50 + i * 40, cache_now() + HOUR, 0), CACHE_OK);
    }
    unsigned found = 0;
    for (unsigned turn = 0; turn < 6; turn++) {
        found = 0;
        for (unsigned i = 0; i < 20; i++) {
            found += is_kept(cache, key_of("stale %u", i), i, 50 + i * 40, true);
            EXPECT(!is_there(cache, key_of("stale %u", i)));
            EXPECT(has(cache, key_of("fresh %u", i), i, 50 + i * 40));
            EXPECT(is_kept(cache, key_of("fresh %u", i), i, 50 + i * 40, true));
        }
        cache_request_end(cache, false);
        for (size_t i = 0; i < info_of(cache).pages * 16; i++) {
            EXPECT_EQUAL(put(cache, key_of("other %u %zu", turn, i), i, 1500), CACHE_OK);
        }
    }
    EXPECT_EQUAL(found, 20);
    EXPECT(info_of(cache).moved > 0);
    expect_sound(cache);
    expect_nothing_left(cache);
}

/* ---- Replaced while it was found stale ---- */

static struct cache *writer;

static void store_again(void) {
    at_no_failpoint();
    EXPECT_EQUAL(put(writer, key_of("a"), 2, 100), CACHE_OK);
}

static void replaced_meanwhile(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    writer = open_cache(8);
    put_stale(cache, key, 1, 100);
    at_failpoint("read_missing", 1, store_again);
    EXPECT(has(cache, key, 2, 100));
    put_stale(cache, key, 1, 100);
    at_failpoint("exists_looked", 1, store_again);
    EXPECT(cache_exists(cache, &key));
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"a word holds a time and a cost", words},
    {"a stale value of any size is kept for those who ask for it", every_size},
    {"a value is fresh, then stale, then gone", ends},
    {"the key of a stale value counts as missing", counts_as_missing},
    {"a stale value is replaced by its token", replaced_by_token},
    {"an integer's freshness takes 8 bytes, and counting keeps it", integers},
    {"touch makes a value fresh, and keeps it for as much longer as before", touched},
    {"freshness stays with an entry that moves", moved},
    {"what replaced a stale value is found", replaced_meanwhile},
    {0},
};
const struct suite suite_freshness = {.name = "freshness", .tests = tests};
