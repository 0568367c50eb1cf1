/*
 * Finds objects of missing classes, and objects that igbinary would damage. It also looks into objects that write
 * themselves when they are serialized.
 *
 * What those write is known only then. Usually it is a part of what they hold, and every class, also one in C,
 * reports that to the cycle collector. An object that __serialize() creates during its call is not found.
 */
#ifndef LARDER_INCOMPLETE_OBJECTS_H
#define LARDER_INCOMPLETE_OBJECTS_H

#include "php.h"

/* Begins as zeros. */
struct incomplete_objects {
    zend_refcounted **stack; /* still to be looked into */
    size_t count, room;
    HashTable seen; /* addresses */
    zend_long looked_at;
    bool damaged;    /* igbinary would damage an object, or there is too much to look at all of it */
    bool incomplete; /* there is an object whose class was missing when it was unserialized */
};

/* Adds an object, without looking into it. */
void incomplete_objects_note(struct incomplete_objects *objects, zend_object *object);

/* Adds what the object holds. Calls no user code and keeps no references. */
void incomplete_objects_look(struct incomplete_objects *objects, zend_object *object);

void incomplete_objects_end(struct incomplete_objects *objects);

#endif
