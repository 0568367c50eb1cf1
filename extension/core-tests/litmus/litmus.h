/*
 * What a litmus test is written with. A file is one test: the threads' shared words, their functions, and an outcome
 * that must not be. `run` compiles it for arm64 and gives herd7 the instructions.
 *
 * A thread's arguments are the words that it uses; words of different threads with one name are one word.
 */
#ifndef LARDER_LITMUS_H
#define LARDER_LITMUS_H

#include "atomic.h"

/* The statement below stands for a line of this function of core/, which has this text. Checked, in their order. */
#define LIKE(file, function, line) _Static_assert(1, line)

/* The words that are not 0 at first, and what no execution may end with; in herd7's syntax. */
#define INITIALLY(words) _Static_assert(1, words)
#define NEVER(outcome) _Static_assert(1, outcome)

/* One of the test's controls, which must make the outcome possible; 0 none. */
#ifndef broken
#define broken 0
#endif

#define THREAD void

#endif
