/*
 * Fetching, storing and reclaiming: page.c, pin.c, reclaim.c, index.c and the reading half of cache.h, with page
 * reuse and death. Pages of one or two entries; two keys with one slot each. Each key has one storer, so nothing has
 * to order the storers of a key. A value is written twice, into the header and behind it, so that a torn one is
 * noticed.
 */
#include <stdio.h>
#include <string.h>

#include "models.h"
#include "records.h"

enum { PAGES = 3, PLACES = 6, KEYS = 2, VALUES = 6, USE = 16 };

/* Words of memory. */
enum {
    CURRENT = WORDS_OF_RECORDS,
    SLOTS,
    STATES = SLOTS + KEYS,
    APPENDS = STATES + PAGES,
    LIVES = APPENDS + PAGES,
    STARTS = LIVES + PAGES,
    HEADS = STARTS + PAGES,
    BODIES = HEADS + PLACES,
    WORDS_USED = BODIES + PLACES,
};
_Static_assert((int)WORDS_USED <= (int)WORDS, "memory");

enum {
    NO_FENCE_AFTER_PIN = BROKEN_OF_RECORDS,
    NO_LOOK_AFTER_PIN,
    NO_FENCE_AFTER_COPYING,
    NO_LOOK_AFTER_COPYING,
    NO_SCAN_IN_LIMBO,
    NO_FENCE_AFTER_WRITING,
    OPEN_NOT_CHECKED,
    NO_SCAN_FOR_WRITERS,
    USE_STORED_PLAINLY,
    START_SET_AFTER_PUBLISHING,
    RAISED_AFTER_PUBLISHING,
    LOWERED_WITHOUT_GENERATION,
    RECLAIMED_LIVE_PAGE_AS_DEAD,
    GENERATION_NOT_RAISED,
    SET_BACK_AFTER_OPENING,
    OWNER_NOT_ASKED,
    PUBLISHED_AFTER_CLEARING,
};

enum state { FREE, OPENING, OPEN, CLOSED, DRAINING, LIMBO };

enum role { READER, COPIER, STORER, DELETER, CLEARER };

static const struct setting {
    unsigned pages, units; /* pages; units of a page */
    bool moves;            /* a used entry is moved, otherwise dropped */
    bool closes_early;     /* one entry of each storer is too long for the open page */
    unsigned tries;        /* pages that a storer tries to take back for a store */
    unsigned mortal;       /* a bit for each actor that may be killed, one of them once */
    struct {
        enum role role;
        unsigned key, times;
    } actors[PROCESSES];
} * now;

struct actor {
    struct member member;
    uint16_t in_role, in_room, in_task, in_entry, in_move, in_page; /* its position in the tasks below */
    uint16_t word, other, state, open, seen, current, counter, starts, head, body;
    uint8_t left, tries;
    uint8_t page, generation, spot; /* of the pending entry; a spot is a place + 1 */
    uint8_t victim, unit, old;      /* page, unit and spot of the entry that is reclaimed or replaced */
    uint8_t low_page, low_generation;
    uint8_t floor, pins, value;
    bool placed, freed, too_long, was_long;
    uint8_t held[PAGES]; /* ghost: generation of each page whose bytes this process holds */
};

struct pins {
    struct machine machine;
    struct actor actors[PROCESSES];
    uint8_t made[KEYS];          /* ghost: values so far; */
    uint8_t latest[KEYS];        /* number of events of the key so far */
    uint8_t order[KEYS][VALUES]; /* event number at which each value was published, 0: not */
};

/* ---- Words ---- */

static unsigned generation_of(unsigned state) {
    return state >> 8;
}
static unsigned count_word(unsigned generation, unsigned count) {
    return generation << 4 | count;
}
static unsigned head_word(unsigned value, unsigned generation, unsigned key) {
    return value << 8 | generation << 4 | (key + 1);
}
static unsigned spot_of(unsigned slot) { /* a place + 1; 0 none */
    return slot & (USE - 1);
}
static unsigned page_of(unsigned spot) {
    return (spot - 1) / now->units;
}
/* A value that no store has had before. */
static unsigned another_value(struct pins *s, unsigned key) {
    return key << 4 | s->made[key]++;
}
static void publish_value(struct pins *s, unsigned value) {
    s->order[value >> 4][value & 15] = ++s->latest[value >> 4];
}

