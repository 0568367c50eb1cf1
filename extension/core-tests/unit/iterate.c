/* Looking into the cache: describing a key, walks over a changing cache, deleting by prefix. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "occupied.h"
#include "page.h"
#include "suites.h"

enum { KEYS = 3000 };

/* How often a walk returned each key of a family: "family:number". */
struct counts {
    unsigned of[KEYS];
    unsigned all;
};

static unsigned number_of(const struct cache_entry *entry, const char *family) {
    char text[32] = "";
    const size_t length = strlen(family);
    EXPECT(entry->key_length < sizeof text && entry->key_length > length);
    memcpy(text, entry->key, entry->key_length);
    EXPECT(memcmp(text, family, length) == 0);
    const unsigned number = (unsigned)atoi(text + length);
    EXPECT(number < KEYS);
    return number;
}

/* Walks over a family to the end. Calls `between` with the number of each returned key. */
static void walk_over(struct cache *cache, const char *family, struct counts *counts,
                      void (*between)(struct cache *cache, unsigned number)) {
    memset(counts, 0, sizeof *counts);
    struct cache_walk *walk = cache_walk_begin(family, strlen(family));
    struct cache_entry entry;
    enum cache_result result;
    while ((result = cache_walk_next(cache, walk, &entry)) == CACHE_OK) {
        const unsigned number = number_of(&entry, family);
        counts->of[number]++;
        counts->all++;
        if (between) {
            between(cache, number);
        }
    }
    EXPECT_EQUAL(result, CACHE_ABSENT);
    cache_walk_end(walk);
}

static unsigned count_walked(struct cache *cache, const char *prefix) {
    struct cache_walk *walk = cache_walk_begin(prefix, strlen(prefix));
    struct cache_entry entry;
    unsigned entries = 0;
    while (cache_walk_next(cache, walk, &entry) == CACHE_OK) {
        entries++;
    }
    cache_walk_end(walk);
    return entries;
}

static struct cache_entry described(struct cache *cache, struct cache_key key) {
    struct cache_entry entry;
    EXPECT_EQUAL(cache_describe(cache, &key, &entry), CACHE_OK);
    EXPECT(entry.key == key.bytes && entry.key_length == key.length);
    return entry;
}

/* ---- One key ---- */

static void describes(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("described");
    struct cache_entry entry;
    EXPECT_EQUAL(cache_describe(cache, &key, &entry), CACHE_ABSENT);
    const uint64_t later = cache_now() + 60000;
    EXPECT_EQUAL(put_as(cache, key, 1, 1000, later, CACHE_SET), CACHE_OK);
    const uint64_t hits = info_of(cache).hits;
    entry = described(cache, key);
    EXPECT_EQUAL(entry.size, 32 + 16 + 1000);
    EXPECT_EQUAL(entry.expires, later);
    EXPECT(entry.age <= 1);
    EXPECT_EQUAL(entry.kind, KIND);
    EXPECT(!described(cache, key).used);
    EXPECT_EQUAL(info_of(cache).hits, hits);
    EXPECT(has(cache, key, 1, 1000));
    EXPECT(described(cache, key).used);
    EXPECT_EQUAL(put_as(cache, key, 1, 8, cache_now() - 1, CACHE_SET), CACHE_OK);
    EXPECT_EQUAL(cache_describe(cache, &key, &entry), CACHE_ABSENT);
    EXPECT_EQUAL(put(cache, key, 1, 0), CACHE_OK);
    EXPECT_EQUAL(described(cache, key).expires, 0);
    int64_t sum;
    EXPECT_EQUAL(cache_count(cache, &(struct cache_key){"n", 1, 1}, 1, 0, &sum), CACHE_OK);
    EXPECT_EQUAL(described(cache, (struct cache_key){"n", 1, 1}).kind, CACHE_INTEGER);
    expect_nothing_left(cache);
}

