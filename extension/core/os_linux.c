#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "mappings.h"
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "atomic.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef sigev_notify_thread_id /* glibc has no name for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

/* From linux/magic.h and linux/futex.h, which are in a separate package of Alpine. */
#define TMPFS_MAGIC 0x01021994
#define RAMFS_MAGIC 0x858458f6
enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1 };

enum { INTERRUPTIONS = 100 };

static int lock_command(int fd, int command, short type, off_t first, off_t count, struct flock *lock) {
    *lock = (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    return fcntl(fd, command, lock);
}

bool os_lock(int fd, off_t first, off_t count) {
    struct flock lock;
    return lock_command(fd, F_OFD_SETLK, F_WRLCK, first, count, &lock) == 0;
}

int os_lock_error(int fd, off_t byte) {
    if (os_lock(fd, byte, 1)) {
        os_unlock(fd, byte, 1);
        return 0;
    }
    return errno == EAGAIN || errno == EACCES ? 0 : errno;
}

void os_unlock(int fd, off_t first, off_t count) {
    struct flock lock;
    lock_command(fd, F_OFD_SETLK, F_UNLCK, first, count, &lock);
}

/* Unlocks the whole file: for a part of it the kernel would allocate two more locks, for what could be left on both
 * sides. */
void os_unlock_all(int fd) {
    os_unlock(fd, 0, 0);
}

static void no_action(int signal) {
    (void)signal;
}

/* Starts a timer that interrupts this thread's system calls. It fires when the time is over, and then again and
 * again, since the first signal may come before the thread sleeps. False: the system has no timer left. */
static bool start_timer(int signal, uint64_t nanoseconds, int *timer) {
    enum { AGAIN_NS = 20 * 1000 * 1000 };
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    const struct itimerspec when = {
        .it_value = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)},
        .it_interval = {0, AGAIN_NS},
    };
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, timer) != 0) {
        return false;
    }
    syscall(SYS_timer_settime, *timer, 0, &when, NULL);
    return true;
}

