/*
 * Runs of pages: claim_window(), the release of a run in run.c, page_claim(), page_join_run() and page_head() in
 * page.c, free_members() and leave_limbo() in reclaim.c. It begins with a published run of three pages in limbo that
 * no process holds any more.
 */
#include <stdio.h>

#include "models.h"
#include "records.h"

enum { PAGES = 3 };
enum { STATES = WORDS_OF_RECORDS, LINKS = STATES + PAGES, LENGTHS = LINKS + PAGES };

enum {
    MEMBER_BEFORE_LINK = BROKEN_OF_RECORDS, /* the state changes first, the link follows */
    LINK_NOT_COMPARED,
    OWNER_NOT_ASKED,
};

enum state { FREE, OPENING, CLOSED, LIMBO, MEMBER };

enum role { NOBODY, FREER, CLAIMER };

static const struct setting {
    unsigned mortal;
    struct {
        enum role role;
        unsigned pages, first; /* length and first page of the run that is claimed */
    } actors[PROCESSES];
} * now;

struct actor {
    struct member member;
    uint16_t in_role, in_reclaim, in_head, in_claim;
    uint16_t state, head_state, link, length;
    uint8_t i, page, head, member_page, generation;
    bool freed, speaks;
    uint8_t owned[PAGES]; /* ghost: generation of each page that is this process's own */
};

struct runs {
    struct machine machine;
    struct actor actors[PROCESSES];
};

static unsigned link_word(unsigned generation, unsigned head) {
    return generation << 4 | head;
}

/* page_head(): sets `head`; to the page itself if it has no head. */
static enum progress find_head(struct machine *m, unsigned me, struct actor *a) {
    TASK(a->in_head)
    a->head = a->page;
    LOAD(a->link, LINKS + a->page);
    if ((a->link & 15u) < a->page) {
        LOAD(a->head_state, STATES + (a->link & 15u));
        if (a->head_state >> 8 == a->link >> 4 && (a->head_state & 7) != FREE && (a->head_state & 7) != MEMBER) {
            a->head = (uint8_t)(a->link & 15u);
        }
    }
    a->head_state = a->link = 0;
    END_TASK
}

/* leave_limbo() of the head in `head`, whose state is in `head_state`. No process holds it here. */
static enum progress leave_limbo(struct machine *m, unsigned me, struct actor *a) {
    bool swapped;
    TASK(a->in_claim)
    LOAD(a->length, LENGTHS + a->head); /* free_members() */
    for (a->member_page = a->head + 1; a->member_page < a->head + a->length && a->member_page < PAGES;
         a->member_page++) {
        LOAD(a->state, STATES + a->member_page);
        if ((a->state & 7) != MEMBER) {
            continue;
        }
        LOAD(a->link, LINKS + a->member_page);
        if (a->link == link_word(a->head_state >> 8, a->head) || broken == LINK_NOT_COMPARED) {
            SWAP(swapped, STATES + a->member_page, a->state, change(a->state, FREE));
        }
    }
    SWAP(swapped, STATES + a->head, a->head_state, change(a->head_state, FREE));
    a->link = a->length = a->state = a->head_state = 0;
    END_TASK
}

/* reclaim_page() of `page`: sets `freed`. This model has no entries. */
static enum progress reclaim(struct machine *m, unsigned me, struct actor *a) {
    bool swapped;
    TASK(a->in_reclaim)
    a->freed = false;
    a->head = a->page;
    LOAD(a->state, STATES + a->page);
    if ((a->state & 7) == MEMBER) {
        CALL(find_head(m, me, a));
        if (a->head == a->page) {
            if (broken != OWNER_NOT_ASKED) {
                CALL(process_alive(m, me, &a->member, a->state >> 3 & 3, a->state >> 5 & 7));
                if (a->member.alive) {
                    RETURN();
                }
            }
            SWAP(swapped, STATES + a->page, a->state, change(a->state, FREE));
            a->freed = swapped;
            RETURN();
        }
    }
    LOAD(a->head_state, STATES + a->head);
    if ((a->head_state & 7) == OPENING) {
        if (broken != OWNER_NOT_ASKED) {
            CALL(process_alive(m, me, &a->member, a->head_state >> 3 & 3, a->head_state >> 5 & 7));
            if (a->member.alive) {
                RETURN();
            }
        }
        SWAP(swapped, STATES + a->head, a->head_state, change(a->head_state, LIMBO)); /* reclaiming, then limbo */
        if (!swapped) {
            RETURN();
        }
        a->head_state = (uint16_t)change(a->head_state, LIMBO);
    }
    if ((a->head_state & 7) == LIMBO) {
        CALL(leave_limbo(m, me, a));
    }
    LOAD(a->state, STATES + a->page);
    a->freed = (a->state & 7) == FREE;
    a->state = a->head_state = 0;
    END_TASK
}

/* page_unclaim() of all pages that are ours, the head last */
static enum progress release_run(struct machine *m, unsigned me, struct actor *a) {
    bool swapped;
    TASK(a->in_reclaim)
    for (a->page = PAGES; a->page-- > 0;) {
        if (a->owned[a->page]) {
            LOAD(a->state, STATES + a->page);
            a->owned[a->page] = 0;
            SWAP(swapped, STATES + a->page, a->state, change(a->state, FREE));
            if (!swapped) {
                wrong(m, "a page is given back that is another's");
            }
        }
    }
    a->page = 0;
    END_TASK
}

