#include "worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "attach.h"
#include "failpoint.h"
#include "fixture.h"
#include "ledger.h"
#include "pin.h"
#include "points.h"
#include "torn/damage.h"

enum { HELD_MAX = 24, CALLS_A_REQUEST = 40, SEGMENT_MIB = 12, CLAIMS = 20 };

struct held {
    struct cache_value value;
    unsigned key;
};

static struct cache *cache;
static unsigned me;   /* number of the place and of the writer */
static bool is_guest; /* a forked child, which writes no values of its own */
static struct sequence sequence;
static struct held held[HELD_MAX];
static unsigned held_count;

static uint64_t dice(uint64_t sides) {
    return draw(&sequence, sides);
}

/* ---- Dying at a failpoint ---- */

static unsigned target, target_left;
static void passing(const char *name) {
    if (target_left > 0 && point_number(name) == target && --target_left == 0) {
        atomic_fetch_add(&point_counts->killed[target], 1);
        atomic_fetch_add(&ledger->died_at_points, 1);
        raise(SIGKILL);
    }
}

/* Half of the processes choose a failpoint to die at: of two random ones, the one with fewer deaths. */
static void choose_target(void) {
    if (dice(2)) {
        const unsigned a = (unsigned)dice(point_count()), b = (unsigned)dice(point_count());
        target = atomic_load(&point_counts->killed[a]) < atomic_load(&point_counts->killed[b]) ? a : b;
        target_left = 1 + (unsigned)dice(UINT64_C(1) << dice(8));
        cache_failpoint_hook = passing;
    }
}

/* ---- Keys and values ---- */

/* The ledger tracks keys below TRACKED; values of the others only prove themselves. */
static struct cache_key key_number(unsigned number) {
    struct cache_key key = key_of("key %u", number);
    if (number >= HOT && number < TRACKED) {
        key.hash = 4711;
    }
    return key;
}
static struct cache_key integer_key(unsigned number) {
    return key_of("integer %u", number);
}

static unsigned any_key(void) {
    switch (dice(8)) {
        case 0:
            return HOT + (unsigned)dice(CROWD);
        case 1:
        case 2:
        case 3:
            return TRACKED + (unsigned)dice(TAIL);
        default:
            return (unsigned)(dice(HOT) * dice(HOT) / HOT);
    }
}

static void expect_whole(const struct cache_value *value, unsigned key, const char *when) {
    const uint64_t seed = *(const uint64_t *)value->bytes;
    if (seed_key(seed) != key) {
        ledger_fail("%s: key %u has a value of key %u", when, key, seed_key(seed));
    }
    if (value->kind != KIND || value->length != seed_length(seed)) {
        ledger_fail("%s: key %u has kind %u and length %zu for %lu", when, key, value->kind, value->length,
                    seed_length(seed));
    }
    if (!is_pattern(value->bytes, value->length, seed)) {
        ledger_fail("%s: key %u, writer %u, version %llu, %zu bytes are torn", when, key, seed_writer(seed),
                    (unsigned long long)seed_version(seed), value->length);
    }
}

/* The versions of each writer that were over when a call began. */
struct snapshot {
    unsigned long done[WORKERS], removed[WORKERS];
};
static struct snapshot look_at(unsigned key) {
    struct snapshot snapshot;
    for (unsigned w = 0; w < WORKERS; w++) {
        snapshot.done[w] = atomic_load(&ledger->done[w][key]);
        snapshot.removed[w] = atomic_load(&ledger->removed[w][key]);
    }
    return snapshot;
}

static void expect_current(const struct cache_value *value, unsigned key, const struct snapshot *before) {
    const uint64_t seed = *(const uint64_t *)value->bytes;
    const unsigned writer = seed_writer(seed);
    if (writer >= WORKERS || seed_version(seed) < before->done[writer] ||
        seed_version(seed) <= before->removed[writer]) {
        ledger_fail("key %u: version %llu of writer %u came back; %lu was stored, %lu removed", key,
                    (unsigned long long)seed_version(seed), writer, before->done[writer % WORKERS],
                    before->removed[writer % WORKERS]);
    }
}

