#include "serialize.h"
#include "classes.h"
#include "hash.h"
#include "incomplete_objects.h"
#include "php_larder.h"
#include "serializer_state.h"
#include "shape.h"

#include "ext/standard/basic_functions.h"
#include "ext/standard/php_incomplete_class.h"
#include "ext/standard/php_var.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

/*
 * Calls igbinary's PHP functions: not every build exports its C interface, which would also tie this binary to one
 * version. A call costs a hundredth of serializing an object.
 */
zend_function *igbinary_function(const char *name, size_t length) {
    return zend_hash_str_find_ptr(CG(function_table), name, length);
}

bool serialize_uses_igbinary(void) {
    return LARDER_G(serializer) != SERIALIZER_PHP && !classes_are_limited() &&
           igbinary_function(ZEND_STRL("igbinary_serialize")) &&
           igbinary_function(ZEND_STRL("igbinary_unserialize"));
}

/* ---- Before serializing ---------------------------------------------------------------------- */

/*
 * Before serializing, inspects the whole value, except inside objects that serialize themselves:
 *  - for resources, which serialize() silently turns into 0 and igbinary into null;
 *  - for its size, to refuse a value that is too large without serializing it. The weight is a lower bound of the
 *    serialized size;
 *  - for its depth. unserialize() refuses more levels than unserialize_max_depth, and from some ten thousand on the
 *    recursion of serializers overflows the stack.
 *
 * The inspection goes depth first, in the order of the serializers: they write an object where they meet it first,
 * however deep that is.
 */
enum look { LOOK_FINE, LOOK_INCOMPLETE, LOOK_DAMAGED, LOOK_RESOURCE, LOOK_TOO_LARGE, LOOK_TOO_DEEP };

struct found {
    zend_long level;          /* 1: the value itself */
    zend_refcounted *counted; /* an array or object */
    zend_refcounted *mark;    /* marked when it is looked into: itself, or a reference to it; NULL: nothing */
};

struct search {
    struct found *stack; /* still to be looked into */
    size_t count, room;
    zend_refcounted **marked;
    size_t marked_count, marked_room;
    HashTable immutable; /* the addresses of arrays that cannot be marked */
    size_t weight, most;
    zend_long level;                   /* level of what is looked into */
    size_t element;                    /* fewest bytes of an element and its key */
    struct incomplete_objects objects; /* notes about objects */
    bool repeats;  /* as serialize(): an array is written at each occurrence, unless behind the same reference */
    bool distinct; /* count equal strings once, as igbinary does */
    HashTable strings; /* for `distinct`: the hashes of the strings found */
};

/* Fewest bytes of an element: "i:0;N;" in serialize(), two bytes in igbinary. */
enum { ELEMENT_PHP = 6, ELEMENT_IGBINARY = 2 };

static bool decides_itself(const zend_class_entry *class) {
    return class->serialize || class->__serialize || (class->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) ||
           (class->ce_flags & ZEND_ACC_ENUM) || zend_hash_str_exists(&class->function_table, ZEND_STRL("__sleep"));
}

static ZEND_COLD size_t weight_if_new(struct search *met, zend_string *string) {
    return zend_hash_index_add_empty_element(&met->strings, string_hash(string)) ? ZSTR_LEN(string) : 0;
}

static zend_always_inline void weigh_string(struct search *met, zend_string *string) {
    met->weight += EXPECTED(!met->distinct) ? ZSTR_LEN(string) : weight_if_new(met, string);
}

static void look_into_later(struct search *met, zend_refcounted *counted, zend_refcounted *mark) {
    if (met->count == met->room) {
        met->room = met->room * 2 + 16;
        met->stack = safe_erealloc(met->stack, met->room, sizeof(*met->stack), 0);
    }
    met->stack[met->count++] = (struct found){met->level + 1, counted, mark};
}

/*
 * A few arrays, each twice in the next one, are exponentially many if each is written at each occurrence. So they
 * are weighed that way. An array can contain itself only through a reference, which is marked.
 */
static void look_into_array_later(struct search *met, zend_array *array, zend_reference *reference) {
    look_into_later(met, (zend_refcounted *)array,
                    met->repeats ? (zend_refcounted *)reference : (zend_refcounted *)array);
}

