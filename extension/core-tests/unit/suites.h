/* The suites of unit tests: each is a file of this folder or of ../torn. */
#ifndef LARDER_SUITES_H
#define LARDER_SUITES_H

#include "harness.h"

#define ALL_SUITES(SUITE) \
    SUITE(geometry)       \
    SUITE(options)        \
    SUITE(attach)         \
    SUITE(replacement)    \
    SUITE(users)          \
    SUITE(environment)    \
    SUITE(tmpfs)          \
    SUITE(memory)         \
    SUITE(values)         \
    SUITE(modes)          \
    SUITE(expiry)         \
    SUITE(freshness)      \
    SUITE(keeping)        \
    SUITE(locks)          \
    SUITE(claims)         \
    SUITE(computing)      \
    SUITE(integers)       \
    SUITE(tokens)         \
    SUITE(iterate)        \
    SUITE(eviction)       \
    SUITE(predict)        \
    SUITE(samples)        \
    SUITE(preempted)      \
    SUITE(runs)           \
    SUITE(pins)           \
    SUITE(readers)        \
    SUITE(bound)          \
    SUITE(scan)           \
    SUITE(records)        \
    SUITE(fork)           \
    SUITE(fork_points)    \
    SUITE(rivals)         \
    SUITE(contention)     \
    SUITE(races)          \
    SUITE(unavailable)    \
    SUITE(threads)        \
    SUITE(thread_lives)   \
    SUITE(failures)       \
    SUITE(torn)

#define DECLARE_SUITE(name) extern const struct suite suite_##name;
ALL_SUITES(DECLARE_SUITE)

#endif
