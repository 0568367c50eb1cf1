#include "view.h"
#include "copy.h"
#include "unserialize.h"

/*
 * Unserializing runs user code, which may fetch and so overwrite the scratch, and may end the request: the
 * bytes must be pinned or our own.
 */
static bool view_serialized(const struct cache_value *value, zval *result) {
    zend_string *bytes = (zend_string *)value->bytes;
    bool read;
    if (value->hold == CACHE_PINNED) {
        read = unserialize(bytes, value->kind, result);
    } else {
        bytes = copy_string(bytes);
        read = unserialize(bytes, value->kind, result);
        zend_string_release(bytes);
    }
    if (UNEXPECTED(!read) && LARDER_G(cache)) {
        cache_unreadable(LARDER_G(cache));
    }
    return read;
}

bool view_value_slowly(const struct cache_value *value, zval *result) {
    switch (value->kind) {
        case VALUE_INTEGER:
            ZVAL_LONG(result, *(const zend_long *)value->bytes);
            return true;
        case VALUE_NULL:
            ZVAL_NULL(result);
            return true;
        case VALUE_FALSE:
            ZVAL_FALSE(result);
            return true;
        case VALUE_TRUE:
            ZVAL_TRUE(result);
            return true;
        case VALUE_FLOAT:
            ZVAL_DOUBLE(result, *(const double *)value->bytes);
            return true;
        case VALUE_EMPTY_STRING:
            ZVAL_EMPTY_STRING(result);
            return true;
        case VALUE_CHARACTER:
            ZVAL_CHAR(result, *(const zend_uchar *)value->bytes);
            return true;
        case VALUE_EMPTY_ARRAY:
            ZVAL_EMPTY_ARRAY(result);
            return true;
        case VALUE_STRING: /* pinned ones never come here */
            ZVAL_STR(result, copy_string(value->bytes));
            return true;
        case VALUE_ARRAY:
            copy_array(value, result);
            return true;
        case VALUE_PHP:
        case VALUE_IGBINARY:
            return view_serialized(value, result);
        default:
            return false;
    }
}
