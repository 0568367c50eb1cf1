/* Damage causes misses, never a crash: the short version of the fuzz target. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "damage.h"
#include "guards.h"
#include "suites.h"

static void batches(void) {
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const pid_t child = fork();
        if (child == 0) {
            damage_batch(seed, 40);
            _exit(0);
        }
        int status;
        EXPECT(waitpid(child, &status, 0) == child);
        if (status != 0) {
            harness_fail(__FILE__, __LINE__, "seed %d ends with status %x", (int)seed, (unsigned)status);
        }
    }
}

/* Flips every single bit of a stored entry's header and key. The fetch must miss, or find the value unchanged. */
static void every_bit_of_an_entry(void) {
    struct cache *cache = open_cache(8);
    guards_tighten(&cache->map);
    const struct cache_key key = {"0123456789", 10, 4711};
    EXPECT_EQUAL(put(cache, key, 1, 200), CACHE_OK);
    const struct cache_value good = pinned(cache, key);
    const struct entry_shared *entry =
        (const struct entry_shared *)((uintptr_t)good.bytes - 16 - sizeof(struct entry_shared));
    EXPECT_EQUAL(entry->units, 25);
    unsigned char *bytes = (unsigned char *)cache->map.writable + ((const char *)entry - cache->map.readonly);
    unsigned misses = 0;
    for (unsigned bit = 0; bit < (sizeof *entry + key.length) * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        struct cache_value value;
        const bool found = cache_find(cache, &key, true, &value);
        misses += !found;
        if (found && (value.kind != good.kind || value.length != good.length || value.bytes != good.bytes)) {
            harness_fail(__FILE__, __LINE__, "bit %u of byte %u gives another value", bit % 8, bit / 8);
        }
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (!cache_exists(cache, &key)) { /* a damaged expiry has removed the entry */
            EXPECT_EQUAL(put(cache, key, 1, 200), CACHE_OK);
            end_request(cache);
            pinned(cache, key);
            const struct cache_value again = pinned(cache, key);
            bytes += (const char *)again.bytes - (const char *)good.bytes;
            memcpy((void *)(uintptr_t)&good.bytes, &again.bytes, sizeof good.bytes);
        }
    }
    EXPECT(misses > 200);
    proof_figure("of them misses, else the value as it was", "%u", misses);
    proof_record_all("damage.entry", (sizeof *entry + key.length) * 8, "bits of an entry's header and key changed",
                     0);
}

/* Makes an index word name any place: a table, the last unit, far behind the file. */
static void every_place(void) {
    struct cache *cache = open_cache(8);
    guards_tighten(&cache->map);
    const struct map *map = &cache->map;
    const uint64_t last = ref_location(map, map->page_count, 0);
    const uint64_t places[] = {1,
                               2,
                               512,
                               ref_location(map, 0, 0) - 1,
                               ref_location(map, 0, 1),
                               last - 1,
                               last - 2,
                               last - 3,
                               last - 4,
                               last - 5,
                               last,
                               last + 1,
                               map->size,
                               1u << 28,
                               1u << 31,
                               LOCATION_MASK};
    enum { PLACES = sizeof places / sizeof *places, CALLS = 9 };
    for (unsigned i = 0; i < PLACES; i++) {
        for (unsigned call = 0; call < CALLS; call++) {
            const struct cache_key key = {"0123456789", 10, 4711};
            EXPECT_EQUAL(put(cache, key, 1, 200), CACHE_OK);
            for (uint32_t b = 0; b < map->bucket_count; b++) {
                for (unsigned slot = 0; slot < BUCKET_SLOTS; slot++) {
                    shared_word *word = &map->buckets[b].slots[slot];
                    if (word_load(word)) {
                        word_store(word, (word_load(word) & ~LOCATION_MASK) | places[i]);
                    }
                }
            }
            int64_t result;
            struct cache_value value;
            struct cache_entry entry;
            switch (call) {
                case 0:
                    EXPECT(!cache_find(cache, &key, true, &value));
                    break;
                case 1:
                    EXPECT(!cache_find(cache, &key, false, &value));
                    break;
                case 2:
                    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_ABSENT);
                    break;
                case 3:
                    EXPECT_EQUAL(cache_touch(cache, &key, 0), CACHE_ABSENT);
                    break;
                case 4:
                    EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
                    break;
                case 5:
                    EXPECT_EQUAL(cache_delete_prefix(cache, "0", 1), 0);
                    break;
                case 6:
                    EXPECT_EQUAL(cache_describe(cache, &key, &entry), CACHE_ABSENT);
                    break;
                case 7:
                    EXPECT(cache_check(cache, NULL) > 0);
                    break;
                default:
                    EXPECT(!cache_exists(cache, &key));
                    break;
            }
            EXPECT(cache_clear(cache));
        }
    }
    expect_nothing_left(cache);
    proof_record("damage.places", PLACES * CALLS,
                 "calls beside an index word that names a table, the last unit or what is behind the file", 0, 0);
}

