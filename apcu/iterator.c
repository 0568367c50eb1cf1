/*
 * The class APCUIterator: walks over all keys, the keys of a list, or the keys that match an expression. APCu copies
 * a hundred items at a time; here each item is as it is when the iterator reaches it.
 */
#include "php_apcu.h"
#include "pattern.h"
#include "shape.h"

#include "zend_exceptions.h"

struct iterator {
    bool made; /* made by its constructor, which a subclass may not call */
    zend_long format;
    zend_long list; /* enum list */
    struct pattern pattern;
    zend_array *keys;  /* the only keys; NULL: all */
    zend_array *shape; /* shape of an item */

    bool begun;
    struct larder_walk *walk; /* NULL: none, or ended */
    HashPosition position;    /* in `keys` */
    zend_string *key;         /* key of the current item; NULL: none */
    zval item;

    /* Changes with the item. Reading or releasing a value may run code that calls the iterator. */
    unsigned turn;

    bool counted;
    zend_long hits, size, count;
    zend_object object;
};

static zend_class_entry *class_of_iterators;
static zend_array *all_parts; /* the shape of an item with all parts */
static zend_object_handlers handlers;

static struct iterator *iterator_of(zend_object *object) {
    return (struct iterator *)((char *)object - offsetof(struct iterator, object));
}

static zend_object *create(zend_class_entry *class) {
    struct iterator *iterator = zend_object_alloc(sizeof(*iterator), class);
    zend_object_std_init(&iterator->object, class);
    object_properties_init(&iterator->object, class);
    iterator->object.handlers = &handlers;
    return &iterator->object;
}

/* Removes the item from the iterator before releasing it: the item's destructors may call the iterator. */
static void leave_item(struct iterator *iterator) {
    iterator->turn++;
    if (iterator->key) {
        zval item;
        ZVAL_COPY_VALUE(&item, &iterator->item);
        zend_string_release(iterator->key);
        iterator->key = NULL;
        zval_ptr_dtor(&item);
    }
}

static void end_walk(struct iterator *iterator) {
    leave_item(iterator);
    if (iterator->walk) {
        larder->walk_end(iterator->walk);
        iterator->walk = NULL;
    }
}

/* The same. */
static void unmake(struct iterator *iterator) {
    struct iterator old;
    memcpy(&old, iterator, offsetof(struct iterator, object));
    memset(iterator, 0, offsetof(struct iterator, object));
    iterator->turn = old.turn + 1;
    end_walk(&old);
    pattern_release(&old.pattern);
    if (old.keys) {
        zend_array_release(old.keys);
    }
    if (old.shape) {
        zend_array_release(old.shape);
    }
}

static void destroy(zend_object *object) {
    zend_object_std_dtor(object); /* first, or a destructor could get the iterator by a weak reference */
    unmake(iterator_of(object));
}

/* ---- Walking ---------------------------------------------------------------------------------- */

/* Finds the next key of the list that is in the cache. */
static zend_string *next_listed(struct iterator *iterator, struct larder_entry *entry) {
    zend_string *key;
    zend_ulong number;
    while (zend_hash_get_current_key_ex(iterator->keys, &key, &number, &iterator->position) ==
           HASH_KEY_IS_STRING) {
        zend_hash_move_forward_ex(iterator->keys, &iterator->position);
        if (larder->describe(key, entry)) {
            return zend_string_copy(key);
        }
    }
    return NULL;
}

static bool next_matching(struct iterator *iterator, struct larder_entry *entry) {
    return iterator->walk && larder->walk_next(iterator->walk, entry);
}

static zend_string *next_key(struct iterator *iterator, struct larder_entry *entry) {
    if (iterator->keys && iterator->list == LIST_ACTIVE) {
        return next_listed(iterator, entry);
    }
    return next_matching(iterator, entry) ? zend_string_init(entry->key, entry->key_length, false) : NULL;
}

static void begin(struct iterator *iterator) {
    end_walk(iterator);
    /* Read only now: a destructor may have constructed the iterator again. */
    const zend_string *prefix = iterator->pattern.prefix;
    iterator->begun = true;
    iterator->position = 0;
    if (iterator->list == LIST_ACTIVE && !iterator->keys) {
        iterator->walk = larder->walk_begin(prefix ? ZSTR_VAL(prefix) : "", prefix ? ZSTR_LEN(prefix) : 0);
    }
    if (iterator->walk && iterator->pattern.regex) {
        larder->walk_only(iterator->walk, pattern_matches, &iterator->pattern);
    }
    if (iterator->walk && (iterator->format & ITER_VALUE)) {
        larder->walk_values(iterator->walk, true);
    }
}

