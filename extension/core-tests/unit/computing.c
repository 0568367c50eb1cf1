/* Computing a missing value once: claims with placeholders. */
#include "fixture.h"
#include "attach.h"
#include "claim.h"
#include "hash.h"
#include "index.h"
#include "reclaim.h"
#include "suites.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOUR = 3600 * 1000, LENGTH = 100 };

static enum cache_claimed begin(struct cache *cache, const char *name, struct cache_token *token) {
    const struct cache_key key = key_of("%s", name);
    return cache_claim_to_compute(cache, &key, cache_now() + HOUR, NULL, token);
}

static void end(struct cache *cache, const char *name) {
    const struct cache_key key = key_of("%s", name);
    cache_end_computing(cache, &key);
}

/* Stores over the entry with the token. */
static enum cache_result put_by(struct cache *cache, struct cache_key key, uint64_t seed,
                                const struct cache_token *token) {
    struct cache_span span;
    EXPECT(token->is_there);
    const enum cache_result result = cache_reserve(cache, &key, LENGTH, CACHE_REPLACE, &span);
    if (result != CACHE_OK) {
        return result;
    }
    fill_pattern(span.bytes, span.length, seed);
    return cache_commit(cache, &key, KIND, 0, CACHE_REPLACE, &token->number);
}

static enum cache_awaited await_computed(struct cache *cache, const char *name, const struct cache_token *token) {
    const struct cache_key key = key_of("%s", name);
    return cache_await_computed(cache, &key, token);
}

/* Waits until there is a result other than "not yet". */
static enum cache_awaited await_all(struct cache *cache, const char *name, const struct cache_token *token) {
    enum cache_awaited awaited;
    while ((awaited = await_computed(cache, name, token)) == CACHE_AWAITED_NOTHING_YET) {
    }
    return awaited;
}

/* ---- Placeholders ---- */

static void counts_as_missing(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    struct cache_token token;
    struct cache_entry entry;
    struct cache_value value;
    uint64_t number;
    int64_t sum;
    EXPECT_EQUAL(begin(cache, "a", &token), CACHE_CLAIMED_MISSING);
    EXPECT(token.is_there);
    for (unsigned i = 0; i < 10; i++) {
        EXPECT(!is_there(cache, key));
        EXPECT(!cache_find_kept(cache, &key, true, &value));
        EXPECT(!cache_find_token(cache, &key, CACHE_STALE, &value, &number));
    }
    EXPECT(!cache_exists(cache, &key));
    EXPECT_EQUAL(cache_describe(cache, &key, &entry), CACHE_ABSENT);
    EXPECT_EQUAL(cache_touch(cache, &key, 0), CACHE_ABSENT);
    EXPECT_EQUAL(cache_swap(cache, &key, 1, 2), CACHE_ABSENT);
    EXPECT_EQUAL(put_as(cache, key, 2, LENGTH, 0, CACHE_REPLACE), CACHE_ABSENT);
    struct cache_walk *walk = cache_walk_begin("", 0);
    EXPECT_EQUAL(cache_walk_next(cache, walk, &entry), CACHE_ABSENT);
    cache_walk_end(walk);
    EXPECT_EQUAL(info_of(cache).stores, 0);
    EXPECT_EQUAL(put_by(cache, key, 1, &token), CACHE_OK); /* the placeholder is still there */
    end(cache, "a");

    EXPECT_EQUAL(begin(cache, "b", &token), CACHE_CLAIMED_MISSING);
    EXPECT_EQUAL(put_as(cache, key_of("b"), 3, LENGTH, 0, CACHE_ADD), CACHE_OK);
    EXPECT_EQUAL(begin(cache, "c", &token), CACHE_CLAIMED_MISSING);
    const struct cache_key c = key_of("c"), d = key_of("d");
    EXPECT_EQUAL(cache_count(cache, &c, 7, 0, &sum), CACHE_OK);
    EXPECT_EQUAL(sum, 7);
    EXPECT_EQUAL(begin(cache, "d", &token), CACHE_CLAIMED_MISSING);
    EXPECT_EQUAL(cache_delete(cache, &d), CACHE_ABSENT);
    EXPECT_EQUAL(begin(cache, "e", &token), CACHE_CLAIMED_MISSING);
    EXPECT_EQUAL(cache_delete_prefix(cache, "e", 1), 0);
    EXPECT_EQUAL(info_of(cache).entries, 3);
    expect_nothing_left(cache);
}

