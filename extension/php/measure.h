/*
 * Measuring: the first of two passes over an array. It determines whether the array can be stored in PHP's own
 * shape, its length, and the place of each part. So the second pass (encode.h) only writes. For the dense form
 * (dense.h) it determines what is equal.
 */
#ifndef LARDER_MEASURE_H
#define LARDER_MEASURE_H

#include "plan.h"

enum measured {
    MEASURED_PLAIN, /* the plan is complete */
    MEASURED_MIXED, /* it contains objects, shared references or itself: serialize it */
    /* Longer than `most` bytes, or out of memory. A dense form may turn out to be longer, too; and it is for no more levels
     * than unserialize_max_depth, as the serialized form is. */
    MEASURED_TOO_LARGE,
};

/* Measures `array` into `plan`. Runs no user code, does not recurse, and never throws. */
enum measured measure_array(struct plan *plan, HashTable *array, size_t most, bool dense);

/* Frees the plan's memory; the plan stays usable. */
void plan_release(struct plan *plan);
/* The same, if the memory is more than a usual value needs. */
void plan_shrink(struct plan *plan);

#endif
