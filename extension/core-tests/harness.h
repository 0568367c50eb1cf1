/*
 * Runs tests, each in a separate process.
 *
 * A test is a function in a table. It runs in a forked child, with its own folder under /dev/shm and under a
 * watchdog. A crash, a failed EXPECT() or a timeout is a failure of that test and does not end the run. Processes
 * and files that it leaves behind are removed.
 */
#ifndef LARDER_HARNESS_H
#define LARDER_HARNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proof.h"

struct test {
    const char *name; /* statement that holds if the test passes; NULL ends a table */
    void (*run)(void);
    void (*run_with)(long); /* instead of run, called with the argument: one test of several cases */
    long argument;
};

struct suite {
    const char *name;
    const struct test *tests;
    unsigned seconds; /* time after which the watchdog ends a test; 0 for the usual time */
};

/*
 * Runs the tests whose "suite: name" contains one of the arguments; without arguments, all. Prints one line per
 * test, and finally `N passed, N failed[, N skipped]`. Returns the exit code of the program.
 */
int harness_main(int argc, char **argv, const struct suite *const suites[]);

/* The test's own folder, on a tmpfs. */
extern char test_folder[];

/* Memory that a test shares with its children: zeros at the beginning. */
struct board {
    atomic_long number[64];
};
extern struct board *board;

/* End the test's process: as failed, or as not possible on this machine. */
__attribute__((noreturn, format(printf, 3, 4))) void harness_fail(const char *file, int line, const char *format,
                                                                  ...);
__attribute__((noreturn)) void harness_skip(const char *why);

#define EXPECT(condition)                                            \
    do {                                                             \
        if (!(condition)) {                                          \
            harness_fail(__FILE__, __LINE__, "not: %s", #condition); \
        }                                                            \
    } while (0)

#define EXPECT_EQUAL(actual, expected)                                                                       \
    do {                                                                                                     \
        const long long actual_value = (long long)(actual), expected_value = (long long)(expected);          \
        if (actual_value != expected_value) {                                                                \
            harness_fail(__FILE__, __LINE__, "%s is %lld, not %lld", #actual, actual_value, expected_value); \
        }                                                                                                    \
    } while (0)

/* EMULATED: QEMU runs this, which does not keep all promises of the kernel. SLOWNESS: factor by which everything is
 * slower then, or with sanitizers. */
#if defined(LARDER_EMULATED)
enum { EMULATED = 1, SLOWNESS = 20 };
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { EMULATED = 0, SLOWNESS = 4 };
#else
enum { EMULATED = 0, SLOWNESS = 1 };
#endif

#endif
