/* PHP functions for values that are computed once, and recomputed before or after they expire. */
#include "attach.h"
#include "last_error.h"
#include "parameters.h"

#include <math.h>
#include <time.h>

/* Lifetime of a placeholder: far longer than any computation, so that the computed value is stored. */
enum { PLACEHOLDER_SECONDS = 24 * 3600 };

/* ---- Recomputing early ----------------------------------------------------------------------- */

/* More than -log() of the smallest value of chance(): further away, nothing is early. */
enum { FURTHEST = 37 };

/* A number over 0, up to 1, different at each call and in each process. It keeps no state that a fork would share. */
static double chance(const struct cache_value *value) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t bits = ((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec) + ((uint64_t)cache_pid() << 40);
    bits ^= (uint64_t)(uintptr_t)value;
    /* the finalizer of Sebastiano Vigna's SplitMix64, public domain */
    bits = (bits + UINT64_C(0x9e3779b97f4a7c15));
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    bits ^= bits >> 31;
    return (double)((bits >> 11) + 1) / (double)(UINT64_C(1) << 53);
}

/*
 * XFetch: the nearer the expiry and the higher the cost, the more likely. Of many processes that ask, one or a few
 * are early enough that the others never find the value stale.
 *
 * A. Vattani, F. Chierichetti, K. Lowenstein: Optimal Probabilistic Cache Stampede Prevention, VLDB 2015.
 */
static bool is_early(const struct cache_value *value, double beta) {
    const double left = (double)(value->expires - value->found) / 1000;
    const double span = (double)value->cost / CACHE_COSTS_A_SECOND * beta;
    return left < FURTHEST * span && -log(chance(value)) * span >= left;
}

/* True if a value that was found with cache_find_kept() is to be recomputed. */
static zend_always_inline bool is_due(const struct cache_value *value, double beta) {
    if (EXPECTED(value->expires == value->kept && value->cost == 0)) {
        return false; /* it has no freshness, and was found, so it has not expired */
    }
    return value->expires != 0 && (value->expires <= value->found || (value->cost != 0 && is_early(value, beta)));
}

static zend_always_inline bool fetch_fresh(struct cache *cache, zend_string *name, double beta, zval *result) {
    const struct cache_key key = key_of(name);
    struct cache_value value;
    return find_key(cache, &key, FIND_KEPT, 0, &value) && !is_due(&value, beta) &&
           decode_or_promote(cache, &key, &value, result);
}

/* Handles the cases that the fast path does not, as fetch_carefully() in functions.c. */
static zend_never_inline void fetch_fresh_carefully(INTERNAL_FUNCTION_PARAMETERS, bool missed) {
    zend_string *name;
    zval *missing = NULL;
    double beta = 1;

    ZEND_PARSE_PARAMETERS_START(1, 3)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(missing)
        Z_PARAM_DOUBLE(beta)
    ZEND_PARSE_PARAMETERS_END();
    if (!check_key(name) || !check_not_negative(beta, 3)) {
        RETURN_THROWS();
    }

    if (!missed && attach() && fetch_fresh(LARDER_G(own).cache, name, beta, return_value)) {
        return;
    }
    set_default(return_value, EG(exception) ? NULL : missing);
}

