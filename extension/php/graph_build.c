#include "graph.h"
#include "classes.h"

#include "ext/standard/basic_functions.h"
#include "ext/standard/php_incomplete_class.h"
#include "zend_enum.h"
#include "zend_execute.h"

/* Up to this number, lists of objects, classes and references need no allocation. */
enum { FEW = 8 };

struct building {
    const zval *objects, *arrays, *shared; /* elements of the parts, which are packed and have no holes */
    const zval *names;                     /* of classes, with their forms */
    size_t count, shared_count;            /* number of objects and of references */
    bool incomplete;                       /* instead of a failure */
    bool has_custom;
    zend_class_entry **classes;  /* NULL: incomplete */
    zend_object **built;         /* by number; NULL: not yet built */
    zend_reference **references; /* by number; NULL: it occurs once, so no reference is needed */
};

/* The elements of a part; NULL: there are none. */
static const zval *elements(const zval *part) {
    return Z_TYPE_P(part) == IS_ARRAY ? Z_ARR_P(part)->arPacked : NULL;
}

static size_t length(const zval *part) {
    return Z_TYPE_P(part) == IS_ARRAY ? zend_hash_num_elements(Z_ARR_P(part)) : 0;
}

/* Among the classes of a graph, only custom ones have __unserialize(). */
static zend_always_inline bool is_custom(const struct building *b, const zend_object *object) {
    return UNEXPECTED(b->has_custom) && object->ce->__unserialize != NULL;
}

/* Looks for a class as unserialize() does: with the autoloader, and then with the function that the setting names. */
static zend_class_entry *look_up(zend_string *name) {
    zend_class_entry *class = zend_lookup_class(name);
    const char *callback;
    if (EXPECTED(class) || EG(exception) ||
        !(callback = zend_ini_string("unserialize_callback_func", 25, false)) || !*callback) {
        return class;
    }
    zval function, argument, returned;
    ZVAL_STRING(&function, callback);
    ZVAL_STR_COPY(&argument, name);
    ZVAL_UNDEF(&returned);
    if (call_user_function(NULL, NULL, &function, &returned, 1, &argument) == FAILURE) {
        php_error_docref(NULL, E_WARNING, "defined (%s) but not found", callback);
    }
    zval_ptr_dtor(&returned);
    zval_ptr_dtor(&argument);
    zval_ptr_dtor(&function);
    return EG(exception) ? NULL : zend_lookup_class(name);
}

/* Returns the class with these two names, if it still has that form. The lower-case name finds a loaded class
 * without making a copy. */
static zend_class_entry *find_class(const zval *names) {
    if (UNEXPECTED(!class_is_allowed(Z_STR(names[GRAPH_NAME])))) {
        return NULL;
    }
    zend_class_entry *class = zend_hash_find_ptr(EG(class_table), Z_STR(names[GRAPH_LOWER_CASE]));
    if (UNEXPECTED(!class) || UNEXPECTED(!(class->ce_flags & ZEND_ACC_LINKED))) {
        class = look_up(Z_STR(names[GRAPH_NAME]));
    }
    return EXPECTED(class) && EXPECTED(graph_form(class) == Z_LVAL(names[GRAPH_FORM])) ? class : NULL;
}

static zend_object *enum_case(const zval *fields) {
    if (UNEXPECTED(!class_is_allowed(Z_STR_P(fields + 1)))) {
        return NULL;
    }
    zend_class_entry *class = look_up(Z_STR_P(fields + 1));
    if (UNEXPECTED(!class) || UNEXPECTED(!(class->ce_flags & ZEND_ACC_ENUM))) {
        return NULL;
    }
    zend_class_constant *constant = zend_hash_find_ptr(CE_CONSTANTS_TABLE(class), Z_STR_P(fields + 2));
    if (UNEXPECTED(!constant) || UNEXPECTED(!(ZEND_CLASS_CONST_FLAGS(constant) & ZEND_CLASS_CONST_IS_CASE))) {
        return NULL;
    }
    /* A backed case's value may name a constant that is not defined here. */
    if (Z_TYPE(constant->value) == IS_CONSTANT_AST &&
        UNEXPECTED(zval_update_constant_ex(&constant->value, constant->ce) == FAILURE)) {
        return NULL;
    }
    zend_object *object = Z_OBJ(constant->value);
    GC_ADDREF(object);
    return object;
}

static zend_always_inline const zval *class_of(const struct building *b, const zval *fields) {
    return &b->names[GRAPH_CLASS * Z_LVAL_P(fields)];
}

/* The fields of the object that follows the object with `fields`. */
static zend_always_inline const zval *next_object(const struct building *b, const zval *fields) {
    if (Z_TYPE_P(fields) == IS_NULL) {
        return fields + 3;
    }
    return fields + 1 + form_fields(Z_LVAL(class_of(b, fields)[GRAPH_FORM]));
}

