/*
 * Counting in place while the entry is reclaimed, dropped, stored over and deleted: integer.c, integer.h, and the
 * parts of reclaim.c and write.c that handle integers. One key; pages of one entry each, named by number.
 */
#include <stdio.h>

#include "models.h"
#include "records.h"

enum { PLACES = 3, STRANGER = 99 };

/* A page is FREE until a process writes another key's value into it, or an entry is moved there. The last pages are
 * for the entries of processes that count or store: one for each process. */
enum {
    SLOT = WORDS_OF_RECORDS,
    STATES,
    PAIRS = STATES + PLACES + PROCESSES,
    COUNTING_WORDS = PAIRS + PLACES + PROCESSES
};
_Static_assert(COUNTING_WORDS <= (int)WORDS, "memory");

enum state { FREE, USED, DRAINING };

/* The two words of an integer, which are swapped together: value, counted recently 2, sealed 1. Each is loaded
 * separately. */
enum { SEALED = 1, COUNTED = 2, ONE = 4 };

enum {
    COUNTED_WITHOUT_SWAP = BROKEN_OF_RECORDS,
    COUNTED_THOUGH_SEALED,
    NOT_ANNOUNCED,
    MOVED_UNSEALED,
    DROPPED_UNSEALED,
    STORED_OVER_UNSEALED,
    HELPED_WITHOUT_SWAP,
    SCAN_LEFT_OUT,
};

enum role { NOBODY, COUNTER, DRAINER, DROPPER, STORER, DELETER, READER };

static const struct setting {
    unsigned mortal;
    bool weak;
    struct {
        enum role role;
        unsigned times;
    } actors[PROCESSES];
} * now;

struct actor {
    struct member member;
    uint16_t in_role, in_find;
    uint16_t word, other, pair, value;
    uint8_t left, victim, target, floor;
    bool used_own;
};

struct counting {
    struct machine machine;
    struct actor actors[PROCESSES];
    uint8_t counted; /* ghost: counts since the key was created */
    uint8_t lost;    /* ghost: times that the key was removed from the index, or stored over */
};

static unsigned own_page(unsigned me) {
    return PLACES + me;
}

/* index_find_announced() */
static enum progress find(struct machine *m, unsigned me, struct actor *a) {
    TASK(a->in_find)
    LOAD(a->word, SLOT);
    while (a->word != 0 && broken != NOT_ANNOUNCED) {
        store(m, me, COPYING(a->member.number), a->word);
        FENCE();
        a->other = a->word;
        LOAD(a->word, SLOT);
        if (a->word == a->other) {
            break;
        }
    }
    a->other = 0;
    END_TASK
}

/* change() of cache_count(). An absent key is not created again, and each process has one entry of its own. */
static enum progress counter(struct counting *s, unsigned me, struct actor *a) {
    struct machine *m = &s->machine;
    bool swapped;
    TASK(a->in_role)
    while (a->left > 0) {
        CALL(find(m, me, a));
        if (a->word == 0) {
            break;
        }
        LOAD(a->pair, PAIRS + a->word - 1u); /* integer_read() */
        LOAD(a->value, PAIRS + a->word - 1u);
        a->pair = (uint16_t)((a->value & ~3u) | (a->pair & 3u));
        if (!(a->pair & SEALED) || broken == COUNTED_THOUGH_SEALED) {
            a->value = (uint16_t)(a->pair + ONE) | COUNTED;
            if (broken == COUNTED_WITHOUT_SWAP) {
                store(m, me, PAIRS + a->word - 1u, a->value);
                swapped = true;
            } else {
                SWAP(swapped, PAIRS + a->word - 1u, a->pair, a->value);
            }
            if (swapped) {
                s->counted++;
                a->left--;
            }
            continue;
        }
        if (a->used_own) {
            break;
        }
        poke(m, me, PAIRS + own_page(me), ((a->pair + ONE) & ~3u) | COUNTED);
        a->other = a->word;
        if (broken == HELPED_WITHOUT_SWAP) {
            DRAIN();
            write_word(m, SLOT, own_page(me) + 1u);
            swapped = true;
        } else {
            SWAP(swapped, SLOT, a->other, own_page(me) + 1u);
        }
        if (swapped) {
            s->counted++;
            a->used_own = true;
            a->left--;
        }
    }
    store(m, me, COPYING(a->member.number), 0);
    a->word = a->value = a->pair = a->other = 0;
    END_TASK
}

/* reclaim() of the page that has the entry, and another process's use of the page once it is free. Moves the entry,
 * or drops it unless it was counted recently. */
