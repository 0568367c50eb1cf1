/*
 * A writer announces the open page, writes and publishes an entry there, and clears the announcement. A reclaimer
 * takes the page, looks for writers, and walks over its entries. It must not miss a published entry, nor see a torn
 * one.
 */
#include "litmus.h"

enum { OPEN = 1, RECLAIMING = 2 };

INITIALLY("state=1; got=9;");
NEVER("(slot=1 /\\ freed=1) \\/ got=0");

enum { NO_FENCE_OF_WRITER = 1, NO_FENCE_OF_RECLAIMER, CLEARED_BEFORE_START };

THREAD writer(shared_word *writing, shared_word *state, uint64_t *bytes, shared_word *start, shared_word *slot) {
    LIKE("process.h", "announce_writing", "word_store(&record->writing, (uint64_t)page + 1);");
    word_store(writing, 1);
    LIKE("process.h", "announce_writing", "fence();");
    if (broken != NO_FENCE_OF_WRITER) {
        fence();
    }
    LIKE("page.c", "page_append", "uint64_t state = word_load(&row->state);");
    if (word_load(state) == OPEN) {
        *bytes = 1;
        if (broken == CLEARED_BEFORE_START) {
            word_store(writing, 0);
        }
        LIKE("page.c", "page_seal",
             "word_or(&ref_starts(&cache->map, reservation->page)[unit >> 6], UINT64_C(1) << (unit & 63));");
        word_or(start, 1);
        uint64_t old = 0;
        LIKE("index.c", "replace", "while (!word_swap(found->slot, &old, word)) {");
        word_swap(slot, &old, 1);
        LIKE("process.h", "clear_writing", "word_store(&record->writing, 0);");
        word_store(writing, 0);
    }
}

THREAD reclaimer(shared_word *state, shared_word *writing, shared_word *start, const uint64_t *bytes,
                 uint64_t *got, uint64_t *freed) {
    uint64_t known = OPEN;
    LIKE("reclaim.c", "reclaim", "if (!word_swap(&row->state, &state, reclaiming)) {");
    word_swap(state, &known, RECLAIMING);
    LIKE("reclaim.c", "reclaim", "fence();");
    if (broken != NO_FENCE_OF_RECLAIMER) {
        fence();
    }
    LIKE("process.c", "record_writes", "return word_load(&record->writing) == (uint64_t)page + 1;");
    if (word_load(writing) == 0) {
        LIKE("reclaim.c", "reclaim_entries",
             "for (uint64_t bits = word_load(&starts[i]); bits; bits &= bits - 1) {");
        if (word_load(start) == 1) {
            *got = *bytes;
        } else {
            *freed = 1;
        }
    }
}
