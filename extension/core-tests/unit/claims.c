/* Claims: one process at a time has the right to compute a key. */
#include "fixture.h"
#include "claim.h"
#include "hash.h"
#include "os.h"
#include "suites.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static enum cache_result claim(struct cache *cache, const char *name) {
    const struct cache_key key = key_of("%s", name);
    return cache_claim(cache, &key);
}

static void end(struct cache *cache, const char *name) {
    const struct cache_key key = key_of("%s", name);
    cache_end_claim(cache, &key);
}

/* Claims as apcu_entry() does. */
static void claim_waiting(struct cache *cache, const struct cache_key *key) {
    enum cache_result result;
    while ((result = cache_claim(cache, key)) == CACHE_EXISTS) {
        EXPECT(cache_await_claim(cache, key));
    }
    EXPECT_EQUAL(result, CACHE_OK);
}

static unsigned bucket_of(const struct cache *cache, const struct cache_key *key) {
    return (unsigned)(hash_mix(key->hash, cache->map.seed) % CLAIM_BUCKETS);
}

/* A key in the same bucket as "a", a different one for each number. */
static struct cache_key neighbour(const struct cache *cache, unsigned number) {
    const struct cache_key a = key_of("a");
    for (unsigned i = 0;; i++) {
        const struct cache_key key = key_of("neighbour %u", i);
        if (bucket_of(cache, &key) == bucket_of(cache, &a) && number-- == 0) {
            return key;
        }
    }
}

static unsigned claims_there(const struct cache *cache) {
    unsigned count = 0;
    for (unsigned i = 0; i < CLAIMS_MAX; i++) {
        count += word_load(ref_claim(&cache->map, i)) != 0;
    }
    return count;
}

static void hold_on(void) {
    for (;;) {
        pause();
    }
}

static void claim_a(void *argument) {
    (void)argument;
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(claim(cache, "a"), CACHE_OK);
    reached(0, 1);
    hold_on();
}

/* Waits until it can claim "a". */
static void wait_for_a(void *argument) {
    (void)argument;
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    claim_waiting(cache, &key);
    reached(1, 1);
    cache_end_claim(cache, &key);
    close_cache(cache);
}

static void excludes_only_its_key(void) {
    struct cache *cache = open_cache(8);
    const pid_t owner = start(claim_a, NULL);
    await(0, 1);
    EXPECT_EQUAL(claim(cache, "a"), CACHE_EXISTS);
    end(cache, "a"); /* the claim is not its own */
    EXPECT_EQUAL(claim(cache, "a"), CACHE_EXISTS);
    EXPECT_EQUAL(put(cache, key_of("a"), 1, 100), CACHE_OK);
    EXPECT(has(cache, key_of("a"), 1, 100));
    EXPECT_EQUAL(claim(cache, "b"), CACHE_OK);
    EXPECT_EQUAL(claim(cache, "c"), CACHE_OK);
    EXPECT_EQUAL(claim(cache, "b"), CACHE_EXISTS);
    const struct cache_key b = key_of("b");
    EXPECT(!cache_await_claim(cache, &b)); /* it would wait for itself */
    end(cache, "b");
    EXPECT_EQUAL(claim(cache, "b"), CACHE_OK);
    end(cache, "c");
    end(cache, "b");
    kill_and_wait(owner);
}

/* ---- Many processes at once, some of which are killed ---- */

enum { WORKERS = 6, KEYS = 3, ROUNDS = 2000, DEATHS = 40 };
enum { OWNER_OF = 8, KILLED = 16, ROUNDS_DONE = 32, TOO_MANY = 33 }; /* on the board */

/* Expects that the previous owner has ended its claim, or was killed, which the killer reports a little later. */
static void expect_last_owner_is_gone(long owner) {
    for (unsigned i = 0; i < 5000 && owner != 0; i++) {
        for (unsigned k = 0; k < WORKERS; k++) {
            owner = atomic_load(&board->number[KILLED + k]) == owner ? 0 : owner;
        }
        if (owner != 0) {
            sleep_ms(1);
        }
    }
    EXPECT_EQUAL(owner, 0);
}