/* Untraced fetches of short and long values, of an expired value, and of an absent key. */
static void leaves_no_trace(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key keys[] = {{"a", 1, 1}, {"b", 1, 2}, {"c", 1, 3}, {"expired", 7, 4}, {"none", 4, 5}};
    const size_t lengths[] = {8, 1000, 200 * KIB};
    struct cache_value value;
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_EQUAL(put(cache, keys[i], i, lengths[i]), CACHE_OK);
    }
    EXPECT_EQUAL(put_as(cache, keys[3], 3, 100, cache_now() - 1, CACHE_SET), CACHE_OK);
    const struct cache_info before = info_of(cache);
    for (unsigned i = 0; i < 5; i++) {
        EXPECT_EQUAL(cache_find_token(cache, &keys[i], CACHE_UNTRACED, &value, NULL), i < 3);
        if (i < 3) {
            EXPECT_EQUAL(value.hold, CACHE_COPIED);
            EXPECT(value.length == lengths[i] && is_pattern(value.bytes, lengths[i], i));
            EXPECT(!described(cache, keys[i]).used);
        }
    }
    const struct cache_info after = info_of(cache);
    EXPECT_EQUAL(after.hits, before.hits);
    EXPECT_EQUAL(after.misses, before.misses);
    EXPECT_EQUAL(after.copies, before.copies);
    EXPECT_EQUAL(after.expired, before.expired);
    EXPECT_EQUAL(after.entries, before.entries);
    EXPECT_EQUAL(after.pages_held_by_me, 0);
    EXPECT(has_copied(cache, keys[1], 1, 1000) && !is_there(cache, keys[3]) && described(cache, keys[1]).used);
    EXPECT(info_of(cache).copies > after.copies && info_of(cache).expired > after.expired);
    expect_nothing_left(cache);
}

/* The age is that of the value: a store renews it, but neither a new expiry nor a move does. */
static void ages(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key old = {"old", 3, 1}, carried = {"carried", 7, 2}, stored = {"stored", 6, 3};
    const struct cache_key keys[] = {old, carried, stored};
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_EQUAL(put(cache, keys[i], i, 1000), CACHE_OK);
    }
    sleep_ms(2100);
    EXPECT_EQUAL(cache_touch(cache, &old, cache_now() + 60000), CACHE_OK);
    EXPECT_EQUAL(put(cache, stored, 2, 1000), CACHE_OK);
    const uint64_t before = info_of(cache).moved;
    for (unsigned i = 0; i < 4; i++) {
        EXPECT(has(cache, carried, 1, 1000) && has(cache, carried, 1, 1000) && has(cache, old, 0, 1000));
    }
    end_request(cache);
    churn(cache, 1);
    EXPECT(info_of(cache).moved > before);
    EXPECT(described(cache, old).age >= 2);
    EXPECT(described(cache, carried).age >= 2);
    EXPECT_EQUAL(put(cache, stored, 2, 1000), CACHE_OK);
    EXPECT(described(cache, stored).age <= 1);
}

/* ---- Walks ---- */

