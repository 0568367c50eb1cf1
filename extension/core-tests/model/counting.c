/*
 * Counting in place, while the entry is drained and deleted, with locks taken over from the dead: integer.c,
 * lock.c and the move of an integer in drain.c. One key; three pages of one entry each, named by number.
 */
#include <stdio.h>

#include "models.h"
#include "records.h"

enum { PLACES = 3, STRANGER = 99 };

/* A page is FREE until somebody writes a stranger's value into it, or an entry is moved there. */
enum { SLOT = WORDS_OF_RECORDS, LOCK, STATES, VALUES = STATES + PLACES, COUNTING_WORDS = VALUES + PLACES };

enum state { FREE, USED, DRAINING };

enum {
    COUNTED_WITHOUT_LOCK = BROKEN_OF_RECORDS,
    LOOKED_BEFORE_LOCKING,
    NOT_ANNOUNCED,
    MOVED_WITHOUT_LOCK,
    MOVED_THOUGH_LOCKED,
    LOCK_TAKEN_FROM_THE_LIVING,
    UNLOCKED_BY_A_RELAXED_STORE,
    SCAN_LEFT_OUT,
};

enum role { NOBODY, COUNTER, DRAINER, DELETER };

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
    uint16_t in_role, in_lock, in_find;
    uint16_t word, other, value, owner;
    uint8_t left, victim, target;
    bool locked, adding;
};

struct counting {
    struct machine machine;
    struct actor actors[PROCESSES];
    uint8_t returned; /* ghost: counts told to callers since the key was last created */
    uint8_t lost;     /* ghost: times that the key was taken out of the index */
};

static unsigned lock_word(const struct actor *a) {
    return a->member.number << 4u | a->member.incarnation;
}

/* lock_take(): `locked`. Giving up is one of the choices: the wait is bounded. */
static enum progress lock_take(struct machine *m, unsigned me, struct actor *a) {
    TASK(a->in_lock)
    a->locked = false;
    a->owner = 0;
    SWAP(a->locked, LOCK, a->owner, lock_word(a));
    while (!a->locked) {
        if (a->owner != 0) {
            CALL(process_alive(m, me, &a->member, a->owner >> 4, a->owner & 15));
            if (a->member.alive && broken != LOCK_TAKEN_FROM_THE_LIVING) {
                YIELD();
                if (choose(2)) {
                    RETURN();
                }
                a->owner = 0;
            }
        }
        SWAP(a->locked, LOCK, a->owner, lock_word(a));
    }
    END_TASK
}

static void lock_release(struct machine *m, unsigned me, const struct actor *a) {
    if (load(m, me, LOCK) != lock_word(a)) {
        return;
    }
    if (broken == UNLOCKED_BY_A_RELAXED_STORE) {
        poke(m, me, LOCK, 0);
    } else {
        store(m, me, LOCK, 0);
    }
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

/* count_existing(); an absent key is not created again. */
static enum progress counter(struct counting *s, unsigned me, struct actor *a) {
    struct machine *m = &s->machine;
    TASK(a->in_role)
    while (a->left > 0) {
        a->left--;
        if (broken == LOOKED_BEFORE_LOCKING) {
            CALL(find(m, me, a));
        }
        if (broken != COUNTED_WITHOUT_LOCK) {
            CALL(lock_take(m, me, a));
            if (!a->locked) {
                a->owner = 0;
                continue;
            }
        }
        if (broken != LOOKED_BEFORE_LOCKING) {
            CALL(find(m, me, a));
        }
        if (a->word != 0) {
            LOAD(a->value, VALUES + a->word - 1u);
            store(m, me, VALUES + a->word - 1u, a->value + 1u);
            s->returned++;
        }
        store(m, me, COPYING(a->member.number), 0);
        lock_release(m, me, a);
        a->word = a->value = a->owner = 0;
        a->locked = false;
    }
    END_TASK
}

/* drain() of the page that has the entry, and another's use of the page once it is free. */
static enum progress drainer(struct counting *s, unsigned me, struct actor *a) {
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
        if (broken != MOVED_WITHOUT_LOCK) {
            CALL(lock_take(m, me, a));
        }
        if (a->locked || broken == MOVED_WITHOUT_LOCK || broken == MOVED_THOUGH_LOCKED) {
            LOAD(a->value, VALUES + a->victim); /* move() */
            poke(m, me, VALUES + a->target, a->value);
            DRAIN();
            m->memory[STATES + a->target] = USED;
            a->word = (uint16_t)(a->victim + 1);
            SWAP(swapped, SLOT, a->word, a->target + 1u);
            lock_release(m, me, a);
            a->locked = false;
        } else {
            a->word = (uint16_t)(a->victim + 1);
            SWAP(swapped, SLOT, a->word, 0);
            s->lost += swapped;
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
        m->memory[VALUES + a->victim] = STRANGER;
        a->word = a->other = a->value = a->owner = 0;
    }
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
            return drainer(s, me, &s->actors[me]);
        case DELETER:
            return deleter(s, me, &s->actors[me]);
        case NOBODY:
            break;
    }
    return BLOCKED;
}