/* ---- Calls ---- */

static void call_find(void) {
    const unsigned number = any_key();
    const struct cache_key key = key_number(number);
    struct snapshot before = {{0}, {0}};
    if (number < TRACKED) {
        before = look_at(number);
    }
    struct cache_value value;
    struct place_of_work *place = &ledger->workers[me];
    const bool zero_copy = dice(4) != 0;
    if (!(dice(4) ? cache_find(cache, &key, zero_copy, &value)
                  : cache_find_kept(cache, &key, zero_copy, &value))) {
        atomic_fetch_add(&place->missed, 1);
        return;
    }
    atomic_fetch_add(&place->found, 1);
    expect_whole(&value, number, "found");
    if (number < TRACKED) {
        expect_current(&value, number, &before);
    }
    if (value.hold == CACHE_PINNED && held_count < HELD_MAX) {
        held[held_count++] = (struct held){value, number};
    }
    atomic_fetch_add(value.hold == CACHE_PINNED ? &place->held : &place->copied, 1);
}

static enum cache_result store(unsigned number, uint64_t seed, enum cache_mode mode, bool abandon) {
    const struct cache_key key = key_number(number);
    struct cache_span span;
    struct cache_value value;
    uint64_t token;
    const bool over =
        mode == CACHE_REPLACE && dice(2) && cache_find_token(cache, &key, (unsigned)dice(4), &value, &token);
    if (over) {
        expect_whole(&value, number, "found with a token");
    }
    const uint64_t now = cache_now(), freshness = dice(10) ? 0 : cache_freshness(now + dice(100), 0.1);
    const enum cache_result result = cache_reserve_fresh(cache, &key, seed_length(seed), freshness, mode, &span);
    if (result != CACHE_OK) {
        return result;
    }
    fill_pattern(span.bytes, span.length, seed);
    if (abandon) {
        cache_abandon(cache);
        return CACHE_ABSENT;
    }
    const uint64_t expires = dice(10) ? 0 : now + dice(200);
    return cache_commit(cache, &key, KIND, expires, mode, over ? &token : NULL);
}

/* Gives a value another form, here the same bytes, unless it changes meanwhile. */
static void call_promote(void) {
    const struct cache_key key = key_number(any_key());
    struct cache_value value;
    struct cache_span span;
    uint64_t token;
    if (!cache_find_token(cache, &key, CACHE_STALE | CACHE_UNTRACED, &value, &token)) {
        return;
    }
    const uint64_t freshness = value.kept != value.expires || value.cost != 0
                                   ? cache_freshness(value.expires, (double)value.cost / CACHE_COSTS_A_SECOND)
                                   : 0;
    if (cache_reserve_beside(cache, &key, value.length, freshness, &span) == CACHE_OK) {
        memcpy(span.bytes, value.bytes, value.length);
        cache_commit_beside(cache, &key, KIND, value.kept, cache_now(), token);
    }
}

static void store_any(enum cache_mode mode, bool abandon) {
    unsigned number = any_key();
    if (number >= TRACKED || is_guest) {
        number = TRACKED + (unsigned)dice(TAIL);
        store(number, seed_make(me, number, dice(UINT64_C(1) << 40)), mode, abandon);
        return;
    }
    const unsigned long version = atomic_fetch_add(&ledger->begun[me][number], 1) + 1;
    const enum cache_result result = store(number, seed_make(me, number, version), mode, abandon);
    /* A refused set leaves no older value either. Without a record nothing is known. */
    if (result == CACHE_OK || (mode == CACHE_SET && !abandon && result != CACHE_UNAVAILABLE)) {
        atomic_raise(&ledger->done[me][number], version);
    }
}
static void call_set(void) {
    store_any(CACHE_SET, false);
}
static void call_add(void) {
    store_any(CACHE_ADD, false);
}
static void call_replace(void) {
    store_any(CACHE_REPLACE, false);
}
static void call_abandon(void) {
    store_any(CACHE_SET, true);
}