/* Resets variables that no step will read again, so that equal states are recognized as equal. */
static void forget_append(struct actor *a) {
    a->open = a->seen = a->counter = a->other = 0;
    a->too_long = false;
}
static void forget_reclaim(struct actor *a) {
    forget_append(a);
    a->state = a->starts = a->head = a->word = a->body = 0;
    a->unit = a->old = a->low_page = a->low_generation = 0;
}

/* ---- page.c ---- */

/* page_append(): a place in the open page, which stays announced in `writing`. */
static enum progress append(struct machine *m, unsigned me, struct actor *a) {
    bool swapped;
    TASK(a->in_page)
    a->placed = false;
    do {
        LOAD(a->seen, CURRENT);
        if (a->seen == 0) {
            RETURN();
        }
        a->page = (uint8_t)((a->seen & 15) - 1);
        a->generation = (uint8_t)(a->seen >> 4);
        store(m, me, WRITING(a->member.number), a->page + 1u);
        if (broken != NO_FENCE_AFTER_WRITING) {
            FENCE();
        }
        LOAD(a->open, STATES + a->page);
        if (((a->open & 7) == OPEN && generation_of(a->open) == a->generation) || broken == OPEN_NOT_CHECKED) {
            LOAD(a->counter, APPENDS + a->page);
            /* A long entry does not fit where a short one would. */
            a->too_long = now->closes_early && !a->was_long && choose(2);
            a->was_long = a->was_long || a->too_long;
            if (a->counter >> 4 == a->generation && (a->counter & 15u) < now->units && !a->too_long) {
                ADD(APPENDS + a->page, 1);
                a->counter = (uint16_t)(m->memory[APPENDS + a->page] - 1);
                if (a->counter >> 4 == a->generation && (a->counter & 15u) < now->units) {
                    a->spot = (uint8_t)(a->page * now->units + (a->counter & 15u) + 1);
                    a->placed = true;
                    RETURN();
                }
            }
            store(m, me, WRITING(a->member.number), 0);
            SWAP(swapped, STATES + a->page, a->open, change(a->open, CLOSED));
        } else {
            store(m, me, WRITING(a->member.number), 0);
        }
        LOAD(a->other, CURRENT);
    } while (a->other != a->seen);
    END_TASK
}

/* page_open() of the page in `victim`, in place of the one in `current`. */
static enum progress open_page(struct machine *m, unsigned me, struct actor *a) {
    bool swapped;
    TASK(a->in_page)
    LOAD(a->open, STATES + a->victim);
    if ((a->open & 7) != FREE) {
        RETURN();
    }
    a->generation =
        (uint8_t)(generation_of(a->open) + (broken != GENERATION_NOT_RAISED || generation_of(a->open) == 0));
    SWAP(swapped, STATES + a->victim, a->open, state_word(a->generation, &a->member, OPENING));
    if (!swapped) {
        RETURN();
    }
    if (broken != SET_BACK_AFTER_OPENING) {
        poke(m, me, STARTS + a->victim, 0); /* begin_generation() */
        poke(m, me, LIVES + a->victim, count_word(a->generation, 0));
        poke(m, me, APPENDS + a->victim, count_word(a->generation, 0));
    }
    a->open = (uint16_t)state_word(a->generation, &a->member, OPENING);
    SWAP(swapped, STATES + a->victim, a->open, change(a->open, OPEN));
    SWAP(swapped, CURRENT, a->current, count_word(a->generation, a->victim + 1u));
    if (!swapped) {
        LOAD(a->open, STATES + a->victim); /* page_unclaim() */
        SWAP(swapped, STATES + a->victim, a->open, change(a->open, FREE));
    } else if (broken == SET_BACK_AFTER_OPENING) {
        poke(m, me, STARTS + a->victim, 0);
        poke(m, me, LIVES + a->victim, count_word(a->generation, 0));
        poke(m, me, APPENDS + a->victim, count_word(a->generation, 0));
    }
    END_TASK
}

