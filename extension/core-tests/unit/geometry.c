/* The division of a segment, without a file. */
#include <string.h>

#include "fixture.h"
#include "geometry.h"
#include "occupied.h"
#include "suites.h"

static struct header_shared plan(uint64_t size, unsigned processes) {
    struct cache_options options = options_of(8);
    options.processes = processes;
    struct header_shared header;
    memset(&header, 0, sizeof header);
    geometry_plan(&header, &options, size);
    header.base = UINT64_C(0x200000000000);
    geometry_sign(&header);
    return header;
}

static bool is_valid(const struct header_shared *header, uint64_t size) {
    return geometry_valid(header, size, geometry_layout(1));
}

/* Every table ends before the next begins, and the last page before the file ends. */
static void expect_tables_apart(const struct header_shared *header) {
    struct map map = {.writable = (char *)(uintptr_t)0x1000000, .readonly = (char *)(uintptr_t)0x1000000};
    geometry_map(&map, header);
    const char *const ends[] = {
        (char *)(map.header + 1),
        (char *)(map.steps + map.sample_step / STEPS_A_WORD + 1),
        (char *)(map.pages + map.page_count),
        (char *)(map.populations[1] + map.pin_words),
        (char *)(map.occupied + occupied_words(map.bucket_count)),
        map.records + map.record_count * map.record_size,
        (char *)(map.samples + map.sample_words),
        (char *)(map.buckets + map.bucket_count),
        (char *)ref_starts(&map, map.page_count),
    };
    const char *const begins[] = {
        (char *)map.steps,    (char *)map.pages,  (char *)map.populations[0],
        (char *)map.occupied, map.records,        (char *)map.samples,
        (char *)map.buckets,  (char *)map.starts, map.writable + (ref_location(&map, 0, 0) << UNIT_SHIFT)};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        EXPECT(ends[i] <= begins[i]);
    }
    /* The tables with memory from the beginning are small, whatever the segment's size. */
    EXPECT_EQUAL((char *)map.samples - map.writable, geometry_tables(header));
    EXPECT(geometry_tables(header) < 2 * MIB + map.record_count * (2 * KIB + 256) + header->size / 512);
    EXPECT((uint64_t)map.bucket_steps << map.bucket_step_shift >= map.bucket_count);
    EXPECT((uint64_t)map.page_steps << map.page_step_shift >= map.page_count);
    EXPECT(map.bucket_steps <= map.first_page_step);
    EXPECT(map.first_page_step + map.page_steps <= map.sample_step);
    EXPECT(map.sample_words * sizeof(shared_word) <= (header->size < 32 * MIB ? 128 * KIB : header->size / 256));
    EXPECT(map.populations[0] + map.pin_words == map.populations[1]);
    const uint64_t end = ref_location(&map, map.page_count, 0) << UNIT_SHIFT;
    EXPECT_EQUAL(end, map.size);
    EXPECT(end + sizeof(struct entry_shared) <= header->size);
    EXPECT(header->size - end < 2 * page_bytes(&map) + 3 * (16 << 10));
    EXPECT((end >> UNIT_SHIFT) <= LOCATION_MASK);
    EXPECT_EQUAL((uintptr_t)map.samples % 4096, 0);
    EXPECT_EQUAL((uintptr_t)map.buckets % 4096, 0);
    EXPECT_EQUAL((uintptr_t)map.starts % 4096, 0);
    EXPECT_EQUAL((uintptr_t)map.pages % 64, 0);
    EXPECT_EQUAL((uintptr_t)map.records % 64, 0);
    EXPECT_EQUAL(map.record_size % 64, 0);
}

static void all_sizes(void) {
    static const unsigned processes[] = {1, 7, 512, 4095};
    for (uint64_t size = 8 * MIB; size <= CACHE_SIZE_MAX; size += size / 3 & ~UINT64_C(0xffff)) {
        for (unsigned i = 0; i < 4; i++) {
            const struct header_shared header = plan(size, processes[i]);
            EXPECT(is_valid(&header, size));
            EXPECT(header.page_count <= PAGES_MAX);
            EXPECT_EQUAL(header.record_count, processes[i]);
            expect_tables_apart(&header);
        }
    }
    const struct header_shared most = plan(CACHE_SIZE_MAX, 4095);
    EXPECT(is_valid(&most, CACHE_SIZE_MAX));
    expect_tables_apart(&most);
}

static void pages_of_64_kib(void) {
    EXPECT_EQUAL(plan(8 * MIB, 512).page_shift, 16);
    EXPECT_EQUAL(plan(UINT64_C(1) << 30, 512).page_shift, 16);
    EXPECT(plan(UINT64_C(4) << 30, 512).page_shift > 16);
}

static void memory_goes_to_pages(void) {
    const struct header_shared header = plan(64 * MIB, 512);
    EXPECT(header.page_count * 64 * KIB > 56 * MIB);
    EXPECT_EQUAL(header.pin_limit, header.page_count / 2);
    EXPECT_EQUAL(header.pin_limit_long, header.page_count / 8);
}

static void layouts_differ(void) {
    EXPECT(geometry_layout(1) != geometry_layout(2));
    EXPECT(geometry_layout(0) != geometry_layout(1));
}

/* Flips every single bit of the part of a header that never changes. */
static void every_flipped_bit(void) {
    const struct header_shared good = plan(8 * MIB, 64);
    for (size_t bit = 0; bit < offsetof(struct header_shared, retired) * 8; bit++) {
        struct header_shared header = good;
        ((unsigned char *)&header)[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (is_valid(&header, 8 * MIB)) {
            harness_fail(__FILE__, __LINE__, "bit %zu of byte %zu is not missed", bit % 8, bit / 8);
        }
    }
    EXPECT(is_valid(&good, 8 * MIB));
    EXPECT(!is_valid(&good, 8 * MIB + 4096));
}

static const struct test tests[] = {
    {"every size from 8 MiB to 64 GiB divides into tables that lie apart", all_sizes},
    {"pages are 64 KiB up to a GiB, and larger beyond", pages_of_64_kib},
    {"seven eighths of the memory hold values", memory_goes_to_pages},
    {"another value layout is another segment", layouts_differ},
    {"every flipped bit of a header is noticed", every_flipped_bit},
    {0},
};
const struct suite suite_geometry = {.name = "geometry", .tests = tests};
