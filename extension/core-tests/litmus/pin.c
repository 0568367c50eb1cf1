/* A reader pins a page and looks again; a reclaimer unlinks its entry and looks at the pins: core/pin.h. */
#include "litmus.h"

INITIALLY("slot=1; bytes=1;");
NEVER("got=2");

enum { NO_FENCE_OF_READER = 1, NO_FENCE_OF_RECLAIMER, LOOKED_BEFORE_PIN };

THREAD reader(shared_word *slot, shared_word *pin, const uint64_t *bytes, uint64_t *got) {
    uint64_t word = broken == LOOKED_BEFORE_PIN ? word_load(slot) : 0;
    LIKE("pin.c", "pin_page", "word_store(pins, before | UINT64_C(1) << (page & 63));");
    word_store(pin, 1);
    LIKE("pin.c", "pin_page", "fence();");
    if (broken != NO_FENCE_OF_READER) {
        fence();
    }
    LIKE("read.c", "protect", "*word = word_load(slot)) {");
    if (broken != LOOKED_BEFORE_PIN) {
        word = word_load(slot);
    }
    if (word == 1) {
        *got = *bytes;
    }
}

/* anybody() has another fence before it looks; one is enough. */
THREAD reclaimer(shared_word *slot, shared_word *pin, uint64_t *bytes) {
    uint64_t word = 1;
    LIKE("reclaim.c", "drop", "if (word_swap(slot, &word, 0)) {");
    word_swap(slot, &word, 0);
    LIKE("reclaim.c", "leave_limbo", "fence();");
    if (broken != NO_FENCE_OF_RECLAIMER) {
        fence();
    }
    LIKE("process.c", "record_reads", "return ((word_load(&record->pins[page >> 6]) >> (page & 63)) & 1) ||");
    if (word_load(pin) == 0) {
        *bytes = 2; /* the next entry, by the process that claims the page */
    }
}