/* page_lower_live() */
static enum progress lower(struct machine *m, unsigned me, struct actor *a) {
    bool swapped = false;
    TASK(a->in_page)
    LOAD(a->counter, LIVES + a->low_page);
    while (!swapped && (a->counter & 15) != 0 &&
           (a->counter >> 4 == a->low_generation || broken == LOWERED_WITHOUT_GENERATION)) {
        SWAP(swapped, LIVES + a->low_page, a->counter, a->counter - 1u);
    }
    a->counter = 0;
    END_TASK
}

static void lower_later(struct actor *a, unsigned page, unsigned generation) {
    a->low_page = (uint8_t)page;
    a->low_generation = (uint8_t)generation;
}

/* page_seal(): the whole entry, then its start bit. */
static void write_entry(struct machine *m, unsigned me, const struct actor *a, unsigned key, unsigned value) {
    poke(m, me, BODIES + a->spot - 1u, value);
    poke(m, me, HEADS + a->spot - 1u, head_word(value, a->generation, key));
}
static void set_start(struct machine *m, const struct actor *a) {
    write_word(m, STARTS + a->page, m->memory[STARTS + a->page] | 1u << (a->spot - 1u) % now->units);
}

/* ---- reclaim.c ---- */

/* move(): from `old` to a place in the open page. `placed`: it was moved, or need not be moved any more. */
static enum progress move(struct machine *m, unsigned me, struct actor *a, unsigned key) {
    bool swapped = false;
    TASK(a->in_move)
    CALL(append(m, me, a));
    forget_append(a);
    if (!a->placed) {
        RETURN();
    }
    LOAD(a->body, BODIES + a->old - 1u); /* page_copy() */
    if (a->body != a->head >> 8) {
        wrong(m, "a torn value is moved");
    }
    write_entry(m, me, a, key, a->body);
    DRAIN();
    set_start(m, a);
    ADD(LIVES + a->page, 1); /* republish() */
    while (!swapped && spot_of(a->word) == a->old) {
        SWAP(swapped, SLOTS + key, a->word, a->spot);
    }
    if (!swapped) {
        lower_later(a, a->page, a->generation);
        CALL(lower(m, me, a));
    }
    store(m, me, WRITING(a->member.number), 0);
    a->spot = a->page = a->generation = 0;
    END_TASK
}

/* reclaim_entry() for the entry whose bit is in `unit`. */
static enum progress reclaim_entry(struct machine *m, unsigned me, struct actor *a) {
    const unsigned key = (a->head & 15u) - 1;
    bool swapped = false;
    TASK(a->in_entry)
    a->old = (uint8_t)(a->victim * now->units + a->unit + 1);
    LOAD(a->head, HEADS + a->old - 1u);
    if ((a->head >> 4 & 15u) != generation_of(a->state) || (a->head & 15) == 0) {
        RETURN();
    }
    LOAD(a->word, SLOTS + (a->head & 15u) - 1); /* find_slot() */
    if (spot_of(a->word) != a->old) {
        RETURN();
    }
    if (now->moves && a->word >= USE) {
        CALL(move(m, me, a, key));
        if (a->placed) {
            RETURN();
        }
    }
    while (!swapped && spot_of(a->word) == a->old) {
        SWAP(swapped, SLOTS + key, a->word, 0);
    }
    END_TASK
}

