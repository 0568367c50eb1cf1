#include "../larder_api.h"
#include "attach.h"
#include "fetch.h"
#include "last_error.h"
#include "store.h"

#include <time.h>

static bool is_enabled(void) {
    return LARDER_G(enabled);
}

static zend_always_inline struct cache *to_read(void) {
    return attach_client(&LARDER_G(apcu), false);
}

static enum cache_result no_cache(void) {
    return LARDER_G(apcu).absent ? CACHE_ABSENT : CACHE_UNAVAILABLE;
}

/* Notes whether the last error belongs to the segment of module apcu: its message is about that segment. */
static bool noted(bool done) {
    LARDER_G(apcu_failed) = !done;
    return done;
}

static uint64_t expiry(zend_long ttl) {
    return EXPECTED(ttl == 0) ? 0 : cache_expiry((double)ttl);
}

/* ---- One key --------------------------------------------------------------------------------- */

/* Counts fetches of keys that begin with a NUL byte, which core does not count. For this module's clients such keys
 * are ordinary. */
static void count_fetch(zend_string *name, bool found) {
    if (UNEXPECTED(ZSTR_VAL(name)[0] == '\0') && LARDER_G(apcu).cache) {
        cache_count_fetch(LARDER_G(apcu).cache, found);
    }
}

static bool fetch_value(zend_string *name, zval *value) {
    struct cache *cache = to_read();
    if (UNEXPECTED(!cache || !is_key(name))) {
        return false;
    }
    const bool found = fetch(cache, name, value);
    count_fetch(name, found);
    return found;
}

static bool fetch_entry(zend_string *name, zval *value) {
    struct cache *cache = to_read();
    if (!cache || !is_key(name)) {
        return false;
    }
    const struct cache_key key = key_of(name);
    struct cache_value found = {.bytes = NULL};
    if (!fetch_key(cache, &key, &found, value)) {
        ZVAL_FALSE(value);
    }
    count_fetch(name, found.bytes != NULL);
    return found.bytes != NULL;
}

static bool exists(zend_string *name) {
    struct cache *cache = to_read();
    if (!cache || !is_key(name)) {
        return false;
    }
    const struct cache_key key = key_of(name);
    return cache_exists(cache, &key);
}

static bool store(zend_string *name, zval *value, zend_long ttl, bool adds) {
    struct cache *cache = attach_client(&LARDER_G(apcu), true);
    if (UNEXPECTED(!cache || !is_key(name))) {
        return cache ? false : noted(is_done(no_cache()));
    }
    const struct cache_key key = key_of(name);
    const struct lifetime lifetime = {expiry(ttl), 0};
    return noted(store_value(cache, &key, value, &lifetime, adds ? CACHE_ADD : CACHE_SET, NULL));
}

static bool count(zend_string *name, zend_long step, zend_long ttl, zend_long *sum) {
    struct cache *cache = attach_client(&LARDER_G(apcu), true);
    if (!cache || !is_key(name)) {
        return cache ? false : noted(is_done(no_cache()));
    }
    const struct cache_key key = key_of(name);
    int64_t result;
    const bool done = noted(is_done(cache_count_wrapping(cache, &key, step, expiry(ttl), &result)));
    *sum = done ? (zend_long)result : 0;
    return done;
}

static bool swap(zend_string *name, zend_long expected, zend_long desired) {
    struct cache *cache = to_read();
    if (!cache || !is_key(name)) {
        return false;
    }
    const struct cache_key key = key_of(name);
    return noted(is_done(cache_swap(cache, &key, expected, desired)));
}

static bool remove_key(zend_string *name) {
    struct cache *cache = attach_client_to_delete(&LARDER_G(apcu));
    if (!cache || !is_key(name)) {
        return false;
    }
    const struct cache_key key = key_of(name);
    return noted(is_done(cache_delete(cache, &key)));
}

/* ---- All keys -------------------------------------------------------------------------------- */

static void remove_prefix(const char *prefix, size_t length) {
    struct cache *cache = attach_client_to_delete(&LARDER_G(apcu));
    if (cache) {
        cache_delete_prefix(cache, prefix, length);
    }
}

static void clear(void) {
    struct cache *cache = attach_client_to_delete(&LARDER_G(apcu));
    if (cache) {
        cache_clear(cache);
    }
}

/* Difference between Unix time and cache_now(), in milliseconds. Both clocks tick at the same time. */
static int64_t unix_offset(void) {
    struct timespec now;
#ifdef CLOCK_REALTIME_COARSE
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
#else
    clock_gettime(CLOCK_REALTIME, &now);
#endif
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 - (int64_t)cache_now();
}

static time_t unix_time(uint64_t time, int64_t offset) {
    return (time_t)(((int64_t)time + offset) / 1000);
}

