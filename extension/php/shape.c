#include "shape.h"

uint64_t shape_layout(void) {
    const uint64_t facts[] = {
        SHAPE_VERSION,
        ZEND_MODULE_API_NO,
        ZEND_DEBUG,
#ifdef ZTS
        1,
#else
        0,
#endif
        sizeof(void *),
        sizeof(zend_array),
        sizeof(Bucket),
        _ZSTR_HEADER_SIZE,
        IS_STR_INTERNED,
        IS_STR_VALID_UTF8,
        SHAPE_ARRAY_FLAGS,
        HASH_FLAG_PACKED,
        HASH_FLAG_STATIC_KEYS,
        HASH_FLAG_UNINITIALIZED,
    };
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        hash = (hash ^ facts[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static void rebase_value(zval *value, uintptr_t distance) {
    if (Z_TYPE_P(value) == IS_STRING || Z_TYPE_P(value) == IS_ARRAY) {
        Z_PTR_P(value) = (void *)((uintptr_t)Z_PTR_P(value) + distance);
    }
}

static void rebase_array(HashTable *array, uintptr_t distance) {
    array->arData = (Bucket *)((uintptr_t)array->arData + distance);
    char *table = (char *)(array + 1) + HT_HASH_SIZE(array->nTableMask);
    if (HT_IS_PACKED(array)) {
        zval *value = (zval *)table;
        for (uint32_t i = 0; i < array->nNumUsed; i++) {
            rebase_value(value + i, distance);
        }
        return;
    }
    Bucket *bucket = (Bucket *)table;
    for (uint32_t i = 0; i < array->nNumUsed; i++) {
        rebase_value(&bucket[i].val, distance);
        if (bucket[i].key) {
            bucket[i].key = (zend_string *)((uintptr_t)bucket[i].key + distance);
        }
    }
}

void shape_rebase(uint32_t kind, void *bytes, size_t length, uintptr_t from, uintptr_t to) {
    if (kind != VALUE_ARRAY && kind != VALUE_GRAPH) {
        return; /* other values contain no pointers */
    }
    for (size_t at = 0; at < length;) {
        zend_refcounted_h *record = (zend_refcounted_h *)((char *)bytes + at);
        if ((record->u.type_info & GC_TYPE_MASK) == IS_ARRAY) {
            rebase_array((HashTable *)record, to - from);
        }
        at += shape_of_record(record);
    }
}