static void call_delete(void) {
    const unsigned number = any_key();
    const struct cache_key key = key_number(number);
    struct snapshot before = {{0}, {0}};
    if (number < TRACKED) {
        before = look_at(number);
    }
    if (cache_delete(cache, &key) != CACHE_UNAVAILABLE && number < TRACKED) {
        for (unsigned w = 0; w < WORKERS; w++) {
            atomic_raise(&ledger->removed[w][number], before.done[w]);
        }
    }
}

static void call_clear(void) {
    static struct snapshot before[TRACKED];
    if (dice(400)) {
        return;
    }
    for (unsigned k = 0; k < TRACKED; k++) {
        before[k] = look_at(k);
    }
    if (cache_clear(cache)) {
        for (unsigned k = 0; k < TRACKED; k++) {
            for (unsigned w = 0; w < WORKERS; w++) {
                atomic_raise(&ledger->removed[w][k], before[k].done[w]);
            }
        }
    }
}

static void call_touch(void) {
    const struct cache_key key = dice(4) ? key_number(any_key()) : integer_key((unsigned)dice(INTEGERS));
    cache_touch(cache, &key, dice(2) ? 0 : cache_now() + 100 + dice(1000));
}
static void call_exists(void) {
    const struct cache_key key = key_number(any_key());
    cache_exists(cache, &key);
}

/* ---- Integers: generation 32, count 32; the process that creates one gives it a generation ---- */

static struct generation *generation_of(unsigned number, unsigned long generation) {
    return &ledger->generations[number][generation % GENERATIONS];
}

static void begin_generation(unsigned number, int64_t created) {
    const unsigned long generation = atomic_fetch_add(&ledger->next_generation[number], 1) + 1;
    struct generation *entry = generation_of(number, generation);
    atomic_store(&entry->number, 0);
    atomic_store(&entry->counted, 0);
    for (unsigned i = 0; i < COUNTS_MAX / 64; i++) {
        atomic_store(&entry->seen[i], 0);
    }
    atomic_store(&entry->number, generation);
    const struct cache_key key = integer_key(number);
    cache_swap(cache, &key, created, (int64_t)(generation << 32));
}

/* The counts of each generation when the call begins. Only after the call is it known which generation it met. */
struct counted {
    unsigned long generation, counts;
};
static void counted_before(unsigned number, struct counted counted[GENERATIONS]) {
    for (unsigned i = 0; i < GENERATIONS; i++) {
        struct generation *entry = &ledger->generations[number][i];
        counted[i].generation = atomic_load(&entry->number);
        counted[i].counts = atomic_load(&entry->counted);
        if (atomic_load(&entry->number) != counted[i].generation) {
            counted[i].generation = 0;
        }
    }
}

/* Expects that no count was returned twice, and that no count is lost that was reported to its caller. */
static void expect_counted(unsigned number, int64_t value, const struct counted *before, bool mine) {
    const unsigned long generation = (unsigned long)value >> 32, count = (unsigned long)value & 0xffffffff;
    struct generation *entry = generation_of(number, generation);
    if (atomic_load(&entry->number) != generation) {
        return;
    }
    if (before->generation == generation && count < before->counts + mine) {
        ledger_fail("integer %u: %lu counts were told, %lu are there", number, before->counts, count);
    }
    if (mine && count < COUNTS_MAX) {
        const unsigned long bit = 1ul << count % 64;
        if ((atomic_fetch_or(&entry->seen[count / 64], bit) & bit) && atomic_load(&entry->number) == generation) {
            ledger_fail("integer %u: the count %lu was given twice", number, count);
        }
        atomic_fetch_add(&entry->counted, 1);
    }
}

