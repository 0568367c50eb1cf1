/*
 * Two processes and one order of events: one is stopped between two steps, another makes the worst change, and the
 * first goes on.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach.h"
#include "fixture.h"
#include "os.h"
#include "page.h"
#include "reclaim.h"
#include "suites.h"

static uint32_t page_of(const struct cache *cache, const struct cache_value *value) {
    const uintptr_t offset = value->base - cache->map.base;
    return ref_page(&cache->map, offset >> UNIT_SHIFT);
}

/* ---- A page is freed while a reader is about to pin it ---- */

static void late_reader(void *argument) {
    struct cache *cache = open_cache(8);
    at_failpoint(argument, 1, stop_here);
    const struct cache_key key = {"read", 4, 4};
    struct cache_value value;
    const bool found = cache_find(cache, &key, true, &value);
    at_no_failpoint();
    reached(0, 1);
    await(1, 1);
    if (found && value.hold == CACHE_PINNED) {
        EXPECT(is_pattern(value.bytes, value.length, 1));
    }
}

/* Opens a cache with one value, which a reader was about to read when it stopped. */
static struct cache *open_with_reader(char *point, pid_t *reader) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"read", 4, 4};
    EXPECT_EQUAL(put(cache, key, 1, 3000), CACHE_OK);
    *reader = start(late_reader, point);
    wait_stopped(*reader);
    return cache;
}

/* The page becomes free with its old bytes still in place. Only the index word shows that. */
static void freed_before_the_pin(void) {
    pid_t child;
    struct cache *cache = open_with_reader("pin_counted", &child);
    const struct cache_key key = {"read", 4, 4};
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    EXPECT_EQUAL(cache_sweep(cache), 0);
    kill(child, SIGCONT);
    await(0, 1);
    churn(cache, 3);
    reached(1, 1);
    finish(child);
    expect_nothing_left(cache);
}

/* The page is reclaimed while its reader is between its pin and its second look: the page stays. */
static void pinned_before_the_reclaim(void) {
    pid_t child;
    struct cache *cache = open_with_reader("pin_set", &child);
    churn(cache, 3);
    kill(child, SIGCONT);
    await(0, 1);
    churn(cache, 3);
    reached(1, 1);
    finish(child);
    expect_nothing_left(cache);
}

/* The same for a reader that copies. It stops before it announces the page. If it does not notice that the page was
 * freed, it stops again before it reads from the page. */
static void stop_before_the_copy(void) {
    at_failpoint("copy_begun", 1, stop_here);
    raise(SIGSTOP);
}
static void late_copier(void *argument) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"read", 4, 4};
    EXPECT(has_copied(cache, key_of("as long"), 2, 3000)); /* the scratch memory is large enough from now on */
    at_failpoint("copy_intended", 1, stop_before_the_copy);
    struct cache_value value;
    if (cache_find(cache, &key, false, &value)) {
        EXPECT(is_pattern(value.bytes, value.length, 1));
    }
}
static void freed_before_the_copy(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"read", 4, 4};
    EXPECT_EQUAL(put(cache, key, 1, 3000), CACHE_OK);
    EXPECT_EQUAL(put(cache, key_of("as long"), 2, 3000), CACHE_OK);
    const pid_t child = start(late_copier, NULL);
    wait_stopped(child);
    EXPECT(cache_clear(cache));
    EXPECT_EQUAL(cache_sweep(cache), 0);
    kill(child, SIGCONT);
    int status;
    EXPECT(waitpid(child, &status, WUNTRACED) == child);
    if (WIFSTOPPED(status)) {
        churn(cache, 3);
        kill(child, SIGCONT);
        EXPECT(waitpid(child, &status, 0) == child);
    }
    EXPECT_EQUAL(status, 0);
    expect_nothing_left(cache);
}

/* ---- Pins are carried over a fork while another process scans the records ---- */

/* The owner of record 0 attaches first and leaves first. The owner of record 1 holds the value, forks, and carries
 * its pin over to record 0. */
