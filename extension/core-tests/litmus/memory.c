/* A page's memory is given back while a reader pins the page, which it found in a damaged word: core/commit.c. */
#include "litmus.h"

INITIALLY("steps=1; bytes=1;");
NEVER("got=2");

enum { NO_FENCE_OF_READER = 1, NO_FENCE_OF_GIVER };

THREAD reader(shared_word *pin, shared_word *steps, const uint64_t *bytes, uint64_t *got) {
    LIKE("pin.c", "pin_page", "word_store(pins, before | UINT64_C(1) << (page & 63));");
    word_store(pin, 1);
    LIKE("pin.c", "pin_page", "fence();");
    if (broken != NO_FENCE_OF_READER) {
        fence();
    }
    LIKE("pin.c", "pin_page", "if (UNLIKELY(counted && !ref_page_has_memory(&cache->map, page))) {");
    if (word_load(steps) == 1) {
        *got = *bytes;
    }
}

THREAD giver(shared_word *steps, shared_word *pin, uint64_t *bytes) {
    uint64_t known = 1;
    LIKE("commit.c", "commit_give_back", "if (!set_bit(map, ref_page_step(map, first), false)) {");
    word_swap(steps, &known, 0);
    LIKE("commit.c", "commit_give_back", "fence();");
    if (broken != NO_FENCE_OF_GIVER) {
        fence();
    }
    LIKE("commit.c", "commit_give_back",
         "if (anybody_reads(cache, first, count) || !os_punch(fd, data.from, bytes_of(data))) {");
    if (word_load(pin) == 0) {
        *bytes = 2;
    }
}
