/*
 * The shape of a stored value.
 *
 * A value is a sequence of 8-byte aligned records. A record is what PHP has in memory: a zend_string, or a
 * zend_array followed by its table. The first record is the value. Each other record has a pointer from an earlier
 * array; later arrays may point to it, too. Both kinds begin with zend_refcounted_h, so the records can be walked
 * without following pointers and without recursion. Pointers are addresses in the read-only mapping.
 *
 * Why each field has its value:
 *  - refcount 2: before PHP writes in place (SEPARATE_ARRAY, SPL), it checks the count, not the flag. The count
 *    never changes, because of the flags below and the type flags 0 of every zval.
 *  - strings are IS_STR_INTERNED, so PHP neither counts nor frees them. They are not IS_STR_PERMANENT, or the pcre
 *    cache would keep pointers to them after the request.
 *  - every string has its hash, because zend_string_hash_val() would write a missing one.
 *  - IS_STR_VALID_UTF8 is set, because pcre and mbstring could not set it and would scan the string each time.
 *  - arrays are GC_IMMUTABLE and GC_NOT_COLLECTABLE; the destructor is NULL, because its address differs in every
 *    process; the internal pointer is 0, because zend_array_dup() copies it unchecked.
 *  - the table size is a power of two, because PHP uses it to turn a growing copy of a packed array into a hash;
 *    only the used elements are stored, as in opcache.
 *  - the hash part has PHP's length for that size, because HT_HASH_RESET writes multiples of 64 bytes into copies.
 */
#ifndef LARDER_SHAPE_H
#define LARDER_SHAPE_H

#include "php_larder.h"

/* Raise this when the shape changes. Segments of another shape are other files. */
#define SHAPE_VERSION 5

enum value_kind {
    VALUE_INTEGER = CACHE_INTEGER,
    VALUE_NULL = 2, /* these five have no bytes */
    VALUE_FALSE,
    VALUE_TRUE,
    VALUE_EMPTY_STRING,
    VALUE_EMPTY_ARRAY,
    VALUE_CHARACTER, /* a string of this one byte */
    VALUE_FLOAT,     /* a double */
    VALUE_STRING,    /* a zend_string */
    VALUE_ARRAY,     /* records, the first a zend_array */
    VALUE_PHP,       /* a zend_string, the result of serialize() */
    VALUE_IGBINARY,
    VALUE_INCOMPLETE, /* as VALUE_PHP; it had incomplete objects when it was stored */
    VALUE_GRAPH,      /* an array from which objects are built; see graph.h */
    VALUE_DENSE,      /* an array in the dense form; see dense.h */
    VALUE_DENSE_GRAPH,
};

#ifdef LARDER_UNREADABLE
/* Faults that tests must detect; see unreadable.h. */
#define SHAPE_REFCOUNT (LARDER_G(control) == CONTROL_REFCOUNT ? 1 : 2)
#define SHAPE_STRING_FLAGS (IS_STR_INTERNED | (LARDER_G(control) == CONTROL_PERMANENT ? IS_STR_PERMANENT : 0))
#include "unreadable.h"
#else
#define SHAPE_REFCOUNT 2
#define SHAPE_STRING_FLAGS IS_STR_INTERNED
#endif
#define SHAPE_ARRAY_FLAGS (GC_IMMUTABLE | GC_NOT_COLLECTABLE)

static zend_always_inline size_t shape_align(size_t bytes) {
    return (bytes + 7) & ~(size_t)7;
}

/* Bytes of a string's record. */
static zend_always_inline size_t shape_of_string(size_t length) {
    return shape_align(_ZSTR_STRUCT_SIZE(length));
}

/* The dimensions of an array's table in the segment. */
struct table_shape {
    uint32_t used;      /* elements, including the holes of packed arrays, but not those of hashes */
    uint32_t size;      /* nTableSize: a power of two */
    uint32_t hash_size; /* 32-bit words of the hash part: a power of two */
    bool packed;
};

static zend_always_inline struct table_shape shape_of_table(const HashTable *source) {
    struct table_shape shape = {0, HT_MIN_SIZE, 2, false}; /* an empty array: two invalid words */
    if (source->nNumOfElements == 0) {
        return shape;
    }
    shape.packed = HT_IS_PACKED(source);
    shape.used = shape.packed ? source->nNumUsed : source->nNumOfElements;
    while (shape.size < shape.used) {
        shape.size *= 2;
    }
    if (!shape.packed) {
        shape.hash_size = shape.size * 2;
    }
    return shape;
}

/* Bytes of an array's record: the zend_array, the hash part, the elements. */
static zend_always_inline size_t shape_of_array(struct table_shape shape) {
    return sizeof(zend_array) + shape.hash_size * sizeof(uint32_t) +
           shape.used * (shape.packed ? sizeof(zval) : sizeof(Bucket));
}

/* Bytes of the record that lies at `record`. */
static zend_always_inline size_t shape_of_record(const zend_refcounted_h *record) {
    if ((record->u.type_info & GC_TYPE_MASK) == IS_STRING) {
        return shape_of_string(ZSTR_LEN((const zend_string *)record));
    }
    const HashTable *array = (const HashTable *)record;
    return sizeof(zend_array) + HT_HASH_SIZE(array->nTableMask) +
           array->nNumUsed * (HT_IS_PACKED(array) ? sizeof(zval) : sizeof(Bucket));
}

/* Points a zval to a record. The type has no flags, so PHP does not count references. */
static zend_always_inline void shape_point(zval *value, void *record, uint32_t type) {
    Z_PTR_P(value) = record;
    Z_TYPE_INFO_P(value) = type;
}

/* A hash of everything that determines the shape. Processes share values only if their hashes are equal. */
uint64_t shape_layout(void);

/* Adjusts the pointers inside a value that moved from `from` to `to`, without allocating. Core calls it as
 * cache_rebase. */
void shape_rebase(uint32_t kind, void *bytes, size_t length, uintptr_t from, uintptr_t to);

#endif