/* ---- Items ------------------------------------------------------------------------------------ */

/* False: the entry was removed since. An object that cannot be unserialized is false, as for apcu_fetch(). */
static bool read_value(struct iterator *iterator, zend_string *key, zval *value) {
    return (iterator->walk && larder->walk_value(iterator->walk, value)) ||
           (larder->fetch_entry(key, value) && !EG(exception));
}

static zend_array *shape_of(zend_long format) {
    zend_array *shape = zend_new_array(zend_hash_num_elements(all_parts));
    zend_string *name;
    zval *value;
    ZEND_HASH_FOREACH_STR_KEY_VAL(all_parts, name, value) {
        if (format & 1) {
            zend_hash_add_new(shape, name, value);
        }
        format >>= 1;
    }
    ZEND_HASH_FOREACH_END();
    return shape;
}

/* False: there is no value any more, or the iterator was called while its value was read. */
static bool make_item(struct iterator *iterator, zend_string *key, const struct larder_entry *entry) {
    const zend_long format = iterator->format, stored = (zend_long)entry->stored;
    const unsigned turn = iterator->turn;
    zval value;
    if ((format & ITER_VALUE) && !read_value(iterator, key, &value)) {
        return false;
    }
    if (iterator->turn != turn) {
        zval_ptr_dtor(&value);
        return false;
    }
    Bucket *part = shape_copy(iterator->shape, &iterator->item);
#define PART(bit, ...)                   \
    if (format & (bit)) {                \
        zval *const at = &(part++)->val; \
        __VA_ARGS__;                     \
    }
    PART(ITER_TYPE, (void)at) /* already in the shape, as are parts that are always 0 */
    PART(ITER_KEY, ZVAL_STR_COPY(at, key))
    PART(ITER_VALUE, ZVAL_COPY_VALUE(at, &value))
    PART(ITER_NUM_HITS, ZVAL_LONG(at, entry->used))
    PART(ITER_MTIME, ZVAL_LONG(at, stored))
    PART(ITER_CTIME, ZVAL_LONG(at, stored))
    PART(ITER_DTIME, (void)at)
    PART(ITER_ATIME, ZVAL_LONG(at, stored))
    PART(ITER_REFCOUNT, (void)at)
    PART(ITER_MEM_SIZE, ZVAL_LONG(at, (zend_long)entry->size))
    PART(ITER_TTL, ZVAL_LONG(at, entry->ttl))
#undef PART
    return true;
}

static void advance(struct iterator *iterator) {
    struct larder_entry entry;
    zend_string *key;
    leave_item(iterator);
    const unsigned turn = iterator->turn;
    while (!iterator->key && iterator->turn == turn && !EG(exception) && (key = next_key(iterator, &entry))) {
        if (make_item(iterator, key, &entry)) {
            iterator->key = key;
        } else {
            zend_string_release(key);
        }
    }
}

/* ---- Methods ---------------------------------------------------------------------------------- */

/* NULL, with an exception: the constructor was not called, or failed. */
static struct iterator *this_iterator(zval *this) {
    struct iterator *iterator = iterator_of(Z_OBJ_P(this));
    if (!iterator->made) {
        zend_throw_error(NULL, "Trying to use uninitialized APCUIterator");
        return NULL;
    }
    return iterator;
}

/* The same, positioned at an item if there is one: any method may be the first to be called. */
static struct iterator *this_begun(zval *this) {
    struct iterator *iterator = this_iterator(this);
    if (iterator && !iterator->begun) {
        begin(iterator);
        advance(iterator);
    }
    return iterator;
}

static zend_array *strings_of(HashTable *list) {
    zend_array *keys = zend_new_array(zend_hash_num_elements(list));
    zval *key;
    ZEND_HASH_FOREACH_VAL(list, key) {
        ZVAL_DEREF(key);
        if (Z_TYPE_P(key) == IS_STRING) {
            zend_hash_add_empty_element(keys, Z_STR_P(key));
        }
    }
    ZEND_HASH_FOREACH_END();
    return keys;
}

/* Checks arguments as APCu does, with its messages. */
static bool check(zend_long format, zend_long chunk_size, zend_long list) {
    if (chunk_size < 0) {
        php_error_docref(NULL, E_ERROR, "APCUIterator chunk size must be 0 or greater");
    } else if (!is_enabled()) {
        zend_throw_error(NULL, "APC must be enabled to use APCUIterator");
    } else if (format > ITER_ALL) {
        php_error_docref(NULL, E_ERROR, "APCUIterator format is invalid");
    } else if (list != LIST_ACTIVE && list != LIST_DELETED) {
        php_error_docref(NULL, E_WARNING, "APCUIterator invalid list type");
    } else {
        return true;
    }
    return false;
}

