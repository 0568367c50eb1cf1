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
bool os_lock(int description, off_t first, off_t count); /* false: somebody else holds one of them */
void os_unlock(int description, off_t first, off_t count);
bool os_locked(int description, off_t byte); /* by another description; a hint, 1 to 4 us */

/* A new open file description of the same file; -1 on failure. Not inherited by exec. */
int os_open_again(int description, bool writable);

/*
 * Maps a file. os_map_view() maps read-only at `address` if that is free, else elsewhere. Both return
 * NULL on failure. os_address_free() tells whether `size` bytes at `address` can be mapped.
 */
void *os_map_desk(int description, size_t size);
void *os_map_view(int description, size_t size, uintptr_t address);
bool os_address_free(uintptr_t address, size_t size);
void os_unmap(void *address, size_t size);

/*
 * Asks for huge pages for a file that holds nothing yet, from its beginning on, for a fraction of a second at most: with
 * them a process that comes to the file has one page fault for 2 MiB instead of one for each 4 KiB page. As far as the
 * kernel can (Linux 6.1 and newer); where it cannot nothing is said, for nothing else changes.
 */
void os_prefer_huge(int description, size_t size);

/* Gives a file its size and the memory for it now, so that no later write can fail; 0 or an errno. */
int os_fill(int description, size_t size);
/* Bytes that the file system of a directory can still take. */
uint64_t os_space(int directory);

size_t os_page_size(void);

/* A page of private memory that is all zeros in a forked child. NULL on failure. */
void *os_page_wiped_on_fork(void);

/* Identifies this boot of the machine, zero-padded. */
void os_boot_id(char *id, size_t size);
bool os_random(void *bytes, size_t size);

/* A clock nobody can set. Coarse: ticks of 1 to 4 ms, a few ns a call. */
uint64_t os_milliseconds(void);
uint64_t os_nanoseconds(void);
void os_yield(void);

#endif
