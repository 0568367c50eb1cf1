#include "store.h"
#include "dense.h"
#include "encode.h"
#include "graph.h"
#include "measure.h"
#include "past_caches.h"
#include "serialize.h"
#include "last_error.h"
#include "shape.h"

struct storing {
    struct cache *cache;
    const struct cache_key *key;
    const struct lifetime *lifetime;
    enum cache_mode mode;
    const uint64_t *token; /* NULL; or, with CACHE_REPLACE, the only entry to replace */
};

static zend_always_inline bool reserve(const struct storing *s, size_t length, struct cache_span *span) {
    return is_done(cache_reserve_fresh(s->cache, s->key, length, s->lifetime->freshness, s->mode, span));
}

static zend_always_inline bool commit(const struct storing *s, uint32_t kind) {
    return is_done(cache_commit(s->cache, s->key, kind, s->lifetime->expires, s->mode, s->token));
}

/* Refuses a value as too large, and deletes the outdated one that it would have replaced. `length`: as
 * refused_length. */
static ZEND_COLD bool refuse(const struct storing *s, size_t length) {
    if (s->mode == CACHE_SET) {
        cache_refuse(s->cache, s->key);
    }
    LARDER_G(refused_length) = length;
    return is_done(CACHE_TOO_LARGE);
}

static bool store_number(const struct storing *s, uint32_t kind, uint64_t number) {
    struct cache_span span;
    if (!reserve(s, sizeof(number), &span)) {
        return false;
    }
    *(uint64_t *)span.bytes = number;
    return commit(s, kind);
}

/* Integers are core's own kind, because core counts in place. */
static bool store_integer(const struct storing *s, int64_t value) {
    return is_done(cache_store_integer_fresh(s->cache, s->key, value, s->lifetime->expires, s->lifetime->freshness,
                                             s->mode, s->token));
}

static bool store_nothing(const struct storing *s, uint32_t kind) {
    struct cache_span span;
    return reserve(s, 0, &span) && commit(s, kind);
}

static zend_always_inline bool store_string(const struct storing *s, uint32_t kind, zend_string *string) {
    struct cache_span span;
    size_t length = shape_of_string(ZSTR_LEN(string));
    if (UNEXPECTED(length > cache_value_max(s->cache))) {
        return refuse(s, length);
    }
    if (!reserve(s, length, &span)) {
        return false;
    }
    encode_string(span.bytes, string, span.cold);
    return commit(s, kind);
}

static zend_never_inline bool store_serialized(const struct storing *s, zval *value) {
    uint32_t kind;
    bool too_deep;
    plan_shrink(&LARDER_G(plan)); /* the plan of an array that could not be stored in PHP's shape */
    zend_string *bytes = serialize_value(value, cache_value_max(s->cache), &kind, &too_deep);
    if (!bytes) {
        return EG(exception) ? is_done(CACHE_ABSENT) : refuse(s, too_deep ? REFUSED_TOO_DEEP : 0);
    }
    bool stored = store_string(s, kind, bytes);
    zend_string_release(bytes);
    return stored;
}

static bool is_dense(const struct cache *cache) {
    return LARDER_G(compact) == COMPACT_ALWAYS || (LARDER_G(compact) == COMPACT_AUTO && cache_is_full(cache));
}

/* Plans an array in the form that it will have. The dense form is written, too, because its length is known only
 * then. */
static enum measured plan_array(const struct storing *s, HashTable *array, struct dense_bytes *dense) {
    struct plan *plan = &LARDER_G(plan);
    const size_t most = cache_value_max(s->cache);
    const enum measured result = measure_array(plan, array, most, is_dense(s->cache));
    if (EXPECTED(!plan->dense) || result != MEASURED_PLAIN) {
        return result;
    }
    if (EXPECTED(dense_encode(plan, &LARDER_G(dense), most, dense))) {
        return MEASURED_PLAIN;
    }
    dense_shrink(&LARDER_G(dense));
    return MEASURED_TOO_LARGE;
}

static zend_never_inline bool store_dense(const struct storing *s, uint32_t kind,
                                          const struct dense_bytes *dense) {
    struct cache_span span;
    const bool reserved = reserve(s, dense->length, &span);
    if (EXPECTED(reserved) && span.cold && dense->length >= PAST_CACHES_LEAST) {
        copy_past_caches(span.bytes, dense->bytes, dense->length);
    } else if (EXPECTED(reserved)) {
        memcpy(span.bytes, dense->bytes, dense->length);
    }
    const bool stored = reserved && commit(s, kind);
    dense_shrink(&LARDER_G(dense));
    return stored;
}

