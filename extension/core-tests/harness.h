/*
 * Runs tests, each in a process of its own.
 *
 * A test is a function in a table. It runs in a forked child with a folder of its own under /dev/shm and
 * under a watchdog; a crash, a failed EXPECT() or too long a time is a failure of that test and not the
 * end of the run. Whatever it leaves behind (processes, files) is removed.
 */
#ifndef LARDER_HARNESS_H
#define LARDER_HARNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proof.h"

struct test {
    const char *name; /* what holds if the test passes; NULL ends a table */
    void (*run)(void);
    void (*run_with)(long); /* in place of run, with the argument: one test of several cases */
    long argument;
};

struct suite {
    const char *name;
    const struct test *tests;
    unsigned seconds; /* after which the watchdog ends a test; 0 for the usual time */
};

/*
 * Runs the tests whose "suite: name" contains one of the arguments, all if there are none. Prints a line
 * a test and at last `N passed, N failed[, N skipped]`. The exit code of the program.
 */
int harness_main(int argc, char **argv, const struct suite *const suites[]);

/* The test's own folder, on a tmpfs. */
extern char test_folder[];

/* Memory that a test shares with its children: zeros at the beginning. */
struct board {
    atomic_long number[64];
};
extern struct board *board;

/* Ends the test's process: as failed, or as not possible here. */
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

/* Whether QEMU runs this, which keeps not all of the kernel's promises; and by what factor everything is slower then, or
 * with sanitizers. */
#if defined(LARDER_EMULATED)
enum { EMULATED = 1, SLOWNESS = 20 };
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { EMULATED = 0, SLOWNESS = 4 };
#else
enum { EMULATED = 0, SLOWNESS = 1 };
#endif

#endif