static void gives_all(void) {
    struct cache *cache = open_cache(16);
    static const size_t lengths[] = {0, 8, 100, 3000};
    EXPECT_EQUAL(count_walked(cache, ""), 0);
    static char long_key[CACHE_KEY_MAX];
    memset(long_key, 'l', sizeof long_key);
    EXPECT_EQUAL(put(cache, (struct cache_key){long_key, CACHE_KEY_MAX, 5}, 1, 8), CACHE_OK);
    for (unsigned i = 0; i < KEYS; i++) {
        EXPECT_EQUAL(put(cache, key_of("a:%u", i), i, lengths[i % 4]), CACHE_OK);
        EXPECT_EQUAL(put(cache, key_of("b:%u", i), i, 8), CACHE_OK);
    }
    EXPECT_EQUAL(put_as(cache, key_of("a:%u", 7), 1, 8, cache_now() - 1, CACHE_SET), CACHE_OK);
    const struct cache_key gone = key_of("a:%u", 8);
    EXPECT_EQUAL(cache_delete(cache, &gone), CACHE_OK);
    struct counts counts;
    walk_over(cache, "a:", &counts, NULL);
    for (unsigned i = 0; i < KEYS; i++) {
        EXPECT_EQUAL(counts.of[i], i != 7 && i != 8);
    }
    EXPECT_EQUAL(count_walked(cache, ""), 2 * KEYS - 2 + 1);
    EXPECT_EQUAL(count_walked(cache, "b:2999"), 1);
    EXPECT_EQUAL(count_walked(cache, "c"), 0);
    EXPECT_EQUAL(count_walked(cache, "llllllllllllllllllllll"), 1);
    EXPECT_EQUAL(info_of(cache).pages_pinned, 0);
    expect_nothing_left(cache);
}

/* Deletes the key that was just returned and stores it again: half of such keys get a slot that the walk has yet to
 * pass. */
static void delete_and_store(struct cache *cache, unsigned number) {
    const struct cache_key key = key_of("f:%u", number);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    EXPECT_EQUAL(put(cache, key, number + 1, 100), CACHE_OK);
}
static void store_over(struct cache *cache, unsigned number) {
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_EQUAL(put(cache, key_of("f:%u", (number + i * 997) % KEYS), number, 100), CACHE_OK);
    }
}

static void none_twice(void) {
    struct cache *cache = open_cache(8);
    struct counts counts;
    put_many(cache, "f:", KEYS, 100);
    walk_over(cache, "f:", &counts, store_over);
    EXPECT_EQUAL(counts.all, KEYS);
    walk_over(cache, "f:", &counts, delete_and_store);
    for (unsigned i = 0; i < KEYS; i++) {
        EXPECT_EQUAL(counts.of[i], 1);
    }
    expect_nothing_left(cache);
}

enum { READY, STOP };

/* Replaces keys, deletes keys and stores them again, fills the memory so that pages are reclaimed, clears a family. */
static void change_it(void *argument) {
    struct cache *cache = open_cache(16);
    reached(READY, 1);
    for (uint64_t i = 0; board->number[STOP] == 0; i++) {
        const unsigned n = (unsigned)(i * 7919 % KEYS);
        put_as(cache, key_of("r:%u", n), i, 100, 0, CACHE_REPLACE);
        const struct cache_key flickering = key_of("f:%u", n);
        cache_delete(cache, &flickering);
        put(cache, flickering, i, 50 + i % 200);
        put(cache, key_of("fill:%u", (unsigned)(i % 100000)), i, 500);
        if (i % 20000 == 0) {
            cache_delete_prefix(cache, "none", 4);
        }
        if (i % 64 == 0) {
            cache_request_end(cache, false);
        }
    }
}

/* A key that no process stores again if it is missing, and that is present after a walk, was present all the time. */
static void among_writers(void) {
    static struct counts still, replaced, flickering;
    struct cache *cache = open_cache(16);
    for (unsigned i = 0; i < KEYS; i++) {
        EXPECT_EQUAL(put(cache, key_of("s:%u", i), i, 100), CACHE_OK);
        EXPECT_EQUAL(put(cache, key_of("r:%u", i), i, 100), CACHE_OK);
        EXPECT(is_there(cache, key_of("s:%u", i)) && is_there(cache, key_of("s:%u", i)));
    }
    end_request(cache);
    pid_t writers[2];
    for (unsigned i = 0; i < 2; i++) {
        writers[i] = start(change_it, NULL);
    }
    await(READY, 1);
    unsigned stayed = 0;
    /* On a busy machine twenty walks may be over before the writers have filled the memory. */
    for (unsigned round = 0; round < 20 || info_of(cache).moved == 0; round++) {
        walk_over(cache, "s:", &still, NULL);
        walk_over(cache, "r:", &replaced, NULL);
        walk_over(cache, "f:", &flickering, NULL);
        for (unsigned i = 0; i < KEYS; i++) {
            EXPECT(still.of[i] <= 1 && replaced.of[i] <= 1 && flickering.of[i] <= 1);
            const struct cache_key s = key_of("s:%u", i), r = key_of("r:%u", i);
            if (cache_exists(cache, &s)) {
                stayed++;
                EXPECT_EQUAL(still.of[i], 1);
            }
            if (cache_exists(cache, &r)) {
                stayed++;
                EXPECT_EQUAL(replaced.of[i], 1);
            }
        }
    }
    EXPECT(stayed > KEYS);
    reached(STOP, 1);
    finish(writers[0]);
    finish(writers[1]);
    EXPECT(info_of(cache).moved > 0);
    expect_nothing_left(cache);
}