static void leaver(void *argument) {
    open_cache(8);
    reached(0, 1);
    await(1, 1);
}
static void sleeper(void *argument) {
    reached(3, 1);
    await(9, 1);
}
static void carrier(void *argument) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(cache->number, 1);
    const struct cache_key key = {"held", 4, 4};
    EXPECT_EQUAL(put(cache, key, 1, 3000), CACHE_OK);
    const struct cache_value held = pinned(cache, key);
    await(2, 1);
    const pid_t child = start_fork(sleeper, NULL); /* keeps record 1 alive for now */
    await(4, 1);
    EXPECT_EQUAL(put(cache, key_of("x"), 2, 100), CACHE_OK);
    EXPECT_EQUAL(cache->number, 0);
    kill_and_wait(child);
    EXPECT_EQUAL(info_of(cache).processes, 2); /* sweeps record 1 */
    EXPECT_EQUAL(word_load(&ref_record(&cache->map, 1)->pins[0]), 0);
    reached(5, 1);
    await(6, 1);
    EXPECT(is_pattern(held.bytes, held.length, 1));
}
static void scanner(void *argument) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(cache->number, 2);
    reached(7, 1);
    await(3, 1);
    /* The page is in limbo, as after a reclaim that began before the pin. */
    const struct cache_key key = {"held", 4, 4};
    struct cache_value value;
    EXPECT(cache_find(cache, &key, false, &value));
    const uint32_t page = page_of(cache, &value);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    shared_word *state = &page_row(cache, page)->state;
    word_store(state, state_change(word_load(state), PAGE_LIMBO));
    at_failpoint("record_scanned", 1, stop_here);
    EXPECT(!reclaim_page(cache, cache->identity->record, page, RECLAIM_INSIST));
    at_no_failpoint();
    churn(cache, 3);
}

static void carried_over_during_a_scan(void) {
    const pid_t first = start(leaver, NULL);
    await(0, 1);
    const pid_t second = start(carrier, NULL);
    sleep_ms(50);
    const pid_t third = start(scanner, NULL);
    await(7, 1);
    reached(1, 1);
    finish(first);
    reached(2, 1);
    wait_stopped(third);
    reached(4, 1);
    await(5, 1);
    kill(third, SIGCONT);
    finish(third);
    reached(6, 1);
    finish(second);
}

/* ---- A page is full, closed and old while a writer has a reservation in it ---- */

static void late_writer(void *argument) {
    struct cache *cache = open_cache(8);
    at_failpoint(argument, 1, stop_here);
    const enum cache_result result = put(cache, key_of("late"), 2, 5000);
    at_no_failpoint();
    EXPECT_EQUAL(result, CACHE_OK);
    EXPECT(has(cache, key_of("late"), 2, 5000));
}

static void writer_in_an_old_page(void) {
    static const char *const points[] = {"append_announced", "append_taken", "entry_header_written",
                                         "entry_start_set"};
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 4; i++) {
        const pid_t child = start(late_writer, (void *)(uintptr_t)points[i]);
        wait_stopped(child);
        churn(cache, 4);
        kill(child, SIGCONT);
        finish(child);
        expect_sound(cache);
        churn(cache, 1);
        end_request(cache);
    }
    expect_nothing_left(cache);
}

/* ---- Two processes free one run, and a third takes its pages in between ---- */

