/*
 * After a fork the child carries its pins over to a new record, and unmaps the page that keeps the old record's byte
 * locked. A process that finds the byte unlocked clears the old record. A scan that passes the new record before the
 * old one must not miss the pin. The kernel's lock is assumed to order nothing.
 */
#include "litmus.h"

INITIALLY("locked=1; old_pin=1;");
NEVER("freed=1");

enum { NO_FENCE_BEFORE_CLOSE = 1, SWEEP_ANNOUNCED_LATE, SWEEPS_NOT_COMPARED };

THREAD child(shared_word *new_pin, shared_word *old_pin, shared_word *locked) {
    LIKE("process.c", "process_claim_locked", "word_poke(&record->pins[word], word_load(&old->pins[word]));");
    word_poke(new_pin, word_load(old_pin));
    LIKE("process.c", "process_claim_locked", "fence();");
    if (broken != NO_FENCE_BEFORE_CLOSE) {
        fence();
    }
    LIKE("process.c", "process_claim_locked", "process_release_locked(cache);");
    word_poke(locked, 0);
}

THREAD sweeper(shared_word *locked, shared_word *sweeps, shared_word *old_pin) {
    LIKE("process.c", "sweep", "const bool dead = os_lock(cache->fd, number, 1);");
    if (word_peek(locked) == 0) {
        LIKE("process.c", "record_reset", "word_add(&map->header->sweeps, 1);");
        if (broken != SWEEP_ANNOUNCED_LATE) {
            word_add(sweeps, 1);
        }
        LIKE("process.c", "record_reset", "word_store(&record->pins[i], 0);");
        word_store(old_pin, 0);
        if (broken == SWEEP_ANNOUNCED_LATE) {
            word_add(sweeps, 1);
        }
    }
}

THREAD scanner(shared_word *sweeps, shared_word *new_pin, shared_word *old_pin, uint64_t *freed) {
    LIKE("process.c", "anybody", "const uint64_t sweeps = word_load(&cache->map.header->sweeps);");
    const uint64_t known = word_load(sweeps);
    LIKE("process.c", "anybody", "fence();");
    fence();
    LIKE("process.c", "anybody", "if (holds(record, page) && process_alive(cache, i, incarnation, 32, fresh)) {");
    if (word_load(new_pin) == 0 && word_load(old_pin) == 0) {
        LIKE("process.c", "anybody", "fence();");
        fence();
        LIKE("process.c", "anybody", "if (word_load(&cache->map.header->sweeps) == sweeps) {");
        if (broken == SWEEPS_NOT_COMPARED || word_load(sweeps) == known) {
            *freed = 1;
        }
    }
}
