#include "apart.h"
#include "php_larder.h"
#include "unserialize.h"

#include "ext/standard/basic_functions.h"
#include "zend_observer.h"

static struct counting counted(void) {
    return (struct counting){BG(serialize_lock), BG(serialize).level, BG(unserialize).level, BG(serialize).data,
                             BG(unserialize).data};
}

static void count(const struct counting *state) {
    BG(serialize_lock) = state->lock;
    BG(serialize).level = state->serialize_level;
    BG(serialize).data = state->serialize_data;
    BG(unserialize).level = state->unserialize_level;
    BG(unserialize).data = state->unserialize_data;
}

struct counting apart_begin(void) {
    const struct counting outer = counted();
    if (LARDER_G(apart).depth++ == 0) {
        LARDER_G(apart).outside = outer;
    }
    count(&(struct counting){0});
    return outer;
}

void apart_end(const struct counting *outer) {
    count(--LARDER_G(apart).depth == 0 ? &LARDER_G(apart).outside : outer);
}

/* ---- Fibers ---------------------------------------------------------------------------------- */

/* What is under way in a fiber that is suspended. Nothing of it lies on the fiber's stack: after a fatal error that
 * goes away and this stays. */
struct parked {
    struct parked *next;
    const zend_fiber_context *fiber;
    unsigned depth;
    struct counting inside;
    struct reading reading;
};

static void park(const zend_fiber_context *from) {
    unserialize_unmute();
    if (from->status != ZEND_FIBER_STATUS_DEAD) {
        struct parked *parked = emalloc(sizeof(*parked));
        *parked = (struct parked){LARDER_G(parked), from, LARDER_G(apart).depth, counted(), LARDER_G(reading)};
        LARDER_G(parked) = parked;
    }
    count(&LARDER_G(apart).outside);
    LARDER_G(apart).depth = 0;
    LARDER_G(reading) = (struct reading){0};
}

static void unpark(const zend_fiber_context *to) {
    struct parked **link = &LARDER_G(parked);
    while (*link && (*link)->fiber != to) {
        link = &(*link)->next;
    }
    struct parked *parked = *link;
    if (!parked) {
        return;
    }
    *link = parked->next;
    if (to->status != ZEND_FIBER_STATUS_INIT) { /* else one that lay there before and ended by a fatal error */
        LARDER_G(apart) = (struct apart){parked->depth, counted()};
        LARDER_G(reading) = parked->reading;
        count(&parked->inside);
    }
    efree(parked);
}

static void switch_fiber(zend_fiber_context *from, zend_fiber_context *to) {
    if (UNEXPECTED(LARDER_G(apart).depth > 0)) {
        park(from);
    }
    if (UNEXPECTED(LARDER_G(parked) != NULL)) {
        unpark(to);
    }
}

void apart_register(void) {
    zend_observer_fiber_switch_register(switch_fiber);
}

void apart_forget(void) {
    LARDER_G(apart).depth = 0;
    LARDER_G(parked) = NULL; /* its memory went with the request */
}