ZEND_FUNCTION(larder_fetch_fresh) {
    const zval *name = ZEND_CALL_ARG(execute_data, 1), *beta = ZEND_CALL_ARG(execute_data, 3);
    struct cache *cache = LARDER_G(own).cache;
    bool simple = ZEND_NUM_ARGS() - 1 <= 2 && Z_TYPE_P(name) == IS_STRING && ZSTR_H(Z_STR_P(name)) &&
                  is_key(Z_STR_P(name)) && cache &&
                  (ZEND_NUM_ARGS() < 3 || (Z_TYPE_P(beta) == IS_DOUBLE && Z_DVAL_P(beta) >= 0));
#ifdef LARDER_UNREADABLE
    simple = false;
#endif
    if (UNEXPECTED(!simple)) {
        fetch_fresh_carefully(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
    } else if (UNEXPECTED(
                   !fetch_fresh(cache, Z_STR_P(name), ZEND_NUM_ARGS() < 3 ? 1 : Z_DVAL_P(beta), return_value))) {
        fetch_fresh_carefully(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
    }
}

/* ---- What is there ---------------------------------------------------------------------------- */

/* Seconds from one time to another. Never 0, which means no end. */
static double seconds_between(uint64_t from, uint64_t to) {
    return to == from ? -0.001 : ((double)to - (double)from) / 1000;
}

ZEND_FUNCTION(larder_fetch_entry) {
    zend_string *name;
    struct cache_value found;
    zval value;
    uint64_t token;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();
    if (!check_key(name)) {
        RETURN_THROWS();
    }

    struct cache *cache = attach();
    const struct cache_key key = key_of(name);
    const unsigned how = CACHE_STALE | CACHE_UNCOUNTED | (LARDER_G(zero_copy) ? CACHE_ZERO_COPY : 0);
    if (!cache || !cache_find_token(cache, &key, how, &found, &token)) {
        return;
    }
    /* decoding may run code that fetches other values into the place of this copied one */
    const uint64_t expires = found.expires, kept = found.kept, now = cache_now();
    const double cost = (double)found.cost / CACHE_COSTS_A_SECOND;
    if (!decode_value(&found, &value)) {
        return;
    }
    array_init_size(return_value, 5);
    add_assoc_zval(return_value, "value", &value);
    add_assoc_double(return_value, "ttl", expires ? seconds_between(now, expires) : 0);
    add_assoc_double(return_value, "stale", kept > expires ? seconds_between(expires, kept) : 0);
    add_assoc_double(return_value, "cost", cost);
    add_assoc_long(return_value, "cas", (zend_long)token);
}

/* ---- Computing once --------------------------------------------------------------------------- */

ZEND_FUNCTION(larder_claim) {
    zend_string *name;
    zval *cas = NULL;
    zend_long useless = 0;
    bool nothing_useless = true;
    struct cache_token token = {false, 0};

    ZEND_PARSE_PARAMETERS_START(1, 3)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(cas)
        Z_PARAM_LONG_OR_NULL(useless, nothing_useless)
    ZEND_PARSE_PARAMETERS_END();
    if (!check_key(name)) {
        RETURN_THROWS();
    }

    struct cache *cache = attach_to_store();
    const struct cache_key key = key_of(name);
    const uint64_t useless_token = (uint64_t)useless;
    const enum cache_claimed claimed =
        cache ? cache_claim_to_compute(cache, &key, cache_expiry(PLACEHOLDER_SECONDS),
                                       nothing_useless ? NULL : &useless_token, &token)
              : CACHE_CLAIM_UNAVAILABLE;
    RETVAL_LONG(claimed);
    /* Done last, because the old value of the variable may have a destructor. */
    if (cas && token.is_there) {
        ZEND_TRY_ASSIGN_REF_LONG(cas, (zend_long)token.number);
    } else if (cas) {
        ZEND_TRY_ASSIGN_REF_NULL(cas);
    }
}

/* True if PHP has to handle a signal or a time limit, which it does between its own steps: then do not wait any
 * longer. */
static bool is_interrupted(void) {
    return zend_atomic_bool_load(&EG(vm_interrupt));
}

ZEND_FUNCTION(larder_await) {
    zend_string *name;
    double seconds;
    zend_long cas = 0;
    bool nothing_seen = true;

    ZEND_PARSE_PARAMETERS_START(2, 3)
        Z_PARAM_STR(name)
        Z_PARAM_DOUBLE(seconds)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG_OR_NULL(cas, nothing_seen)
    ZEND_PARSE_PARAMETERS_END();
    if (!check_key(name) || !check_not_negative(seconds, 2)) {
        RETURN_THROWS();
    }

    const struct cache_key key = key_of(name);
    const struct cache_token token = {!nothing_seen, (uint64_t)cas};
    const uint64_t end = seconds > 0 ? cache_expiry(seconds) : 0;
    enum cache_awaited awaited;
    do {
        struct cache *cache = attach();
        awaited = cache ? cache_await_computed(cache, &key, &token) : CACHE_AWAITED_NOTHING;
    } while (awaited == CACHE_AWAITED_NOTHING_YET && !is_interrupted() && cache_now() < end);
    RETURN_BOOL(awaited == CACHE_AWAITED_CHANGE || (awaited == CACHE_AWAITED_NOTHING_YET && is_interrupted()));
}

ZEND_FUNCTION(larder_unclaim) {
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();
    if (!check_key(name)) {
        RETURN_THROWS();
    }

    struct cache *cache = LARDER_G(own).cache;
    if (cache) {
        const struct cache_key key = key_of(name);
        cache_end_computing(cache, &key);
    }
}
