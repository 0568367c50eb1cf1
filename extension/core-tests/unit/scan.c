/* Pins of unused pages are dropped. Pins of pages with a pointer to them stay, wherever the pointer is. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fixture.h"
#include "pin.h"
#include "scan.h"
#include "suites.h"

/* ---- Where a pointer may be. This needs no cache, only addresses. ---- */

enum { PAGES = 64, SHIFT = 16, PAGE_BYTES = 1 << SHIFT };

/* Stored as its complement, so that nothing here points to a page by accident. */
static volatile uintptr_t hidden = ~(UINT64_C(0x123456) << 24);

static uint64_t used_pages[1];

static struct scan scan_of(void) {
    used_pages[0] = 0;
    return (struct scan){.before = ~hidden - 1, .page_shift = SHIFT, .page_count = PAGES, .used = used_pages};
}

/* Overwrites what earlier calls left on the stack. */
static __attribute__((noinline)) void clear_stack(void) {
#if defined(__x86_64__)
    __asm__ volatile("lea -65536(%%rsp), %%rdi\n\t"
                     "mov $8192, %%ecx\n\t"
                     "xor %%eax, %%eax\n\t"
                     "rep stosq"
                     :
                     :
                     : "rax", "rcx", "rdi", "memory", "cc");
#else
    volatile char nothing[64 * KIB];
    memset((char *)nothing, 0, sizeof nothing);
#endif
}

/*
 * With detect_stack_use_after_return, the default from GCC 13 on, AddressSanitizer puts the variables of a function
 * into separate memory, and leaves them there when the function returns: clear_stack() does not reach them. That
 * memory is private and writable, and a scan reads it like any other, so it misses no pointer there. But it also
 * finds pointers of calls that have returned, so their pages are held longer than these tests expect. So here all
 * compilers keep variables on the stack.
 */
#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_stack_use_after_return=0";
}
#endif

/* Sanitizers keep freed memory, so a few pages too many are held. */
enum { FEW = SLOWNESS == 1 ? 0 : 8 };

static void expect_held(const struct cache *cache, uint32_t least, uint32_t most) {
    EXPECT(cache->pages_held >= least);
    EXPECT(cache->pages_held <= most + FEW);
}

static unsigned found; /* pointers that kept their pages */

static bool is_used(unsigned page) {
    clear_stack();
    struct scan scan = scan_of();
    EXPECT(scan_memory(&scan));
    EXPECT(scan.cost > 0);
    return used_pages[0] >> page & 1;
}

static __attribute__((noinline)) void put_pointer(void *place, uintptr_t offset) {
    *(volatile uintptr_t *)place = ~hidden + offset;
}

/* Expects that a pointer in `place` keeps its page, and no other page. */
static void expect_found_in(void *place) {
    for (unsigned page = 1; page < PAGES; page += 20) {
        EXPECT(!is_used(page));
        put_pointer(place, page * PAGE_BYTES + 4040);
        EXPECT(is_used(page));
        found++;
        *(volatile uintptr_t *)place = 0;
        EXPECT(!is_used(page));
    }
}

static void on_the_stack(void) {
    uintptr_t local[3];
    expect_found_in(&local[1]);
}

static void in_small_blocks(void) {
    char *block = malloc(100);
    expect_found_in(block + 32);
    free(block);
}

static void in_large_blocks(void) {
    char *block = malloc(40 * MIB);
    expect_found_in(block + 24);
    expect_found_in(block + 30 * MIB + 8);
    expect_found_in((void *)((uintptr_t)(block + 40 * MIB - 8) & ~(uintptr_t)7));
    free(block);
}

static uintptr_t initialised[2] = {1, 2}, uninitialised;
static __thread uintptr_t of_thread;

static void in_variables(void) {
    expect_found_in(&initialised[1]);
    expect_found_in(&uninitialised);
    expect_found_in(&of_thread);
}

static void *map(size_t size, int protection, int flags, int fd) {
    void *at = mmap(NULL, size, protection, flags, fd, 0);
    EXPECT(at != MAP_FAILED);
    return at;
}