static void free_a_run(void *argument) {
    struct cache *cache = open_cache(8);
    at_failpoint(argument, 1, stop_here);
    cache_sweep(cache);
    at_no_failpoint();
}
static void take_a_run(void *argument) {
    struct cache *cache = open_cache(8);
    at_failpoint(argument, 3, stop_here); /* with a page and a half claimed */
    EXPECT_EQUAL(put(cache, key_of("new run"), 2, 300 * KIB), CACHE_OK);
    at_no_failpoint();
    EXPECT(has(cache, key_of("new run"), 2, 300 * KIB));
    reached(0, 1);
    await(1, 1);
    EXPECT(has(cache, key_of("new run"), 2, 300 * KIB));
}
static void freed_twice(void) {
    static const char *const points[] = {"page_claimed", "page_starts_cleared", "run_member_linked",
                                         "run_page_claimed"};
    for (unsigned i = 0; i < 4; i++) {
        struct cache *cache = open_cache(8);
        const struct cache_key key = {"old run", 7, 7};
        EXPECT_EQUAL(put(cache, key, 1, 300 * KIB), CACHE_OK);
        const struct cache_value old = pinned(cache, key);
        const uint32_t page = page_of(cache, &old);
        end_request(cache);
        EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
        const pid_t slow = start(free_a_run, "limbo_member_freed");
        wait_stopped(slow);
        EXPECT_EQUAL(cache_sweep(cache), 0); /* the run is free now, and the slow process does not know that */
        word_poke(&cache->map.header->run_cursor, page);
        reached(0, 0);
        reached(1, 0);
        const pid_t taker = start(take_a_run, (void *)(uintptr_t)points[i]);
        wait_stopped(taker);
        kill(slow, SIGCONT);
        finish(slow);
        kill(taker, SIGCONT);
        await(0, 1);
        const struct cache_value taken = pinned(cache, key_of("new run"));
        EXPECT_EQUAL(page_of(cache, &taken), page); /* or this would show nothing */
        end_request(cache);
        churn(cache, 3);
        reached(1, 1);
        finish(taker);
        expect_nothing_left(cache);
        close_cache(cache);
    }
}

/* ---- An integer is counted while its page is reclaimed ---- */

/* Uses a key so often that a reclaim would move it. */
static void use_often(struct cache *cache, struct cache_key key) {
    for (unsigned i = 0; i < 4; i++) {
        EXPECT(is_there(cache, key));
    }
    end_request(cache);
}

static void late_counter(void *argument) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"n", 1, 1};
    int64_t result;
    at_failpoint(argument, 1, stop_here);
    EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
    at_no_failpoint();
    reached(0, result);
}
static void counted_during_a_reclaim(void) {
    static const char *const points[] = {"find_announced", "counted"};
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"n", 1, 1};
    for (unsigned i = 0; i < 2; i++) {
        int64_t result;
        EXPECT(cache_clear(cache));
        EXPECT_EQUAL(cache_count(cache, &key, 100, 0, &result), CACHE_OK);
        use_often(cache, key);
        const pid_t child = start(late_counter, (void *)(uintptr_t)points[i]);
        wait_stopped(child);
        churn(cache, 3);
        kill(child, SIGCONT);
        finish(child);
        EXPECT_EQUAL(atomic_load(&board->number[0]), 101);
        EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
        EXPECT_EQUAL(result, 102);
        end_request(cache);
        expect_sound(cache);
    }
    expect_nothing_left(cache);
}

/* A reclaimer is between two steps of moving an integer, or of dropping one that was never counted. It is counted
 * nevertheless, in a new entry of the counting process. */
static void late_drainer(void *argument) {
    struct cache *cache = open_cache(8);
    at_failpoint(argument, 1, stop_here);
    churn(cache, 4);
    at_no_failpoint();
}
static void reclaimed_during_a_count(void) {
    static const char *const points[] = {"move_sealed", "move_copied", "reclaim_sealed"};
    for (unsigned i = 0; i < 3; i++) {
        struct cache *cache = open_cache(8);
        const struct cache_key key = {"n", 1, 1};
        int64_t result;
        EXPECT_EQUAL(cache_store_integer(cache, &key, 100, 0, CACHE_SET, NULL), CACHE_OK);
        if (i < 2) {
            use_often(cache, key);
        }
        end_request(cache);
        const pid_t child = start(late_drainer, (void *)(uintptr_t)points[i]);
        wait_stopped(child);
        for (unsigned count = 0; count < 5; count++) {
            EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
            EXPECT_EQUAL(result, 101 + count);
        }
        EXPECT_EQUAL(cache_swap(cache, &key, 105, 200), CACHE_OK);
        kill(child, SIGCONT);
        finish(child);
        struct cache_value value;
        EXPECT(cache_find(cache, &key, true, &value));
        EXPECT_EQUAL(*(const int64_t *)value.bytes, 200);
        expect_nothing_left(cache);
        close_cache(cache);
    }
}

