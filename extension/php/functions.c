/* The PHP functions: each parses its arguments, makes one call of the engine, and returns. */
#include "attach.h"
#include "fetch.h"
#include "info.h"
#include "last_error.h"
#include "parameters.h"
#include "store.h"

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Parses the arguments of a function that takes only a key. False, with an exception: they are wrong. */
static zend_always_inline bool parse_key(zend_execute_data *execute_data, zend_string **name) {
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(*name)
        ZEND_PARSE_PARAMETERS_END_EX(return false);
        return check_key(*name);
}

/* Computes when an entry with this ttl expires; NULL: larder.default_ttl. False, with an exception: it is not a
 * valid ttl. */
static zend_always_inline bool check_ttl(const zval *ttl, uint32_t argument, uint64_t *expires) {
    const double seconds = ttl ? number_of(ttl) : LARDER_G(default_ttl);
    if (!check_not_negative(seconds, argument)) {
        return false;
    }
    *expires = EXPECTED(seconds == 0) ? 0 : cache_expiry(seconds);
    return true;
}

/* Calls `visit` with each key of an array until it returns false. */
typedef bool (*key_visitor)(struct cache *cache, zend_string *name, void *context);

static void each_key(HashTable *names, key_visitor visit, void *context) {
    zval *element;
    ZEND_HASH_FOREACH_VAL(names, element) {
        ZVAL_DEREF(element);
        if (Z_TYPE_P(element) != IS_STRING && Z_TYPE_P(element) != IS_LONG) {
            zend_argument_type_error(1, "must contain only strings and integers, %s found",
                                     zend_zval_value_name(element));
            return;
        }
        zend_string *name = zval_get_string(element);
        const bool more =
            (is_key(name) || refuse_key(1, "must contain only keys")) && visit(attach(), name, context);
        zend_string_release(name);
        if (!more) {
            return;
        }
    }
    ZEND_HASH_FOREACH_END();
}

