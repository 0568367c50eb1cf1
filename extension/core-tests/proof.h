/*
 * Records what a test proves, in figures: lines of JSON for GUARANTEES.md, which lab/figures/run writes.
 *
 * A proof is an ordinary test. It has a short version, and a long one that runs if LARDER_PROOF=long is set in the
 * environment. If LARDER_PROOF_RESULTS names a file, each call below appends one line to it; otherwise nothing is
 * written. Lines of several processes do not mix.
 *
 * The name of a proof is the promise that it belongs to and a word, in lower case: "death.storm". A control is the
 * same test on something that is broken on purpose; it must have failed.
 */
#ifndef LARDER_PROOF_H
#define LARDER_PROOF_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned long long proof_count;

/* True if the long version should run. */
bool proof_is_long(void);

/* Adds a figure to the next proof_record() of this process: its name, and its value in words with its unit. */
void proof_figure(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Records how many things were tried and how many of them failed; `unit` names what was tried (plural). Seed 0: the
 * test draws nothing at random. Ends the program with an error, after writing the line, if any failed. */
void proof_record(const char *proof, proof_count tried, const char *unit, proof_count failed, uint64_t seed);

/* The same if the tries are all cases within stated bounds, and not a sample of them. */
void proof_record_all(const char *proof, proof_count tried, const char *unit, proof_count failed);

/* `control` says in words what was broken. Ends the program with an error if nothing failed. */
void proof_control(const char *proof, const char *control, proof_count tried, proof_count failed);

#endif