/* The same for a touch, and for a store with a token, which then does not find the entry that it compared. */
static void late_toucher(void *argument) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"n", 1, 1};
    at_failpoint("integer_sealed", 1, stop_here);
    EXPECT_EQUAL(cache_touch(cache, &key, cache_now() + 600000), CACHE_OK);
    at_no_failpoint();
}
static void late_storer(void *argument) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"n", 1, 1};
    struct cache_value value;
    uint64_t token;
    EXPECT(cache_find_token(cache, &key, true, &value, &token));
    at_failpoint("token_compared", 1, stop_here);
    EXPECT_EQUAL(cache_store_integer(cache, &key, 7, 0, CACHE_REPLACE, &token), CACHE_DIFFERENT);
    at_no_failpoint();
}
static void sealed_during_a_count(void) {
    static void (*const sealers[])(void *) = {late_toucher, late_storer};
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"n", 1, 1};
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQUAL(cache_store_integer(cache, &key, 100, 0, CACHE_SET, NULL), CACHE_OK);
        const pid_t child = start(sealers[i], NULL);
        wait_stopped(child);
        struct cache_value value;
        int64_t result;
        EXPECT(cache_find(cache, &key, true, &value));
        EXPECT_EQUAL(*(const int64_t *)value.bytes, 100);
        EXPECT_EQUAL(cache_count(cache, &key, 1, 0, &result), CACHE_OK);
        EXPECT_EQUAL(result, 101);
        kill(child, SIGCONT);
        finish(child);
        EXPECT(cache_find(cache, &key, true, &value));
        EXPECT_EQUAL(*(const int64_t *)value.bytes, 101);
    }
    expect_nothing_left(cache);
}

/* The next call clears what an interrupted call had announced: a touch must not depend on that announcement. */
static void late_toucher_after_a_cut(void *argument) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"n", 1, 1}, cut = key_of("cut short");
    struct cache_span span;
    EXPECT_EQUAL(put(cache, key, 1, 3000), CACHE_OK);
    EXPECT_EQUAL(cache_reserve(cache, &cut, 100, CACHE_SET, &span), CACHE_OK);
    reached(0, 1);
    await(1, 1);
    at_failpoint("append_announced", 1, stop_here);
    EXPECT_EQUAL(cache_touch(cache, &key, cache_now() + 600000), CACHE_OK);
    at_no_failpoint();
}
static void reclaimed_during_a_touch(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = {"n", 1, 1};
    const pid_t child = start(late_toucher_after_a_cut, NULL);
    await(0, 1);
    const struct cache_value value = pinned(cache, key);
    const uint32_t page = page_of(cache, &value);
    churn(cache, 1);
    end_request(cache);
    reached(1, 1);
    wait_stopped(child);
    EXPECT(!reclaim_page(cache, attached_record(cache), page, RECLAIM_INSIST));
    churn(cache, 3);
    kill(child, SIGCONT);
    finish(child);
    EXPECT(has(cache, key, 1, 3000));
    expect_nothing_left(cache);
}

/* ---- Memory is given back while a page of it is about to be kept in reserve ---- */

/* Which step the keeper's page is in: the 17th that is given back, or one near it. */
enum { FIRST_RELEASE = 13, LAST_RELEASE = 21 };

static void late_keeper(void *argument) {
    struct cache *cache = open_cache(64);
    at_failpoint("spare_intended", 1, stop_here);
    put_many(cache, "late ", 8, 30000);
    at_no_failpoint();
}
static void late_releaser(void *argument) {
    struct cache *cache = open_cache(64);
    at_failpoint("release_noted", (unsigned)(uintptr_t)argument, stop_here);
    cache_release(cache);
    at_no_failpoint();
    raise(SIGSTOP);
}

