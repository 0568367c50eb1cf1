/*
 * A regular expression for keys. Most in use are an anchored literal, such as '/^user:/' or what preg_quote() made of a
 * name: for these the engine compares a prefix, and no expression is matched.
 */
#ifndef LARDER_APCU_PATTERN_H
#define LARDER_APCU_PATTERN_H

#include "php.h"

#include "ext/pcre/php_pcre.h"

struct pattern {
    pcre_cache_entry *regex; /* NULL: every key that begins with the prefix matches */
    zend_string *prefix;     /* every match begins with it; perhaps empty */
};

/* False, with a warning of PCRE: it is none. */
bool pattern_compile(zend_string *text, struct pattern *pattern);
void pattern_release(struct pattern *pattern);

bool pattern_matches(const struct pattern *pattern, zend_string *key);

#endif
