/* Copying past the processor's caches, to memory that is in none of them. */
#ifndef LARDER_PAST_CACHES_H
#define LARDER_PAST_CACHES_H

#include <stdbool.h>
#include <stddef.h>

enum { PAST_CACHES_LEAST = 4096 }; /* bytes, from which on it is faster */

/* Copies as memcpy() does, but does not load memory into the caches that is going to be overwritten. True if all
 * bytes are ASCII. Other processors see these bytes before anything that is written afterwards. */
bool copy_past_caches(char *to, const char *from, size_t length);

#endif