enum change { STORES, ADDS, COUNTS, DELETES, DELETES_PREFIX, CLEARS, CHANGES };

/* A write or delete during a computation is later than the computation's begin, and wins. */
static void later_write_wins(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    for (unsigned change = 0; change < CHANGES; change++) {
        struct cache_token token;
        int64_t sum;
        EXPECT_EQUAL(begin(cache, "a", &token), CACHE_CLAIMED_MISSING);
        switch ((enum change)change) {
            case STORES:
                EXPECT_EQUAL(put(cache, key, 7, LENGTH), CACHE_OK);
                break;
            case ADDS:
                EXPECT_EQUAL(put_as(cache, key, 7, LENGTH, 0, CACHE_ADD), CACHE_OK);
                break;
            case COUNTS:
                EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &sum), CACHE_OK);
                break;
            case DELETES:
                cache_delete(cache, &key);
                break;
            case DELETES_PREFIX:
                cache_delete_prefix(cache, "a", 1);
                break;
            default:
                cache_clear(cache);
        }
        EXPECT_EQUAL(put_by(cache, key, 1, &token), change < DELETES ? CACHE_DIFFERENT : CACHE_ABSENT);
        end(cache, "a");
        EXPECT(change < COUNTS ? has(cache, key, 7, LENGTH) : is_there(cache, key) == (change == COUNTS));
        cache_delete(cache, &key);
    }
    expect_nothing_left(cache);
}

static void stored_once(void) {
    struct cache *cache = open_cache(8), *other = open_cache(8);
    const struct cache_key key = key_of("a");
    struct cache_token token, others;
    EXPECT_EQUAL(begin(cache, "a", &token), CACHE_CLAIMED_MISSING);
    EXPECT_EQUAL(begin(cache, "a", &others), CACHE_CLAIMED_BEFORE);
    EXPECT(others.is_there && others.number == token.number);
    EXPECT_EQUAL(await_computed(cache, "a", &others), CACHE_AWAITED_NOTHING); /* it would wait for itself */
    EXPECT_EQUAL(begin(other, "a", &others), CACHE_CLAIMED_BY_OTHER);
    EXPECT(others.is_there && others.number == token.number);
    EXPECT_EQUAL(await_computed(other, "a", &others), CACHE_AWAITED_NOTHING_YET);
    end(other, "a"); /* not its own */
    EXPECT_EQUAL(await_computed(other, "a", &others), CACHE_AWAITED_NOTHING_YET);
    EXPECT_EQUAL(put_by(other, key, 2, &others), CACHE_OK); /* this process did not want to wait any longer */
    EXPECT_EQUAL(put_by(cache, key, 1, &token), CACHE_DIFFERENT);
    EXPECT_EQUAL(await_computed(other, "a", &others), CACHE_AWAITED_CHANGE);
    end(cache, "a");
    EXPECT(has(cache, key, 2, LENGTH));
    EXPECT_EQUAL(begin(other, "a", &others), CACHE_CLAIMED_VALUE);
    EXPECT_EQUAL(put_by(other, key, 3, &others), CACHE_OK);
    end(other, "a");
    expect_nothing_left(cache);
}

/* A process waits without a token, as when the owner has claimed the key and not yet put its placeholder. */
static void nothing_seen(void) {
    struct cache *cache = open_cache(8), *other = open_cache(8);
    const struct cache_key key = key_of("a");
    struct cache_token token;
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_OK);
    EXPECT_EQUAL(begin(other, "a", &token), CACHE_CLAIMED_BY_OTHER);
    EXPECT(!token.is_there);
    EXPECT_EQUAL(await_computed(other, "a", &token), CACHE_AWAITED_NOTHING_YET);
    EXPECT_EQUAL(put(cache, key, 1, LENGTH), CACHE_OK);
    EXPECT_EQUAL(await_computed(other, "a", &token), CACHE_AWAITED_CHANGE);
    end(cache, "a");
    expect_nothing_left(cache);
}

