/*
 * A small explicit-state explorer. A model is a state of some hundred bytes and a step function for each process.
 * Every order of steps, of stores leaving the processors' store buffers, and of deaths is tried, each state once.
 *
 * No other process can see the inside of a step. It makes at most one access to shared memory, besides stores, which
 * go into the process's own buffer and reach memory by separate steps. Steps are written like the code that they
 * represent, with TASK ... END_TASK around it (the coroutines of Simon Tatham, 2000). At each LOAD, SWAP, ADD, FENCE
 * or CALL, other processes can go on. Variables that must survive such a place are kept in the state.
 */
#ifndef MODEL_EXPLORE_H
#define MODEL_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORDS = 64, PROCESSES = 4, BUFFER = 8, RECORDS = 4 };

/* The beginning of every state. */
struct machine {
    uint16_t memory[WORDS];
    uint16_t value[PROCESSES][BUFFER]; /* stores not yet in memory, oldest first */
    uint8_t word[PROCESSES][BUFFER];
    uint8_t buffered[PROCESSES];
    uint8_t holders[RECORDS]; /* holders of the lock on each record's byte: a bit for each process */
    uint8_t done, dead;       /* a bit for each process */
    uint8_t deaths;           /* deaths that may still happen */
    uint8_t wrong;            /* set by wrong() */
};

enum progress { BLOCKED, RUNNING, FINISHED };

struct model {
    const char *name;
    size_t size; /* of the state */
    unsigned processes;
    unsigned mortal; /* a bit for each process that may be killed; one of them is, once */
    bool weak;       /* stores may overtake each other, except releasing ones; otherwise the order of x86 */
    void (*begin)(void *state);
    enum progress (*step)(void *state, unsigned process); /* FINISHED: no step is left */
    void (*check)(void *state);                           /* calls wrong() if an invariant is broken */
    void (*end)(void *state); /* the same at the end, when no action is left; or NULL */
    void (*describe)(const void *state, unsigned process, char *text, size_t size);
};

/* Words that no process writes in this configuration: a bit for each. Loading one is no step; storing one is a fault
 * of the model. */
extern uint64_t fixed_words;
static inline bool is_fixed(unsigned word) {
    return fixed_words >> word & 1;
}

/* A part of the algorithm that is left out, to check that the model notices; 0: none. */
extern unsigned broken;

struct outcome {
    const char *wrong; /* NULL: no state is wrong */
    uint64_t states;
    uint64_t steps;
    unsigned depth;
    bool exhausted; /* false: the limit of states was reached */
};

/* Explores breadth first, so that the path to a wrong state is a shortest one. It is printed if `trace` is set. */
struct outcome explore(const struct model *model, uint64_t limit, bool trace);

/* ---- For steps ---- */

void wrong(struct machine *machine, const char *why);
/* Returns a number from 0 to count - 1; all of them are tried. At most one call in a step. */
unsigned choose(unsigned count);

uint16_t load(const struct machine *machine, unsigned process, unsigned word);
void store(struct machine *machine, unsigned process, unsigned word, unsigned value); /* releasing */
void poke(struct machine *machine, unsigned process, unsigned word, unsigned value);
void write_word(struct machine *machine, unsigned word, unsigned value); /* at once, as one may after DRAIN() */
static inline bool drained(const struct machine *machine, unsigned process) {
    return machine->buffered[process] == 0;
}

#define TASK(place)                 \
    uint16_t *const at_ = &(place); \
    switch (*at_) {                 \
        case 0:
#define RETURN()         \
    do {                 \
        *at_ = 0;        \
        return FINISHED; \
    } while (0)
#define END_TASK                   \
    RETURN();                      \
    default:                       \
        wrong(m, "no such place"); \
        return BLOCKED;            \
        }

#define YIELD()          \
    do {                 \
        *at_ = __LINE__; \
        return RUNNING;  \
        case __LINE__:;  \
    } while (0)
#define LOAD(variable, from)              \
    do {                                  \
        if (!is_fixed(from)) {            \
            YIELD();                      \
        }                                 \
        (variable) = load(m, me, (from)); \
    } while (0)
/* Waits until all stores of this process are in memory. */
#define DRAIN()                    \
    do {                           \
        *at_ = __LINE__;           \
        return RUNNING;            \
        case __LINE__:             \
            if (!drained(m, me)) { \
                return BLOCKED;    \
            }                      \
    } while (0)
#define FENCE()                \
    do {                       \
        if (!drained(m, me)) { \
            DRAIN();           \
        }                      \
    } while (0)
/* Compare-and-swap. `swapped` is set to true or false; if false, `expected` becomes the present value. */
#define SWAP(swapped, at, expected, desired)     \
    do {                                         \
        DRAIN();                                 \
        (swapped) = m->memory[at] == (expected); \
        if (swapped) {                           \
            write_word(m, (at), (desired));      \
        } else {                                 \
            (expected) = m->memory[at];          \
        }                                        \
    } while (0)
#define ADD(at, step)                                \
    do {                                             \
        DRAIN();                                     \
        write_word(m, (at), m->memory[at] + (step)); \
    } while (0)
/* Runs another task to its end. */
#define CALL(call)                                \
    do {                                          \
        *at_ = __LINE__;                          \
        __attribute__((fallthrough));             \
        case __LINE__: {                          \
            const enum progress progress_ = call; \
            if (progress_ != FINISHED) {          \
                *at_ = __LINE__;                  \
                return progress_;                 \
            }                                     \
        }                                         \
    } while (0)

#endif
