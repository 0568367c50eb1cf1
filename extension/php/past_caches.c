#include "past_caches.h"

#include "utf8.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

enum { LINE = 64, PARTS = LINE / sizeof(__m128i) };

/* Copies whole cache lines. True if they are all ASCII. */
static bool copy_lines(char *to, const char *from, size_t count) {
    __m128i all = _mm_setzero_si128();
    for (__m128i *line = (__m128i *)to; count > 0; count--, line += PARTS, from += LINE) {
        for (size_t i = 0; i < PARTS; i++) {
            const __m128i part = _mm_loadu_si128((const __m128i *)from + i);
            all = _mm_or_si128(all, part);
            _mm_stream_si128(line + i, part);
        }
    }
    _mm_sfence();
    return _mm_movemask_epi8(all) == 0;
}

static bool copy_part(char *to, const char *from, size_t length) {
    memcpy(to, from, length);
    return utf8_is_ascii(from, length);
}

bool copy_past_caches(char *to, const char *from, size_t length) {
    const size_t before = -(uintptr_t)to % LINE;
    if (length < before) {
        return copy_part(to, from, length);
    }
    const size_t lines = (length - before) / LINE, copied = before + lines * LINE;
    const bool first = copy_part(to, from, before);
    const bool middle = copy_lines(to + before, from + before, lines);
    return copy_part(to + copied, from + copied, length - copied) && first && middle;
}

#else

bool copy_past_caches(char *to, const char *from, size_t length) {
    memcpy(to, from, length);
    return utf8_is_ascii(from, length);
}

#endif
