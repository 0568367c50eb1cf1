/*
 * If a fiber suspends inside Larder's serializing, PHP's state of serializing is saved with it, and other fibers
 * continue with the state from outside. Each fiber has its own saved state, because fibers do not end in the order
 * in which they began.
 */
#ifndef LARDER_FIBERS_H
#define LARDER_FIBERS_H

#include "php_larder.h"

/* The first is called at module start, the second at request start. */
void fibers_register(void);
void fibers_reset(void);

#endif
