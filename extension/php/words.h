/*
 * Short strings, eight bytes at a time. A zend_string's text begins at a multiple of 8 and its memory ends at
 * one, so the word that holds its last byte may be read whole; what lies behind the text is masked off.
 */
#ifndef LARDER_WORDS_H
#define LARDER_WORDS_H

#include "php.h"

enum { WORDS_SHORT = 64 }; /* bytes up to which this beats memcpy() and memcmp() */

static zend_always_inline uint64_t word_at(const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* The first `count` bytes of a word, 0 to 7 of them; zeros in place of the others. */
static zend_always_inline uint64_t word_begin(uint64_t word, size_t count) {
#ifdef WORDS_BIGENDIAN
    return word & ~(UINT64_MAX >> (8 * count));
#else
    return word & (((uint64_t)1 << (8 * count)) - 1);
#endif
}

/*
 * Copies the text of a string and fills its last word with zeros, the terminating one included. Tells whether
 * all of it is ASCII. At most WORDS_SHORT bytes.
 */
static zend_always_inline bool words_copy(char *to, const zend_string *from) {
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

/* Whether two strings have the same text. */
static zend_always_inline bool words_equal(const zend_string *a, const zend_string *b) {
    if (ZSTR_LEN(a) != ZSTR_LEN(b)) {
        return false;
    }
    if (ZSTR_LEN(a) > WORDS_SHORT) {
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
