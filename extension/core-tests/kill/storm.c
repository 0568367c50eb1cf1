/*
 * The kill storm: processes that write, read, count, delete, clear and fork in a small full segment are killed and
 * stopped at random moments and at every failpoint. No value may be torn, foreign, or older than one whose store was
 * over before the fetch began. No count may be lost, and nothing may hang. The segment that killed processes leave
 * must be sound, and in the end no page may be in use.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "ledger.h"
#include "points.h"
#include "storms.h"
#include "torn/damage.h"
#include "worker.h"

enum {
    SEGMENT_MIB = 12,
    CHECK_STOPPED_EVERY = 400, /* kills */
    CHECK_DEAD_EVERY = 2500,
};

#define HANG_NS (UINT64_C(10) * 1000 * 1000 * 1000)
#define LONGEST_NS (100 * 1000 * 1000) /* of a call, besides the pauses of the machine */
#define SEED UINT64_C(88172645463325252)

unsigned long storm_kills;

static pid_t workers[WORKERS];
static struct sequence sequence = {SEED};
static unsigned long killed, started, checks;
static long killed_before[POINTS_MAX]; /* deaths at failpoints in other tests */
static pid_t watcher;                  /* the process of start_clock() */

static void start_worker(unsigned place) {
    started++;
    const pid_t pid = fork();
    if (pid == 0) {
        worker_run(place, started * 7919 + (uint64_t)storm_kills);
    }
    workers[place] = pid;
    atomic_store(&ledger->workers[place].begun_at, 0);
    atomic_store(&ledger->workers[place].pid, pid);
}

static void kill_and_fail(const char *why) {
    for (unsigned i = 0; i < WORKERS; i++) {
        kill(workers[i], SIGKILL);
    }
    harness_fail(__FILE__, __LINE__, "%s", why);
}

/* Reaps ended processes. Replaces workers if `restart` is set. */
static void reap(bool restart) {
    int status;
    for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
        if (atomic_load(&ledger->failed)) {
            kill_and_fail(ledger->failure);
        }
        for (unsigned i = 0; i < WORKERS; i++) {
            if (workers[i] != pid) {
                continue;
            }
            const bool expected = WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL
                                                      : WEXITSTATUS(status) == 0 && atomic_load(&ledger->stop);
            if (!expected) {
                fprintf(stderr, "    status %x\n", (unsigned)status);
                kill_and_fail("a worker ended otherwise than by being killed");
            }
            killed += WIFSIGNALED(status) != 0;
            workers[i] = -1;
            if (restart) {
                start_worker(i);
            }
        }
    }
}

static void expect_no_hang(void) {
    for (unsigned i = 0; i < WORKERS; i++) {
        const uint64_t begun = atomic_load(&ledger->workers[i].begun_at);
        if (begun && nanoseconds() > begun + HANG_NS) {
            kill_and_fail("a call hangs");
        }
    }
}

static void stop_for_a_moment(unsigned place) {
    atomic_fetch_add(&ledger->workers[place].stops, 1);
    kill(workers[place], SIGSTOP);
    usleep((useconds_t)draw(&sequence, 4000));
    kill(workers[place], SIGCONT);
}

/* ---- Checks ---- */

/* Runs in a separate process, so that the coordinator has no cache. */
static void check(void *argument) {
    struct cache *cache = open_cache(SEGMENT_MIB);
    expect_sound(cache);
    if (argument) {
        expect_nothing_left(cache);
    }
}

static void check_in_child(char *sweep) {
    checks++;
    finish(start(check, sweep));
}

static void signal_all(int number) {
    for (unsigned i = 0; i < WORKERS; i++) {
        atomic_fetch_add(&ledger->workers[i].stops, 1);
        kill(workers[i], number);
    }
    for (unsigned i = 0; i < GUESTS; i++) {
        const pid_t guest = atomic_load(&ledger->guests[i]);
        if (guest && kill(guest, number) != 0) {
            atomic_store(&ledger->guests[i], 0); /* the guest has ended */
        }
    }
}

static void check_stopped(void) {
    atomic_store(&ledger->paused, true);
    signal_all(SIGSTOP);
    usleep(2000);
    signal_all(SIGSTOP); /* stops guests that had just begun */
    usleep(2000);
    check_in_child(NULL);
    atomic_store(&ledger->paused, false);
    signal_all(SIGCONT);
}

static void wait_for_all(void) {
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) { /* also reaps children of workers, which are ours now */
    }
}

static void check_dead(void) {
    for (unsigned i = 0; i < WORKERS; i++) {
        kill(workers[i], SIGKILL);
        killed++;
    }
    kill(watcher, SIGKILL);
    wait_for_all();
    if (atomic_load(&ledger->failed)) {
        kill_and_fail(ledger->failure);
    }
    check_in_child(NULL);
    check_in_child("sweep");
    for (unsigned i = 0; i < WORKERS; i++) {
        start_worker(i);
    }
    watcher = start_clock();
}

/* ---- The end ---- */