static void compute_again_and_again(void *argument) {
    (void)argument;
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; atomic_load(&board->number[ROUNDS_DONE]) < ROUNDS; i++) {
        /* keys of one bucket, so that they take each other's slots */
        const unsigned number = (i + (unsigned)getpid()) % KEYS;
        const struct cache_key key = neighbour(cache, number);
        claim_waiting(cache, &key);
        expect_last_owner_is_gone(atomic_exchange(&board->number[OWNER_OF + number], getpid()));
        sched_yield();
        atomic_store(&board->number[OWNER_OF + number], 0);
        atomic_fetch_add(&board->number[ROUNDS_DONE], 1);
        if (i % 16 == 0) {
            cache_request_end(cache, false);
        } else {
            cache_end_claim(cache, &key);
        }
    }
    close_cache(cache);
}

static void one_owner_at_a_time(void) {
    struct cache *cache = open_cache(8);
    pid_t workers[WORKERS];
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i] = start(compute_again_and_again, NULL);
    }
    for (unsigned i = 0; i < DEATHS; i++) {
        const unsigned number = i % WORKERS;
        await(ROUNDS_DONE, (long)i * ROUNDS / DEATHS);
        kill(workers[number], SIGKILL);
        atomic_store(&board->number[KILLED + number], workers[number]);
        int status; /* 0: the worker was done */
        EXPECT(waitpid(workers[number], &status, 0) == workers[number] && (status == 0 || WIFSIGNALED(status)));
        workers[number] = start(compute_again_and_again, NULL);
    }
    finish_all(workers, WORKERS);
    for (unsigned i = 0; i < KEYS; i++) {
        const struct cache_key key = neighbour(cache, i);
        claim_waiting(cache, &key);
    }
    cache_request_end(cache, false);
    EXPECT(claims_there(cache) < CLAIM_SLOTS); /* perhaps claims of dead processes */
}

/* ---- Two processes that claim a key at once ---- */

static void claim_after_a_stop(void *argument) {
    struct cache *cache = open_cache(8);
    at_failpoint("claim_slot_found", 1, stop_here);
    const enum cache_result result = claim(cache, "a");
    at_no_failpoint();
    reached(0, 1 + (long)result);
    await(1, 1);
}

/* The first process finds the second slot free, since another key has the first slot; then that claim ends. */
static void in_two_slots(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = neighbour(cache, 0);
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_OK);
    const pid_t other = start(claim_after_a_stop, NULL);
    wait_stopped(other);
    cache_end_claim(cache, &key);
    EXPECT_EQUAL(claim(cache, "a"), CACHE_OK);
    kill(other, SIGCONT);
    await(0, 1);
    EXPECT_EQUAL(atomic_load(&board->number[0]), 1 + CACHE_EXISTS);
    EXPECT_EQUAL(claims_there(cache), 1);
    reached(1, 1);
    finish(other);
}

static void in_one_slot(void) {
    struct cache *cache = open_cache(8);
    const pid_t other = start(claim_after_a_stop, NULL);
    wait_stopped(other);
    EXPECT_EQUAL(claim(cache, "a"), CACHE_OK);
    kill(other, SIGCONT);
    await(0, 1);
    EXPECT_EQUAL(atomic_load(&board->number[0]), 1 + CACHE_EXISTS);
    reached(1, 1);
    finish(other);
    end(cache, "a");
    EXPECT_EQUAL(claims_there(cache), 0);
}

static struct cache *first, *second;

/* The other process is about to release its claim, which is found before the owner's. */
static void look_behind_the_other(void) {
    at_no_failpoint();
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(claims_there(first), 2);
    EXPECT_EQUAL(claim_look(first, &key), CLAIMED_BY_ME);
    EXPECT(!cache_await_claim(first, &key)); /* it would wait for itself */
    reached(0, 1);
}

