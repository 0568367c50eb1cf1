/* The operating system's part for Linux: open-file-description locks, mmap, CLOCK_MONOTONIC. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os.h"
#include "views.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define HUGE_PAGE (UINT64_C(2) << 20)
enum { HUGE_PAGES_AT_ONCE = 16, HUGE_MS = 200 };

static int lock_command(int description, int command, short type, off_t first, off_t count, struct flock *lock) {
    *lock = (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    return fcntl(description, command, lock);
}

bool os_lock(int description, off_t first, off_t count) {
    struct flock lock;
    return lock_command(description, F_OFD_SETLK, F_WRLCK, first, count, &lock) == 0;
}

void os_unlock(int description, off_t first, off_t count) {
    struct flock lock;
    lock_command(description, F_OFD_SETLK, F_UNLCK, first, count, &lock);
}

bool os_locked(int description, off_t byte) {
    struct flock lock;
    return lock_command(description, F_OFD_GETLK, F_WRLCK, byte, 1, &lock) != 0 || lock.l_type != F_UNLCK;
}

int os_open_again(int description, bool writable) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", description);
    return open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
}

/* Where a huge page may begin, and at an address that differs from process to process as the stack's does. A hint: if
 * something is there, the kernel chooses. */
static void *aligned_hint(void) {
    char here;
    return (void *)(UINT64_C(0x110000000000) + ((uintptr_t)&here >> 4 & 0x3fffff) * HUGE_PAGE);
}

void *os_map_desk(int description, size_t size) {
    void *at = mmap(aligned_hint(), size, PROT_READ | PROT_WRITE, MAP_SHARED, description, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Kernels before 4.17 take the address as a hint only; the caller compares what comes back. */
void *os_map_view(int description, size_t size, uintptr_t address) {
    void *at = mmap((void *)address, size, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, description, 0);
    if (at == MAP_FAILED) {
        at = mmap(NULL, size, PROT_READ, MAP_SHARED, description, 0);
    }
    if (at == MAP_FAILED) {
        return NULL;
    }
    views_add(at, size);
    return at;
}

bool os_address_free(uintptr_t address, size_t size) {
    void *at = mmap((void *)address, size, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED) {
        return false;
    }
    munmap(at, size);
    return at == (void *)address;
}

void os_unmap(void *address, size_t size) {
    views_remove(address);
    munmap(address, size);
}

/* Large steps, for each call waits for all processors. A huge page of which nothing is there yet is refused, so each
 * gets its first byte. */
void os_prefer_huge(int description, size_t size) {
    char *at = ftruncate(description, (off_t)size) == 0 ? os_map_desk(description, size) : NULL;
    const uint64_t begun = os_milliseconds();
    size_t done = 0, step = 0;
    while (at && size - done >= HUGE_PAGE && os_milliseconds() - begun < HUGE_MS) {
        for (step = 0; step < HUGE_PAGES_AT_ONCE * HUGE_PAGE && size - done - step >= HUGE_PAGE;
             step += HUGE_PAGE) {
            if (pwrite(description, "", 1, (off_t)(done + step)) != 1) {
                break;
            }
        }
        if (step == 0 || madvise(at + done, step, MADV_COLLAPSE) != 0) {
            break;
        }
        done += step;
    }
    if (at) {
        munmap(at, size);
    }
}

int os_fill(int description, size_t size) {
    return posix_fallocate(description, 0, (off_t)size);
}

uint64_t os_space(int directory) {
    struct statvfs space;
    if (fstatvfs(directory, &space) != 0) {
        return 0;
    }
    /* A tmpfs without a size limit tells no blocks at all. */
    return space.f_blocks ? (uint64_t)space.f_bavail * space.f_frsize : UINT64_MAX;
}

size_t os_page_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *os_page_wiped_on_fork(void) {
    void *page = mmap(NULL, os_page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return NULL;
    }
    if (madvise(page, os_page_size(), MADV_WIPEONFORK) != 0) {
        munmap(page, os_page_size());
        return NULL;
    }
    return page;
}

void os_boot_id(char *id, size_t size) {
    memset(id, 0, size);
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    if (read(file, id, size - 1) < 0) {
        id[0] = '\0';
    }
    close(file);
}

bool os_random(void *bytes, size_t size) {
    return getrandom(bytes, size, 0) == (ssize_t)size;
}

static uint64_t clock_read(clockid_t clock, uint64_t divisor) {
    struct timespec time;
    clock_gettime(clock, &time);
    return ((uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec) / divisor;
}

uint64_t os_milliseconds(void) {
    return clock_read(CLOCK_MONOTONIC_COARSE, 1000000);
}

uint64_t os_nanoseconds(void) {
    return clock_read(CLOCK_MONOTONIC, 1);
}

void os_yield(void) {
    sched_yield();
}