static ZEND_COLD zend_object *incomplete_object(zend_string *class) {
    zval object;
    object_init_ex(&object, PHP_IC_ENTRY);
    php_store_class_name(&object, class);
    return Z_OBJ(object);
}

/* The same for a case of a missing enum, which no class of PHP would be. */
static ZEND_COLD zend_object *incomplete_case(const zval *fields) {
    zend_object *object = incomplete_object(Z_STR_P(fields + 1));
    zval name;
    ZVAL_STR_COPY(&name, Z_STR_P(fields + 2));
    zend_hash_str_update(zend_std_get_properties(object), ZEND_STRL("name"), &name);
    return object;
}

/* Creates all objects before the first property is set, so that they can refer to each other. */
static bool create_objects(struct building *b) {
    const zval *fields = b->objects;
    for (size_t i = 0; i < b->count; i++) {
        zval object;
        if (UNEXPECTED(Z_TYPE_P(fields) == IS_NULL)) {
            b->built[i] = enum_case(fields);
            if (UNEXPECTED(!b->built[i]) && b->incomplete && !EG(exception)) {
                b->built[i] = incomplete_case(fields);
            }
        } else if (UNEXPECTED(!b->classes[Z_LVAL_P(fields)])) {
            b->built[i] = incomplete_object(Z_STR(class_of(b, fields)[GRAPH_NAME]));
        } else if (EXPECTED(object_init_ex(&object, b->classes[Z_LVAL_P(fields)]) == SUCCESS)) {
            b->built[i] = Z_OBJ(object);
        }
        if (UNEXPECTED(!b->built[i])) {
            return false;
        }
        fields = next_object(b, fields);
    }
    return true;
}

static void resolve_slowly(const struct building *b, zval *target, const zval *mark);

/* Puts the value of a stored element into `target`, which may be `stored`. The parts of a zval that belong to a
 * bucket stay. */
static zend_always_inline void resolve(const struct building *b, zval *target, const zval *stored) {
    if (EXPECTED(Z_TYPE_P(stored) != IS_PTR)) {
        ZVAL_COPY(target, stored);
    } else if (EXPECTED(mark_kind(stored) == MARK_OBJECT)) {
        ZVAL_OBJ_COPY(target, b->built[mark_number(stored)]);
    } else {
        resolve_slowly(b, target, stored);
    }
}

/* Copies an array and replaces its marks. */
static zend_array *build_array(const struct building *b, const zend_array *stored) {
    zend_array *array = zend_array_dup((zend_array *)stored);
    zval *element;
    ZEND_HASH_FOREACH_VAL(array, element) {
        if (Z_TYPE_P(element) == IS_PTR) {
            resolve(b, element, element);
        }
    }
    ZEND_HASH_FOREACH_END();
    return array;
}

static void resolve_slowly(const struct building *b, zval *target, const zval *mark) {
    const size_t number = mark_number(mark);
    if (mark_kind(mark) == MARK_ARRAY) {
        ZVAL_ARR(target, build_array(b, Z_ARR(b->arrays[number])));
    } else if (b->references[number]) {
        GC_ADDREF(b->references[number]);
        ZVAL_REF(target, b->references[number]);
    } else {
        resolve(b, target, &b->shared[GRAPH_REFERENCE * number + GRAPH_REFERRED]);
    }
}

/* Creates all references before the first one gets its value. */
static void create_references(struct building *b) {
    for (size_t i = 0; i < b->shared_count; i++) {
        zval reference;
        b->references[i] = NULL;
        if (Z_LVAL(b->shared[GRAPH_REFERENCE * i + GRAPH_OCCURRENCES]) > 1) {
            ZVAL_NEW_EMPTY_REF(&reference);
            ZVAL_NULL(Z_REFVAL(reference));
            b->references[i] = Z_REF(reference);
        }
    }
    for (size_t i = 0; i < b->shared_count; i++) {
        if (b->references[i]) {
            resolve(b, &b->references[i]->val, &b->shared[GRAPH_REFERENCE * i + GRAPH_REFERRED]);
        }
    }
}

static void release_references(const struct building *b) {
    for (size_t i = 0; i < b->shared_count; i++) {
        if (b->references[i]) {
            zval reference;
            ZVAL_REF(&reference, b->references[i]);
            zval_ptr_dtor(&reference);
        }
    }
}