/* reclaim_page() of `victim`. `freed`: the page is free now. */
static enum progress reclaim(struct machine *m, unsigned me, struct actor *a) {
    bool swapped;
    TASK(a->in_task)
    a->freed = false;
    LOAD(a->state, STATES + a->victim);
    if ((a->state & 7) == FREE) {
        a->freed = true;
        RETURN();
    }
    if ((a->state & 7) == OPEN) { /* page_abandoned() */
        LOAD(a->seen, CURRENT);
        if ((a->seen & 15u) == a->victim + 1u) {
            RETURN();
        }
    }
    if ((a->state & 7) != CLOSED && (a->state & 7) != LIMBO && broken != OWNER_NOT_ASKED) {
        CALL(process_alive(m, me, &a->member, a->state >> 3 & 3, a->state >> 5 & 7));
        if (a->member.alive) {
            RETURN();
        }
    }
    if ((a->state & 7) != LIMBO) {
        SWAP(swapped, STATES + a->victim, a->state, state_word(generation_of(a->state), &a->member, DRAINING));
        if (!swapped) {
            RETURN();
        }
        a->state = (uint16_t)state_word(generation_of(a->state), &a->member, DRAINING);
        if (broken != NO_SCAN_FOR_WRITERS) {
            CALL(anybody(m, me, &a->member, HOLDS_WRITING, a->victim, 2));
            if (a->member.held) {
                goto back;
            }
        }
        CALL(anybody(m, me, &a->member, HOLDS_READING, a->victim, 2));
        if (a->member.held) {
            goto back;
        }
        LOAD(a->counter, LIVES + a->victim);
        if ((a->counter & 15) != 0 && broken != RECLAIMED_LIVE_PAGE_AS_DEAD) {
            LOAD(a->starts, STARTS + a->victim);
            for (a->unit = 0; a->unit < now->units; a->unit++) {
                if (a->starts >> a->unit & 1) {
                    CALL(reclaim_entry(m, me, a));
                }
            }
        }
        SWAP(swapped, STATES + a->victim, a->state, change(a->state, LIMBO));
        a->state = (uint16_t)change(a->state, LIMBO);
    }
    FENCE(); /* leave_limbo() */
    if (broken != NO_SCAN_IN_LIMBO) {
        CALL(anybody(m, me, &a->member, HOLDS_READING, a->victim, 2));
        if (a->member.held) {
            RETURN();
        }
    }
    SWAP(swapped, STATES + a->victim, a->state, change(a->state, FREE));
    a->freed = swapped;
    RETURN();
back:
    SWAP(swapped, STATES + a->victim, a->state, change(a->state, CLOSED));
    END_TASK
}

/* ---- index.c ---- */

/* look(): the word of the key in `word`, its page in `copying` unless it is being written to. */
static enum progress find(struct machine *m, unsigned me, struct actor *a, unsigned key) {
    TASK(a->in_move)
    LOAD(a->word, SLOTS + key);
    while (spot_of(a->word) && !(a->spot && page_of(spot_of(a->word)) == a->page)) {
        store(m, me, COPYING(a->member.number), page_of(spot_of(a->word)) + 1);
        if (broken != NO_FENCE_AFTER_COPYING) {
            FENCE();
        }
        if (broken == NO_LOOK_AFTER_COPYING) {
            break;
        }
        a->other = a->word;
        LOAD(a->word, SLOTS + key);
        if (spot_of(a->word) == spot_of(a->other)) {
            break;
        }
    }
    a->old = (uint8_t)spot_of(a->word);
    if (a->old) {
        LOAD(a->head, HEADS + a->old - 1u);
    }
    END_TASK
}

/* index_put() and reservation_end(): publishes the pending entry. */
static enum progress publish(struct pins *s, unsigned me, struct actor *a, unsigned key) {
    struct machine *m = &s->machine;
    bool swapped = false;
    TASK(a->in_task)
    for (;;) {
        CALL(find(m, me, a, key));
        if ((a->old == 0 || page_of(a->old) != a->page) && broken != RAISED_AFTER_PUBLISHING) {
            ADD(LIVES + a->page, 1);
        }
        do {
            SWAP(swapped, SLOTS + key, a->word, a->spot);
        } while (!swapped && a->old && spot_of(a->word) == a->old);
        if (swapped) {
            break;
        }
        if (a->old == 0 || page_of(a->old) != a->page) {
            lower_later(a, a->page, a->generation);
            CALL(lower(m, me, a));
        }
    }
    publish_value(s, a->value);
    if (broken == RAISED_AFTER_PUBLISHING && (a->old == 0 || page_of(a->old) != a->page)) {
        ADD(LIVES + a->page, 1);
    }
    if (broken == START_SET_AFTER_PUBLISHING) {
        DRAIN();
        set_start(m, a);
    }
    if (a->old && page_of(a->old) != a->page) {
        lower_later(a, page_of(a->old), (a->head >> 4 & 15u));
        CALL(lower(m, me, a));
    }
    END_TASK
}

