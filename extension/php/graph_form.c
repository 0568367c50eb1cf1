#include "graph.h"

/* Classes whose objects are not serialized, or are only the cases of an enum. */
enum {
    NEVER = ZEND_ACC_NOT_SERIALIZABLE | ZEND_ACC_ENUM | ZEND_ACC_INTERFACE | ZEND_ACC_TRAIT |
            ZEND_ACC_EXPLICIT_ABSTRACT_CLASS | ZEND_ACC_IMPLICIT_ABSTRACT_CLASS
};

static bool has_method(const zend_class_entry *class, const char *name, size_t length) {
    return zend_hash_str_exists(&class->function_table, name, length);
}

/* True if the class has this method, but not public: then serialize() and unserialize() fail. */
static bool is_hidden(const zend_class_entry *class, const char *name, size_t length) {
    const zend_function *method = zend_hash_str_find_ptr(&class->function_table, name, length);
    return method && !(method->common.fn_flags & ZEND_ACC_PUBLIC);
}

static bool is_plain(const zend_class_entry *class) {
    return (!class->create_object || class == zend_standard_class_def) && !class->serialize &&
           !class->unserialize && !class->__serialize && !class->__unserialize;
}

/* The finalizer of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) + UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
    return hash ^ (hash >> 31);
}

/* PHP's own hash of a string is not good enough: "Ez" and "FY" have the same. */
static uint64_t mix_string(uint64_t hash, const zend_string *string) {
    hash = mix(hash, ZSTR_LEN(string));
    for (size_t at = 0; at < ZSTR_LEN(string); at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, ZSTR_VAL(string) + at, MIN(sizeof(word), ZSTR_LEN(string) - at));
        hash = mix(hash, word);
    }
    return hash;
}

static zend_long hash_form(const zend_class_entry *class) {
    if (class->ce_flags & NEVER) {
        return 0;
    }
    if (class->__serialize && class->__unserialize) {
        return FORM_CUSTOM; /* the class handles its properties itself */
    }
    if (!is_plain(class) || is_hidden(class, ZEND_STRL("__sleep")) || is_hidden(class, ZEND_STRL("__wakeup"))) {
        return 0;
    }
    if (class->default_properties_count > FORM_SLOTS_MAX) {
        return 0;
    }
    uint64_t hash = 0;
    for (int slot = 0; slot < class->default_properties_count; slot++) {
        const zend_property_info *property = class->properties_info_table[slot];
        if (!property) {
            return 0;
        }
        hash = mix_string(hash, property->name);
    }
    return (zend_long)(hash >> FORM_HASH_SHIFT << FORM_HASH_SHIFT |
                       (uint64_t) class->default_properties_count << FORM_SLOTS_SHIFT | FORM_PLAIN |
                       (has_method(class, ZEND_STRL("__wakeup")) ? FORM_WAKES : 0) |
                       (graph_may_have_dynamic(class) ? FORM_DYNAMIC : 0));
}

static const struct form *known_form(const zend_class_entry *class) {
    struct form *known = &LARDER_G(forms)[((uintptr_t) class >> 6) % FORMS];
    if (UNEXPECTED(known->class != class)) {
        const zend_long form = hash_form(class);
        LARDER_G(forms_used) = true;
        *known = (struct form){class, form, (form & FORM_PLAIN) && has_method(class, ZEND_STRL("__sleep"))};
    }
    return known;
}

zend_long graph_form(const zend_class_entry *class) {
    return known_form(class)->form;
}

bool graph_sleeps(const zend_class_entry *class) {
    return known_form(class)->sleeps;
}

void graph_forget_forms(void) {
    if (LARDER_G(forms_used)) {
        memset(LARDER_G(forms), 0, sizeof(LARDER_G(forms)));
        LARDER_G(forms_used) = false;
    }
}
