#include "measure.h"
#include "php_larder.h"
#include "shape.h"
#include "hash.h"
#include "short_string.h"
#include "ext/standard/basic_functions.h"

struct measuring {
    struct plan *plan;
    uint32_t *next; /* the place in plan->places for the next string */
    size_t place;   /* place of the next record, in units; dense: the fewest bytes so far */
    size_t most;    /* units; dense: bytes */
    size_t values;  /* strings with one reference so far */
    size_t array;   /* the index of the array that is measured */
    uint32_t levels;
    bool longer; /* an array with arrays in it is named again after it was measured: there may be longer ways */
};

/*
 * Makes room for `more` elements in a list of `count`. The lists outlive the request, so they do not use PHP's
 * allocator, whose memory_limit would end the script.
 */
static bool list_reserve(void **list, size_t *room, size_t count, size_t more, size_t size) {
    if (EXPECTED(*room - count >= more)) {
        return true;
    }
    size_t wanted = *room * 2 > count + more ? *room * 2 : count + more + 64;
    void *grown = realloc(*list, wanted * size);
    if (!grown) {
        return false;
    }
    *list = grown;
    *room = wanted;
    return true;
}

/*
 * Adds an array to the plan. An array can contain itself only through a reference. So arrays behind references are
 * marked until measuring ends, and meeting a marked one is a cycle. Immutable arrays contain no references.
 */
static enum measured push_array(struct measuring *m, HashTable *array, bool behind_reference) {
    struct plan *plan = m->plan;
    bool mark = behind_reference && !(GC_FLAGS(array) & GC_IMMUTABLE);
    if (UNEXPECTED(mark && GC_IS_RECURSIVE(array))) {
        return MEASURED_MIXED;
    }
    if (UNEXPECTED(!list_reserve((void **)&plan->arrays, &plan->array_room, plan->array_count, 1,
                                 sizeof(*plan->arrays)))) {
        return MEASURED_TOO_LARGE;
    }
    plan->arrays[plan->array_count++] = (struct plan_array){array, 0, 1, mark, false};
    if (UNEXPECTED(mark)) {
        GC_PROTECT_RECURSION(array);
    }
    return MEASURED_PLAIN;
}

static zend_always_inline uint32_t place_new(struct measuring *m, const zend_string *string) {
    if (UNEXPECTED(m->plan->dense)) {
        m->place += ZSTR_LEN(string);
        return m->plan->string_count++;
    }
    size_t place = m->place;
    m->place += shape_of_string(ZSTR_LEN(string)) / PLAN_UNIT;
    return (uint32_t)place;
}

static zend_always_inline bool is_same(const zend_string *a, const zend_string *b) {
    return a == b || (ZSTR_H(a) == ZSTR_H(b) && string_equal(a, b));
}

static uint32_t place_shared(struct measuring *m, zend_string *string) {
    const zend_ulong hash = string_hash(string);
    const uint16_t tag = (uint16_t)(hash >> 32);
    struct plan *plan = m->plan;
    struct plan_string *set = plan->seen[(hash ^ (hash >> 48)) % PLAN_SETS];
    struct plan_string *free = &set[(m->place + hash) % PLAN_WAYS]; /* if all are taken, replace one */

    for (unsigned i = 0; i < PLAN_WAYS; i++) {
        if (set[i].round != plan->round) {
            free = &set[i];
            break; /* sets are filled in order */
        }
        if (set[i].tag == tag && is_same(set[i].string, string)) {
            return set[i].place;
        }
    }
    uint32_t place = place_new(m, string);
    *free = (struct plan_string){string, place, plan->round, tag};
    return place;
}

/* True if an equal value should be searched for; uses up credit. */
static zend_always_inline bool spend(struct plan *plan, uint8_t *credit) {
    if (*credit > 0) {
        --*credit;
        return true;
    }
    return plan->skipped++ % PLAN_SAMPLE == 0;
}

static zend_always_inline void earn(uint8_t *credit) {
    *credit = (uint8_t)MIN(*credit + PLAN_CREDIT, PLAN_CREDIT_MAX);
}

