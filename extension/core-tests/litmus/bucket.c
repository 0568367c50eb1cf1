/*
 * A key's second bucket gets memory while the key is being inserted into its first. Of two inserters, one that sees
 * no second bucket and one that uses it, one must see the other.
 */
#include "litmus.h"

NEVER("alone_0=1 /\\ alone_1=1");

enum { NO_FENCE = 1 };

THREAD without_second(shared_word *slot_0, shared_word *steps, uint64_t *alone_0) {
    uint64_t empty = 0;
    LIKE("index.c", "fill_free_slot",
         "if (word_peek(&bucket->slots[i]) == 0 && word_swap(&bucket->slots[i], &empty, word)) {");
    word_swap(slot_0, &empty, 1);
    LIKE("index.h", "index_is_complete",
         "return second == hash_first(map, place->hash) || (fence(), !ref_is_bucket(ref_bucket(map, second)));");
    if (broken != NO_FENCE) {
        fence();
    }
    LIKE("ref.h", "ref_steps", "const uint64_t steps = word_load(&map->steps[word]);");
    if (word_load(steps) == 0) {
        *alone_0 = 1;
    }
}

THREAD with_second(shared_word *steps, shared_word *slot_1, shared_word *slot_0, uint64_t *alone_1) {
    uint64_t none = 0, empty = 0;
    LIKE("commit.c", "set_bit",
         "if (word_swap(&map->steps[number], &known, ref_sealed_steps(map, number, steps))) {");
    word_swap(steps, &none, 1);
    word_swap(slot_1, &empty, 1);
    LIKE("index.c", "find_rival", "if (slot != mine && slot_tag(word_load_in_order(slot)) == place->tag &&");
    if (word_load_in_order(slot_0) == 0) {
        *alone_1 = 1;
    }
}