/* The first slot is taken while the first process claims, and then free again. */
static void claim_in_the_next_slot(void) {
    const struct cache_key key = neighbour(first, 0);
    EXPECT_EQUAL(cache_claim(first, &key), CACHE_OK);
    EXPECT_EQUAL(claim(first, "a"), CACHE_OK);
    cache_end_claim(first, &key);
    at_failpoint("claim_made", 1, look_behind_the_other);
}

static void owner_knows_it(void) {
    first = open_cache(8);
    second = open_cache(8);
    at_failpoint("claim_slot_found", 1, claim_in_the_next_slot);
    EXPECT_EQUAL(claim(second, "a"), CACHE_EXISTS);
    EXPECT_EQUAL(atomic_load(&board->number[0]), 1);
    end(first, "a");
    EXPECT_EQUAL(claims_there(first), 0);
}

/* ---- Ends ---- */

static void ends_with_the_request(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(claim(cache, "a"), CACHE_OK);
    EXPECT_EQUAL(claim(cache, "b"), CACHE_OK);
    cache_request_end(cache, true);
    EXPECT_EQUAL(claims_there(cache), 0);
    EXPECT_EQUAL(claim(cache, "a"), CACHE_OK);
    EXPECT(cache_request_begin(cache)); /* the previous request had no end */
    EXPECT_EQUAL(claims_there(cache), 0);
    end(cache, "a");
}

static void ends_with_the_attachment(void) {
    struct cache *cache = open_cache(8), *leaver = open_cache(8);
    EXPECT_EQUAL(claim(leaver, "a"), CACHE_OK);
    close_cache(leaver);
    EXPECT_EQUAL(claims_there(cache), 0);
}

static void *claim_in_thread(void *argument) {
    (void)argument;
    EXPECT_EQUAL(claim(open_cache(8), "a"), CACHE_OK);
    return NULL;
}

static void ends_with_the_thread(void) {
    struct cache *cache = open_cache(8);
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, claim_in_thread, NULL) == 0);
    pthread_join(thread, NULL);
    const struct cache_key key = key_of("a");
    claim_waiting(cache, &key);
}

static void excludes_threads(void) {
    struct cache *one = open_cache(8), *other = open_cache(8);
    EXPECT_EQUAL(claim(one, "a"), CACHE_OK);
    EXPECT_EQUAL(claim(other, "b"), CACHE_OK);
    end(other, "a");
    EXPECT_EQUAL(claim(other, "a"), CACHE_EXISTS);
    end(one, "a");
    EXPECT_EQUAL(claim(other, "a"), CACHE_OK);
}

static const char *const points[] = {"claim_slot_found", "claim_made", "claim_owner_asked", "claim_waited_for",
                                     "claim_ended"};

static void die_claiming(void *argument) {
    struct cache *owner = open_cache(8), *waiter = open_cache(8);
    const struct cache_key key = key_of("a");
    at_failpoint(argument, 1, die_here);
    claim(owner, "a");
    claim(waiter, "a");
    cache_await_claim(waiter, &key);
    end(owner, "a");
}

static void death_passes_it_on(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++) {
        finish_killed(start(die_claiming, (void *)(uintptr_t)points[i]));
        claim_waiting(cache, &key);
        cache_end_claim(cache, &key);
        EXPECT_EQUAL(claims_there(cache), 0);
    }
}

static void death_wakes(void) {
    close_cache(open_cache(8));
    const pid_t owner = start(claim_a, NULL);
    await(0, 1);
    const pid_t waiter = start(wait_for_a, NULL);
    sleep_ms(50);
    EXPECT_EQUAL(atomic_load(&board->number[1]), 0);
    kill_and_wait(owner);
    finish(waiter);
}

/* ---- Waiting ---- */

static void stop_waiting(void *argument) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    at_failpoint(argument, 1, stop_here);
    if (cache_claim(cache, &key) == CACHE_EXISTS) {
        cache_await_claim(cache, &key);
    }
}

