#include "incomplete_objects.h"
#include "lazy.h"

#include "ext/standard/php_incomplete_class.h"

/* Limits the search to some milliseconds: an object may hold a service that leads to all others, although it does
 * not write it. */
enum { HELD_MAX = 100000 };

/*
 * True if igbinary would damage the object. unserialize() sets declared properties from the result of __serialize(),
 * whatever their visibility. igbinary sets only public ones; for others it adds dynamic properties of the same
 * names. It does the same if a class loses its __unserialize() later. If __sleep() names a property that the object
 * does not have, or returns no array, igbinary writes a null or an object, where PHP leaves the property out or
 * writes null. A lazy object shows what it holds only when it is initialized.
 */
static bool is_damaged(zend_object *object) {
    const zend_class_entry *class = object->ce;
    return !class->__serialize != !class->__unserialize || object_is_lazy(object) ||
           (!class->__serialize && zend_hash_str_exists(&class->function_table, ZEND_STRL("__sleep")));
}

void incomplete_objects_note(struct incomplete_objects *objects, zend_object *object) {
    objects->incomplete = objects->incomplete || object->ce == PHP_IC_ENTRY;
    objects->damaged = objects->damaged || is_damaged(object);
}

static void look_into_later(struct incomplete_objects *objects, zend_refcounted *counted) {
    if (objects->count == objects->room) {
        objects->room = objects->room * 2 + 16;
        objects->stack = safe_erealloc(objects->stack, objects->room, sizeof(*objects->stack), 0);
    }
    objects->stack[objects->count++] = counted;
}

static void look_at(struct incomplete_objects *objects, zval *value) {
    objects->looked_at++;
    if (Z_TYPE_P(value) == IS_INDIRECT) {
        value = Z_INDIRECT_P(value);
    }
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) == IS_OBJECT && !(OBJ_FLAGS(Z_OBJ_P(value)) & IS_OBJ_FREE_CALLED)) {
        incomplete_objects_note(objects, Z_OBJ_P(value));
        look_into_later(objects, Z_COUNTED_P(value));
    } else if (Z_TYPE_P(value) == IS_ARRAY && Z_REFCOUNTED_P(value)) { /* others are constant, without objects */
        look_into_later(objects, Z_COUNTED_P(value));
    }
}

static void look_at_elements(struct incomplete_objects *objects, HashTable *table) {
    zval *element;
    ZEND_HASH_FOREACH_VAL(table, element) {
        if (objects->looked_at > HELD_MAX) {
            break;
        }
        look_at(objects, element);
    }
    ZEND_HASH_FOREACH_END();
}

static void look_into_object(struct incomplete_objects *objects, zend_object *object) {
    zval *values;
    int count;
    HashTable *properties = object->handlers->get_gc(object, &values, &count);
    for (int i = 0; i < count && objects->looked_at <= HELD_MAX; i++) {
        look_at(objects, &values[i]);
    }
    if (properties) {
        look_at_elements(objects, properties);
    }
}

void incomplete_objects_look(struct incomplete_objects *objects, zend_object *object) {
    if (!objects->stack) {
        zend_hash_init(&objects->seen, 0, NULL, NULL, false);
    }
    look_into_later(objects, (zend_refcounted *)object);
    while (objects->count > 0 && objects->looked_at <= HELD_MAX) {
        zend_refcounted *counted = objects->stack[--objects->count];
        if (!zend_hash_index_add_empty_element(&objects->seen, (zend_ulong)(uintptr_t)counted >> 3)) {
            continue;
        }
        if (GC_TYPE(counted) == IS_ARRAY) {
            look_at_elements(objects, (HashTable *)counted);
        } else {
            look_into_object(objects, (zend_object *)counted);
        }
    }
    objects->damaged = objects->damaged || objects->looked_at > HELD_MAX;
    objects->count = 0;
}

void incomplete_objects_end(struct incomplete_objects *objects) {
    if (objects->stack) {
        efree(objects->stack);
        zend_hash_destroy(&objects->seen);
    }
}