/* index_remove() */
static enum progress remove_key(struct pins *s, unsigned me, struct actor *a, unsigned key) {
    struct machine *m = &s->machine;
    bool swapped = false;
    TASK(a->in_task)
    for (;;) {
        CALL(find(m, me, a, key));
        if (a->old == 0) {
            break;
        }
        do {
            SWAP(swapped, SLOTS + key, a->word, 0);
        } while (!swapped && spot_of(a->word) == a->old);
        if (swapped) {
            s->latest[key]++;
            lower_later(a, page_of(a->old), (a->head >> 4 & 15u));
            CALL(lower(m, me, a));
        }
    }
    store(m, me, COPYING(a->member.number), 0);
    END_TASK
}

/* ---- Reading ---- */

/* Checks that the value read from the entry in `old` may be returned. */
static void give(struct pins *s, struct actor *a, unsigned key) {
    struct machine *m = &s->machine;
    if ((a->head & 15u) != key + 1) {
        return; /* another key's: a miss */
    }
    if (a->body != a->head >> 8) {
        wrong(m, "a torn value is read");
    }
    if (a->body >> 4 != key) {
        wrong(m, "another key's value is read");
        return;
    }
    if (s->order[key][a->body & 15] == 0) {
        wrong(m, "a value is read that was never stored");
    } else if (s->order[key][a->body & 15] < a->floor) {
        wrong(m, "an older value is read than was there before");
    }
}

/* From now on this process may read the page that `word` names. */
static void hold(const struct machine *m, struct actor *a) {
    const unsigned page = page_of(spot_of(a->word));
    a->old = (uint8_t)spot_of(a->word);
    a->held[page] = (uint8_t)generation_of(m->memory[STATES + page]);
}

static void forget(struct actor *a) {
    memset(a->held, 0, sizeof a->held);
    forget_reclaim(a);
    a->floor = 0;
}

/* pin_page() for the page that `word` names, until it names one that is pinned, or nothing. */
static enum progress pin(struct machine *m, unsigned me, struct actor *a, unsigned key) {
    TASK(a->in_page)
    while (spot_of(a->word) && !(a->pins >> page_of(spot_of(a->word)) & 1)) {
        a->pins |= (uint8_t)(1u << page_of(spot_of(a->word)));
        store(m, me, PINS(a->member.number), a->pins);
        if (broken != NO_FENCE_AFTER_PIN) {
            FENCE();
        }
        if (broken == NO_LOOK_AFTER_PIN) {
            break;
        }
        LOAD(a->other, SLOTS + key);
        if (spot_of(a->other) == spot_of(a->word)) {
            a->word = a->other;
            break;
        }
        a->word = a->other;
    }
    END_TASK
}

/* cache_find() of key 0, zero copy or copied; read_slot() and read_entry(). */
static enum progress fetch(struct pins *s, unsigned me, struct actor *a, bool zero_copy) {
    struct machine *m = &s->machine;
    bool swapped;
    TASK(a->in_task)
    a->floor = s->latest[0];
    if (zero_copy) {
        LOAD(a->word, SLOTS);
        CALL(pin(m, me, a, 0));
    } else {
        CALL(find(m, me, a, 0));
    }
    if (spot_of(a->word)) {
        hold(m, a);
        if (zero_copy) {
            LOAD(a->head, HEADS + a->old - 1u);
        }
        LOAD(a->body, BODIES + a->old - 1u);
        give(s, a, 0);
        a->body = a->other = a->head = 0;
        if (now->moves && a->word < USE) {
            if (broken == USE_STORED_PLAINLY) {
                store(m, me, SLOTS, a->word + USE);
            } else {
                SWAP(swapped, SLOTS, a->word, a->word + USE);
                (void)swapped;
            }
        }
    }
    if (!zero_copy) {
        store(m, me, COPYING(a->member.number), 0);
        forget(a);
    }
    forget_reclaim(a);
    a->floor = 0;
    END_TASK
}