/* claim_window(), and then run_release(): the value is not stored. */
static enum progress claimer(struct machine *m, unsigned me, struct actor *a) {
    const unsigned first = now->actors[me].first, pages = now->actors[me].pages;
    bool swapped;
    TASK(a->in_role)
    for (a->i = 0; a->i < pages; a->i++) {
        a->page = (uint8_t)(first + a->i);
        CALL(reclaim(m, me, a));
        if (!a->freed) {
            break;
        }
        LOAD(a->state, STATES + a->page); /* page_claim() */
        if ((a->state & 7) != FREE) {
            break;
        }
        if (broken == MEMBER_BEFORE_LINK && a->i > 0) {
            SWAP(swapped, STATES + a->page, a->state, state_word((a->state >> 8) + 1u, &a->member, MEMBER));
        } else {
            SWAP(swapped, STATES + a->page, a->state, state_word((a->state >> 8) + 1u, &a->member, OPENING));
        }
        if (!swapped) {
            break;
        }
        a->owned[a->page] = (uint8_t)((a->state >> 8) + 1);
        poke(m, me, LENGTHS + a->page, 1); /* begin_generation() */
        poke(m, me, LINKS + a->page, 0);
        if (a->i == 0) {
            a->generation = a->owned[a->page];
        } else {
            store(m, me, LINKS + a->page, link_word(a->generation, first)); /* page_join_run() */
            a->state = (uint16_t)state_word(a->owned[a->page], &a->member, OPENING);
            if (broken != MEMBER_BEFORE_LINK) {
                SWAP(swapped, STATES + a->page, a->state, change(a->state, MEMBER));
            }
        }
    }
    if (a->i == pages) {
        store(m, me, LENGTHS + first, pages);
    }
    CALL(release_run(m, me, a));
    END_TASK
}

static enum progress freer(struct machine *m, unsigned me, struct actor *a) {
    TASK(a->in_role)
    a->page = (uint8_t)now->actors[me].first;
    CALL(reclaim(m, me, a));
    END_TASK
}

static enum progress step(void *state, unsigned me) {
    struct runs *s = state;
    return now->actors[me].role == FREER ? freer(&s->machine, me, &s->actors[me])
                                         : claimer(&s->machine, me, &s->actors[me]);
}

static void check(void *state) {
    struct runs *s = state;
    for (unsigned page = 0; page < PAGES; page++) {
        const unsigned word = s->machine.memory[STATES + page];
        for (unsigned i = 0; i < PROCESSES; i++) {
            const unsigned generation = s->actors[i].owned[page];
            if (generation && !(s->machine.dead >> i & 1) && (word >> 8 != generation || (word & 7) == FREE)) {
                wrong(&s->machine, "a claimed page is taken from its claimer");
            }
        }
    }
}

static void begin(void *state) {
    struct runs *s = state;
    struct machine *m = &s->machine;
    const struct member gone = {.number = 3, .incarnation = 1};
    m->memory[INCARNATION(3)] = 2;
    m->memory[RECORDS_USED] = RECORDS;
    for (unsigned i = 0; i < PROCESSES && now->actors[i].role != NOBODY; i++) {
        own_record(m, &s->actors[i].member, i, i);
    }
    for (unsigned page = 0; page < PAGES; page++) {
        m->memory[STATES + page] = (uint16_t)state_word(1, &gone, page ? MEMBER : LIMBO);
        m->memory[LINKS + page] = (uint16_t)(page ? link_word(1, 0) : 0);
        m->memory[LENGTHS + page] = page ? 1 : PAGES;
    }
}

static void describe(const void *state, unsigned process, char *text, size_t size) {
    static const char *const roles[] = {"", "freer", "claimer"};
    const struct actor *a = &((const struct runs *)state)->actors[process];
    snprintf(text, size, "%s %u at %u.%u.%u.%u", roles[now->actors[process].role], process, a->in_role,
             a->in_reclaim, a->in_claim, a->in_head);
}

static const struct setting settings[] = {
    {0, {{FREER, 0, 0}, {CLAIMER, 2, 0}}},
    {0, {{FREER, 0, 0}, {FREER, 0, 0}, {CLAIMER, 2, 1}}},
    {0, {{FREER, 0, 0}, {CLAIMER, 2, 1}, {CLAIMER, 2, 0}}},
    {2, {{FREER, 0, 0}, {CLAIMER, 2, 1}, {CLAIMER, 2, 0}}},
    {6, {{CLAIMER, 3, 0}, {CLAIMER, 2, 1}, {CLAIMER, 2, 0}}},
};

static const struct control controls[] = {
    {"link before a page is a member", MEMBER_BEFORE_LINK, 1},
    {"comparison of a member's link", LINK_NOT_COMPARED, 1},
    {"asking whether a claimer lives", OWNER_NOT_ASKED, 2},
};

static void prepare(unsigned setting, struct model *model) {
    now = &settings[setting];
    model->mortal = now->mortal;
    while (model->processes < PROCESSES && now->actors[model->processes].role != NOBODY) {
        model->processes++;
    }
}

SUITE(runs, "claiming, releasing and freeing a run of pages, with death", 5, 4, NULL)