static enum progress reclaimer(struct counting *s, unsigned me, struct actor *a, bool drops) {
    struct machine *m = &s->machine;
    bool swapped;
    TASK(a->in_role)
    while (a->left > 0) {
        a->left--;
        LOAD(a->word, SLOT);
        if (a->word == 0) {
            break;
        }
        a->victim = (uint8_t)(a->word - 1);
        a->target = (uint8_t)((a->victim + 1) % PLACES);
        a->other = USED;
        SWAP(swapped, STATES + a->victim, a->other, DRAINING);
        if (!swapped) {
            continue;
        }
        do { /* integer_may_go(), integer_force_seal() */
            LOAD(a->pair, PAIRS + a->victim);
            if (drops && (a->pair & COUNTED)) {
                break;
            }
            swapped = true;
            if (broken != (drops ? DROPPED_UNSEALED : MOVED_UNSEALED) && !(a->pair & SEALED)) {
                SWAP(swapped, PAIRS + a->victim, a->pair, a->pair | SEALED);
            }
        } while (!swapped);
        if (drops && (a->pair & COUNTED)) {
            DRAIN();
            m->memory[STATES + a->victim] = USED; /* the entry stays */
            continue;
        }
        a->word = (uint16_t)(a->victim + 1);
        if (drops) {
            a->floor = s->counted;
            SWAP(swapped, SLOT, a->word, 0);
            if (swapped && (m->memory[PAIRS + a->victim] & COUNTED)) {
                wrong(m, "what was counted lately is dropped");
            }
            s->lost += swapped;
        } else {
            LOAD(a->value, PAIRS + a->victim);
            poke(m, me, PAIRS + a->target, a->value & ~(unsigned)SEALED);
            DRAIN();
            m->memory[STATES + a->target] = USED;
            SWAP(swapped, SLOT, a->word, a->target + 1u);
        }
        if (broken != SCAN_LEFT_OUT) {
            do {
                CALL(anybody(m, me, &a->member, HOLDS_READING, a->victim, 2)); /* leave_limbo() */
                YIELD();
            } while (a->member.held);
        }
        DRAIN();
        m->memory[STATES + a->victim] = FREE;
        YIELD();
        m->memory[PAIRS + a->victim] = STRANGER * ONE;
        a->word = a->other = a->value = a->pair = 0;
    }
    END_TASK
}

/* cache_commit() with a token of the integer's first value: no count may be lost by it. */
static enum progress storer(struct counting *s, unsigned me, struct actor *a) {
    struct machine *m = &s->machine;
    bool swapped = false;
    TASK(a->in_role)
    while (!swapped) {
        CALL(find(m, me, a));
        if (a->word != 1) {
            break; /* another entry */
        }
        do { /* token_holds() */
            LOAD(a->pair, PAIRS + a->word - 1u);
            swapped = true;
            if (a->pair >= ONE) {
                break;
            }
            if (broken != STORED_OVER_UNSEALED && !(a->pair & SEALED)) {
                SWAP(swapped, PAIRS + a->word - 1u, a->pair, a->pair | SEALED);
            }
        } while (!swapped);
        if (a->pair >= ONE) {
            break;
        }
        poke(m, me, PAIRS + own_page(me), 20 * ONE);
        a->other = a->word;
        SWAP(swapped, SLOT, a->other, own_page(me) + 1u);
        if (swapped && s->counted > 0) {
            wrong(m, "a count is stored over by one who did not know of it");
        }
        s->lost += swapped;
    }
    store(m, me, COPYING(a->member.number), 0);
    a->word = a->other = a->pair = 0;
    END_TASK
}

/* cache_find(): must not return an older value than the one at its beginning. */
static enum progress reader(struct counting *s, unsigned me, struct actor *a) {
    struct machine *m = &s->machine;
    TASK(a->in_role)
    while (a->left > 0) {
        a->left--;
        a->floor = s->counted;
        CALL(find(m, me, a));
        if (a->word != 0) {
            LOAD(a->value, PAIRS + a->word - 1u);
            if (!s->lost && (a->value / ONE < a->floor || a->value / ONE > s->counted)) {
                wrong(m, "a value is read that is older than what was there, or was never there");
            }
        }
        a->word = a->value = a->floor = 0;
    }
    store(m, me, COPYING(a->member.number), 0);
    END_TASK
}

static enum progress deleter(struct counting *s, unsigned me, struct actor *a) {
    struct machine *m = &s->machine;
    bool swapped = false;
    TASK(a->in_role)
    while (!swapped) {
        CALL(find(m, me, a));
        if (a->word == 0) {
            break;
        }
        SWAP(swapped, SLOT, a->word, 0);
        s->lost += swapped;
    }
    store(m, me, COPYING(a->member.number), 0);
    END_TASK
}

