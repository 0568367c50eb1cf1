#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "atomic.h"
#include "os.h"

enum { WORDS = 1 << 14, PAGEMAP = 1 << 12, LINES = 1 << 13 };

/* Most bytes of mappings that are examined. Without a pagemap all of them are read, so the limit is lower. */
#define MAPPED_MAX (UINT64_C(64) << 30)
#define MAPPED_MAX_UNKNOWN (UINT64_C(1) << 30)

/* Looking a page up in the pagemap takes 12 ns, reading it 1 us. */
enum { LOOKED_UP_PART = 64 };

/* Bits of pagemap's entries; see Documentation/admin-guide/mm/pagemap.rst. */
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)
#define PAGE_OF_FILE (UINT64_C(1) << 61)

/* Static, since the stack may be a fiber's small one. Guarded by process_lock(). */
static struct {
    uint64_t words[WORDS];
    uint64_t pagemap[PAGEMAP];
    char lines[LINES];
} buffer;

#ifdef LARDER_UNREADABLE
unsigned scan_omitted;
#endif

struct mapping {
    uintptr_t begin, end;
    char access[5];
    uint64_t inode; /* 0: anonymous */
    const char *name;
};

struct range {
    uintptr_t begin, end;
};

struct reading {
    struct scan *scan;
    pid_t process;
    int pagemap;        /* -1: it cannot be read, so all memory is read */
    struct range taken; /* adjacent mappings that are to be read */
    uint64_t mapped;
    uintptr_t stack; /* the end of the stack in use */
    bool stack_is_read;
    size_t page_size;
    struct range holes[2];
};

/* ---- Words --------------------------------------------------------------------------------- */

static void use(const struct scan *scan, uint64_t page) {
    if (page < scan->page_count) {
        scan->used[page >> 6] |= UINT64_C(1) << (page & 63);
    }
}

static void look(const struct scan *scan, const uint64_t *words, size_t count) {
    const uint64_t end = (uint64_t)scan->page_count << scan->page_shift;
    const uint64_t mask = (UINT64_C(1) << scan->page_shift) - 1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t offset = words[i] - scan->before - 1;
        if (UNLIKELY(offset <= end)) {
            use(scan, offset >> scan->page_shift);
            if ((offset & mask) == 0 && offset) {
                use(scan, (offset >> scan->page_shift) - 1);
            }
        }
    }
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* Skips memory that another thread has just unmapped, or that cannot be read at all. */
static bool read_all(struct reading *reading, uintptr_t begin, uintptr_t end) {
    while (begin < end) {
        const size_t wanted = end - begin < sizeof buffer.words ? end - begin : sizeof buffer.words;
        const struct iovec here = {buffer.words, wanted}, there = {(void *)begin, wanted};
        const ssize_t got = process_vm_readv(reading->process, &here, 1, &there, 1, 0);
        if (got <= 0 && errno != EFAULT) {
            return false;
        }
        if (got <= 0) {
            begin = (begin | (reading->page_size - 1)) + 1;
            continue;
        }
        look(reading->scan, buffer.words, (size_t)got / sizeof *buffer.words);
        reading->stack_is_read |= reading->stack - begin < (size_t)got;
        reading->scan->cost += (size_t)got;
        begin += (size_t)got;
    }
    return true;
}

/* Reads all but the holes, which begin and end at multiples of 8. */
static bool read_around(struct reading *reading, uintptr_t begin, uintptr_t end) {
    for (size_t i = 0; i < sizeof reading->holes / sizeof *reading->holes; i++) {
        const struct range hole = reading->holes[i];
        if (hole.begin < end && begin < hole.end) {
            return (hole.begin <= begin || read_around(reading, begin, hole.begin)) &&
                   (end <= hole.end || read_around(reading, hole.end, end));
        }
    }
    return read_all(reading, begin, end);
}

/* True if this process wrote the page: the page is in memory or swapped, and no longer the file's own. */
static bool is_written(uint64_t entry) {
    return (entry & (PAGE_PRESENT | PAGE_SWAPPED)) != 0 && (entry & PAGE_OF_FILE) == 0;
}

/* Reads the pages that were written, or all pages if that is unknown. */
static bool read_written(struct reading *reading, uintptr_t begin, uintptr_t end) {
    const size_t size = reading->page_size;
    uintptr_t at = begin & ~(size - 1);
    while (at < end) {
        const size_t left = (end - at) / size, pages = left < PAGEMAP ? left : PAGEMAP;
        const size_t bytes = pages * sizeof *buffer.pagemap;
        if (reading->pagemap < 0 || pread(reading->pagemap, buffer.pagemap, bytes,
                                          (off_t)(at / size * sizeof *buffer.pagemap)) != (ssize_t)bytes) {
            return read_around(reading, at < begin ? begin : at, end);
        }
        for (size_t first = 0, last; first < pages; first = last) {
            const bool written = is_written(buffer.pagemap[first]);
            for (last = first + 1; last < pages && is_written(buffer.pagemap[last]) == written;) {
                last++;
            }
            const uintptr_t from = at + first * size;
            if (written && !read_around(reading, from < begin ? begin : from, at + last * size)) {
                return false;
            }
        }
        at += pages * size;
    }
    return true;
}

/* ---- Mappings ------------------------------------------------------------------------------ */

