/*
 * Unreadable memory before and behind every mapping of a segment. The sanitizers do not check accesses inside a
 * mapping, and the next mapping may begin where it ends. So without guards an overrun could go unnoticed. The linker
 * replaces core's functions by these (--wrap).
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "guards.h"

void *__real_os_map_readonly(int description, size_t size, uintptr_t address);

void *__wrap_os_map_writable(int description, size_t size) {
    char *reserved =
        mmap(NULL, size + 2 * (size_t)GUARD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) {
        return NULL;
    }
    void *writable =
        mmap(reserved + GUARD_BYTES, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, description, 0);
    return writable == MAP_FAILED ? NULL : writable;
}

static void guard(char *at) {
    mmap(at, GUARD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

void *__wrap_os_map_readonly(int description, size_t size, uintptr_t address) {
    char *readonly = __real_os_map_readonly(description, size, address);
    if (readonly) {
        guard(readonly - GUARD_BYTES);
        guard(readonly + size);
    }
    return readonly;
}

void guards_tighten(const struct map *map) {
    const size_t used = (map->size + sizeof(struct entry_shared) + 4095) / 4096 * 4096;
    mprotect(map->writable + used, map->header->size - used, PROT_NONE);
    mprotect((char *)(uintptr_t)map->readonly + used, map->header->size - used, PROT_NONE);
}
