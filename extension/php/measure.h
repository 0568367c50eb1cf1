/*
 * Measuring: the first of the two passes over an array that is to be stored. It finds out whether the
 * array can be stored in PHP's own shape, how long that will be, and where each part will lie, and so
 * leaves nothing for the second pass (encode.h) to decide, to allocate or to look up.
 */
#ifndef LARDER_MEASURE_H
#define LARDER_MEASURE_H

#include "php.h"

/* Places are counted in units of 8 bytes, so that 32 bits reach 32 GiB. */
enum { PLAN_UNIT = 8 };

struct plan_array {
    HashTable *source;
    uint32_t place;
    bool marked; /* its recursion flag was set by us */
};

/*
 * Strings that were seen in this value, found by their hash: sets of four. A string that the source shares by
 * pointer, or a key that another row has too, is stored once. A set that is full forgets one; then a
 * string is stored twice, which costs room and nothing else.
 */
enum { PLAN_SETS = 128, PLAN_WAYS = 4 };

/* Rows of a table have the same keys in the same order: what stands in the same column above is looked at first. */
enum { PLAN_COLUMNS = 64 };

struct plan_string {
    const zend_string *string;
    uint32_t place;
    uint32_t round; /* of the measuring that wrote this; others are empty */
};

/* Kept from one store to the next, so that storing an array allocates nothing as a rule. */
struct plan {
    struct plan_array *arrays; /* in the order in which they are laid down, the value itself first */
    size_t array_count, array_room;
    uint32_t *places; /* of the strings, keys and values, in the order in which the arrays hold them */
    size_t place_count, place_room;
    size_t length; /* of the whole value, bytes */
    uint32_t round;
    struct plan_string above[PLAN_COLUMNS]; /* the key met last in each column */
    struct plan_string seen[PLAN_SETS][PLAN_WAYS];
};

enum measured {
    MEASURED_PLAIN,     /* the plan is complete */
    MEASURED_MIXED,     /* it holds objects, shared references or itself: serialize it */
    MEASURED_TOO_LARGE, /* longer than `most` bytes, or than the memory there is */
};

/* Measures `array` into `plan`. Runs no user code, does not recurse, and never throws. */
enum measured measure_array(struct plan *plan, HashTable *array, size_t most);

/* Gives the plan's memory back; the plan stays usable. */
void plan_release(struct plan *plan);
/* Gives it back if it is more than a usual value needs. */
void plan_shrink(struct plan *plan);

#endif
