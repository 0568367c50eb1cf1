/*
 * apcu_entry(): fetches a value, or computes and stores it. One process at a time computes a key, by the engine's
 * claim of the key. APCu holds the lock of the whole cache during the computation, so there every other process
 * waits.
 *
 * Only a process that computes nothing waits, so no cycle of waiting processes can form. A callback that calls
 * apcu_entry() again computes at once if another process computes that key, or if it is the key that is being
 * computed. So does a child that the callback forked, since the callback may wait for the child.
 */
#include "php_apcu.h"

void entry_end(void) {
    APCU_G(computing) = 0;
}

/* False if nothing was found: the caller computes without the claim. An interrupt is handled in the callback. */
static bool claim(zend_string *key, bool waits, zval *result, bool *found) {
    while (!larder->claim(key)) {
        if (!waits || zend_atomic_bool_load(&EG(vm_interrupt)) || !larder->await_claim(key)) {
            return false;
        }
        *found = larder->fetch(key, result);
        if (*found || EG(exception)) {
            return false;
        }
    }
    *found = larder->fetch(key, result); /* the key may have been stored since the miss */
    return true;
}

static void compute(zend_string *key, zend_fcall_info *call, zend_fcall_info_cache *callee, zend_long ttl,
                    zval *result) {
    zval name;
    ZVAL_STR_COPY(&name, key);
    call->retval = result;
    call->param_count = 1;
    call->params = &name;
    const bool called = zend_call_function(call, callee) == SUCCESS;
    zval_ptr_dtor(&name);
    if (Z_ISREF_P(result)) { /* result of a function that returns by reference */
        zend_unwrap_reference(result);
    }
    if (called && !EG(exception)) {
        apcu_store_value(key, result, ttl, true);
    }
}

static void claim_and_compute(zend_string *key, zend_fcall_info *call, zend_fcall_info_cache *callee,
                              zend_long ttl, zval *result) {
    const bool waits = APCU_G(computing)++ == 0;
    volatile bool claimed = false, left = false;
    bool found = false;
    zend_try {
        claimed = claim(key, waits, result, &found);
        if (!found && !EG(exception)) {
            compute(key, call, callee, ttl, result);
        }
    }
    zend_catch {
        left = true;
    }
    zend_end_try();
    APCU_G(computing)--;
    if (claimed) {
        larder->end_claim(key);
    }
    if (left) {
        zend_bailout();
    }
}

ZEND_FUNCTION(apcu_entry) {
    zend_string *key;
    zend_fcall_info call = empty_fcall_info;
    zend_fcall_info_cache callee = empty_fcall_info_cache;
    zend_long ttl = 0;

    ZEND_PARSE_PARAMETERS_START(2, 3)
        Z_PARAM_STR(key)
        Z_PARAM_FUNC(call, callee)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(ttl)
    ZEND_PARSE_PARAMETERS_END();

    if (is_enabled() && !larder->fetch(key, return_value) && !EG(exception)) {
        claim_and_compute(key, &call, &callee, ttl, return_value);
    }
}
