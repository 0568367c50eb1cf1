/* Calls the methods of classes that are needed to store a graph. */
#include "graph.h"
#include "php_larder.h"
#include "serializer_state.h"

#include "ext/standard/basic_functions.h"
#include "zend_exceptions.h"

/* Calls a method with a separate numbering (serializer_state.h), and as inside a serialize(), so that a serialize()
 * within the method starts afresh. */
static bool call(zend_object *object, zend_function *method, zval *result) {
    const struct serializer_state outer = serializer_state_begin();
    BG(serialize_lock)++;
    zend_call_known_instance_method_with_0_params(method, object, result);
    BG(serialize_lock)--;
    serializer_state_end(&outer);
    if (UNEXPECTED(EG(exception))) {
        zval_ptr_dtor(result);
        return false;
    }
    return true;
}

bool graph_call_serialize(zend_object *object, zval *data) {
    zval returned;
    if (!call(object, object->ce->__serialize, &returned)) {
        return false;
    }
    if (UNEXPECTED(Z_TYPE(returned) != IS_ARRAY)) {
        zval_ptr_dtor(&returned);
        zend_type_error("%s::__serialize() must return an array", ZSTR_VAL(object->ce->name));
        return false;
    }
    ZVAL_COPY_VALUE(data, &returned);
    return true;
}

/* ---- __sleep() ------------------------------------------------------------------------------- */

/* True if this is the property's unmangled name. */
static bool is_called(const zend_property_info *property, const zend_string *name) {
    const char *plain = zend_get_unmangled_property_name(property->name);
    return strlen(plain) == ZSTR_LEN(name) && memcmp(plain, ZSTR_VAL(name), ZSTR_LEN(name)) == 0;
}

static int find_slot(const zend_class_entry *class, const zend_string *name, uint32_t visibility) {
    for (int slot = 0; slot < class->default_properties_count; slot++) {
        const zend_property_info *property = class->properties_info_table[slot];
        if (visibility == 0
                ? zend_string_equals(property->name, name)
                : (property->flags & visibility) && ((visibility & ZEND_ACC_PROTECTED) || property->ce == class) &&
                      is_called(property, name)) {
            return slot;
        }
    }
    return -1;
}

static zval *find_dynamic(const zend_object *object, zend_string *name) {
    zval *property = object->properties ? zend_hash_find(object->properties, name) : NULL;
    return property && Z_TYPE_P(property) != IS_INDIRECT ? property : NULL;
}

static bool keep_dynamic(zval *dynamic, zend_string *name, zval *property) {
    if (Z_TYPE_P(dynamic) != IS_ARRAY) {
        array_init(dynamic);
    }
    if (!zend_hash_add(Z_ARRVAL_P(dynamic), name, property)) {
        return false;
    }
    Z_TRY_ADDREF_P(property);
    return true;
}

/* Notes a property that __sleep() named. The name is looked for as it is, then as that of a private property of the
 * class, then of a protected one. False: serialize() has to do it. */
static bool keep(const zend_object *object, uint32_t *kept, uint32_t *count, zval *dynamic, zend_string *name) {
    int slot = find_slot(object->ce, name, 0);
    if (slot < 0) {
        zval *property = find_dynamic(object, name);
        if (property) {
            return keep_dynamic(dynamic, name, property);
        }
        slot = find_slot(object->ce, name, ZEND_ACC_PRIVATE);
    }
    if (slot < 0) {
        slot = find_slot(object->ce, name, ZEND_ACC_PROTECTED);
    }
    if (slot < 0 || Z_TYPE_P(dynamic) == IS_ARRAY) {
        return false;
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (kept[i] == (uint32_t)slot) {
            return false;
        }
    }
    kept[(*count)++] = (uint32_t)slot;
    return Z_TYPE(object->properties_table[slot]) != IS_UNDEF ||
           ZEND_TYPE_IS_SET(object->ce->properties_info_table[slot]->type);
}

static bool keep_all(const zend_object *object, uint32_t *kept, uint32_t *count, zval *dynamic,
                     const zval *names) {
    zval *name;
    if (Z_TYPE_P(names) != IS_ARRAY) {
        return false;
    }
    ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(names), name) {
        ZVAL_DEREF(name);
        if (Z_TYPE_P(name) != IS_STRING || !keep(object, kept, count, dynamic, Z_STR_P(name))) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

bool graph_call_sleep(zend_object *object, uint32_t **kept, uint32_t *count, zval *dynamic) {
    zval names;
    zend_function *method = zend_hash_str_find_ptr(&object->ce->function_table, ZEND_STRL("__sleep"));
    if (!call(object, method, &names)) {
        return false;
    }
    *count = 0;
    *kept = safe_emalloc((size_t)object->ce->default_properties_count + 1, sizeof(**kept), 0);
    const bool done = keep_all(object, *kept, count, dynamic, &names);
    zval_ptr_dtor(&names);
    return done;
}