/* Calls `visit` with each key of the only argument. `visit` fills the array that is returned. */
static void each_key_function(INTERNAL_FUNCTION_PARAMETERS, key_visitor visit) {
    HashTable *names;

    if (zend_parse_parameters(ZEND_NUM_ARGS(), "h", &names) == FAILURE) {
        RETURN_THROWS();
    }

    array_init(return_value);
    each_key(names, visit, Z_ARRVAL_P(return_value));
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Handles the cases that the fast path of larder_fetch() does not: attaching, hashing, other argument types, errors,
 * defaults. */
static zend_never_inline void fetch_carefully(INTERNAL_FUNCTION_PARAMETERS, bool missed) {
    zend_string *name;
    zval *missing = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(missing)
    ZEND_PARSE_PARAMETERS_END();
    if (!check_key(name)) {
        RETURN_THROWS();
    }

    if (!missed && attach() && fetch(LARDER_G(own).cache, name, return_value)) {
        return;
    }
    set_default(return_value, EG(exception) ? NULL : missing);
}

ZEND_FUNCTION(larder_fetch) {
    const zval *name = ZEND_CALL_ARG(execute_data, 1);
    struct cache *cache = LARDER_G(own).cache;
    bool simple = ZEND_NUM_ARGS() - 1 <= 1 && Z_TYPE_P(name) == IS_STRING && ZSTR_H(Z_STR_P(name)) &&
                  is_key(Z_STR_P(name)) && cache;
#ifdef LARDER_UNREADABLE
    simple = false;
#endif
    if (UNEXPECTED(!simple)) {
        fetch_carefully(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
    } else if (UNEXPECTED(!fetch(cache, Z_STR_P(name), return_value))) {
        fetch_carefully(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
    }
}

/* An element of an array; NULL: there is no such element, or `value` is not an array. */
static zend_always_inline zval *element_of(const zval *value, zend_ulong index) {
    zval *element;
    if (UNEXPECTED(Z_TYPE_P(value) != IS_ARRAY)) {
        return NULL;
    }
    ZEND_HASH_INDEX_FIND(Z_ARRVAL_P(value), index, element, none);
    ZVAL_DEREF(element);
    return element;
none:
    return NULL;
}

/* Fetches the value whose key is the guard's name followed by `name`. */
static zend_always_inline bool fetch_joined(struct cache *cache, zend_string *guard, zend_string *name,
                                            uint64_t not_yet, zval *result, bool *unreadable) {
    const size_t length = ZSTR_LEN(guard) + ZSTR_LEN(name);
    if (UNEXPECTED(length > CACHE_KEY_MAX)) {
        return false;
    }
    ALLOCA_FLAG(on_heap)
    char *bytes = do_alloca(length, on_heap);
    memcpy(bytes, ZSTR_VAL(guard), ZSTR_LEN(guard));
    memcpy(bytes + ZSTR_LEN(guard), ZSTR_VAL(name), ZSTR_LEN(name));
    const zend_ulong hash = hash_joined(string_hash(guard), string_hash(name), ZSTR_LEN(name));
    const struct cache_key key = {bytes, (uint32_t)length, hash};
    struct cache_value value;
    const bool found = find_key(cache, &key, FIND_BESIDE, not_yet, &value);
    *unreadable = found && !decode_value(&value, result);
    free_alloca(bytes, on_heap);
    return found && !*unreadable;
}

/* False: one of the two entries is missing, or has another form or version. A destructor may have left an exception. */
static zend_always_inline bool fetch_guarded(struct cache *cache, zend_string *name, zend_string *guard,
                                             zval *result, bool *unreadable) {
    zval value;
    struct cache_value lease;
    const struct cache_key key = key_of(guard);
    const bool guarded = find_key(cache, &key, FIND_BESIDE, 0, &lease);
    *unreadable = guarded && !decode_value(&lease, &value);
    if (UNEXPECTED(!guarded || *unreadable)) {
        return false;
    }
    const zval *version = element_of(&value, 0);
    const bool versioned = version && Z_TYPE_P(version) == IS_LONG;
    const zend_long expected = versioned ? Z_LVAL_P(version) : 0;
    i_zval_ptr_dtor(&value);
    if (UNEXPECTED(!versioned || EG(exception))) {
        return false;
    }
    cache = attach(); /* objects next to the version may have run code */
    if (UNEXPECTED(!cache || !fetch_joined(cache, guard, name, lease.expires, &value, unreadable))) {
        return false;
    }
    version = element_of(&value, 0);
    zval *found = NULL;
    if (EXPECTED(version && Z_TYPE_P(version) == IS_LONG && Z_LVAL_P(version) == expected)) {
        found = element_of(&value, 1);
    }
    if (EXPECTED(found != NULL)) {
        ZVAL_COPY(result, found);
    }
    i_zval_ptr_dtor(&value);
    return found != NULL;
}

/* The same, and counts it as one fetch. */
static zend_always_inline bool fetch_if(struct cache *cache, zend_string *name, zend_string *guard, zval *result) {
    bool unreadable;
    const bool found = fetch_guarded(cache, name, guard, result, &unreadable);
    cache = LARDER_G(own).cache;
    if (EXPECTED(cache != NULL)) {
        cache_count_fetch(cache, found || unreadable);
        if (UNEXPECTED(unreadable)) {
            cache_unreadable(cache);
        }
    }
    return found;
}

/* Handles the cases that the fast path of larder_fetch_if() does not, as fetch_carefully(). */
static zend_never_inline void fetch_if_carefully(INTERNAL_FUNCTION_PARAMETERS, bool missed) {
    zend_string *name, *guard;
    zval *missing = NULL;

    ZEND_PARSE_PARAMETERS_START(2, 3)
        Z_PARAM_STR(name)
        Z_PARAM_STR(guard)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(missing)
    ZEND_PARSE_PARAMETERS_END();
    if (!check_key(name) || !(is_key(guard) || refuse_key(2, "must be"))) {
        RETURN_THROWS();
    }

    if (!missed && attach() && fetch_if(LARDER_G(own).cache, name, guard, return_value)) {
        return;
    }
    set_default(return_value, EG(exception) ? NULL : missing);
}

ZEND_FUNCTION(larder_fetch_if) {
    const zval *name = ZEND_CALL_ARG(execute_data, 1), *guard = ZEND_CALL_ARG(execute_data, 2);
    struct cache *cache = LARDER_G(own).cache;
    bool simple = ZEND_NUM_ARGS() - 2 <= 1 && Z_TYPE_P(name) == IS_STRING && Z_TYPE_P(guard) == IS_STRING &&
                  is_key(Z_STR_P(name)) && is_key(Z_STR_P(guard)) && cache;
#ifdef LARDER_UNREADABLE
    simple = false;
#endif
    if (UNEXPECTED(!simple)) {
        fetch_if_carefully(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
    } else if (UNEXPECTED(!fetch_if(cache, Z_STR_P(name), Z_STR_P(guard), return_value))) {
        fetch_if_carefully(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
    }
}

struct fetching {
    HashTable *found;
    zval *missing;
};

static bool fetch_one(struct cache *cache, zend_string *name, void *context) {
    struct fetching *fetching = context;
    zval value;
    if (!cache || !fetch(cache, name, &value)) {
        if (EG(exception)) {
            return false;
        }
        set_default(&value, fetching->missing);
    }
    zend_symtable_update(fetching->found, name, &value);
    return true;
}

ZEND_FUNCTION(larder_fetch_multiple) {
    HashTable *names;
    zval *missing = NULL;

    if (zend_parse_parameters(ZEND_NUM_ARGS(), "h|z", &names, &missing) == FAILURE) {
        RETURN_THROWS();
    }

    array_init_size(return_value, zend_hash_num_elements(names));
    struct fetching fetching = {Z_ARRVAL_P(return_value), missing};
    each_key(names, fetch_one, &fetching);
}

ZEND_FUNCTION(larder_fetch_cas) {
    zend_string *name;
    zval *missing = NULL, *cas = NULL;
    struct cache_value value;
    uint64_t token = 0;

    if (zend_parse_parameters(ZEND_NUM_ARGS(), "S|zz", &name, &missing, &cas) == FAILURE || !check_key(name)) {
        RETURN_THROWS();
    }

    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    const bool found = cache && cache_find_token(cache, &key, LARDER_G(zero_copy), &value, &token);
    if (!found || !decode_or_count(cache, &key, &value, return_value)) {
        if (EG(exception)) {
            RETURN_THROWS();
        }
        set_default(return_value, missing);
    }
    /* Done last, because the old value of the variable may have a destructor. */
    if (cas && found) {
        ZEND_TRY_ASSIGN_REF_LONG(cas, (zend_long)token);
    } else if (cas) {
        ZEND_TRY_ASSIGN_REF_NULL(cas);
    }
}

/* Copies the value, so that looking through a cache holds none of its pages. */
ZEND_FUNCTION(larder_peek) {
    zend_string *name;
    zval *missing = NULL;
    bool incomplete = false;
    struct cache_value value;

    if (zend_parse_parameters(ZEND_NUM_ARGS(), "S|zb", &name, &missing, &incomplete) == FAILURE ||
        !check_key(name)) {
        RETURN_THROWS();
    }

    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    const bool found = cache && cache_find_token(cache, &key, CACHE_UNTRACED, &value, NULL);
    LARDER_G(incomplete) = found && incomplete;
    if (!found || !decode_value(&value, return_value)) {
        set_default(return_value, EG(exception) ? NULL : missing);
    }
    LARDER_G(incomplete) = false;
}

static bool exists(struct cache *cache, zend_string *name) {
    const struct cache_key key = key_of(name);
    return cache && cache_exists(cache, &key);
}

ZEND_FUNCTION(larder_exists) {
    zend_string *name;

    if (!parse_key(execute_data, &name)) {
        RETURN_THROWS();
    }

    RETURN_BOOL(exists(attach(), name));
}

static bool exists_one(struct cache *cache, zend_string *name, void *context) {
    zval there;
    ZVAL_BOOL(&there, exists(cache, name));
    zend_symtable_update(context, name, &there);
    return true;
}

ZEND_FUNCTION(larder_key_info) {
    zend_string *name;
    struct cache_entry entry;

    if (!parse_key(execute_data, &name)) {
        RETURN_THROWS();
    }

    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    if (cache && cache_describe(cache, &key, &entry) == CACHE_OK) {
        info_of_entry(&entry, return_value);
    }
}

/* ---- Storing --------------------------------------------------------------------------------- */

static zend_always_inline bool store(zend_string *name, zval *value, const struct lifetime *lifetime,
                                     enum cache_mode mode, const uint64_t *token) {
    struct cache *cache = token || mode == CACHE_REPLACE ? attach() : attach_to_store();
    const struct cache_key key = key_of(name);
    return EXPECTED(cache != NULL) ? store_value(cache, &key, value, lifetime, mode, token)
                                   : is_done(without_cache());
}

/* Computes how long a value is fresh and kept. False, with an exception: an argument is invalid. `stale` and `cost`
 * may be NULL. */
static zend_always_inline bool check_lifetime(const zval *ttl, uint32_t argument, const zval *stale, double cost,
                                              struct lifetime *lifetime) {
    lifetime->freshness = 0;
    if (!check_ttl(ttl, argument, &lifetime->expires)) {
        return false;
    }
    if (EXPECTED(!stale && cost == 0)) {
        return true;
    }
    const double longer = stale ? number_of(stale) : 0;
    if (!check_not_negative(longer, argument + 1) || !check_not_negative(cost, argument + 2)) {
        return false;
    }
    if (lifetime->expires != 0 && (longer > 0 || cost > 0)) {
        lifetime->freshness = cache_freshness(lifetime->expires, cost);
        lifetime->expires =
            MAX(lifetime->expires, cache_expiry((ttl ? number_of(ttl) : LARDER_G(default_ttl)) + longer));
    }
    return true;
}

static zend_always_inline void store_function(INTERNAL_FUNCTION_PARAMETERS, enum cache_mode mode) {
    zend_string *name;
    zval *value, *ttl = NULL, *stale = NULL;
    double cost = 0;
    struct lifetime lifetime;

    ZEND_PARSE_PARAMETERS_START(2, mode == CACHE_SET ? 5 : 3)
        Z_PARAM_STR(name)
        Z_PARAM_ZVAL(value)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER_OR_NULL(ttl)
        Z_PARAM_NUMBER(stale)
        Z_PARAM_DOUBLE(cost)
    ZEND_PARSE_PARAMETERS_END();
    if (!check_key(name) || !check_lifetime(ttl, 3, stale, cost, &lifetime)) {
        RETURN_THROWS();
    }

    RETURN_BOOL(store(name, value, &lifetime, mode, NULL));
}

ZEND_FUNCTION(larder_store_cas) {
    zend_string *name;
    zval *value, *ttl = NULL, *stale = NULL;
    zend_long cas;
    double cost = 0;
    struct lifetime lifetime;

    if (zend_parse_parameters(ZEND_NUM_ARGS(), "Szl|n!nd", &name, &value, &cas, &ttl, &stale, &cost) == FAILURE ||
        !check_key(name) || !check_lifetime(ttl, 4, stale, cost, &lifetime)) {
        RETURN_THROWS();
    }

    const uint64_t token = (uint64_t)cas;
    RETURN_BOOL(store(name, value, &lifetime, CACHE_REPLACE, &token));
}

static void store_multiple(INTERNAL_FUNCTION_PARAMETERS, enum cache_mode mode) {
    HashTable *values;
    zval *ttl = NULL, *value;
    struct lifetime lifetime = {0, 0};
    zend_ulong number;
    zend_string *name;
    uint8_t last = ERROR_NONE;

    if (zend_parse_parameters(ZEND_NUM_ARGS(), "h|n!", &values, &ttl) == FAILURE ||
        !check_ttl(ttl, 2, &lifetime.expires)) {
        RETURN_THROWS();
    }

    RETVAL_EMPTY_ARRAY();
    ZEND_HASH_FOREACH_KEY_VAL(values, number, name, value) {
        name = name ? zend_string_copy(name) : zend_long_to_str((zend_long)number);
        if (!is_key(name)) {
            refuse_key(1, "must contain only keys");
        } else if (!store(name, value, &lifetime, mode, NULL) && !EG(exception)) {
            zval error;
            last = LARDER_G(last_error) ? LARDER_G(last_error) : last;
            ZVAL_LONG(&error, LARDER_G(last_error));
            SEPARATE_ARRAY(return_value);
            zend_symtable_update(Z_ARRVAL_P(return_value), name, &error);
        }
        zend_string_release(name);
        if (EG(exception)) {
            RETURN_THROWS();
        }
    }
    ZEND_HASH_FOREACH_END();
    LARDER_G(last_error) = last;
}

ZEND_FUNCTION(larder_touch) {
    zend_string *name;
    zval *ttl;
    uint64_t expires = 0;

    if (zend_parse_parameters(ZEND_NUM_ARGS(), "Sn", &name, &ttl) == FAILURE || !check_key(name) ||
        !check_ttl(ttl, 2, &expires)) {
        RETURN_THROWS();
    }

    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    RETURN_BOOL(is_done(cache ? cache_touch(cache, &key, expires) : without_cache()));
}

/* ---- Deleting -------------------------------------------------------------------------------- */

static bool delete_key(struct cache *cache, zend_string *name) {
    const struct cache_key key = key_of(name);
    return is_done(cache ? cache_delete(cache, &key) : without_cache());
}

ZEND_FUNCTION(larder_delete) {
    zend_string *name;

    if (!parse_key(execute_data, &name)) {
        RETURN_THROWS();
    }

    RETURN_BOOL(delete_key(attach_to_delete(), name));
}

static bool delete_one(struct cache *cache, zend_string *name, void *context) {
    if (!delete_key(cache, name)) {
        zval absent;
        ZVAL_STR_COPY(&absent, name);
        zend_hash_next_index_insert(context, &absent);
    }
    return true;
}

ZEND_FUNCTION(larder_delete_multiple) {
    attach_to_delete();
    each_key_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, delete_one);
}

ZEND_FUNCTION(larder_delete_prefix) {
    zend_string *prefix;

    if (zend_parse_parameters(ZEND_NUM_ARGS(), "S", &prefix) == FAILURE) {
        RETURN_THROWS();
    }
    if (ZSTR_LEN(prefix) == 0) {
        zend_argument_value_error(1, "must not be empty, larder_clear() deletes everything");
        RETURN_THROWS();
    }

    struct cache *cache = attach_to_delete();
    is_done(cache || LARDER_G(own).absent ? CACHE_OK : CACHE_UNAVAILABLE);
    RETURN_LONG(cache ? (zend_long)cache_delete_prefix(cache, ZSTR_VAL(prefix), ZSTR_LEN(prefix)) : 0);
}

ZEND_FUNCTION(larder_clear) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct cache *cache = attach_to_delete();
    RETURN_BOOL(is_done((cache ? cache_clear(cache) : LARDER_G(own).absent) ? CACHE_OK : CACHE_UNAVAILABLE));
}

ZEND_FUNCTION(larder_release) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct cache *cache = attach();
    RETURN_LONG(cache ? (zend_long)cache_release(cache) : 0);
}

ZEND_FUNCTION(larder_resize) {
    ZEND_PARSE_PARAMETERS_NONE();

    RETURN_BOOL(attach_resize());
}

/* ---- Counting -------------------------------------------------------------------------------- */

static void count_function(INTERNAL_FUNCTION_PARAMETERS, bool down) {
    zend_string *name;
    zend_long step = 1;
    zval *ttl = NULL;
    uint64_t expires = 0;
    int64_t sum;

    ZEND_PARSE_PARAMETERS_START(1, 3)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(step)
        Z_PARAM_NUMBER_OR_NULL(ttl)
    ZEND_PARSE_PARAMETERS_END();
    if (!check_key(name) || !check_ttl(ttl, 3, &expires)) {
        RETURN_THROWS();
    }
    if (down && step == ZEND_LONG_MIN) {
        zend_argument_value_error(2, "must be greater than PHP_INT_MIN");
        RETURN_THROWS();
    }

    struct cache *cache = attach_to_store();
    const struct cache_key key = key_of(name);
    const enum cache_result result =
        cache ? cache_count(cache, &key, down ? -step : step, expires, &sum) : CACHE_UNAVAILABLE;
    if (is_done(result)) {
        RETURN_LONG((zend_long)sum);
    }
    RETURN_FALSE;
}

ZEND_FUNCTION(larder_cas) {
    zend_string *name;
    zend_long expected, desired;

    ZEND_PARSE_PARAMETERS_START(3, 3)
        Z_PARAM_STR(name)
        Z_PARAM_LONG(expected)
        Z_PARAM_LONG(desired)
    ZEND_PARSE_PARAMETERS_END();
    if (!check_key(name)) {
        RETURN_THROWS();
    }

    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    const enum cache_result result = cache ? cache_swap(cache, &key, expected, desired) : without_cache();
    RETURN_BOOL(is_done(result));
}

/* ---- Information ------------------------------------------------------------------------------ */

ZEND_FUNCTION(larder_last_error) {
    ZEND_PARSE_PARAMETERS_NONE();

    RETURN_LONG(LARDER_G(last_error));
}

ZEND_FUNCTION(larder_last_error_msg) {
    ZEND_PARSE_PARAMETERS_NONE();

    RETURN_STR(last_error_message(LARDER_G(apcu_failed) ? &LARDER_G(apcu) : &LARDER_G(own)));
}

ZEND_FUNCTION(larder_info) {
    bool tables = true;

    if (zend_parse_parameters(ZEND_NUM_ARGS(), "|b", &tables) == FAILURE) {
        RETURN_THROWS();
    }

    info_array(attach(), tables, return_value);
}

ZEND_FUNCTION(larder_predict) {
    struct cache_prediction predictions[CACHE_PREDICTIONS];

    ZEND_PARSE_PARAMETERS_NONE();

    struct cache *cache = attach();
    const unsigned count = cache ? cache_predict(cache, predictions) : 0;
    array_init_size(return_value, count);
    for (unsigned i = 0; i < count; i++) {
        zval prediction;
        array_init_size(&prediction, 2);
        add_assoc_long(&prediction, "size", (zend_long)predictions[i].size);
        add_assoc_double(&prediction, "hit_rate", predictions[i].hit_rate);
        add_next_index_zval(return_value, &prediction);
    }
}

/* ---- The process ----------------------------------------------------------------------------- */

ZEND_FUNCTION(larder_pid) {
    ZEND_PARSE_PARAMETERS_NONE();

    RETURN_LONG((zend_long)cache_pid());
}

/* ---- Functions that differ in one argument --------------------------------------------------- */

#define FUNCTION(name, call, argument)                    \
    ZEND_FUNCTION(name) {                                 \
        call(INTERNAL_FUNCTION_PARAM_PASSTHRU, argument); \
    }

FUNCTION(larder_store, store_function, CACHE_SET)
FUNCTION(larder_add, store_function, CACHE_ADD)
FUNCTION(larder_replace, store_function, CACHE_REPLACE)
FUNCTION(larder_store_multiple, store_multiple, CACHE_SET)
FUNCTION(larder_add_multiple, store_multiple, CACHE_ADD)
FUNCTION(larder_exists_multiple, each_key_function, exists_one)
FUNCTION(larder_increment, count_function, false)
FUNCTION(larder_decrement, count_function, true)
