/* All functions except apcu_entry() and those that describe the cache. */
#include "php_apcu.h"

#include "ext/standard/php_var.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

/* ---- Values ---------------------------------------------------------------------------------- */

/* True if the engine refused a value because of a resource, which this exception shows. */
static bool is_refused_resource(void) {
    static const char message[] = "Serialization of 'resource' is not allowed";
    zval holder;
    const zval *said =
        zend_read_property_ex(zend_ce_exception, EG(exception), ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &holder);
    return EG(exception)->ce == zend_ce_exception && Z_TYPE_P(said) == IS_STRING &&
           zend_string_equals_cstr(Z_STR_P(said), message, sizeof(message) - 1);
}

/* Replaces resources inside a value by 0, as serialize() does and APCu stores them. Does not call PHP's functions,
 * which disable_functions may take away. */
static void without_resources(zval *value, zval *result) {
    smart_str bytes = {0};
    php_serialize_data_t state;
    PHP_VAR_SERIALIZE_INIT(state);
    php_var_serialize(&bytes, value, &state);
    PHP_VAR_SERIALIZE_DESTROY(state);
    ZVAL_NULL(result);
    if (bytes.s && !EG(exception)) {
        php_unserialize_with_options(result, ZSTR_VAL(bytes.s), ZSTR_LEN(bytes.s), NULL, "apcu_store");
    }
    smart_str_free(&bytes);
}

static ZEND_COLD bool store_resource(zend_string *key, zval *value, zend_long ttl, bool adds) {
    zval other;
    zend_clear_exception();
    if (Z_TYPE_P(value) == IS_RESOURCE) {
        php_error_docref(NULL, E_WARNING, "Cannot store resources in apcu cache");
        return false;
    }
    without_resources(value, &other);
    const bool stored = !EG(exception) && larder->store(key, &other, ttl, adds);
    zval_ptr_dtor(&other);
    return stored;
}

bool apcu_store_value(zend_string *key, zval *value, zend_long ttl, bool adds) {
    ttl = (int32_t)(uint32_t)ttl;
    if (UNEXPECTED(ttl < 0)) { /* the entry has expired already */
        if (adds) {
            return !larder->exists(key);
        }
        larder->remove(key);
        return true;
    }
    const bool stored = larder->store(key, value, ttl, adds);
    if (UNEXPECTED(!stored && EG(exception) && is_refused_resource())) {
        return store_resource(key, value, ttl, adds);
    }
    return stored;
}

/* ---- Storing --------------------------------------------------------------------------------- */

static void store_array(HashTable *values, zend_long ttl, bool adds, zval *failed) {
    zend_string *key;
    zend_ulong number;
    zval *value, held, error;

    ZVAL_LONG(&error, -1);
    array_init(failed);
    ZEND_HASH_FOREACH_KEY_VAL(values, number, key, value) {
        key = key ? zend_string_copy(key) : zend_long_to_str((zend_long)number);
        ZVAL_COPY_DEREF(&held, value); /* held: methods of its objects may assign to a reference in the array */
        if (!is_enabled() || !apcu_store_value(key, &held, ttl, adds)) {
            zend_symtable_update(Z_ARRVAL_P(failed), key, &error);
        }
        zval_ptr_dtor(&held);
        zend_string_release(key);
        if (UNEXPECTED(EG(exception))) {
            return;
        }
    }
    ZEND_HASH_FOREACH_END();
}

static zend_always_inline void store_function(INTERNAL_FUNCTION_PARAMETERS, bool adds) {
    zval *key, *value = NULL;
    zend_long ttl = 0;

    ZEND_PARSE_PARAMETERS_START(1, 3)
        Z_PARAM_ZVAL(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(value)
        Z_PARAM_LONG(ttl)
    ZEND_PARSE_PARAMETERS_END();

    if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) {
        RETURN_BOOL(value && is_enabled() && apcu_store_value(Z_STR_P(key), value, ttl, adds));
    }
    if (Z_TYPE_P(key) == IS_ARRAY) {
        store_array(Z_ARRVAL_P(key), ttl, adds, return_value);
        return;
    }
    php_error_docref(NULL, E_WARNING,
                     "apc_store expects key parameter to be a string or an array of key/value pairs.");
    RETURN_FALSE;
}

ZEND_FUNCTION(apcu_store) {
    store_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
}

ZEND_FUNCTION(apcu_add) {
    store_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
}

/* ---- Fetching -------------------------------------------------------------------------------- */

/* Holds the key, because a class's __wakeup() may assign to a reference from which the list has the key. */
static void fetch_into(HashTable *values, zend_string *key) {
    zval value;
    zend_string_addref(key);
    if (larder->fetch(key, &value)) {
        zend_hash_update(values, key, &value);
    }
    zend_string_release(key);
}

static void fetch_array(HashTable *keys, zval *values) {
    zval *key;
    array_init_size(values, zend_hash_num_elements(keys));
    ZEND_HASH_FOREACH_VAL(keys, key) {
        ZVAL_DEREF(key);
        if (Z_TYPE_P(key) != IS_STRING) {
            php_error_docref(NULL, E_WARNING, "apc_fetch() expects a string or array of strings.");
        } else if (is_enabled()) {
            fetch_into(Z_ARRVAL_P(values), Z_STR_P(key));
        }
        if (UNEXPECTED(EG(exception))) {
            return;
        }
    }
    ZEND_HASH_FOREACH_END();
}

