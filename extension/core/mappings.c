#include "mappings.h"

#include "atomic.h"
#include "cache.h"

enum { MAPPINGS_MAX = 256 };

/* `begin` claims a slot, which is valid once `end` is written. 0: free. */
static struct { shared_word begin, end; } mappings[MAPPINGS_MAX];

void mappings_add(const void *address, size_t size) {
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        uint64_t begin = 0;
        if (word_swap(&mappings[i].begin, &begin, (uintptr_t)address)) {
            word_store(&mappings[i].end, (uintptr_t)address + size);
            return;
        }
    }
}

void mappings_remove(const void *address) {
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        if (word_load(&mappings[i].begin) == (uintptr_t)address) {
            word_store(&mappings[i].end, 0);
            word_store(&mappings[i].begin, 0);
        }
    }
}

bool cache_is_mapped(const void *address) {
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        if ((uintptr_t)address >= word_load(&mappings[i].begin) &&
            (uintptr_t)address < word_load(&mappings[i].end)) {
            return true;
        }
    }
    return false;
}
