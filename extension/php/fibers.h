/*
 * A fiber that suspends inside Larder's serializing takes PHP's state of it with it, and the others continue with the state
 * from outside. Fibers do not end in the order in which they began, so each state is saved with its fiber.
 */
#ifndef LARDER_FIBERS_H
#define LARDER_FIBERS_H

#include "php_larder.h"

/* At module start; at request start. */
void fibers_register(void);
void fibers_reset(void);

#endif
