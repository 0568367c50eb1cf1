#include "objects.h"
#include "php_larder.h"
#include "shape.h"

#include "ext/standard/php_var.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

/*
 * igbinary is called as the PHP function that it is: its C interface is not exported in every build, and would
 * tie this binary to one version of it. A call costs a hundredth of what serializing an object costs.
 */
zend_function *objects_igbinary(const char *name, size_t length) {
    return zend_hash_str_find_ptr(CG(function_table), name, length);
}

bool objects_use_igbinary(void) {
    return LARDER_G(serializer) != SERIALIZER_PHP && objects_igbinary(ZEND_STRL("igbinary_serialize")) &&
           objects_igbinary(ZEND_STRL("igbinary_unserialize"));
}

/* ---- Resources ------------------------------------------------------------------------------ */

/*
 * serialize() turns a resource into 0 without a word, igbinary into null. So the value is searched for them
 * first, its arrays and objects too, except objects that decide themselves what is serialized of them.
 */
struct search {
    zend_refcounted **list; /* arrays and objects that were met, each marked */
    size_t count, room;
};

static bool decides_itself(const zend_class_entry *class) {
    return class->serialize || class->__serialize || (class->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) ||
           zend_hash_str_exists(&class->function_table, ZEND_STRL("__sleep"));
}

/* Whether this is a resource. Adds what may hold one to the list, once. */
static bool resource_met(struct search *met, zval *value) {
    ZVAL_DEREF(value);
    bool may_hold =
        Z_TYPE_P(value) == IS_ARRAY || (Z_TYPE_P(value) == IS_OBJECT && !decides_itself(Z_OBJCE_P(value)));
    /* Immutable arrays hold none; what is marked was met before. */
    if (may_hold && !(GC_FLAGS(Z_COUNTED_P(value)) & (GC_IMMUTABLE | GC_PROTECTED))) {
        if (met->count == met->room) {
            met->room = met->room * 2 + 16;
            met->list = safe_erealloc(met->list, met->room, sizeof(*met->list), 0);
        }
        GC_PROTECT_RECURSION(Z_COUNTED_P(value));
        met->list[met->count++] = Z_COUNTED_P(value);
    }
    return Z_TYPE_P(value) == IS_RESOURCE;
}

static bool resource_in_array(struct search *met, HashTable *array) {
    zval *element;
    ZEND_HASH_FOREACH_VAL(array, element) {
        if (Z_TYPE_P(element) != IS_INDIRECT && resource_met(met, element)) {
            return true;
        }
    }
    ZEND_HASH_FOREACH_END();
    return false;
}

static bool resource_in_object(struct search *met, zend_object *object) {
    for (int i = 0; i < object->ce->default_properties_count; i++) {
        if (resource_met(met, &object->properties_table[i])) {
            return true;
        }
    }
    return object->properties && resource_in_array(met, object->properties); /* dynamic ones */
}

static bool holds_resource(zval *value) {
    struct search met = {NULL, 0, 0};
    bool found = resource_met(&met, value);
    for (size_t i = 0; i < met.count && !found; i++) {
        found = GC_TYPE(met.list[i]) == IS_ARRAY ? resource_in_array(&met, (HashTable *)met.list[i])
                                                 : resource_in_object(&met, (zend_object *)met.list[i]);
    }
    for (size_t i = 0; i < met.count; i++) {
        GC_UNPROTECT_RECURSION(met.list[i]);
    }
    if (met.list) {
        efree(met.list);
    }
    return found;
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
    zend_call_known_function(objects_igbinary(ZEND_STRL("igbinary_serialize")), NULL, NULL, &bytes, 1, value,
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
    const struct counting outer = apart_begin();
    *kind = objects_use_igbinary() ? VALUE_IGBINARY : VALUE_PHP;
    zend_string *bytes = *kind == VALUE_IGBINARY ? serialize_by_igbinary(value) : serialize_by_php(value);
    apart_end(&outer);
    return bytes;
}
