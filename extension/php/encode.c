#include "encode.h"
#include "shape.h"
#include "hash.h"
#include "utf8.h"
#include "past_caches.h"
#include "short_string.h"

struct encoding {
    const struct plan *plan;
    char *writable;             /* address to which the value is written */
    uintptr_t address;          /* address at which readers will see it */
    const uint32_t *next_place; /* in plan->places */
    size_t place;               /* end of the written part, in units */
    bool cold;
};

static zend_always_inline void encode_header(zend_string *record, const zend_string *source, zend_ulong hash,
                                             bool utf8) {
    uint32_t flags = SHAPE_STRING_FLAGS | (utf8 ? IS_STR_VALID_UTF8 : 0);
    GC_SET_REFCOUNT(record, SHAPE_REFCOUNT);
    GC_TYPE_INFO(record) = GC_STRING | (flags << GC_FLAGS_SHIFT);
    ZSTR_H(record) = hash;
    ZSTR_LEN(record) = ZSTR_LEN(source);
}

static bool is_utf8(const zend_string *source) {
    return (GC_FLAGS(source) & IS_STR_VALID_UTF8) || utf8_valid(ZSTR_VAL(source), ZSTR_LEN(source));
}

/* Copies a text. True if it is valid UTF-8. As long as the text is ASCII, it is handled by blocks, so that memory is
 * read only once for both. */
static bool copy_text(char *to, const zend_string *source, bool cold) {
    enum { BLOCK = 4096 };
    const char *from = ZSTR_VAL(source);
    size_t left = ZSTR_LEN(source);
    if (cold) {
        return copy_past_caches(to, from, left) || is_utf8(source);
    }
    if (GC_FLAGS(source) & IS_STR_VALID_UTF8) {
        memcpy(to, from, left);
        return true;
    }
    for (size_t block; left > 0 && utf8_is_ascii(from, block = MIN(left, BLOCK)); left -= block) {
        memcpy(to, from, block);
        to += block;
        from += block;
    }
    if (EXPECTED(left == 0)) {
        return true;
    }
    memcpy(to, from, left);
    return utf8_valid(from, left);
}

/* Other code seldom hashes long strings, so the hash is not written into the source. */
static void encode_long(zend_string *record, const zend_string *source, bool cold) {
    size_t bytes = shape_of_string(ZSTR_LEN(source));
    zend_ulong hash = ZSTR_H(source) ? ZSTR_H(source) : hash_bytes(ZSTR_VAL(source), ZSTR_LEN(source));
    *(uint64_t *)((char *)record + bytes - 8) = 0; /* the padding */
    bool utf8 = copy_text(ZSTR_VAL(record), source, cold);
    encode_header(record, source, hash, utf8);
}

static zend_always_inline void encode_any(zend_string *record, zend_string *source, bool cold) {
    if (UNEXPECTED(ZSTR_LEN(source) > SHORT_STRING_MAX)) {
        encode_long(record, source, cold);
    } else {
        bool ascii = short_string_copy(ZSTR_VAL(record), source);
        encode_header(record, source, string_hash(source), ascii || is_utf8(source));
    }
}

void encode_string(zend_string *record, zend_string *source, bool cold) {
    encode_any(record, source, cold);
}

/* Returns the address of the next string of the plan. Writes the string, unless it is shared and already written. */
static zend_always_inline zend_string *string_at(struct encoding *e, zend_string *source) {
    size_t place = *e->next_place++;
    if (place == e->place) {
        encode_any((zend_string *)(e->writable + place * PLAN_UNIT), source,
                   e->cold && ZSTR_LEN(source) >= PAST_CACHES_LEAST);
        e->place += shape_of_string(ZSTR_LEN(source)) / PLAN_UNIT;
    }
    return (zend_string *)(e->address + place * PLAN_UNIT);
}

