#include "geometry.h"

#include <string.h>

#include "occupied.h"
#include "predict.h"

const char SEGMENT_MAGIC[8] = {'L', 'A', 'R', 'D', 'E', 'R', '1', '\n'};

/* The index takes an eleventh of the segment: 77 % load with entries of 130 bytes. */
enum { INDEX_SHARE = 11, SAMPLES_SHARE = 256, SAMPLES_MIN = 1 << 14, SAMPLES_MAX = 1 << 17 };
enum { SAMPLED_SIZE_MIN = 12 << 20 };

uint64_t geometry_layout(uint64_t value_layout) {
    const uint64_t sizes = sizeof(struct header_shared) ^ sizeof(struct record_shared) << 12 ^
                           sizeof(struct page_shared) << 24 ^ sizeof(struct entry_shared) << 36 ^
                           sizeof(void *) << 48;
    return (sizes + LAYOUT_VERSION) * UINT64_C(0x9e3779b97f4a7c15) ^ value_layout;
}

/* Sizes of steps. A store does not notice its wait for one (2 us and 30 us), and filling a segment is not slowed. */
enum { INDEX_STEP = 16 << 10, PAGES_STEP_SHIFT = 18, INDEX_STEPS_MAX = 1 << 15 };

struct offsets {
    uint64_t steps, claims, pages, populations, occupied, records, samples, buckets, starts, data, end;
    uint64_t step_words;
};

static uint64_t align(uint64_t offset, uint64_t to) {
    return (offset + to - 1) / to * to;
}

static uint64_t pin_bytes(const struct header_shared *header) {
    return (header->page_count + 63) / 64 * 8;
}

static uint64_t record_size(const struct header_shared *header) {
    return align(sizeof(struct record_shared) + pin_bytes(header), 64);
}

static uint64_t index_bytes(const struct header_shared *header) {
    return header->bucket_count * sizeof(struct bucket_shared);
}

static uint64_t occupied_bytes(const struct header_shared *header) {
    return occupied_words(header->bucket_count) * sizeof(shared_word);
}

/* Words of the ring of samples: a 256th of the segment, but 128 KiB at least and 1 MiB at most. A small segment has none,
 * as a sample of its keys would be too small. Nor has one that keeps its entries: it evicts none. */
static uint64_t sample_words(const struct header_shared *header) {
    uint64_t words = SAMPLES_MAX;
    while (words > SAMPLES_MIN && words * sizeof(shared_word) > header->size / SAMPLES_SHARE) {
        words /= 2;
    }
    return header->keeps || header->size < SAMPLED_SIZE_MIN ? 0 : words;
}

/* log2 of the bytes in a step of the index. */
static unsigned index_step_shift(const struct header_shared *header) {
    unsigned shift = (unsigned)__builtin_ctz(INDEX_STEP);
    while (index_bytes(header) >> shift > INDEX_STEPS_MAX) {
        shift++;
    }
    return shift;
}

/* log2 of the pages in a step of pages. */
static unsigned page_step_shift(const struct header_shared *header) {
    return header->page_shift < PAGES_STEP_SHIFT ? PAGES_STEP_SHIFT - (unsigned)header->page_shift : 0;
}

static uint64_t steps_of(uint64_t count, unsigned shift) {
    return (count + (UINT64_C(1) << shift) - 1) >> shift;
}

static uint64_t index_step_words(const struct header_shared *header) {
    return (steps_of(index_bytes(header), index_step_shift(header)) + STEPS_A_WORD - 1) / STEPS_A_WORD;
}

static struct offsets offsets_of(const struct header_shared *header) {
    struct offsets at;
    const uint64_t page = UINT64_C(1) << header->page_shift;
    const uint64_t page_steps = steps_of(header->page_count, page_step_shift(header));
    at.step_words = index_step_words(header) + (page_steps + STEPS_A_WORD - 1) / STEPS_A_WORD + 1;
    at.steps = sizeof(struct header_shared);
    at.claims = align(at.steps + at.step_words * sizeof(uint64_t), 64);
    at.pages = at.claims + CLAIM_BUCKETS * sizeof(struct claims_shared);
    at.populations = at.pages + header->page_count * sizeof(struct page_shared);
    at.occupied = align(at.populations + 2 * pin_bytes(header), 64);
    at.records = align(at.occupied + occupied_bytes(header), 64);
    at.samples = align(at.records + header->record_count * record_size(header), INDEX_STEP);
    at.buckets = align(at.samples + sample_words(header) * sizeof(shared_word), INDEX_STEP);
    at.starts = align(at.buckets + index_bytes(header), INDEX_STEP);
    at.data = align(at.starts + header->page_count * (page / UNIT / 8), page);
    at.end = at.data + header->page_count * page;
    return at;
}

uint64_t geometry_tables(const struct header_shared *header) {
    return offsets_of(header).samples;
}