/* A value stays available while it is recomputed. A useless value is replaced by a placeholder. */
static void values(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    struct cache_token token, placeholder;
    struct cache_value value;
    struct cache_span span;
    EXPECT_EQUAL(cache_reserve_fresh(cache, &key, LENGTH, cache_freshness(cache_now() - 1, 1), CACHE_SET, &span),
                 CACHE_OK);
    fill_pattern(span.bytes, span.length, 1);
    EXPECT_EQUAL(cache_commit(cache, &key, KIND, cache_now() + HOUR, CACHE_SET, NULL), CACHE_OK);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQUAL(begin(cache, "a", &token), CACHE_CLAIMED_VALUE);
        EXPECT(cache_find_kept(cache, &key, true, &value) && is_pattern(value.bytes, value.length, 1));
        end(cache, "a"); /* a failure leaves the value */
    }
    const uint64_t none = token.number + 2;
    EXPECT_EQUAL(cache_claim_to_compute(cache, &key, cache_now() + HOUR, &none, &token), CACHE_CLAIMED_VALUE);
    end(cache, "a");
    EXPECT_EQUAL(cache_claim_to_compute(cache, &key, cache_now() + HOUR, &token.number, &placeholder),
                 CACHE_CLAIMED_MISSING);
    EXPECT(!cache_find_kept(cache, &key, true, &value));
    EXPECT_EQUAL(put_by(cache, key, 2, &token), CACHE_DIFFERENT);
    EXPECT_EQUAL(put_by(cache, key, 2, &placeholder), CACHE_OK);
    end(cache, "a");
    EXPECT(has(cache, key, 2, LENGTH));

    const struct cache_key number = key_of("n");
    EXPECT_EQUAL(cache_store_integer(cache, &number, 5, 0, CACHE_SET, NULL), CACHE_OK);
    EXPECT_EQUAL(begin(cache, "n", &token), CACHE_CLAIMED_VALUE);
    EXPECT_EQUAL(cache_store_integer(cache, &number, 6, 0, CACHE_REPLACE, &token.number), CACHE_OK);
    end(cache, "n");
    expect_nothing_left(cache);
}

/* Without room for a placeholder, the useless value stays. The computed value is stored by its token. */
static void no_room_for_placeholder(void) {
    struct cache *cache = open_cache(8);
    cache->map.pin_limit = cache->map.pin_limit_long = 2 * cache->map.page_count;
    char name[51]; /* so long that its entry fits into no rest of a page */
    struct cache_key key = key_of("%050d", 1);
    key.bytes = strcpy(name, key.bytes);
    struct cache_value value;
    uint64_t useless;
    for (unsigned i = 0; i < 100; i++) { /* the last store evicts of these, not the key */
        EXPECT_EQUAL(put(cache, key_of("older %u", i), i, 4000), CACHE_OK);
        EXPECT(is_there(cache, key_of("older %u", i)));
    }
    EXPECT_EQUAL(put(cache, key, 1, 1000), CACHE_OK);
    EXPECT(cache_find_token(cache, &key, CACHE_ZERO_COPY, &value, &useless));
    for (unsigned i = 0, length = 4000; length >= 30;) {
        if (put(cache, key_of("%u", i), i, length) == CACHE_OK) {
            is_there(cache, key_of("%u", i++));
        } else {
            length /= 2;
        }
    }
    struct cache_token token;
    EXPECT_EQUAL(cache_claim_to_compute(cache, &key, cache_now() + HOUR, &useless, &token), CACHE_CLAIMED_MISSING);
    EXPECT(has(cache, key, 1, 1000)); /* or this would show nothing */
    EXPECT(token.is_there && token.number == useless);
    cache_request_end(cache, false);
    EXPECT_EQUAL(put_by(cache, key, 2, &token), CACHE_OK);
    cache_end_computing(cache, &key);
    EXPECT(has(cache, key, 2, LENGTH));
}

/* A process that missed the value just before does not wait for the owner, which keeps its claim for some time. A
 * process that cannot use the value does. */
static void fresh_value(void) {
    struct cache *cache = open_cache(8), *other = open_cache(8);
    const struct cache_key key = key_of("a");
    struct cache_token token, seen;
    struct cache_value value;
    uint64_t useless;
    EXPECT_EQUAL(begin(cache, "a", &token), CACHE_CLAIMED_MISSING);
    EXPECT_EQUAL(put_by(cache, key, 1, &token), CACHE_OK);
    EXPECT_EQUAL(begin(other, "a", &seen), CACHE_CLAIMED_BY_OTHER);
    EXPECT_EQUAL(await_computed(other, "a", &seen), CACHE_AWAITED_CHANGE);
    EXPECT(cache_find_token(other, &key, CACHE_ZERO_COPY, &value, &useless));
    EXPECT_EQUAL(cache_claim_to_compute(other, &key, cache_now() + HOUR, &useless, &seen), CACHE_CLAIMED_BY_OTHER);
    EXPECT(seen.is_there && seen.number == useless);
    EXPECT_EQUAL(await_computed(other, "a", &seen), CACHE_AWAITED_NOTHING_YET);
    end(cache, "a");
    EXPECT_EQUAL(await_computed(other, "a", &seen), CACHE_AWAITED_CHANGE);
    end_request(other);
    expect_nothing_left(cache);
}

