/*
 * Marking a bucket as occupied, and forgetting it: occupied.h, index.c's insert() and displace(), iterate.c's
 * next_used(). One bucket of two slots, and the word that has its bit.
 */
#include <stdio.h>

#include "models.h"

enum { SLOTS = 2, OCCUPIED = SLOTS, COMMITTED = 1, TENTATIVE = 0, MARK = 1, VERSION = 2 };

enum {
    VERSION_LEFT_OUT = 1,
    MARKED_BEFORE_THE_WORD,
    MARKED_AFTER_THE_COMMIT,
    READ_AFTER_THE_LOOK,
    FORGOTTEN_UNCOMPARED,
};

enum role { NOBODY, STORER, TWICE, WALKER };

static const struct setting {
    unsigned mortal;
    enum role roles[PROCESSES];
} * now;

struct actor {
    uint16_t in_role, in_store, in_mark;
    uint16_t word, known;
    uint8_t slot, times;
    bool empty;
};

struct occupied {
    struct machine machine;
    struct actor actors[PROCESSES];
};

static unsigned entry_of(unsigned me, unsigned committed) {
    return (me + 1u) << 1 | committed;
}
static bool is_committed(unsigned word) {
    return (word & 1u) != 0;
}

/* occupied_mark() */
static enum progress mark(struct machine *m, unsigned me, struct actor *a) {
    bool swapped;
    TASK(a->in_mark)
    LOAD(a->known, OCCUPIED);
    do {
        if (broken == VERSION_LEFT_OUT) {
            SWAP(swapped, OCCUPIED, a->known, a->known | MARK);
        } else {
            SWAP(swapped, OCCUPIED, a->known, (a->known + VERSION) | MARK);
        }
    } while (!swapped);
    a->known = 0;
    END_TASK
}

/* insert(): into any slot, over whatever is there. */
static enum progress store_key(struct machine *m, unsigned me, struct actor *a) {
    bool swapped;
    TASK(a->in_store)
    if (broken == MARKED_BEFORE_THE_WORD) {
        CALL(mark(m, me, a));
    }
    YIELD();
    a->slot = (uint8_t)choose(SLOTS);
    LOAD(a->word, a->slot);
    SWAP(swapped, a->slot, a->word, entry_of(me, TENTATIVE));
    if (!swapped) {
        RETURN();
    }
    if (broken != MARKED_BEFORE_THE_WORD && broken != MARKED_AFTER_THE_COMMIT) {
        CALL(mark(m, me, a));
    }
    a->word = (uint16_t)entry_of(me, TENTATIVE);
    SWAP(swapped, a->slot, a->word, entry_of(me, COMMITTED));
    if (broken == MARKED_AFTER_THE_COMMIT) {
        CALL(mark(m, me, a));
    }
    END_TASK
}

/* Stores, and deletes the last stored key, so that the bucket may be empty again. */
static enum progress storer(struct machine *m, unsigned me, struct actor *a, unsigned times) {
    bool swapped;
    TASK(a->in_role)
    for (a->times = 0; a->times < times; a->times++) {
        CALL(store_key(m, me, a));
        if (a->times + 1u < times) {
            a->word = (uint16_t)entry_of(me, COMMITTED);
            SWAP(swapped, a->slot, a->word, 0);
            (void)swapped;
        }
    }
    a->word = 0;
    END_TASK
}

/* next_used() at a marked bucket */
static enum progress walker(struct machine *m, unsigned me, struct actor *a) {
    bool swapped;
    TASK(a->in_role)
    if (broken != READ_AFTER_THE_LOOK) {
        LOAD(a->known, OCCUPIED);
    }
    a->empty = true;
    for (a->slot = 0; a->slot < SLOTS; a->slot++) {
        LOAD(a->word, a->slot);
        a->empty = a->empty && a->word == 0;
    }
    if (broken == READ_AFTER_THE_LOOK) {
        LOAD(a->known, OCCUPIED);
    }
    if (a->empty && broken == FORGOTTEN_UNCOMPARED) {
        DRAIN();
        write_word(m, OCCUPIED, m->memory[OCCUPIED] & ~MARK);
    } else if (a->empty) {
        SWAP(swapped, OCCUPIED, a->known, a->known & ~MARK);
        (void)swapped;
    }
    END_TASK
}

static enum progress step(void *state, unsigned me) {
    struct occupied *s = state;
    switch (now->roles[me]) {
        case STORER:
            return storer(&s->machine, me, &s->actors[me], 1);
        case TWICE:
            return storer(&s->machine, me, &s->actors[me], 2);
        case WALKER:
            return walker(&s->machine, me, &s->actors[me]);
        case NOBODY:
            break;
    }
    return BLOCKED;
}

static void check(void *state) {
    struct occupied *s = state;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        if (is_committed(s->machine.memory[slot]) && !(s->machine.memory[OCCUPIED] & MARK)) {
            wrong(&s->machine, "a committed word is in a bucket that is not marked");
        }
    }
}

static void begin(void *state) {
}

static void describe(const void *state, unsigned process, char *text, size_t size) {
    static const char *const roles[] = {"", "storer", "storer", "walker"};
    const struct actor *a = &((const struct occupied *)state)->actors[process];
    snprintf(text, size, "%s %u at %u.%u.%u, slot %u", roles[now->roles[process]], process, a->in_role,
             a->in_store, a->in_mark, a->slot);
}

static const struct setting settings[] = {
    {0, {STORER, WALKER}},
    {0, {TWICE, WALKER}},
    {0, {STORER, WALKER, WALKER}},
    {0, {TWICE, WALKER, WALKER}},
    {0, {STORER, STORER, WALKER}},
    {1, {TWICE, STORER, WALKER}},
    {4, {TWICE, WALKER, WALKER}},
    {0, {TWICE, TWICE, WALKER}},
    {1, {TWICE, TWICE, WALKER}},
    {0, {TWICE, STORER, WALKER, WALKER}},
    {1, {TWICE, TWICE, WALKER, WALKER}},
};

static const struct control controls[] = {
    {"version", VERSION_LEFT_OUT, 1},
    {"order between a word and the mark", MARKED_BEFORE_THE_WORD, 1},
    {"order between the mark and the commit", MARKED_AFTER_THE_COMMIT, 0},
    {"order between reading the mark and looking", READ_AFTER_THE_LOOK, 1},
    {"comparison when a bucket is forgotten", FORGOTTEN_UNCOMPARED, 1},
};

static void prepare(unsigned setting, struct model *model) {
    now = &settings[setting];
    model->mortal = now->mortal;
    while (model->processes < PROCESSES && now->roles[model->processes] != NOBODY) {
        model->processes++;
    }
}

SUITE(occupied, "marking and forgetting a bucket", sizeof settings / sizeof *settings, 9, NULL)
