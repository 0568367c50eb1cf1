/*
 * A module that passes for rrd, whose functions get copies of cached arguments. Its function converts what is in its
 * arrays to strings in place.
 */
#include "php.h"

static void convert(zval *argument) {
    zval *element;
    if (Z_TYPE_P(argument) == IS_ARRAY) {
        ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(argument), element) {
            convert_to_string(element);
        }
        ZEND_HASH_FOREACH_END();
    }
}

ZEND_FUNCTION(rrd_convert) {
    zval *arguments, *argument;
    uint32_t count;
    HashTable *named;
    ZEND_PARSE_PARAMETERS_START(0, -1)
        Z_PARAM_VARIADIC_WITH_NAMED(arguments, count, named)
    ZEND_PARSE_PARAMETERS_END();
    for (uint32_t i = 0; i < count; i++) {
        convert(&arguments[i]);
    }
    if (named) {
        ZEND_HASH_FOREACH_VAL(named, argument) {
            convert(argument);
        }
        ZEND_HASH_FOREACH_END();
    }
    RETURN_TRUE;
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_rrd_convert, 0, 0, 0)
ZEND_ARG_VARIADIC_INFO(0, arguments)
ZEND_END_ARG_INFO()

static const zend_function_entry functions[] = {ZEND_FE(rrd_convert, arginfo_rrd_convert) ZEND_FE_END};

zend_module_entry rrd_module_entry = {
    STANDARD_MODULE_HEADER, "rrd", functions, NULL, NULL, NULL, NULL, NULL, "1", STANDARD_MODULE_PROPERTIES,
};
ZEND_GET_MODULE(rrd)
