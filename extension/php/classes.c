#include "classes.h"
#include "php_larder.h"

/*
 * The setting is parsed unless the class is the one that was found last: it is short, a script may change it, and only
 * fetches of objects need it. It holds names separated by commas. "nothing" and "none" are not names, so they allow no class.
 */
struct name {
    const char *begin;
    size_t length;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == ',';
}

/* Finds the first name at or after `*at`, and moves `*at` behind it. False: there are no more. */
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

static bool is_called(const struct name *name, const char *other, size_t length) {
    return zend_binary_strcasecmp(name->begin, name->length, other, length) == 0;
}

static bool is_none(const struct name *name) {
    return is_called(name, ZEND_STRL("nothing")) || is_called(name, ZEND_STRL("none"));
}

bool class_is_listed(const zend_string *name) {
    if (EXPECTED(ZSTR_LEN(name) == LARDER_G(class_listed_length)) && EXPECTED(ZSTR_LEN(name) > 0) &&
        EXPECTED(memcmp(ZSTR_VAL(name), LARDER_G(class_listed), ZSTR_LEN(name)) == 0)) {
        return true;
    }
    const char *at = LARDER_G(classes);
    struct name listed;
    while (next_name(&at, &listed)) {
        if (UNEXPECTED(listed.length == ZSTR_LEN(name)) && is_called(&listed, ZSTR_VAL(name), ZSTR_LEN(name))) {
            if (is_none(&listed)) {
                return false;
            }
            if (EXPECTED(ZSTR_LEN(name) <= sizeof(LARDER_G(class_listed)))) {
                memcpy(LARDER_G(class_listed), ZSTR_VAL(name), ZSTR_LEN(name));
                LARDER_G(class_listed_length) = ZSTR_LEN(name);
            }
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