/* The key is replaced between the announcement and the second look at the word. */
static struct cache *other;
static void store_other(void) {
    at_no_failpoint();
    EXPECT_EQUAL(put(other, (struct cache_key){"key", 3, 3}, 2, 4000), CACHE_OK);
}

static void looks_again(void) {
    struct cache *cache = open_cache(8);
    other = open_cache(8);
    struct cache_entry entry;
    EXPECT_EQUAL(put(cache, (struct cache_key){"key", 3, 3}, 1, 1000), CACHE_OK);
    struct cache_walk *walk = cache_walk_begin("", 0);
    at_failpoint("find_announced", 1, store_other);
    EXPECT_EQUAL(cache_walk_next(cache, walk, &entry), CACHE_OK);
    EXPECT_EQUAL(entry.size, 32 + 8 + 4000);
    EXPECT_EQUAL(cache_walk_next(cache, walk, &entry), CACHE_ABSENT);
    cache_walk_end(walk);
    expect_nothing_left(cache);
}

/* The page whose key is being copied is not reused; the page of a value returned earlier is. */
static void walk_and_stop(void *argument) {
    struct cache *cache = open_cache(8);
    struct cache_walk *walk = cache_walk_begin("key", 3);
    struct cache_entry entry;
    at_failpoint("find_announced", 1, stop_here);
    while (cache_walk_next(cache, walk, &entry) == CACHE_OK) {
        EXPECT(entry.key_length == 3 && memcmp(entry.key, "key", 3) == 0);
    }
    cache_walk_end(walk);
}

static void one_page_at_a_time(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, (struct cache_key){"key", 3, 3}, 1, 1000), CACHE_OK);
    const struct cache_value value = pinned(cache, (struct cache_key){"key", 3, 3});
    const uint32_t page = ref_page(&cache->map, (value.base - cache->map.base) >> UNIT_SHIFT);
    end_request(cache);
    const uint32_t generation = state_generation(word_load(&page_row(cache, page)->state));
    const pid_t walker = start(walk_and_stop, NULL);
    wait_stopped(walker);
    churn(cache, 3);
    EXPECT_EQUAL(state_generation(word_load(&page_row(cache, page)->state)), generation);
    kill(walker, SIGCONT);
    finish(walker);
    churn(cache, 3);
    EXPECT(state_generation(word_load(&page_row(cache, page)->state)) != generation);
    expect_nothing_left(cache);
}

/* A walk does not go from one segment to another. */
static void ends_with_the_segment(void) {
    struct cache *cache = open_cache(8);
    put_many(cache, "", 100, 100);
    struct cache_walk *walk = cache_walk_begin("", 0);
    struct cache_entry entry;
    EXPECT_EQUAL(cache_walk_next(cache, walk, &entry), CACHE_OK);
    close_cache(cache);
    EXPECT(unlink(segment_file()) == 0);
    cache = open_cache(8);
    put_many(cache, "", 100, 100);
    EXPECT_EQUAL(cache_walk_next(cache, walk, &entry), CACHE_ABSENT);
    cache_walk_end(walk);
}

