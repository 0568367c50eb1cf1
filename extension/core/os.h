/*
 * What the engine asks of the operating system. One file implements it for each system: os_linux.c.
 */
#ifndef LARDER_OS_H
#define LARDER_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Locks on single bytes of a file, held by an open file description: a process that dies lets go of
 * them by the kernel's hand, and nobody else's close() takes them away. None of these waits.
 * A description never conflicts with itself.
 */
bool os_lock(int fd, off_t first, off_t count); /* false: somebody else holds one of them */
void os_unlock(int fd, off_t first, off_t count);
bool os_locked(int fd, off_t byte); /* by another description; a hint, 1 to 4 us */

/* A new open file description of the same file; -1 on failure. Not inherited by exec. */
int os_open_again(int fd, bool writable);

/*
 * Maps a file. os_map_readonly() maps read-only at `address` if that is free, else elsewhere. Both return
 * NULL on failure. os_address_free() tells whether `size` bytes at `address` can be mapped.
 */
void *os_map_writable(int fd, size_t size);
void *os_map_readonly(int fd, size_t size, uintptr_t address);
bool os_address_free(uintptr_t address, size_t size);
void os_unmap(void *address, size_t size);

/*
 * Keeps the locks of a description without a descriptor, through which a script could reach the file (php://fd/3): maps
 * a page of it that nobody may touch, and closes it. os_forget_locks() lets go of them, if no fork has inherited the
 * page. NULL if nothing can be mapped: then the description is open still.
 */
void *os_keep_locks(int fd);
void os_forget_locks(void *page);

/* Gives a part of a file its memory now, so that no later write or read can fail; what is there stays. 0 or an errno. */
int os_fill(int fd, uint64_t from, uint64_t bytes);
/* Takes the memory of a part of a file away: whole pages of the system within it; the rest of it becomes zeros. */
bool os_punch(int fd, uint64_t from, uint64_t bytes);

/* Makes one huge page of the small ones of a shared mapping, for all who map the file: OS_HUGE_BYTES from an address that
 * is a multiple of them. False: not now, or never (then *never is set). Nothing is said where the kernel cannot. */
#define OS_HUGE_BYTES (UINT64_C(2) << 20)
bool os_make_huge(void *at, bool *never);

/* What the file system of a file or directory can still take, and what it has in all, in bytes; where it has no limit
 * both are UINT64_MAX / 2. */
struct os_space {
    uint64_t free, total;
};
struct os_space os_space(int fd);

/* Bytes of memory, or disk, that a file has; 0 if that cannot be told. */
uint64_t os_memory(int fd);

/* Notes in the file itself that it was in use just now. */
void os_touch(int fd);

/* Renames a file unless there is one of the new name; 0 or an errno. */
int os_rename_new(int directory, const char *from, const char *to);
/* Whether this process may write a file of so many bytes (ulimit -f): the kernel does not refuse, it ends who tries. */
bool os_may_grow(size_t size);
/* Whether the files of a directory are in memory and nowhere else: tmpfs, ramfs. */
bool os_in_memory(int directory);

size_t os_page_size(void);

/* A page of private memory that is all zeros in a forked child. NULL on failure. */
void *os_page_wiped_on_fork(void);

bool os_random(void *bytes, size_t size);

/*
 * The time since the machine began, which nobody can set, with the time that it was suspended. The same in all processes,
 * whatever their time namespace says. Ticks of 1 to 4 ms, a few ns a call, which does not ask how long the machine was
 * suspended: os_clock_adjust() does, in some 60 ns, at moments when a process has time. Any thread.
 */
uint64_t os_milliseconds(void);
void os_clock_adjust(void);
/* Once a process, before the first of these: what its time namespace adds. */
void os_clock_prepare(void);

/* A clock for durations within a process. */
uint64_t os_nanoseconds(void);
void os_yield(void);

#endif
