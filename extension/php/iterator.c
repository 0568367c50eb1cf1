#include "attach.h"
#include "info.h"

#include "zend_exceptions.h"
#include "zend_interfaces.h"

struct iterator {
    zend_string *prefix;
    struct cache_walk *walk; /* NULL: not started, or ended */
    zend_string *key;        /* key of the current entry; NULL: none */
    struct cache_entry entry;
    bool begun;
    zend_object object;
};

static zend_object_handlers handlers;

static struct iterator *iterator_of(zend_object *object) {
    return (struct iterator *)((char *)object - offsetof(struct iterator, object));
}

static zend_object *create(zend_class_entry *class) {
    struct iterator *iterator = zend_object_alloc(sizeof(*iterator), class);
    zend_object_std_init(&iterator->object, class);
    object_properties_init(&iterator->object, class);
    iterator->object.handlers = &handlers;
    iterator->prefix = ZSTR_EMPTY_ALLOC();
    return &iterator->object;
}

static void leave_entry(struct iterator *iterator) {
    if (iterator->key) {
        zend_string_release(iterator->key);
        iterator->key = NULL;
    }
}

static void end_walk(struct iterator *iterator) {
    leave_entry(iterator);
    if (iterator->walk) {
        cache_walk_end(iterator->walk);
        iterator->walk = NULL;
    }
}

static void destroy(zend_object *object) {
    struct iterator *iterator = iterator_of(object);
    end_walk(iterator);
    zend_string_release(iterator->prefix);
    zend_object_std_dtor(object);
}

static ZEND_COLD void out_of_memory(struct iterator *iterator) {
    end_walk(iterator);
    zend_throw_error(NULL, "LarderIterator is out of memory for the keys that it has returned");
}

static void advance(struct iterator *iterator) {
    struct cache *cache = iterator->walk ? attach() : NULL;
    leave_entry(iterator);
    switch (cache ? cache_walk_next(cache, iterator->walk, &iterator->entry) : CACHE_UNAVAILABLE) {
        case CACHE_OK:
            iterator->key = zend_string_init(iterator->entry.key, iterator->entry.key_length, false);
            break;
        case CACHE_NO_ROOM:
            out_of_memory(iterator);
            break;
        default:
            end_walk(iterator);
            break;
    }
}

static void begin(struct iterator *iterator) {
    end_walk(iterator);
    iterator->begun = true;
    iterator->walk = cache_walk_begin(ZSTR_VAL(iterator->prefix), ZSTR_LEN(iterator->prefix));
    if (iterator->walk) {
        advance(iterator);
    } else if (attach()) {
        out_of_memory(iterator);
    }
}

/* Starts the walk at the first call of any method. foreach calls rewind() first, which must not start it twice. */
static struct iterator *this_iterator(zval *this) {
    struct iterator *iterator = iterator_of(Z_OBJ_P(this));
    if (!iterator->begun) {
        begin(iterator);
    }
    return iterator;
}

ZEND_METHOD(LarderIterator, __construct) {
    zend_string *prefix = NULL;

    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR(prefix)
    ZEND_PARSE_PARAMETERS_END();

    struct iterator *iterator = iterator_of(Z_OBJ_P(ZEND_THIS));
    end_walk(iterator);
    zend_string_release(iterator->prefix);
    iterator->prefix = prefix ? zend_string_copy(prefix) : ZSTR_EMPTY_ALLOC();
    iterator->begun = false;
}

ZEND_METHOD(LarderIterator, current) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct iterator *iterator = this_iterator(ZEND_THIS);
    if (iterator->key) {
        info_of_entry(&iterator->entry, return_value);
    }
}

ZEND_METHOD(LarderIterator, key) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct iterator *iterator = this_iterator(ZEND_THIS);
    if (iterator->key) {
        RETURN_STR_COPY(iterator->key);
    }
}

ZEND_METHOD(LarderIterator, next) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct iterator *iterator = this_iterator(ZEND_THIS);
    advance(iterator);
}

ZEND_METHOD(LarderIterator, rewind) {
    ZEND_PARSE_PARAMETERS_NONE();

    begin(iterator_of(Z_OBJ_P(ZEND_THIS)));
}

ZEND_METHOD(LarderIterator, valid) {
    ZEND_PARSE_PARAMETERS_NONE();

    struct iterator *iterator = this_iterator(ZEND_THIS);
    RETURN_BOOL(iterator->key != NULL);
}

void iterator_register(zend_class_entry *class) {
    class->create_object = create;
    memcpy(&handlers, &std_object_handlers, sizeof(handlers));
    handlers.offset = offsetof(struct iterator, object);
    handlers.free_obj = destroy;
    handlers.clone_obj = NULL;
}