static bool set_declared(const struct building *b, zend_object *object, const zval *fields) {
    for (int slot = 0; slot < object->ce->default_properties_count; slot++) {
        const zval *stored = &fields[slot];
        if (UNEXPECTED(Z_TYPE_P(stored) == IS_PTR) && mark_kind(stored) == MARK_UNSET) {
            continue; /* the property keeps its default value, if it has one */
        }
        zend_property_info *property = object->ce->properties_info_table[slot];
        zval *place = &object->properties_table[slot];
        zval value;
        resolve(b, &value, stored);
        if (ZEND_TYPE_IS_SET(property->type) &&
            UNEXPECTED(!zend_verify_prop_assignable_by_ref(property, &value, true))) {
            zval_ptr_dtor(&value);
            return false;
        }
        if (UNEXPECTED(Z_ISREF(value)) && ZEND_TYPE_IS_SET(property->type)) {
            ZEND_REF_ADD_TYPE_SOURCE(Z_REF(value), property);
        }
        zval_ptr_dtor(place);
        ZVAL_COPY_VALUE(place, &value);
    }
    return true;
}

static void set_dynamic(const struct building *b, zend_object *object, const zval *stored) {
    const zend_array *source =
        Z_TYPE_P(stored) == IS_PTR ? Z_ARR(b->arrays[mark_number(stored)]) : Z_ARR_P(stored);
    if (object->ce->default_properties_count == 0) {
        if (object->properties) {
            zend_array_release(object->properties);
        }
        /* Without marks, a table of this request is shared as an array cast to an object is. */
        if (Z_TYPE_P(stored) == IS_PTR || (GC_FLAGS(source) & GC_IMMUTABLE)) {
            object->properties = build_array(b, source);
        } else {
            object->properties = Z_ARR_P(stored);
            GC_ADDREF(object->properties);
        }
        return;
    }
    zend_string *key;
    zval *element, value;
    zend_std_get_properties(object); /* builds PHP's own table of all properties, for the dynamic ones */
    ZEND_HASH_FOREACH_STR_KEY_VAL((HashTable *)source, key, element) {
        resolve(b, &value, element);
        zend_hash_update(object->properties, key, &value);
    }
    ZEND_HASH_FOREACH_END();
}

/* Properties of a table have strings as names. */
static ZEND_COLD void set_named(const struct building *b, zend_object *object, const zval *stored) {
    const zend_array *source =
        Z_TYPE_P(stored) == IS_PTR ? Z_ARR(b->arrays[mark_number(stored)]) : Z_ARR_P(stored);
    zend_ulong number;
    zend_string *key;
    zval *element, value;
    ZEND_HASH_FOREACH_KEY_VAL((HashTable *)source, number, key, element) {
        zend_string *name = key ? zend_string_copy(key) : zend_long_to_str((zend_long)number);
        resolve(b, &value, element);
        zend_hash_update(zend_std_get_properties(object), name, &value);
        zend_string_release(name);
    }
    ZEND_HASH_FOREACH_END();
}

static ZEND_COLD void set_incomplete(const struct building *b, zend_object *object, const zval *fields) {
    const zend_long form = Z_LVAL(class_of(b, fields)[GRAPH_FORM]);
    const uint32_t slots = form_slots(form);
    for (uint32_t slot = 0; slot < slots; slot++) {
        const zval *stored = &fields[1 + slot];
        if (Z_TYPE_P(stored) != IS_PTR || mark_kind(stored) != MARK_UNSET) {
            zend_string *name = zend_long_to_str(slot);
            zval value;
            resolve(b, &value, stored);
            zend_hash_update(zend_std_get_properties(object), name, &value);
            zend_string_release(name);
        }
    }
    const zval *named = &fields[1 + slots];
    if ((form & (FORM_CUSTOM | FORM_DYNAMIC)) && Z_TYPE_P(named) != IS_NULL) {
        set_named(b, object, named);
    }
}

static bool set_properties(const struct building *b) {
    const zval *fields = b->objects;
    for (size_t i = 0; i < b->count; fields = next_object(b, fields), i++) {
        if (Z_TYPE_P(fields) == IS_NULL || is_custom(b, b->built[i])) {
            continue; /* the case of an enum, or an object that sets its own properties */
        }
        if (UNEXPECTED(!b->classes[Z_LVAL_P(fields)])) {
            set_incomplete(b, b->built[i], fields);
            continue;
        }
        const zend_class_entry *class = b->built[i]->ce;
        if (UNEXPECTED(!set_declared(b, b->built[i], fields + 1))) {
            return false;
        }
        const zval *dynamic = fields + 1 + class->default_properties_count;
        if (graph_may_have_dynamic(class) && Z_TYPE_P(dynamic) != IS_NULL) {
            set_dynamic(b, b->built[i], dynamic);
        }
    }
    return true;
}

static bool find_classes(struct building *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        b->classes[i] = find_class(&b->names[GRAPH_CLASS * i]);
        if (EXPECTED(b->classes[i])) {
            b->has_custom = b->has_custom || b->classes[i]->__unserialize;
        } else if (!b->incomplete || EG(exception)) {
            return false;
        }
    }
    return true;
}