/* The end of a computation that stored nothing ends the waiting. That also holds for processes that go on to wait
 * for the next computation. Any of them may store. */
static void nothing_stored(void) {
    struct cache *cache = open_cache(8), *other = open_cache(8), *third = open_cache(8);
    const struct cache_key key = key_of("a");
    struct cache_token token, next, seen, last;
    EXPECT_EQUAL(begin(cache, "a", &token), CACHE_CLAIMED_MISSING);
    end(cache, "a");
    EXPECT(!is_there(cache, key));
    EXPECT_EQUAL(await_computed(other, "a", &token), CACHE_AWAITED_NOTHING);
    EXPECT_EQUAL(begin(cache, "a", &next), CACHE_CLAIMED_MISSING);
    EXPECT(next.number != token.number);
    EXPECT_EQUAL(await_computed(other, "a", &token), CACHE_AWAITED_NOTHING);
    EXPECT_EQUAL(begin(third, "a", &seen), CACHE_CLAIMED_BY_OTHER); /* it came later, and waits */
    EXPECT_EQUAL(await_computed(third, "a", &seen), CACHE_AWAITED_NOTHING_YET);
    EXPECT_EQUAL(put_by(other, key, 2, &token), CACHE_OK);
    EXPECT_EQUAL(await_computed(third, "a", &seen), CACHE_AWAITED_CHANGE);
    EXPECT_EQUAL(put_by(cache, key, 1, &next), CACHE_DIFFERENT);
    end(cache, "a");
    EXPECT(has(cache, key, 2, LENGTH));

    cache_delete(cache, &key);
    EXPECT_EQUAL(begin(cache, "a", &token), CACHE_CLAIMED_MISSING);
    cache_delete(cache, &key);
    end(cache, "a");
    EXPECT_EQUAL(await_computed(other, "a", &token), CACHE_AWAITED_CHANGE); /* the key is to be computed again */
    EXPECT_EQUAL(begin(cache, "a", &last), CACHE_CLAIMED_MISSING);
    const struct cache_token no = {true, 0};
    EXPECT(put_by(cache, key, 3, &no) == CACHE_DIFFERENT || last.number == 0);
    end(cache, "a");
    expect_nothing_left(cache);
}

static struct cache *computing;

static void end_the_owners(void) {
    at_no_failpoint();
    end(computing, "a");
}

/* A waiting process notices the end also if it happens during its look. */
static void ended_while_looking(void) {
    struct cache *cache = open_cache(8);
    struct cache_token token;
    computing = open_cache(8);
    EXPECT_EQUAL(begin(computing, "a", &token), CACHE_CLAIMED_MISSING);
    at_failpoint("computing_seen", 1, end_the_owners);
    EXPECT_EQUAL(await_all(cache, "a", &token), CACHE_AWAITED_NOTHING);
    expect_nothing_left(cache);
}

/* A placeholder that is moved keeps its token. */
static void moved(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a"), filler = key_of("b");
    struct cache_token token, again;
    struct found found;
    EXPECT_EQUAL(begin(cache, "a", &token), CACHE_CLAIMED_MISSING);
    struct record_shared *record = attached_record(cache);
    const struct place place = index_place(cache, &key);
    EXPECT(index_find_announced(cache, record, &place, &key, &found));
    clear_copying(record);
    const uint64_t location = slot_location(found.word);
    for (size_t i = 0; i < 200; i++) { /* dead, so that the page is compacted */
        EXPECT_EQUAL(put(cache, filler, i, 1000), CACHE_OK);
    }
    EXPECT(reclaim_page(cache, record, found.page, RECLAIM_GENTLY));
    EXPECT(slot_location(word_load(found.slot)) != location);
    EXPECT_EQUAL(begin(cache, "a", &again), CACHE_CLAIMED_BEFORE);
    EXPECT(again.number == token.number);
    EXPECT_EQUAL(put_by(cache, key, 1, &token), CACHE_OK);
    end(cache, "a");
    expect_nothing_left(cache);
}

