/*
 * Finds objects of missing classes, and those that igbinary would damage, also in objects that write themselves when they
 * are serialized.
 *
 * What those write is known only then. Mostly it is a part of what they hold, which every class, also one in C, reports to
 * the cycle collector. An object that __serialize() creates at its call is not found.
 */
#ifndef LARDER_INCOMPLETE_OBJECTS_H
#define LARDER_INCOMPLETE_OBJECTS_H

#include "php.h"

/* Zeros: nothing was looked at. */
struct incomplete_objects {
    zend_refcounted **stack; /* still to be looked into */
    size_t count, room;
    HashTable seen; /* addresses */
    zend_long looked_at;
    bool damaged;    /* igbinary would damage an object, or there is too much to look at all of it */
    bool incomplete; /* there is an object whose class was missing when it was unserialized */
};

/* Adds an object, without what it holds. */
void incomplete_objects_note(struct incomplete_objects *objects, zend_object *object);

/* Adds what it holds. Nothing is called, and nothing is kept. */
void incomplete_objects_look(struct incomplete_objects *objects, zend_object *object);

void incomplete_objects_end(struct incomplete_objects *objects);

#endif
