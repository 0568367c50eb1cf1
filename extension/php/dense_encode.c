#include "dense.h"
#include "hash.h"
#include "short_string.h"

/* Key lists of earlier arrays, by hash. A list that is forgotten or too long only costs memory. */
enum { SHAPES = 64, SHAPE_MAX = 256 /* keys */ };

/* The most bytes that one step writes, besides a string: a key or value; the beginning of an array. */
enum { STEP_MAX = 24 };

struct encoding {
    const struct plan *plan;
    struct dense_scratch *scratch;
    size_t most;
    const uint32_t *next_place; /* in plan->places */
    uint32_t *numbers;          /* for each string of the plan its number + 1; 0: not yet written */
    char *end;                  /* of the scratch memory, which begins with `numbers` */
    uint32_t array;             /* the number of this array */
    uint32_t named, numbered;   /* arrays and strings so far */
    uint32_t last;              /* the last hash; 0: none */
    uint32_t shapes[SHAPES];    /* numbers of arrays; 0: none, since no row has the keys of the first array */
};

/* ---- Writing --------------------------------------------------------------------------------- */

/* Each function here writes to `at`, and returns the end of what it has written. NULL: too long, or out of memory. */

/* The length of `numbers`. What is written begins STEP_MAX behind it. */
static size_t numbers_length(const struct plan *plan) {
    return ((size_t)plan->string_count * sizeof(uint32_t) + 7) & ~(size_t)7;
}

static zend_never_inline char *grow(struct encoding *e, const char *at, size_t bytes) {
    const size_t offset = (size_t)(at - e->scratch->bytes);
    if (offset - numbers_length(e->plan) + bytes > e->most + 3 * STEP_MAX ||
        !dense_reserve(e->scratch, offset + bytes + offset / 2)) {
        return NULL;
    }
    e->numbers = (uint32_t *)e->scratch->bytes;
    e->end = e->scratch->bytes + e->scratch->room;
    return e->scratch->bytes + offset;
}

static zend_always_inline char *make_room(struct encoding *e, char *at, size_t bytes) {
    return EXPECTED((size_t)(e->end - at) >= bytes) ? at : grow(e, at, bytes);
}

static zend_always_inline char *write_byte(char *at, uint64_t byte) {
    *at = (char)(byte & 0xff);
    return at + 1;
}

static zend_always_inline char *write_varint(char *at, uint64_t number) {
    for (; number >= 0x80; number >>= 7) {
        at = write_byte(at, number | 0x80);
    }
    return write_byte(at, number);
}

static zend_always_inline char *write_integer(char *at, zend_long integer) {
    if ((zend_ulong)integer < DENSE_SHORT) {
        return write_byte(at, DENSE_SMALL | (zend_ulong)integer);
    }
    const zend_ulong more = (zend_ulong)integer - DENSE_SHORT;
    if (more < 0x2000) {
        return write_byte(write_byte(at, DENSE_TWO_BYTES | more >> 8), more);
    }
    char *tag = at++;
    uint64_t folded = dense_fold(integer);
    do {
        at = write_byte(at, folded);
    } while ((folded >>= 8) != 0);
    *tag = (char)(DENSE_INTEGER + (at - tag - 2));
    return at;
}

static zend_always_inline char *write_float(char *at, double number) {
    const double hundredths = number * 100.0;
    if (hundredths > -1e9 && hundredths < 1e9) {
        const zend_long whole = (zend_long)(hundredths + (hundredths < 0 ? -0.5 : 0.5));
        const double again = (double)whole / 100.0;
        if (memcmp(&again, &number, sizeof(again)) == 0) { /* not for -0.0 */
            return write_varint(write_byte(at, DENSE_HUNDREDTHS), dense_fold(whole));
        }
    }
    at = write_byte(at, DENSE_FLOAT);
    memcpy(at, &number, sizeof(number));
    return at + sizeof(number);
}

static zend_always_inline char *write_string(struct encoding *e, char *at, const zend_string *string) {
    const uint32_t place = *e->next_place++;
    const uint32_t known = e->numbers[place];
    if (known != 0) {
        const uint32_t number = known - 1;
        return EXPECTED(number < 0x4000) ? write_byte(write_byte(at, DENSE_STRING_AGAIN | number >> 8), number)
                                         : write_varint(write_byte(at, DENSE_LONG_STRING_AGAIN), number);
    }
    const size_t length = ZSTR_LEN(string);
    e->numbers[place] = ++e->numbered;
    if (UNEXPECTED(!(at = make_room(e, at, length + 8 + STEP_MAX)))) {
        return NULL;
    }
    if (EXPECTED(length < DENSE_SHORT)) {
        at = write_byte(at, length);
        short_string_copy(at, string); /* up to 8 bytes more */
    } else {
        at = write_varint(write_byte(at, DENSE_LONG_STRING), length);
        memcpy(at, ZSTR_VAL(string), length);
    }
    return at + length;
}

