/*
 * A process claims a dead process's record and pins a page, while a reclaimer of that page scans the record. The
 * reclaimer must not take the new owner's pin for the dead one's.
 */
#include "litmus.h"

INITIALLY("slot=1; incarnation=1; pin=1;");
NEVER("holds=1 /\\ freed=1");

enum { NO_FENCE_OF_OWNER = 1, INCARNATION_RAISED_LATE, NO_FENCE_OF_SCANNER };

THREAD owner(shared_word *sweeps, shared_word *incarnation, shared_word *pin, shared_word *slot, uint64_t *holds) {
    LIKE("process.c", "record_reset", "word_add(&map->header->sweeps, 1);");
    word_add(sweeps, 1);
    LIKE("process.c", "record_reset",
         "word_store(&record->incarnation, (uint32_t)(incarnation + 1) ? (uint32_t)(incarnation + 1) : 1);");
    if (broken != INCARNATION_RAISED_LATE) {
        word_store(incarnation, 2);
    }
    LIKE("process.c", "record_reset", "word_store(&record->pins[i], 0);");
    word_store(pin, 0);
    LIKE("pin.c", "pin_page", "word_store(pins, before | UINT64_C(1) << (page & 63));");
    word_store(pin, 1);
    LIKE("pin.c", "pin_page", "fence();");
    if (broken != NO_FENCE_OF_OWNER) {
        fence();
    }
    LIKE("read.c", "protect", "*word = word_load(slot)) {");
    if (word_load(slot) == 1) {
        *holds = 1;
    }
    if (broken == INCARNATION_RAISED_LATE) {
        word_store(incarnation, 2);
    }
}

/* If the incarnation is still the same, core asks the kernel; here the record is cleared. */
THREAD scanner(shared_word *slot, shared_word *sweeps, shared_word *incarnation, shared_word *pin,
               uint64_t *freed) {
    uint64_t word = 1;
    LIKE("reclaim.c", "drop", "if (word_swap(slot, &word, 0)) {");
    word_swap(slot, &word, 0);
    LIKE("process.c", "anybody", "const uint64_t sweeps = word_load(&cache->map.header->sweeps);");
    const uint64_t known = word_load(sweeps);
    LIKE("process.c", "anybody", "fence();");
    if (broken != NO_FENCE_OF_SCANNER) {
        fence();
    }
    LIKE("process.c", "anybody", "const uint32_t incarnation = (uint32_t)word_load(&record->incarnation);");
    const uint64_t seen = word_load(incarnation);
    LIKE("process.c", "process_alive", "if (((uint32_t)word_load(now) & mask) != (incarnation & mask)) {");
    if (word_load(pin) == 1 && word_load(incarnation) == seen) {
        return;
    }
    LIKE("process.c", "anybody", "if (word_load(&cache->map.header->sweeps) == sweeps) {");
    if (word_load(sweeps) == known) {
        *freed = 1;
    }
}
