/*
 * The process records of the models: process.c of the engine, with one step for each access.
 *
 * The lock on a record's byte is the kernel's. machine.holders names the processes that have the open file
 * description which holds it; after a fork there are two. The lock is released when all of them have died or closed
 * it.
 */
#ifndef MODEL_RECORDS_H
#define MODEL_RECORDS_H

#include "explore.h"

/* Words of memory; the models' own begin at WORDS_OF_RECORDS. */
enum { SWEEPS, RECORDS_USED, RECORD_WORDS, WORDS_OF_RECORDS = RECORD_WORDS + 4 * RECORDS };
#define INCARNATION(record) (RECORD_WORDS + 4u * (record))
#define PINS(record) (RECORD_WORDS + 4u * (record) + 1)
#define COPYING(record) (RECORD_WORDS + 4u * (record) + 2)
#define WRITING(record) (RECORD_WORDS + 4u * (record) + 3)

/* Parts of these steps that may be left out; the models' own parts begin at BROKEN_OF_RECORDS. */
enum {
    NOTHING_BROKEN,
    SWEEPS_NOT_COMPARED,
    SWEEPS_RAISED_AFTER_INCARNATION,
    SWEEPS_NOT_RAISED,
    SWEPT_WITHOUT_ASKING, /* the holder of the byte is not asked for: a living owner's record is cleared */
    SWEPT_WITHOUT_LOCK,   /* the byte is not held while the record is cleared */
    COPYING_NOT_SCANNED,
    PINS_NOT_SCANNED,
    RECORDS_NOT_COUNTED, /* a claim raises records_used only after the first pin */
    BROKEN_OF_RECORDS,
};

enum hold { HOLDS_WRITING, HOLDS_READING };

/* A process's knowledge of its record, and its position in the tasks below. */
struct member {
    uint16_t place, asking, resetting; /* in anybody() or claim_record(), process_alive(), record_reset() */
    uint16_t seen, sweeps;
    uint8_t number, incarnation; /* number and incarnation of its record */
    uint8_t i, used, attempt, other;
    bool held, alive;
};

/* A page's state word, and the same word with another state. Each model defines its own states. */
static inline unsigned state_word(unsigned generation, const struct member *owner, unsigned state) {
    return generation << 8 | (owner->incarnation & 7u) << 5 | owner->number << 3u | state;
}
static inline unsigned change(unsigned word, unsigned state) {
    return (word & ~7u) | state;
}

/* Makes `record` the process's own, claimed record. */
void own_record(struct machine *m, struct member *member, unsigned process, unsigned record);

/* process_alive(). `alive`: the owner of a record as of `incarnation` lives; the record of a dead one is cleared. */
enum progress process_alive(struct machine *m, unsigned me, struct member *member, unsigned number,
                            unsigned incarnation);

/* anybody() of process_writes() and process_reads(). `held`: a living process holds the page. */
enum progress anybody(struct machine *m, unsigned me, struct member *member, enum hold hold, unsigned page,
                      unsigned attempts);

/* take() and count_record() of claim_number(): any of the first `count` records whose byte no process holds. */
enum progress claim_record(struct machine *m, unsigned me, struct member *member, unsigned count);
enum progress count_record(struct machine *m, unsigned me, struct member *member);

#endif