static void stopped_waiter(void) {
    static const char *const stops[] = {"claim_owner_asked", "claim_waited_for"};
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQUAL(claim(cache, "a"), CACHE_OK);
        const pid_t waiter = start(stop_waiting, (void *)(uintptr_t)stops[i]);
        wait_stopped(waiter);
        end(cache, "a");
        EXPECT_EQUAL(claim(cache, "a"), CACHE_OK);
        end(cache, "a");
        finish(start(wait_for_a, NULL));
        kill_and_wait(waiter);
    }
}

static void stopped_owner(void) {
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    const pid_t owner = start(claim_a, NULL);
    await(0, 1);
    kill(owner, SIGSTOP);
    wait_stopped(owner);
    for (unsigned i = 0; i < 5; i++) {
        EXPECT_EQUAL(cache_claim(cache, &key), CACHE_EXISTS);
        EXPECT(cache_await_claim(cache, &key)); /* comes back */
    }
    kill_and_wait(owner);
    claim_waiting(cache, &key);
}

static void note_waiting(void) {
    reached(2, atomic_load(&board->number[2]) + 1);
}

enum { WAITS = 10 };

static void await_each(void *argument) {
    (void)argument;
    struct cache *cache = open_cache(8);
    const struct cache_key key = key_of("a");
    for (long i = 0; i < WAITS; i++) {
        await(3, i + 1);
        at_failpoint("claim_waited_for", 1, note_waiting);
        const uint64_t begun = nanoseconds();
        EXPECT(cache_await_claim(cache, &key));
        const long took = (long)(nanoseconds() - begun);
        if (i == 0 || took < atomic_load(&board->number[4])) {
            atomic_store(&board->number[4], took);
        }
        reached(5, i + 1);
    }
}

/* Of some waits, the shortest is shorter than a wait that no process ends. */
static void end_wakes(void) {
    struct cache *cache = open_cache(8);
    const pid_t waiter = start(await_each, NULL);
    for (long i = 0; i < WAITS; i++) {
        EXPECT_EQUAL(claim(cache, "a"), CACHE_OK);
        reached(3, i + 1);
        await(2, i + 1);
        sleep_ms(2); /* the waiter sleeps by now */
        end(cache, "a");
        await(5, i + 1);
    }
    finish(waiter);
    EXPECT(atomic_load(&board->number[4]) < 9 * 1000 * 1000);
}

/* ---- No room ---- */

static void fill_bucket(void *argument) {
    (void)argument;
    struct cache *cache = open_cache(8);
    for (unsigned i = 0; i < CLAIM_SLOTS; i++) {
        const struct cache_key key = neighbour(cache, i);
        EXPECT_EQUAL(cache_claim(cache, &key), CACHE_OK);
    }
    reached(6, 1);
    await(7, 1);
    const struct cache_key key = neighbour(cache, 5);
    cache_end_claim(cache, &key);
    hold_on();
}

static void full_bucket(void) {
    struct cache *cache = open_cache(8);
    const pid_t owner = start(fill_bucket, NULL);
    await(6, 1);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_EXISTS);
    EXPECT(cache_await_claim(cache, &key));
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_EXISTS);
    reached(7, 1);
    claim_waiting(cache, &key);
    const struct cache_key next = neighbour(cache, 5);
    EXPECT_EQUAL(cache_claim(cache, &next), CACHE_EXISTS);
    kill_and_wait(owner);
    claim_waiting(cache, &next);
}

static void reach_the_end(void) {
    reached(0, 1);
}

