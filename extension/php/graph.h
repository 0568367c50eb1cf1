/*
 * Object graphs: a value that contains objects is stored as plain arrays, in PHP's own shape (shape.h). A fetch
 * builds the objects from them, without parsing. Strings, and arrays without objects, are zero-copy inside it.
 *
 * The stored value is a packed array of these parts:
 *
 *   root       the value itself
 *   count      number of objects
 *   objects    one after the other, in the order in which serialize() would write them. Each is the number of its
 *              class, followed by its fields. Plain object: its declared properties, in the order of their slots;
 *              then, if its class may have some, the dynamic ones (an array or null). Custom object: the array that
 *              its __serialize() returned. Case of an enum: null, the name of the class, the name of the case
 *   arrays     arrays that contain objects or shared references, or null: they cannot be shared between requests, so
 *              each is copied when it is fetched
 *   references shared references, or null: for each the number of its occurrences, and its value
 *   calls      calls of __unserialize() and __wakeup(), in their order, or null: for each the number of the object, and
 *              the index in `objects` of the array to pass, or 0 for __wakeup()
 *   classes    for each class three more elements: its name, its name in lower case, and its form
 *
 * A mark takes the place of an object, of such an array, of a shared reference, or of a property without a value. It
 * is a zval of type IS_PTR, which no value of PHP code has, with a number. Code that walks, copies or moves a stored
 * value treats it as an integer.
 *
 * A class is plain if unserialize() would set the properties of its objects, and then perhaps call __wakeup(): it is
 * written in PHP (or stdClass). It is custom if it has both __serialize() and __unserialize(), as most classes of
 * PHP itself have. Values with other objects, with resources, or with shared references to objects are serialized
 * (serialize.h).
 *
 * When a graph is fetched, its plain classes must still have the same properties, and all classes must be of the
 * same kind. Otherwise the fetch is a miss, as for a serialized value whose class has changed. Types are checked as
 * unserialize() checks them. Methods are called after everything is built, for inner objects first, as unserialize()
 * calls them.
 */
#ifndef LARDER_GRAPH_H
#define LARDER_GRAPH_H

#include "php_larder.h"

enum graph_part {
    GRAPH_ROOT,
    GRAPH_COUNT,
    GRAPH_OBJECTS,
    GRAPH_ARRAYS,
    GRAPH_REFERENCES,
    GRAPH_CALLS,
    GRAPH_CLASSES
};

/* elements of a class */
enum { GRAPH_NAME, GRAPH_LOWER_CASE, GRAPH_FORM, GRAPH_CLASS };

/* elements of a shared reference, and of a call */
enum { GRAPH_OCCURRENCES, GRAPH_REFERRED, GRAPH_REFERENCE };
enum { GRAPH_CALLED, GRAPH_PASSED, GRAPH_CALL };

enum mark { MARK_OBJECT, MARK_ARRAY, MARK_REFERENCE, MARK_UNSET, MARK_KINDS };

static zend_always_inline void mark_set(zval *value, enum mark kind, size_t number) {
    Z_LVAL_P(value) = (zend_long)(number * MARK_KINDS + kind);
    Z_TYPE_INFO_P(value) = IS_PTR;
}

static zend_always_inline enum mark mark_kind(const zval *value) {
    return (enum mark)((zend_ulong)Z_LVAL_P(value) % MARK_KINDS);
}

static zend_always_inline size_t mark_number(const zval *value) {
    return (zend_ulong)Z_LVAL_P(value) / MARK_KINDS;
}

/* True if objects of the class may have undeclared properties without a deprecation. */
static zend_always_inline bool graph_may_have_dynamic(const zend_class_entry *class) {
    return class == zend_standard_class_def || (class->ce_flags & ZEND_ACC_ALLOW_DYNAMIC_PROPERTIES);
}

/*
 * The form of a class: it must be the same when an object is fetched. 0: objects of the class cannot be in a graph.
 * The low bits are these flags. For a plain class the next ones are the number of declared properties, and the other
 * bits are a hash of their names, mangled (so with their visibility), in the order of their slots.
 */
enum {
    FORM_PLAIN = 1,
    FORM_CUSTOM = 2,
    FORM_WAKES = 4,
    FORM_DYNAMIC = 8, /* there may be other properties */
    FORM_SLOTS_SHIFT = 4,
    FORM_SLOTS_MAX = 4095,
    FORM_HASH_SHIFT = 16
};
zend_long graph_form(const zend_class_entry *class);

static zend_always_inline uint32_t form_slots(zend_long form) {
    return ((zend_ulong)form >> FORM_SLOTS_SHIFT) & FORM_SLOTS_MAX;
}

/* The number of fields of an object, also if its class is missing. */
static zend_always_inline uint32_t form_fields(zend_long form) {
    return form & FORM_CUSTOM ? 1 : form_slots(form) + ((form & FORM_DYNAMIC) != 0);
}

/* True if the class is plain and has __sleep(), which matters only when an object is stored. */
bool graph_sleeps(const zend_class_entry *class);

/* Called at the start of a request, whose classes may have the addresses of earlier ones. */
void graph_forget_forms(void);

/* Calls the object's __serialize(). The caller releases `data`. False: an exception. */
bool graph_call_serialize(zend_object *object, zval *data);

/*
 * Calls the object's __sleep(). `*kept` receives the slots that were named, `*count` of them, in this order; the
 * caller frees it. `dynamic` receives the other properties that were named, as an array, or null. False: an
 * exception; or serialize() has to do it, because it would warn about the returned names, or they name a declared
 * property after a dynamic one.
 */
bool graph_call_sleep(zend_object *object, uint32_t **kept, uint32_t *count, zval *dynamic);

/*
 * Returns the stored form of `value` as a PHP array of this request, which shares strings and arrays with `value`.
 * It may be longer than `most` bytes, but the walk of nested arrays ends there. NULL: the value must be serialized,
 * unless there is an exception. Runs user code: __serialize(), __sleep().
 *
 * graph_flatten() and graph_release() drop references to parts of the value. That makes the parts candidates for the
 * cycle collector, and could start it; its destructors may change the value, or store another. The value itself
 * still holds these parts, so the collector need not look at them, and is held off.
 */
zend_array *graph_flatten(zval *value, size_t most);
void graph_release(zend_array *graph);

/*
 * Builds the value. `stored` must not change while user code runs (autoloaders, __unserialize(), __wakeup()). On
 * failure `result` is left as it is, and there may be an exception. After an exception of these methods there is a
 * result. With LARDER_G(reading).incomplete, an object whose class is missing or has changed becomes a
 * __PHP_Incomplete_Class; the names of its declared properties are numbers, because only their hash is stored.
 */
void graph_build(const zend_array *stored, zval *result);

#endif