/* Suppresses the destructor of an object that is not complete. */
static void spare_destructor(zend_object *object) {
    if (!(object->ce->ce_flags & ZEND_ACC_ENUM)) {
        GC_ADD_FLAGS(object, IS_OBJ_DESTRUCTOR_CALLED);
    }
}

/* Calls a method as unserialize() does: an unserialize() inside the method uses a state of its own. */
static void call(zend_object *object, zend_function *method, uint32_t count, zval *parameter) {
    zval returned;
    ZVAL_UNDEF(&returned);
    BG(serialize_lock)++;
    zend_call_known_function(method, object, object->ce, &returned, count, parameter, NULL);
    BG(serialize_lock)--;
    zval_ptr_dtor(&returned);
}

/* After an exception no more methods are called, and the objects of the remaining calls get no destructor call. */
static void call_methods(const struct building *b, const zval *calls, size_t count) {
    for (const zval *end = calls + count; calls < end; calls += GRAPH_CALL) {
        zend_object *object = b->built[Z_LVAL(calls[GRAPH_CALLED])];
        if (UNEXPECTED(EG(exception))) {
            spare_destructor(object);
            continue;
        }
        if (UNEXPECTED(object->ce == PHP_IC_ENTRY)) {
            continue;
        }
        if (Z_LVAL(calls[GRAPH_PASSED]) == 0) {
            call(object, zend_hash_find_ptr(&object->ce->function_table, ZSTR_KNOWN(ZEND_STR_WAKEUP)), 0, NULL);
        } else {
            zval data;
            resolve(b, &data, &b->objects[Z_LVAL(calls[GRAPH_PASSED])]);
            /* ArrayObject writes into an inner array that has one owner: those of two objects may be the same data. */
            if (UNEXPECTED(Z_REFCOUNTED(data)) && Z_REFCOUNT(data) > 2) {
                SEPARATE_ARRAY(&data);
            }
            call(object, object->ce->__unserialize, 1, &data);
            zval_ptr_dtor(&data);
        }
        if (UNEXPECTED(EG(exception))) {
            spare_destructor(object);
        }
    }
}

/* Releases our references to the objects. The value still refers to each object, unless a method dropped one.
 * OBJ_RELEASE would make all of them candidates for the cycle collector. */
static void release_objects(const struct building *b, bool done) {
    if (EXPECTED(done)) {
        for (size_t i = 0; i < b->count; i++) {
            if (UNEXPECTED(GC_DELREF(b->built[i]) == 0)) {
                zend_objects_store_del(b->built[i]);
            }
        }
        return;
    }
    for (size_t i = 0; i < b->count && b->built[i]; i++) {
        spare_destructor(b->built[i]);
        OBJ_RELEASE(b->built[i]);
    }
}

void graph_build(const zend_array *stored, zval *result) {
    const zval *parts = stored->arPacked;
    const size_t classes = (stored->nNumUsed - GRAPH_CLASSES) / GRAPH_CLASS;
    struct building b = {.objects = elements(&parts[GRAPH_OBJECTS]),
                         .arrays = elements(&parts[GRAPH_ARRAYS]),
                         .shared = elements(&parts[GRAPH_REFERENCES]),
                         .names = &parts[GRAPH_CLASSES],
                         .incomplete = LARDER_G(reading).incomplete,
                         .count = (size_t)Z_LVAL(parts[GRAPH_COUNT]),
                         .shared_count = length(&parts[GRAPH_REFERENCES]) / GRAPH_REFERENCE};
    zend_class_entry *few_classes[FEW];
    zend_object *few_objects[FEW];
    zend_reference *few_references[FEW];
    b.classes = classes <= FEW ? few_classes : safe_emalloc(classes, sizeof(*b.classes), 0);
    b.built = b.count <= FEW ? few_objects : safe_emalloc(b.count, sizeof(*b.built), 0);
    b.references = b.shared_count <= FEW ? few_references : safe_emalloc(b.shared_count, sizeof(*b.references), 0);
    memset(b.built, 0, b.count * sizeof(*b.built));

    bool done = find_classes(&b, classes) && create_objects(&b);
    if (EXPECTED(done)) {
        create_references(&b);
        done = set_properties(&b);
        if (EXPECTED(done)) {
            resolve(&b, result, &parts[GRAPH_ROOT]);
            call_methods(&b, elements(&parts[GRAPH_CALLS]), length(&parts[GRAPH_CALLS]));
        }
        release_references(&b);
    }
    release_objects(&b, done);
    if (b.built != few_objects) {
        efree(b.built);
    }
    if (b.classes != few_classes) {
        efree(b.classes);
    }
    if (b.references != few_references) {
        efree(b.references);
    }
}