/* ---- Ends ---- */

static void hold_on(void) {
    for (;;) {
        pause();
    }
}

static void claim_and_hold(void *argument) {
    struct cache *cache = open_cache(8);
    struct cache_token token;
    EXPECT_EQUAL(begin(cache, "a", &token), CACHE_CLAIMED_MISSING);
    if (argument) {
        cache_request_end(cache, false);
    }
    atomic_store(&board->number[1], (long)token.number);
    reached(0, 1);
    hold_on();
}

/* The owner dies, or its request ends: the next process takes over, with the same placeholder. */
static void owner_is_gone(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    for (unsigned i = 0; i < 2; i++) {
        struct cache_token token, taken;
        atomic_store(&board->number[0], 0);
        const pid_t owner = start(claim_and_hold, i ? "ends its request" : NULL);
        await(0, 1);
        if (i == 0) {
            EXPECT_EQUAL(begin(cache, "a", &token), CACHE_CLAIMED_BY_OTHER);
            EXPECT_EQUAL(await_computed(cache, "a", &token), CACHE_AWAITED_NOTHING_YET);
            kill_and_wait(owner);
            EXPECT_EQUAL(await_all(cache, "a", &token), CACHE_AWAITED_CHANGE);
            EXPECT_EQUAL((long)token.number, atomic_load(&board->number[1]));
        }
        EXPECT_EQUAL(begin(cache, "a", &taken), CACHE_CLAIMED_MISSING);
        EXPECT_EQUAL((long)taken.number, atomic_load(&board->number[1]));
        EXPECT_EQUAL(put_by(cache, key, 1, &taken), CACHE_OK);
        end(cache, "a");
        if (i == 1) {
            kill_and_wait(owner);
        }
        cache_delete(cache, &key);
    }
    expect_nothing_left(cache);
}

static struct cache *parents;
static struct cache_token parents_token;

static void end_as_child(void *argument) {
    (void)argument;
    struct cache_token token;
    end(parents, "a");
    EXPECT_EQUAL(begin(parents, "a", &token), CACHE_CLAIMED_BY_OTHER);
    EXPECT(token.is_there && token.number == parents_token.number);
    EXPECT_EQUAL(await_computed(parents, "a", &token), CACHE_AWAITED_NOTHING_YET);
    cache_request_end(parents, false);
}

static void fork_ends_nothing(void) {
    parents = open_cache(8);
    struct cache_token token;
    EXPECT_EQUAL(begin(parents, "a", &parents_token), CACHE_CLAIMED_MISSING);
    finish(start_fork(end_as_child, NULL));
    EXPECT_EQUAL(begin(parents, "a", &token), CACHE_CLAIMED_BEFORE);
    EXPECT_EQUAL(put_by(parents, key_of("a"), 1, &parents_token), CACHE_OK);
    end(parents, "a");
    EXPECT_EQUAL(begin(parents, "a", &token), CACHE_CLAIMED_VALUE);
    end(parents, "a");
}

static void full_bucket(void) {
    struct cache *cache = open_cache(8), *other = open_cache(8);
    const struct cache_key a = key_of("a");
    const uint64_t bucket = hash_mix(a.hash, cache->map.seed) % CLAIM_BUCKETS;
    for (unsigned i = 0, taken = 0; taken < CLAIM_SLOTS; i++) {
        const struct cache_key key = key_of("neighbour %u", i);
        if (hash_mix(key.hash, cache->map.seed) % CLAIM_BUCKETS == bucket) {
            EXPECT_EQUAL(cache_claim(cache, &key), CACHE_OK);
            taken++;
        }
    }
    struct cache_token token;
    EXPECT_EQUAL(begin(other, "a", &token), CACHE_CLAIMED_BY_OTHER);
    EXPECT(!token.is_there);
    EXPECT_EQUAL(await_computed(other, "a", &token), CACHE_AWAITED_NOTHING_YET);
    cache_request_end(cache, false);
    EXPECT_EQUAL(await_computed(other, "a", &token), CACHE_AWAITED_CHANGE);
    EXPECT_EQUAL(begin(other, "a", &token), CACHE_CLAIMED_MISSING);
    end(other, "a");

    for (unsigned i = 0, taken = 0; taken < CLAIM_SLOTS; i++) {
        const struct cache_key key = key_of("neighbour %u", i);
        if (hash_mix(key.hash, cache->map.seed) % CLAIM_BUCKETS == bucket) {
            EXPECT_EQUAL(cache_claim(other, &key), CACHE_OK);
            taken++;
        }
    }
    EXPECT_EQUAL(begin(other, "a", &token), CACHE_CLAIMED_BY_OTHER);
    EXPECT_EQUAL(await_computed(other, "a", &token), CACHE_AWAITED_NOTHING); /* all claims are its own */
}

