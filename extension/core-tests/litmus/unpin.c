/* The last reader of a page drops its pin, and the page is used again. */
#include "litmus.h"

INITIALLY("pin=1; bytes=1;");
NEVER("got=2");

enum { UNPINNED_WITHOUT_RELEASE = 1 };

THREAD reader(shared_word *pin, const uint64_t *bytes, uint64_t *got) {
    *got = *bytes;
    LIKE("pin.c", "pin_drop_all", "word_store(&record->pins[cache->pinned_words[i]], 0);");
    if (broken == UNPINNED_WITHOUT_RELEASE) {
        word_poke(pin, 0);
    } else {
        word_store(pin, 0);
    }
}

THREAD reclaimer(shared_word *pin, uint64_t *bytes) {
    LIKE("process.c", "record_reads", "return ((word_load(&record->pins[page >> 6]) >> (page & 63)) & 1) ||");
    if (word_load(pin) == 0) {
        *bytes = 2;
    }
}
