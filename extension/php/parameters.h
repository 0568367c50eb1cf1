/* Checks of arguments that several functions need. */
#ifndef LARDER_PARAMETERS_H
#define LARDER_PARAMETERS_H

#include "fetch.h"
#include "php_larder.h"

static ZEND_COLD zend_never_inline bool refuse_key(uint32_t argument, const char *subject) {
    zend_argument_value_error(argument, "%s between 1 and %d bytes long", subject, CACHE_KEY_MAX);
    return false;
}

/* False, with an exception: the first argument is not a valid key. */
static zend_always_inline bool check_key(const zend_string *name) {
    return EXPECTED(is_key(name)) || refuse_key(1, "must be");
}

/* False, with an exception: the number is negative or NAN. */
static zend_always_inline bool check_not_negative(double number, uint32_t argument) {
    if (UNEXPECTED(!(number >= 0))) {
        zend_argument_value_error(argument, "must be greater than or equal to 0");
        return false;
    }
    return true;
}

/* The number of an argument that is an int or a float. */
static zend_always_inline double number_of(const zval *number) {
    return Z_TYPE_P(number) == IS_LONG ? (double)Z_LVAL_P(number) : Z_DVAL_P(number);
}

/* Sets what a function returns on a miss. `missing` may be NULL. */
static zend_always_inline void set_default(zval *result, zval *missing) {
    if (missing) {
        ZVAL_COPY(result, missing);
    } else {
        ZVAL_NULL(result);
    }
}

#endif
