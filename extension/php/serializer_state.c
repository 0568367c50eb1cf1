#include "serializer_state.h"

#include "ext/standard/basic_functions.h"

struct serializer_state serializer_state_get(void) {
    return (struct serializer_state){BG(serialize_lock), BG(serialize).level, BG(unserialize).level,
                                     BG(serialize).data, BG(unserialize).data};
}

void serializer_state_set(const struct serializer_state *state) {
    BG(serialize_lock) = state->lock;
    BG(serialize).level = state->serialize_level;
    BG(serialize).data = state->serialize_data;
    BG(unserialize).level = state->unserialize_level;
    BG(unserialize).data = state->unserialize_data;
}

struct serializer_state serializer_state_begin(void) {
    const struct serializer_state outer = serializer_state_get();
    if (LARDER_G(nested).depth++ == 0) {
        LARDER_G(nested).outside = outer;
    }
    serializer_state_set(&(struct serializer_state){0});
    return outer;
}

void serializer_state_end(const struct serializer_state *outer) {
    serializer_state_set(--LARDER_G(nested).depth == 0 ? &LARDER_G(nested).outside : outer);
}
