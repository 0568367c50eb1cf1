/*
 * Which pages does this process still use? Looks for pointers to them in all memory that it has written, as a
 * conservative garbage collector does (Boehm and Weiser 1988): what looks like a pointer is one. A number that happens
 * to look like one keeps a page for longer; a pointer that is missed would be read after its page was reused. So this
 * is the argument that none is missed.
 *
 * The thread that scans is inside a call of the engine and changes nothing meanwhile. What it can use of a page later,
 * it reaches by an address, which is now one of these:
 *
 *  1. In a register. Those that a call preserves are written to the stack first (scan_memory()); the others are dead or
 *     saved on the stack, since a call is in progress.
 *  2. In memory that belongs to this process alone: stack, heaps, the stacks of fibers and threads, variables of
 *     programs and libraries. All of it is read that was ever written, whoever mapped it and whatever it is for.
 *  3. In memory that several processes map. Nothing is read there, which includes the segment: its values point only
 *     into themselves, to the page or run that they lie in. Others (opcache, APCu) keep copies there: an address is
 *     of no use to the other processes, which have pinned nothing, nor after the end of a request, when all pins go.
 *  4. In the kernel, for input or output that is in progress. Whoever started it keeps the memory until it is done, and
 *     for that has its address.
 *
 * An address is a word at a multiple of 8 that points to the value, into it, or just behind it. PHP keeps it so in every
 * zval, bucket, property, argument and local variable, and C keeps it so wherever it is not packed, compressed or
 * mangled. PHP compresses pointers only to what its collector of cycles counts, and tags the low bits of types: both are
 * no values, or still point into the page. JIT code contains addresses, of constants of the script only. setjmp() mangles
 * rbp, in which compilers keep nothing over a call that returns twice. What a compiler makes of a pointer in a loop
 * leads at most a few words before the value, which is its entry's header, or to its end, which may be the next page:
 * an address at which a page begins counts for the page before it, too.
 *
 * Other threads may run. PHP's values belong to one thread, and whoever takes one must release it there, for which its
 * address stays in memory, as long as a helper thread uses the bytes: the registers of others need not be known.
 * Their memory is read as it is at the time, and may be unmapped by them; so the kernel reads it for us
 * (process_vm_readv), and fails where the process itself would be killed.
 *
 * Memory that cannot be read by this process at the moment is taken for unused.
 */
#ifndef LARDER_SCAN_H
#define LARDER_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan {
    uintptr_t before;    /* the address before the first page: that of the page would be taken for a use of it */
    unsigned page_shift; /* log2 of the bytes in a page */
    uint32_t page_count;
    const void *ignored; /* memory whose content is not used any more */
    size_t ignored_size;
    uint64_t *used; /* a bit for each page that something points to; the caller clears them */
    uint64_t cost;  /* what the scan took, in bytes that could have been read instead */
};

/* Fills `used` and `cost`. False: some memory could not be looked at (no /proc, or a filter of system calls), so
 * nothing is known. Some milliseconds, and 3 for each GiB that is mapped and was never written. The caller holds
 * process_lock(). */
bool scan_memory(struct scan *scan);

#ifdef LARDER_UNREADABLE
/* For tests: leaves out what is of these kinds. */
enum scan_kind { SCAN_HEAP = 1, SCAN_ANONYMOUS = 2 };
extern unsigned scan_omitted;
#endif

#endif
