/*
 * Maps a segment once instead of twice. ThreadSanitizer recognizes accesses to the same memory by their address, so
 * it would see no race between a writer through one mapping and a reader through another. The linker replaces core's
 * functions by these (--wrap). With one mapping, values are not protected from writes; other tests check that.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "layout.h"
#include "os.h"

enum { MAPPINGS_MAX = 64 };

#define SANITIZER_ADDRESSES (UINT64_C(1) << 39) /* addresses from here on are the sanitizer's */

void __real_os_unmap(void *address, size_t size);
bool __real_os_address_free(uintptr_t address, size_t size);
void *__wrap_os_map_writable(int description, size_t size);
void *__wrap_os_map_readonly(int description, size_t size, uintptr_t address);
void __wrap_os_unmap(void *address, size_t size);
bool __wrap_os_address_free(uintptr_t address, size_t size);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    void *at;
    unsigned uses; /* 0: free */
} mappings[MAPPINGS_MAX];

static bool change_uses(void *at, int change, unsigned *left) {
    for (unsigned i = 0; i < MAPPINGS_MAX; i++) {
        if (mappings[i].uses > 0 && mappings[i].at == at) {
            mappings[i].uses += (unsigned)change;
            *left = mappings[i].uses;
            return true;
        }
    }
    return false;
}

static void add(void *at) {
    for (unsigned i = 0; i < MAPPINGS_MAX; i++) {
        if (mappings[i].uses == 0) {
            mappings[i].at = at;
            mappings[i].uses = 1;
            return;
        }
    }
    harness_fail(__FILE__, __LINE__, "more than %d mappings", MAPPINGS_MAX);
}

static void *map(int description, size_t size, uintptr_t address) {
    unsigned uses;
    pthread_mutex_lock(&mutex);
    void *at = (void *)address;
    if (!change_uses(at, 1, &uses)) {
        at = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, description, 0);
        if (at == MAP_FAILED) {
            at = NULL;
        } else {
            add(at);
        }
    }
    pthread_mutex_unlock(&mutex);
    return at;
}

void *__wrap_os_map_writable(int description, size_t size) {
    struct header_shared header;
    EXPECT(pread(description, &header, sizeof header, 0) == (ssize_t)sizeof header);
    return map(description, size, header.base);
}

/* The descriptor is read-only, but the mapping exists already. */
void *__wrap_os_map_readonly(int description, size_t size, uintptr_t address) {
    return map(description, size, address);
}

void __wrap_os_unmap(void *address, size_t size) {
    unsigned uses = 0;
    pthread_mutex_lock(&mutex);
    change_uses(address, -1, &uses);
    if (uses == 0) {
        __real_os_unmap(address, size);
    }
    pthread_mutex_unlock(&mutex);
}

bool __wrap_os_address_free(uintptr_t address, size_t size) {
    return address < SANITIZER_ADDRESSES && __real_os_address_free(address, size);
}
