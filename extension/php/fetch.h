/* Looking keys up. */
#ifndef LARDER_FETCH_H
#define LARDER_FETCH_H

#include "decode.h"
#include "hash.h"
#include "promote.h"

static zend_always_inline bool is_key(const zend_string *name) {
    return ZSTR_LEN(name) - 1 < CACHE_KEY_MAX;
}

static zend_always_inline struct cache_key key_of(zend_string *name) {
    return (struct cache_key){ZSTR_VAL(name), (uint32_t)ZSTR_LEN(name), string_hash(name)};
}

/* As decode_value(). A value that cannot be decoded counts as a miss, if it has counted as a hit. */
static zend_always_inline bool decode_or_count(struct cache *cache, const struct cache_key *key,
                                               const struct cache_value *value, zval *result) {
    const bool decoded = decode_value(value, result);
    if (UNEXPECTED(!decoded) && key->bytes[0] != '\0') {
        cache_unreadable(cache);
    }
    return decoded;
}

/* The same for a value without its token, which a promotion would make invalid. */
static zend_always_inline bool decode_or_promote(struct cache *cache, const struct cache_key *key,
                                                 const struct cache_value *value, zval *result) {
    const bool decoded = decode_or_count(cache, key, value, result);
    if (UNEXPECTED(value->kind == VALUE_DENSE) && decoded) {
        promote(cache, key, value, Z_ARR_P(result));
    }
    return decoded;
}

enum find { FIND_FRESH, FIND_KEPT, FIND_BESIDE };

/* `not_yet`: see cache_find_beside(). */
static zend_always_inline bool find_key(struct cache *cache, const struct cache_key *key, enum find how,
                                        uint64_t not_yet, struct cache_value *value) {
#ifdef LARDER_UNREADABLE
    if (LARDER_G(control) >= CONTROL_SCAN) {
        cache_scan(cache, 1u << (LARDER_G(control) - CONTROL_SCAN) >> 1);
    }
#endif
    if (UNEXPECTED(!(how == FIND_KEPT     ? cache_find_kept(cache, key, LARDER_G(zero_copy), value)
                     : how == FIND_BESIDE ? cache_find_beside(cache, key, LARDER_G(zero_copy), not_yet, value)
                                          : cache_find(cache, key, LARDER_G(zero_copy), value)))) {
        return false;
    }
#ifdef LARDER_UNREADABLE
    if (LARDER_G(control) == CONTROL_UNPIN) {
        cache_request_end(cache, false);
    }
#endif
    return true;
}

/* False: a miss, or a value that cannot be decoded; only exit() leaves an exception. */
static zend_always_inline bool fetch_key(struct cache *cache, const struct cache_key *key,
                                         struct cache_value *value, zval *result) {
    return EXPECTED(find_key(cache, key, FIND_FRESH, 0, value)) && decode_or_promote(cache, key, value, result);
}

static zend_always_inline bool fetch(struct cache *cache, zend_string *name, zval *result) {
    const struct cache_key key = key_of(name);
    struct cache_value value;
    return fetch_key(cache, &key, &value, result);
}

#endif