/* Sets a mark. False: it was set before. */
static bool is_new(struct search *met, zend_refcounted *mark) {
    if (!mark) {
        return true;
    }
    if (GC_FLAGS(mark) & GC_IMMUTABLE) {
        return zend_hash_index_add_empty_element(&met->immutable, (zend_ulong)(uintptr_t)mark) != NULL;
    }
    if (GC_FLAGS(mark) & GC_PROTECTED) {
        return false;
    }
    if (met->marked_count == met->marked_room) {
        met->marked_room = met->marked_room * 2 + 16;
        met->marked = safe_erealloc(met->marked, met->marked_room, sizeof(*met->marked), 0);
    }
    GC_PROTECT_RECURSION(mark);
    met->marked[met->marked_count++] = mark;
    return true;
}

/* Inspects a value, but not its elements. False: the value is a resource. */
static zend_always_inline bool look_at(struct search *met, zval *value) {
    if (Z_TYPE_P(value) < IS_STRING) {
        return true;
    }
    if (EXPECTED(Z_TYPE_P(value) == IS_STRING)) {
        weigh_string(met, Z_STR_P(value));
        return true;
    }
    zend_reference *reference = Z_ISREF_P(value) ? Z_REF_P(value) : NULL;
    ZVAL_DEREF(value); /* a string behind a reference may be written only once, so it weighs nothing */
    if (Z_TYPE_P(value) == IS_ARRAY) {
        look_into_array_later(met, Z_ARR_P(value), reference);
    } else if (Z_TYPE_P(value) == IS_OBJECT) {
        zend_object *object = Z_OBJ_P(value);
        incomplete_objects_note(&met->objects, object);
        if (!decides_itself(object->ce)) {
            look_into_later(met, Z_COUNTED_P(value), Z_COUNTED_P(value));
        } else if (!(object->ce->ce_flags & ZEND_ACC_ENUM)) {
            incomplete_objects_look(&met->objects, object);
        }
    }
    return Z_TYPE_P(value) != IS_RESOURCE;
}

/* Adds the weight of elements. False: the value is too large. */
static zend_always_inline bool weigh_elements(struct search *met, size_t count) {
    met->weight += count * met->element;
    return met->weight <= met->most;
}

static enum look look_into_array(struct search *met, HashTable *array) {
    zend_string *key;
    zval *element;
    if (UNEXPECTED(!weigh_elements(met, zend_hash_num_elements(array)))) {
        return LOOK_TOO_LARGE;
    }
    ZEND_HASH_FOREACH_STR_KEY_VAL(array, key, element) {
        if (key) {
            weigh_string(met, key);
        }
        if (UNEXPECTED(!look_at(met, element))) {
            return LOOK_RESOURCE;
        }
    }
    ZEND_HASH_FOREACH_END();
    return LOOK_FINE;
}

/* If PHP has built a table of all properties, the declared ones are in it as IS_INDIRECT. */
static enum look look_into_dynamic(struct search *met, HashTable *properties) {
    zend_string *key;
    zval *property;
    ZEND_HASH_FOREACH_STR_KEY_VAL(properties, key, property) {
        if (Z_TYPE_P(property) == IS_INDIRECT) {
            continue;
        }
        if (key) {
            weigh_string(met, key);
        }
        if (UNEXPECTED(!look_at(met, property))) {
            return LOOK_RESOURCE;
        }
        if (UNEXPECTED(!weigh_elements(met, 1))) {
            return LOOK_TOO_LARGE;
        }
    }
    ZEND_HASH_FOREACH_END();
    return LOOK_FINE;
}

/* Declared properties may be uninitialized, so only their strings are weighed. */
static enum look look_into_object(struct search *met, zend_object *object) {
    met->weight += met->element;
    for (int i = 0; i < object->ce->default_properties_count; i++) {
        if (UNEXPECTED(!look_at(met, &object->properties_table[i]))) {
            return LOOK_RESOURCE;
        }
    }
    return object->properties ? look_into_dynamic(met, object->properties) : LOOK_FINE;
}