/* ---- Roles ---- */

static enum progress reader(struct pins *s, unsigned me, struct actor *a) {
    struct machine *m = &s->machine;
    TASK(a->in_role)
    while (a->left > 0) {
        a->left--;
        CALL(fetch(s, me, a, true));
        /* The request may end after each fetch. */
        YIELD();
        if (choose(2)) {
            forget(a);
            a->pins = 0;
            store(m, me, PINS(a->member.number), 0); /* pin_drop_all() */
        }
    }
    END_TASK
}

static enum progress copier(struct pins *s, unsigned me, struct actor *a) {
    struct machine *m = &s->machine;
    TASK(a->in_role)
    while (a->left > 0) {
        a->left--;
        CALL(fetch(s, me, a, false));
    }
    END_TASK
}

/* reservation_make(): a place for an entry, if necessary in a reclaimed page. */
static enum progress take_room(struct machine *m, unsigned me, struct actor *a) {
    TASK(a->in_room)
    for (a->tries = (uint8_t)now->tries;; a->tries--) {
        CALL(append(m, me, a));
        forget_append(a);
        if (a->placed || a->tries == 0) {
            break;
        }
        LOAD(a->current, CURRENT); /* open_a_page() */
        if (a->current) {
            LOAD(a->open, STATES + (a->current & 15u) - 1);
            if ((a->open & 7) == OPEN && generation_of(a->open) == a->current >> 4) {
                continue;
            }
        }
        YIELD();
        a->victim = (uint8_t)choose(now->pages);
        CALL(reclaim(m, me, a));
        forget_reclaim(a);
        if (a->freed) {
            CALL(open_page(m, me, a));
            forget_reclaim(a);
        }
        a->freed = false;
        a->victim = 0;
        a->current = 0;
    }
    a->tries = 0;
    END_TASK
}

static enum progress storer(struct pins *s, unsigned me, struct actor *a, unsigned key) {
    struct machine *m = &s->machine;
    TASK(a->in_role)
    while (a->left > 0) {
        a->value = (uint8_t)another_value(s, key);
        a->left--;
        CALL(take_room(m, me, a));
        if (a->placed) {
            write_entry(m, me, a, key, a->value);
            if (broken == PUBLISHED_AFTER_CLEARING) {
                store(m, me, WRITING(a->member.number), 0);
            }
            if (broken != START_SET_AFTER_PUBLISHING) {
                DRAIN();
                set_start(m, a);
            }
            CALL(publish(s, me, a, key));
            store(m, me, COPYING(a->member.number), 0);
            store(m, me, WRITING(a->member.number), 0);
        } else {
            CALL(remove_key(s, me, a, key));
        }
        a->spot = a->page = a->generation = a->value = 0;
        a->placed = false;
        forget(a);
    }
    END_TASK
}

static enum progress deleter(struct pins *s, unsigned me, struct actor *a, unsigned key) {
    struct machine *m = &s->machine;
    TASK(a->in_role)
    while (a->left > 0) {
        a->left--;
        CALL(remove_key(s, me, a, key));
        forget(a);
    }
    END_TASK
}

/* cache_clear() */
static enum progress clearer(struct pins *s, unsigned me, struct actor *a) {
    struct machine *m = &s->machine;
    bool swapped = false;
    TASK(a->in_role)
    for (a->unit = 0; a->unit < KEYS; a->unit++) {
        LOAD(a->word, SLOTS + a->unit);
        while (a->word) {
            LOAD(a->counter, LIVES + page_of(spot_of(a->word)));
            lower_later(a, page_of(spot_of(a->word)), a->counter >> 4);
            SWAP(swapped, SLOTS + a->unit, a->word, 0);
            if (swapped) {
                CALL(lower(m, me, a));
                break;
            }
        }
    }
    END_TASK
}

