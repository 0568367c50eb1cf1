/*
 * PHP numbers references through a whole serialize() or unserialize(), including the calls that a Serializable object
 * makes inside it. Larder serializes with a numbering of its own, even inside a script's serialize(): otherwise its
 * references would point into that.
 *
 * A fiber that suspends inside Larder's serializing takes that state with it, and the others continue with the state
 * from outside. Fibers do not end in the order in which they began, so each state is saved with its fiber.
 */
#ifndef LARDER_SERIALIZER_STATE_H
#define LARDER_SERIALIZER_STATE_H

#include "php.h"

struct serializer_state {
    unsigned lock, serialize_level, unserialize_level;
    struct php_serialize_data *serialize_data;
    struct php_unserialize_data *unserialize_data;
};

/* Of the running fiber. */
struct nested_serializer {
    unsigned depth;                  /* begun and not ended */
    struct serializer_state outside; /* if depth > 0: PHP's state outside all of them */
};

/* Starts a new numbering; pass the result to serializer_state_end(). */
struct serializer_state serializer_state_begin(void);
void serializer_state_end(const struct serializer_state *outer);

/* At module start; at request start. */
void serializer_state_register(void);
void serializer_state_reset(void);

#endif
