/*
 * What a test proves, in figures: lines of JSON for GUARANTEES.md, which lab/figures/run makes.
 *
 * A proof is an ordinary test. It has a short version, and a long one that runs when the environment says
 * LARDER_PROOF=long. Where LARDER_PROOF_RESULTS names a file, each call below appends one line to it; without
 * it nothing is written. Lines of several processes do not mix.
 *
 * A proof is named by the promise it belongs to and a word of its own, in lower case: "death.storm". A control is
 * the same test on something that is broken on purpose; it must have failed.
 */
#ifndef LARDER_PROOF_H
#define LARDER_PROOF_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned long long proof_count;

/* Whether the long version is asked for. */
bool proof_is_long(void);

/* A figure for the next proof_record() of this process: its name, and its value in words with its unit. */
void proof_figure(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* So many things were tried and so many of them failed; `unit` says in words what was tried (plural). Seed 0: the
 * test draws nothing. Ends the program with an error if any failed, after it has written so. */
void proof_record(const char *proof, proof_count tried, const char *unit, proof_count failed, uint64_t seed);

/* The same where the tries are all that there are within stated bounds, and not a sample of them. */
void proof_record_all(const char *proof, proof_count tried, const char *unit, proof_count failed);

/* `control` says in words what was broken. Ends the program with an error where nothing failed. */
void proof_control(const char *proof, const char *control, proof_count tried, proof_count failed);

#endif