/* Replaces the value that was just returned, which must not change the copy. */
static unsigned walk_with_values(struct cache *cache, struct cache_walk *walk) {
    struct cache_entry entry;
    unsigned copies = 0;
    while (cache_walk_next(cache, walk, &entry) == CACHE_OK) {
        const bool is_copied = entry.value != NULL;
        if (entry.key_length == 5) { /* "short", "limit" */
            const size_t length = entry.key[0] == 's' ? 100 : CACHE_WALK_COPY_MAX;
            const struct cache_key key = key_of("%.5s", entry.key);
            EXPECT_EQUAL(put(cache, key, 2, length), CACHE_OK);
            EXPECT(!is_copied || is_pattern(entry.value, length, 1));
        } else {
            EXPECT(!is_copied);
        }
        copies += is_copied;
    }
    cache_walk_end(walk);
    return copies;
}

static void copies_values(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key keys[] = {key_of("short"), key_of("limit"), key_of("longer")}, number = {"n", 1, 1};
    const size_t lengths[] = {100, CACHE_WALK_COPY_MAX, CACHE_WALK_COPY_MAX + 8};
    int64_t sum;
    EXPECT_EQUAL(cache_count(cache, &number, 1, 0, &sum), CACHE_OK);
    for (unsigned kind = KIND - 1; kind <= KIND + 1; kind++) {
        for (unsigned i = 0; i < 3; i++) {
            EXPECT_EQUAL(put(cache, keys[i], 1, lengths[i]), CACHE_OK);
        }
        const uint64_t hits = info_of(cache).hits;
        struct cache_walk *walk = cache_walk_begin("", 0);
        cache_walk_copy(walk, kind);
        EXPECT_EQUAL(walk_with_values(cache, walk), kind == KIND ? 2 : 0);
        EXPECT_EQUAL(info_of(cache).hits, hits + (kind == KIND ? 2 : 0));
    }
    EXPECT_EQUAL(info_of(cache).pages_pinned, 0);
    expect_nothing_left(cache);
}

/* Copying a value with its entry counts as a use, until the walk is told to stop copying. */
static void copying_is_a_use(void) {
    struct cache *cache = open_cache(8);
    put_many(cache, "", 2, 100);
    struct cache_walk *walk = cache_walk_begin("", 0);
    struct cache_entry first, second;
    cache_walk_copy(walk, KIND);
    EXPECT_EQUAL(cache_walk_next(cache, walk, &first), CACHE_OK);
    EXPECT(first.value && !first.used);
    EXPECT(described(cache, key_of("%.1s", first.key)).used);
    cache_walk_copy(walk, 0);
    EXPECT_EQUAL(cache_walk_next(cache, walk, &second), CACHE_OK);
    EXPECT(!second.value);
    EXPECT(!described(cache, key_of("%.1s", second.key)).used);
    cache_walk_end(walk);
    expect_nothing_left(cache);
}

/* Accepts keys with an even number. The context is the number of its calls. */
static unsigned asked;
static bool is_even(const void *context, const char *key, size_t length) {
    EXPECT(context == &asked);
    asked++;
    return length > 0 && key[length - 1] % 2 == 0;
}

/* Rejected entries are neither copied nor remembered. */
static void passes_what_is_not_wanted(void) {
    struct cache *cache = open_cache(8);
    put_many(cache, "k", 1000, 100);
    EXPECT_EQUAL(put_as(cache, key_of("k%u", 2), 1, 8, cache_now() - 1, CACHE_SET), CACHE_OK);
    put_many(cache, "other ", 10, 100);
    const uint64_t hits = info_of(cache).hits;
    struct cache_walk *walk = cache_walk_begin("k", 1);
    struct cache_entry entry;
    unsigned given = 0;
    asked = 0;
    cache_walk_copy(walk, KIND);
    cache_walk_only(walk, is_even, &asked);
    while (cache_walk_next(cache, walk, &entry) == CACHE_OK) {
        EXPECT(entry.value && entry.key[0] == 'k' && entry.key[entry.key_length - 1] % 2 == 0);
        given++;
    }
    cache_walk_end(walk);
    EXPECT_EQUAL(asked, 999);
    EXPECT_EQUAL(given, 499);
    EXPECT_EQUAL(info_of(cache).hits, hits + 499);
    expect_nothing_left(cache);
}

