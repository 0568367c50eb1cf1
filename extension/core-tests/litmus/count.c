/*
 * A counter is counted in place while it is moved: a count that was reported must be in the copy. Both processes
 * have read value and state as 0 before; if one has read anything else, its swap fails. State 2 represents
 * INTEGER_SEALED.
 */
#include "litmus.h"

enum { SEALED = 2 };

INITIALLY("copy=9;");
NEVER("counted=1 /\\ copy=0");

enum { NOT_SEALED = 1 };

THREAD counter(struct pair_shared *pair, uint64_t *counted) {
    LIKE("count.c", "change", "if (integer_change(&cache->map, found.entry, old,");
    if (pair_swap(pair, (uint64_t[]){0, 0}, (uint64_t[]){1, 0})) {
        *counted = 1;
    }
}

THREAD mover(struct pair_shared *pair, uint64_t *copy) {
    LIKE("reclaim.c", "move", "integer_force_seal(&cache->map, entry);");
    if (broken == NOT_SEALED || pair_swap(pair, (uint64_t[]){0, 0}, (uint64_t[]){0, SEALED})) {
        LIKE("reclaim.c", "move", "page_copy(cache, &reservation, entry, location, entry->expires);");
        *copy = word_load(&pair->words[0]);
    }
}
