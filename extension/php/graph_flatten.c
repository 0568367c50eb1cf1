#include "graph.h"

#include "zend_enum.h"
#if PHP_VERSION_ID >= 80400
#include "zend_lazy_objects.h"
#endif

/* Values with more classes, or with deeper arrays in arrays, are left to the serializer. (Depth of objects is no matter.) */
enum { MOST_CLASSES = 64, DEEPEST = 64 };

/* So many objects are looked for in the queue; more have a table. */
enum { FEW_OBJECTS = 8 };

struct flattening {
    zend_array *objects, *arrays;                /* parts; there may be no arrays */
    const zend_class_entry *known[MOST_CLASSES]; /* by number */
    uint32_t class_count, last_class;
    zend_object **queue; /* by number */
    uint32_t count, room;
    bool has_numbers;
    HashTable numbers; /* of objects, by handle */
};

static zend_array *part_new(size_t elements) {
    zend_array *part = zend_new_array((uint32_t)elements);
    zend_hash_real_init_packed(part);
    return part;
}

static void add(zend_array *part, zval *value) {
    zend_hash_next_index_insert_new(part, value);
}

static void add_string(zend_array *part, zend_string *string) {
    zval value;
    ZVAL_STR_COPY(&value, string);
    add(part, &value);
}

static bool add_class(struct flattening *f, const zend_class_entry *class) {
    if (f->class_count == MOST_CLASSES || graph_form(class) == 0) {
        return false;
    }
    f->last_class = f->class_count;
    f->known[f->class_count++] = class;
    return true;
}

/* Whether the class has a number, then in last_class. */
static bool number_class(struct flattening *f, const zend_class_entry *class) {
    if (EXPECTED(f->class_count > 0) && EXPECTED(f->known[f->last_class] == class)) {
        return true;
    }
    for (uint32_t i = 0; i < f->class_count; i++) {
        if (f->known[i] == class) {
            f->last_class = i;
            return true;
        }
    }
    return add_class(f, class);
}

static bool is_lazy(const zend_object *object) {
#if PHP_VERSION_ID >= 80400
    return zend_object_is_lazy((zend_object *)object);
#else
    (void)object;
    return false;
#endif
}

static bool is_plain(struct flattening *f, const zend_object *object) {
    return (object->ce->ce_flags & ZEND_ACC_ENUM) ||
           (object->handlers == &std_object_handlers && !is_lazy(object) && number_class(f, object->ce));
}

static void queue_object(struct flattening *f, zend_object *object) {
    if (f->count == f->room) {
        f->room = f->room * 2 + FEW_OBJECTS;
        f->queue = safe_erealloc(f->queue, f->room, sizeof(*f->queue), 0);
    }
    f->queue[f->count++] = object;
}

static void number_objects(struct flattening *f) {
    zval number;
    zend_hash_init(&f->numbers, 8 * FEW_OBJECTS, NULL, NULL, false);
    for (uint32_t i = 0; i < f->count; i++) {
        ZVAL_LONG(&number, i);
        zend_hash_index_add_new(&f->numbers, f->queue[i]->handle, &number);
    }
    f->has_numbers = true;
}

/* Puts a mark for the object into `target`; an object met for the first time is queued. */
static bool mark_object(struct flattening *f, zval *target, zend_object *object) {
    uint32_t number = 0;
    if (f->count <= FEW_OBJECTS) {
        while (number < f->count && f->queue[number] != object) {
            number++;
        }
    } else {
        if (!f->has_numbers) {
            number_objects(f);
        }
        zval *known = zend_hash_index_lookup(&f->numbers, object->handle);
        if (Z_TYPE_P(known) == IS_NULL) {
            ZVAL_LONG(known, f->count);
        }
        number = (uint32_t)Z_LVAL_P(known);
    }
    if (number == f->count) {
        if (!is_plain(f, object)) {
            return false;
        }
        queue_object(f, object);
    }
    mark_set(target, MARK_OBJECT, number);
    return true;
}

static bool flatten_value(struct flattening *f, zval *target, zval *source, unsigned depth);

/*
 * A copy of the array with marks in it. NULL: it contains no objects, and needs none. False: serialize. A copy is only made
 * when the first element needs one.
 */
