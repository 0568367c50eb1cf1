/*
 * A module with the dense form of arrays, so that its bytes can be damaged: dense_bytes(array), dense_array(string), and
 * dense_sealed(string), which gives damaged bytes a right checksum. DENSE_DECODE is the decoder or a faulty copy.
 */
#include "php.h"

#include DENSE_DECODE

#include "../../php/dense_encode.c"
#include "../../php/hash.c"
#include "../../php/measure.c"

static struct plan plan;
static struct dense_scratch scratch;

ZEND_FUNCTION(dense_bytes) {
    HashTable *array;
    struct dense_bytes dense;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_ARRAY_HT(array)
    ZEND_PARSE_PARAMETERS_END();
    if (measure_array(&plan, array, SIZE_MAX / 2, true) == MEASURED_PLAIN &&
        dense_encode(&plan, &scratch, SIZE_MAX / 2, &dense)) {
        RETVAL_STRINGL(dense.bytes, dense.length);
    }
    plan_release(&plan);
    dense_release(&scratch);
}

/* The bytes are copied, so that a sanitizer sees what is read beyond them, and so is the scratch memory. */
ZEND_FUNCTION(dense_array) {
    zend_string *bytes;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(bytes)
    ZEND_PARSE_PARAMETERS_END();
    char *copy = malloc(ZSTR_LEN(bytes) + 1);
    memcpy(copy, ZSTR_VAL(bytes), ZSTR_LEN(bytes));
    copy = realloc(copy, ZSTR_LEN(bytes) ? ZSTR_LEN(bytes) : 1);
    zend_array *array = dense_decode(copy, ZSTR_LEN(bytes), false, &scratch);
    free(copy);
    dense_release(&scratch);
    if (array) {
        RETURN_ARR(array);
    }
}

ZEND_FUNCTION(dense_sealed) {
    zend_string *bytes;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(bytes)
    ZEND_PARSE_PARAMETERS_END();
    zend_string *sealed = zend_string_init(ZSTR_VAL(bytes), ZSTR_LEN(bytes), false);
    const uint32_t checksum = dense_checksum(ZSTR_VAL(sealed), ZSTR_LEN(sealed));
    memcpy(ZSTR_VAL(sealed), &checksum, sizeof(checksum));
    RETURN_STR(sealed);
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_dense, 0, 0, 1)
ZEND_ARG_INFO(0, value)
ZEND_END_ARG_INFO()

static const zend_function_entry functions[] = {ZEND_FE(dense_bytes, arginfo_dense) ZEND_FE(
    dense_array, arginfo_dense) ZEND_FE(dense_sealed, arginfo_dense) ZEND_FE_END};

zend_module_entry dense_module_entry = {
    STANDARD_MODULE_HEADER, "dense", functions, NULL, NULL, NULL, NULL, NULL, "1", STANDARD_MODULE_PROPERTIES,
};
ZEND_GET_MODULE(dense)
