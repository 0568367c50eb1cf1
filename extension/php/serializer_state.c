#include "serializer_state.h"
#include "php_larder.h"
#include "serialize.h"

#include "ext/standard/basic_functions.h"
#include "zend_observer.h"

static struct serializer_state get_state(void) {
    return (struct serializer_state){BG(serialize_lock), BG(serialize).level, BG(unserialize).level,
                                     BG(serialize).data, BG(unserialize).data};
}

static void set_state(const struct serializer_state *state) {
    BG(serialize_lock) = state->lock;
    BG(serialize).level = state->serialize_level;
    BG(serialize).data = state->serialize_data;
    BG(unserialize).level = state->unserialize_level;
    BG(unserialize).data = state->unserialize_data;
}

struct serializer_state serializer_state_begin(void) {
    const struct serializer_state outer = get_state();
    if (LARDER_G(nested).depth++ == 0) {
        LARDER_G(nested).outside = outer;
    }
    set_state(&(struct serializer_state){0});
    return outer;
}

void serializer_state_end(const struct serializer_state *outer) {
    set_state(--LARDER_G(nested).depth == 0 ? &LARDER_G(nested).outside : outer);
}

/* ---- Fibers ---------------------------------------------------------------------------------- */

/* The state of a suspended fiber. It is not on the fiber's stack, which a fatal error frees. */
struct parked {
    struct parked *next;
    const zend_fiber_context *fiber;
    unsigned depth;
    struct serializer_state inside;
    struct reading reading;
};

static void park(const zend_fiber_context *from) {
    unserialize_unmute();
    if (from->status != ZEND_FIBER_STATUS_DEAD) {
        struct parked *parked = emalloc(sizeof(*parked));
        *parked = (struct parked){LARDER_G(parked), from, LARDER_G(nested).depth, get_state(), LARDER_G(reading)};
        LARDER_G(parked) = parked;
    }
    set_state(&LARDER_G(nested).outside);
    LARDER_G(nested).depth = 0;
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
    if (to->status !=
        ZEND_FIBER_STATUS_INIT) { /* else a new fiber at the address of one that a fatal error ended */
        LARDER_G(nested) = (struct nested_serializer){parked->depth, get_state()};
        LARDER_G(reading) = parked->reading;
        set_state(&parked->inside);
    }
    efree(parked);
}

static void switch_fiber(zend_fiber_context *from, zend_fiber_context *to) {
    if (UNEXPECTED(LARDER_G(nested).depth > 0)) {
        park(from);
    }
    if (UNEXPECTED(LARDER_G(parked) != NULL)) {
        unpark(to);
    }
}

void serializer_state_register(void) {
    zend_observer_fiber_switch_register(switch_fiber);
}

void serializer_state_reset(void) {
    LARDER_G(nested).depth = 0;
    LARDER_G(parked) = NULL; /* its memory was freed with the request */
}