static bool flatten_array(struct flattening *f, HashTable *source, zend_array **copy, unsigned depth) {
    *copy = NULL;
    if (GC_FLAGS(source) & GC_IMMUTABLE) {
        return true; /* literals, and values of this cache: no objects are in them */
    }
    if (depth > DEEPEST) {
        return false;
    }
    zval *element;
    ZEND_HASH_FOREACH_VAL(source, element) {
        if (EXPECTED(!Z_REFCOUNTED_P(element)) || Z_TYPE_P(element) == IS_STRING) {
            continue;
        }
        zval flat;
        if (!flatten_value(f, &flat, element, depth + 1)) {
            if (*copy) {
                zend_array_destroy(*copy);
            }
            return false;
        }
        if (Z_TYPE(flat) != IS_PTR) {
            zval_ptr_dtor(&flat);
            continue;
        }
        size_t offset = (size_t)((char *)element - (char *)source->arData);
        if (!*copy) {
            *copy = HT_IS_WITHOUT_HOLES(source) ? zend_array_dup(source) : NULL;
            if (!*copy) {
                return false;
            }
        }
        zval *place = (zval *)((char *)(*copy)->arData + offset);
        const uint32_t next = Z_NEXT_P(place);
        zval_ptr_dtor(place);
        ZVAL_COPY_VALUE(place, &flat);
        Z_NEXT_P(place) = next;
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool flatten_value(struct flattening *f, zval *target, zval *source, unsigned depth) {
    if (Z_ISREF_P(source)) {
        if (Z_REFCOUNT_P(source) != 1) {
            return false;
        }
        source = Z_REFVAL_P(source);
    }
    switch (Z_TYPE_P(source)) {
        case IS_UNDEF:
            mark_set(target, MARK_UNSET, 0);
            return true;
        case IS_OBJECT:
            return mark_object(f, target, Z_OBJ_P(source));
        case IS_RESOURCE:
            return false;
        case IS_ARRAY: {
            zend_array *copy;
            if (!flatten_array(f, Z_ARR_P(source), &copy, depth)) {
                return false;
            }
            if (copy) {
                zval value;
                ZVAL_ARR(&value, copy);
                if (!f->arrays) {
                    f->arrays = part_new(8);
                }
                mark_set(target, MARK_ARRAY, zend_hash_num_elements(f->arrays));
                add(f->arrays, &value);
                return true;
            }
            break;
        }
        default:
            break;
    }
    ZVAL_COPY(target, source);
    return true;
}

/* PHP may have built a table of all properties: the declared ones, which lie in their slots, are in it as IS_INDIRECT. */
static bool has_dynamic(const zend_object *object) {
    return object->properties &&
           zend_hash_num_elements(object->properties) > (uint32_t)object->ce->default_properties_count;
}

/* ArrayObject and ArrayIterator append with integers for names, which unserialize() makes strings. */
static bool has_integer_names(zend_array *properties) {
    zend_string *name;
    ZEND_HASH_FOREACH_STR_KEY(properties, name) {
        if (UNEXPECTED(!name)) {
            return true;
        }
    }
    ZEND_HASH_FOREACH_END();
    return false;
}

/* The dynamic properties of an object, as an array, or null. */
static bool flatten_dynamic(struct flattening *f, zval *target, const zend_object *object) {
    zval dynamic;
    ZVAL_NULL(target);
    if (!object->properties || zend_hash_num_elements(object->properties) == 0) {
        return true;
    }
    if (has_integer_names(object->properties)) {
        return false;
    }
    if (object->ce->default_properties_count == 0) {
        ZVAL_ARR(&dynamic, object->properties);
        return flatten_value(f, target, &dynamic, 0);
    }
    zend_string *key;
    zval *property;
    array_init(&dynamic);
    zend_hash_real_init_mixed(Z_ARR(dynamic));
    ZEND_HASH_FOREACH_STR_KEY_VAL(object->properties, key, property) {
        if (Z_TYPE_P(property) != IS_INDIRECT) {
            Z_TRY_ADDREF_P(property);
            zend_hash_add_new(Z_ARR(dynamic), key, property);
        }
    }
    ZEND_HASH_FOREACH_END();
    const bool done = zend_hash_num_elements(Z_ARR(dynamic)) == 0 || flatten_value(f, target, &dynamic, 0);
    zval_ptr_dtor(&dynamic);
    return done;
}

static bool flatten_object(struct flattening *f, const zend_object *object) {
    const zend_class_entry *class = object->ce;
    if (class->ce_flags & ZEND_ACC_ENUM) {
        zval null;
        ZVAL_NULL(&null);
        add(f->objects, &null);
        add_string(f->objects, class->name);
        add_string(f->objects, Z_STR_P(zend_enum_fetch_case_name((zend_object *)object)));
        return true;
    }
    const uint32_t slots = (uint32_t) class->default_properties_count;
    zval dynamic;
    ZVAL_UNDEF(&dynamic);
    number_class(f, class);
    const uint32_t number = f->last_class;
    if (graph_may_have_dynamic(class) ? !flatten_dynamic(f, &dynamic, object) : has_dynamic(object)) {
        return false;
    }
    zend_array *part = f->objects;
    zend_hash_extend(part, part->nNumUsed + 2 + slots, true);
    bool done = true;
    ZEND_HASH_FILL_PACKED(part) {
        ZEND_HASH_FILL_SET_LONG(number);
        ZEND_HASH_FILL_NEXT();
        if (Z_TYPE(dynamic) != IS_UNDEF) {
            ZEND_HASH_FILL_SET(&dynamic);
            ZEND_HASH_FILL_NEXT();
        }
        for (uint32_t slot = 0; done && slot < slots; slot++) {
            zval flat;
            ZVAL_NULL(&flat);
            done = flatten_value(f, &flat, (zval *)&object->properties_table[slot], 0);
            ZEND_HASH_FILL_SET(&flat);
            ZEND_HASH_FILL_NEXT();
        }
    }
    ZEND_HASH_FILL_END();
    return done;
}

zend_array *graph_flatten(zval *value) {
    struct flattening f;
    const bool protected = gc_protect(true);
    f.objects = part_new(8);
    f.arrays = NULL;
    f.queue = NULL;
    f.class_count = f.last_class = f.count = f.room = 0;
    f.has_numbers = false;
    zval root, count, objects, arrays;
    ZVAL_NULL(&root);
    ZVAL_NULL(&arrays);
    bool done = flatten_value(&f, &root, value, 0);
    for (uint32_t i = 0; done && i < f.count; i++) {
        done = flatten_object(&f, f.queue[i]);
    }
    ZVAL_LONG(&count, f.count);
    ZVAL_ARR(&objects, f.objects);
    if (f.arrays) {
        ZVAL_ARR(&arrays, f.arrays);
    }
    zend_array *stored = part_new(GRAPH_CLASSES + GRAPH_CLASS * f.class_count);
    ZEND_HASH_FILL_PACKED(stored) {
        ZEND_HASH_FILL_SET(&root);
        ZEND_HASH_FILL_NEXT();
        ZEND_HASH_FILL_SET(&count);
        ZEND_HASH_FILL_NEXT();
        ZEND_HASH_FILL_SET(&objects);
        ZEND_HASH_FILL_NEXT();
        ZEND_HASH_FILL_SET(&arrays);
        ZEND_HASH_FILL_NEXT();
        for (uint32_t i = 0; i < f.class_count; i++) {
            zval name, lower_case, form;
            ZVAL_STR_COPY(&name, f.known[i]->name);
            ZVAL_STR(&lower_case, zend_string_tolower(f.known[i]->name));
            ZVAL_LONG(&form, graph_form(f.known[i]));
            ZEND_HASH_FILL_SET(&name);
            ZEND_HASH_FILL_NEXT();
            ZEND_HASH_FILL_SET(&lower_case);
            ZEND_HASH_FILL_NEXT();
            ZEND_HASH_FILL_SET(&form);
            ZEND_HASH_FILL_NEXT();
        }
    }
    ZEND_HASH_FILL_END();
    if (f.has_numbers) {
        zend_hash_destroy(&f.numbers);
    }
    if (f.queue) {
        efree(f.queue);
    }
    if (!done || f.count == 0) {
        zend_array_destroy(stored);
        stored = NULL;
    }
    gc_protect(protected);
    return stored;
}

void graph_release(zend_array *graph) {
    const bool protected = gc_protect(true);
    zend_array_destroy(graph);
    gc_protect(protected);
}