static void to_entry(const struct cache_entry *from, int64_t offset, struct larder_entry *to) {
    *to = (struct larder_entry){
        .key = from->key,
        .key_length = from->key_length,
        .size = from->size,
        .stored = unix_time(from->stored, offset),
        /* cache_expiry() counts from cache_now(), which is a millisecond more than the clock of `stored` */
        .ttl = from->expires ? (zend_long)((from->expires - 1 - from->stored) / 1000) : 0,
        .used = from->used,
    };
}

static bool describe(zend_string *name, struct larder_entry *entry) {
    struct cache *cache = to_read();
    struct cache_entry found;
    if (!cache || !is_key(name)) {
        return false;
    }
    const struct cache_key key = key_of(name);
    if (cache_describe(cache, &key, &found) != CACHE_OK) {
        return false;
    }
    to_entry(&found, unix_offset(), entry);
    return true;
}

struct larder_walk {
    struct cache_walk *walk;
    int64_t offset;          /* unix_offset() at the beginning of the walk */
    struct cache_entry last; /* the entry that was returned last */
};

static struct larder_walk *walk_begin(const char *prefix, size_t length) {
    struct cache_walk *walk = cache_walk_begin(prefix, length);
    if (!walk) {
        return NULL;
    }
    struct larder_walk *begun = emalloc(sizeof(*begun));
    *begun = (struct larder_walk){.walk = walk, .offset = unix_offset()};
    return begun;
}

static bool walk_next(struct larder_walk *walk, struct larder_entry *entry) {
    struct cache *cache = to_read();
    if (!cache || cache_walk_next(cache, walk->walk, &walk->last) != CACHE_OK) {
        return false;
    }
    to_entry(&walk->last, walk->offset, entry);
    return true;
}

static void walk_values(struct larder_walk *walk, bool wanted) {
    cache_walk_copy(walk->walk, wanted ? VALUE_STRING : 0);
}

static bool walk_value(struct larder_walk *walk, zval *value) {
    if (!walk->last.value) {
        return false;
    }
    const struct cache_value copy = {.bytes = walk->last.value, .kind = walk->last.kind, .hold = CACHE_COPIED};
    return decode_value(&copy, value);
}

static void walk_only(struct larder_walk *walk, cache_walk_filter *wants, const void *context) {
    cache_walk_only(walk->walk, wants, context);
}

static void walk_end(struct larder_walk *walk) {
    cache_walk_end(walk->walk);
    efree(walk);
}

static void read_usage(struct larder_usage *usage) {
    struct cache *cache = to_read();
    struct cache_usage used;
    if (!cache || !cache_read_usage(cache, &used)) {
        *usage = (struct larder_usage){.created = unix_time(cache_now(), unix_offset())};
        return;
    }
    *usage = (struct larder_usage){
        .live = used.live,
        .entries = used.entries,
        .slots = used.slots,
        .hits = used.hits,
        .misses = used.misses,
        .stores = used.stores,
        .created = unix_time(used.created, unix_offset()),
    };
}

static void read_memory(struct larder_memory *memory) {
    struct cache *cache = to_read();
    struct cache_memory read;
    const bool available = cache && cache_read_memory(cache, &read);
    memory->pages = available ? read.pages : (size_t)attach_apcu_size();
    memory->held = available ? read.held : 0;
}

/* ---- Claims ---------------------------------------------------------------------------------- */

/* The cache in which the value will be stored, so the segment is created. */
static struct cache *to_claim(zend_string *name) {
    return is_key(name) ? attach_client(&LARDER_G(apcu), true) : NULL;
}

static bool claim(zend_string *name) {
    struct cache *cache = to_claim(name);
    if (UNEXPECTED(!cache)) {
        return false;
    }
    const struct cache_key key = key_of(name);
    return cache_claim(cache, &key) == CACHE_OK;
}

static bool await_claim(zend_string *name) {
    struct cache *cache = to_claim(name);
    if (!cache) {
        return false;
    }
    const struct cache_key key = key_of(name);
    return cache_await_claim(cache, &key);
}

static void end_claim(zend_string *name) {
    struct cache *cache = LARDER_G(apcu).cache;
    if (EXPECTED(cache != NULL)) {
        const struct cache_key key = key_of(name);
        cache_end_claim(cache, &key);
    }
}

ZEND_API const struct larder_api larder_api = {
    .version = LARDER_API_VERSION,
    .use = attach_use_apcu,
    .is_enabled = is_enabled,
    .fetch = fetch_value,
    .fetch_entry = fetch_entry,
    .exists = exists,
    .store = store,
    .count = count,
    .swap = swap,
    .remove = remove_key,
    .remove_prefix = remove_prefix,
    .clear = clear,
    .describe = describe,
    .walk_begin = walk_begin,
    .walk_next = walk_next,
    .walk_values = walk_values,
    .walk_value = walk_value,
    .walk_only = walk_only,
    .walk_end = walk_end,
    .read_usage = read_usage,
    .read_memory = read_memory,
    .claim = claim,
    .await_claim = await_claim,
    .end_claim = end_claim,
};
