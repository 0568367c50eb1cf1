/*
 * DJBX33A is a polynomial: the hash of c[0..n) is 5381 * 33^n + the sum of c[i] * 33^(n-1-i), modulo 2^64, with
 * the highest bit set at the end. So the sums of 8 bytes can be found in parallel, in ever wider numbers:
 *
 *   2 bytes    c0 * 33 + c1           at most      8,670   16 bits
 *   4 bytes    p0 * 33^2 + p1         at most  9,450,300   32 bits
 *   8 bytes    q0 * 33^4 + q1         under         2^45   64 bits
 *   64 bytes   e0 * 33^56 + ... + e7  modulo        2^64   by scalar multiplications
 *
 * PHP adds `char`s, which are signed on x86. There c is taken as (c + 128) - 128: the first is unsigned, the
 * second is a constant for all bytes of a block.
 */
#include "hash.h"

#define P4 UINT64_C(1185921) /* 33^4 */
#define P8 (P4 * P4)
#define P16 (P8 * P8)
#define P32 (P16 * P16)
#define P64 (P32 * P32)

#if defined(__SSE2__) && SIZEOF_ZEND_LONG == 8
#define HASH_BLOCKS 1
#include <emmintrin.h>

/* The 128 that were added to each of n bytes, `power` being 33^n: 128 * (33^n - 1) / (33 - 1). */
#define BIAS(power) (UINT64_C(4) * ((power)-1))

/* The sums of bytes 0 to 7 and 8 to 15. */
static zend_always_inline __m128i sums_of_16(const char *bytes) {
    __m128i c = _mm_xor_si128(_mm_loadu_si128((const __m128i *)bytes), _mm_set1_epi8((char)0x80));
    __m128i even = _mm_and_si128(c, _mm_set1_epi16(0xff));
    __m128i p = _mm_add_epi16(_mm_mullo_epi16(even, _mm_set1_epi16(33)), _mm_srli_epi16(c, 8));
    __m128i q = _mm_madd_epi16(p, _mm_set1_epi32(33 * 33 | 1 << 16));
    return _mm_add_epi64(_mm_mul_epu32(q, _mm_set1_epi32((int)P4)), _mm_srli_epi64(q, 32));
}

#define FIRST(sums) ((uint64_t)_mm_cvtsi128_si64(sums))
#define SECOND(sums) ((uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)))
typedef __m128i sums;

#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(WORDS_BIGENDIAN)
#define HASH_BLOCKS 1
#include <arm_neon.h>

#define BIAS(power) UINT64_C(0) /* char is unsigned here */

static zend_always_inline uint64x2_t sums_of_16(const char *bytes) {
    uint16x8_t c = vreinterpretq_u16_u8(vld1q_u8((const uint8_t *)bytes));
    uint32x4_t p = vreinterpretq_u32_u16(vmlaq_n_u16(vshrq_n_u16(c, 8), vandq_u16(c, vdupq_n_u16(0xff)), 33));
    uint32x4_t q = vmlaq_n_u32(vshrq_n_u32(p, 16), vandq_u32(p, vdupq_n_u32(0xffff)), 33 * 33);
    uint64x2_t wide = vreinterpretq_u64_u32(q);
    return vmlal_n_u32(vshrq_n_u64(wide, 32), vmovn_u64(wide), (uint32_t)P4);
}

#define FIRST(sums) vgetq_lane_u64(sums, 0)
#define SECOND(sums) vgetq_lane_u64(sums, 1)
typedef uint64x2_t sums;
#endif

#ifdef HASH_BLOCKS

zend_ulong hash_bytes(const char *bytes, size_t length) {
    if (length < 16) {
        return zend_inline_hash_func(bytes, length);
    }
    const char *end = bytes + length;
    uint64_t hash = 5381;
    for (; end - bytes >= 64; bytes += 64) {
        sums a = sums_of_16(bytes), b = sums_of_16(bytes + 16);
        sums c = sums_of_16(bytes + 32), d = sums_of_16(bytes + 48);
        uint64_t ab =
            FIRST(a) * (P32 * P16 * P8) + SECOND(a) * (P32 * P16) + FIRST(b) * (P32 * P8) + SECOND(b) * P32;
        uint64_t cd = FIRST(c) * (P16 * P8) + SECOND(c) * P16 + FIRST(d) * P8 + SECOND(d);
        hash = hash * P64 + (ab + cd - BIAS(P64));
    }
    for (; end - bytes >= 16; bytes += 16) {
        sums a = sums_of_16(bytes);
        hash = hash * P16 + (FIRST(a) * P8 + SECOND(a) - BIAS(P16));
    }
    for (; bytes < end; bytes++) {
        hash = hash * 33 + (uint64_t)*bytes; /* a `char`, with the sign that it has here */
    }
    return hash | UINT64_C(0x8000000000000000);
}

#else

zend_ulong hash_bytes(const char *bytes, size_t length) {
    return zend_inline_hash_func(bytes, length);
}

#endif
