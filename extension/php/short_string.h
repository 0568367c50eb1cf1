/*
 * Copying and comparing short strings eight bytes at a time. The text of a zend_string begins at a multiple of 8,
 * and its memory ends at one. So its last word can be read whole; the bytes after the text are masked off.
 */
#ifndef LARDER_SHORT_STRING_H
#define LARDER_SHORT_STRING_H

#include "php.h"

enum { SHORT_STRING_MAX = 64 }; /* bytes; up to here this beats memcpy() and memcmp() */

static zend_always_inline uint64_t word_at(const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* The first `count` bytes of a word, 0 to 7; the others are zeroed. */
static zend_always_inline uint64_t word_begin(uint64_t word, size_t count) {
#ifdef WORDS_BIGENDIAN
    return word & ~(UINT64_MAX >> (8 * count));
#else
    return word & (((uint64_t)1 << (8 * count)) - 1);
#endif
}

/*
 * Copies the text of a string of at most SHORT_STRING_MAX bytes, and pads the last word with zeros, including the
 * terminating one. True if the text is ASCII.
 */
static zend_always_inline bool short_string_copy(char *to, const zend_string *from) {
    const char *bytes = ZSTR_VAL(from);
    const char *last = bytes + (ZSTR_LEN(from) & ~(size_t)7);
    uint64_t all = 0, word;
    for (; bytes < last; bytes += 8, to += 8) {
        word = word_at(bytes);
        all |= word;
        memcpy(to, &word, sizeof(word));
    }
    word = word_begin(word_at(last), ZSTR_LEN(from) & 7);
    all |= word;
    memcpy(to, &word, sizeof(word));
    return (all & UINT64_C(0x8080808080808080)) == 0;
}

/* True if two strings of any length have the same text. */
static zend_always_inline bool string_equal(const zend_string *a, const zend_string *b) {
    if (ZSTR_LEN(a) != ZSTR_LEN(b)) {
        return false;
    }
    if (ZSTR_LEN(a) > SHORT_STRING_MAX) {
        return memcmp(ZSTR_VAL(a), ZSTR_VAL(b), ZSTR_LEN(a)) == 0;
    }
    const char *x = ZSTR_VAL(a), *y = ZSTR_VAL(b), *last = x + (ZSTR_LEN(a) & ~(size_t)7);
    for (; x < last; x += 8, y += 8) {
        if (word_at(x) != word_at(y)) {
            return false;
        }
    }
    return word_begin(word_at(x) ^ word_at(y), ZSTR_LEN(a) & 7) == 0;
}

#endif
