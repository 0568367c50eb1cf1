/*
 * Object graphs: a value with objects in it is stored as plain arrays, in PHP's own shape (shape.h), and built from them
 * when it is fetched, without parsing. Strings, and arrays without objects, are zero-copy inside it.
 *
 * The stored value is a packed array of these parts:
 *
 *   root      the value itself
 *   count     of the objects
 *   objects   one after the other. Each is the number of its class, then, where there may be some, its dynamic properties
 *             (an array or null), then its declared ones, in the order of their slots. The case of an enum is null, the
 *             name of the class, that of the case
 *   arrays    arrays with objects in them, or null: they cannot be shared between requests, so each is copied when it is
 *             fetched
 *   classes   for each class, three more elements: its name, the same in lower case, and its form, a hash of the names of
 *             its properties
 *
 * In the place of an object, of such an array, or of a property without a value stands a zval of the type IS_PTR, which
 * no value of PHP code has: a mark, with a number. Walks that copy or move a stored value take it for an integer.
 *
 * An object is stored so if unserialize() would do nothing but set its properties: its class is written in PHP (or
 * stdClass) and has none of the methods that serialize() and unserialize() call. Values with other objects, with shared
 * references or with resources are serialized (serialize.h).
 *
 * When it is fetched, its classes must still have these properties and none of these methods; otherwise the fetch is a miss,
 * as for a serialized value whose class has changed. Types are checked as unserialize() checks them.
 */
#ifndef LARDER_GRAPH_H
#define LARDER_GRAPH_H

#include "php_larder.h"

enum graph_part { GRAPH_ROOT, GRAPH_COUNT, GRAPH_OBJECTS, GRAPH_ARRAYS, GRAPH_CLASSES };

/* Of a class. */
enum { GRAPH_NAME, GRAPH_LOWER_CASE, GRAPH_FORM, GRAPH_CLASS };

enum mark { MARK_OBJECT, MARK_ARRAY, MARK_UNSET, MARK_KINDS };

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

/* Whether its objects may have properties that are not declared, without a deprecation. */
static zend_always_inline bool graph_may_have_dynamic(const zend_class_entry *class) {
    return class == zend_standard_class_def || (class->ce_flags & ZEND_ACC_ALLOW_DYNAMIC_PROPERTIES);
}

/*
 * A hash of the names of its declared properties, mangled (so with their visibility), in the order of their slots, and of
 * whether there may be others. 0: it is no class whose objects are stored so.
 */
zend_long graph_form(const zend_class_entry *class);

/* At the start of a request: its classes may lie where others did. */
void graph_forget_forms(void);

/*
 * The stored form of `value` as a PHP array of this request, which shares strings and arrays with it; NULL: it must be
 * serialized. Runs no user code and never throws.
 *
 * It and graph_release() count references to parts of the value down, which makes them candidates for the collector of
 * cycles, and so could start it: its destructors may change the value, or store another. The value itself still holds
 * these parts, so the collector need not look at them.
 */
zend_array *graph_flatten(zval *value);
void graph_release(zend_array *graph);

/*
 * Builds the value. `stored` must stay as it is while user code runs (autoloaders). Without success `result` stays as it
 * is, and there may be an exception.
 */
void graph_build(const zend_array *stored, zval *result);

#endif