/* The place of a value, or of a key at the end of a long array. A string with one reference occurs once, but another
 * string may be equal. */
static zend_always_inline uint32_t place_value(struct measuring *m, zend_string *string, size_t column) {
    if (ZSTR_IS_INTERNED(string) || GC_REFCOUNT(string) > 1) {
        return place_shared(m, string);
    }
    if (UNEXPECTED(m->plan->dense)) {
        return place_shared(m, string);
    }
    uint8_t *credit = &m->plan->credit[column % PLAN_COLUMNS];
    if (ZSTR_LEN(string) > SHORT_STRING_MAX || m->values++ < PLAN_FEW || !spend(m->plan, credit)) {
        return place_new(m, string);
    }
    const size_t next = m->place;
    const uint32_t place = place_shared(m, string);
    if (place != next) {
        earn(credit);
    }
    return place;
}

/* The place of a key; `column` is its position in its array. */
static zend_always_inline uint32_t place_key(struct measuring *m, zend_string *key, size_t column) {
    if (UNEXPECTED(column >= PLAN_COLUMNS)) {
        return place_value(m, key, column);
    }
    struct plan_string *above = &m->plan->above[column];
    if (EXPECTED(above->round == m->plan->round) && EXPECTED(is_same(above->string, key))) {
        return above->place;
    }
    *above = (struct plan_string){key, place_shared(m, key), m->plan->round, 0};
    return above->place;
}

/* ---- Equal arrays ---------------------------------------------------------------------------- */

static zend_always_inline const zval *element(const HashTable *array, uint32_t index) {
    return HT_IS_PACKED(array) ? &array->arPacked[index] : &array->arData[index].val;
}