static bool fetch_of_any_type(zval *key, zval *value) {
    zend_string *name = zval_get_string(key);
    const bool found = !EG(exception) && is_enabled() && larder->fetch(name, value);
    zend_string_release(name);
    return found;
}

ZEND_FUNCTION(apcu_fetch) {
    zval *key, *success = NULL;
    bool found;

    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_ZVAL(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(success)
    ZEND_PARSE_PARAMETERS_END();

    if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) {
        found = is_enabled() && larder->fetch(Z_STR_P(key), return_value);
    } else if (Z_TYPE_P(key) == IS_ARRAY) {
        fetch_array(Z_ARRVAL_P(key), return_value);
        found = true;
    } else {
        found = fetch_of_any_type(key, return_value);
    }
    if (success) {
        ZEND_TRY_ASSIGN_REF_BOOL(success, found);
    }
    if (!found) {
        RETURN_FALSE;
    }
}

static bool exists(zend_string *key) {
    return is_enabled() && larder->exists(key);
}

static void exists_array(HashTable *keys, zval *found) {
    zval *key, yes;
    ZVAL_TRUE(&yes);
    array_init(found);
    ZEND_HASH_FOREACH_VAL(keys, key) {
        ZVAL_DEREF(key);
        if (Z_TYPE_P(key) != IS_STRING) {
            php_error_docref(NULL, E_WARNING, "apc_exists() expects a string or array of strings.");
        } else if (exists(Z_STR_P(key))) {
            zend_hash_update(Z_ARRVAL_P(found), Z_STR_P(key), &yes);
        }
    }
    ZEND_HASH_FOREACH_END();
}

ZEND_FUNCTION(apcu_exists) {
    zval *key;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_ZVAL(key)
    ZEND_PARSE_PARAMETERS_END();

    if (Z_TYPE_P(key) == IS_ARRAY) {
        exists_array(Z_ARRVAL_P(key), return_value);
        return;
    }
    zend_string *name = zval_get_string(key);
    RETVAL_BOOL(exists(name));
    zend_string_release(name);
}

/* ---- Deleting -------------------------------------------------------------------------------- */

static bool delete (const zval *key) {
    return is_enabled() && larder->remove(Z_STR_P(key));
}

static ZEND_COLD void warn_of_delete(void) {
    php_error_docref(NULL, E_WARNING, "apc_delete() expects a string, array of strings, or APCIterator instance");
}

static void delete_array(HashTable *keys, zval *failed) {
    zval *key;
    array_init(failed);
    ZEND_HASH_FOREACH_VAL(keys, key) {
        ZVAL_DEREF(key);
        if (Z_TYPE_P(key) != IS_STRING) {
            warn_of_delete();
        }
        if (Z_TYPE_P(key) != IS_STRING || !delete (key)) {
            Z_TRY_ADDREF_P(key);
            add_next_index_zval(failed, key);
        }
    }
    ZEND_HASH_FOREACH_END();
}

ZEND_FUNCTION(apcu_delete) {
    zval *keys;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_ZVAL(keys)
    ZEND_PARSE_PARAMETERS_END();

    switch (Z_TYPE_P(keys)) {
        case IS_STRING:
            RETURN_BOOL(delete (keys));
        case IS_ARRAY:
            delete_array(Z_ARRVAL_P(keys), return_value);
            return;
        case IS_OBJECT:
            RETURN_BOOL(iterator_delete(keys));
        default:
            warn_of_delete();
            RETURN_FALSE;
    }
}

ZEND_FUNCTION(apcu_clear_cache) {
    ZEND_PARSE_PARAMETERS_NONE();

    if (is_enabled()) {
        larder->clear();
    }
    RETURN_TRUE;
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* Counts a key. A key that would expire at once is not created. */
static bool count(zend_string *key, zend_long step, zend_long ttl, zend_long *sum) {
    ttl = (int32_t)(uint32_t)ttl;
    if (!is_enabled() || (ttl < 0 && !larder->exists(key))) {
        return false;
    }
    return larder->count(key, step, MAX(ttl, 0), sum);
}

static zend_always_inline void count_function(INTERNAL_FUNCTION_PARAMETERS, bool down) {
    zend_string *key;
    zend_long step = 1, ttl = 0, sum;
    zval *success = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 4)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(step)
        Z_PARAM_ZVAL(success)
        Z_PARAM_LONG(ttl)
    ZEND_PARSE_PARAMETERS_END();

    const bool counted = count(key, down ? (zend_long)(0 - (zend_ulong)step) : step, ttl, &sum);
    if (success) {
        ZEND_TRY_ASSIGN_REF_BOOL(success, counted);
    }
    if (counted) {
        RETURN_LONG(sum);
    }
    RETURN_FALSE;
}

ZEND_FUNCTION(apcu_inc) {
    count_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
}

ZEND_FUNCTION(apcu_dec) {
    count_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
}

ZEND_FUNCTION(apcu_cas) {
    zend_string *key;
    zend_long old, new;

    ZEND_PARSE_PARAMETERS_START(3, 3)
        Z_PARAM_STR(key)
        Z_PARAM_LONG(old)
        Z_PARAM_LONG(new)
    ZEND_PARSE_PARAMETERS_END();

    RETURN_BOOL(is_enabled() && larder->swap(key, old, new));
}
