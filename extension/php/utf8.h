/* UTF-8 validation as pcre and mbstring do it. */
#ifndef LARDER_UTF8_H
#define LARDER_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* No overlong forms, no surrogates, nothing above U+10FFFF. Empty strings are valid. */
bool utf8_valid(const char *bytes, size_t length);

bool utf8_is_ascii(const char *bytes, size_t length);

#endif