/* Stores the array that plan_array() has planned. */
static bool store_planned(const struct storing *s, bool graph, const struct dense_bytes *dense) {
    struct plan *plan = &LARDER_G(plan);
    struct cache_span span;
    bool stored;
    if (UNEXPECTED(plan->dense)) {
        stored = store_dense(s, graph ? VALUE_DENSE_GRAPH : VALUE_DENSE, dense);
    } else {
        stored = reserve(s, plan->length, &span) &&
                 (encode_array(plan, &span), commit(s, graph ? VALUE_GRAPH : VALUE_ARRAY));
    }
    plan_shrink(plan);
    return stored;
}

/* Stores a value with objects in it. A value that cannot be a graph is serialized. So is a graph that is too long,
 * since the serialized form is shorter. */
static zend_never_inline bool store_objects(const struct storing *s, zval *value) {
    struct dense_bytes dense;
    zend_array *graph =
        LARDER_G(serializer) == SERIALIZER_AUTO ? graph_flatten(value, cache_value_max(s->cache)) : NULL;
    if (!graph) {
        return EG(exception) ? is_done(CACHE_ABSENT) : store_serialized(s, value);
    }
    const bool planned = plan_array(s, graph, &dense) == MEASURED_PLAIN;
    const bool stored = planned && store_planned(s, true, &dense);
    graph_release(graph);
    return planned ? stored : store_serialized(s, value);
}

static zend_never_inline bool store_array(const struct storing *s, zval *value) {
    struct plan *plan = &LARDER_G(plan);
    struct dense_bytes dense;
    switch (plan_array(s, Z_ARRVAL_P(value), &dense)) {
        case MEASURED_TOO_LARGE:
            if (plan->dense) { /* it is too large, or memory is short */
                return store_serialized(s, value);
            }
            plan_shrink(plan);
            return refuse(s, 0);
        case MEASURED_MIXED:
            return store_objects(s, value);
        case MEASURED_PLAIN:
            break;
    }
    return store_planned(s, false, &dense);
}

/* Holds the value, because methods of its objects may assign another one to the reference during the store. */
static zend_never_inline bool store_referred(struct cache *cache, const struct cache_key *key, zval *reference,
                                             const struct lifetime *lifetime, enum cache_mode mode,
                                             const uint64_t *token) {
    zval value;
    ZVAL_COPY(&value, Z_REFVAL_P(reference));
    const bool stored = store_value(cache, key, &value, lifetime, mode, token);
    zval_ptr_dtor(&value);
    return stored;
}

bool store_value(struct cache *cache, const struct cache_key *key, zval *value, const struct lifetime *lifetime,
                 enum cache_mode mode, const uint64_t *token) {
    const struct storing s = {cache, key, lifetime, mode, token};
    if (UNEXPECTED(Z_ISREF_P(value))) {
        return store_referred(cache, key, value, lifetime, mode, token);
    }
    switch (Z_TYPE_P(value)) {
        case IS_NULL:
            return store_nothing(&s, VALUE_NULL);
        case IS_FALSE:
            return store_nothing(&s, VALUE_FALSE);
        case IS_TRUE:
            return store_nothing(&s, VALUE_TRUE);
        case IS_LONG:
            return store_integer(&s, Z_LVAL_P(value));
        case IS_DOUBLE: {
            uint64_t bits;
            memcpy(&bits, &Z_DVAL_P(value), sizeof(bits));
            return store_number(&s, VALUE_FLOAT, bits);
        }
        case IS_STRING:
            if (Z_STRLEN_P(value) == 0) {
                return store_nothing(&s, VALUE_EMPTY_STRING);
            }
            if (Z_STRLEN_P(value) == 1) {
                uint64_t character = 0;
                *(char *)&character = Z_STRVAL_P(value)[0];
                return store_number(&s, VALUE_CHARACTER, character);
            }
            return store_string(&s, VALUE_STRING, Z_STR_P(value));
        case IS_ARRAY:
            if (plan_is_empty(Z_ARRVAL_P(value))) {
                return store_nothing(&s, VALUE_EMPTY_ARRAY);
            }
            return store_array(&s, value);
        default:
            return store_objects(&s, value);
    }
}
