/*
 * A bucket is marked as occupied while another process clears its mark: once a word is in the bucket and marked, the
 * mark must stay. Bit 0 is the mark, at first set; the bits above it are the version.
 */
#include "litmus.h"

enum { MARK = 1, VERSION = 2 };

INITIALLY("occupied=1;");
NEVER("marked=1 /\\ (occupied=0 \\/ occupied=2)");

enum { READ_RELAXED = 1 };

THREAD storer(shared_word *slot, shared_word *occupied, uint64_t *marked) {
    uint64_t empty = 0, known = MARK;
    LIKE("index.c", "fill_free_slot",
         "if (word_peek(&bucket->slots[i]) == 0 && word_swap(&bucket->slots[i], &empty, word)) {");
    word_swap(slot, &empty, 1);
    LIKE("occupied.h", "occupied_mark",
         "while (!word_swap(word, &known, (known + OCCUPIED_VERSION) | occupied_bit(bucket))) {");
    if (word_swap(occupied, &known, (known + VERSION) | MARK) ||
        word_swap(occupied, &known, (known + VERSION) | MARK)) {
        *marked = 1;
    }
}

THREAD walker(shared_word *occupied, shared_word *slot) {
    LIKE("iterate.c", "next_used", "const uint64_t known = word_load(occupied_word(map, number));");
    uint64_t known = broken == READ_RELAXED ? word_peek(occupied) : word_load(occupied);
    LIKE("iterate.c", "is_empty",
         "return (word_peek(&slots[0]) | word_peek(&slots[1]) | word_peek(&slots[2]) | word_peek(&slots[3]) |");
    if (word_peek(slot) == 0) {
        LIKE("occupied.h", "occupied_forget",
             "word_swap(occupied_word(map, bucket), &known, known & ~occupied_bit(bucket));");
        word_swap(occupied, &known, known & ~(uint64_t)MARK);
    }
}
