/* The functions: each parses its arguments, makes one call, and returns. */
#include "attach.h"
#include "info.h"
#include "store.h"
#include "view.h"

/* ---- Arguments ------------------------------------------------------------------------------- */

static zend_always_inline bool is_key(const zend_string *name) {
    return ZSTR_LEN(name) - 1 < CACHE_KEY_MAX;
}

static zend_always_inline struct cache_key key_of(zend_string *name) {
    return (struct cache_key){ZSTR_VAL(name), (uint32_t)ZSTR_LEN(name), ZSTR_HASH(name)};
}

static ZEND_COLD void refuse_key(uint32_t argument, const char *subject) {
    zend_argument_value_error(argument, "%s between 1 and %d bytes long", subject, CACHE_KEY_MAX);
}

#define CHECK_KEY(name)              \
    if (UNEXPECTED(!is_key(name))) { \
        refuse_key(1, "must be");    \
        RETURN_THROWS();             \
    }

/* Seconds of a ttl argument. False, with an exception, if it is none. */
static bool check_ttl(const zval *ttl, uint32_t argument, double *seconds) {
    *seconds = 0;
    if (ttl) {
        *seconds = Z_TYPE_P(ttl) == IS_LONG ? (double)Z_LVAL_P(ttl) : Z_DVAL_P(ttl);
    }
    if (UNEXPECTED(!(*seconds >= 0))) {
        zend_argument_value_error(argument, "must be greater than or equal to 0");
        return false;
    }
    return true;
}

#define CHECK_TTL(ttl, argument, seconds)      \
    if (!check_ttl(ttl, argument, &seconds)) { \
        RETURN_THROWS();                       \
    }

static uint64_t expiry(double seconds) {
    return seconds == 0 ? 0 : cache_expiry(seconds);
}

/* A list of keys given as an array: calls `each` with every one until it says false. */
typedef bool (*key_visitor)(struct cache *cache, zend_string *name, void *context);

static bool each_key(HashTable *names, key_visitor visit, void *context) {
    zval *element;
    ZEND_HASH_FOREACH_VAL(names, element) {
        ZVAL_DEREF(element);
        if (Z_TYPE_P(element) != IS_STRING && Z_TYPE_P(element) != IS_LONG) {
            zend_argument_type_error(1, "must contain only strings and integers, %s found",
                                     zend_zval_value_name(element));
            return false;
        }
        zend_string *name = zval_get_string(element);
        if (!is_key(name)) {
            refuse_key(1, "must contain only keys");
        }
        bool more = !EG(exception) && visit(attach(), name, context);
        zend_string_release(name);
        if (!more) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* False: a miss, or a value that could not be read, which may have left an exception. */
static zend_always_inline bool fetch(struct cache *cache, zend_string *name, zval *result) {
    struct cache_value value;
    const struct cache_key key = key_of(name);
    if (UNEXPECTED(cache == NULL) || !cache_find(cache, &key, LARDER_G(zero_copy), &value)) {
        return false;
    }
#ifdef LARDER_UNREADABLE
    if (LARDER_G(control) == CONTROL_UNPIN) {
        cache_request_end(cache, false);
    }
#endif
    return view_value(&value, result);
}

ZEND_FUNCTION(larder_fetch) {
    zend_string *name;
    zval *missing = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(missing)
    ZEND_PARSE_PARAMETERS_END();
    CHECK_KEY(name)

    if (EXPECTED(fetch(attach(), name, return_value))) {
        return;
    }
    if (missing && !EG(exception)) {
        RETURN_COPY(missing);
    }
    RETURN_NULL();
}

struct fetching {
    HashTable *found;
    zval *missing;
};

static bool fetch_one(struct cache *cache, zend_string *name, void *context) {
    struct fetching *fetching = context;
    zval value;
    if (!fetch(cache, name, &value)) {
        if (EG(exception)) {
            return false;
        }
        if (fetching->missing) {
            ZVAL_COPY(&value, fetching->missing);
        } else {
            ZVAL_NULL(&value);
        }
    }
    zend_symtable_update(fetching->found, name, &value);
    return true;
}

ZEND_FUNCTION(larder_fetch_multiple) {
    HashTable *names;
    zval *missing = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_ARRAY_HT(names)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(missing)
    ZEND_PARSE_PARAMETERS_END();

    array_init_size(return_value, zend_hash_num_elements(names));
    struct fetching fetching = {Z_ARRVAL_P(return_value), missing};
    each_key(names, fetch_one, &fetching);
}

ZEND_FUNCTION(larder_exists) {
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();
    CHECK_KEY(name)

    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    RETURN_BOOL(cache && cache_exists(cache, &key));
}

/* ---- Storing --------------------------------------------------------------------------------- */

static bool store(zend_string *name, zval *value, double ttl, enum cache_mode mode) {
    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    return cache && store_value(cache, &key, value, expiry(ttl), mode);
}

static void store_function(INTERNAL_FUNCTION_PARAMETERS, enum cache_mode mode) {
    zend_string *name;
    zval *value, *ttl = NULL;
    double seconds;

    ZEND_PARSE_PARAMETERS_START(2, 3)
        Z_PARAM_STR(name)
        Z_PARAM_ZVAL(value)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(ttl)
    ZEND_PARSE_PARAMETERS_END();
    CHECK_KEY(name)
    CHECK_TTL(ttl, 3, seconds)

    RETURN_BOOL(store(name, value, seconds, mode));
}

ZEND_FUNCTION(larder_store) {
    store_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, CACHE_SET);
}

ZEND_FUNCTION(larder_add) {
    store_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, CACHE_ADD);
}

