#include "dense.h"

/*
 * Arrays are filled in the order in which they were written. An array is allocated, empty, when an earlier one names
 * it. So those below `named` are valid arrays at any time, and failing is releasing them one by one.
 */
struct decoding {
    const unsigned char *at, *end;
    zend_array **arrays;   /* by number, the first `named` */
    zend_string **strings; /* by number, the first `numbered` */
    uint32_t array_count, string_count, named, numbered;
    uint32_t array; /* the number of the array that is filled */
    bool graph;
    bool backwards; /* an array that is already filled was named again: there may be a cycle */
};

static zend_always_inline size_t left(const struct decoding *d) {
    return (size_t)(d->end - d->at);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static zend_always_inline bool read_varint(struct decoding *d, uint64_t *number) {
    *number = 0;
    for (unsigned shift = 0; shift < 64 && d->at < d->end; shift += 7) {
        const unsigned char byte = *d->at++;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (EXPECTED(byte < 0x80)) {
            return true;
        }
    }
    return false;
}

static bool read_string_again(const struct decoding *d, uint64_t number, zval *value) {
    if (UNEXPECTED(number >= d->numbered)) {
        return false;
    }
    zend_string *string = d->strings[number];
    ZVAL_STR(value, string);
    Z_TRY_ADDREF_P(value);
    return true;
}

static zend_always_inline bool read_new_string(struct decoding *d, uint64_t length, zval *value) {
    if (UNEXPECTED(length > left(d)) || UNEXPECTED(d->numbered == d->string_count)) {
        return false;
    }
    zend_string *string;
    if (UNEXPECTED(length <= 1)) {
        string = length == 0 ? ZSTR_EMPTY_ALLOC() : ZSTR_CHAR(*d->at);
        ZVAL_INTERNED_STR(value, string);
    } else {
        string = zend_string_alloc(length, false);
        if (EXPECTED(length < DENSE_SHORT) && EXPECTED(length + 8 <= left(d))) {
            /* The memory of a string ends at a multiple of 8. */
            for (size_t i = 0; i < length; i += 8) {
                memcpy(ZSTR_VAL(string) + i, d->at + i, 8);
            }
        } else {
            memcpy(ZSTR_VAL(string), d->at, length);
        }
        ZSTR_VAL(string)[length] = '\0';
        ZVAL_NEW_STR(value, string);
    }
    d->at += length;
    d->strings[d->numbered++] = string;
    return true;
}

static bool read_new_array(struct decoding *d, zval *value) {
    if (UNEXPECTED(d->named == d->array_count)) {
        return false;
    }
    zend_array *array = zend_new_array(0);
    d->arrays[d->named++] = array;
    ZVAL_ARR(value, array);
    return true;
}

static bool read_array_again(struct decoding *d, zval *value) {
    uint64_t number;
    if (UNEXPECTED(!read_varint(d, &number)) || UNEXPECTED(number >= d->named)) {
        return false;
    }
    d->backwards = d->backwards || number <= d->array;
    GC_ADDREF(d->arrays[number]);
    ZVAL_ARR(value, d->arrays[number]);
    return true;
}

static zend_always_inline bool read_integer(struct decoding *d, unsigned bytes, zval *value) {
    if (UNEXPECTED(left(d) < bytes)) {
        return false;
    }
    uint64_t folded = 0;
    for (unsigned i = 0; i < bytes; i++) {
        folded |= (uint64_t)*d->at++ << (8 * i);
    }
    ZVAL_LONG(value, dense_unfold(folded));
    return true;
}

/* The part of read_value() for what is neither a short string nor a small integer. */
static bool read_tagged(struct decoding *d, unsigned tag, zval *value) {
    uint64_t number;
    switch (tag) {
        case DENSE_NULL:
            ZVAL_NULL(value);
            return true;
        case DENSE_FALSE:
            ZVAL_FALSE(value);
            return true;
        case DENSE_TRUE:
            ZVAL_TRUE(value);
            return true;
        case DENSE_HOLE:
            ZVAL_UNDEF(value);
            return true;
        case DENSE_EMPTY:
            ZVAL_EMPTY_ARRAY(value);
            return true;
        case DENSE_ARRAY:
            return read_new_array(d, value);
        case DENSE_ARRAY_AGAIN:
            return read_array_again(d, value);
        case DENSE_LONG_STRING:
            return read_varint(d, &number) && read_new_string(d, number, value);
        case DENSE_LONG_STRING_AGAIN:
            return read_varint(d, &number) && read_string_again(d, number, value);
        case DENSE_FLOAT: {
            double bits;
            if (UNEXPECTED(left(d) < sizeof(bits))) {
                return false;
            }
            memcpy(&bits, d->at, sizeof(bits));
            d->at += sizeof(bits);
            ZVAL_DOUBLE(value, bits);
            return true;
        }
        case DENSE_HUNDREDTHS:
            if (UNEXPECTED(!read_varint(d, &number))) {
                return false;
            }
            ZVAL_DOUBLE(value, (double)dense_unfold(number) / 100.0);
            return true;
        case DENSE_MARK:
            if (UNEXPECTED(!d->graph) || UNEXPECTED(!read_varint(d, &number))) {
                return false;
            }
            Z_LVAL_P(value) = (zend_long)number;
            Z_TYPE_INFO_P(value) = IS_PTR;
            return true;
        default:
            return tag >= DENSE_INTEGER && tag < DENSE_TWO_BYTES - 8 &&
                   read_integer(d, tag - DENSE_INTEGER + 1, value);
    }
}

static zend_always_inline bool read_value(struct decoding *d, zval *value) {
    if (UNEXPECTED(d->at == d->end)) {
        return false;
    }
    const unsigned tag = *d->at++;
    if (tag < DENSE_STRING_AGAIN) {
        return read_new_string(d, tag, value);
    }
    if (tag >= DENSE_SMALL && tag < DENSE_NULL) {
        ZVAL_LONG(value, tag - DENSE_SMALL);
        return true;
    }
    if (tag < DENSE_SMALL || tag >= DENSE_TWO_BYTES) {
        if (UNEXPECTED(d->at == d->end)) {
            return false;
        }
        const unsigned low = *d->at++;
        if (tag < DENSE_SMALL) {
            return read_string_again(d, (tag - DENSE_STRING_AGAIN) << 8 | low, value);
        }
        ZVAL_LONG(value, (zend_long)((tag - DENSE_TWO_BYTES) << 8 | low) + DENSE_SHORT);
        return true;
    }
    return read_tagged(d, tag, value);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static bool read_list(struct decoding *d, zend_array *list, uint32_t count) {
    zend_hash_extend(list, count, true);
    uint32_t holes = 0;
    bool read = true;
    for (; list->nNumUsed < count; list->nNumUsed++) {
        zval *value = &list->arPacked[list->nNumUsed];
        if (UNEXPECTED(!read_value(d, value))) {
            read = false;
            break;
        }
        holes += Z_TYPE_P(value) == IS_UNDEF;
    }
    list->nNumOfElements = list->nNumUsed - holes;
    list->nNextFreeElement = count;
    return read;
}

/* Reads the key of the next bucket, and puts it into its chain. False: the key is there already, or is none. */
static zend_always_inline bool read_key(struct decoding *d, zend_array *map, Bucket *bucket) {
    zval key;
    if (UNEXPECTED(!read_value(d, &key))) {
        return false;
    }
    if (EXPECTED(Z_TYPE(key) == IS_STRING)) {
        bucket->key = Z_STR(key);
        bucket->h = zend_string_hash_val(bucket->key); /* at once, the vectors of hash.h would wait for the text */
        if (EXPECTED(!ZSTR_IS_INTERNED(bucket->key))) {
            HT_FLAGS(map) &= ~HASH_FLAG_STATIC_KEYS;
        }
    } else if (EXPECTED(Z_TYPE(key) == IS_LONG)) {
        bucket->key = NULL;
        bucket->h = (zend_ulong)Z_LVAL(key);
        map->nNextFreeElement = dense_next(map->nNextFreeElement, Z_LVAL(key));
    } else {
        /* An array that was named stays in `arrays`. */
        return false;
    }
    uint32_t *chain = &HT_HASH(map, (int32_t)((uint32_t)bucket->h | map->nTableMask));
    for (uint32_t i = *chain; i != HT_INVALID_IDX; i = Z_NEXT(HT_HASH_TO_BUCKET(map, i)->val)) {
        const Bucket *other = HT_HASH_TO_BUCKET(map, i);
        if (UNEXPECTED(other->h == bucket->h) &&
            (other->key == bucket->key ||
             (other->key && bucket->key && zend_string_equal_content(other->key, bucket->key)))) {
            if (bucket->key) {
                zend_string_release(bucket->key);
            }
            return false;
        }
    }
    Z_NEXT(bucket->val) = *chain;
    *chain = HT_IDX_TO_HASH((uint32_t)(bucket - map->arData));
    return true;
}

/* A bucket that counts has a value. */
static zend_always_inline bool read_bucket_value(struct decoding *d, zend_array *map, Bucket *bucket) {
    const bool read = read_value(d, &bucket->val) && EXPECTED(Z_TYPE(bucket->val) != IS_UNDEF);
    if (UNEXPECTED(!read)) {
        ZVAL_NULL(&bucket->val);
    }
    map->nNumUsed = ++map->nNumOfElements;
    return read;
}

static bool read_map(struct decoding *d, zend_array *map, uint32_t count) {
    zend_hash_extend(map, count, false);
    map->nNextFreeElement = ZEND_LONG_MIN;
    for (Bucket *bucket = map->arData, *end = bucket + count; bucket < end; bucket++) {
        if (UNEXPECTED(!read_key(d, map, bucket)) || UNEXPECTED(!read_bucket_value(d, map, bucket))) {
            return false;
        }
    }
    return true;
}

/* Copies the hash part: each bucket gets the place that it has there. */
static bool read_row(struct decoding *d, zend_array *row, const zend_array *first) {
    if (UNEXPECTED(HT_IS_PACKED(first)) || UNEXPECTED(first->nNumUsed == 0) ||
        UNEXPECTED(first->nNumUsed > left(d))) {
        return false;
    }
    zend_hash_extend(row, first->nNumUsed, false);
    memcpy(HT_GET_DATA_ADDR(row), HT_GET_DATA_ADDR(first), HT_HASH_SIZE(row->nTableMask));
    HT_FLAGS(row) = HT_FLAGS(first);
    row->nNextFreeElement = first->nNextFreeElement;
    const Bucket *from = first->arData, *end = from + first->nNumUsed;
    for (Bucket *bucket = row->arData; from < end; from++, bucket++) {
        bucket->h = from->h;
        bucket->key = from->key;
        if (EXPECTED(bucket->key != NULL) && EXPECTED(!ZSTR_IS_INTERNED(bucket->key))) {
            GC_ADDREF(bucket->key);
        }
        Z_NEXT(bucket->val) = Z_NEXT(from->val);
        if (UNEXPECTED(!read_bucket_value(d, row, bucket))) {
            return false;
        }
    }
    return true;
}

static bool read_array(struct decoding *d) {
    zend_array *array = d->arrays[d->array];
    HT_ALLOW_COW_VIOLATION(array); /* others of this value may name it already */
    uint64_t head, next;
    if (UNEXPECTED(!read_varint(d, &head))) {
        return false;
    }
    const bool unusual = UNEXPECTED(head == DENSE_NEXT);
    if (unusual && (!read_varint(d, &next) || !read_varint(d, &head))) {
        return false;
    }
    const uint64_t n = head >> DENSE_ARRAY_BITS;
    bool read = false;
    switch ((enum dense_array)(head & ((1 << DENSE_ARRAY_BITS) - 1))) {
        case DENSE_LIST:
            if (n == 0) {
                array->nNextFreeElement = ZEND_LONG_MIN;
                read = true;
            } else {
                read = n <= MIN(left(d), HT_MAX_SIZE) && read_list(d, array, (uint32_t)n);
            }
            break;
        case DENSE_MAP: /* an element takes at least two bytes */
            read = n > 0 && n <= MIN(left(d) / 2, HT_MAX_SIZE) && read_map(d, array, (uint32_t)n);
            break;
        case DENSE_ROW:
            read = n > 0 && n <= d->array && read_row(d, array, d->arrays[d->array - n]);
            break;
        case DENSE_NEXT:
            break;
    }
    if (unusual) {
        array->nNextFreeElement = MAX(array->nNextFreeElement, dense_unfold(next));
    }
    return read;
}

/* ---- The value ------------------------------------------------------------------------------- */

static void release_elements(zend_array *array) {
    for (uint32_t i = 0; i < array->nNumUsed; i++) {
        zval *value = HT_IS_PACKED(array) ? &array->arPacked[i] : &array->arData[i].val;
        if (Z_TYPE_P(value) == IS_STRING) {
            zend_string_release(Z_STR_P(value));
        }
        if (!HT_IS_PACKED(array) && array->arData[i].key) {
            zend_string_release(array->arData[i].key);
        }
    }
}

/* Not by reference counts: there may be cycles. */
static ZEND_COLD void release_all(const struct decoding *d) {
    for (uint32_t i = 0; i < d->named; i++) {
        zend_array *array = d->arrays[i];
        release_elements(array);
        array->nNumUsed = array->nNumOfElements = 0;
        GC_SET_REFCOUNT(array, 1);
        zend_array_destroy(array);
    }
}

/*
 * True if no array contains itself, by Kahn's algorithm: an array is looked into when all that name it have been. Until
 * then, nInternalPointer counts those that have not; it is 0 again in the end.
 */
static bool is_acyclic(const struct decoding *d, zend_array **found) {
    uint32_t count = 1;
    for (uint32_t i = 0; i < d->named; i++) {
        d->arrays[i]->nInternalPointer = GC_REFCOUNT(d->arrays[i]);
    }
    found[0] = d->arrays[0];
    if (--found[0]->nInternalPointer != 0) { /* one is not of an array */
        return false;
    }
    for (uint32_t looked = 0; looked < count; looked++) {
        zval *value;
        ZEND_HASH_FOREACH_VAL(found[looked], value) {
            if (Z_TYPE_P(value) == IS_ARRAY && Z_REFCOUNTED_P(value) && --Z_ARR_P(value)->nInternalPointer == 0) {
                found[count++] = Z_ARR_P(value);
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    return count == d->named;
}

static bool ends_here(const struct decoding *d) {
    if (d->named != d->array_count || d->numbered != d->string_count || left(d) >= 8) {
        return false;
    }
    for (const unsigned char *padding = d->at; padding < d->end; padding++) {
        if (*padding != 0) {
            return false;
        }
    }
    return true;
}

static bool read_counts(struct decoding *d, struct dense_scratch *scratch) {
    uint64_t arrays, strings;
    if (!read_varint(d, &arrays) || !read_varint(d, &strings) || arrays == 0 ||
        arrays > MIN(left(d), UINT32_MAX) || strings > MIN(left(d), UINT32_MAX) ||
        !dense_reserve(scratch, (2 * arrays + strings) * sizeof(void *))) {
        return false;
    }
    d->array_count = (uint32_t)arrays;
    d->string_count = (uint32_t)strings;
    d->arrays = (zend_array **)scratch->bytes;
    d->strings = (zend_string **)(d->arrays + 2 * arrays);
    return true;
}

zend_array *dense_decode(const char *bytes, size_t length, bool graph, struct dense_scratch *scratch) {
    struct decoding d = {.at = (const unsigned char *)bytes + sizeof(uint32_t),
                         .end = (const unsigned char *)bytes + length,
                         .graph = graph};
    uint32_t checksum;
    zval value;
    if (UNEXPECTED(length < 8) || UNEXPECTED(length % 8 != 0)) {
        return NULL;
    }
    memcpy(&checksum, bytes, sizeof(checksum));
    if (UNEXPECTED(checksum != dense_checksum(bytes, length)) || UNEXPECTED(!read_counts(&d, scratch))) {
        return NULL;
    }
    bool read = read_new_array(&d, &value);
    for (; read && d.array < d.named; d.array++) {
        read = read_array(&d);
    }
    if (UNEXPECTED(!read) || UNEXPECTED(!ends_here(&d)) ||
        (UNEXPECTED(d.backwards) && !is_acyclic(&d, d.arrays + d.array_count))) {
        release_all(&d);
        return NULL;
    }
    return Z_ARR(value);
}
