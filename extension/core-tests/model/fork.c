/*
 * A fork: process_claim_locked() with pins carried over, process_leave(), sweeps and claims by others, against a
 * scan. It begins just after the fork: parent and child share the description that holds the old record's byte, both
 * hold a value of a page, and the page is in limbo.
 */
#include <stdio.h>

#include "models.h"
#include "records.h"

enum { PAGE_FREED = WORDS_OF_RECORDS };

enum {
    CLOSED_BEFORE_CARRYING = BROKEN_OF_RECORDS,
    CARRIED_WITHOUT_FENCE,
    OLD_RECORD_WRITTEN,
    RECORD_KEPT,
};

enum role { NOBODY, HOLDER, SCANNER, CLAIMER };

static const struct setting {
    unsigned old, used; /* the record left behind; records in use */
    bool dead;          /* record 0 is a dead process's and has a pin */
    unsigned mortal;
    struct {
        enum role role;
        unsigned record;
    } actors[PROCESSES];
} * now;

struct actor {
    struct member member;
    uint16_t in_role, pins;
    uint8_t left;
    bool in_hand; /* ghost */
};

struct fork {
    struct machine machine;
    struct actor actors[PROCESSES];
};

/* Parent or child: the next use of the cache, and the end of the request. */
static enum progress holder(struct machine *m, unsigned me, struct actor *a) {
    const unsigned bit = 1u << me;
    TASK(a->in_role)
    if (broken == RECORD_KEPT && me == 0) {
        a->member.number = (uint8_t)now->old;
    } else {
        CALL(claim_record(m, me, &a->member, RECORDS));
        if (broken == CLOSED_BEFORE_CARRYING) {
            DRAIN();
            m->holders[now->old] &= (uint8_t)~bit;
        }
        LOAD(a->pins, PINS(now->old));
        poke(m, me, PINS(a->member.number), a->pins);
        if (broken == CARRIED_WITHOUT_FENCE) {
            YIELD();
        } else {
            DRAIN(); /* the fence, and close() */
        }
        m->holders[now->old] &= (uint8_t)~bit;
        if (broken == RECORDS_NOT_COUNTED) {
            CALL(count_record(m, me, &a->member));
        }
    }
    YIELD();
    a->in_hand = false;
    a->pins = 0;
    store(m, me, PINS(broken == OLD_RECORD_WRITTEN ? now->old : a->member.number), 0); /* pin_drop_all() */
    END_TASK
}

/* leave_limbo() */
static enum progress scanner(struct machine *m, unsigned me, struct actor *a) {
    TASK(a->in_role)
    for (a->left = 2; a->left > 0; a->left--) {
        CALL(anybody(m, me, &a->member, HOLDS_READING, 0, 2));
        if (!a->member.held) {
            DRAIN();
            m->memory[PAGE_FREED] = 1;
            break;
        }
    }
    END_TASK
}

/* A new process. */
static enum progress claimer(struct machine *m, unsigned me, struct actor *a) {
    TASK(a->in_role)
    CALL(claim_record(m, me, &a->member, RECORDS));
    END_TASK
}

static enum progress step(void *state, unsigned me) {
    struct fork *s = state;
    switch (now->actors[me].role) {
        case HOLDER:
            return holder(&s->machine, me, &s->actors[me]);
        case SCANNER:
            return scanner(&s->machine, me, &s->actors[me]);
        case CLAIMER:
            return claimer(&s->machine, me, &s->actors[me]);
        case NOBODY:
            break;
    }
    return BLOCKED;
}

static void check(void *state) {
    struct fork *s = state;
    for (unsigned i = 0; i < PROCESSES; i++) {
        if (s->actors[i].in_hand && !(s->machine.dead >> i & 1) && s->machine.memory[PAGE_FREED]) {
            wrong(&s->machine, "a page is free while its bytes are in a hand");
        }
    }
}

static void begin(void *state) {
    struct fork *s = state;
    struct machine *m = &s->machine;
    m->memory[RECORDS_USED] = (uint16_t)now->used;
    for (unsigned i = 0; i < RECORDS; i++) {
        m->memory[INCARNATION(i)] = 1;
    }
    m->memory[PINS(0)] = now->dead;
    m->memory[PINS(now->old)] = 1;
    for (unsigned i = 0; i < PROCESSES; i++) {
        if (now->actors[i].role == HOLDER) {
            s->actors[i].in_hand = true;
            m->holders[now->old] |= (uint8_t)(1u << i);
        } else if (now->actors[i].role == SCANNER) {
            own_record(m, &s->actors[i].member, i, now->actors[i].record);
        }
    }
}

static void describe(const void *state, unsigned process, char *text, size_t size) {
    static const char *const roles[] = {"", "holder", "scanner", "claimer"};
    const struct actor *a = &((const struct fork *)state)->actors[process];
    snprintf(text, size, "%s %u at %u, records.c %u.%u.%u", roles[now->actors[process].role], process, a->in_role,
             a->member.place, a->member.asking, a->member.resetting);
}

static const struct setting settings[] = {
    {2, 4, false, 0, {{HOLDER, 0}, {HOLDER, 0}, {SCANNER, 3}}},
    {2, 4, true, 3, {{HOLDER, 0}, {HOLDER, 0}, {SCANNER, 3}}},
    {2, 4, false, 0, {{HOLDER, 0}, {SCANNER, 3}, {CLAIMER, 0}}},
    {0, 2, false, 0, {{HOLDER, 0}, {HOLDER, 0}, {SCANNER, 1}}},
    {2, 4, false, 7, {{HOLDER, 0}, {SCANNER, 3}, {CLAIMER, 0}}},
};

static const struct control controls[] = {
    {"sweeps compared after a scan", SWEEPS_NOT_COMPARED, 2},
    {"sweeps raised", SWEEPS_NOT_RAISED, 2},
    {"sweeps raised before the incarnation", SWEEPS_RAISED_AFTER_INCARNATION, 2},
    {"old record held while pins are carried", CLOSED_BEFORE_CARRYING, 2},
    {"fence before the old record is let go", CARRIED_WITHOUT_FENCE, 2},
    {"leaving the old record alone", OLD_RECORD_WRITTEN, 0},
    {"a new record for the parent", RECORD_KEPT, 0},
    {"lock while a record is swept", SWEPT_WITHOUT_LOCK, 1},
    {"asking whether a record's owner lives", SWEPT_WITHOUT_ASKING, 0},
    {"records counted before the first pin", RECORDS_NOT_COUNTED, 3},
};

static void prepare(unsigned setting, struct model *model) {
    now = &settings[setting];
    model->mortal = now->mortal;
    while (model->processes < PROCESSES && now->actors[model->processes].role != NOBODY) {
        model->processes++;
    }
}

SUITE(fork, "forks with values in hand, beside a scan, sweeps and claims by others", 5, 5, NULL)
