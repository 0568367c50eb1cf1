/*
 * PHP numbers references through a whole serialize() or unserialize(), including the calls that a Serializable
 * object makes inside it. Larder serializes with a separate numbering, even inside a script's serialize(). Otherwise
 * its references would point into the script's data.
 */
#ifndef LARDER_SERIALIZER_STATE_H
#define LARDER_SERIALIZER_STATE_H

#include "php_larder.h"

/* Starts a new numbering; pass the result to serializer_state_end(). */
struct serializer_state serializer_state_begin(void);
void serializer_state_end(const struct serializer_state *outer);

/* Get and set PHP's current state. */
struct serializer_state serializer_state_get(void);
void serializer_state_set(const struct serializer_state *state);

#endif