/* A process waits for another process's claim, never for its own. */
static void full_of_own(void) {
    struct cache *cache = open_cache(8), *other = open_cache(8);
    const struct cache_key key = key_of("a"), last = neighbour(cache, CLAIM_SLOTS - 1);
    for (unsigned i = 0; i + 1 < CLAIM_SLOTS; i++) {
        const struct cache_key own = neighbour(cache, i);
        EXPECT_EQUAL(cache_claim(cache, &own), CACHE_OK);
    }
    EXPECT(cache->number % CLAIM_SLOTS < CLAIM_SLOTS - 1); /* or this would show nothing */
    EXPECT_EQUAL(cache_claim(other, &last), CACHE_OK);
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_EXISTS);
    at_failpoint("claim_waited_for", 1, reach_the_end);
    EXPECT(cache_await_claim(cache, &key));
    EXPECT_EQUAL(atomic_load(&board->number[0]), 1);
    cache_end_claim(other, &last);
    EXPECT_EQUAL(cache_claim(cache, &last), CACHE_OK);
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_EXISTS);
    EXPECT(!cache_await_claim(cache, &key));
}

/* ---- Forks ---- */

static struct cache *parents;

static void does_not_have_it(void *argument) {
    (void)argument;
    const struct cache_key key = key_of("a");
    cache_end_claim(parents, &key);
    cache_request_end(parents, false);
    EXPECT_EQUAL(cache_claim(parents, &key), CACHE_EXISTS);
    EXPECT_EQUAL(claim(parents, "b"), CACHE_OK);
    cache_end_claim(parents, &key);
    end(parents, "b");
    reached(2, 1);
    await(3, 1);
    claim_waiting(parents, &key);
}

static void fork_keeps_it(void) {
    parents = open_cache(8);
    struct cache *other = open_cache(8);
    EXPECT_EQUAL(claim(parents, "a"), CACHE_OK);
    const pid_t child = start_fork(does_not_have_it, NULL);
    await(2, 1);
    EXPECT_EQUAL(claim(other, "a"), CACHE_EXISTS); /* before the parent has another record */
    EXPECT(!is_there(parents, key_of("a")));
    sleep_ms(20);
    EXPECT_EQUAL(claim(other, "a"), CACHE_EXISTS); /* and after that */
    EXPECT_EQUAL(claim(parents, "a"), CACHE_EXISTS);
    end(parents, "a");
    EXPECT_EQUAL(claims_there(parents), 0);
    reached(3, 1);
    finish(child);
}

/* The child exits without having used the cache; the parent ends the claim before it uses anything else. */
static void does_nothing(void *argument) {
    (void)argument;
}
static void fork_may_end_it_at_once(void) {
    parents = open_cache(8);
    EXPECT_EQUAL(claim(parents, "a"), CACHE_OK);
    finish(start_fork(does_nothing, NULL));
    end(parents, "a");
    EXPECT_EQUAL(claims_there(parents), 0);
}

static void fork_and_hold(void *argument) {
    (void)argument;
    parents = open_cache(8);
    EXPECT_EQUAL(claim(parents, "a"), CACHE_OK);
    const pid_t child = fork();
    EXPECT(!is_there(parents, key_of("b"))); /* in parent and child */
    reached(child == 0 ? 10 : 11, 1);
    hold_on();
}

static void hold_on_as_child(void *argument) {
    (void)argument;
    hold_on();
}

/* A child that lives on does not keep its dead parent's claim. */
static void parents_death(void) {
    struct cache *cache = open_cache(8);
    const pid_t parent = start(fork_and_hold, NULL);
    await(10, 1);
    await(11, 1);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_EXISTS);
    kill_and_wait(parent);
    claim_waiting(cache, &key);
}

static void fork_and_wait(void *argument) {
    (void)argument;
    parents = open_cache(8);
    EXPECT_EQUAL(claim(parents, "a"), CACHE_OK);
    const pid_t child = fork();
    reached(child == 0 ? 10 : 11, 1);
    hold_on();
}

static void expect_claim_soon(struct cache *cache, const struct cache_key *key) {
    enum { TURNS = 2000 }; /* of 10 ms */
    unsigned turns = 0;
    while (cache_claim(cache, key) != CACHE_OK && turns < TURNS) {
        EXPECT(cache_await_claim(cache, key));
        turns++;
    }
    EXPECT(turns < TURNS);
}

/* A segment with a record for the parent only, which gets no other one after a fork. */
static struct cache *open_few(unsigned processes) {
    struct cache_options options = options_of(8);
    options.processes = processes;
    return open_with(&options);
}