/* ---- The model ---- */

/* The words that no role of this setting writes. */
static uint64_t fixed_by(const struct setting *setting, bool mortal) {
    uint64_t words = mortal ? 0 : UINT64_C(1) << SWEEPS;
    words |= UINT64_C(1) << RECORDS_USED;
    for (unsigned i = 0; i < RECORDS; i++) {
        const bool used = setting->actors[i].times > 0, reads = setting->actors[i].role == READER;
        const bool writes = setting->actors[i].role == STORER;
        const bool copies = !reads && setting->actors[i].role != CLEARER;
        words |= (uint64_t)(!mortal || !used) << INCARNATION(i);
        words |= (uint64_t)(!used || (!reads && !mortal)) << PINS(i);
        words |= (uint64_t)(!used || (!copies && !mortal)) << COPYING(i);
        words |= (uint64_t)(!used || (!writes && !mortal)) << WRITING(i);
    }
    return words;
}

static enum progress step(void *state, unsigned me) {
    struct pins *s = state;
    struct actor *a = &s->actors[me];
    switch (now->actors[me].role) {
        case READER:
            return reader(s, me, a);
        case COPIER:
            return copier(s, me, a);
        case STORER:
            return storer(s, me, a, now->actors[me].key);
        case DELETER:
            return deleter(s, me, a, now->actors[me].key);
        case CLEARER:
            return clearer(s, me, a);
    }
    return BLOCKED;
}

static void check(void *state) {
    struct pins *s = state;
    struct machine *m = &s->machine;
    for (unsigned i = 0; i < PROCESSES; i++) {
        const struct actor *a = &s->actors[i];
        if (m->dead >> i & 1) {
            continue;
        }
        for (unsigned page = 0; page < now->pages; page++) {
            const unsigned word = m->memory[STATES + page];
            if (a->held[page] && (generation_of(word) != a->held[page] || (word & 7) == FREE)) {
                wrong(m, "a page is free while its bytes are in a hand");
            }
        }
        const unsigned word = m->memory[STATES + a->page];
        if (a->spot && (generation_of(word) != a->generation || (word & 7) == FREE || (word & 7) == LIMBO)) {
            wrong(m, "a page is taken away from its writer");
        }
    }
    unsigned named[PAGES] = {0};
    for (unsigned key = 0; key < KEYS; key++) {
        const unsigned spot = spot_of(m->memory[SLOTS + key]);
        if (spot) {
            const unsigned word = m->memory[STATES + page_of(spot)];
            named[page_of(spot)]++;
            if ((word & 7) != OPEN && (word & 7) != CLOSED && (word & 7) != DRAINING) {
                wrong(m, "the index names a page that was taken back");
            }
        }
    }
    for (unsigned page = 0; page < now->pages; page++) {
        if (named[page] > (m->memory[LIVES + page] & 15u)) {
            wrong(m, "a page counts fewer entries than the index names");
        }
    }
}

static void begin(void *state) {
    struct pins *s = state;
    struct machine *m = &s->machine;
    for (unsigned i = 0; i < PROCESSES; i++) {
        if (now->actors[i].times) {
            own_record(m, &s->actors[i].member, i, i);
            s->actors[i].left = (uint8_t)now->actors[i].times;
        }
    }
    /* Page 0 is full, of key 0's first value and if there is room of key 1's; page 1 is open and empty. */
    for (unsigned key = 0; key < KEYS && key < now->units; key++) {
        const unsigned value = another_value(s, key);
        publish_value(s, value);
        m->memory[BODIES + key] = (uint16_t)value;
        m->memory[HEADS + key] = (uint16_t)head_word(value, 1, key);
        m->memory[SLOTS + key] = (uint16_t)(key + 1);
        m->memory[STARTS] |= (uint16_t)(1u << key);
    }
    for (unsigned page = 0; page < 2; page++) {
        m->memory[STATES + page] = (uint16_t)state_word(1, &s->actors[0].member, page ? OPEN : CLOSED);
        m->memory[LIVES + page] = (uint16_t)count_word(1, page ? 0 : now->units);
        m->memory[APPENDS + page] = (uint16_t)count_word(1, page ? 0 : now->units);
    }
    m->memory[CURRENT] = (uint16_t)count_word(1, 2);
}

