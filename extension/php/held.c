#include "held.h"
#include "lazy.h"

#include "ext/standard/php_incomplete_class.h"

/* Some milliseconds: an object may leave out, when it is written, a service that leads to all others. */
enum { HELD_MAX = 100000 };

/*
 * unserialize() sets declared properties from what __serialize() returned, whatever their visibility. igbinary sets only
 * public ones so: for others it adds dynamic properties of the same names. So it does where a class loses its
 * __unserialize() later. A lazy object shows what it holds only when it is initialized.
 */
static bool is_damaged(zend_object *object) {
    return !object->ce->__serialize != !object->ce->__unserialize || object_is_lazy(object);
}

void held_note(struct held *held, zend_object *object) {
    held->incomplete = held->incomplete || object->ce == PHP_IC_ENTRY;
    held->damaged = held->damaged || is_damaged(object);
}

static void look_into_later(struct held *held, zend_refcounted *counted) {
    if (held->count == held->room) {
        held->room = held->room * 2 + 16;
        held->stack = safe_erealloc(held->stack, held->room, sizeof(*held->stack), 0);
    }
    held->stack[held->count++] = counted;
}

static void look_at(struct held *held, zval *value) {
    held->looked_at++;
    if (Z_TYPE_P(value) == IS_INDIRECT) {
        value = Z_INDIRECT_P(value);
    }
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) == IS_OBJECT && !(OBJ_FLAGS(Z_OBJ_P(value)) & IS_OBJ_FREE_CALLED)) {
        held_note(held, Z_OBJ_P(value));
        look_into_later(held, Z_COUNTED_P(value));
    } else if (Z_TYPE_P(value) == IS_ARRAY && Z_REFCOUNTED_P(value)) { /* others are constant, without objects */
        look_into_later(held, Z_COUNTED_P(value));
    }
}

static void look_at_elements(struct held *held, HashTable *table) {
    zval *element;
    ZEND_HASH_FOREACH_VAL(table, element) {
        if (held->looked_at > HELD_MAX) {
            break;
        }
        look_at(held, element);
    }
    ZEND_HASH_FOREACH_END();
}

static void look_into_object(struct held *held, zend_object *object) {
    zval *values;
    int count;
    HashTable *properties = object->handlers->get_gc(object, &values, &count);
    for (int i = 0; i < count && held->looked_at <= HELD_MAX; i++) {
        look_at(held, &values[i]);
    }
    if (properties) {
        look_at_elements(held, properties);
    }
}

void held_look(struct held *held, zend_object *object) {
    if (!held->stack) {
        zend_hash_init(&held->seen, 0, NULL, NULL, false);
    }
    look_into_later(held, (zend_refcounted *)object);
    while (held->count > 0 && held->looked_at <= HELD_MAX) {
        zend_refcounted *counted = held->stack[--held->count];
        if (!zend_hash_index_add_empty_element(&held->seen, (zend_ulong)(uintptr_t)counted >> 3)) {
            continue;
        }
        if (GC_TYPE(counted) == IS_ARRAY) {
            look_at_elements(held, (HashTable *)counted);
        } else {
            look_into_object(held, (zend_object *)counted);
        }
    }
    held->damaged = held->damaged || held->looked_at > HELD_MAX;
    held->count = 0;
}

void held_end(struct held *held) {
    if (held->stack) {
        efree(held->stack);
        zend_hash_destroy(&held->seen);
    }
}