static bool lock_asking(int fd, off_t byte, uint64_t end) {
    const struct timespec pause = {0, 5 * 1000 * 1000};
    while (!os_lock(fd, byte, 1)) {
        if (os_nanoseconds() >= end) {
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

/* An application's own handler of the signal is restored. The default action is not: it would end the process if
 * another thread still waits. */
bool os_lock_waiting(int fd, off_t byte, uint64_t nanoseconds) {
    const int signal = SIGRTMAX - 3;
    const uint64_t end = os_nanoseconds() + nanoseconds;
    const struct sigaction action = {.sa_handler = no_action, .sa_flags = SA_ONSTACK}; /* no SA_RESTART */
    struct sigaction handler;
    sigset_t own, before;
    sigemptyset(&own);
    sigaddset(&own, signal);
    int timer;
    if (nanoseconds == 0 || sigaction(signal, &action, &handler) != 0) {
        return false;
    }
    struct flock lock;
    bool locked;
    if (start_timer(signal, nanoseconds, &timer)) {
        pthread_sigmask(SIG_UNBLOCK, &own, &before);
        do {
            locked = lock_command(fd, F_OFD_SETLKW, F_WRLCK, byte, 1, &lock) == 0;
        } while (!locked && errno == EINTR && os_nanoseconds() < end);
        syscall(SYS_timer_delete, timer);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    } else {
        locked = lock_asking(fd, byte, end);
    }
    if (handler.sa_handler != SIG_DFL) {
        sigaction(signal, &handler, NULL);
    }
    return locked;
}

bool os_locked(int fd, off_t byte) {
    struct flock lock;
    return lock_command(fd, F_OFD_GETLK, F_WRLCK, byte, 1, &lock) != 0 || lock.l_type != F_UNLCK;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half of a word is at its address");

void os_wait(const shared_word *word, uint32_t expected, uint64_t nanoseconds) {
    const struct timespec most = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    syscall(SYS_futex, word, FUTEX_WAIT, expected, &most, NULL, 0);
}

void os_wake(const shared_word *word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static int above_standard(int fd) {
    if (LIKELY(fd < 0 || fd > STDERR_FILENO)) {
        return fd;
    }
    const int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
    close(fd);
    errno = error;
    return above;
}

int os_open_file(int directory, const char *name, int flags) {
    return above_standard(openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

int os_create_file(int directory, const char *name) {
    return above_standard(openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
}

int os_open_again(int fd, bool writable) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return above_standard(open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK));
}

/* A hint for mmap(), aligned for huge pages and as random as the stack's address. If it is taken, the kernel
 * chooses. */
static void *aligned_hint(void) {
    char here;
    return (void *)(UINT64_C(0x110000000000) + ((uintptr_t)&here >> 4 & 0x3fffff) * OS_HUGE_BYTES);
}

void *os_map_writable(int fd, size_t size) {
    void *at = mmap(aligned_hint(), size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Kernels before 4.17 treat the address as a hint only; the caller compares. */
void *os_map_readonly(int fd, size_t size, uintptr_t address) {
    void *at = mmap((void *)address, size, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    if (at == MAP_FAILED) {
        at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    }
    if (at == MAP_FAILED) {
        return NULL;
    }
    mappings_add(at, size);
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
    mappings_remove(address);
    munmap(address, size);
}

void *os_keep_lock(int fd, int reader, off_t byte) {
    struct flock lock;
    void *page = MAP_FAILED;
    if (lock_command(fd, F_OFD_SETLK, F_RDLCK, byte, 1, &lock) == 0 &&
        lock_command(reader, F_OFD_SETLK, F_RDLCK, byte, 1, &lock) == 0) {
        page = mmap(NULL, os_page_size(), PROT_NONE, MAP_SHARED, reader, 0);
    }
    os_unlock_all(fd);
    return page == MAP_FAILED ? NULL : page;
}

void os_forget_lock(void *page) {
    if (page) {
        munmap(page, os_page_size());
    }
}

bool os_may_grow(size_t size) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

/* A signal during the call undoes all of it. */
int os_fill(int fd, uint64_t from, uint64_t bytes) {
    int error = EINTR;
    for (unsigned i = 0; i < INTERRUPTIONS && error == EINTR; i++) {
        error = posix_fallocate(fd, (off_t)from, (off_t)bytes);
    }
    return error;
}

/* Since Linux 5.14. Fails where a write would raise SIGBUS; memory that was taken before that stays. */
bool os_fill_mapped(void *at, uint64_t bytes) {
    return madvise(at, bytes, MADV_POPULATE_WRITE) == 0;
}

bool os_in_memory(int directory) {
    struct statfs system;
    return fstatfs(directory, &system) == 0 &&
           (system.f_type == TMPFS_MAGIC || (unsigned long)system.f_type == RAMFS_MAGIC);
}

bool os_punch(int fd, uint64_t from, uint64_t bytes) {
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)bytes) == 0;
}

bool os_make_huge(void *at, bool *never) {
    const bool made = madvise(at, OS_HUGE_BYTES, MADV_COLLAPSE) == 0;
    *never = !made && errno == EINVAL; /* Linux before 6.1 */
    return made;
}

struct os_space os_space(int fd) {
    struct statvfs space;
    if (fstatvfs(fd, &space) != 0) {
        return (struct os_space){0};
    }
    if (space.f_blocks == 0) { /* a tmpfs without a size limit */
        return (struct os_space){.free = UINT64_MAX / 2, .total = UINT64_MAX / 2};
    }
    return (struct os_space){.free = (uint64_t)space.f_bavail * space.f_frsize,
                             .total = (uint64_t)space.f_blocks * space.f_frsize};
}

uint64_t os_memory(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 ? (uint64_t)status.st_blocks * 512 : 0;
}

void os_touch(int fd) {
    futimens(fd, NULL);
}

/* By number, since musl has renameat2() only since 1.2.6. */
int os_rename_new(int directory, const char *from, const char *to) {
    return syscall(SYS_renameat2, directory, from, directory, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

size_t os_page_size(void) {
    static shared_word known; /* asked once, or each new worker would load the code of sysconf() */
    if (word_peek(&known) == 0) {
        word_poke(&known, (uint64_t)sysconf(_SC_PAGESIZE));
    }
    return (size_t)word_peek(&known);
}

void *os_page_wiped_on_fork(void) {
    void *page = mmap(NULL, os_page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return NULL;
    }
    if (madvise(page, os_page_size(), MADV_WIPEONFORK) != 0) {
        const int error = errno;
        munmap(page, os_page_size());
        errno = error;
        return NULL;
    }
    return page;
}

bool os_random(void *bytes, size_t size) {
    return getrandom(bytes, size, 0) == (ssize_t)size;
}

/* ---- Clocks: CLOCK_BOOTTIME counts suspensions but has no coarse variant. So CLOCK_MONOTONIC_COARSE is read, and
 * the difference between both is added, which changes only with a suspension. ---- */

static int64_t clock_read(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t namespace_boottime; /* added to CLOCK_BOOTTIME by this time namespace, ns */
static shared_word to_add;         /* added to CLOCK_MONOTONIC by os_milliseconds(); ms, two's complement */

enum { CLOCK_TRIES = 4, CLOCK_NEAR_NS = 200000, CLOCK_DIFFERENT_MS = 2 };

/* Repeated if the process was interrupted between the two clocks. Small differences are ignored, so that they do not
 * set the time back. */
void os_clock_adjust(void) {
    for (unsigned i = 0; i < CLOCK_TRIES; i++) {
        const int64_t before = clock_read(CLOCK_MONOTONIC), boottime = clock_read(CLOCK_BOOTTIME);
        if (clock_read(CLOCK_MONOTONIC) - before < CLOCK_NEAR_NS) {
            const int64_t add = (boottime - namespace_boottime - before) / 1000000;
            const int64_t different = add - (int64_t)word_peek(&to_add);
            if (different >= CLOCK_DIFFERENT_MS || different <= -CLOCK_DIFFERENT_MS) {
                word_poke(&to_add, (uint64_t)add);
            }
            return;
        }
    }
}

/* If the file is missing, there are no time namespaces, or no /proc. */
void os_clock_prepare(void) {
    char text[256] = "";
    const int file = open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, text, sizeof text - 1) > 0) {
            const char *line = strstr(text, "boottime");
            long long seconds, nanoseconds;
            if (line && sscanf(line, "boottime %lld %lld", &seconds, &nanoseconds) == 2) {
                namespace_boottime = seconds * 1000000000 + nanoseconds;
            }
        }
        close(file);
    }
    os_clock_adjust();
}

uint64_t os_milliseconds(void) {
    return (uint64_t)clock_read(CLOCK_MONOTONIC_COARSE) / 1000000 + word_peek(&to_add);
}

uint64_t os_nanoseconds(void) {
    return (uint64_t)clock_read(CLOCK_MONOTONIC);
}

void os_yield(void) {
    sched_yield();
}
