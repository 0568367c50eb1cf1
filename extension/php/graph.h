/*
 * Object graphs: a value with objects in it is stored as plain arrays, in PHP's own shape (shape.h), and built from them
 * when it is fetched, without parsing. Strings, and arrays without objects, are zero-copy inside it.
 *
 * The stored value is a packed array of these parts:
 *
 *   root       the value itself
 *   count      of the objects
 *   objects    one after the other, in the order in which serialize() would write them. Each is the number of its class,
 *              then its fields. Of a plain object: its declared properties, in the order of their slots, and then, where
 *              there may be some, the dynamic ones (an array or null). Of a custom one: the array that its __serialize()
 *              returned.
 *              The case of an enum is null, the name of the class, that of the case
 *   arrays     arrays with objects or shared references in them, or null: they cannot be shared between requests, so each
 *              is copied when it is fetched
 *   references shared references, or null: for each how often it occurs, and its value
 *   calls      of __unserialize() and __wakeup(), in their order, or null: for each the number of the object, and the index
 *              in `objects` of the array to pass, 0 for __wakeup()
 *   classes    for each class, three more elements: its name, the same in lower case, and its form
 *
 * In the place of an object, of such an array, of a shared reference, or of a property without a value stands a zval of the
 * type IS_PTR, which no value of PHP code has: a mark, with a number. Walks that copy or move a stored value take it for an
 * integer.
 *
 * A class is plain if unserialize() would set the properties of its objects, and then perhaps call __wakeup(): it is written
 * in PHP (or stdClass). It is custom if it has both __serialize() and __unserialize(), as most classes of PHP itself have.
 * Values with other objects or with resources are serialized (serialize.h), and those with shared references to objects.
 *
 * When it is fetched, its plain classes must still have these properties, and all must be of the same kind; otherwise the
 * fetch is a miss, as for a serialized value whose class has changed. Types are checked as unserialize() checks them, and
 * methods are called when all is built, inner objects first, as unserialize() calls them.
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

/* Of a class. */
enum { GRAPH_NAME, GRAPH_LOWER_CASE, GRAPH_FORM, GRAPH_CLASS };

/* Of a shared reference, and of a call. */
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

/* True if its objects may have properties that are not declared, without a deprecation. */
static zend_always_inline bool graph_may_have_dynamic(const zend_class_entry *class) {
    return class == zend_standard_class_def || (class->ce_flags & ZEND_ACC_ALLOW_DYNAMIC_PROPERTIES);
}

/*
 * What must be the same when an object is fetched. 0: it is no class whose objects are stored so. The low bits are these
 * flags. Of a plain class, the others are a hash of the names of its declared properties, mangled (so with their
 * visibility), in the order of their slots, and of whether there may be others.
 */
enum { FORM_PLAIN = 1, FORM_CUSTOM = 2, FORM_WAKES = 4, FORM_FLAGS = 7 };
zend_long graph_form(const zend_class_entry *class);

/* True if it is plain and has __sleep(), which matters only when it is stored. */
bool graph_sleeps(const zend_class_entry *class);

/* At the start of a request: its classes may lie where others did. */
void graph_forget_forms(void);

/* What the object's __serialize() returns, for the caller to release. False: an exception. */
bool graph_call_serialize(zend_object *object, zval *data);

/*
 * Calls the object's __sleep(). `*kept`: the slots that were named, `*count` of them, in this order; the caller frees it.
 * `dynamic`: the other properties that were named, as an array or null. False: an exception; or serialize() has to do it,
 * because it would warn of what was returned, or would come to a declared property after a dynamic one.
 */
bool graph_call_sleep(zend_object *object, uint32_t **kept, uint32_t *count, zval *dynamic);

/*
 * The stored form of `value` as a PHP array of this request, which shares strings and arrays with it. It may be longer than
 * `most` bytes, beyond which the walk of arrays in arrays ends. NULL: it must be serialized, unless there is an exception.
 * Runs user code: __serialize(), __sleep().
 *
 * It and graph_release() count references to parts of the value down, which makes them candidates for the collector of
 * cycles, and so could start it: its destructors may change the value, or store another. The value itself still holds
 * these parts, so the collector need not look at them.
 */
zend_array *graph_flatten(zval *value, size_t most);
void graph_release(zend_array *graph);

/*
 * Builds the value. `stored` must stay as it is while user code runs (autoloaders, __unserialize(), __wakeup()). Without
 * success `result` stays as it is, and there may be an exception; after an exception of these methods there is a result.
 */
void graph_build(const zend_array *stored, zval *result);

#endif