/* ---- Buckets without words ---- */

static unsigned marked_buckets(const struct cache *cache) {
    unsigned marked = 0;
    for (uint32_t b = 0; b < cache->map.bucket_count; b++) {
        marked += (word_load(occupied_word(&cache->map, b)) & occupied_bit(b)) != 0;
    }
    return marked;
}

static void passes_empty_buckets(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(marked_buckets(cache), 0);
    put_many(cache, "few ", 100, 100);
    const unsigned marked = marked_buckets(cache);
    EXPECT(marked > 90 && marked <= 100);
    EXPECT_EQUAL(count_walked(cache, ""), 100);
    EXPECT_EQUAL(marked_buckets(cache), marked);
    EXPECT_EQUAL(cache_delete_prefix(cache, "", 0), 100);
    EXPECT_EQUAL(count_walked(cache, ""), 0);
    EXPECT_EQUAL(marked_buckets(cache), 0);
    put_many(cache, "few ", 100, 100);
    EXPECT(cache_clear(cache));
    EXPECT_EQUAL(cache_delete_prefix(cache, "", 0), 0);
    EXPECT_EQUAL(marked_buckets(cache), 0);
    expect_nothing_left(cache);
}

/* A key is stored after its bucket was found empty, and before the mark is cleared. */
static void does_not_forget_what_came(void) {
    struct cache *cache = open_cache(8);
    other = open_cache(8);
    const struct cache_key key = {"key", 3, 3};
    EXPECT_EQUAL(put(cache, key, 1, 100), CACHE_OK);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    at_failpoint("bucket_found_empty", 1, store_other);
    EXPECT(count_walked(cache, "") <= 1);
    EXPECT_EQUAL(count_walked(cache, ""), 1);
    expect_sound(cache);
    EXPECT_EQUAL(cache_delete_prefix(cache, "", 0), 1);
    expect_nothing_left(cache);
}

/* A writer that is stopped between putting its word and marking the bucket. */
static void store_and_stop(void *argument) {
    struct cache *cache = open_cache(8);
    at_failpoint("index_tentative", 1, stop_here);
    EXPECT_EQUAL(put(cache, (struct cache_key){"key", 3, 3}, 1, 100), CACHE_OK);
}
static void meets_what_was_marked_late(void) {
    struct cache *cache = open_cache(8);
    const pid_t writer = start(store_and_stop, NULL);
    wait_stopped(writer);
    EXPECT_EQUAL(marked_buckets(cache), 0);
    EXPECT_EQUAL(count_walked(cache, ""), 0);
    kill(writer, SIGCONT);
    finish(writer);
    EXPECT_EQUAL(count_walked(cache, ""), 1);
    expect_nothing_left(cache);
}

