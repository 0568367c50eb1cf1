#include "decode.h"
#include "dense.h"
#include "graph.h"
#include "serialize.h"

/* ---- Copying --------------------------------------------------------------------------------- */

/*
 * Records are copied in the order of their addresses, without recursion. The copy of an array is allocated when its
 * parent, which comes before it, is copied. It is filled when the walk reaches its own record. Each record of the
 * scratch memory keeps the address of its copy in a field that is no longer needed; refcount 0 marks such records.
 */
struct copying {
    char *scratch;
    uintptr_t base; /* the address that pointers inside the value assume for `scratch` */
};

static zend_refcounted_h *record_at(const struct copying *c, const void *pointer) {
    return (zend_refcounted_h *)(c->scratch + ((uintptr_t)pointer - c->base));
}

static zend_string *copy_string(const zend_string *record) {
    if (ZSTR_LEN(record) <= 1) {
        return ZSTR_LEN(record) == 0 ? ZSTR_EMPTY_ALLOC() : ZSTR_CHAR((zend_uchar)ZSTR_VAL(record)[0]);
    }
    zend_string *copy = zend_string_init(ZSTR_VAL(record), ZSTR_LEN(record), false);
    ZSTR_H(copy) = ZSTR_H(record);
    GC_ADD_FLAGS(copy, GC_FLAGS(record) & IS_STR_VALID_UTF8);
    return copy;
}

/* A string may have several pointers to it. The first time it is copied; later times add a reference to the copy. */
static zend_string *copied_string(const struct copying *c, const zend_string *pointer) {
    zend_string *record = (zend_string *)record_at(c, pointer);
    if (record->gc.refcount == 0) {
        return zend_string_copy((zend_string *)(uintptr_t)ZSTR_H(record));
    }
    zend_string *copy = copy_string(record);
    record->gc.refcount = 0;
    ZSTR_H(record) = (zend_ulong)(uintptr_t)copy;
    return copy;
}

/* An array may have several pointers to it, too. */
static zend_array *copied_array(HashTable *record) {
    if (record->gc.refcount == 0) {
        zend_array *shared = (zend_array *)(uintptr_t)record->pDestructor;
        GC_ADDREF(shared);
        return shared;
    }
    zend_array *copy = emalloc(sizeof(*copy));
    GC_SET_REFCOUNT(copy, 1); /* more references may be counted before it is filled */
    record->gc.refcount = 0;
    record->pDestructor = (dtor_func_t)(uintptr_t)copy;
    return copy;
}

static void copy_element(const struct copying *c, zval *target, const zval *source) {
    if (Z_TYPE_P(source) == IS_STRING) {
        zend_string *string = copied_string(c, Z_STR_P(source));
        ZVAL_STR(target, string);
    } else if (Z_TYPE_P(source) == IS_ARRAY) {
        HashTable *record = (HashTable *)record_at(c, Z_ARR_P(source));
        if (record->nNumOfElements == 0 && record->nNextFreeElement == zend_empty_array.nNextFreeElement) {
            ZVAL_EMPTY_ARRAY(target);
        } else {
            ZVAL_ARR(target, copied_array(record));
        }
    } else {
        ZVAL_COPY_VALUE(target, source);
    }
}

static void fill_array(const struct copying *c, zend_array *target, HashTable *record) {
    char *table = (char *)(record + 1);
    const uint32_t references = GC_REFCOUNT(target);
    size_t hash_bytes = HT_HASH_SIZE(record->nTableMask);

    if (record->nNumOfElements == 0) {
        zend_hash_init(target, 0, NULL, ZVAL_PTR_DTOR, false);
        GC_SET_REFCOUNT(target, references);
        target->nNextFreeElement = record->nNextFreeElement;
        return;
    }
    *target = *record;
    GC_SET_REFCOUNT(target, references);
    GC_TYPE_INFO(target) = GC_ARRAY;
    target->pDestructor = ZVAL_PTR_DTOR;
    if (HT_IS_PACKED(record)) {
        const zval *from = (const zval *)(table + hash_bytes);
        HT_SET_DATA_ADDR(target, emalloc(HT_PACKED_SIZE(target)));
        memcpy(HT_GET_DATA_ADDR(target), table, hash_bytes);
        for (uint32_t i = 0; i < record->nNumUsed; i++) {
            copy_element(c, &target->arPacked[i], &from[i]);
        }
        return;
    }
    const Bucket *from = (const Bucket *)(table + hash_bytes);
    HT_SET_DATA_ADDR(target, emalloc(HT_SIZE(target)));
    memcpy(HT_GET_DATA_ADDR(target), table, hash_bytes);
    for (uint32_t i = 0; i < record->nNumUsed; i++) {
        Bucket *to = &target->arData[i];
        to->h = from[i].h;
        to->key = NULL;
        if (from[i].key) {
            to->key = copied_string(c, from[i].key);
            if (!ZSTR_IS_INTERNED(to->key)) {
                HT_FLAGS(target) &= ~HASH_FLAG_STATIC_KEYS;
            }
        }
        copy_element(c, &to->val, &from[i].val);
        Z_NEXT(to->val) = Z_NEXT(from[i].val);
    }
}

static void copy_array(const struct cache_value *value, zval *result) {
    struct copying c = {(char *)value->bytes, value->base};
    zend_array *root = copied_array((HashTable *)c.scratch);
    for (size_t at = 0; at < value->length;) {
        zend_refcounted_h *record = (zend_refcounted_h *)(c.scratch + at);
        if ((record->u.type_info & GC_TYPE_MASK) == IS_ARRAY && record->refcount == 0) {
            HashTable *array = (HashTable *)record;
            fill_array(&c, (zend_array *)(uintptr_t)array->pDestructor, array);
        }
        at += shape_of_record(record);
    }
    ZVAL_ARR(result, root);
}

/* ---- Decoding -------------------------------------------------------------------------------- */

/* Unserializing runs user code, which may fetch and so overwrite the scratch memory. So the bytes must be pinned, or
 * a copy. */
static bool decode_serialized(const struct cache_value *value, zval *result) {
    zend_string *bytes = (zend_string *)value->bytes;
    bytes = value->hold == CACHE_PINNED ? bytes : copy_string(bytes);
    const bool read = unserialize(bytes, value->kind, result);
    zend_string_release(bytes); /* does nothing to a pinned one */
    return read;
}

static bool decode_graph(const struct cache_value *value, zval *result) {
    if (value->hold == CACHE_PINNED) {
        return unserialize_graph((const zend_array *)value->bytes, result);
    }
    zval copy;
    copy_array(value, &copy);
    const bool read = unserialize_graph(Z_ARR(copy), result);
    graph_release(Z_ARR(copy));
    return read;
}

static bool decode_dense(const struct cache_value *value, zval *result) {
    zend_array *array =
        dense_decode(value->bytes, value->length, value->kind == VALUE_DENSE_GRAPH, &LARDER_G(dense));
    dense_shrink(&LARDER_G(dense));
    if (UNEXPECTED(!array)) {
        return false;
    }
    if (EXPECTED(value->kind == VALUE_DENSE)) {
        ZVAL_ARR(result, array);
        return true;
    }
    const bool read = unserialize_graph(array, result);
    graph_release(array);
    return read;
}

bool decode_value_slowly(const struct cache_value *value, zval *result) {
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
        case VALUE_INCOMPLETE:
            return decode_serialized(value, result);
        case VALUE_GRAPH:
            return decode_graph(value, result);
        case VALUE_DENSE:
        case VALUE_DENSE_GRAPH:
            return decode_dense(value, result);
        default:
            return false;
    }
}
