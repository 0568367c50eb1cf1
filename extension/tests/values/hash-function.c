/* hash_bytes() against the function of PHP's own headers: every length to 1024, every alignment, all bytes. */
#include "php.h"
#include "../../php/hash.h"

#include <stdio.h>

enum { LONGEST = 1024, ALIGNMENTS = 64, BEFORE = 16 };

static unsigned char memory[BEFORE + ALIGNMENTS + LONGEST + 16];

static unsigned random_byte(void) {
    static uint32_t state = 2463534242;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state >> 11 & 0xff;
}

static void fill(int pattern) {
    for (size_t i = 0; i < sizeof(memory); i++) {
        switch (pattern) {
            case 0:
                memory[i] = (unsigned char)random_byte();
                break;
            case 1:
                memory[i] = (unsigned char)(random_byte() & 0x7f);
                break;
            case 2:
                memory[i] = (unsigned char)(random_byte() | 0x80);
                break;
            case 3:
                memory[i] = 0xff;
                break;
            case 4:
                memory[i] = 0x80;
                break;
            case 5:
                memory[i] = 0x7f;
                break;
            default:
                memory[i] = 0;
        }
    }
}

int main(void) {
    unsigned long tried = 0, wrong = 0;
    for (int pattern = 0; pattern < 7; pattern++) {
        fill(pattern);
        for (size_t alignment = 0; alignment < ALIGNMENTS; alignment++) {
            const char *bytes = (const char *)memory + BEFORE + alignment;
            for (size_t length = 0; length <= LONGEST; length++) {
                tried++;
                wrong += hash_bytes(bytes, length) != zend_inline_hash_func(bytes, length);
            }
        }
    }
    printf("%lu tried, %lu wrong\n", tried, wrong);
    return wrong != 0;
}