/* Stores and deletes a few keys, so that buckets get empty again and again while other processes walk. */
static void store_and_delete(void *argument) {
    struct cache *cache = open_cache(8);
    reached(READY, 1);
    for (unsigned i = (unsigned)(uintptr_t)argument; board->number[STOP] == 0; i++) {
        const struct cache_key key = key_of("f:%u", i * 7 % 50);
        put(cache, key, i, 100);
        if (i % 3 > 0) {
            cache_delete(cache, &key);
        }
        cache_request_end(cache, false);
    }
}
static void among_writers_that_empty(void) {
    static struct counts still;
    struct cache *cache = open_cache(8);
    pid_t writers[2];
    for (unsigned i = 0; i < 2; i++) {
        writers[i] = start(store_and_delete, (void *)(uintptr_t)(i * 1000));
    }
    await(READY, 1);
    for (unsigned round = 0; round < 10000; round++) {
        const unsigned number = round % 100;
        EXPECT_EQUAL(put(cache, key_of("s:%u", number), 1, 100), CACHE_OK);
        walk_over(cache, "s:", &still, NULL);
        EXPECT_EQUAL(still.all, 1);
        EXPECT_EQUAL(still.of[number], 1);
        EXPECT_EQUAL(cache_delete_prefix(cache, "s:", 2), 1);
    }
    reached(STOP, 1);
    finish(writers[0]);
    finish(writers[1]);
    expect_sound(cache);
    expect_nothing_left(cache);
}

/* ---- Deleting by prefix ---- */

static void deletes_by_prefix(void) {
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < KEYS; i++) {
        EXPECT_EQUAL(put(cache, key_of("a:%u", i), i, 100), CACHE_OK);
        EXPECT_EQUAL(put(cache, key_of("b:%u", i), i, 100), CACHE_OK);
    }
    EXPECT_EQUAL(put_as(cache, key_of("a:%u", 7), 1, 8, cache_now() - 1, CACHE_SET), CACHE_OK);
    const uint64_t deletes = info_of(cache).deletes;
    EXPECT_EQUAL(cache_delete_prefix(cache, "c", 1), 0);
    EXPECT_EQUAL(cache_delete_prefix(cache, "a:", 2), KEYS - 1);
    EXPECT_EQUAL(info_of(cache).deletes, deletes + KEYS - 1);
    EXPECT_EQUAL(info_of(cache).entries, KEYS);
    EXPECT_EQUAL(count_walked(cache, "b:"), KEYS);
    EXPECT_EQUAL(cache_delete_prefix(cache, "a:", 2), 0);
    EXPECT_EQUAL(cache_delete_prefix(cache, "", 0), KEYS);
    expect_nothing_left(cache);
}

/* An entry that is replaced or moved during the look is deleted, too. */
static void deletes_what_moves(void) {
    struct cache *cache = open_cache(8);
    other = open_cache(8);
    EXPECT_EQUAL(put(cache, (struct cache_key){"key", 3, 3}, 1, 1000), CACHE_OK);
    at_failpoint("find_announced", 1, store_other);
    EXPECT_EQUAL(cache_delete_prefix(cache, "k", 1), 1);
    EXPECT(!is_there(cache, (struct cache_key){"key", 3, 3}));
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"a key is described", describes},
    {"an untraced look leaves no trace", leaves_no_trace},
    {"an age is that of the value, wherever it moves", ages},
    {"a walk gives every key with the prefix", gives_all},
    {"a walk gives no key twice, though it is deleted and stored again", none_twice},
    {"a walk among writers gives each key that stays once", among_writers},
    {"a walk loads the index word again after announcing its page", looks_again},
    {"a walk holds one page, while it looks at it", one_page_at_a_time},
    {"a walk ends with its segment", ends_with_the_segment},
    {"a walk copies values of one kind up to a length", copies_values},
    {"a value that a walk copies is used", copying_is_a_use},
    {"a walk passes keys that its filter does not want", passes_what_is_not_wanted},
    {"a walk passes buckets that have no words", passes_empty_buckets},
    {"a walk does not forget a bucket into which a word came", does_not_forget_what_came},
    {"a walk meets what was marked after another walk", meets_what_was_marked_late},
    {"a walk among writers that empty buckets misses nothing", among_writers_that_empty},
    {"deleting by prefix deletes those and no others", deletes_by_prefix},
    {"deleting by prefix follows entries that move", deletes_what_moves},
    {0},
};
const struct suite suite_iterate = {.name = "iterate", .tests = tests};
