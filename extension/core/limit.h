/*
 * How much memory the cgroups of this process still allow. Where a limit is reached the kernel ends processes, and
 * fallocate() is no exception: so it has to be known before.
 */
#ifndef LARDER_LIMIT_H
#define LARDER_LIMIT_H

#include <stdint.h>

/* A limit of memory and what is left of it, in bytes; both UINT64_MAX where there is none. */
struct limit {
    uint64_t limit, left;
};

/*
 * The limit of which least is left, among this process's cgroup and all above it, of version 2 or version 1. What the
 * kernel would drop first, pages of files, counts as left. Tens of microseconds.
 */
struct limit limit_read(void);

/* The same from other places than /proc/self/cgroup and /sys/fs/cgroup. For tests. */
extern const char *limit_membership, *limit_root;

#endif