static enum progress step(void *state, unsigned me) {
    struct counting *s = state;
    switch (now->actors[me].role) {
        case COUNTER:
            return counter(s, me, &s->actors[me]);
        case DRAINER:
            return reclaimer(s, me, &s->actors[me], false);
        case DROPPER:
            return reclaimer(s, me, &s->actors[me], true);
        case STORER:
            return storer(s, me, &s->actors[me]);
        case READER:
            return reader(s, me, &s->actors[me]);
        case DELETER:
            return deleter(s, me, &s->actors[me]);
        case NOBODY:
            break;
    }
    return BLOCKED;
}

static void check(void *state) {
    struct counting *s = state;
    for (unsigned page = 0; page < PLACES + PROCESSES; page++) {
        if (s->machine.memory[PAIRS + page] >= STRANGER * ONE &&
            s->machine.memory[PAIRS + page] != STRANGER * ONE) {
            wrong(&s->machine, "a count goes into a page that is another's, or is sealed there");
        }
    }
}

/* Every count is in the value, unless the key was removed. */
static void end(void *state) {
    struct counting *s = state;
    const unsigned word = s->machine.memory[SLOT];
    if (word && !s->lost && s->machine.memory[PAIRS + word - 1] / ONE != s->counted) {
        wrong(&s->machine, "a count is lost");
    }
}

static void begin(void *state) {
    struct counting *s = state;
    for (unsigned i = 0; i < PROCESSES && now->actors[i].role != NOBODY; i++) {
        own_record(&s->machine, &s->actors[i].member, i, i);
        s->actors[i].left = (uint8_t)now->actors[i].times;
    }
    s->machine.memory[SLOT] = 1;
    s->machine.memory[STATES] = USED;
    for (unsigned i = 0; i < PROCESSES; i++) {
        s->machine.memory[STATES + own_page(i)] = USED;
    }
}

static void describe(const void *state, unsigned process, char *text, size_t size) {
    static const char *const roles[] = {"", "counter", "reclaimer", "dropper", "storer", "deleter", "reader"};
    const struct actor *a = &((const struct counting *)state)->actors[process];
    snprintf(text, size, "%s %u at %u.%u, records.c %u.%u.%u", roles[now->actors[process].role], process,
             a->in_role, a->in_find, a->member.place, a->member.asking, a->member.resetting);
}

static const struct setting settings[] = {
    {0, false, {{COUNTER, 2}, {COUNTER, 2}}},
    {0, false, {{COUNTER, 2}, {DRAINER, 2}}},
    {0, false, {{COUNTER, 2}, {DROPPER, 1}}},
    {0, false, {{COUNTER, 1}, {STORER, 1}}},
    {0, false, {{COUNTER, 2}, {DRAINER, 1}, {DELETER, 1}}},
    {2, false, {{COUNTER, 2}, {DRAINER, 1}}},
    {0, false, {{COUNTER, 1}, {COUNTER, 1}, {DRAINER, 1}}},
    {0, true, {{COUNTER, 2}, {DRAINER, 1}}},
    {0, false, {{COUNTER, 2}, {DRAINER, 1}, {READER, 2}}},
    {4, false, {{COUNTER, 1}, {COUNTER, 1}, {DRAINER, 1}}},
    {0, false, {{COUNTER, 1}, {STORER, 1}, {DRAINER, 1}}},
    {0, false, {{COUNTER, 1}, {DROPPER, 1}, {READER, 1}}},
};

static const struct control controls[] = {
    {"swap of the counted pair", COUNTED_WITHOUT_SWAP, 0},
    {"respect for a sealed integer", COUNTED_THOUGH_SEALED, 1},
    {"announcement of the counted page", NOT_ANNOUNCED, 4},
    {"seal before an integer is moved", MOVED_UNSEALED, 1},
    {"seal before an integer is dropped", DROPPED_UNSEALED, 2},
    {"seal before an integer is stored over", STORED_OVER_UNSEALED, 3},
    {"swap of the word by the process that finds a sealed one", HELPED_WITHOUT_SWAP, 6},
    {"scan in limbo", SCAN_LEFT_OUT, 4},
};

static void prepare(unsigned setting, struct model *model) {
    now = &settings[setting];
    model->mortal = now->mortal;
    model->weak = now->weak;
    while (model->processes < PROCESSES && now->actors[model->processes].role != NOBODY) {
        model->processes++;
    }
}

SUITE(counting, "counting, while the integer is moved, dropped, stored over, deleted and read",
      sizeof settings / sizeof *settings, 9, end)