/* ---- Many processes at once, some of which are killed ---- */

enum { WORKERS = 5, DEATHS = 60, SOURCE = 8, DELETED = 9, COMPUTED = 10, DONE = 11, READ = 12 }; /* on the board */

/* Stores the value that the source has at the beginning of the computation. */
static void compute_again_and_again(void *argument) {
    const bool compares = argument == NULL;
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    while (!atomic_load(&board->number[DONE])) {
        const long deleted = atomic_load(&board->number[DELETED]);
        struct cache_value value;
        if (cache_find(cache, &key, true, &value)) {
            uint64_t seed;
            memcpy(&seed, value.bytes, sizeof seed);
            if ((long)seed < deleted) {
                reached(13, 1);
            }
            atomic_fetch_add(&board->number[READ], 1);
            cache_request_end(cache, false);
            continue;
        }
        struct cache_token token;
        switch (cache_claim_to_compute(cache, &key, cache_now() + HOUR, NULL, &token)) {
            case CACHE_CLAIMED_MISSING: {
                const long source = atomic_load(&board->number[SOURCE]);
                sched_yield();
                if (source % 8 != 0) { /* otherwise it stores nothing */
                    if (!compares) {
                        put(cache, key, (uint64_t)source, LENGTH);
                    } else if (token.is_there) {
                        put_by(cache, key, (uint64_t)source, &token);
                    }
                }
                atomic_fetch_add(&board->number[COMPUTED], 1);
                cache_end_computing(cache, &key);
                break;
            }
            case CACHE_CLAIMED_BY_OTHER:
                cache_await_computed(cache, &key, &token);
                break;
            default:
                cache_end_computing(cache, &key);
        }
    }
    close_cache(cache);
}

/* Returns the number of reads that were older than a finished deletion. */
static long compute_beside_deletions(const char *argument) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    pid_t workers[WORKERS];
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i] = start(compute_again_and_again, (void *)(uintptr_t)argument);
    }
    for (long i = 1; i <= 20 * DEATHS; i++) {
        atomic_store(&board->number[SOURCE], i);
        cache_delete(cache, &key);
        atomic_store(&board->number[DELETED], i);
        await(COMPUTED, i);
        if (i % 20 == 0) {
            const unsigned number = (unsigned)(i / 20) % WORKERS;
            kill_and_wait(workers[number]);
            workers[number] = start(compute_again_and_again, (void *)(uintptr_t)argument);
        }
    }
    reached(DONE, 1);
    finish_all(workers, WORKERS);
    EXPECT(atomic_load(&board->number[READ]) > 0);
    expect_nothing_left(cache);
    return atomic_load(&board->number[13]);
}

static void later_deletions_win(void) {
    EXPECT_EQUAL(compute_beside_deletions(NULL), 0);
}
static void without_tokens(void) {
    EXPECT_EQUAL(compute_beside_deletions("carelessly"), 1);
}

static const struct test tests[] = {
    {"a placeholder counts as missing", counts_as_missing},
    {"what is stored or deleted during a computation wins", later_write_wins},
    {"the first to store wins, and the others wait", stored_once},
    {"a process waits where it has seen nothing", nothing_seen},
    {"a value stays while it is recomputed, unless it is of no use", values},
    {"without room for a placeholder a value of no use keeps its token", no_room_for_placeholder},
    {"a fresh value is not waited for, unless it is of no use", fresh_value},
    {"those who wait learn that a computation stored nothing", nothing_stored},
    {"they learn it while they look", ended_while_looking},
    {"a placeholder keeps its token when it is moved", moved},
    {"the next one takes over when the owner is gone", owner_is_gone},
    {"a fork ends nothing of its parent's", fork_ends_nothing},
    {"a process without room for its claim sleeps", full_bucket},
    {"no computed value is older than a finished deletion, whoever is killed", later_deletions_win},
    {"without tokens some are (control)", without_tokens},
    {0},
};
const struct suite suite_computing = {.name = "computing", .tests = tests};
