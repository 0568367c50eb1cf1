#include "graph.h"
#include "lazy.h"
#include "shape.h"

#include "zend_enum.h"

/* Values with more classes, or with deeper nested arrays, are left to the serializer. (The depth of objects does not
 * matter.) */
enum { MOST_CLASSES = 64, DEEPEST = 64 };

/* Up to this number, objects are searched for in their list; with more there is a table. Up to this number of
 * objects and of frames, nothing is allocated. */
enum { FEW_OBJECTS = 8 };
#define NO_NUMBER UINT32_MAX

/*
 * The value is walked as serialize() walks it: an object is entered where it is met first. There is no recursion,
 * because objects may be linked in chains of any length. A frame is an object, array or reference that was entered
 * and not yet left. User code may run during the walk, so the walk holds a counted reference to everything that it
 * still needs.
 */
struct frame {
    enum { OF_OBJECT, OF_ARRAY, OF_REFERENCE } type;
    uint32_t next, end; /* elements to visit; for an object its fields without the class */
    uint32_t depth;     /* depth of nested arrays */
    uint32_t number;    /* number of the object or reference */
    union {
        struct {
            zend_object *object;
            uint32_t fields;     /* index of the first field in the part */
            uint32_t slots;      /* declared properties */
            uint32_t kept_count; /* slots to visit */
            uint32_t *kept;      /* slots that __sleep() named; NULL: all */
            bool has_extra;      /* a field follows the slots: dynamic properties, or __serialize()'s result */
            zend_long form;
            zval extra;
        };
        struct {
            zend_array *source, *copy; /* `copy` has marks; NULL: none was needed so far */
        };
        zval inner;
    };
};

struct shared {
    zend_reference *reference;
    uint32_t occurrences;
    zval flat;
};

struct class {
    const zend_class_entry *class;
    zend_long form;
    bool sleeps;
};

struct flattening {
    zend_array *objects, *arrays, *calls; /* parts; NULL if there are no arrays, or no calls */
    struct class known[MOST_CLASSES];     /* by number */
    uint32_t class_count, last_class;
    zend_object **met; /* by number */
    uint32_t count, room;
    uint32_t *numbers, numbers_mask; /* table of object numbers by handle; NULL: there are few objects */
    struct shared *shared;
    uint32_t shared_count, shared_room;
    struct frame *frames;
    uint32_t frame_count, frame_room;
    zval root;
    size_t left;    /* bytes left for arrays */
    bool protected; /* the cycle collector was held off before */
    zend_object *few_met[FEW_OBJECTS];
    struct frame few_frames[FEW_OBJECTS];
};

static zend_array *part_new(size_t elements) {
    zend_array *part = zend_new_array((uint32_t)elements);
    zend_hash_real_init_packed(part);
    return part;
}

static void add(zend_array *part, zval *value) {
    zend_hash_next_index_insert_new(part, value);
}

static void add_number(zend_array *part, zend_long number) {
    zval value;
    ZVAL_LONG(&value, number);
    add(part, &value);
}

static void add_string(zend_array *part, zend_string *string) {
    zval value;
    ZVAL_STR_COPY(&value, string);
    add(part, &value);
}

/* Makes room for one more element. `few` is the list as long as that needs no allocation. */
static zend_always_inline void *grow(void *list, const void *few, uint32_t count, uint32_t *room, size_t size) {
    if (EXPECTED(count < *room)) {
        return list;
    }
    *room = *room * 2 + FEW_OBJECTS;
    if (list != few) {
        return safe_erealloc(list, *room, size, 0);
    }
    void *grown = safe_emalloc(*room, size, 0);
    return count > 0 ? memcpy(grown, few, count * size) : grown;
}

static struct frame *enter(struct flattening *f) {
    f->frames = grow(f->frames, f->few_frames, f->frame_count, &f->frame_room, sizeof(*f->frames));
    return &f->frames[f->frame_count++];
}

