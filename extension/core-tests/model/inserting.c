/*
 * Several processes insert an absent key at once: index.c's insert() and write.c's put(). One key, three slots.
 */
#include <stdio.h>

#include "models.h"

enum { SLOTS = 3, COMMITTED = 1, TENTATIVE = 0 };

enum {
    SCAN_LEFT_OUT = 1,
    PUT_BY_A_STORE,
    COMMITTED_AT_ONCE,
    RIVALS_LEFT_ALONE,
    COMMITTED_BY_A_STORE,
    TAKEN_OUT_WHATEVER_IT_IS,
};

enum role { NOBODY, ADDER, SETTER, DELETER };

static const struct setting {
    unsigned mortal;
    enum role roles[PROCESSES];
} * now;

struct actor {
    uint16_t in_role, in_insert, in_find;
    uint16_t word, other;
    uint8_t slot, i;
    bool put, told, rival;
};

struct inserting {
    struct machine machine;
    struct actor actors[PROCESSES];
    uint8_t added, deleted; /* ghost: reported to callers */
};

/* A word names the entry of the process that made it: entry 15, committed 1. */
static unsigned entry_of(unsigned me, unsigned committed) {
    return (me + 1u) << 1 | committed;
}
static bool is_committed(unsigned word) {
    return (word & 1u) != 0;
}

/* index_find_announced(): `slot` and `word` of the committed one, or `word` 0. */
static enum progress find(struct machine *m, unsigned me, struct actor *a) {
    TASK(a->in_find)
    for (a->slot = 0; a->slot < SLOTS; a->slot++) {
        LOAD(a->word, a->slot);
        if (is_committed(a->word)) {
            RETURN();
        }
    }
    a->word = 0;
    END_TASK
}

/* insert(): `put` is true if it succeeded. */
static enum progress insert(struct machine *m, unsigned me, struct actor *a) {
    bool swapped;
    TASK(a->in_insert)
    a->put = false;
    YIELD();
    a->slot = (uint8_t)choose(SLOTS); /* any free one: which one depends on other keys */
    a->other = 0;
    if (broken == PUT_BY_A_STORE) {
        if (m->memory[a->slot] != 0) {
            RETURN();
        }
        poke(m, me, a->slot, entry_of(me, TENTATIVE));
    } else {
        SWAP(swapped, a->slot, a->other, entry_of(me, broken == COMMITTED_AT_ONCE ? COMMITTED : TENTATIVE));
        if (!swapped) {
            RETURN();
        }
    }
    do {
        a->rival = false;
        for (a->i = 0; a->i < SLOTS && broken != SCAN_LEFT_OUT; a->i++) { /* find_rival() */
            if (a->i == a->slot) {
                continue;
            }
            LOAD(a->other, a->i);
            if (a->other == 0 || (broken == RIVALS_LEFT_ALONE && !is_committed(a->other))) {
                continue;
            }
            a->rival = true;
            if (is_committed(a->other)) {
                a->other = (uint16_t)entry_of(me, TENTATIVE);
                SWAP(swapped, a->slot, a->other, 0);
                RETURN();
            }
            YIELD();
            if (a->i > a->slot || choose(2)) { /* for a lower one it waits a moment */
                if (broken == TAKEN_OUT_WHATEVER_IT_IS) {
                    DRAIN();
                    write_word(m, a->i, 0);
                } else {
                    SWAP(swapped, a->i, a->other, 0);
                }
            }
            break;
        }
    } while (a->rival);
    if (broken == COMMITTED_AT_ONCE) {
        a->put = true;
        RETURN();
    }
    a->other = (uint16_t)entry_of(me, TENTATIVE);
    if (broken == COMMITTED_BY_A_STORE) {
        DRAIN();
        write_word(m, a->slot, entry_of(me, COMMITTED));
        a->put = true;
    } else {
        SWAP(swapped, a->slot, a->other, entry_of(me, COMMITTED));
        a->put = swapped;
    }
    END_TASK
}

