/* A recount removes a page from the population of pinned pages while a reader pins it: in the end the page must be
 * in it. */
#include "litmus.h"

INITIALLY("population=1;");
NEVER("population=0 /\\ looked=1 /\\ recounted=1");

enum { NO_FENCE_OF_READER = 1, NO_FENCE_OF_RECOUNT };

THREAD reader(shared_word *pin, shared_word *population, uint64_t *looked) {
    LIKE("pin.c", "pin_page", "word_store(pins, before | UINT64_C(1) << (page & 63));");
    word_store(pin, 1);
    LIKE("pin.c", "pin_page", "fence();");
    if (broken != NO_FENCE_OF_READER) {
        fence();
    }
    LIKE("pin.c", "population_add", "if (!bit_get(population, i)) {");
    if (word_peek(population) == 0) {
        LIKE("pin.c", "population_add", "word_or(&population[i >> 6], UINT64_C(1) << (i & 63));");
        word_or(population, 1);
    }
    *looked = 1;
}

THREAD recounter(shared_word *population, shared_word *pin, uint64_t *recounted) {
    LIKE("pin.c", "recount", "word_and(&population[page >> 6], ~bit);");
    word_and(population, ~UINT64_C(1));
    LIKE("pin.c", "recount", "fence();");
    if (broken != NO_FENCE_OF_RECOUNT) {
        fence();
    }
    LIKE("pin.c", "is_pinned", "if (word_load(&record->use) == use && bit_get(record->pins, page)) {");
    if (word_peek(pin) == 1) {
        LIKE("pin.c", "recount", "word_or(&population[page >> 6], bit);");
        word_or(population, 1);
    }
    *recounted = 1;
}