ZEND_FUNCTION(larder_replace) {
    store_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, CACHE_REPLACE);
}

ZEND_FUNCTION(larder_store_multiple) {
    HashTable *values;
    zval *ttl = NULL, *value;
    double seconds;
    zend_ulong number;
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_ARRAY_HT(values)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(ttl)
    ZEND_PARSE_PARAMETERS_END();
    CHECK_TTL(ttl, 2, seconds)

    RETVAL_TRUE;
    ZEND_HASH_FOREACH_KEY_VAL(values, number, name, value) {
        name = name ? zend_string_copy(name) : zend_long_to_str((zend_long)number);
        if (!is_key(name)) {
            refuse_key(1, "must contain only keys");
        } else if (!store(name, value, seconds, CACHE_SET)) {
            RETVAL_FALSE;
        }
        zend_string_release(name);
        if (EG(exception)) {
            RETURN_THROWS();
        }
    }
    ZEND_HASH_FOREACH_END();
}

ZEND_FUNCTION(larder_touch) {
    zend_string *name;
    zval *ttl;
    double seconds;

    ZEND_PARSE_PARAMETERS_START(2, 2)
        Z_PARAM_STR(name)
        Z_PARAM_NUMBER(ttl)
    ZEND_PARSE_PARAMETERS_END();
    CHECK_KEY(name)
    CHECK_TTL(ttl, 2, seconds)

    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    RETURN_BOOL(cache && cache_touch(cache, &key, expiry(seconds)) == CACHE_OK);
}

/* ---- Deleting -------------------------------------------------------------------------------- */

static bool delete_key(struct cache *cache, zend_string *name) {
    const struct cache_key key = key_of(name);
    return cache && cache_delete(cache, &key) == CACHE_OK;
}

ZEND_FUNCTION(larder_delete) {
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();
    CHECK_KEY(name)

    RETURN_BOOL(delete_key(attach(), name));
}

static bool delete_one(struct cache *cache, zend_string *name, void *context) {
    bool *all = context;
    *all = delete_key(cache, name) && *all;
    return true;
}

ZEND_FUNCTION(larder_delete_multiple) {
    HashTable *names;
    bool all = true;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_ARRAY_HT(names)
    ZEND_PARSE_PARAMETERS_END();

    each_key(names, delete_one, &all);
    RETURN_BOOL(all);
}

ZEND_FUNCTION(larder_clear) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct cache *cache = attach();
    RETURN_BOOL(cache && cache_clear(cache));
}

/* ---- Counting -------------------------------------------------------------------------------- */

static void count_function(INTERNAL_FUNCTION_PARAMETERS, bool down) {
    zend_string *name;
    zend_long step = 1;
    zval *ttl = NULL;
    double seconds;
    int64_t sum;

    ZEND_PARSE_PARAMETERS_START(1, 3)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(step)
        Z_PARAM_NUMBER(ttl)
    ZEND_PARSE_PARAMETERS_END();
    CHECK_KEY(name)
    CHECK_TTL(ttl, 3, seconds)
    if (down && step == ZEND_LONG_MIN) {
        zend_argument_value_error(2, "must be greater than PHP_INT_MIN");
        RETURN_THROWS();
    }

    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    if (cache && cache_count(cache, &key, down ? -step : step, expiry(seconds), &sum) == CACHE_OK) {
        RETURN_LONG((zend_long)sum);
    }
    RETURN_FALSE;
}

ZEND_FUNCTION(larder_increment) {
    count_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
}

ZEND_FUNCTION(larder_decrement) {
    count_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
}

ZEND_FUNCTION(larder_cas) {
    zend_string *name;
    zend_long expected, desired;

    ZEND_PARSE_PARAMETERS_START(3, 3)
        Z_PARAM_STR(name)
        Z_PARAM_LONG(expected)
        Z_PARAM_LONG(desired)
    ZEND_PARSE_PARAMETERS_END();
    CHECK_KEY(name)

    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    RETURN_BOOL(cache && cache_swap(cache, &key, expected, desired) == CACHE_OK);
}

/* ---- Figures --------------------------------------------------------------------------------- */

ZEND_FUNCTION(larder_info) {
    ZEND_PARSE_PARAMETERS_NONE();

    info_array(attach(), return_value);
}
