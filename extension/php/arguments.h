/*
 * Functions that write into arrays which they were given by value, or count references that nobody counts: writers.h
 * lists them. Each is replaced by one that first makes its arguments the call's own. All others, and fetches, cost
 * what they did.
 */
#ifndef LARDER_ARGUMENTS_H
#define LARDER_ARGUMENTS_H

/* Once in a process, when all modules are loaded. Those that a script loads by dl() are not covered. */
void arguments_register(void);

#endif