void geometry_plan(struct header_shared *header, const struct cache_options *options, uint64_t size) {
    memcpy(header->magic, SEGMENT_MAGIC, sizeof header->magic);
    header->layout = geometry_layout(options->value_layout);
    header->size = size;
    header->size_asked = options->size;
    header->record_count = options->processes;
    header->keeps = options->keeps;
    header->bucket_count = size / INDEX_SHARE / sizeof(struct bucket_shared);
    header->page_shift = PAGE_SHIFT_MIN;
    while (size >> header->page_shift > PAGES_MAX) {
        header->page_shift++;
    }
    header->page_count = size >> header->page_shift;
    /* A location is not yet checked when an entry's header is read, so it may be read behind the last page. */
    while (offsets_of(header).end + sizeof(struct entry_shared) > size) {
        header->page_count--;
    }
    header->pin_limit = (uint64_t)((double)header->page_count * options->pin_share);
    header->pin_limit_long =
        header->page_count / 8 < header->pin_limit ? header->page_count / 8 : header->pin_limit;
    header->pin_share = geometry_pin_share(options);
    header->records_used = 0;
}

uint64_t geometry_pin_share(const struct cache_options *options) {
    return (uint64_t)(options->pin_share * 1e6 + 0.5);
}

/* Each step is a bijection, so no single damaged word goes unnoticed. */
static uint64_t checksum(const struct header_shared *header) {
    struct header_shared fixed;
    memcpy(&fixed, header, offsetof(struct header_shared, retired));
    fixed.checksum = 0;
    uint64_t sum = 1;
    for (size_t at = 0; at < offsetof(struct header_shared, retired); at += sizeof sum) {
        uint64_t word;
        memcpy(&word, (const char *)&fixed + at, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    return sum;
}

void geometry_sign(struct header_shared *header) {
    header->checksum = checksum(header);
}

bool geometry_valid(const struct header_shared *header, uint64_t size, uint64_t layout) {
    return memcmp(header->magic, SEGMENT_MAGIC, sizeof header->magic) == 0 && header->layout == layout &&
           header->size == size && size >= CACHE_SIZE_MIN && size <= CACHE_SIZE_MAX &&
           header->page_shift >= PAGE_SHIFT_MIN && header->page_shift <= 32 && header->page_count >= 16 &&
           header->page_count <= PAGES_MAX && header->record_count >= 1 && header->record_count <= RECORDS_MAX &&
           header->bucket_count >= 1 && header->bucket_count <= size / sizeof(struct bucket_shared) &&
           header->pin_limit <= header->page_count && header->pin_limit_long <= header->page_count &&
           header->base % 4096 == 0 && header->keeps <= 1 && header->checksum == checksum(header) &&
           offsets_of(header).end + sizeof(struct entry_shared) <= size;
}

void geometry_map(struct map *map, const struct header_shared *header) {
    const struct offsets at = offsets_of(header);
    map->base = header->base;
    map->seed = header->seed;
    map->keeps = header->keeps != 0;
    map->unit_shift = (unsigned)header->page_shift - UNIT_SHIFT;
    map->page_count = (uint32_t)header->page_count;
    map->first_page = (uint32_t)(at.data >> header->page_shift);
    map->bucket_count = (uint32_t)header->bucket_count;
    map->record_count = (unsigned)header->record_count;
    map->pin_words = (unsigned)((header->page_count + 63) / 64);
    map->pin_limit = (uint32_t)header->pin_limit;
    map->pin_limit_long = (uint32_t)header->pin_limit_long;
    map->record_size = record_size(header);
    map->size = at.end;
    map->file_size = header->size;
    map->bucket_step_shift = index_step_shift(header) - (unsigned)__builtin_ctz(sizeof(struct bucket_shared));
    map->page_step_shift = page_step_shift(header);
    map->bucket_steps = (uint32_t)steps_of(header->bucket_count, map->bucket_step_shift);
    map->page_steps = (uint32_t)steps_of(header->page_count, map->page_step_shift);
    map->first_page_step = (uint32_t)index_step_words(header) * STEPS_A_WORD;
    map->sample_step = map->first_page_step + (map->page_steps + STEPS_A_WORD - 1) / STEPS_A_WORD * STEPS_A_WORD;
    map->index_whole = false;
    map->header = (struct header_shared *)(void *)map->writable;
    map->records = map->writable + at.records;
    map->claims = (struct claims_shared *)(void *)(map->writable + at.claims);
    map->pages = (struct page_shared *)(void *)(map->writable + at.pages);
    map->steps = (shared_word *)(void *)(map->writable + at.steps);
    map->starts = (shared_word *)(void *)(map->writable + at.starts);
    map->populations[0] = (shared_word *)(void *)(map->writable + at.populations);
    map->populations[1] = map->populations[0] + map->pin_words;
    map->occupied = (shared_word *)(void *)(map->writable + at.occupied);
    map->samples = (shared_word *)(void *)(map->writable + at.samples);
    map->sample_words = (uint32_t)sample_words(header);
    map->sample_least = map->sample_words == 0 ? UINT64_MAX : (UINT64_C(1) << SAMPLE_BITS_LEAST) - 1;
    map->buckets = (struct bucket_shared *)(void *)(map->writable + at.buckets);
}