static void check(void *state) {
    struct counting *s = state;
    for (unsigned place = 0; place < PLACES; place++) {
        if (s->machine.memory[VALUES + place] > STRANGER) {
            wrong(&s->machine, "a count goes into a page that is another's");
        }
    }
}

/* Every count that was told is in the value, unless the key was taken out. */
static void end(void *state) {
    struct counting *s = state;
    const unsigned word = s->machine.memory[SLOT];
    if (word && !s->lost && s->machine.memory[VALUES + word - 1] != s->returned) {
        wrong(&s->machine, "a count is lost");
    }
    if (s->machine.memory[LOCK] && !s->machine.dead) {
        wrong(&s->machine, "a lock is left behind");
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
}

static void describe(const void *state, unsigned process, char *text, size_t size) {
    static const char *const roles[] = {"", "counter", "drainer", "deleter"};
    const struct actor *a = &((const struct counting *)state)->actors[process];
    snprintf(text, size, "%s %u at %u.%u.%u, records.c %u.%u.%u", roles[now->actors[process].role], process,
             a->in_role, a->in_lock, a->in_find, a->member.place, a->member.asking, a->member.resetting);
}

static const struct setting settings[] = {
    {0, false, {{COUNTER, 2}, {COUNTER, 2}}},
    {0, false, {{COUNTER, 2}, {DRAINER, 2}}},
    {1, false, {{COUNTER, 2}, {COUNTER, 2}}},
    {0, true, {{COUNTER, 2}, {COUNTER, 2}}},
    {0, false, {{COUNTER, 2}, {DRAINER, 1}, {DELETER, 1}}},
    {2, false, {{COUNTER, 2}, {DRAINER, 1}}},
    {1, false, {{COUNTER, 1}, {COUNTER, 1}, {DRAINER, 1}}},
};

static const struct control controls[] = {
    {"lock while counting", COUNTED_WITHOUT_LOCK, 0},
    {"look at the word under the lock", LOOKED_BEFORE_LOCKING, 1},
    {"announcement of the counted page", NOT_ANNOUNCED, 4},
    {"lock while an integer is moved", MOVED_WITHOUT_LOCK, 1},
    {"dropping what cannot be locked", MOVED_THOUGH_LOCKED, 1},
    {"respect for a living owner's lock", LOCK_TAKEN_FROM_THE_LIVING, 0},
    {"releasing store of the unlocking", UNLOCKED_BY_A_RELAXED_STORE, 3},
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

const struct suite counting_suite = {
    .model =
        {
            .name = "counting",
            .size = sizeof(struct counting),
            .begin = begin,
            .step = step,
            .check = check,
            .end = end,
            .describe = describe,
        },
    .what = "counting, the move of an integer, takeover of a dead owner's lock",
    .prepare = prepare,
    .settings = 7,
    .settings_short = 6,
    .controls = controls,
    .control_count = sizeof controls / sizeof *controls,
};
