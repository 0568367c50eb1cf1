/* The plan of a value: written by measuring (measure.h), followed by encoding (encode.h). */
#ifndef LARDER_PLAN_H
#define LARDER_PLAN_H

#include "php.h"

/* Offsets in a value are in units of 8 bytes, so that 32 bits reach 32 GiB. */
enum { PLAN_UNIT = 8 };

struct plan_array {
    HashTable *source;
    uint32_t place;
    uint32_t level : 30; /* 1 for the value itself: the longest way to it that is known */
    uint32_t marked : 1; /* measuring has set its recursion flag */
    uint32_t nested : 1; /* it contains arrays */
};

/*
 * A set-associative table of the strings in this value, by hash: equal strings are stored once. A full set forgets
 * one; storing a string twice only costs memory.
 */
enum { PLAN_SETS = 512, PLAN_WAYS = 4 };

/* Rows have the same keys in the same order. So a key is first compared with the key of the same column in the row
 * above. */
enum { PLAN_COLUMNS = 64 };

/*
 * Equal values are searched for where searches have found some. Each column (position in an array) has credit: a
 * search costs one, a find earns some. Without credit, only one value in PLAN_SAMPLE is searched for. The first
 * PLAN_FEW values are never searched for, because a small value gains nothing.
 */
enum { PLAN_CREDIT = 8, PLAN_CREDIT_MAX = 64, PLAN_SAMPLE = 16, PLAN_FEW = 64 };

/*
 * A table of the arrays in this value. Arrays that the source shares by pointer are stored once. So are short arrays
 * with equal content, if they contain no arrays. As with strings, a small value gains nothing.
 */
enum { PLAN_ARRAYS = 1024, PLAN_LEAF = 16 /* elements */, PLAN_FEW_ARRAYS = 8 };

struct plan_shared_array {
    const HashTable *source;
    uint32_t index; /* index in plan->arrays */
    uint16_t round, tag;
};

struct plan_string {
    const zend_string *string;
    uint32_t place;
    uint16_t round; /* number of the measuring that wrote this; entries of older rounds count as empty */
    uint16_t tag;   /* part of the string's hash: strings with other tags are not compared */
};

/* True if an array is the same as []. The dense form does not plan these. */
static zend_always_inline bool plan_is_empty(const HashTable *array) {
    return array->nNumOfElements == 0 && array->nNextFreeElement == zend_empty_array.nNextFreeElement;
}

/* Memory that is kept between stores, so that storing an array usually allocates nothing. */
struct plan {
    struct plan_array *arrays; /* in the order of the records, the value itself first */
    size_t array_count, array_room;
    uint32_t *
        places; /* of all strings, keys and values, in the order of the arrays; for an array its index in `arrays` */
    size_t place_count, place_room;
    size_t length; /* length of the whole value, in bytes */
    bool
        dense; /* for dense.h: places are the numbers of different strings, and all equal values are searched for */
    uint32_t string_count; /* if dense */
    uint16_t round;
    struct plan_string above[PLAN_COLUMNS]; /* the last key of each column */
    struct plan_string seen[PLAN_SETS][PLAN_WAYS];
    struct plan_shared_array shared[PLAN_ARRAYS];
    uint8_t credit[PLAN_COLUMNS], credit_of_arrays;
    uint32_t skipped; /* values not searched for, without credit */
};

#endif
