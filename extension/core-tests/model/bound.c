/*
 * The bound on what readers hold: pin_page() and pin_recount() of pin.c. A run counts with all its pages: here the
 * pages are pinned in runs of one or two, by the head's bit. The index never changes.
 */
#include <stdio.h>

#include "models.h"
#include "records.h"

enum { PAGES = 4 };
enum { POPULATION = WORDS_OF_RECORDS };

enum {
    BIT_NOT_LOOKED_AT_AGAIN = BROKEN_OF_RECORDS,
    ONLY_HEAD_LOOKED_AT_AGAIN,
    NO_FENCE_AFTER_PIN,
    CLEARED_WITHOUT_LOOKING,
    POPULATION_STORED,
};

enum role { NOBODY, READER, RECOUNTER };

static const struct setting {
    unsigned run, limit; /* pages in each run; pages that may be held */
    struct {
        enum role role;
        unsigned pages, times; /* number of runs that it pins, in order, from its own place on; recounts */
    } actors[PROCESSES];
} * now;

struct actor {
    struct member member;
    uint16_t in_role, in_pin, in_count;
    uint16_t bits, seen;
    uint8_t left, page, pins, held, i;
    bool known;
};

struct bound {
    struct machine machine;
    struct actor actors[PROCESSES];
};

static unsigned population(unsigned bits) {
    return (unsigned)__builtin_popcount(bits);
}
static unsigned run_bits(unsigned page) {
    return ((1u << now->run) - 1) << page;
}

/* population_add(): a step for each page that is missing. */
static enum progress add(struct machine *m, unsigned me, struct actor *a, unsigned page) {
    TASK(a->in_count)
    for (a->i = 0; a->i < now->run; a->i++) {
        LOAD(a->bits, POPULATION);
        if (!(a->bits >> (page + a->i) & 1)) {
            DRAIN();
            write_word(m, POPULATION, m->memory[POPULATION] | 1u << (page + a->i));
        }
    }
    a->bits = 0;
    a->i = 0;
    END_TASK
}

/* pin_page() of the run at `page` */
static enum progress pin(struct machine *m, unsigned me, struct actor *a) {
    TASK(a->in_pin)
    LOAD(a->seen, POPULATION);
    if (!(a->seen >> a->page & 1)) {
        if (population(a->seen) + now->run > now->limit) { /* share_allows() */
            RETURN();
        }
        CALL(add(m, me, a, a->page));
    }
    a->pins |= (uint8_t)(1u << a->page);
    store(m, me, PINS(a->member.number), a->pins);
    if (broken != NO_FENCE_AFTER_PIN) {
        FENCE();
    }
    if (broken != BIT_NOT_LOOKED_AT_AGAIN) {
        LOAD(a->seen, POPULATION);
        if (!(a->seen >> a->page & 1) && population(a->seen) + now->run > now->limit) {
            a->pins &= (uint8_t) ~(1u << a->page);
            store(m, me, PINS(a->member.number), a->pins); /* unpin() */
            RETURN();
        }
        if (broken != ONLY_HEAD_LOOKED_AT_AGAIN || !(a->seen >> a->page & 1)) {
            CALL(add(m, me, a, a->page));
        }
    }
    a->held |= (uint8_t)(1u << a->page);
    END_TASK
}

static enum progress reader(struct machine *m, unsigned me, struct actor *a) {
    const unsigned pages = now->actors[me].pages;
    TASK(a->in_role)
    for (a->page = 0; a->page < PAGES; a->page++) {
        if (pages >> a->page & 1) {
            CALL(pin(m, me, a));
            a->seen = 0;
        }
    }
    a->page = 0;
    END_TASK
}

