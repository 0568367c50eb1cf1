/* The memory that the cgroups of this process still allow. At a limit the kernel kills processes, even in
 * fallocate(), so the limit must be known before. */
#ifndef LARDER_LIMIT_H
#define LARDER_LIMIT_H

#include <stdint.h>

/* A memory limit and what is left of it, in bytes. Both are UINT64_MAX if there is none. */
struct limit {
    uint64_t limit, left;
};

/* The tightest limit among this process's cgroup and its parents, of version 2 or 1. Page cache, which the kernel
 * drops first, counts as left. Tens of microseconds. */
struct limit limit_read(void);

/* For tests: paths that replace /proc/self/cgroup and /sys/fs/cgroup. */
extern const char *limit_membership, *limit_root;

#endif
