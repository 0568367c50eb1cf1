/* The engine's interface to the operating system; os_linux.c implements it. */
#ifndef LARDER_OS_H
#define LARDER_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "atomic.h"

/* Locks on bytes of a file, held by an open file description. The kernel releases them when the process dies;
 * closing another descriptor of the file does not. None of these calls waits. A description never conflicts with
 * itself. */
bool os_lock(int fd, off_t first, off_t count); /* false: another description has one of them locked */
void os_unlock(int fd, off_t first, off_t count);

/* All of the description's locks; cheaper than a part of them. */
void os_unlock_all(int fd);
/* As os_lock(), but sleeps until the lock is free, for `nanoseconds` at most. The signal SIGRTMAX - 3 ends the
 * sleep. If the system has no timer left to send it, the call polls every 5 ms. */
bool os_lock_waiting(int fd, off_t byte, uint64_t nanoseconds);
bool os_locked(int fd, off_t byte); /* true if another description has it locked; a hint; 1 to 4 us */

/* An errno if os_lock() cannot lock any byte of the file; 0 if it can, except for locks of others. */
int os_lock_error(int fd, off_t byte);

/* openat() of a path that may name anything. -1 with errno. Never returns descriptor 0, 1 or 2: a process that has
 * closed its output would print into the segment. */
int os_open_file(int directory, const char *name, int flags);
int os_create_file(int directory, const char *name);

/* A new open file description of the same file, never 0, 1 or 2 either; -1 on failure. Not inherited by exec. */
int os_open_again(int fd, bool writable);

/* Map a file; os_map_readonly() at `address` if that is free, otherwise elsewhere. NULL on failure.
 * os_address_free() is true if `size` bytes at `address` can be mapped. */
void *os_map_writable(int fd, size_t size);
void *os_map_readonly(int fd, size_t size, uintptr_t address);
bool os_address_free(uintptr_t address, size_t size);
void os_unmap(void *address, size_t size);

/* Moves the lock of a byte, the only one of `fd`, to a mapped page. `reader` is a read-only description of the same
 * file; the caller may close it afterwards. The byte is locked all the time. The page cannot be touched, and
 * mprotect() cannot make it writable. Other code may close a descriptor by mistake, but not a mapping.
 * os_forget_lock() releases the lock, unless a forked child has inherited the page. NULL on failure: then the byte
 * is unlocked, at the latest when both descriptions are closed. */
void *os_keep_lock(int fd, int reader, off_t byte);
void os_forget_lock(void *page); /* NULL: none */

/* Gives a part of a file its memory, so that no later access can fail; its content stays. Returns 0 or an errno. */
int os_fill(int fd, uint64_t from, uint64_t bytes);
/* The same through a shared writable mapping. Later first writes there cause no page fault. False: not done, or only
 * partly; os_fill() then reports the reason. */
bool os_fill_mapped(void *at, uint64_t bytes);
/* Frees the memory of the whole system pages in a part of a file; the rest of the part becomes zeros. */
bool os_punch(int fd, uint64_t from, uint64_t bytes);

/* Replaces the small pages of a shared mapping by a huge page, for all processes that map the file: OS_HUGE_BYTES
 * from an address that is a multiple of OS_HUGE_BYTES. False: not now, or never (then *never is set). */
#define OS_HUGE_BYTES (UINT64_C(2) << 20)
bool os_make_huge(void *at, bool *never);

/* Free and total bytes of a file's file system; both UINT64_MAX / 2 without a limit. */
struct os_space {
    uint64_t free, total;
};
struct os_space os_space(int fd);

/* Bytes of memory, or disk, of a file; 0 if unknown. */
uint64_t os_memory(int fd);

/* Sets the file's modification time to now. */
void os_touch(int fd);

/* Renames a file unless the new name exists; 0 or an errno. */
int os_rename_new(int directory, const char *from, const char *to);
/* True if this process may write a file of this size (ulimit -f), past which the kernel kills it. */
bool os_may_grow(size_t size);
/* True if the directory is on a tmpfs or ramfs, whose files are only in memory. */
bool os_in_memory(int directory);

/* Sleeps while the lower half of a word in shared memory is `expected`. Ends at os_wake() of that word, at a signal,
 * or after `nanoseconds`. */
void os_wait(const shared_word *word, uint32_t expected, uint64_t nanoseconds);
/* Wakes all processes that sleep in os_wait() of the word. */
void os_wake(const shared_word *word);

size_t os_page_size(void);

/* A page of private memory that a forked child finds zeroed. NULL with errno on failure. */
void *os_page_wiped_on_fork(void);

bool os_random(void *bytes, size_t size);

/* Time since boot, including suspension. Nobody can set it; it is the same in all processes and time namespaces.
 * Ticks of 1 to 4 ms, a few ns a call. Suspensions are added by os_clock_adjust(), which takes some 60 ns and is
 * called when a process has time. Any thread. */
uint64_t os_milliseconds(void);
void os_clock_adjust(void);
/* Reads the time namespace of the process. Called once, before the others. */
void os_clock_prepare(void);

/* A clock for durations within a process. */
uint64_t os_nanoseconds(void);
void os_yield(void);

#endif