/* recount() */
static enum progress recounter(struct machine *m, unsigned me, struct actor *a) {
    TASK(a->in_role)
    while (a->left > 0) {
        a->left--;
        a->pins = 0; /* gather(): the pins of all processes */
        for (a->i = 0; a->i < RECORDS; a->i++) {
            LOAD(a->bits, PINS(a->i));
            a->pins |= (uint8_t)a->bits;
        }
        if (broken == POPULATION_STORED) {
            for (a->page = 0, a->bits = 0; a->page < PAGES; a->page++) {
                a->bits |= (uint16_t)(a->pins >> a->page & 1 ? run_bits(a->page) : 0);
            }
            DRAIN();
            write_word(m, POPULATION, a->bits);
            continue;
        }
        for (a->page = 0; a->page < PAGES; a->page++) {
            if (a->pins >> a->page & 1) {
                CALL(add(m, me, a, a->page));
            }
        }
        for (a->page = 0; a->page < PAGES; a->page++) {
            LOAD(a->bits, POPULATION);
            if (!(a->bits >> a->page & 1) || a->pins >> (a->page / now->run * now->run) & 1) {
                continue;
            }
            DRAIN();
            write_word(m, POPULATION, m->memory[POPULATION] & ~(1u << a->page));
            if (broken == CLEARED_WITHOUT_LOOKING) {
                continue;
            }
            a->known = false; /* is_pinned() */
            for (a->i = 0; a->i < RECORDS && !a->known; a->i++) {
                LOAD(a->bits, PINS(a->i));
                a->known = a->bits >> (a->page / now->run * now->run) & 1;
            }
            if (a->known) {
                DRAIN();
                write_word(m, POPULATION, m->memory[POPULATION] | 1u << a->page);
            }
        }
        a->pins = 0;
        a->page = a->i = 0;
        a->bits = 0;
    }
    END_TASK
}

static enum progress step(void *state, unsigned me) {
    struct bound *s = state;
    return now->actors[me].role == READER ? reader(&s->machine, me, &s->actors[me])
                                          : recounter(&s->machine, me, &s->actors[me]);
}

static unsigned held_by_all(const struct bound *s) {
    unsigned bits = 0;
    for (unsigned i = 0; i < PROCESSES; i++) {
        for (unsigned page = 0; page < PAGES; page++) {
            bits |= s->actors[i].held >> page & 1 ? run_bits(page) : 0;
        }
    }
    return bits;
}

/* Above the limit there may be at most one run for each process: that of a process between its look and its pin
 * while another one is there, too, or of one whose recount has just cleared a bit that it puts back. */
static void check(void *state) {
    struct bound *s = state;
    unsigned processes = 0;
    while (processes < PROCESSES && now->actors[processes].role != NOBODY) {
        processes++;
    }
    if (population(held_by_all(s)) > now->limit + (processes - 1) * now->run) {
        wrong(&s->machine, "readers hold more than the bound");
    }
}

/* When no step is left, every held page is counted. */
static void end(void *state) {
    struct bound *s = state;
    if (held_by_all(s) & ~(unsigned)s->machine.memory[POPULATION]) {
        wrong(&s->machine, "a held page is not counted");
    }
}

static void begin(void *state) {
    struct bound *s = state;
    for (unsigned i = 0; i < PROCESSES && now->actors[i].role != NOBODY; i++) {
        own_record(&s->machine, &s->actors[i].member, i, i);
        s->actors[i].left = (uint8_t)now->actors[i].times;
    }
}

static void describe(const void *state, unsigned process, char *text, size_t size) {
    const struct actor *a = &((const struct bound *)state)->actors[process];
    snprintf(text, size, "%s %u at %u.%u.%u", now->actors[process].role == READER ? "reader" : "recounter",
             process, a->in_role, a->in_pin, a->in_count);
}

static const struct setting settings[] = {
    {1, 1, {{READER, 15, 0}, {RECOUNTER, 0, 3}}},
    {1, 1, {{READER, 3, 0}, {READER, 12, 0}, {RECOUNTER, 0, 1}}},
    {2, 2, {{READER, 5, 0}, {RECOUNTER, 0, 2}}},
    {2, 2, {{READER, 5, 0}, {READER, 5, 0}, {RECOUNTER, 0, 1}}},
    {1, 1, {{READER, 15, 0}, {RECOUNTER, 0, 2}, {RECOUNTER, 0, 1}}},
    {1, 2, {{READER, 7, 0}, {READER, 14, 0}, {RECOUNTER, 0, 2}}},
};

static const struct control controls[] = {
    {"second look at the page's bit", BIT_NOT_LOOKED_AT_AGAIN, 0},
    {"second look at all pages of a run", ONLY_HEAD_LOOKED_AT_AGAIN, 2},
    {"fence between pin and second look", NO_FENCE_AFTER_PIN, 0},
    {"look at the pins after clearing a bit", CLEARED_WITHOUT_LOOKING, 0},
    {"clearing of one bit at a time", POPULATION_STORED, 0},
};

static void prepare(unsigned setting, struct model *model) {
    now = &settings[setting];
    while (model->processes < PROCESSES && now->actors[model->processes].role != NOBODY) {
        model->processes++;
    }
    for (unsigned i = 0; i < RECORDS; i++) {
        fixed_words |= (uint64_t)(now->actors[i].role != READER) << PINS(i);
    }
}

SUITE(bound, "the bound of what readers hold, single pages and runs, with a recount", 6, 5, end)