/* Looks into the top of the stack. */
static enum look look_into(struct search *met) {
    const struct found found = met->stack[--met->count];
    if (!is_new(met, found.mark)) {
        return LOOK_FINE;
    }
    met->level = found.level;
    if (UNEXPECTED(met->level > BG(unserialize_max_depth) && BG(unserialize_max_depth) > 0)) {
        return LOOK_TOO_DEEP;
    }
    const size_t first = met->count;
    const enum look look = GC_TYPE(found.counted) == IS_ARRAY
                               ? look_into_array(met, (HashTable *)found.counted)
                               : look_into_object(met, (zend_object *)found.counted);
    /* Reverses the new elements, so that the first one comes next. */
    for (size_t i = first, last = met->count; i + 1 < last; i++) {
        const struct found other = met->stack[--last];
        met->stack[last] = met->stack[i];
        met->stack[i] = other;
    }
    return look == LOOK_FINE && UNEXPECTED(met->weight > met->most) ? LOOK_TOO_LARGE : look;
}

static enum look look_through(zval *value, size_t most, size_t element, bool distinct) {
    struct search met = {
        .most = most, .element = element, .repeats = element == ELEMENT_PHP, .distinct = distinct};
    zend_hash_init(&met.immutable, 0, NULL, NULL, false);
    if (distinct) {
        zend_hash_init(&met.strings, 0, NULL, NULL, false);
    }
    enum look look = look_at(&met, value) ? LOOK_FINE : LOOK_RESOURCE;
    while (met.count > 0 && look == LOOK_FINE) {
        look = look_into(&met);
    }
    for (size_t i = 0; i < met.marked_count; i++) {
        GC_UNPROTECT_RECURSION(met.marked[i]);
    }
    if (met.stack) {
        efree(met.stack);
    }
    if (met.marked) {
        efree(met.marked);
    }
    zend_hash_destroy(&met.immutable);
    if (distinct) {
        zend_hash_destroy(&met.strings);
    }
    incomplete_objects_end(&met.objects);
    if (look != LOOK_FINE) {
        return look;
    }
    if (UNEXPECTED(met.objects.incomplete)) {
        return LOOK_INCOMPLETE;
    }
    return UNEXPECTED(met.objects.damaged) ? LOOK_DAMAGED : LOOK_FINE;
}

/* If igbinary cannot store the value, inspects it as PHP writes it, which is longer. */
static enum look look_before(zval *value, size_t most, bool igbinary) {
    if (igbinary) {
        enum look look = look_through(value, most, ELEMENT_IGBINARY, false);
        /* Finding equal strings is worth its cost only if the value seems too large. */
        if (UNEXPECTED(look == LOOK_TOO_LARGE)) {
            look = look_through(value, most, ELEMENT_IGBINARY, true);
        }
        if (EXPECTED(look != LOOK_INCOMPLETE && look != LOOK_DAMAGED)) {
            return look;
        }
    }
    return look_through(value, most, ELEMENT_PHP, false);
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
        zend_throw_exception(NULL, "igbinary cannot serialize the value; set larder.serializer=php", 0);
    }
    return NULL;
}

zend_string *serialize_value(zval *value, size_t most, uint32_t *kind, bool *too_deep) {
    *too_deep = false;
    bool igbinary = serialize_uses_igbinary();
    *kind = igbinary ? VALUE_IGBINARY : VALUE_PHP;
    switch (look_before(value, most, igbinary)) {
        case LOOK_RESOURCE:
            zend_throw_exception(NULL, "Serialization of 'resource' is not allowed", 0);
            return NULL;
        case LOOK_TOO_DEEP:
            *too_deep = true;
            return NULL;
        case LOOK_TOO_LARGE:
            return NULL;
        case LOOK_INCOMPLETE:
            *kind = VALUE_INCOMPLETE;
            igbinary = false;
            break;
        case LOOK_DAMAGED:
            *kind = VALUE_PHP;
            igbinary = false;
            break;
        case LOOK_FINE:
            break;
    }
    const struct serializer_state outer = serializer_state_begin();
    zend_string *bytes = igbinary ? serialize_by_igbinary(value) : serialize_by_php(value);
    serializer_state_end(&outer);
    return bytes;
}
