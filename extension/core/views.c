#include "views.h"

#include "atomic.h"
#include "cache.h"

enum { VIEWS_MAX = 16 };

/* A place is taken by its beginning and counts from when its end is written. 0: free. */
static struct { shared_word begin, end; } views[VIEWS_MAX];

void views_add(const void *address, size_t size) {
    for (size_t i = 0; i < VIEWS_MAX; i++) {
        uint64_t begin = 0;
        if (word_swap(&views[i].begin, &begin, (uintptr_t)address)) {
            word_store(&views[i].end, (uintptr_t)address + size);
            return;
        }
    }
}

void views_remove(const void *address) {
    for (size_t i = 0; i < VIEWS_MAX; i++) {
        if (word_load(&views[i].begin) == (uintptr_t)address) {
            word_store(&views[i].end, 0);
            word_store(&views[i].begin, 0);
        }
    }
}

bool cache_shows(const void *address) {
    for (size_t i = 0; i < VIEWS_MAX; i++) {
        if ((uintptr_t)address >= word_load(&views[i].begin) && (uintptr_t)address < word_load(&views[i].end)) {
            return true;
        }
    }
    return false;
}
