/*
 * DJBX33A is a polynomial: the hash of c[0..n) is 5381 * 33^n + the sum of c[i] * 33^(n-1-i), modulo 2^64, with the
 * highest bit set at the end. So sums of 8 bytes can be computed in parallel, in lanes that get wider with each
 * step:
 *
 *   2 bytes    p = c0 * 33 + c1         at most      8,670   16 bits
 *   4 bytes    q = p0 * 33^2 + p1       at most  9,450,300   32 bits
 *   8 bytes    s = q0 * 33^4 + q1       under         2^45   64 bits
 *
 * The rest is done by scalar multiplications. With AVX2 each q is multiplied by its power at once. That instruction
 * takes only 32 bits, so it is used for both halves of the power. Leading zeros change no sum. So the bytes that do
 * not fill a block of 16 are hashed first, padded with zeros on their left.
 *
 * PHP adds `char`s, which are signed on x86. There c is computed as (c + 128) - 128: the first term is unsigned, and
 * the sum of the second depends only on the length. On arm `char` is unsigned, but not with every compiler.
 */
#include "hash.h"

#define P1 UINT64_C(33)
#define P2 (P1 * P1)
#define P4 (P2 * P2) /* 33^4, the largest that is multiplied by as a 32-bit number */
#define P8 (P4 * P4)
#define P16 (P8 * P8)
#define P32 (P16 * P16)
#define P64 (P32 * P32)
#define P128 (P64 * P64)

#if defined(__SSE2__) && SIZEOF_ZEND_LONG == 8 && !defined(__CHAR_UNSIGNED__)
#define HASH_BLOCKS 1
#include <immintrin.h>

typedef __m128i block, sums;

/* The sum of the 128 that were added to each of n bytes, where `power` is 33^n: 128 * (33^n - 1) / (33 - 1). */
#define BIAS(power) (UINT64_C(4) * ((power)-1))

static zend_always_inline block block_of(const char *bytes) {
    return _mm_xor_si128(_mm_loadu_si128((const __m128i *)bytes), _mm_set1_epi8((char)0x80));
}

static zend_always_inline block block_and(block c, const void *mask) {
    return _mm_and_si128(c, _mm_loadu_si128(mask));
}

/* The sums of bytes 0 to 7 and 8 to 15. */
static zend_always_inline sums block_sums(block c) {
    __m128i even = _mm_and_si128(c, _mm_set1_epi16(0xff));
    __m128i p = _mm_add_epi16(_mm_mullo_epi16(even, _mm_set1_epi16(P1)), _mm_srli_epi16(c, 8));
    __m128i q = _mm_madd_epi16(p, _mm_set1_epi32(P2 | 1 << 16));
    return _mm_add_epi64(_mm_mul_epu32(q, _mm_set1_epi32(P4)), _mm_srli_epi64(q, 32));
}

#define FIRST(s) ((uint64_t)_mm_cvtsi128_si64(s))
#define SECOND(s) ((uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(s, s)))

#endif

#ifdef HASH_BLOCKS

/* AVX2 is used from WIDE_LEAST bytes on; it halves the time. */
enum { WIDE = 128, WIDE_LEAST = 256 };

/* For each vector of 32 bytes, the powers of the first, third, fifth and seventh q in it, and those of the others. */
#define EVERY_8(last) \
    { (last) * (P16 * P8), (last)*P16, (last)*P8, (last) }
#define POWERS(last) \
    { EVERY_8((last)*P4), EVERY_8(last) }
static const _Alignas(32) uint64_t wide_powers[WIDE / 32][2][4] = {
    POWERS(P64 * P32),
    POWERS(P64),
    POWERS(P32),
    POWERS(UINT64_C(1)),
};

/* Hashes a multiple of WIDE bytes. */
__attribute__((target("avx2"))) static uint64_t hash_wide(uint64_t hash, const char *bytes, const char *end) {
    const __m256i ones = _mm256_set1_epi16(P1 | 1 << 8), twos = _mm256_set1_epi32(P2 | 1 << 16);
    for (; bytes < end; bytes += WIDE) {
        __m256i low = _mm256_setzero_si256(), high = low;
#pragma GCC unroll 4
        for (int i = 0; i < WIDE / 32; i++) {
            const __m256i c =
                _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)bytes + i), _mm256_set1_epi8((char)0x80));
            const __m256i even = _mm256_madd_epi16(_mm256_maddubs_epi16(c, ones), twos);
            const __m256i odd = _mm256_srli_epi64(even, 32);
            const __m256i p = _mm256_load_si256((const __m256i *)wide_powers[i][0]);
            const __m256i r = _mm256_load_si256((const __m256i *)wide_powers[i][1]);
            low = _mm256_add_epi64(low, _mm256_add_epi64(_mm256_mul_epu32(even, p), _mm256_mul_epu32(odd, r)));
            high = _mm256_add_epi64(high, _mm256_add_epi64(_mm256_mul_epu32(even, _mm256_srli_epi64(p, 32)),
                                                           _mm256_mul_epu32(odd, _mm256_srli_epi64(r, 32))));
        }
        const __m256i four = _mm256_add_epi64(low, _mm256_slli_epi64(high, 32));
        const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
        hash = hash * P128 + (FIRST(two) + SECOND(two) - BIAS(P128));
    }
    return hash;
}

/* Of the 16 bytes from index n on, the last n are 255 and the others 0. */
static const unsigned char last_of_16[32] = {
    [16] = 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

static const uint64_t powers[16] = {
    1,  P1,     P2,     P2 *P1,     P4,     P4 *P1,     P4 *P2,     P4 *P2 *P1,
    P8, P8 *P1, P8 *P2, P8 *P2 *P1, P8 *P4, P8 *P4 *P1, P8 *P4 *P2, P8 *P4 *P2 *P1,
};

zend_ulong hash_bytes(const char *bytes, size_t length) {
    const char *end = bytes + length;
    uint64_t hash = 5381;
    size_t over = length % 16;
    if (over) {
        bytes += over;
        sums s = block_sums(block_and(block_of(bytes - 16), last_of_16 + over));
        hash = hash * powers[over] + (FIRST(s) * P8 + SECOND(s) - BIAS(powers[over]));
    }
    if (end - bytes >= WIDE_LEAST && __builtin_cpu_supports("avx2")) {
        const char *narrow = end - (end - bytes) % WIDE;
        hash = hash_wide(hash, bytes, narrow);
        bytes = narrow;
    }
    for (; end - bytes >= 64; bytes += 64) {
        sums a = block_sums(block_of(bytes)), b = block_sums(block_of(bytes + 16));
        sums c = block_sums(block_of(bytes + 32)), d = block_sums(block_of(bytes + 48));
        uint64_t ab =
            FIRST(a) * (P32 * P16 * P8) + SECOND(a) * (P32 * P16) + FIRST(b) * (P32 * P8) + SECOND(b) * P32;
        uint64_t cd = FIRST(c) * (P16 * P8) + SECOND(c) * P16 + FIRST(d) * P8 + SECOND(d);
        hash = hash * P64 + (ab + cd - BIAS(P64));
    }
    for (; bytes < end; bytes += 16) {
        sums s = block_sums(block_of(bytes));
        hash = hash * P16 + (FIRST(s) * P8 + SECOND(s) - BIAS(P16));
    }
    return hash | UINT64_C(0x8000000000000000);
}

#else

zend_ulong hash_bytes(const char *bytes, size_t length) {
    return zend_hash_func(bytes, length); /* inlined, it would depend on whether char is signed here, not in PHP */
}

#endif