/* Counts the pages that are marked as having memory, but take some when they are filled. */
static unsigned count_holes(struct cache *cache) {
    unsigned holes = 0;
    for (uint32_t page = 0; page < cache->map.page_count; page++) {
        const size_t bytes = page_bytes(&cache->map), before = os_memory(cache->fd);
        if (ref_page_has_memory(&cache->map, page)) {
            EXPECT_EQUAL(os_fill(cache->fd, ref_location(&cache->map, page, 0) << UNIT_SHIFT, bytes), 0);
            holes += os_memory(cache->fd) > before;
        }
    }
    return holes;
}

static void kept_while_given_back(void) {
    if (EMULATED) {
        harness_skip("QEMU ignores MADV_POPULATE_WRITE");
    }
    for (unsigned i = FIRST_RELEASE; i <= LAST_RELEASE; i++) {
        struct cache *cache = open_cache(64);
        churn(cache, 1);
        EXPECT(cache_clear(cache));
        for (unsigned k = 0; k < SPARE_MAX; k++) {
            word_store(&cache->map.header->spare[k], 0);
        }
        word_store(&cache->map.header->warm, 0);
        const pid_t keeper = start(late_keeper, NULL);
        wait_stopped(keeper);
        const pid_t releaser = start(late_releaser, (void *)(uintptr_t)i);
        wait_stopped(releaser);
        kill(keeper, SIGCONT);
        finish(keeper);
        kill(releaser, SIGCONT);
        wait_stopped(releaser);
        EXPECT_EQUAL(count_holes(cache), 0);
        kill_and_wait(releaser);
        close_cache(cache);
        unlink(segment_file());
    }
}

/* A delete that has removed an entry is done. Another process that found the key absent then adds it: that stays. */
static void add_again_child(void *none) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(put_as(cache, key_of("a"), 2, 1000, 0, CACHE_ADD), CACHE_OK);
}
static void add_again(void) {
    at_no_failpoint();
    finish(start(add_again_child, NULL));
}
static void deleted_once(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(put(cache, key, 1, 1000), CACHE_OK);
    at_failpoint("index_unlinked", 1, add_again);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_OK);
    EXPECT(has(cache, key, 2, 1000));
    /* the same if the entry has expired: then the key was absent */
    EXPECT_EQUAL(put_as(cache, key, 1, 1000, cache_expiry(0.001), CACHE_SET), CACHE_OK);
    sleep_ms(20);
    at_failpoint("index_unlinked", 1, add_again);
    EXPECT_EQUAL(cache_delete(cache, &key), CACHE_ABSENT);
    EXPECT(has(cache, key, 2, 1000));
    expect_nothing_left(cache);
}

static const struct test tests[] = {
    {"a delete removes one value, not one that is added after it", deleted_once},
    {"a page that is freed before its reader's pin is not read", freed_before_the_pin},
    {"a page that is reclaimed after its reader's pin stays", pinned_before_the_reclaim},
    {"a page that is freed before its reader's announcement is not copied", freed_before_the_copy},
    {"pins that move to a new record during a scan are seen", carried_over_during_a_scan},
    {"a writer finishes in a page that others filled meanwhile", writer_in_an_old_page},
    {"a run that two processes free is not freed under a third", freed_twice},
    {"no count is lost in a page that is reclaimed", counted_during_a_reclaim},
    {"an integer that is being moved or dropped is counted", reclaimed_during_a_count},
    {"an integer that is being touched or stored over is counted", sealed_during_a_count},
    {"a page stays while a touch copies its entry after an interrupted call", reclaimed_during_a_touch},
    {"memory given back is not noted as there by a process that keeps a spare page", kept_while_given_back},
    {0},
};
const struct suite suite_races = {.name = "races", .tests = tests, .seconds = 120 * SLOWNESS};