static bool parse(const char *line, struct mapping *mapping) {
    int name = 0;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %" SCNu64 " %n", &mapping->begin, &mapping->end,
               mapping->access, &mapping->inode, &name) != 4) {
        return false;
    }
    mapping->name = line + name;
    return true;
}

#ifdef LARDER_UNREADABLE
static unsigned kind_of(const struct mapping *mapping) {
    const bool is_anonymous = mapping->inode == 0 && *mapping->name == '\0';
    return is_anonymous ? SCAN_ANONYMOUS : strcmp(mapping->name, "[heap]") == 0 ? SCAN_HEAP : 0;
}
#endif

/* True if the mapping belongs to this process alone, which may have written it. The kernel's own mappings ([vdso],
 * [vvar]) do not count. */
static bool is_own(const struct reading *reading, const struct mapping *mapping) {
#ifdef LARDER_UNREADABLE
    if (scan_omitted & kind_of(mapping)) {
        return false;
    }
#endif
    const bool may_be_written =
        mapping->access[1] == 'w' || mapping->inode == 0 || reading->pagemap >= 0; /* or read-only since */
    return mapping->access[0] == 'r' && mapping->access[3] == 'p' && may_be_written &&
           strncmp(mapping->name, "[v", 2) != 0;
}

#ifdef __SANITIZE_ADDRESS__
void __asan_get_shadow_mapping(size_t *scale, size_t *offset);

/* AddressSanitizer's bytes about other memory are not values. It maps parts of its shadow again, so the shadow is
 * not one large mapping. */
static bool is_shadow(const struct mapping *mapping) {
    size_t scale, offset;
    __asan_get_shadow_mapping(&scale, &offset);
    return mapping->end > offset && mapping->begin < offset + ((UINT64_C(1) << 47) >> scale);
}
#endif

/* Reads the mappings that were taken up. */
static bool read_taken(struct reading *reading) {
    const struct range taken = reading->taken;
    reading->taken = (struct range){0};
    reading->mapped += taken.end - taken.begin;
    reading->scan->cost += (taken.end - taken.begin) / LOOKED_UP_PART;
    return reading->mapped <= (reading->pagemap < 0 ? MAPPED_MAX_UNKNOWN : MAPPED_MAX) &&
           read_written(reading, taken.begin, taken.end);
}

/* Takes a mapping up, to be read together with its neighbours: a library has five adjacent mappings, and libraries
 * are adjacent, too. */
static bool take_up(struct reading *reading, const char *line) {
    struct mapping mapping;
    if (!parse(line, &mapping)) {
        return false;
    }
    if (!is_own(reading, &mapping)) {
        return true;
    }
    /* Nothing in use lies below the end of the main stack. For other stacks the end is unknown. */
    if (strcmp(mapping.name, "[stack]") == 0 && reading->stack - mapping.begin < mapping.end - mapping.begin) {
        mapping.begin = reading->stack;
    }
#ifdef __SANITIZE_ADDRESS__
    if (is_shadow(&mapping)) {
        return true;
    }
#endif
    if (mapping.begin != reading->taken.end && !read_taken(reading)) {
        return false;
    }
    if (reading->taken.end == 0) {
        reading->taken.begin = mapping.begin;
    }
    reading->taken.end = mapping.end;
    return true;
}

/* Reads all lines of /proc/self/maps. The kernel reports every mapping that exists from the first read to the last. */
static bool read_mappings(struct reading *reading, int maps) {
    size_t filled = 0;
    for (;;) {
        const ssize_t got = read(maps, buffer.lines + filled, sizeof buffer.lines - filled);
        if (got <= 0) {
            return got == 0 && filled == 0 && read_taken(reading);
        }
        filled += (size_t)got;
        char *line = buffer.lines, *end;
        while ((end = memchr(line, '\n', filled)) != NULL) {
            *end++ = '\0';
            if (!take_up(reading, line)) {
                return false;
            }
            filled -= (size_t)(end - line);
            line = end;
        }
        memmove(buffer.lines, line, filled);
    }
}

static struct range hole_of(const void *begin, size_t size) {
    const uintptr_t address = (uintptr_t)begin;
    return (struct range){(address + 7) & ~(uintptr_t)7, (address + size) & ~(uintptr_t)7};
}

/* If the stack was read, the mappings were this process's. (/proc shows no mappings of a process whose first thread
 * has ended.) */
static __attribute__((noinline)) bool scan_above(struct scan *scan) {
    struct reading reading = {
        .scan = scan,
        .process = getpid(),
        .stack = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7,
        .page_size = os_page_size(),
        .holes = {hole_of(&buffer, sizeof buffer), hole_of(scan->ignored, scan->ignored_size)},
    };
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps < 0) {
        return false;
    }
    reading.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    scan->cost = 0;
    const bool done = read_mappings(&reading, maps) && reading.stack_is_read;
    if (reading.pagemap >= 0) {
        close(reading.pagemap);
    }
    close(maps);
    return done;
}

bool scan_memory(struct scan *scan) {
    __builtin_unwind_init(); /* stores all registers that calls preserve in this frame */
    const bool done = scan_above(scan);
    __asm__ volatile("" ::: "memory"); /* or the call above could be a jump, after which the frame would be gone */
    return done;
}
