/*
 * A dead process's record is cleared under its byte lock, which the next owner takes. The kernel's lock must order
 * these two, and does: inside it is a spinlock.
 */
#include "litmus.h"

INITIALLY("locked=1; pin=1;");
NEVER("pinned=1 /\\ pin=0");

enum { LOCK_WITHOUT_RELEASE = 1 };

THREAD reaper(shared_word *pin, shared_word *locked) {
    LIKE("process.c", "record_reset", "word_store(&record->pins[i], 0);");
    word_store(pin, 0);
    LIKE("process.c", "sweep", "os_unlock(cache->fd, number, 1);");
    if (broken == LOCK_WITHOUT_RELEASE) {
        word_poke(locked, 0);
    } else {
        word_store(locked, 0);
    }
}

THREAD owner(shared_word *locked, shared_word *pin, uint64_t *pinned) {
    LIKE("process.c", "take", "if (!os_lock(fd, number, 1)) {");
    if (word_load(locked) == 0) {
        LIKE("pin.c", "pin_page", "word_store(pins, before | UINT64_C(1) << (page & 63));");
        word_store(pin, 1);
        *pinned = 1;
    }
}
