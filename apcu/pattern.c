#include "pattern.h"
#include "php_apcu.h"

#include "SAPI.h"

#include <ctype.h>

/* ---- The literal beginning of an expression --------------------------------------------------- */

/* The expression between the delimiters, and the modifiers. The text is a valid expression. */
struct parts {
    const char *body, *end; /* end of the body, at the closing delimiter */
    const char *modifiers, *stop;
};

static struct parts split(const zend_string *text) {
    const char *begin = ZSTR_VAL(text), *stop = begin + ZSTR_LEN(text), *end = stop - 1;
    while (isspace((unsigned char)*begin)) {
        begin++;
    }
    while (isalpha((unsigned char)*end) || isspace((unsigned char)*end) || *end == '\0') {
        end--;
    }
    return (struct parts){begin + 1, end, end + 1, stop};
}

/* With i, a literal also matches other characters; with x, blanks are ignored; with m, ^ also matches at the
 * beginning of lines. J, u and the other modifiers do not change the meaning of literals and ^. */
static bool may_have_prefix(const struct parts *parts) {
    return strcspn(parts->modifiers, "ixm") == strlen(parts->modifiers) &&
           !memchr(parts->body, '|', (size_t)(parts->end - parts->body));
}

static bool has_modifier(const struct parts *parts, char modifier) {
    return memchr(parts->modifiers, modifier, (size_t)(parts->stop - parts->modifiers)) != NULL;
}

/* Returns the literal character at *at, and moves on. -1: there is none. */
static int next_literal(const char **at, const char *end) {
    const char *c = *at;
    if (c < end && *c == '\\') {
        c++;
        if (c == end || isalnum((unsigned char)*c)) {
            return -1;
        }
    } else if (c == end ||
               strchr("^$.[]|()?*+{}", *c)) { /* 0 too: PCRE takes it as any character, this need not */
        return -1;
    }
    *at = c + 1;
    return (unsigned char)*c;
}

/* True for text that may stand between a character and its quantifier: \E without \Q, \Q with nothing quoted, a
 * comment. */
static bool is_passed_over(const char *at, const char *end) {
    const size_t rest = (size_t)(end - at);
    return (rest >= 2 && *at == '\\' && strchr("EQ", at[1])) || (rest >= 3 && memcmp(at, "(?#", 3) == 0);
}

/* True if the previous character may be absent, or begins a longer one. */
static bool is_optional(const char *at, const char *end) {
    return at < end && (strchr("*?{", *at) || is_passed_over(at, end));
}

/* Finds the literal prefix. `whole`: a key needs only this prefix to match. */
static zend_string *find_prefix(const zend_string *text, bool *whole) {
    const struct parts parts = split(text);
    const char *at = parts.body;
    *whole = false;
    if (!may_have_prefix(&parts) || !(at < parts.end && (*at == '^' || has_modifier(&parts, 'A')))) {
        return ZSTR_EMPTY_ALLOC();
    }
    at += *at == '^';
    zend_string *prefix = zend_string_alloc((size_t)(parts.end - at), false);
    const bool utf8 = has_modifier(&parts, 'u');
    size_t length = 0;
    for (;;) {
        const char *after = at;
        const int c = next_literal(&after, parts.end);
        if (c < 0 || is_optional(after, parts.end) || (utf8 && c >= 0x80)) {
            break;
        }
        ZSTR_VAL(prefix)[length++] = (char)c;
        at = after;
    }
    /* In UTF-8 a key must also be valid. */
    *whole = !utf8 && (at == parts.end || (parts.end - at == 2 && memcmp(at, ".*", 2) == 0));
    ZSTR_VAL(prefix)[length] = '\0';
    return zend_string_truncate(prefix, length, false);
}

/* ---- Matching -------------------------------------------------------------------------------- */

bool pattern_compile(zend_string *text, struct pattern *pattern) {
    pcre_cache_entry *regex = pcre_get_compiled_regex_cache(text);
    bool whole;
    if (!regex) {
        return false;
    }
    pattern->prefix = find_prefix(text, &whole);
    if (whole) {
        return true;
    }
    pattern->match = pcre2_match_data_create(1, NULL); /* the position of a match is not needed */
    if (!pattern->match) {
        return false;
    }
    pattern->regex = regex;
    php_pcre_pce_incref(regex);
    return true;
}

/* True if PCRE has freed the expressions. On the command line, recognized by this name, it frees the expressions of
 * a request when the request ends. Code of users may run after that, when PHP closes a stream of theirs. */
static bool are_freed(void) {
    return APCU_G(request_ended) && strcmp(sapi_module.name, "cli") == 0;
}

void pattern_release(struct pattern *pattern) {
    if (pattern->regex && !are_freed()) {
        php_pcre_pce_decref(pattern->regex);
    }
    if (pattern->match) {
        pcre2_match_data_free(pattern->match);
    }
    if (pattern->prefix) {
        zend_string_release(pattern->prefix);
    }
}

bool pattern_matches(const void *context, const char *key, size_t length) {
    const struct pattern *pattern = context;
    return !are_freed() && pcre2_match(php_pcre_pce_re(pattern->regex), (PCRE2_SPTR)key, length, 0, 0,
                                       pattern->match, php_pcre_mctx()) >= 0;
}
