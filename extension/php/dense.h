/*
 * The dense form of an array: what larder.compact=1 stores. It takes a fifth to a thirteenth of PHP's own form
 * (shape.h), and each fetch builds an array of the request from it. Neither direction runs user code or recurses.
 *
 *   checksum   4 bytes: dense_checksum() of everything that follows
 *   counts     varints: the number of arrays, and of numbered strings
 *   arrays     one after the other, the value itself first; those inside an array follow later, in the order in
 *              which they are named
 *   padding    zeros up to a multiple of 8 bytes
 *
 * A varint has 7 bits in each byte, the low ones first; the highest bit says that more follow. A signed one is
 * folded: 0, -1, 1, -2… become 0, 1, 2, 3…
 *
 * An array begins with a varint, whose low two bits are one of these; n are the other bits:
 *
 *   DENSE_LIST   a packed array with n elements, holes included: n values
 *   DENSE_MAP    a hash with n elements: n times a key and a value. A key is an integer or a string, written as a value
 *   DENSE_ROW    the keys are those of the array n places earlier, in its order: only the values follow
 *   DENSE_NEXT   n is 0. A folded varint follows, nNextFreeElement, and then the array. Without this, it is what PHP
 *                usually has: see dense_next()
 *
 * A value begins with a byte:
 *
 *   00–3f   a string of this length; it gets the next number
 *   40–7f   a numbered string: the low 6 bits and another byte make its number
 *   80–bf   the integers 0 to 63
 *   c0–…    enum dense_tag
 *
 * Equal strings, and equal short arrays, are written once: measure.c finds them.
 */
#ifndef LARDER_DENSE_H
#define LARDER_DENSE_H

#include "plan.h"

enum dense_array { DENSE_LIST, DENSE_MAP, DENSE_ROW, DENSE_NEXT, DENSE_ARRAY_BITS = 2 };

enum dense_tag {
    DENSE_STRING = 0x00,
    DENSE_STRING_AGAIN = 0x40,
    DENSE_SMALL = 0x80,
    DENSE_NULL = 0xc0,
    DENSE_FALSE,
    DENSE_TRUE,
    DENSE_HOLE,              /* only in lists */
    DENSE_EMPTY,             /* [] */
    DENSE_ARRAY,             /* the next array that is not yet named */
    DENSE_ARRAY_AGAIN,       /* a varint: the number of an array; the value itself is 0 */
    DENSE_LONG_STRING,       /* a varint: the length; otherwise as 00–3f */
    DENSE_LONG_STRING_AGAIN, /* a varint: the number */
    DENSE_FLOAT,             /* 8 bytes, as in memory */
    DENSE_HUNDREDTHS,        /* a folded varint; the float is this number / 100.0 */
    DENSE_MARK,              /* a varint; see graph.h. Only in graphs */
    DENSE_INTEGER = 0xd0,    /* d0–d7: an integer, folded, in 1 to 8 bytes, the low ones first */
    DENSE_TWO_BYTES = 0xe0   /* e0–ff: the low 5 bits and another byte make an integer, less 64 */
};

enum { DENSE_SHORT = 0x40 /* of the lengths and integers that a byte can say */ };

/* Memory that is kept between calls. It is not PHP's, whose memory_limit would end the script. */
struct dense_scratch {
    char *bytes;
    size_t room;
};

/* Makes room for `bytes`, and keeps what is there. False: out of memory. */
bool dense_reserve(struct dense_scratch *scratch, size_t bytes);
void dense_release(struct dense_scratch *scratch);
/* Releases the memory if it is more than a usual value needs. */
void dense_shrink(struct dense_scratch *scratch);

struct dense_bytes {
    const char *bytes; /* in the scratch memory */
    size_t length;     /* a multiple of 8 */
};

/* Encodes the array that measure_array() has planned with `dense`. Takes up to `most` bytes. False: it would be longer, or
 * out of memory. */
bool dense_encode(const struct plan *plan, struct dense_scratch *scratch, size_t most, struct dense_bytes *result);

/*
 * Decodes an array, which may contain marks if `graph`. NULL: the bytes are damaged, or out of memory. Bytes with a
 * right checksum and anything else wrong are refused, too: they give no invalid array. (The marks of a graph are as
 * trusted as those of one in PHP's own form.) May leave by longjmp when memory_limit is reached.
 */
zend_array *dense_decode(const char *bytes, size_t length, bool graph, struct dense_scratch *scratch);

/* The checksum of bytes whose number is a multiple of 8, less the first 4. */
uint32_t dense_checksum(const char *bytes, size_t length);

static zend_always_inline uint64_t dense_fold(zend_long number) {
    return ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
}

static zend_always_inline zend_long dense_unfold(uint64_t folded) {
    return (zend_long)((folded >> 1) ^ (0 - (folded & 1)));
}

/* What nNextFreeElement usually is after an integer key. */
static zend_always_inline zend_long dense_next(zend_long next, zend_long key) {
    return key < next ? next : key == ZEND_LONG_MAX ? ZEND_LONG_MAX : key + 1;
}

#endif