ZEND_METHOD(APCUIterator, __construct) {
    zval *search = NULL;
    zend_long format = ITER_ALL, chunk_size = 0, list = LIST_ACTIVE;

    ZEND_PARSE_PARAMETERS_START(0, 4)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL_OR_NULL(search)
        Z_PARAM_LONG(format)
        Z_PARAM_LONG(chunk_size)
        Z_PARAM_LONG(list)
    ZEND_PARSE_PARAMETERS_END();

    struct iterator *iterator = iterator_of(Z_OBJ_P(ZEND_THIS));
    if (!check(format, chunk_size, list)) {
        return;
    }
    do {
        unmake(iterator);
    } while (iterator->shape); /* a destructor has constructed the iterator again */
    iterator->format = format;
    iterator->shape = shape_of(format);
    iterator->list = list;
    if (search && Z_TYPE_P(search) == IS_STRING && Z_STRLEN_P(search) > 0) {
        if (!pattern_compile(Z_STR_P(search), &iterator->pattern)) {
            php_error_docref(NULL, E_ERROR, "Could not compile regular expression: %s", Z_STRVAL_P(search));
            return;
        }
    } else if (search && Z_TYPE_P(search) == IS_ARRAY) {
        iterator->keys = strings_of(Z_ARRVAL_P(search));
    }
    iterator->made = true;
}

ZEND_METHOD(APCUIterator, rewind) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct iterator *iterator = this_iterator(ZEND_THIS);
    if (iterator) {
        begin(iterator);
        advance(iterator);
    }
}

ZEND_METHOD(APCUIterator, valid) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct iterator *iterator = this_begun(ZEND_THIS);
    if (iterator) {
        RETURN_BOOL(iterator->key != NULL);
    }
}

/* The current item. NULL, with an exception: there is none. */
static zval *item_of(struct iterator *iterator) {
    if (iterator && iterator->key) {
        return &iterator->item;
    }
    if (!EG(exception)) {
        zend_throw_error(NULL, "Cannot call current() on invalid iterator");
    }
    return NULL;
}

ZEND_METHOD(APCUIterator, current) {
    ZEND_PARSE_PARAMETERS_NONE();

    const zval *item = item_of(this_begun(ZEND_THIS));
    if (item) {
        RETURN_COPY(item);
    }
}

/* The same. */
static zend_string *key_of(const struct iterator *iterator) {
    if (iterator && iterator->key) {
        return iterator->key;
    }
    if (!EG(exception)) {
        zend_throw_error(NULL, "Cannot call key() on invalid iterator");
    }
    return NULL;
}

ZEND_METHOD(APCUIterator, key) {
    ZEND_PARSE_PARAMETERS_NONE();

    zend_string *key = key_of(this_begun(ZEND_THIS));
    if (key) {
        RETURN_STR_COPY(key);
    }
}

ZEND_METHOD(APCUIterator, next) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct iterator *iterator = this_iterator(ZEND_THIS);
    if (iterator && iterator->begun) {
        advance(iterator);
    }
}

/* ---- Totals ----------------------------------------------------------------------------------- */

/* The same without the key, which is created only if it is used. */
static bool next_entry(struct iterator *iterator, struct larder_entry *entry) {
    if (!iterator->keys) {
        return next_matching(iterator, entry);
    }
    zend_string *key = next_key(iterator, entry);
    if (key) {
        zend_string_release(key);
    }
    return key != NULL;
}

/* Adds up by a separate walk, so that the iterator keeps its position. */
static void add_up(struct iterator *iterator) {
    struct iterator other = {.list = LIST_ACTIVE, .pattern = iterator->pattern, .keys = iterator->keys};
    struct larder_entry entry;
    begin(&other);
    while (next_entry(&other, &entry)) {
        iterator->hits += entry.used;
        iterator->size += (zend_long)entry.size;
        iterator->count++;
    }
    end_walk(&other);
    iterator->counted = true;
}

static void total_function(INTERNAL_FUNCTION_PARAMETERS, size_t offset) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct iterator *iterator = this_iterator(ZEND_THIS);
    if (!iterator) {
        return;
    }
    if (!iterator->counted) {
        add_up(iterator);
    }
    RETURN_LONG(*(zend_long *)((char *)iterator + offset));
}