static void call_count(void) {
    const unsigned number = (unsigned)dice(INTEGERS);
    const struct cache_key key = integer_key(number);
    struct counted counted[GENERATIONS];
    int64_t result;
    counted_before(number, counted);
    if (cache_count(cache, &key, 1, 0, &result) != CACHE_OK) {
        return;
    }
    if (result >> 32) {
        expect_counted(number, result, &counted[(result >> 32) % GENERATIONS], true);
    } else {
        begin_generation(number, result);
    }
}
static void call_read_integer(void) {
    const unsigned number = (unsigned)dice(INTEGERS);
    const struct cache_key key = integer_key(number);
    struct counted counted[GENERATIONS];
    struct cache_value value;
    counted_before(number, counted);
    if (cache_find(cache, &key, true, &value)) {
        int64_t integer;
        memcpy(&integer, value.bytes, sizeof integer);
        if (value.kind != CACHE_INTEGER || value.length != 8) {
            ledger_fail("integer %u has kind %u and %zu bytes", number, value.kind, value.length);
        }
        if (integer >> 32) {
            expect_counted(number, integer, &counted[(integer >> 32) % GENERATIONS], false);
        }
    }
}

/* ---- Claims ---- */

/* Some claims are left until the end of the request, or until death. */
static void call_claim(void) {
    const struct cache_key key = key_of("claim %u", (unsigned)dice(CLAIMS));
    const enum cache_result result = cache_claim(cache, &key);
    if (result == CACHE_EXISTS && dice(4) == 0) {
        cache_await_claim(cache, &key);
    }
    if (result == CACHE_OK && dice(8)) {
        cache_end_claim(cache, &key);
    }
}

/* Computes a missing value. That counts as a write of this process that began with the claim. */
static void call_compute(void) {
    const unsigned number = TRACKED + (unsigned)dice(TAIL);
    const struct cache_key key = key_number(number);
    struct cache_token token;
    const enum cache_claimed claimed = cache_claim_to_compute(cache, &key, cache_now() + dice(1000), NULL, &token);
    if (claimed == CACHE_CLAIMED_BY_OTHER && dice(4) == 0) {
        cache_await_computed(cache, &key, &token);
    }
    struct cache_span span;
    const uint64_t seed = seed_make(me, number, dice(UINT64_C(1) << 40));
    if (dice(4) && token.is_there &&
        cache_reserve(cache, &key, seed_length(seed), CACHE_REPLACE, &span) == CACHE_OK) {
        fill_pattern(span.bytes, span.length, seed);
        cache_commit(cache, &key, KIND, 0, CACHE_REPLACE, &token.number);
    }
    if (dice(8)) {
        cache_end_computing(cache, &key);
    }
}

/* ---- The rest ---- */

static void end_the_request(void) {
    for (unsigned i = 0; i < held_count; i++) {
        expect_whole(&held[i].value, held[i].key, "held");
    }
    held_count = 0;
    const bool keep = dice(8) == 0;
    cache_request_end(cache, keep);
    if (!cache_request_begin(cache)) {
        ledger_fail("the record was lost");
    }
}

/* Expects that a walk returns whole keys, and that deleting by a prefix that no key has deletes nothing. */
static void walk(void) {
    struct cache_walk *walk = cache_walk_begin("key ", 4);
    struct cache_entry entry;
    while (cache_walk_next(cache, walk, &entry) == CACHE_OK) {
        if (entry.key_length <= 4 || memcmp(entry.key, "key ", 4) != 0) {
            ledger_fail("a walk gave a key that nobody stored");
        }
    }
    cache_walk_end(walk);
    if (cache_delete_prefix(cache, "nobody's", 8) != 0) {
        ledger_fail("deleting by a prefix that no key has deleted something");
    }
}

static void call_look(void) {
    struct cache_info info;
    struct cache_holder holders[4];
    switch (dice(4)) {
        case 0:
            cache_read_info(cache, &info);
            break;
        case 2:
            walk();
            break;
        case 1:
            cache_read_holders(cache, holders, 4);
            break;
        default:
            if (attached_record(cache)) {
                word_poke(&cache->map.header->recounted, 0);
                pin_recount(cache);
            }
            break;
    }
}

static void work(unsigned count);