/* Flips all bits of the first 4 KiB, before and after attaching. */
static void every_bit_of_the_beginning(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
    close_cache(cache);
    const int file = open(segment_file(), O_RDWR);
    unsigned char good[4096];
    EXPECT(pread(file, good, sizeof good, 0) == (ssize_t)sizeof good);
    /* In the part that never changes, flips only some bits, because each takes a new segment. Suite geometry flips
     * them all. */
    const unsigned fixed = offsetof(struct header_shared, retired) * 8;
    unsigned fresh = 0;
    struct stat made, now;
    EXPECT(fstat(file, &made) == 0);
    for (unsigned bit = 0; bit < sizeof(struct header_shared) * 8; bit += bit < fixed ? 31 : 1) {
        if (stat(segment_file(), &now) == 0 && now.st_ino != made.st_ino) {
            const int fresh_file = open(segment_file(), O_RDONLY);
            EXPECT(pread(fresh_file, good, sizeof good, 0) == (ssize_t)sizeof good);
            close(fresh_file);
            made = now;
        }
        unsigned char bad = good[bit / 8] ^ (unsigned char)(1 << bit % 8);
        const int current = open(segment_file(), O_RDWR);
        EXPECT(pwrite(current, &good, sizeof(struct header_shared), 0) == (ssize_t)sizeof(struct header_shared));
        EXPECT(pwrite(current, &bad, 1, bit / 8) == 1);
        close(current);
        const struct cache_options options = options_of(8);
        char reason[CACHE_REASON_MAX];
        cache = cache_attach(&options, reason);
        EXPECT(cache);
        fresh += !is_there(cache, key_of("a"));
        EXPECT_EQUAL(put(cache, key_of("a"), 1, 1000), CACHE_OK);
        EXPECT(has(cache, key_of("a"), 1, 1000));
        cache_detach(cache);
    }
    EXPECT(fresh >= fixed / 31);
}

/* ---- Controls: what the tests above rely on is noticed ---- */

static struct cache *overrun_cache;
static bool faults(const volatile char *at) {
    const pid_t child = fork();
    if (child == 0) {
        EXPECT(freopen("/dev/null", "w", stderr));
        _exit(*at == 'x');
    }
    return was_killed_by_fault(child);
}
static void guards_are_there(void) {
    overrun_cache = open_cache(8);
    const struct map *map = &overrun_cache->map;
    const size_t size = info_of(overrun_cache).size;
    EXPECT(!faults(map->writable) && !faults(map->readonly));
    EXPECT(!faults(map->writable + size - 1) && !faults(map->readonly + size - 1));
    EXPECT(faults(map->writable - 1) && faults(map->readonly - 1));
    EXPECT(faults(map->writable + size) && faults(map->readonly + size));
    EXPECT(faults(map->writable + size + GUARD_BYTES - 1) && faults(map->readonly + size + GUARD_BYTES - 1));
    guards_tighten(map);
    EXPECT(faults(map->writable + size - 1) && faults(map->readonly + size - 1));
    EXPECT(!faults(map->readonly + map->size + sizeof(struct entry_shared) - 1));
    EXPECT(faults(map->readonly + map->size + sizeof(struct entry_shared) + 4095));
}

static void sanitizers_report(void) {
#if defined(__SANITIZE_ADDRESS__)
    char *bytes = malloc(10);
    const pid_t child = fork();
    if (child == 0) {
        EXPECT(freopen("/dev/null", "w", stderr));
        ((volatile char *)bytes)[10] = 'x';
        _exit(0);
    }
    EXPECT(was_killed_by_fault(child));
    free(bytes);
    const pid_t other = fork();
    if (other == 0) {
        EXPECT(freopen("/dev/null", "w", stderr));
        volatile int shift = 40;
        volatile int one = 1;
        _exit((one << shift) == 7);
    }
    EXPECT(was_killed_by_fault(other));
#else
    harness_skip("built without sanitizers");
#endif
}

static const struct test tests[] = {
    {"damage of every table, of entries and keys gives no crash", batches},
    {"every flipped bit of an entry's header or key gives a miss", every_bit_of_an_entry},
    {"index words that name any place give no crash", every_place},
    {"every flipped bit of the header gives a fresh segment", every_bit_of_the_beginning},
    {"control: an overrun of a mapping faults", guards_are_there},
    {"control: the sanitizers report", sanitizers_report},
    {0},
};
const struct suite suite_torn = {.name = "torn", .tests = tests};
