/*
 * Finds the pages that this process still uses. It looks for pointers to them in all memory that the process has
 * written, as a conservative garbage collector does (Boehm and Weiser 1988): everything that looks like a pointer
 * counts as one. A number that happens to look like a pointer keeps a page for longer. A pointer that is missed
 * would be read after its page was reused. So this is the argument that none is missed.
 *
 * The thread that scans is inside a call of the engine and changes nothing during it. What the thread can use of a
 * page later, it reaches by an address. That address is now in one of these places:
 *
 *  1. In a register. Registers that a call preserves are written to the stack first (scan_memory()); the others are
 *     dead or saved on the stack, since a call is in progress.
 *  2. In memory that belongs to this process alone: stack, heaps, the stacks of fibers and threads, variables of
 *     programs and libraries. All of it that was ever written is read, whoever mapped it and whatever it is for.
 *  3. In memory that several processes map. Nothing is read there, which includes the segment: its values point only
 *     into themselves, to the page or run that they lie in. Other code (opcache, APCu) keeps copies of values there,
 *     not addresses in the segment. Such an address would be useless to the other processes, which have pinned
 *     nothing, and after the end of a request, when all pins go.
 *  4. In the kernel, for input or output that is in progress. The code that started it keeps the memory until it is
 *     done, and therefore has its address.
 *
 * An address is a word at a multiple of 8 that points to the value, into it, or just behind it. PHP keeps an address
 * this way in every zval, bucket, property, argument and local variable. So does C, unless a pointer is packed,
 * compressed or mangled. PHP compresses pointers only to objects that its collector of cycles counts, and tags the
 * low bits of types: the first are not values of the segment, the second still point into the page. JIT code
 * contains addresses only of constants of the script. setjmp() mangles rbp, in which compilers keep nothing over a
 * call that returns twice. A pointer that a compiler derives in a loop leads at most a few words before the value,
 * which is the entry's header, or to the value's end, which may be the next page. So an address at which a page
 * begins counts for the page before it, too.
 *
 * Other threads may run. PHP's values belong to one thread. A helper thread may use the bytes of a value, but the
 * owning thread must release the value, so its address stays in memory as long as the helper uses them. So the
 * registers of other threads need not be known. Their memory is read as it is at the time. They may unmap it during
 * the scan; so the kernel reads it for us (process_vm_readv), which fails where the process itself would be killed.
 *
 * Memory that this process cannot read at the moment is taken for unused.
 */
#ifndef LARDER_SCAN_H
#define LARDER_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan {
    uintptr_t before;    /* the address before the first page; that of the page would count as a use of it */
    unsigned page_shift; /* log2 of the bytes in a page */
    uint32_t page_count;
    const void *ignored; /* memory whose content is no longer used */
    size_t ignored_size;
    uint64_t *used; /* a bit for each page that something points to; cleared by the caller */
    uint64_t cost;  /* cost of the scan, in bytes that could have been read in the same time */
};

/* Fills `used` and `cost`. False: some memory could not be looked at (no /proc, or a filter of system calls), so
 * nothing is known. Some milliseconds, and 3 for each GiB that is mapped and was never written. The caller holds
 * process_lock(). */
bool scan_memory(struct scan *scan);

#ifdef LARDER_UNREADABLE
/* For tests: leaves out memory of these kinds. */
enum scan_kind { SCAN_HEAP = 1, SCAN_ANONYMOUS = 2 };
extern unsigned scan_omitted;
#endif

#endif
