#include "fibers.h"
#include "serialize.h"
#include "serializer_state.h"

#include "zend_observer.h"

/* The state of a suspended fiber. Not on the fiber's stack, which a fatal error frees. */
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
        *parked = (struct parked){LARDER_G(parked), from, LARDER_G(nested).depth, serializer_state_get(),
                                  LARDER_G(reading)};
        LARDER_G(parked) = parked;
    }
    serializer_state_set(&LARDER_G(nested).outside);
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
        ZEND_FIBER_STATUS_INIT) { /* otherwise it is a new fiber at the address of one that a fatal error ended */
        LARDER_G(nested) = (struct nested_serializer){parked->depth, serializer_state_get()};
        LARDER_G(reading) = parked->reading;
        serializer_state_set(&parked->inside);
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

void fibers_register(void) {
    zend_observer_fiber_switch_register(switch_fiber);
}

void fibers_reset(void) {
    LARDER_G(nested).depth = 0;
    LARDER_G(parked) = NULL; /* its memory was freed with the request */
}