static zend_always_inline char *write_array(struct encoding *e, char *at) {
    const uint32_t number = *e->next_place++;
    if (EXPECTED(number == e->named)) {
        e->named++;
        return write_byte(at, DENSE_ARRAY);
    }
    return write_varint(write_byte(at, DENSE_ARRAY_AGAIN), number);
}

static zend_always_inline char *write_value(struct encoding *e, char *at, const zval *value) {
    while (UNEXPECTED(Z_TYPE_P(value) == IS_REFERENCE)) {
        value = Z_REFVAL_P(value);
    }
    if (UNEXPECTED(!(at = make_room(e, at, STEP_MAX)))) {
        return NULL;
    }
    if (EXPECTED(Z_TYPE_P(value) == IS_STRING)) {
        return write_string(e, at, Z_STR_P(value));
    }
    if (EXPECTED(Z_TYPE_P(value) == IS_LONG)) {
        return write_integer(at, Z_LVAL_P(value));
    }
    switch (Z_TYPE_P(value)) {
        case IS_DOUBLE:
            return write_float(at, Z_DVAL_P(value));
        case IS_ARRAY:
            return plan_is_empty(Z_ARR_P(value)) ? write_byte(at, DENSE_EMPTY) : write_array(e, at);
        case IS_PTR:
            return write_varint(write_byte(at, DENSE_MARK), (uint64_t)Z_LVAL_P(value));
        case IS_UNDEF:
            return write_byte(at, DENSE_HOLE);
        default:
            return write_byte(at, (uint64_t)(DENSE_NULL + Z_TYPE_P(value) - IS_NULL));
    }
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static char *write_head(char *at, enum dense_array kind, uint64_t n, const HashTable *array, zend_long usual) {
    if (UNEXPECTED(array->nNextFreeElement != usual)) {
        at = write_varint(write_varint(at, DENSE_NEXT), dense_fold(array->nNextFreeElement));
    }
    return write_varint(at, n << DENSE_ARRAY_BITS | kind);
}

static char *write_list(struct encoding *e, char *at, const HashTable *list, uint32_t count) {
    at = write_head(at, DENSE_LIST, count, list, count == 0 ? ZEND_LONG_MIN : count);
    for (uint32_t i = 0; i < count && EXPECTED(at != NULL); i++) {
        at = write_value(e, at, &list->arPacked[i]);
    }
    return at;
}

/* For hashes without holes. */
static bool has_keys_of(const HashTable *array, const HashTable *other) {
    if (array->nNumUsed != other->nNumUsed || array->nNextFreeElement != other->nNextFreeElement) {
        return false;
    }
    for (uint32_t i = 0; i < array->nNumUsed; i++) {
        const Bucket *a = &array->arData[i], *b = &other->arData[i];
        if (a->h != b->h ||
            (a->key != b->key && (!a->key || !b->key || UNEXPECTED(!string_equal(a->key, b->key))))) {
            return false;
        }
    }
    return true;
}

/* The number of an earlier array with the same keys; 0: there is none. */
static uint32_t find_row(struct encoding *e, const HashTable *array) {
    const struct plan_array *arrays = e->plan->arrays;
    if (e->last != 0 && EXPECTED(has_keys_of(array, arrays[e->last].source))) {
        return e->last;
    }
    if (array->nNumUsed > SHAPE_MAX) {
        return 0;
    }
    zend_ulong hash = array->nNumUsed;
    for (uint32_t i = 0; i < array->nNumUsed; i++) {
        hash = (hash ^ array->arData[i].h) * UINT64_C(0x9e3779b97f4a7c15);
    }
    uint32_t *known = &e->shapes[hash >> 58];
    const uint32_t found = *known != 0 && has_keys_of(array, arrays[*known].source) ? *known : 0;
    *known = e->array;
    return found;
}

static char *write_row(struct encoding *e, char *at, const HashTable *array) {
    for (uint32_t i = 0; i < array->nNumUsed && EXPECTED(at != NULL); i++) {
        e->next_place += array->arData[i].key != NULL;
        at = write_value(e, at, &array->arData[i].val);
    }
    return at;
}

static char *write_map(struct encoding *e, char *at, const HashTable *array) {
    zend_long next = ZEND_LONG_MIN;
    const Bucket *end = array->arData + array->nNumUsed;
    for (const Bucket *bucket = array->arData; bucket < end; bucket++) {
        if (!bucket->key && Z_TYPE(bucket->val) != IS_UNDEF) {
            next = dense_next(next, (zend_long)bucket->h);
        }
    }
    at = write_head(at, DENSE_MAP, array->nNumOfElements, array, next);
    for (const Bucket *bucket = array->arData; bucket < end; bucket++) {
        if (UNEXPECTED(Z_TYPE(bucket->val) == IS_UNDEF)) {
            continue;
        }
        if (UNEXPECTED(!(at = make_room(e, at, STEP_MAX)))) {
            return NULL;
        }
        at = bucket->key ? write_string(e, at, bucket->key) : write_integer(at, (zend_long)bucket->h);
        if (UNEXPECTED(!at) || UNEXPECTED(!(at = write_value(e, at, &bucket->val)))) {
            return NULL;
        }
    }
    return at;
}

static char *write_elements(struct encoding *e, char *at) {
    const HashTable *array = e->plan->arrays[e->array].source;
    if (UNEXPECTED(!(at = make_room(e, at, STEP_MAX)))) {
        return NULL;
    }
    if (HT_IS_PACKED(array) || array->nNumOfElements == 0) {
        return write_list(e, at, array, array->nNumOfElements == 0 ? 0 : array->nNumUsed);
    }
    if (e->array == 0 || !HT_IS_WITHOUT_HOLES(array)) {
        return write_map(e, at, array);
    }
    const uint32_t row = find_row(e, array);
    e->last = e->array;
    if (row == 0) {
        return write_map(e, at, array);
    }
    at = write_varint(at, (uint64_t)(e->array - row) << DENSE_ARRAY_BITS | DENSE_ROW);
    return write_row(e, at, array);
}

/* The checksum and the counts come first, but are known last: room was left before the arrays. */
static void finish(const struct encoding *e, char *end, struct dense_bytes *result) {
    char counts[STEP_MAX];
    const size_t length = (size_t)(write_varint(write_varint(counts, e->named), e->numbered) - counts);
    char *begin = e->scratch->bytes + numbers_length(e->plan) + STEP_MAX - length - sizeof(uint32_t);
    memcpy(begin + sizeof(uint32_t), counts, length);
    while ((end - begin) % 8 != 0) {
        *end++ = 0;
    }
    *result = (struct dense_bytes){begin, (size_t)(end - begin)};
    const uint32_t checksum = dense_checksum(begin, result->length);
    memcpy(begin, &checksum, sizeof(checksum));
}

bool dense_encode(const struct plan *plan, struct dense_scratch *scratch, size_t most,
                  struct dense_bytes *result) {
    enum { USUAL = 1024 };
    const size_t first = numbers_length(plan);
    if (UNEXPECTED(!dense_reserve(scratch, first + USUAL))) {
        return false;
    }
    struct encoding e;
    e.plan = plan;
    e.scratch = scratch;
    e.most = most;
    e.next_place = plan->places;
    e.numbers = (uint32_t *)scratch->bytes;
    e.end = scratch->bytes + scratch->room;
    e.named = 1;
    e.numbered = e.last = 0;
    memset(e.numbers, 0, first);
    if (plan->array_count > 1) {
        memset(e.shapes, 0, sizeof(e.shapes));
    }
    char *at = scratch->bytes + first + STEP_MAX;
    for (e.array = 0; e.array < plan->array_count && EXPECTED(at != NULL); e.array++) {
        at = write_elements(&e, at);
    }
    if (UNEXPECTED(!at) || UNEXPECTED(!(at = make_room(&e, at, STEP_MAX)))) {
        return false;
    }
    finish(&e, at, result);
    return result->length <= most;
}

/* ---- Scratch memory -------------------------------------------------------------------------- */

bool dense_reserve(struct dense_scratch *scratch, size_t bytes) {
    if (EXPECTED(scratch->room >= bytes)) {
        return true;
    }
    char *grown = realloc(scratch->bytes, bytes);
    if (!grown) {
        return false;
    }
    scratch->bytes = grown;
    scratch->room = bytes;
    return true;
}

void dense_release(struct dense_scratch *scratch) {
    free(scratch->bytes);
    *scratch = (struct dense_scratch){0};
}

void dense_shrink(struct dense_scratch *scratch) {
    enum { USUAL = 1 << 20 };
    if (scratch->room > USUAL) {
        dense_release(scratch);
    }
}

/* ---- The checksum ---------------------------------------------------------------------------- */

static zend_always_inline uint64_t fold_in(uint64_t hash, const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

/* Independent chains, so that the processor multiplies in parallel. */
uint32_t dense_checksum(const char *bytes, size_t length) {
    enum { CHAINS = 4 };
    const char *end = bytes + length;
    uint64_t hashes[CHAINS] = {length};
    uint32_t head;
    memcpy(&head, bytes + sizeof(head), sizeof(head));
    hashes[1] = head;
    for (bytes += 8; end - bytes >= CHAINS * 8; bytes += CHAINS * 8) {
        for (int i = 0; i < CHAINS; i++) {
            hashes[i] = fold_in(hashes[i], bytes + 8 * i);
        }
    }
    for (int i = 0; bytes < end; bytes += 8) {
        hashes[i] = fold_in(hashes[i], bytes);
        i++;
    }
    uint64_t all = 0;
    for (int i = 0; i < CHAINS; i++) {
        all = (all ^ hashes[i]) * UINT64_C(0x9e3779b97f4a7c15);
        all ^= all >> 32;
    }
    return (uint32_t)(all >> 32); /* the lower half does not depend on each bit */
}
