/*
 * PHP counts references through a whole serialize() or unserialize(), and so through those that a Serializable
 * object calls within it. What Larder serializes and unserializes counts from the beginning, also where a script's own
 * is under way: else its references would lead into that.
 *
 * A fiber that is suspended meanwhile takes its own counting with it, and what is read in it; the others go on with
 * what was there before. Fibers do not end in the order in which they began: to put back what was there at the
 * beginning would put back what another one has freed.
 */
#ifndef LARDER_APART_H
#define LARDER_APART_H

#include "php.h"

struct counting {
    unsigned lock, serialize_level, unserialize_level;
    struct php_serialize_data *serialize_data;
    struct php_unserialize_data *unserialize_data;
};

/* In the fiber that runs. */
struct apart {
    unsigned depth;          /* begun and not ended */
    struct counting outside; /* if any: what is counted outside of all of them */
};

/* Begins anew, and gives what to end with. */
struct counting apart_begin(void);
void apart_end(const struct counting *outer);

/* At the start of the module; at the start of a request. */
void apart_register(void);
void apart_forget(void);

#endif