static unsigned long sum(size_t offset) {
    unsigned long total = 0;
    for (unsigned i = 0; i < WORKERS; i++) {
        total += atomic_load((atomic_ulong *)(void *)((char *)&ledger->workers[i] + offset));
    }
    return total;
}

static void tell(double seconds) {
    printf("        %lu processes killed in %.0f s, %lu of them at points; %lu forks\n", killed, seconds,
           atomic_load(&ledger->died_at_points), atomic_load(&ledger->forks));
    printf("        %lu values read and proven (%lu held, %lu copied), %lu misses; calls:",
           sum(offsetof(struct place_of_work, found)), sum(offsetof(struct place_of_work, held)),
           sum(offsetof(struct place_of_work, copied)), sum(offsetof(struct place_of_work, missed)));
    for (unsigned i = 0; i < worker_call_count(); i++) {
        printf(" %s %lu", worker_call(i), sum(offsetof(struct place_of_work, done[i])));
    }
    uint64_t longest = 0;
    unsigned call = 0;
    for (unsigned i = 0; i < WORKERS; i++) {
        if (atomic_load(&ledger->workers[i].longest) > longest) {
            longest = atomic_load(&ledger->workers[i].longest);
            call = atomic_load(&ledger->workers[i].longest_call);
        }
    }
    const uint64_t pause = longest_pause();
    printf(
        "\n        longest call: %s, %.1f ms; longest pause of a process that only looks at the clock: %.1f ms\n",
        worker_call(call), (double)longest / 1e6, (double)pause / 1e6);
    const unsigned long found = sum(offsetof(struct place_of_work, found));
    EXPECT(found > killed);
    for (unsigned i = 0; i < worker_call_count(); i++) {
        EXPECT(sum(offsetof(struct place_of_work, done[i])) > 0);
    }
    EXPECT(atomic_load(&ledger->forks) > 0);
    proof_figure("of them at a marked point", "%lu", atomic_load(&ledger->died_at_points));
    unsigned enough = 0;
    for (unsigned i = 0; i < point_count(); i++) {
        enough += atomic_load(&point_counts->killed[i]) - killed_before[i] >= POINT_ENOUGH;
    }
    proof_figure("points at which 20 or more died", "%u of %u", enough, point_count());
    proof_figure("longest call of a survivor", "%s, %.1f ms", worker_call(call), (double)longest / 1e6);
    proof_figure("longest pause of a process that only looks at the clock", "%.1f ms", (double)pause / 1e6);
    proof_figure("checks that found no fault, nor a page in use after a sweep and deletion of all", "%lu", checks);
    proof_record("death.storm", killed, "processes killed at random moments, in contention and with full memory",
                 longest > pause + LONGEST_NS, SEED);
    proof_record("fork.storm", atomic_load(&ledger->forks),
                 "forks of processes that held values and were killed at random, or their children", 0, SEED);
    proof_record("death.values", found, "values read by the survivors, none torn, foreign or older", 0, SEED);
}

static void storm(void) {
    ledger_begin();
    for (unsigned i = 0; i < point_count(); i++) {
        killed_before[i] = atomic_load(&point_counts->killed[i]);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const uint64_t begun = nanoseconds();
    check_in_child(NULL);
    watcher = start_clock();
    for (unsigned i = 0; i < WORKERS; i++) {
        start_worker(i);
    }
    unsigned long next_stopped = CHECK_STOPPED_EVERY, next_dead = CHECK_DEAD_EVERY, next_line = 10000;
    while (killed < storm_kills) {
        usleep((useconds_t)draw(&sequence, 1500 * SLOWNESS));
        reap(true);
        const unsigned place = (unsigned)draw(&sequence, WORKERS);
        if (draw(&sequence, 8) == 0) {
            stop_for_a_moment(place);
        } else {
            kill(workers[place], SIGKILL);
        }
        expect_no_hang();
        if (killed >= next_stopped) {
            next_stopped = killed + CHECK_STOPPED_EVERY;
            check_stopped();
        }
        if (killed >= next_dead) {
            next_dead = killed + CHECK_DEAD_EVERY;
            check_dead();
        }
        if (killed >= next_line) {
            printf("        %lu killed, %.0f s\n", killed, (double)(nanoseconds() - begun) / 1e9);
            next_line += 10000;
        }
    }
    /* The remaining processes end regularly. */
    atomic_store(&ledger->stop, true);
    const uint64_t deadline = nanoseconds() + HANG_NS;
    for (int left = 1; left > 0;) {
        reap(false);
        left = 0;
        for (unsigned i = 0; i < WORKERS; i++) {
            left += workers[i] > 0;
        }
        if (left && nanoseconds() > deadline) {
            kill_and_fail("a worker does not end");
        }
        usleep(1000);
    }
    kill(watcher, SIGKILL);
    wait_for_all();
    check_in_child("sweep");
    tell((double)(nanoseconds() - begun) / 1e9);
}

static const struct test tests[] = {
    {"killed and stopped at random moments and at every point", storm},
    {0},
};
const struct suite suite_storm = {.name = "storm", .tests = tests, .seconds = 3600};