/* ---- Classes and objects --------------------------------------------------------------------- */

/* True if the class has a number, which is in last_class then. */
static bool number_class(struct flattening *f, const zend_class_entry *class) {
    if (EXPECTED(f->class_count > 0) && EXPECTED(f->known[f->last_class].class == class)) {
        return true;
    }
    for (uint32_t i = 0; i < f->class_count; i++) {
        if (f->known[i].class == class) {
            f->last_class = i;
            return true;
        }
    }
    const zend_long form = graph_form(class);
    if (f->class_count == MOST_CLASSES || form == 0) {
        return false;
    }
    f->last_class = f->class_count;
    f->known[f->class_count++] = (struct class){class, form, graph_sleeps(class)};
    return true;
}

/* PHP may have built a table of all properties. Declared properties, which lie in their slots, are in it as
 * IS_INDIRECT. */
static bool has_dynamic(const zend_object *object) {
    return object->properties &&
           zend_hash_num_elements(object->properties) > (uint32_t)object->ce->default_properties_count;
}

/* ArrayObject and ArrayIterator append properties with integers as names, which unserialize() turns into strings. */
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

/* Gets the dynamic properties of an object, as an array, or null. False: their names prevent a graph. */
static bool take_dynamic(zval *target, const zend_object *object) {
    ZVAL_NULL(target);
    if (!object->properties || zend_hash_num_elements(object->properties) == 0) {
        return true;
    }
    if (has_integer_names(object->properties)) {
        return false;
    }
    if (object->ce->default_properties_count == 0) {
        GC_TRY_ADDREF(object->properties);
        ZVAL_ARR(target, object->properties);
        return true;
    }
    if (!has_dynamic(object)) {
        return true;
    }
    zend_string *key;
    zval *property;
    array_init(target);
    zend_hash_real_init_mixed(Z_ARRVAL_P(target));
    ZEND_HASH_FOREACH_STR_KEY_VAL(object->properties, key, property) {
        if (Z_TYPE_P(property) != IS_INDIRECT) {
            Z_TRY_ADDREF_P(property);
            zend_hash_add_new(Z_ARRVAL_P(target), key, property);
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

/* Gets the field after the slots, and the slots that __sleep() names. The cycle collector may run while user code
 * does. */
static bool take_extra(const struct flattening *f, struct frame *frame, const struct class *class) {
    zend_object *object = frame->object;
    if (EXPECTED(!(class->form & FORM_CUSTOM) && !class->sleeps)) {
        return frame->has_extra ? take_dynamic(&frame->extra, object) : !has_dynamic(object);
    }
    gc_protect(f->protected);
    const bool called = class->form & FORM_CUSTOM
                            ? graph_call_serialize(object, &frame->extra)
                            : graph_call_sleep(object, &frame->kept, &frame->kept_count, &frame->extra);
    gc_protect(true);
    return called && (frame->has_extra || Z_TYPE(frame->extra) == IS_NULL);
}

/* Adds fields to the part of the objects, without values yet. Returns the index of the first. */
static zend_always_inline uint32_t reserve_fields(struct flattening *f, uint32_t count) {
    zend_array *part = f->objects;
    const uint32_t first = part->nNumUsed;
    if (UNEXPECTED(first + count > part->nTableSize)) {
        zend_hash_extend(part, first + count, true);
    }
    part->nNumUsed = part->nNumOfElements = first + count;
    part->nNextFreeElement = first + count;
    return first;
}

/* Sets fields to null, so that the part can be freed before they have values. */
static zend_always_inline void clear_fields(struct flattening *f, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        ZVAL_NULL(&f->objects->arPacked[i]);
    }
}

/* The place in the table for the number of an object. Objects of one value usually have adjacent handles. */
static zend_always_inline uint32_t *place_of(const struct flattening *f, const zend_object *object) {
    uint32_t at = object->handle & f->numbers_mask;
    while (f->numbers[at] != NO_NUMBER && f->met[f->numbers[at]] != object) {
        at = (at + 1) & f->numbers_mask;
    }
    return &f->numbers[at];
}

/* Puts the numbers of all objects into a new table that is at most a quarter full. */
static void enlarge_numbers(struct flattening *f) {
    const uint32_t size = f->numbers ? (f->numbers_mask + 1) * 4 : 8 * FEW_OBJECTS;
    if (f->numbers) {
        efree(f->numbers);
    }
    f->numbers = safe_emalloc(size, sizeof(*f->numbers), 0);
    memset(f->numbers, 0xff, size * sizeof(*f->numbers)); /* NO_NUMBER */
    f->numbers_mask = size - 1;
    for (uint32_t i = 0; i < f->count; i++) {
        *place_of(f, f->met[i]) = i;
    }
}

/* The number of an object; `count` if it was not met yet. */
static zend_always_inline uint32_t number_of(const struct flattening *f, const zend_object *object) {
    if (EXPECTED(f->numbers != NULL)) {
        const uint32_t number = *place_of(f, object);
        return number == NO_NUMBER ? f->count : number;
    }
    uint32_t number = 0;
    while (number < f->count && f->met[number] != object) {
        number++;
    }
    return number;
}

static void give_number(struct flattening *f, zend_object *object) {
    if (UNEXPECTED(f->numbers ? f->count * 2 > f->numbers_mask : f->count == FEW_OBJECTS)) {
        enlarge_numbers(f);
    }
    if (f->numbers) {
        *place_of(f, object) = f->count;
    }
    f->met = grow(f->met, f->few_met, f->count, &f->room, sizeof(*f->met));
    GC_ADDREF(object);
    f->met[f->count++] = object;
}

/*
 * Copies the next properties, as long as nothing has to be entered for them. Returns an object that has to be
 * entered; its mark is written already. NULL: another kind of value comes next, or the end.
 */
static zend_always_inline zend_object *copy_simple(struct flattening *f, struct frame *frame) {
    zval *source = &frame->object->properties_table[frame->next];
    zval *target = &f->objects->arPacked[frame->fields + frame->next];
    for (; frame->next < frame->slots; frame->next++, source++, target++) {
        if (EXPECTED(!Z_REFCOUNTED_P(source)) && EXPECTED(Z_TYPE_P(source) != IS_UNDEF)) {
            ZVAL_COPY_VALUE(target, source);
        } else if (Z_TYPE_P(source) == IS_STRING) {
            Z_ADDREF_P(source);
            ZVAL_COPY_VALUE(target, source);
        } else if (Z_TYPE_P(source) == IS_OBJECT) {
            const uint32_t number = number_of(f, Z_OBJ_P(source));
            mark_set(target, MARK_OBJECT, number);
            if (number == f->count) {
                frame->next++;
                return Z_OBJ_P(source);
            }
        } else {
            break;
        }
    }
    return NULL;
}

static void leave(struct flattening *f);

/* Enters an object. `*inner` receives an object that has to be entered next, or NULL. */
static bool enter_object(struct flattening *f, zend_object *object, uint32_t number, zend_object **inner) {
    *inner = NULL;
    if (object->ce->ce_flags & ZEND_ACC_ENUM) {
        const uint32_t fields = reserve_fields(f, 1);
        clear_fields(f, fields, fields + 1); /* null: no class */
        add_string(f->objects, object->ce->name);
        add_string(f->objects, Z_STR_P(zend_enum_fetch_case_name(object)));
        return true;
    }
    if (object_is_lazy(object) || !number_class(f, object->ce)) {
        return false;
    }
    const uint32_t class_number = f->last_class;
    const struct class *class = &f->known[class_number];
    const bool custom = class->form & FORM_CUSTOM;
    if (!custom && object->handlers != &std_object_handlers) {
        return false;
    }
    struct frame *frame = enter(f);
    frame->type = OF_OBJECT;
    frame->number = number;
    frame->next = 0;
    frame->object = object;
    frame->form = class->form;
    frame->has_extra = custom || graph_may_have_dynamic(object->ce);
    frame->slots = frame->kept_count = custom ? 0 : (uint32_t)object->ce->default_properties_count;
    frame->kept = NULL;
    ZVAL_NULL(&frame->extra);
    if (UNEXPECTED(!take_extra(f, frame, class))) {
        return false;
    }
    frame->end = frame->kept_count + frame->has_extra;
    frame->fields = reserve_fields(f, 1 + frame->slots + frame->has_extra) + 1;
    ZVAL_LONG(&f->objects->arPacked[frame->fields - 1], class_number);
    if (UNEXPECTED(frame->kept != NULL)) {
        for (uint32_t slot = 0; slot < frame->slots; slot++) {
            mark_set(&f->objects->arPacked[frame->fields + slot], MARK_UNSET, 0);
        }
    } else {
        *inner = copy_simple(f, frame);
    }
    clear_fields(f, frame->fields + (frame->kept ? frame->slots : frame->next),
                 frame->fields + frame->slots + frame->has_extra);
    if (!*inner && frame->next == frame->kept_count && Z_TYPE(frame->extra) == IS_NULL) {
        leave(f);
    }
    return true;
}

/* Enters an object that was not met yet, then the first such object inside it, and so on. */
static bool enter_objects(struct flattening *f, zend_object *object) {
    while (object) {
        const uint32_t number = f->count;
        give_number(f, object);
        if (UNEXPECTED(!enter_object(f, object, number, &object))) {
            return false;
        }
    }
    return true;
}

static bool visit_object(struct flattening *f, zval *target, zend_object *object) {
    const uint32_t number = number_of(f, object);
    mark_set(target, MARK_OBJECT, number);
    return number < f->count || enter_objects(f, object);
}

/* ---- Arrays and references ------------------------------------------------------------------- */

static zend_always_inline zval *element(const zend_array *array, uint32_t index) {
    return HT_IS_PACKED(array) ? &array->arPacked[index] : &array->arData[index].val;
}

/* The first element from `index` on that may need a mark. */
static uint32_t next_counted(const zend_array *array, uint32_t index) {
    for (; index < array->nNumUsed; index++) {
        const zval *value = element(array, index);
        if (UNEXPECTED(Z_TYPE_P(value) == IS_INDIRECT) ||
            (Z_REFCOUNTED_P(value) && Z_TYPE_P(value) != IS_STRING)) {
            break;
        }
    }
    return index;
}

enum visited { VISITED, ENTERED, REFUSED };

/*
 * A few arrays, each twice in the next one, are exponentially many if each is visited wherever it occurs. So each
 * visit uses up the room of an element, and each copy uses up its own length. When no room is left for the next
 * visit, the graph would be too long.
 */
static void take(struct flattening *f, size_t bytes) {
    f->left -= MIN(f->left, bytes);
}

static enum visited visit_array(struct flattening *f, zval *target, zend_array *source, uint32_t depth) {
    uint32_t next =
        GC_FLAGS(source) & GC_IMMUTABLE /* literals, and values of this cache: no objects are in them */
            ? source->nNumUsed
            : next_counted(source, 0);
    if (next == source->nNumUsed) {
        GC_TRY_ADDREF(source);
        ZVAL_ARR(target, source);
        Z_TYPE_INFO_P(target) = GC_FLAGS(source) & GC_IMMUTABLE ? IS_ARRAY : IS_ARRAY_EX;
        return VISITED;
    }
    if (depth > DEEPEST || f->left == 0) {
        return REFUSED;
    }
    take(f, sizeof(zval));
    if (!HT_IS_PACKED(source) && !HT_IS_WITHOUT_HOLES(source)) {
        source = zend_array_dup(source); /* so that elements stay in their places when the array is copied */
        next = next_counted(source, 0);
    } else {
        GC_ADDREF(source);
    }
    struct frame *frame = enter(f);
    frame->type = OF_ARRAY;
    frame->depth = depth;
    frame->source = source;
    frame->copy = NULL;
    frame->next = next;
    frame->end = source->nNumUsed;
    return ENTERED;
}

/* Visits a reference that may be shared. A mark cannot say that an object is behind a reference in some places and
 * not in others. */
static bool visit_reference(struct flattening *f, zval *target, zend_reference *reference, uint32_t depth) {
    uint32_t number = 0;
    while (number < f->shared_count && f->shared[number].reference != reference) {
        number++;
    }
    mark_set(target, MARK_REFERENCE, number);
    if (number < f->shared_count) {
        f->shared[number].occurrences++;
        return true;
    }
    if (Z_TYPE(reference->val) == IS_OBJECT || depth > DEEPEST || number == DEEPEST) {
        return false;
    }
    f->shared = grow(f->shared, NULL, number, &f->shared_room, sizeof(*f->shared));
    GC_ADDREF(reference);
    f->shared[number] = (struct shared){.reference = reference, .occurrences = 1};
    ZVAL_NULL(&f->shared[number].flat);
    f->shared_count++;
    struct frame *frame = enter(f);
    frame->type = OF_REFERENCE;
    frame->depth = depth;
    frame->number = number;
    frame->next = 0;
    frame->end = 1;
    ZVAL_COPY(&frame->inner, &reference->val);
    return true;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* Visits a value. ENTERED: its stored form is known when its array is left. */
static enum visited visit(struct flattening *f, zval *target, zval *source, uint32_t depth) {
    if (Z_ISREF_P(source)) {
        if (Z_REFCOUNT_P(source) != 1) {
            return visit_reference(f, target, Z_REF_P(source), depth) ? VISITED : REFUSED;
        }
        source = Z_REFVAL_P(source);
    }
    switch (Z_TYPE_P(source)) {
        case IS_UNDEF:
            mark_set(target, MARK_UNSET, 0);
            return VISITED;
        case IS_OBJECT:
            return visit_object(f, target, Z_OBJ_P(source)) ? VISITED : REFUSED;
        case IS_ARRAY:
            return visit_array(f, target, Z_ARR_P(source), depth);
        case IS_RESOURCE:
        case IS_INDIRECT:
            return REFUSED;
        default:
            ZVAL_COPY(target, source);
            return VISITED;
    }
}

/* The next field of an object to visit. */
static zend_always_inline uint32_t next_field(const struct frame *frame) {
    if (UNEXPECTED(frame->next == frame->kept_count)) {
        return frame->slots;
    }
    return UNEXPECTED(frame->kept != NULL) ? frame->kept[frame->next] : frame->next;
}

static zend_always_inline zval *next_source(struct frame *frame) {
    switch (frame->type) {
        case OF_OBJECT: {
            const uint32_t field = next_field(frame);
            return field == frame->slots ? &frame->extra : &frame->object->properties_table[field];
        }
        case OF_ARRAY:
            return element(frame->source, frame->next);
        default:
            return &frame->inner;
    }
}

/* Puts a mark into the copy of an array. */
static void put(struct flattening *f, struct frame *frame, const zval *mark) {
    if (!frame->copy) {
        take(f, shape_of_array(shape_of_table(frame->source)));
        frame->copy = zend_array_dup(frame->source);
    }
    zval *place = element(frame->copy, frame->next);
    const uint32_t chain = Z_NEXT_P(place);
    if (Z_REFCOUNTED_P(place)) {
        Z_DELREF_P(place); /* the source holds the value, too */
    }
    ZVAL_COPY_VALUE(place, mark);
    Z_NEXT_P(place) = chain;
}

/* Stores `flat` as the form of the frame's next element. */
static void deliver(struct flattening *f, struct frame *frame, zval *flat) {
    switch (frame->type) {
        case OF_OBJECT:
            ZVAL_COPY_VALUE(&f->objects->arPacked[frame->fields + next_field(frame)], flat);
            frame->next++;
            return;
        case OF_ARRAY:
            if (Z_TYPE_P(flat) == IS_PTR) {
                put(f, frame, flat);
            } else {
                zval_ptr_dtor(flat);
            }
            frame->next = next_counted(frame->source, frame->next + 1);
            return;
        case OF_REFERENCE:
            ZVAL_COPY_VALUE(&f->shared[frame->number].flat, flat);
            frame->next++;
            return;
    }
}

static void release_frame(struct frame *frame) {
    switch (frame->type) {
        case OF_OBJECT:
            zval_ptr_dtor(&frame->extra);
            if (frame->kept) {
                efree(frame->kept);
            }
            return;
        case OF_ARRAY:
            zend_array_release(frame->source);
            if (frame->copy) {
                zend_array_destroy(frame->copy);
            }
            return;
        case OF_REFERENCE:
            zval_ptr_dtor(&frame->inner);
            return;
    }
}

static void leave_object(struct flattening *f, const struct frame *frame) {
    if (EXPECTED(!(frame->form & (FORM_CUSTOM | FORM_WAKES)))) {
        return;
    }
    if (!f->calls) {
        f->calls = part_new(GRAPH_CALL);
    }
    add_number(f->calls, frame->number);
    add_number(f->calls, frame->form & FORM_CUSTOM ? frame->fields : 0);
}

/* Puts the array, or a mark for its copy, into the place of the array. */
static void leave_array(struct flattening *f, struct frame *frame, struct frame *outer) {
    zval flat;
    if (frame->copy) {
        zval copy;
        ZVAL_ARR(&copy, frame->copy);
        frame->copy = NULL;
        if (!f->arrays) {
            f->arrays = part_new(8);
        }
        mark_set(&flat, MARK_ARRAY, zend_hash_num_elements(f->arrays));
        add(f->arrays, &copy);
    } else {
        GC_ADDREF(frame->source);
        ZVAL_ARR(&flat, frame->source);
    }
    if (outer) {
        deliver(f, outer, &flat);
    } else {
        ZVAL_COPY_VALUE(&f->root, &flat);
    }
}

static void leave(struct flattening *f) {
    struct frame *frame = &f->frames[--f->frame_count];
    if (frame->type == OF_OBJECT) {
        leave_object(f, frame);
    } else if (frame->type == OF_ARRAY) {
        leave_array(f, frame, f->frame_count > 0 ? frame - 1 : NULL);
    }
    release_frame(frame);
}

/* Visits elements of the innermost frame until another frame is entered, or this one is left. */
static bool step(struct flattening *f) {
    const uint32_t frames = f->frame_count;
    struct frame *frame = &f->frames[frames - 1];
    if (frame->type == OF_OBJECT && EXPECTED(!frame->kept) && frame->next < frame->slots) {
        zend_object *inner = copy_simple(f, frame);
        if (inner) {
            return enter_objects(f, inner);
        }
    }
    while (frame->next < frame->end) {
        zval flat, *source = next_source(frame);
        const enum visited visited = visit(f, &flat, source, frame->type == OF_OBJECT ? 0 : frame->depth + 1);
        if (UNEXPECTED(visited == REFUSED)) {
            return false;
        }
        if (visited == ENTERED) {
            return true;
        }
        frame = &f->frames[frames - 1];
        deliver(f, frame, &flat);
        if (f->frame_count != frames) {
            return true;
        }
    }
    leave(f);
    return true;
}

static bool walk(struct flattening *f, zval *value) {
    if (visit(f, &f->root, value, 0) == REFUSED) {
        return false;
    }
    while (f->frame_count > 0) {
        if (UNEXPECTED(!step(f))) {
            return false;
        }
    }
    return true;
}

/* ---- The parts ------------------------------------------------------------------------------- */

static void set_part(zval *target, zend_array *part) {
    if (part) {
        ZVAL_ARR(target, part);
    } else {
        ZVAL_NULL(target);
    }
}

static zend_array *references_part(const struct flattening *f) {
    if (f->shared_count == 0) {
        return NULL;
    }
    zend_array *part = part_new((size_t)GRAPH_REFERENCE * f->shared_count);
    for (uint32_t i = 0; i < f->shared_count; i++) {
        add_number(part, f->shared[i].occurrences);
        add(part, &f->shared[i].flat);
    }
    return part;
}

/* Joins the parts, which then belong to the result. */
static zend_array *join_parts(struct flattening *f) {
    const uint32_t count = GRAPH_CLASSES + GRAPH_CLASS * f->class_count;
    zend_array *stored = part_new(count);
    zval *parts = stored->arPacked;
    ZVAL_COPY_VALUE(&parts[GRAPH_ROOT], &f->root);
    ZVAL_LONG(&parts[GRAPH_COUNT], f->count);
    set_part(&parts[GRAPH_OBJECTS], f->objects);
    set_part(&parts[GRAPH_ARRAYS], f->arrays);
    set_part(&parts[GRAPH_REFERENCES], references_part(f));
    set_part(&parts[GRAPH_CALLS], f->calls);
    for (uint32_t i = 0; i < f->class_count; i++) {
        zval *class = &parts[GRAPH_CLASSES + GRAPH_CLASS * i];
        ZVAL_STR_COPY(&class[GRAPH_NAME], f -> known[i].class->name);
        ZVAL_STR(&class[GRAPH_LOWER_CASE], zend_string_tolower(f->known[i].class->name));
        ZVAL_LONG(&class[GRAPH_FORM], f -> known[i].form);
    }
    stored->nNumUsed = stored->nNumOfElements = count;
    stored->nNextFreeElement = count;
    return stored;
}

/* Releases the references that the walk held. One of them is the last reference to an object only if user code
 * dropped the object during the walk. */
static void release_held(struct flattening *f) {
    while (f->frame_count > 0) {
        release_frame(&f->frames[--f->frame_count]);
    }
    for (uint32_t i = 0; i < f->shared_count; i++) {
        zval reference;
        ZVAL_REF(&reference, f->shared[i].reference);
        zval_ptr_dtor(&reference);
    }
    for (uint32_t i = 0; i < f->count; i++) {
        if (UNEXPECTED(GC_DELREF(f->met[i]) == 0)) {
            zend_objects_store_del(f->met[i]);
        }
    }
    if (f->numbers) {
        efree(f->numbers);
    }
    if (f->frames != f->few_frames) {
        efree(f->frames);
    }
    if (f->met != f->few_met) {
        efree(f->met);
    }
    if (f->shared) {
        efree(f->shared);
    }
}

zend_array *graph_flatten(zval *value, size_t most) {
    struct flattening f;
    f.left = most;
    f.protected = gc_protect(true);
    f.objects = part_new(32);
    f.arrays = f.calls = NULL;
    f.met = f.few_met;
    f.shared = NULL;
    f.frames = f.few_frames;
    f.room = f.frame_room = FEW_OBJECTS;
    f.class_count = f.last_class = f.count = f.shared_count = f.shared_room = f.frame_count = 0;
    f.numbers = NULL;
    ZVAL_NULL(&f.root);

    const bool done = walk(&f, value);
    zend_array *stored = join_parts(&f);
    release_held(&f);
    if (!done || f.count == 0) {
        zend_array_destroy(stored);
        stored = NULL;
    }
    gc_protect(f.protected);
    return stored;
}

void graph_release(zend_array *graph) {
    const bool protected = gc_protect(true);
    zend_array_destroy(graph);
    gc_protect(protected);
}
