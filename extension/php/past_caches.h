/* Copying to memory that is in no cache of the processor. */
#ifndef LARDER_PAST_CACHES_H
#define LARDER_PAST_CACHES_H

#include <stdbool.h>
#include <stddef.h>

enum { PAST_CACHES_LEAST = 4096 }; /* bytes, from which on it pays */

/* Copies as memcpy() does, but does not load into the caches what is only going to be overwritten. Whether the bytes are
 * all ASCII. What is written is visible to others before anything written afterwards. */
bool copy_past_caches(char *to, const char *from, size_t length);

#endif