static void describe(const void *state, unsigned process, char *text, size_t size) {
    static const char *const roles[] = {"reader", "copier", "storer", "deleter", "clearer"};
    const struct actor *a = &((const struct pins *)state)->actors[process];
    snprintf(text, size, "%s %u at %u.%u.%u.%u.%u, records.c %u.%u.%u", roles[now->actors[process].role], process,
             a->in_role, a->in_task, a->in_entry, a->in_move, a->in_page, a->member.place, a->member.asking,
             a->member.resetting);
}

static const struct setting settings[] = {
    {2, 1, false, false, 2, 0, {{READER, 0, 3}, {STORER, 0, 3}}},
    {2, 1, false, false, 2, 0, {{COPIER, 0, 2}, {STORER, 0, 3}}},
    {2, 1, false, false, 1, 0, {{READER, 0, 2}, {STORER, 0, 1}, {STORER, 1, 1}}},
    {2, 2, true, false, 1, 0, {{READER, 0, 2}, {STORER, 0, 1}, {STORER, 1, 2}}},
    {2, 1, false, false, 1, 0, {{DELETER, 0, 1}, {STORER, 0, 1}, {STORER, 1, 1}}},
    {2, 1, false, false, 1, 2, {{READER, 0, 1}, {STORER, 0, 1}, {STORER, 1, 1}}},
    {2, 1, false, false, 1, 3, {{STORER, 0, 2}, {STORER, 1, 1}}},
    {2, 1, false, false, 1, 0, {{CLEARER, 0, 1}, {STORER, 0, 1}, {STORER, 1, 2}}},
    {2, 1, false, true, 1, 0, {{STORER, 0, 1}, {STORER, 1, 2}}},
};

static const struct control controls[] = {
    {"fence after a pin", NO_FENCE_AFTER_PIN, 0},
    {"look at the word after a pin", NO_LOOK_AFTER_PIN, 0},
    {"fence after copying", NO_FENCE_AFTER_COPYING, 1},
    {"look at the word after copying", NO_LOOK_AFTER_COPYING, 1},
    {"scan in limbo", NO_SCAN_IN_LIMBO, 0},
    {"copying in the scan", COPYING_NOT_SCANNED, 1},
    {"pins in the scan", PINS_NOT_SCANNED, 0},
    {"fence after writing", NO_FENCE_AFTER_WRITING, 8},
    {"look at the state before appending", OPEN_NOT_CHECKED, 6},
    {"scan for writers", NO_SCAN_FOR_WRITERS, 2},
    {"writing until it is published", PUBLISHED_AFTER_CLEARING, 2},
    {"compare-and-swap of the use count", USE_STORED_PLAINLY, 3},
    {"start bit before publishing", START_SET_AFTER_PUBLISHING, 6},
    {"living counted before publishing", RAISED_AFTER_PUBLISHING, 0},
    {"generation in the number of living", LOWERED_WITHOUT_GENERATION, 7},
    {"walk of a page with living entries", RECLAIMED_LIVE_PAGE_AS_DEAD, 0},
    {"raising of a page's generation", GENERATION_NOT_RAISED, 7},
    {"setting back before a page opens", SET_BACK_AFTER_OPENING, 6},
    {"asking whether a page's owner lives", OWNER_NOT_ASKED, 6},
    {"asking whether a record's owner lives", SWEPT_WITHOUT_ASKING, 5},
};

static void prepare(unsigned setting, struct model *model) {
    now = &settings[setting];
    model->mortal = now->mortal;
    while (model->processes < PROCESSES && now->actors[model->processes].times) {
        model->processes++;
    }
    fixed_words = fixed_by(now, now->mortal);
}

SUITE(pins, "pin, reclaim and publish: readers, copiers, storers, a delete, a clear, reuse of pages, death", 9, 8,
      NULL)
