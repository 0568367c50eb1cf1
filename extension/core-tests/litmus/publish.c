/* An entry is written, its start bit set, and the key's index word pointed at it: a process that sees the word must
 * see the entry. */
#include "litmus.h"

INITIALLY("got=9;");
NEVER("got=0");

enum { PUBLISHED_WITHOUT_RELEASE = 1, READ_WITHOUT_ACQUIRE };

THREAD writer(uint64_t *bytes, shared_word *start, shared_word *slot) {
    *bytes = 1;
    LIKE("page.c", "page_seal",
         "word_or(&ref_starts(&cache->map, reservation->page)[unit >> 6], UINT64_C(1) << (unit & 63));");
    word_or(start, 1);
    LIKE("index.c", "replace", "while (!word_swap(found->slot, &old, word)) {");
    if (broken == PUBLISHED_WITHOUT_RELEASE) {
        word_poke(slot, 1);
    } else {
        uint64_t old = 0;
        word_swap(slot, &old, 1);
    }
}

/* In core the entry's address comes from the word, which orders these loads on arm64 even without acquire. */
THREAD reader(shared_word *slot, const uint64_t *bytes, uint64_t *got) {
    LIKE("read.c", "find", "const uint64_t word = word_load(&bucket->slots[i]);");
    if ((broken == READ_WITHOUT_ACQUIRE ? word_peek(slot) : word_load(slot)) == 1) {
        *got = *bytes;
    }
}
