#include "objects.h"
#include "shape.h"

#include "ext/standard/php_var.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

/*
 * igbinary is called as the PHP function that it is: its C interface is not exported in every build, and would
 * tie this binary to one version of it. A call costs a hundredth of what serializing an object costs.
 */
static zend_function *igbinary_function(const char *name, size_t length) {
    return zend_hash_str_find_ptr(CG(function_table), name, length);
}

bool objects_use_igbinary(void) {
    return LARDER_G(serializer) != SERIALIZER_PHP && igbinary_function(ZEND_STRL("igbinary_serialize")) &&
           igbinary_function(ZEND_STRL("igbinary_unserialize"));
}

/* ---- Resources ------------------------------------------------------------------------------ */

/*
 * serialize() turns a resource into 0 without a word, igbinary into null. One that is in the value itself or
 * in its arrays is refused; what objects hold is theirs to serialize.
 */
struct arrays {
    HashTable **list;
    size_t count, room;
};

static bool resource_in(struct arrays *found, zval *value) {
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) == IS_ARRAY) {
        HashTable *array = Z_ARR_P(value);
        if (GC_FLAGS(array) & (GC_IMMUTABLE | GC_PROTECTED)) {
            return false; /* immutable ones hold no resources; marked ones were met before */
        }
        if (found->count == found->room) {
            found->room = found->room * 2 + 16;
            found->list = safe_erealloc(found->list, found->room, sizeof(*found->list), 0);
        }
        GC_PROTECT_RECURSION(array);
        found->list[found->count++] = array;
    }
    return Z_TYPE_P(value) == IS_RESOURCE;
}

static bool holds_resource(zval *value) {
    struct arrays found = {NULL, 0, 0};
    bool yes = resource_in(&found, value);
    for (size_t i = 0; i < found.count && !yes; i++) {
        zval *element;
        ZEND_HASH_FOREACH_VAL(found.list[i], element) {
            if (resource_in(&found, element)) {
                yes = true;
                break;
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    for (size_t i = 0; i < found.count; i++) {
        GC_UNPROTECT_RECURSION(found.list[i]);
    }
    if (found.list) {
        efree(found.list);
    }
    return yes;
}

/* ---- Serializing ----------------------------------------------------------------------------- */

static zend_string *serialize_by_php(zval *value) {
    php_serialize_data_t data;
    smart_str bytes = {0};
    PHP_VAR_SERIALIZE_INIT(data);
    php_var_serialize(&bytes, value, &data);
    PHP_VAR_SERIALIZE_DESTROY(data);
    if (EG(exception)) {
        smart_str_free(&bytes);
        return NULL;
    }
    return smart_str_extract(&bytes);
}

static zend_string *serialize_by_igbinary(zval *value) {
    zval bytes;
    zend_call_known_function(igbinary_function(ZEND_STRL("igbinary_serialize")), NULL, NULL, &bytes, 1, value,
                             NULL);
    if (!EG(exception) && Z_TYPE(bytes) == IS_STRING) {
        return Z_STR(bytes);
    }
    zval_ptr_dtor(&bytes);
    if (!EG(exception)) {
        zend_throw_exception(NULL, "igbinary could not serialize the value", 0);
    }
    return NULL;
}

zend_string *objects_serialize(zval *value, uint32_t *kind) {
    if (holds_resource(value)) {
        zend_throw_exception(NULL, "Serialization of 'resource' is not allowed", 0);
        return NULL;
    }
    if (objects_use_igbinary()) {
        *kind = VALUE_IGBINARY;
        return serialize_by_igbinary(value);
    }
    *kind = VALUE_PHP;
    return serialize_by_php(value);
}

static bool unserialize_by_igbinary(zend_string *bytes, zval *result) {
    zend_function *function = igbinary_function(ZEND_STRL("igbinary_unserialize"));
    if (!function) {
        php_error_docref(NULL, E_WARNING, "The value was serialized by igbinary, which is not loaded here");
        return false;
    }
    zval argument;
    ZVAL_STR(&argument, bytes);
    zend_call_known_function(function, NULL, NULL, result, 1, &argument, NULL);
    return true;
}

bool objects_unserialize(zend_string *bytes, uint32_t kind, zval *result) {
    if (kind == VALUE_PHP) {
        php_unserialize_with_options(result, ZSTR_VAL(bytes), ZSTR_LEN(bytes), NULL, "larder_fetch");
    } else if (!unserialize_by_igbinary(bytes, result)) {
        return false;
    }
    /* Only objects, and arrays with something in them, are serialized here. Anything less was a failure, of which
     * the unserializer has warned. */
    return !EG(exception) && Z_TYPE_P(result) > IS_TRUE;
}
