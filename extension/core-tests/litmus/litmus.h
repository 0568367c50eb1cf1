/*
 * The macros of litmus tests. A file is one test: the threads' shared words, their functions, and an outcome that
 * must not occur. `run` compiles it for arm64 and passes the instructions to herd7.
 *
 * A thread's arguments are the words that it uses. Words of different threads with the same name are one word.
 */
#ifndef LARDER_LITMUS_H
#define LARDER_LITMUS_H

#include "atomic.h"

/* The statement below represents a line of this function of core/, which has this text. The lines and their order
 * are checked. */
#define LIKE(file, function, line) _Static_assert(1, line)

/* The initial values that are not 0, and the outcome that no execution may have; in herd7's syntax. */
#define INITIALLY(words) _Static_assert(1, words)
#define NEVER(outcome) _Static_assert(1, outcome)

/* The selected control of the test, which must make the outcome possible; 0: none. */
#ifndef broken
#define broken 0
#endif

#define THREAD void

#endif
