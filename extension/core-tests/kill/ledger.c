#include "ledger.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct ledger *ledger;

void ledger_begin(void) {
    ledger = mmap(NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void ledger_fail(const char *format, ...) {
    if (!atomic_exchange(&ledger->failed, true)) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(ledger->failure, sizeof ledger->failure, format, arguments);
        va_end(arguments);
    }
    _exit(1);
}

/* writer 4, key 16, version 44 */
uint64_t seed_make(unsigned writer, unsigned key, uint64_t version) {
    return (uint64_t)writer << 60 | (uint64_t)key << 44 | version;
}
unsigned seed_writer(uint64_t seed) {
    return (unsigned)(seed >> 60);
}
unsigned seed_key(uint64_t seed) {
    return (unsigned)(seed >> 44) & 0xffff;
}
uint64_t seed_version(uint64_t seed) {
    return seed & ((UINT64_C(1) << 44) - 1);
}

/* Most values are short, a tenth have up to 30 KB, some up to 300 KiB. */
unsigned long seed_length(uint64_t seed) {
    uint64_t draw = seed * UINT64_C(0x9e3779b97f4a7c15);
    draw ^= draw >> 32;
    const unsigned long kind = draw % 100, size = draw / 100 % 300000;
    const unsigned long length = kind < 3 ? 8 + size : kind < 14 ? 8 + size / 10 : 8 + size / 150;
    return length / 8 * 8;
}