/* Lists this guest, so that all processes can be stopped for a check. */
static void sign_in_as_guest(void) {
    for (unsigned i = 0; i < GUESTS; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&ledger->guests[i], &none, getpid())) {
            while (atomic_load(&ledger->paused)) {
                usleep(500);
            }
            return;
        }
    }
    _exit(0);
}

/* Forks. Both processes go on with the held values; the child soon ends, in one way or another. */
static void call_fork(void) {
    if (is_guest || dice(30)) {
        return;
    }
    atomic_fetch_add(&ledger->forks, 1);
    const uint64_t seed = dice(UINT64_MAX);
    if (fork() == 0) {
        sign_in_as_guest();
        is_guest = true;
        sequence.state = seed | 1;
        atomic_store(&ledger->workers[me].begun_at, 0);
        work((unsigned)dice(60));
        end_the_request();
        if (dice(2)) {
            raise(SIGKILL);
        }
        cache_detach(cache);
        _exit(0);
    }
}

static void call_release(void) {
    cache_release(cache);
}

static const struct {
    const char *name;
    unsigned weight;
    void (*run)(void);
} calls[] = {
    {"find", 400, call_find},      {"claim", 10, call_claim},
    {"compute", 30, call_compute}, {"set", 300, call_set},
    {"add", 25, call_add},         {"replace", 25, call_replace},
    {"promote", 40, call_promote}, {"abandon", 10, call_abandon},
    {"delete", 30, call_delete},   {"clear", 20, call_clear},
    {"touch", 25, call_touch},     {"exists", 15, call_exists},
    {"count", 80, call_count},     {"read integer", 20, call_read_integer},
    {"release", 10, call_release}, {"look", 2, call_look},
    {"fork", 28, call_fork},
};
enum { CALLS = sizeof calls / sizeof *calls };

unsigned worker_call_count(void) {
    return CALLS;
}
const char *worker_call(unsigned call) {
    return calls[call].name;
}

static unsigned any_call(void) {
    unsigned all = 0, call = 0;
    for (unsigned i = 0; i < CALLS; i++) {
        all += calls[i].weight;
    }
    unsigned left = (unsigned)dice(all);
    while (left >= calls[call].weight) {
        left -= calls[call].weight;
        call++;
    }
    return call;
}

static void timed_call(unsigned call) {
    struct place_of_work *place = &ledger->workers[me];
    if (is_guest) {
        calls[call].run();
        return;
    }
    const unsigned stops = atomic_load(&place->stops);
    const uint64_t begun = nanoseconds();
    atomic_store(&place->call, call);
    atomic_store(&place->begun_at, begun);
    calls[call].run();
    const uint64_t took = nanoseconds() - begun;
    atomic_store(&place->begun_at, 0);
    atomic_fetch_add(&place->done[call], 1);
    if (calls[call].run != call_fork && took > atomic_load(&place->longest) &&
        stops == atomic_load(&place->stops)) {
        atomic_store(&place->longest, took);
        atomic_store(&place->longest_call, call);
    }
}

static void work(unsigned count) {
    for (unsigned i = 0; i < count && !atomic_load(&ledger->stop); i++) {
        timed_call(any_call());
    }
}

void worker_run(unsigned place, uint64_t seed) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    me = place;
    sequence.state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    choose_target();
    struct cache_options options = options_of(SEGMENT_MIB);
    options.long_lived = dice(4) == 0;
    char reason[CACHE_REASON_MAX];
    for (unsigned i = 0; !cache && i < 2000; i++) {
        cache = cache_attach(&options, reason);
        if (!cache) {
            usleep(1000); /* another process is creating, or has not died yet */
        }
    }
    if (!cache) {
        ledger_fail("attach: %s", reason);
    }
    while (!atomic_load(&ledger->stop)) {
        work(1 + (unsigned)dice(CALLS_A_REQUEST));
        end_the_request();
    }
    target_left = 0;
    if (dice(2)) {
        cache_detach(cache);
    }
    _exit(0);
}