static zend_always_inline zend_ulong mix(zend_ulong hash, zend_ulong word) {
    return (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
}

/* Hashes a short array without arrays, references and long strings. False: the array is not of this kind. */
static bool hash_leaf(const HashTable *array, zend_ulong *result) {
    if (array->nNumUsed > PLAN_LEAF || array->nNumUsed != array->nNumOfElements) {
        return false;
    }
    zend_ulong hash = array->nNumUsed;
    for (uint32_t i = 0; i < array->nNumUsed; i++) {
        const zval *value = element(array, i);
        if (!HT_IS_PACKED(array)) {
            hash = mix(hash, array->arData[i].h);
        }
        if (Z_TYPE_P(value) == IS_STRING && Z_STRLEN_P(value) <= SHORT_STRING_MAX) {
            hash = mix(hash, string_hash(Z_STR_P(value)));
        } else if (Z_TYPE_P(value) == IS_LONG || Z_TYPE_P(value) == IS_DOUBLE || Z_TYPE_P(value) == IS_PTR) {
            hash = mix(hash, (zend_ulong)Z_LVAL_P(value)); /* the bits of a float */
        } else if (Z_TYPE_P(value) >= IS_STRING) {
            return false;
        }
        hash = mix(hash, Z_TYPE_P(value));
    }
    *result = hash ^ (hash >> 32);
    return true;
}

static bool is_same_value(const zval *a, const zval *b) {
    if (Z_TYPE_P(a) != Z_TYPE_P(b)) {
        return false;
    }
    switch (Z_TYPE_P(a)) {
        case IS_NULL:
        case IS_FALSE:
        case IS_TRUE:
            return true;
        case IS_STRING:
            return is_same(Z_STR_P(a), Z_STR_P(b));
        case IS_LONG:
        case IS_DOUBLE:
        case IS_PTR:
            return Z_LVAL_P(a) == Z_LVAL_P(b);
        default:
            return false;
    }
}

static bool is_same_leaf(const HashTable *a, const HashTable *b) {
    if (a->nNumUsed != b->nNumUsed || a->nNumOfElements != b->nNumOfElements ||
        a->nNextFreeElement != b->nNextFreeElement || HT_IS_PACKED(a) != HT_IS_PACKED(b)) {
        return false;
    }
    for (uint32_t i = 0; i < a->nNumUsed; i++) {
        if (!HT_IS_PACKED(a)) {
            const Bucket *x = &a->arData[i], *y = &b->arData[i];
            if (x->h != y->h || !x->key != !y->key || (x->key && !is_same(x->key, y->key))) {
                return false;
            }
        }
        if (!is_same_value(element(a, i), element(b, i))) {
            return false;
        }
    }
    return true;
}

/* The number of an equal array that is already planned, otherwise the number of the next one. */
static uint32_t find_array(struct plan *plan, const HashTable *array) {
    const uint32_t next = (uint32_t)plan->array_count;
    const bool several = (GC_FLAGS(array) & GC_IMMUTABLE) || GC_REFCOUNT(array) > 1;
    zend_ulong hash = 0;
    const bool leaf = (plan->dense || (next >= PLAN_FEW_ARRAYS && spend(plan, &plan->credit_of_arrays))) &&
                      hash_leaf(array, &hash);
    if (!leaf && !several) {
        return next;
    }
    hash = leaf ? hash : (zend_ulong)(uintptr_t)array >> 4;
    const uint16_t tag = (uint16_t)(hash >> 48);
    struct plan_shared_array *known = &plan->shared[hash % PLAN_ARRAYS];
    if (known->round == plan->round && known->tag == tag &&
        (known->source == array || (leaf && is_same_leaf(known->source, array)))) {
        earn(&plan->credit_of_arrays);
        return known->index;
    }
    *known = (struct plan_shared_array){array, next, plan->round, tag};
    return next;
}

/* An array with this index is in the one that is measured. */
static zend_always_inline void note_level(struct measuring *m, uint32_t index) {
    struct plan_array *outer = &m->plan->arrays[m->array], *inner = &m->plan->arrays[index];
    outer->nested = true;
    if (inner->level <= outer->level) {
        inner->level = outer->level + 1;
        m->levels = MAX(m->levels, inner->level);
    }
    m->longer = m->longer || (index <= m->array && inner->nested);
}

/* PHP frees arrays by recursion, and a fetch of the dense form gives arrays that PHP frees. */
static bool is_too_deep(const struct measuring *m) {
    const zend_long most = BG(unserialize_max_depth);
    const size_t levels = m->longer ? m->plan->array_count : m->levels;
    return m->plan->dense && most > 0 && levels > (size_t)most;
}

/* Plans an array unless an equal one is planned. An array behind a reference is not searched for: it may contain
 * itself. */
static enum measured place_array(struct measuring *m, HashTable *array, bool behind_reference) {
    if (UNEXPECTED(m->plan->dense) && plan_is_empty(array)) {
        return MEASURED_PLAIN;
    }
    const uint32_t next = (uint32_t)m->plan->array_count;
    const uint32_t index = behind_reference ? next : find_array(m->plan, array);
    *m->next++ = index;
    const enum measured result = index == next ? push_array(m, array, behind_reference) : MEASURED_PLAIN;
    if (EXPECTED(result == MEASURED_PLAIN)) {
        note_level(m, index);
    }
    return result;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static zend_always_inline enum measured measure_value(struct measuring *m, zval *value, size_t column) {
    bool behind_reference = Z_TYPE_P(value) == IS_REFERENCE;
    if (UNEXPECTED(behind_reference)) {
        if (Z_REFCOUNT_P(value) != 1) {
            return MEASURED_MIXED;
        }
        value = Z_REFVAL_P(value);
    }
    if (EXPECTED(Z_TYPE_P(value) < IS_STRING)) {
        return MEASURED_PLAIN;
    }
    if (EXPECTED(Z_TYPE_P(value) == IS_STRING)) {
        *m->next++ = place_value(m, Z_STR_P(value), column);
        return EXPECTED(m->place <= m->most) ? MEASURED_PLAIN : MEASURED_TOO_LARGE;
    }
    if (EXPECTED(Z_TYPE_P(value) == IS_ARRAY)) {
        return place_array(m, Z_ARR_P(value), behind_reference);
    }
    return Z_TYPE_P(value) == IS_PTR ? MEASURED_PLAIN : MEASURED_MIXED; /* a mark, see graph.h */
}

static enum measured measure_elements(struct measuring *m, HashTable *array) {
    if (HT_IS_PACKED(array)) {
        for (zval *value = array->arPacked, *end = value + array->nNumUsed; value < end; value++) {
            enum measured result = measure_value(m, value, (size_t)(value - array->arPacked));
            if (UNEXPECTED(result != MEASURED_PLAIN)) {
                return result;
            }
        }
        return MEASURED_PLAIN;
    }
    for (Bucket *bucket = array->arData, *end = bucket + array->nNumUsed; bucket < end; bucket++) {
        if (Z_TYPE(bucket->val) == IS_UNDEF) {
            continue;
        }
        if (bucket->key) {
            *m->next++ = place_key(m, bucket->key, (size_t)(bucket - array->arData));
            if (UNEXPECTED(m->place > m->most)) {
                return MEASURED_TOO_LARGE;
            }
        }
        enum measured result = measure_value(m, &bucket->val, (size_t)(bucket - array->arData));
        if (UNEXPECTED(result != MEASURED_PLAIN)) {
            return result;
        }
    }
    return MEASURED_PLAIN;
}

static enum measured measure_all(struct measuring *m) {
    struct plan *plan = m->plan;
    for (size_t i = 0; i < plan->array_count; i++) {
        HashTable *source = plan->arrays[i].source;
        m->array = i;
        plan->arrays[i].place = (uint32_t)m->place;
        m->place += plan->dense ? source->nNumOfElements : shape_of_array(shape_of_table(source)) / PLAN_UNIT;
        if (UNEXPECTED(m->place > m->most) || /* at most two places an element: key and value */
            UNEXPECTED(!list_reserve((void **)&plan->places, &plan->place_room, plan->place_count,
                                     (size_t)source->nNumUsed * 2, sizeof(*plan->places)))) {
            return MEASURED_TOO_LARGE;
        }
        m->next = plan->places + plan->place_count;
        enum measured result = measure_elements(m, source);
        if (UNEXPECTED(result != MEASURED_PLAIN)) {
            return result;
        }
        plan->place_count = (size_t)(m->next - plan->places);
    }
    return m->place <= m->most && !is_too_deep(m) ? MEASURED_PLAIN : MEASURED_TOO_LARGE;
}

enum measured measure_array(struct plan *plan, HashTable *array, size_t most, bool dense) {
    struct measuring m = {plan, NULL, 0, MIN(dense ? most : most / PLAN_UNIT, UINT32_MAX), 0, 0, 1, false};
    plan->dense = dense;
    plan->string_count = 0;
    plan->array_count = 0;
    plan->place_count = 0;
    if (++plan->round == 0) { /* overflow: old entries would look new */
        memset(plan->seen, 0, sizeof(plan->seen));
        memset(plan->above, 0, sizeof(plan->above));
        memset(plan->shared, 0, sizeof(plan->shared));
        plan->round = 1;
    }
    memset(plan->credit, PLAN_CREDIT, sizeof(plan->credit));
    plan->credit_of_arrays = PLAN_CREDIT_MAX;
    enum measured result = push_array(&m, array, false);
    if (EXPECTED(result == MEASURED_PLAIN)) {
        result = measure_all(&m);
    }
    for (size_t i = 0; i < plan->array_count; i++) {
        if (UNEXPECTED(plan->arrays[i].marked)) {
            GC_UNPROTECT_RECURSION(plan->arrays[i].source);
        }
    }
    plan->length = m.place * PLAN_UNIT;
    return result;
}

void plan_release(struct plan *plan) {
    free(plan->arrays);
    free(plan->places);
    plan->arrays = NULL;
    plan->places = NULL;
    plan->array_room = plan->place_room = 0;
    plan->array_count = plan->place_count = 0;
}

void plan_shrink(struct plan *plan) {
    enum { USUAL = 1 << 20 }; /* bytes */
    if (plan->array_room * sizeof(*plan->arrays) + plan->place_room * sizeof(*plan->places) > USUAL) {
        plan_release(plan);
    }
}
