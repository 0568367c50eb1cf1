/*
 * A regular expression for keys. Most expressions in use are an anchored literal, such as '/^user:/' or a name
 * quoted by preg_quote(). For these the engine compares a prefix, and no expression is matched.
 */
#ifndef LARDER_APCU_PATTERN_H
#define LARDER_APCU_PATTERN_H

#include "php.h"

#include "ext/pcre/php_pcre.h"

struct pattern {
    pcre_cache_entry *regex; /* NULL: every key that begins with the prefix matches */
    pcre2_match_data *match; /* for matching; NULL without an expression */
    zend_string *prefix;     /* every match begins with it; perhaps empty */
};

/* False: `text` is not a valid expression, with a warning of PCRE, or out of memory. */
bool pattern_compile(zend_string *text, struct pattern *pattern);
void pattern_release(struct pattern *pattern);

/* For a pattern with an expression: matches a key, whatever the prefix. Runs no user code. An error, such as a
 * backtrack limit, is no match; on the command line, nothing matches after the end of the request. `pattern` is a
 * struct pattern. */
bool pattern_matches(const void *pattern, const char *key, size_t length);

#endif
