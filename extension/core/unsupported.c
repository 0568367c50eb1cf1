/* Replaces the engine on other systems. Attaching reports why no cache is available. The other functions only
 * satisfy the linker: they need a struct cache, which does not exist here. */
#if !(defined(__linux__) && defined(__LP64__))

#include <stdio.h>
#include <unistd.h>

#include "cache.h"

struct cache *cache_attach(const struct cache_options *options, char reason[CACHE_REASON_MAX]) {
    (void)options;
    snprintf(reason, CACHE_REASON_MAX,
             "the engine knows Linux on 64-bit x86 and arm only; use another store here");
    return NULL;
}

#define NEVER(type, call, result) \
    type call {                   \
        return result;            \
    }
#define ANY_KEY struct cache *cache, const struct cache_key *key
#pragma GCC diagnostic ignored "-Wunused-parameter"

void cache_prepare(void) {
}
pid_t cache_pid(void) {
    return getpid();
}
void cache_detach(struct cache *cache) {
}
void cache_request_end(struct cache *cache, bool keep_pins) {
}
void cache_recover(struct cache *cache) {
}
void cache_user_changed(struct cache *cache) {
}
void cache_abandon(struct cache *cache) {
}
void cache_refuse(ANY_KEY) {
}
void cache_unreadable(struct cache *cache) {
}
void cache_count_fetch(struct cache *cache, bool hit) {
}
NEVER(bool, cache_read_counters(struct cache *cache, struct cache_info *info), false)
NEVER(bool, cache_read_usage(struct cache *cache, struct cache_usage *usage), false)
NEVER(bool, cache_read_memory(struct cache *cache, struct cache_memory *memory), false)
NEVER(const char *, cache_reason(const struct cache *cache), "")
NEVER(bool, cache_read_info(struct cache *cache, struct cache_info *info), false)
NEVER(bool, cache_request_begin(struct cache *cache), false)
NEVER(bool, cache_find(ANY_KEY, bool zero_copy, struct cache_value *value), false)
NEVER(bool, cache_find_kept(ANY_KEY, bool zero_copy, struct cache_value *value), false)
NEVER(bool, cache_find_token(ANY_KEY, unsigned how, struct cache_value *value, uint64_t *token), false)
NEVER(bool, cache_find_beside(ANY_KEY, bool zero_copy, uint64_t not_yet, struct cache_value *value), false)
NEVER(bool, cache_is_mapped(const void *address), false)
NEVER(bool, cache_exists(ANY_KEY), false)
NEVER(bool, cache_create(struct cache *cache), false)
NEVER(enum cache_result, cache_describe(ANY_KEY, struct cache_entry *entry), CACHE_UNAVAILABLE)
NEVER(struct cache_walk *, cache_walk_begin(const char *prefix, size_t length), NULL)
NEVER(enum cache_result, cache_walk_next(struct cache *cache, struct cache_walk *walk, struct cache_entry *entry),
      CACHE_UNAVAILABLE)
void cache_walk_copy(struct cache_walk *walk, uint32_t kind) {
}
void cache_walk_only(struct cache_walk *walk, cache_walk_filter *filter, const void *context) {
}
void cache_walk_end(struct cache_walk *walk) {
}
NEVER(uint64_t, cache_delete_prefix(struct cache *cache, const char *prefix, size_t length), 0)
NEVER(bool, cache_clear(struct cache *cache), false)
NEVER(size_t, cache_release(struct cache *cache), 0)
NEVER(size_t, cache_value_max(const struct cache *cache), 0)
NEVER(enum cache_result, cache_lock(ANY_KEY, double seconds, const struct cache_key *gives_way, long *owner),
      CACHE_UNAVAILABLE)
NEVER(bool, cache_is_locked(const struct cache *cache, const struct cache_key *key), false)
void cache_unlock(struct cache *cache) {
}
NEVER(enum cache_result, cache_claim(ANY_KEY), CACHE_UNAVAILABLE)
NEVER(bool, cache_await_claim(ANY_KEY), false)
void cache_end_claim(ANY_KEY) {
}
NEVER(enum cache_claimed,
      cache_claim_to_compute(ANY_KEY, uint64_t expires, const uint64_t *useless, struct cache_token *token),
      CACHE_CLAIM_UNAVAILABLE)
NEVER(enum cache_awaited, cache_await_computed(ANY_KEY, const struct cache_token *token), CACHE_AWAITED_NOTHING)
void cache_end_computing(ANY_KEY) {
}
NEVER(unsigned, cache_predict(struct cache *cache, struct cache_prediction *predictions), 0)
NEVER(size_t, cache_read_holders(struct cache *cache, struct cache_holder *holders, size_t most), 0)
NEVER(uint64_t, cache_now(void), 1)
NEVER(uint64_t, cache_expiry(double ttl), 0)
NEVER(uint64_t, cache_freshness(uint64_t fresh_until, double cost), 0)
NEVER(enum cache_result, cache_reserve(ANY_KEY, size_t length, enum cache_mode mode, struct cache_span *span),
      CACHE_UNAVAILABLE)
NEVER(enum cache_result,
      cache_reserve_fresh(ANY_KEY, size_t length, uint64_t freshness, enum cache_mode mode,
                          struct cache_span *span),
      CACHE_UNAVAILABLE)
NEVER(bool, cache_is_full(const struct cache *cache), false)
NEVER(enum cache_result, cache_reserve_beside(ANY_KEY, size_t length, uint64_t freshness, struct cache_span *span),
      CACHE_UNAVAILABLE)
NEVER(enum cache_result,
      cache_commit_beside(ANY_KEY, uint32_t kind, uint64_t expires, uint64_t stored, uint64_t token),
      CACHE_UNAVAILABLE)
NEVER(enum cache_result,
      cache_commit(ANY_KEY, uint32_t kind, uint64_t expires, enum cache_mode mode, const uint64_t *token),
      CACHE_UNAVAILABLE)
NEVER(enum cache_result, cache_delete(ANY_KEY), CACHE_UNAVAILABLE)
NEVER(enum cache_result, cache_touch(ANY_KEY, uint64_t expires), CACHE_UNAVAILABLE)
NEVER(enum cache_result,
      cache_store_integer(ANY_KEY, int64_t value, uint64_t expires, enum cache_mode mode, const uint64_t *token),
      CACHE_UNAVAILABLE)
NEVER(enum cache_result,
      cache_store_integer_fresh(ANY_KEY, int64_t value, uint64_t expires, uint64_t freshness, enum cache_mode mode,
                                const uint64_t *token),
      CACHE_UNAVAILABLE)
NEVER(enum cache_result, cache_count(ANY_KEY, int64_t step, uint64_t expires, int64_t *result), CACHE_UNAVAILABLE)
NEVER(enum cache_result, cache_count_wrapping(ANY_KEY, int64_t step, uint64_t expires, int64_t *result),
      CACHE_UNAVAILABLE)
NEVER(enum cache_result, cache_swap(ANY_KEY, int64_t expected, int64_t desired), CACHE_UNAVAILABLE)

#else
/* A translation unit must not be empty. */
typedef int unsupported_is_not_needed;
#endif
