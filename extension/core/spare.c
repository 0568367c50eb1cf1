#include "spare.h"

#include "commit.h"
#include "failpoint.h"
#include "page.h"

bool spare_has(const struct cache *cache, uint32_t page) {
    for (unsigned i = 0; i < spare_wanted(&cache->map); i++) {
        if (word_peek(&cache->map.header->spare[i]) == (uint64_t)page + 1) {
            return true;
        }
    }
    return false;
}

/* Gives a free page its memory while we hold it, as in page_claim(). Otherwise a concurrent trim would punch the
 * memory that was noted here as filled. */
static bool ensure_memory(struct cache *cache, uint32_t page) {
    FAILPOINT(spare_intended);
    if (LIKELY(ref_page_has_memory(&cache->map, page))) {
        return true;
    }
    if (!page_hold(cache, page)) {
        return false;
    }
    const bool committed = commit_page(cache, page);
    page_unclaim(cache, page);
    return committed;
}

/* True if a word names a page that is still free. A process that chose the page before it was kept may still take
 * it. A damaged word names none. */
static bool names_free(const struct cache *cache, uint64_t word) {
    return word - 1 < cache->map.page_count &&
           state_of(word_load(&page_row(cache, (uint32_t)word - 1)->state)) == PAGE_FREE;
}

bool spare_keep(struct cache *cache, uint32_t page) {
    shared_word *spare = cache->map.header->spare;
    bool kept = spare_has(cache, page);
    for (unsigned i = 0; i < spare_wanted(&cache->map) && !kept; i++) {
        uint64_t known = word_load(&spare[i]);
        kept = !names_free(cache, known) && ensure_memory(cache, page) &&
               word_swap(&spare[i], &known, (uint64_t)page + 1);
    }
    return kept;
}

unsigned spare_count(const struct cache *cache) {
    unsigned pages = 0;
    for (unsigned i = 0; i < spare_wanted(&cache->map); i++) {
        pages += names_free(cache, word_load(&cache->map.header->spare[i]));
    }
    return pages;
}

bool spare_has_reserve(const struct cache *cache) {
    return names_free(cache, word_load(&cache->map.header->spare[0]));
}

uint32_t spare_take(struct cache *cache, unsigned *at) {
    shared_word *spare = cache->map.header->spare;
    uint64_t taken = 0;
    /* A damaged word names no page: the next one is tried. */
    for (; taken - 1 >= cache->map.page_count && *at < spare_wanted(&cache->map); (*at)++) {
        taken = word_peek(&spare[*at]) ? word_exchange(&spare[*at], 0) : 0;
    }
    FAILPOINT(spare_taken);
    return taken - 1 < cache->map.page_count ? (uint32_t)taken - 1 : cache->map.page_count;
}

void spare_forget(struct cache *cache, uint32_t page) {
    for (unsigned i = 0; i < spare_wanted(&cache->map); i++) {
        uint64_t number = (uint64_t)page + 1;
        if (word_peek(&cache->map.header->spare[i]) == number) {
            word_swap(&cache->map.header->spare[i], &number, 0);
        }
    }
}

void spare_forget_all(struct cache *cache) {
    for (unsigned i = 0; i < SPARE_MAX; i++) {
        word_exchange(&cache->map.header->spare[i], 0);
    }
}