/* put() */
static enum progress storer(struct inserting *s, unsigned me, struct actor *a, bool adds) {
    struct machine *m = &s->machine;
    TASK(a->in_role)
    while (!a->told) {
        CALL(find(m, me, a));
        if (a->word != 0 && adds) {
            a->told = true; /* CACHE_EXISTS */
        } else if (a->word != 0) {
            SWAP(a->told, a->slot, a->word, entry_of(me, COMMITTED)); /* replace() */
        } else {
            CALL(insert(m, me, a));
            a->told = a->put;
            s->added += a->put && adds;
        }
    }
    a->word = a->other = 0;
    END_TASK
}

static enum progress deleter(struct inserting *s, unsigned me, struct actor *a) {
    struct machine *m = &s->machine;
    bool swapped;
    TASK(a->in_role)
    for (;;) {
        CALL(find(m, me, a));
        if (a->word == 0) {
            break;
        }
        SWAP(swapped, a->slot, a->word, 0);
        s->deleted += swapped;
    }
    END_TASK
}

static enum progress step(void *state, unsigned me) {
    struct inserting *s = state;
    switch (now->roles[me]) {
        case ADDER:
            return storer(s, me, &s->actors[me], true);
        case SETTER:
            return storer(s, me, &s->actors[me], false);
        case DELETER:
            return deleter(s, me, &s->actors[me]);
        case NOBODY:
            break;
    }
    return BLOCKED;
}

static void check(void *state) {
    struct inserting *s = state;
    unsigned committed = 0;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        committed += is_committed(s->machine.memory[slot]);
    }
    if (committed > 1) {
        wrong(&s->machine, "a key stands in the index twice");
    }
    if (s->added > 1u + s->deleted) {
        wrong(&s->machine, "two have added one key");
    }
}

/* A store that was reported is there. Words that no process committed are gone, unless their process died. */
static void end(void *state) {
    struct inserting *s = state;
    unsigned committed = 0, tentative = 0;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        committed += is_committed(s->machine.memory[slot]);
        tentative += s->machine.memory[slot] != 0 && !is_committed(s->machine.memory[slot]);
    }
    bool stored = false;
    for (unsigned i = 0; i < PROCESSES; i++) {
        stored = stored || ((now->roles[i] == ADDER || now->roles[i] == SETTER) && !(s->machine.dead >> i & 1));
    }
    if (stored && committed == 0 && s->deleted == 0) {
        wrong(&s->machine, "what was stored is not there");
    }
    if (tentative > 0 && !s->machine.dead) {
        wrong(&s->machine, "a tentative word is left behind");
    }
}

static void begin(void *state) {
}

static void describe(const void *state, unsigned process, char *text, size_t size) {
    static const char *const roles[] = {"", "adder", "setter", "deleter"};
    const struct actor *a = &((const struct inserting *)state)->actors[process];
    snprintf(text, size, "%s %u at %u.%u.%u, slot %u", roles[now->roles[process]], process, a->in_role,
             a->in_insert, a->in_find, a->slot);
}

static const struct setting settings[] = {
    {0, {ADDER, ADDER}},        {0, {ADDER, SETTER}},         {0, {SETTER, SETTER}},
    {1, {ADDER, ADDER}},        {1, {SETTER, SETTER}},        {0, {ADDER, ADDER, DELETER}},
    {0, {ADDER, ADDER, ADDER}}, {0, {SETTER, ADDER, SETTER}}, {1, {ADDER, SETTER, DELETER}},
    {1, {ADDER, ADDER, ADDER}},
};

static const struct control controls[] = {
    {"scan for others", SCAN_LEFT_OUT, 0},
    {"order between a process's word and the scan", PUT_BY_A_STORE, 0},
    {"tentative words", COMMITTED_AT_ONCE, 0},
    {"taking out of tentative words", RIVALS_LEFT_ALONE, 0},
    {"swap when a word is committed", COMMITTED_BY_A_STORE, 0},
    {"comparison when a word is taken out", TAKEN_OUT_WHATEVER_IT_IS, 0},
};

static void prepare(unsigned setting, struct model *model) {
    now = &settings[setting];
    model->mortal = now->mortal;
    while (model->processes < PROCESSES && now->roles[model->processes] != NOBODY) {
        model->processes++;
    }
}

SUITE(inserting, "inserting one key by several at once", sizeof settings / sizeof *settings, 7, end)
