/*
 * What is held by objects that write themselves when they are serialized.
 *
 * What they write is known only then; mostly it is a part of what they hold, and of that the cycle collector is told by
 * every class, also by those in C. Finds objects that igbinary would damage, and those of missing classes. An object that
 * __serialize() makes at its call is not found.
 */
#ifndef LARDER_HELD_H
#define LARDER_HELD_H

#include "php.h"

/* Zeros: nothing was looked at. */
struct held {
    zend_refcounted **stack; /* still to be looked into */
    size_t count, room;
    HashTable seen; /* addresses */
    zend_long looked_at;
    bool damaged;    /* igbinary would damage an object, or there is too much to look at all of it */
    bool incomplete; /* there is an object whose class was missing when it was unserialized */
};

/* Adds an object, without what it holds. */
void held_note(struct held *held, zend_object *object);

/* Adds what it holds. Nothing is called, and nothing is kept. */
void held_look(struct held *held, zend_object *object);

void held_end(struct held *held);

#endif