#define TOTAL(method, field)                                                                \
    ZEND_METHOD(APCUIterator, method) {                                                     \
        total_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, offsetof(struct iterator, field)); \
    }

TOTAL(getTotalHits, hits)
TOTAL(getTotalSize, size)
TOTAL(getTotalCount, count)

/* ---- Deleting --------------------------------------------------------------------------------- */

static bool is_prefix_only(const struct iterator *iterator) {
    return !iterator->begun && iterator->list == LIST_ACTIVE && !iterator->keys && !iterator->pattern.regex;
}

static void delete_rest(struct iterator *iterator) {
    struct larder_entry entry;
    zend_string *key;
    leave_item(iterator);
    if (!iterator->begun) {
        begin(iterator);
    }
    if (iterator->walk) {
        larder->walk_values(iterator->walk, false); /* reading values would count as hits */
    }
    while ((key = next_key(iterator, &entry))) {
        larder->remove(key);
        zend_string_release(key);
    }
}

bool iterator_delete(zval *object) {
    /* If disable_classes names the class, PHP creates plain objects of it. */
    if (!instanceof_function(Z_OBJCE_P(object), class_of_iterators) || Z_OBJ_HT_P(object) != &handlers) {
        php_error_docref(NULL, E_ERROR, "apc_delete object argument must be instance of APCUIterator.");
        return false;
    }
    struct iterator *iterator = this_iterator(object);
    if (!iterator) {
        return false;
    }
    const zend_string *prefix = iterator->pattern.prefix;
    if (is_prefix_only(iterator)) {
        larder->remove_prefix(prefix ? ZSTR_VAL(prefix) : "", prefix ? ZSTR_LEN(prefix) : 0);
    } else {
        delete_rest(iterator);
    }
    return true;
}

/* ---- foreach ---------------------------------------------------------------------------------- */

/* foreach does not call the methods; for a subclass with its own methods, PHP calls those instead. */

static void loop_end(zend_object_iterator *loop) {
    zval_ptr_dtor(&loop->data);
}

static void loop_rewind(zend_object_iterator *loop) {
    struct iterator *iterator = this_iterator(&loop->data);
    if (iterator) {
        begin(iterator);
        advance(iterator);
    }
}

/* Other code than foreach may ask before it rewinds: NoRewindIterator never rewinds. */

static int loop_valid(zend_object_iterator *loop) {
    const struct iterator *iterator = this_begun(&loop->data);
    return iterator && iterator->key ? SUCCESS : FAILURE;
}

static zval *loop_item(zend_object_iterator *loop) {
    return item_of(this_begun(&loop->data));
}

static void loop_key(zend_object_iterator *loop, zval *key) {
    zend_string *name = key_of(this_begun(&loop->data));
    if (name) {
        ZVAL_STR_COPY(key, name);
    } else {
        ZVAL_NULL(key);
    }
}

static void loop_next(zend_object_iterator *loop) {
    struct iterator *iterator = iterator_of(Z_OBJ(loop->data));
    if (iterator->begun) {
        advance(iterator);
    }
}

static const zend_object_iterator_funcs loop_functions = {
    .dtor = loop_end,
    .valid = loop_valid,
    .get_current_data = loop_item,
    .get_current_key = loop_key,
    .move_forward = loop_next,
    .rewind = loop_rewind,
};

static zend_object_iterator *loop_begin(zend_class_entry *class, zval *object, int by_reference) {
    (void)class;
    if (by_reference) {
        zend_throw_error(NULL, "An iterator cannot be used with foreach by reference");
        return NULL;
    }
    zend_object_iterator *loop = emalloc(sizeof(*loop));
    zend_iterator_init(loop);
    ZVAL_OBJ_COPY(&loop->data, Z_OBJ_P(object));
    loop->funcs = &loop_functions;
    return loop;
}

void apcu_iterator_register(zend_class_entry *class) {
    class_of_iterators = class;
    static const char *const parts[] = {
        "type",          "key",         "value",     "num_hits", "mtime", "creation_time",
        "deletion_time", "access_time", "ref_count", "mem_size", "ttl"};
    all_parts = shape_new(parts, sizeof(parts) / sizeof(parts[0]));
    ZVAL_INTERNED_STR(&all_parts->arData[0].val, zend_string_init_interned(ZEND_STRL("user"), true));
    class->create_object = create;
    class->get_iterator = loop_begin;
    memcpy(&handlers, &std_object_handlers, sizeof(handlers));
    handlers.offset = offsetof(struct iterator, object);
    handlers.free_obj = destroy;
    handlers.clone_obj = NULL;
}

void iterator_unregister(void) {
    shape_free(all_parts);
}