static void ends_without_a_record(void) {
    parents = open_few(1);
    EXPECT_EQUAL(claim(parents, "a"), CACHE_OK);
    const pid_t child = start_fork(hold_on_as_child, NULL);
    EXPECT(!is_there(parents, key_of("b")));
    EXPECT(!parents->identity->record); /* or this would show nothing */
    const struct cache_key key = key_of("a");
    cache_end_computing(parents, &key);
    EXPECT_EQUAL(claims_there(parents), 0);
    kill_and_wait(child);
}

static void fork_at_the_limit(void *argument) {
    (void)argument;
    parents = open_few(2);
    EXPECT_EQUAL(claim(parents, "a"), CACHE_OK);
    const pid_t child = fork();
    reached(child == 0 ? 10 : 11, 1);
    hold_on();
}

/* The parent's record dies with it, although a child has inherited it. */
static void parents_death_at_the_limit(void) {
    struct cache *cache = open_few(2);
    const pid_t parent = start(fork_at_the_limit, NULL);
    await(10, 1);
    await(11, 1);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_EXISTS);
    kill_and_wait(parent);
    expect_claim_soon(cache, &key);
}

/* The same for a parent that waits for its child, as a callback may. */
static void parents_death_while_it_waits(void) {
    struct cache *cache = open_cache(8);
    const pid_t parent = start(fork_and_wait, NULL);
    await(10, 1);
    await(11, 1);
    const struct cache_key key = key_of("a");
    EXPECT_EQUAL(cache_claim(cache, &key), CACHE_EXISTS);
    kill_and_wait(parent);
    expect_claim_soon(cache, &key);
}

/* A fork without handlers, as by libraries that call clone() themselves. */
static void bare_fork(void) {
    struct cache *cache = open_cache(8);
    EXPECT_EQUAL(claim(cache, "a"), CACHE_OK);
    const long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        cache_request_end(cache, false);
        _exit(claim(cache, "a") == CACHE_EXISTS && claim(cache, "b") == CACHE_OK ? 0 : 1);
    }
    finish((pid_t)child);
    EXPECT_EQUAL(claim(cache, "a"), CACHE_EXISTS);
    end(cache, "a");
    EXPECT_EQUAL(claim(cache, "a"), CACHE_OK);
}

static const struct test tests[] = {
    {"a claim excludes others from its key only", excludes_only_its_key},
    {"one process at a time has a claim, whoever is killed", one_owner_at_a_time},
    {"of two that claim a key in two slots one has it", in_two_slots},
    {"of two that claim a key in one slot one has it", in_one_slot},
    {"the owner of a claim knows it while another is about to release its own", owner_knows_it},
    {"the end of a request ends its claims", ends_with_the_request},
    {"detaching ends claims", ends_with_the_attachment},
    {"the end of a thread that did not detach ends its claims", ends_with_the_thread},
    {"threads exclude each other", excludes_threads},
    {"a claim of a process killed at any point passes on", death_passes_it_on},
    {"who waits notices the owner's death", death_wakes},
    {"a stopped waiter keeps nobody waiting", stopped_waiter},
    {"a stopped owner keeps its claim, and waits are bounded", stopped_owner},
    {"the end of a claim wakes who waits", end_wakes},
    {"without room a claim waits for any other's end", full_bucket},
    {"without room a process does not wait for claims of its own", full_of_own},
    {"a fork leaves the claim to the parent", fork_keeps_it},
    {"a claim may end right after a fork", fork_may_end_it_at_once},
    {"a forked child does not keep its dead parent's claim", parents_death},
    {"nor does one that has not used the cache, nor its parent since", parents_death_while_it_waits},
    {"nor one of a parent that found no other record", parents_death_at_the_limit},
    {"a process without a record ends its claim", ends_without_a_record},
    {"a fork without handlers leaves the claim to the parent", bare_fork},
    {0},
};
const struct suite suite_claims = {.name = "claims", .tests = tests};
