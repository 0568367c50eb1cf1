#include "utf8.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 256 };

static uint64_t word_at(const unsigned char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

static bool is_ascii(uint64_t words) {
    return (words & UINT64_C(0x8080808080808080)) == 0;
}

/* The compiler vectorizes this loop, because the result is not needed before its end. */
static bool is_ascii_block(const unsigned char *at) {
    uint64_t all = 0;
    for (size_t i = 0; i < BLOCK; i += 8) {
        all |= word_at(at + i);
    }
    return is_ascii(all);
}

/* The number of leading ASCII bytes; up to 7 more may be ASCII. */
static size_t skip_ascii(const unsigned char *at, size_t length) {
    size_t done = 0;
    while (length - done >= BLOCK && is_ascii_block(at + done)) {
        done += BLOCK;
    }
    while (length - done >= 8 && is_ascii(word_at(at + done))) {
        done += 8;
    }
    return done;
}

bool utf8_is_ascii(const char *bytes, size_t length) {
    const unsigned char *at = (const unsigned char *)bytes;
    size_t done = skip_ascii(at, length);
    if (length >= 8) {
        return length - done < 8 && is_ascii(word_at(at + length - 8));
    }
    while (done < length && at[done] < 0x80) {
        done++;
    }
    return done == length;
}

static bool is_tail(unsigned char byte) {
    return (byte & 0xc0) == 0x80;
}

/* The length of the sequence at `at`, whose first byte is not ASCII; 0: it is invalid. Unicode Standard, table 3-7. */
static size_t sequence(const unsigned char *at, size_t left) {
    unsigned char first = at[0];
    if (first < 0xc2 || first > 0xf4) {
        return 0;
    }
    if (first < 0xe0) {
        return left >= 2 && is_tail(at[1]) ? 2 : 0;
    }
    if (first < 0xf0) {
        unsigned char least = first == 0xe0 ? 0xa0 : 0x80, most = first == 0xed ? 0x9f : 0xbf;
        return left >= 3 && at[1] >= least && at[1] <= most && is_tail(at[2]) ? 3 : 0;
    }
    unsigned char least = first == 0xf0 ? 0x90 : 0x80, most = first == 0xf4 ? 0x8f : 0xbf;
    return left >= 4 && at[1] >= least && at[1] <= most && is_tail(at[2]) && is_tail(at[3]) ? 4 : 0;
}

bool utf8_valid(const char *bytes, size_t length) {
    const unsigned char *at = (const unsigned char *)bytes, *end = at + length;
    for (;;) {
        at += skip_ascii(at, (size_t)(end - at));
        while (at < end && *at < 0x80) {
            at++;
        }
        if (at == end) {
            return true;
        }
        while (at < end && *at >= 0x80) {
            size_t step = sequence(at, (size_t)(end - at));
            if (step == 0) {
                return false;
            }
            at += step;
        }
    }
}
