/*
 * PHP counts references through a whole serialize() or unserialize(), and so through those that a Serializable
 * object calls within it. What Larder serializes and unserializes counts from the beginning, also where a script's own
 * is under way: else its references would lead into that.
 */
#ifndef LARDER_APART_H
#define LARDER_APART_H

#include "php.h"

#include "ext/standard/basic_functions.h"

struct apart {
    unsigned lock, serialize_level, unserialize_level;
    struct php_serialize_data *serialize_data;
    struct php_unserialize_data *unserialize_data;
};

static inline void apart_set(const struct apart *state) {
    BG(serialize_lock) = state->lock;
    BG(serialize).level = state->serialize_level;
    BG(serialize).data = state->serialize_data;
    BG(unserialize).level = state->unserialize_level;
    BG(unserialize).data = state->unserialize_data;
}

/* Begins anew, and gives what to go back to. */
static inline struct apart apart_begin(void) {
    const struct apart outer = {BG(serialize_lock), BG(serialize).level, BG(unserialize).level, BG(serialize).data,
                                BG(unserialize).data};
    apart_set(&(struct apart){0});
    return outer;
}

#endif
