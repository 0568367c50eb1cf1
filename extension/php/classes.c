#include "classes.h"
#include "php_larder.h"

/*
 * The setting is read each time: it is short, it may be changed in a script, and only fetches of objects ask. It is
 * "none", or names separated by commas.
 */
struct name {
    const char *begin;
    size_t length;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == ',';
}

/* The first name at or after `*at`, which moves behind it. False: there are no more. */
static bool next_name(const char **at, struct name *name) {
    const char *begin = *at;
    while (is_blank(*begin) || *begin == '\\') {
        begin++;
    }
    const char *end = begin;
    while (*end != '\0' && !is_blank(*end)) {
        end++;
    }
    *at = end;
    *name = (struct name){begin, (size_t)(end - begin)};
    return end > begin;
}

static bool is_none(const struct name *name) {
    return zend_binary_strcasecmp(name->begin, name->length, ZEND_STRL("none")) == 0;
}

bool class_is_listed(const zend_string *name) {
    const char *at = LARDER_G(classes);
    struct name listed;
    while (next_name(&at, &listed)) {
        if (!is_none(&listed) &&
            zend_binary_strcasecmp(listed.begin, listed.length, ZSTR_VAL(name), ZSTR_LEN(name)) == 0) {
            return true;
        }
    }
    return false;
}

void classes_as_options(zval *options) {
    const char *at = LARDER_G(classes);
    struct name listed;
    zval names;
    array_init(&names);
    while (next_name(&at, &listed)) {
        if (!is_none(&listed)) {
            add_next_index_stringl(&names, listed.begin, listed.length);
        }
    }
    array_init(options);
    add_assoc_zval(options, "allowed_classes", &names);
}
