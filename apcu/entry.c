/*
 * apcu_entry(): fetches, or computes and stores; one process at a time computes a key.
 *
 * The lock of a key is a byte of the segment's file, far behind its end, chosen by the key's hash. The kernel releases it
 * when its owner dies. APCu holds the lock of the whole cache meanwhile, so there every other process waits.
 *
 * Only a call that holds no lock waits for one, so no circle can form: a callback that calls apcu_entry() again computes
 * at once if another process computes that key (or if it is the key that is being computed).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* F_OFD_SETLK */
#endif
#include "php_apcu.h"

#include <fcntl.h>
#include <unistd.h>

/* A lock of this process. They are in no order, because fibers are in none. */
struct held {
    uint32_t number;
    struct held *next;
};

static const off_t LOCKS_FROM = (off_t)1 << 40; /* a segment has at most 64 GiB, and core locks bytes in it */

void entry_end(void) {
    if (APCU_G(lock_file) >= 0) {
        close(APCU_G(lock_file));
        APCU_G(lock_file) = -1;
    }
    APCU_G(held) = NULL;
}

/* Opened again after a fork: parent and child would have all locks in common. -1: there is no segment yet. */
static int lock_file(void) {
    struct larder_usage usage;
    if (EXPECTED(APCU_G(lock_file) >= 0 && APCU_G(lock_pid) == larder->pid())) {
        return APCU_G(lock_file);
    }
    entry_end();
    larder->read_usage(&usage);
    APCU_G(lock_file) = open(usage.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    APCU_G(lock_pid) = larder->pid();
    return APCU_G(lock_file);
}

#ifdef F_OFD_SETLKW
static bool lock_byte(int command, short type, uint32_t number) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = LOCKS_FROM + number, .l_len = 1};
    return fcntl(lock_file(), command, &lock) == 0;
}

/* Waits if this process holds no lock. False: another has it, or there is no segment. */
static bool lock_number(uint32_t number) {
    const int command = APCU_G(held) ? F_OFD_SETLK : F_OFD_SETLKW;
    while (!lock_byte(command, F_WRLCK, number)) {
        if (errno != EINTR ||
            zend_atomic_bool_load(&EG(vm_interrupt))) { /* the callback will see to the interrupt */
            return false;
        }
    }
    return true;
}

static void unlock_number(uint32_t number) {
    lock_byte(F_OFD_SETLK, F_UNLCK, number);
}
#else
static bool lock_number(uint32_t number) {
    (void)number;
    return false;
}

static void unlock_number(uint32_t number) {
    (void)number;
}
#endif

static bool is_held(uint32_t number) {
    for (const struct held *held = APCU_G(held); held; held = held->next) {
        if (held->number == number) {
            return true;
        }
    }
    return false;
}

/* False: the caller computes without the lock. */
static bool lock(struct held *held) {
    if (is_held(held->number) || !lock_number(held->number)) {
        return false;
    }
    held->next = APCU_G(held);
    APCU_G(held) = held;
    return true;
}

static void unlock(struct held *held) {
    for (struct held **link = &APCU_G(held); *link; link = &(*link)->next) {
        if (*link == held) {
            *link = held->next;
            unlock_number(held->number);
            return;
        }
    }
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
    if (Z_ISREF_P(result)) { /* of a function &() */
        zend_unwrap_reference(result);
    }
    if (called && !EG(exception)) {
        store_value(key, result, ttl, true);
    }
}

static void fetch_or_compute(zend_string *key, zend_fcall_info *call, zend_fcall_info_cache *callee, zend_long ttl,
                             zval *result) {
    struct held held = {.number = (uint32_t)zend_string_hash_val(key)};
    const bool locked = lock(&held);
    volatile bool left = false;
    zend_try {
        if (!larder->fetch(key, result) && !EG(exception)) {
            compute(key, call, callee, ttl, result);
        }
    }
    zend_catch {
        left = true;
    }
    zend_end_try();
    if (locked) {
        unlock(&held);
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

    if (APCU_G(enabled) && !larder->fetch(key, return_value) && !EG(exception)) {
        fetch_or_compute(key, &call, &callee, ttl, return_value);
    }
}