static void in_mappings(void) {
    char *at = map(16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    expect_found_in(at);
    expect_found_in(at + 9 * MIB);
    expect_found_in(at + 16 * MIB - 8);
    munmap(at, 16 * MIB);
}

/* Finding out that a page was never written takes time, too. */
static void looking_pages_up_has_its_price(void) {
    const size_t size = (size_t)8 << 30;
    struct scan before = scan_of(), after = scan_of();
    EXPECT(scan_memory(&before));
    void *at = map(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    EXPECT(scan_memory(&after));
    EXPECT(after.cost >= before.cost + 100 * MIB);
    EXPECT(after.cost <= before.cost + 200 * MIB); /* less than the cost of reading */
    munmap(at, size);
}

static void in_memory_made_read_only(void) {
    void *at = map(64 * KIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    put_pointer(at, 5 * PAGE_BYTES + 8);
    EXPECT(mprotect(at, 64 * KIB, PROT_READ) == 0);
    EXPECT(is_used(5));
    munmap(at, 64 * KIB);
    EXPECT(!is_used(5));
}

static void in_private_copies_of_files(void) {
    char path[300];
    snprintf(path, sizeof path, "%s/file", test_folder);
    const int fd = open(path, O_RDWR | O_CREAT, 0600);
    EXPECT(fd >= 0 && ftruncate(fd, 64 * KIB) == 0);
    char *at = map(64 * KIB, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
    expect_found_in(at + 20 * KIB);
    put_pointer(at + 40 * KIB, 7 * PAGE_BYTES + 8);
    EXPECT(mprotect(at, 64 * KIB, PROT_READ) == 0);
    EXPECT(is_used(7));
    munmap(at, 64 * KIB);
    /* pointers in shared memory keep nothing, nor do those in unchanged parts of a file */
    at = map(64 * KIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    put_pointer(at, 9 * PAGE_BYTES + 8);
    EXPECT(!is_used(9));
    close(fd);
}

static void child_looks(void *place) {
    EXPECT(is_used(5));
    *(volatile uintptr_t *)place = 0;
    EXPECT(!is_used(5));
}

/* Parent and child share the pages until one of them writes. */
static void in_memory_of_before_a_fork(void) {
    char *at = map(64 * KIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    put_pointer(at + 4096, 5 * PAGE_BYTES + 8);
    finish(start_fork(child_looks, at + 4096));
    EXPECT(is_used(5));
    munmap(at, 64 * KIB);
}

static void *wait_on_own_stack(void *argument) {
    uintptr_t local;
    *(uintptr_t **)argument = &local;
    reached(0, 1);
    await(1, 1);
    return NULL;
}

static void on_stacks_of_threads(void) {
    pthread_t thread;
    uintptr_t *place = NULL;
    EXPECT(pthread_create(&thread, NULL, wait_on_own_stack, &place) == 0);
    await(0, 1);
    expect_found_in(place);
    reached(1, 1);
    pthread_join(thread, NULL);
}

/* Maps and unmaps memory all the time, which the scan may be reading. */
static void *disturb(void *argument) {
    while (atomic_load(&board->number[0]) == 0) {
        char *at = map(4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
        for (size_t i = 0; i < 4 * MIB; i += 4096) {
            at[i] = 1;
        }
        munmap(at, 4 * MIB);
    }
    return argument;
}

static void while_another_thread_unmaps(void) {
    pthread_t thread;
    uintptr_t local = 0;
    EXPECT(pthread_create(&thread, NULL, disturb, NULL) == 0);
    for (unsigned i = 0; i < 50 / SLOWNESS; i++) {
        expect_found_in(&local);
    }
    reached(0, 1);
    pthread_join(thread, NULL);
}

/* Calls scan_memory() with pointers to pages 1, 2 and so on in registers that calls preserve, and nowhere else. */
#if defined(__x86_64__)
enum { PRESERVED = 4 };

static __attribute__((noinline)) bool scan_with_registers(struct scan *scan, uintptr_t complement) {
    uintptr_t done;
    __asm__ volatile("mov %%rsp, %%r14\n\t"
                     "sub $256, %%rsp\n\t"
                     "and $-16, %%rsp\n\t"
                     "not %[address]\n\t"
                     "lea 0x10008(%[address]), %%rbx\n\t"
                     "lea 0x20008(%[address]), %%r12\n\t"
                     "lea 0x30008(%[address]), %%r13\n\t"
                     "lea 0x40008(%[address]), %%r15\n\t"
                     "xor %[address], %[address]\n\t"
                     "call scan_memory\n\t"
                     "xor %%ebx, %%ebx\n\t"
                     "xor %%r12d, %%r12d\n\t"
                     "xor %%r13d, %%r13d\n\t"
                     "xor %%r15d, %%r15d\n\t"
                     "mov %%r14, %%rsp"
                     : "=a"(done), "+D"(scan), [address] "+S"(complement)
                     :
                     : "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
                       "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
                       "xmm13", "xmm14", "xmm15", "memory", "cc");
    return done & 1;
}
#elif defined(__aarch64__)
enum { PRESERVED = 12 };

static __attribute__((noinline)) bool scan_with_registers(struct scan *scan, uintptr_t complement) {
    register uintptr_t first __asm__("x0") = (uintptr_t)scan;
    register uintptr_t second __asm__("x1") = complement;
    __asm__ volatile("mvn x1, x1\n\t"
                     "add x1, x1, #8\n\t"
                     "add x19, x1, #0x10, lsl #12\n\t"
                     "add x20, x1, #0x20, lsl #12\n\t"
                     "add x21, x1, #0x30, lsl #12\n\t"
                     "add x22, x1, #0x40, lsl #12\n\t"
                     "add x23, x1, #0x50, lsl #12\n\t"
                     "add x24, x1, #0x60, lsl #12\n\t"
                     "add x25, x1, #0x70, lsl #12\n\t"
                     "add x26, x1, #0x80, lsl #12\n\t"
                     "add x27, x1, #0x90, lsl #12\n\t"
                     "add x28, x1, #0xa0, lsl #12\n\t"
                     "add x2, x1, #0xb0, lsl #12\n\t"
                     "fmov d8, x2\n\t"
                     "add x2, x1, #0xc0, lsl #12\n\t"
                     "fmov d15, x2\n\t"
                     "mov x1, xzr\n\t"
                     "mov x2, xzr\n\t"
                     "bl scan_memory\n\t"
                     "mov x19, xzr\n\t"
                     "mov x20, xzr\n\t"
                     "mov x21, xzr\n\t"
                     "mov x22, xzr\n\t"
                     "mov x23, xzr\n\t"
                     "mov x24, xzr\n\t"
                     "mov x25, xzr\n\t"
                     "mov x26, xzr\n\t"
                     "mov x27, xzr\n\t"
                     "mov x28, xzr\n\t"
                     "fmov d8, xzr\n\t"
                     "fmov d15, xzr"
                     : "+r"(first), "+r"(second)
                     :
                     : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
                       "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28",
                       "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",
                       "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
                       "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc");
    return first & 1;
}
#endif

static void in_registers(void) {
#if defined(__x86_64__) || defined(__aarch64__)
    clear_stack();
    struct scan scan = scan_of();
    EXPECT(scan_with_registers(&scan, hidden));
    const uint64_t expected = (UINT64_C(1) << PRESERVED) - 1;
    EXPECT_EQUAL(used_pages[0] >> 1 & (expected << 1 | 1), expected);
    found += PRESERVED;
    EXPECT(!is_used(1));
    EXPECT(!is_used(PRESERVED));
#else
    harness_skip("the test is written for x86-64 and arm64");
#endif
}

static void in_all_kinds_of_memory(void) {
    void (*const kinds[])(void) = {on_the_stack, in_small_blocks,     in_large_blocks,
                                   in_variables, in_mappings,         in_private_copies_of_files,
                                   in_registers, on_stacks_of_threads};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kinds[i]();
    }
    proof_record(
        "holding.scan", found,
        "pointers in registers, stacks, heaps, variables and mappings, for which a scan had to keep a page", 0, 0);
}

static void just_behind_a_page(void) {
    volatile uintptr_t local = 0;
    put_pointer((void *)&local, 3 * PAGE_BYTES);
    EXPECT(is_used(2) && is_used(3));
    put_pointer((void *)&local, PAGES * (uintptr_t)PAGE_BYTES);
    EXPECT(is_used(PAGES - 1) && !is_used(3));
    put_pointer((void *)&local, PAGES * (uintptr_t)PAGE_BYTES + 1);
    EXPECT(!is_used(PAGES - 1));
    put_pointer((void *)&local, (uintptr_t)-1);
    EXPECT(!is_used(0));
    put_pointer((void *)&local, 0);
    EXPECT(is_used(0));
    local = 0;
    EXPECT(!is_used(0));
}

/* If the process may not ask which pages were written, all are read. */
static void without_a_pagemap(void) {
    if (SLOWNESS > 1) {
        harness_skip("the leak sanitizer, or unit/emulated.c, needs to look into the process too");
    }
    EXPECT(prctl(PR_SET_DUMPABLE, 0) == 0 && (geteuid() != 0 || seteuid(65534) == 0));
    EXPECT(open("/proc/self/pagemap", O_RDONLY) < 0);
    uintptr_t local[2];
    expect_found_in(&local[1]);
    char *block = malloc(MIB);
    expect_found_in(block + 512 * KIB);
    free(block);
}

static void what_is_ignored(void) {
    char *block = malloc(MIB);
    put_pointer(block + 4096, PAGE_BYTES + 8);
    EXPECT(is_used(1));
    clear_stack();
    struct scan scan = scan_of();
    scan.ignored = block + 1;
    scan.ignored_size = 8 * KIB;
    EXPECT(scan_memory(&scan));
    EXPECT_EQUAL(used_pages[0], 0);
    scan.ignored_size = 4 * KIB;
    EXPECT(scan_memory(&scan));
    EXPECT_EQUAL(used_pages[0], 2);
    free(block);
}

/* ---- Pins ---- */

enum { LENGTH = 20000 };

static struct record_shared *record_of(struct cache *cache) {
    return cache->identity->record;
}

/* Fetches values "0" to "number - 1" and forgets them. */
static __attribute__((noinline)) void fetch_and_forget(struct cache *cache, unsigned number) {
    for (unsigned i = 0; i < number; i++) {
        pinned(cache, key_of("%u", i));
    }
}

static __attribute__((noinline)) const void *fetch_and_keep(struct cache *cache, unsigned number) {
    return pinned(cache, key_of("%u", number)).bytes;
}

static void unused_pins_are_dropped(void) {
    struct cache *cache = open_long_lived(16);
    put_many(cache, "", 60, LENGTH);
    fetch_and_forget(cache, 60);
    const uint32_t held = cache->pages_held;
    EXPECT(held >= 20);
    clear_stack();
    EXPECT(pin_drop_unused_now(cache, record_of(cache)));
    expect_held(cache, 0, 0);
    const struct cache_info info = info_of(cache);
    EXPECT_EQUAL(info.pages_pinned_long, cache->pages_held); /* corrected at once, although recounts are rare */
    EXPECT_EQUAL(info.scans, 1);
    EXPECT_EQUAL(info.scan_pages, held - cache->pages_held);
    EXPECT(info.scan_ns > 0);
    fetch_and_forget(cache, 60);
    EXPECT_EQUAL(cache->pages_held, held);
    close_cache(cache);
}

static void used_pins_stay(void) {
    struct cache *cache = open_long_lived(16);
    put_many(cache, "", 60, LENGTH);
    const void **kept = calloc(20, sizeof *kept);
    for (unsigned i = 0; i < 20; i++) {
        kept[i] = fetch_and_keep(cache, i * 3);
    }
    fetch_and_forget(cache, 60);
    for (unsigned left = 20; left > 0; left -= 5) {
        clear_stack();
        pin_drop_unused_now(cache, record_of(cache));
        expect_held(cache, left / 3, left);
        churn(cache, 2);
        for (unsigned i = 0; i < left; i++) {
            EXPECT(is_pattern(kept[i], LENGTH, i * 3));
        }
        for (unsigned i = 1; i <= 5; i++) {
            kept[left - i] = NULL;
        }
    }
    free(kept);
    clear_stack();
    pin_drop_unused_now(cache, record_of(cache));
    expect_held(cache, 0, 0);
    close_cache(cache);
}

/* After a replacement, the old segment stays mapped as long as something points into it, and no longer. */
static void look_again(struct cache *cache) {
    cache->looked_at = cache->release_at = 0;
    for (unsigned i = 0; i < 16; i++) {
        is_there(cache, key_of("none"));
    }
}
static const void *volatile kept_value;
static __attribute__((noinline)) void expect_kept(unsigned number) {
    EXPECT(is_pattern(kept_value, LENGTH, number));
}
static void left_segments(void) {
    struct cache *cache = open_long_lived(16);
    put_many(cache, "", 60, LENGTH);
    kept_value = fetch_and_keep(cache, 7);
    EXPECT(unlink(segment_file()) == 0);
    look_again(cache);
    EXPECT(!is_there(cache, key_of("7")));
    for (unsigned i = 0; i < 3; i++) {
        clear_stack();
        look_again(cache);
        EXPECT(cache->held != NULL);
        expect_kept(7);
    }
    EXPECT(cache->release_every > 1000); /* searches that release nothing get rarer */
    kept_value = NULL;
    for (unsigned i = 0; i < 10 && cache->held; i++) {
        clear_stack();
        look_again(cache);
    }
    EXPECT(!cache->held);
    close_cache(cache);
}

static __attribute__((noinline)) void keep_run(struct cache *cache, uintptr_t *kept) {
    *kept = (uintptr_t)pinned(cache, key_of("run")).bytes;
}

static __attribute__((noinline)) void expect_run(uintptr_t *kept) {
    EXPECT(is_pattern((const void *)(*kept - 5 * 64 * KIB), 300 * KIB, 1));
    *kept = 0;
}

/* A pointer to any page of a run keeps all of it. */
static void runs_stay_whole(void) {
    struct cache *cache = open_long_lived(16);
    put(cache, key_of("run"), 1, 300 * KIB);
    uintptr_t *kept = malloc(sizeof *kept);
    keep_run(cache, kept);
    for (unsigned i = 0; i < 5; i++) {
        clear_stack();
        pin_drop_unused_now(cache, record_of(cache));
        EXPECT(cache->pages_held >= 5);
        *kept += 64 * KIB;
    }
    churn(cache, 2);
    expect_run(kept);
    free(kept);
    clear_stack();
    pin_drop_unused_now(cache, record_of(cache));
    expect_held(cache, 0, 0);
    close_cache(cache);
}

/* A copy has the pointers of its original. */
static __attribute__((noinline)) void copy_pointer(struct cache *cache) {
    *(uintptr_t *)(void *)(cache->scratch + 8) = (uintptr_t)pinned(cache, key_of("0")).bytes;
}

static void copies_keep_nothing(void) {
    struct cache *cache = open_long_lived(16);
    put(cache, key_of("0"), 0, LENGTH);
    EXPECT(has_copied(cache, key_of("0"), 0, LENGTH));
    copy_pointer(cache);
    clear_stack();
    pin_drop_unused_now(cache, record_of(cache));
    expect_held(cache, 0, 0);
    close_cache(cache);
}

/* A loop over new values whose share is always used up copies some of them, and never for long. */
static void a_loop_does_not_copy_forever(void) {
    enum { JOBS = 20000 };
    struct cache *cache = open_long_lived(16);
    uint64_t copied = 0, in_a_row = 0, longest = 0;
    for (unsigned i = 0; i < JOBS; i++) {
        put(cache, key_of("job"), i, LENGTH);
        struct cache_value value;
        const struct cache_key key = key_of("job");
        EXPECT(cache_find(cache, &key, true, &value));
        EXPECT(is_pattern(value.bytes, LENGTH, i));
        in_a_row = value.hold == CACHE_COPIED ? in_a_row + 1 : 0;
        copied += value.hold == CACHE_COPIED;
        longest = in_a_row > longest ? in_a_row : longest;
    }
    const struct cache_info info = info_of(cache);
    EXPECT(info.scans > 10);
    EXPECT(info.pages_pinned_long <= info.pin_limit_long);
    EXPECT(longest < (UINT64_C(128) << 20) / LENGTH);
    EXPECT(SLOWNESS > 1 || copied < JOBS * 9 / 10); /* the memory of a sanitizer makes a scan expensive */
    EXPECT_EQUAL(info.refused_room, 0);
    close_cache(cache);
}

/* Pages that cannot be released cause ever fewer scans. */
static void scans_in_vain_get_rare(void) {
    enum { FETCHES = 100000 };
    struct cache *cache = open_long_lived(16);
    put_many(cache, "", 300, LENGTH);
    const void **kept = calloc(300, sizeof *kept);
    for (unsigned i = 0; i < FETCHES; i++) {
        const struct cache_key key = key_of("%u", i % 300);
        struct cache_value value;
        EXPECT(cache_find(cache, &key, true, &value));
        if (value.hold == CACHE_PINNED) {
            kept[i % 300] = value.bytes;
        }
    }
    const struct cache_info info = info_of(cache);
    EXPECT(info.scans >= 1);
    EXPECT(info.scans < 40);
    EXPECT_EQUAL(info.scan_pages, 0);
    free(kept);
    close_cache(cache);
}

static void child_drops_and_keeps(void *argument) {
    struct cache *cache = argument;
    pinned(cache, key_of("0")); /* claims a record and carries the pins over to it */
    const uint32_t held = cache->pages_held;
    clear_stack();
    pin_drop_unused_now(cache, record_of(cache));
    EXPECT(cache->pages_held < held);
    reached(0, 1);
    await(1, 1);
}

/* A child that drops its pins leaves those of its parent alone. */
static void forks_drop_their_own(void) {
    struct cache *cache = open_long_lived(16);
    put_many(cache, "", 60, LENGTH);
    const void **kept = calloc(60, sizeof *kept);
    for (unsigned i = 0; i < 60; i++) {
        kept[i] = (const void *)~(uintptr_t)fetch_and_keep(cache, i); /* hidden: pins alone keep them */
    }
    const pid_t child = start_fork(child_drops_and_keeps, cache);
    await(0, 1);
    churn(cache, 3);
    for (unsigned i = 0; i < 60; i++) {
        EXPECT(is_pattern((const void *)~(uintptr_t)kept[i], LENGTH, i));
    }
    reached(1, 1);
    finish(child);
    free(kept);
    close_cache(cache);
}

const struct suite suite_scan = {
    "scan",
    (const struct test[]){
        {"a pointer on the stack keeps a page", on_the_stack},
        {"in small blocks of malloc()", in_small_blocks},
        {"in large blocks of malloc()", in_large_blocks},
        {"in variables", in_variables},
        {"in private mappings", in_mappings},
        {"what is mapped but was never written has its price", looking_pages_up_has_its_price},
        {"in memory that is read-only since", in_memory_made_read_only},
        {"in private copies of files", in_private_copies_of_files},
        {"in memory that a fork has not written to since", in_memory_of_before_a_fork},
        {"on stacks of threads", on_stacks_of_threads},
        {"while another thread unmaps memory", while_another_thread_unmaps},
        {"in registers", in_registers},
        {"in all kinds of memory", in_all_kinds_of_memory},
        {"just behind a page", just_behind_a_page},
        {"where the pagemap cannot be read", without_a_pagemap},
        {"what is ignored keeps nothing", what_is_ignored},
        {"pins of unused pages are dropped", unused_pins_are_dropped},
        {"pins of used pages stay", used_pins_stay},
        {"runs stay whole", runs_stay_whole},
        {"copies keep nothing", copies_keep_nothing},
        {"a loop does not copy forever", a_loop_does_not_copy_forever},
        {"scans in vain get rare", scans_in_vain_get_rare},
        {"a segment that was left is unmapped when nothing points there", left_segments},
        {"forks drop their own pins", forks_drop_their_own},
        {0},
    },
};
