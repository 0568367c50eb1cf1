/* A process that sees a count also sees what the counting process stored before it. */
#include "litmus.h"

INITIALLY("seen=9;");
NEVER("seen=0");

enum { READ_WITHOUT_ACQUIRE = 1 };

THREAD counter(shared_word *slot, struct pair_shared *pair) {
    word_poke(slot, 1);
    LIKE("integer.h", "integer_change", "return pair_swap(");
    pair_swap(pair, (uint64_t[]){0, 0}, (uint64_t[]){1, 0});
}

THREAD reader(struct pair_shared *pair, shared_word *slot, uint64_t *seen) {
    LIKE("integer.h", "integer_read", "return (struct integer){word_load(&pair->words[0]), state};");
    const uint64_t value =
        broken == READ_WITHOUT_ACQUIRE ? word_peek(&pair->words[0]) : word_load(&pair->words[0]);
    if (value == 1) {
        *seen = word_load(slot);
    }
}
