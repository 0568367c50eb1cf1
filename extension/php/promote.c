#include "promote.h"

#include "encode.h"
#include "measure.h"
#include "shape.h"

/* Of arrays that take ten times the memory in PHP's form, 89 % of requests hit (Zipf 0.99; `lab/figures/run compact`), 68 %
 * of these by a pointer; without the dense form 75 %, with it alone 94 %. One in 16 hits less, one in 1,024 seldom by a
 * pointer. */
enum { ONE_OF = 256 };

/* Xorshift: G. Marsaglia, Xorshift RNGs, Journal of Statistical Software 8, 2003. */
static bool is_chosen(void) {
    uint64_t bits = LARDER_G(promotions) ? LARDER_G(promotions) : cache_now() << 12 | (uint64_t)cache_pid();
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    LARDER_G(promotions) = bits;
    return ((bits >> 32) ^ (uint64_t)cache_pid()) % ONE_OF == 0; /* a fork has the same state */
}

void promote(struct cache *cache, const struct cache_key *key, const struct cache_value *found, HashTable *array) {
    struct cache_entry entry;
    struct cache_value value;
    uint64_t token;
    if (LARDER_G(compact) != COMPACT_AUTO || found->hold != CACHE_PINNED || !is_chosen()) {
        return;
    }
    /* The token must be that of what was decoded. While its page is pinned, nothing else is put at its place. If another
     * process stores after this, the token no longer holds. */
    if (!cache_find_token(cache, key, CACHE_ZERO_COPY | CACHE_STALE | CACHE_UNTRACED, &value, &token) ||
        value.hold != CACHE_PINNED || value.bytes != found->bytes ||
        cache_describe(cache, key, &entry) != CACHE_OK) {
        return;
    }
    struct plan *plan = &LARDER_G(plan);
    struct cache_span span;
    const uint64_t freshness = entry.kept != entry.expires || entry.cost != 0
                                   ? cache_freshness(entry.expires, (double)entry.cost / CACHE_COSTS_A_SECOND)
                                   : 0;
    if (measure_array(plan, array, cache_value_max(cache), false) == MEASURED_PLAIN &&
        cache_reserve_beside(cache, key, plan->length, freshness, &span) == CACHE_OK) {
        encode_array(plan, &span);
        cache_commit_beside(cache, key, VALUE_ARRAY, entry.kept, entry.stored, token);
    }
    plan_shrink(plan);
}
