/* Two processes insert one key in two slots: each puts its tentative word and looks at the other's slot. */
#include "litmus.h"

NEVER("alone_0=1 /\\ alone_1=1");

enum { LOOKED_WITHOUT_ORDER = 1 };

static inline uint64_t look(const shared_word *slot) {
    LIKE("index.c", "find_rival", "if (slot != mine && slot_tag(word_load_in_order(slot)) == place->tag &&");
    return broken == LOOKED_WITHOUT_ORDER ? word_load(slot) : word_load_in_order(slot);
}

THREAD one(shared_word *slot_0, shared_word *slot_1, uint64_t *alone_0) {
    uint64_t empty = 0;
    LIKE("index.c", "fill_free_slot",
         "if (word_peek(&bucket->slots[i]) == 0 && word_swap(&bucket->slots[i], &empty, word)) {");
    if (word_swap(slot_0, &empty, 1) && look(slot_1) == 0) {
        *alone_0 = 1;
    }
}

THREAD other(shared_word *slot_1, shared_word *slot_0, uint64_t *alone_1) {
    uint64_t empty = 0;
    if (word_swap(slot_1, &empty, 1) && look(slot_0) == 0) {
        *alone_1 = 1;
    }
}
