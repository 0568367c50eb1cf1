/* How much memory the cgroups of this process still allow. At a limit the kernel kills processes, fallocate() being no
 * exception, so it has to be known before. */
#ifndef LARDER_LIMIT_H
#define LARDER_LIMIT_H

#include <stdint.h>

/* A memory limit and what is left of it, in bytes; both UINT64_MAX: none. */
struct limit {
    uint64_t limit, left;
};

/* The tightest limit among this process's cgroup and its parents, of version 2 or 1. Page cache, which the kernel
 * drops first, counts as left. Tens of microseconds. */
struct limit limit_read(void);

/* For tests: read from elsewhere than /proc/self/cgroup and /sys/fs/cgroup. */
extern const char *limit_membership, *limit_root;

#endif