static zend_always_inline void encode_value(struct encoding *e, zval *target, const zval *source) {
    while (Z_TYPE_P(source) == IS_REFERENCE) {
        source = Z_REFVAL_P(source);
    }
    switch (Z_TYPE_P(source)) {
        case IS_STRING:
            shape_point(target, string_at(e, Z_STR_P(source)), IS_STRING);
            return;
        case IS_ARRAY: {
            size_t place = e->plan->arrays[*e->next_place++].place;
            shape_point(target, (void *)(e->address + place * PLAN_UNIT), IS_ARRAY);
            return;
        }
        default:
            target->value = source->value;
            Z_TYPE_INFO_P(target) = Z_TYPE_P(source);
    }
}

static void encode_packed(struct encoding *e, zval *table, const HashTable *source) {
    for (uint32_t i = 0; i < source->nNumUsed; i++) {
        encode_value(e, &table[i], &source->arPacked[i]);
        table[i].u2.next = 0;
    }
}

/* `target` is in the writable mapping; its arData is an address in the read-only one. */
static void encode_hash(struct encoding *e, HashTable *target, Bucket *table, const HashTable *source) {
    /* Collision chains can be copied if no element moves and the hash parts are of equal length. */
    bool same = target->nTableMask == source->nTableMask && HT_IS_WITHOUT_HOLES(source);
    size_t hash_bytes = HT_HASH_SIZE(target->nTableMask);
    if (same) {
        memcpy((char *)table - hash_bytes, HT_GET_DATA_ADDR(source), hash_bytes);
    } else {
        memset((char *)table - hash_bytes, 0xff, hash_bytes); /* HT_INVALID_IDX */
    }
    Bucket *to = table;
    for (const Bucket *from = source->arData, *end = from + source->nNumUsed; from < end; from++) {
        if (Z_TYPE(from->val) == IS_UNDEF) {
            continue;
        }
        to->h = from->h;
        to->key = from->key ? string_at(e, from->key) : NULL;
        encode_value(e, &to->val, &from->val);
        if (same) {
            Z_NEXT(to->val) = Z_NEXT(from->val);
        } else {
            uint32_t *chain = &HT_HASH_EX(table, (uint32_t)to->h | target->nTableMask);
            Z_NEXT(to->val) = *chain;
            *chain = HT_IDX_TO_HASH((uint32_t)(to - table));
        }
        to++;
    }
}

static void encode_one(struct encoding *e, const struct plan_array *array) {
    const HashTable *source = array->source;
    struct table_shape shape = shape_of_table(source);
    HashTable *target = (HashTable *)(e->writable + array->place * (size_t)PLAN_UNIT);
    size_t table = sizeof(*target) + shape.hash_size * sizeof(uint32_t); /* offset in the record */

    memset(target, 0, sizeof(*target));
    GC_SET_REFCOUNT(target, SHAPE_REFCOUNT);
    GC_TYPE_INFO(target) = GC_ARRAY | (SHAPE_ARRAY_FLAGS << GC_FLAGS_SHIFT);
    HT_FLAGS(target) = HASH_FLAG_STATIC_KEYS | (shape.packed ? HASH_FLAG_PACKED : 0) |
                       (shape.used == 0 ? HASH_FLAG_UNINITIALIZED : 0);
    target->nTableMask = (uint32_t) - (int32_t)shape.hash_size;
    target->arData = (Bucket *)(e->address + array->place * (size_t)PLAN_UNIT + table);
    target->nNumUsed = shape.used;
    target->nNumOfElements = source->nNumOfElements;
    target->nTableSize = shape.size;
    target->nNextFreeElement = source->nNextFreeElement;

    e->place = array->place + shape_of_array(shape) / PLAN_UNIT;
    if (shape.packed || shape.used == 0) {
        memset(target + 1, 0xff, shape.hash_size * sizeof(uint32_t)); /* HT_INVALID_IDX */
    }
    if (shape.packed) {
        encode_packed(e, (zval *)((char *)target + table), source);
    } else if (shape.used > 0) {
        encode_hash(e, target, (Bucket *)((char *)target + table), source);
    }
}

void encode_array(const struct plan *plan, const struct cache_span *span) {
    struct encoding e = {plan, span->bytes, span->base, plan->places, 0, span->cold};
    for (size_t i = 0; i < plan->array_count; i++) {
        encode_one(&e, &plan->arrays[i]);
    }
}
