/*
 * session.save_handler = larder: sessions in a separate segment, <larder.segment>.sessions, in which nothing
 * unexpired is evicted.
 *
 * A session is locked from its read to its close, and only the owner of the lock writes it. If something releases
 * the lock (a change of user, the removal of the segment), the write fails, so that no update of another request is
 * lost. A forked child leaves its parent's session alone. Core does the waiting and the expiry, so garbage
 * collection has nothing to do.
 *
 * PHP may be built without sessions. Where they are a module of their own, it may be loaded later than this one or
 * not at all. So its functions are looked up when all modules are loaded.
 */
#include "attach.h"

#if defined(HAVE_PHP_SESSION) && defined(__has_include)
#if __has_include("ext/session/php_session.h")
#define HAS_SESSIONS 1
#endif
#endif

void session_begin(zend_larder_globals *globals) {
    zend_hash_init(&globals->sessions_left, 0, NULL, NULL, true);
    zend_hash_init(&globals->sessions_parents, 0, NULL, NULL, true);
}

void session_end(zend_larder_globals *globals) {
    zend_hash_destroy(&globals->sessions_left);
    zend_hash_destroy(&globals->sessions_parents);
}

void session_request_end(void) {
    memset(LARDER_G(sessions_open), 0, sizeof(LARDER_G(sessions_open)));
    LARDER_G(session_validated).length = 0;
    LARDER_G(session_unknown) = false;
    zend_hash_clean(&LARDER_G(sessions_left));
    zend_hash_clean(&LARDER_G(sessions_parents));
}

#ifndef HAS_SESSIONS

void session_register(void) {
}

#else

#include "ext/hash/php_hash.h"
#include "ext/hash/php_hash_sha.h"
#include "ext/session/php_session.h"

#include <dlfcn.h>
#include <errno.h>

enum { KIND_SESSION = 2, CREATE_TRIES = 3 };

static zend_string *(*create_id)(PS_CREATE_SID_ARGS);

/* The handler's data: without data, PHP assumes that no session is open. */
static char is_opened;

/*
 * Sites that session.save_path or session.name keeps apart must not accept each other's ids. So both are part of the
 * key: as a hash, because a path may be long. 128 bits of SHA-256 never collide.
 */
static void set_site(const char *save_path, const char *session_name) {
    PHP_SHA256_CTX context;
    unsigned char digest[32];
    PHP_SHA256Init(&context);
    PHP_SHA256Update(&context, (const unsigned char *)save_path, strlen(save_path) + 1);
    PHP_SHA256Update(&context, (const unsigned char *)session_name, strlen(session_name));
    PHP_SHA256Final(digest, &context);
    memcpy(LARDER_G(session_site), digest, SESSION_SITE_BYTES);
}

/* The key of a session of this site, stored in `bytes`. The id must have passed is_id(). */
static struct cache_key key_of_id(const zend_string *id, char bytes[SESSION_KEY_MAX]) {
    const size_t length = SESSION_SITE_BYTES + ZSTR_LEN(id);
    memcpy(bytes, LARDER_G(session_site), SESSION_SITE_BYTES);
    memcpy(bytes + SESSION_SITE_BYTES, ZSTR_VAL(id), ZSTR_LEN(id));
    return (struct cache_key){bytes, (uint32_t)length, zend_hash_func(bytes, length)};
}

/* True for ids that PHP creates and its other handlers accept. struct open_session holds no longer ones. */
static bool is_id(const zend_string *id) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-,";
    return ZSTR_LEN(id) >= 1 && ZSTR_LEN(id) <= SESSION_ID_MAX && strspn(ZSTR_VAL(id), allowed) == ZSTR_LEN(id);
}

static bool is_id_or_warn(const zend_string *id) {
    const bool is = is_id(id);
    if (!is) {
        php_error_docref(NULL, E_WARNING,
                         "Session ID is too long or contains illegal characters. "
                         "Only the A-Z, a-z, 0-9, \"-\", and \",\" characters are allowed");
    }
    return is;
}

static uint64_t expiry_of(zend_long lifetime) {
    return cache_expiry(lifetime > 0 ? (double)lifetime : 1);
}

/* Attaches to the segment, and creates it if there is none. NULL, with a warning: it is not available. */
static struct cache *to_use(void) {
    attach_request_begin();
    struct cache *cache = attach_client(&LARDER_G(sessions), true);
    if (!cache) {
        php_error_docref(NULL, E_WARNING, "Larder cannot keep sessions: %s", attach_reason(&LARDER_G(sessions)));
    }
    return cache;
}

/* Warns why the segment refuses a session, and what to do. */
static void warn_refused(struct cache *cache, enum cache_result result, size_t length) {
    struct cache_info info; /* the size is the segment's: another process may have created it with another one */
    switch (result) {
        case CACHE_NO_ROOM:
            cache_read_counters(cache, &info);
            if (length >
                info.page_size / 2) { /* it takes pages in a row, and unexpired ones may lie between free ones */
                php_error_docref(
                    NULL, E_WARNING,
                    "Larder's memory for sessions (%zu MiB) has no room in a row for a session of %zu "
                    "bytes, though shorter ones may fit; nothing was lost but this write. Raise "
                    "larder.session_size or keep less in the session",
                    info.size >> 20, length);
                break;
            }
            php_error_docref(NULL, E_WARNING,
                             "Larder's memory for sessions is full of unexpired ones (%zu MiB); nothing was lost "
                             "but this write. Raise larder.session_size or lower session.gc_maxlifetime",
                             info.size >> 20);
            break;
        case CACHE_TOO_LARGE:
            php_error_docref(NULL, E_WARNING,
                             "The session takes %zu bytes; the limit is %zu. Raise larder.session_size", length,
                             cache_value_max(cache) - sizeof(length));
            break;
        default:
            php_error_docref(NULL, E_WARNING, "Larder cannot keep sessions: %s",
                             attach_reason(&LARDER_G(sessions)));
            break;
    }
}

/* ---- Locks ----------------------------------------------------------------------------------- */

/*
 * PHP opens one session at a time. But the handler may be asked for others during that: by handlers in PHP around
 * it, which read a session to see whether it exists, or by an application that reads or writes another visitor's
 * session. Nothing shows which one is PHP's, since the handler may create ids itself. But PHP's session is read
 * early. So the first ones stay locked until PHP closes its session, and no update of it is lost. Further ones give
 * way to each other. A session that was read and is no longer locked is not written in this request, since other
 * requests may have written it in between.
 */

static bool is_of(const struct open_session *session, const struct cache_key *key) {
    return session->length == key->length && memcmp(session->key, key->bytes, key->length) == 0;
}

/* The session that was locked by this key; NULL: none. For a key without length: an unused place, or NULL. */
static struct open_session *open_session(const struct cache_key *key) {
    for (int i = 0; i < CACHE_LOCKS_MAX; i++) {
        if (is_of(&LARDER_G(sessions_open)[i], key)) {
            return &LARDER_G(sessions_open)[i];
        }
    }
    return NULL;
}

static const struct cache_key no_id = {"", 0, 0};

/* In a child, the sessions are its parent's, and none is locked by the child. */
static void leave_to_parent(void) {
    for (int i = 0; i < CACHE_LOCKS_MAX; i++) {
        struct open_session *session = &LARDER_G(sessions_open)[i];
        if (session->length > 0 && session->process != cache_pid()) {
            zend_hash_str_add_empty_element(&LARDER_G(sessions_parents), session->key, session->length);
            session->length = 0;
        }
    }
}

/* True if this process is a child of the one that has the session open. */
static bool is_parents(const struct cache_key *key) {
    leave_to_parent();
    return zend_hash_str_exists(&LARDER_G(sessions_parents), key->bytes, key->length) && !open_session(key);
}

/* The session that gives way if another one is locked: the last one. NULL: none has to. */
static struct open_session *next_to_leave(const struct cache_key *key) {
    return open_session(key) || open_session(&no_id) ? NULL : &LARDER_G(sessions_open)[CACHE_LOCKS_MAX - 1];
}

/* A worker that never ends a request may read many sessions, so the first ones are forgotten. */
enum { LEFT_MAX = 1000 };
static void forget_first(HashTable *left) {
    zend_string *id;
    ZEND_HASH_FOREACH_STR_KEY(left, id) {
        zend_hash_del(left, id);
        break;
    }
    ZEND_HASH_FOREACH_END();
}

static void leave(struct open_session *session) {
    HashTable *left = &LARDER_G(sessions_left);
    if (session->read && session->length > 0) {
        zend_hash_str_add_empty_element(left, session->key, session->length);
        if (zend_hash_num_elements(left) > LEFT_MAX) {
            forget_first(left);
        }
    }
    session->length = 0;
}

static void note_locked(const struct cache_key *key) {
    struct open_session *session = open_session(key);
    if (!session) {
        session = open_session(&no_id);
        session->length = key->length;
        session->hash = key->hash;
        session->read = session->found = false;
        memcpy(session->key, key->bytes, key->length);
    }
    session->process = cache_pid();
}

static void note_found(const struct cache_key *key, bool found, uint64_t expires) {
    struct open_session *session = open_session(key);
    if (session) {
        session->found = found;
        session->expires = expires;
    }
}

static void note_read(const struct cache_key *key, bool found, uint64_t expires) {
    struct open_session *session = open_session(key);
    note_found(key, found, expires);
    session->read = true;
    zend_hash_str_del(&LARDER_G(sessions_left), key->bytes, key->length);
}

static void unlock(void) {
    if (LARDER_G(sessions).cache) {
        cache_unlock(LARDER_G(sessions).cache);
    }
    leave_to_parent();
    for (int i = 0; i < CACHE_LOCKS_MAX; i++) {
        leave(&LARDER_G(sessions_open)[i]);
    }
    zend_hash_clean(&LARDER_G(sessions_parents));
    LARDER_G(session_validated).length = 0;
}

static void warn_not_locked(struct cache *cache, enum cache_result result, long owner) {
    const double seconds = LARDER_G(session_lock_wait);
    if (result == CACHE_FAILED && errno != ESTALE) {
        php_error_docref(NULL, E_WARNING, "Larder cannot keep sessions: cannot open the segment's file: %s; %s",
                         strerror(errno),
                         errno == EMFILE   ? "raise ulimit -n"
                         : errno == ENFILE ? "raise fs.file-max"
                                           : "start PHP again");
    } else if (result == CACHE_FAILED) {
        php_error_docref(NULL, E_WARNING, "Larder's memory for sessions was removed; start the session again");
    } else if (result != CACHE_EXISTS) {
        warn_refused(cache, result, 0);
    } else if (owner) {
        php_error_docref(NULL, E_WARNING,
                         "The session is locked by process %ld, and was not released within %g s "
                         "(larder.session_lock_wait)",
                         owner, seconds);
    } else {
        php_error_docref(NULL, E_WARNING,
                         "The session is locked by another request, and was not released within %g s "
                         "(larder.session_lock_wait)",
                         seconds);
    }
}

/* False, with a warning: another request has the session open for longer than this one may wait. */
static bool lock(struct cache *cache, const struct cache_key *key) {
    long owner;
    leave_to_parent();
    struct open_session *leaving = next_to_leave(key);
    const struct cache_key gives_way =
        leaving ? (struct cache_key){leaving->key, (uint32_t)leaving->length, leaving->hash} : no_id;
    const enum cache_result result =
        cache_lock(cache, key, LARDER_G(session_lock_wait), leaving ? &gives_way : NULL, &owner);
    if (result != CACHE_OK) {
        warn_not_locked(cache, result, owner);
        return false;
    }
    if (leaving) {
        leave(leaving);
    }
    note_locked(key);
    return true;
}

/* False, with a warning: the lock was lost. */
static bool is_still_locked(const struct cache *cache, const struct cache_key *key) {
    if (cache_is_locked(cache, key)) {
        return true;
    }
    php_error_docref(NULL, E_WARNING,
                     "This process does not hold the lock of the session (any more), and does not "
                     "write it: it has changed its user, or the segment was removed");
    return false;
}

/* True if the session may be written. Locks a session that was not read. */
static bool is_locked_to_write(struct cache *cache, const struct cache_key *key) {
    if (open_session(key)) {
        return is_still_locked(cache, key);
    }
    if (zend_hash_str_exists(&LARDER_G(sessions_left), key->bytes, key->length)) {
        php_error_docref(NULL, E_WARNING,
                         "This session is not locked any more since another was read or closed, and is "
                         "not written, as others may have written it. Read it again first");
        return false;
    }
    return lock(cache, key);
}

/* ---- The handler ----------------------------------------------------------------------------- */

PS_FUNCS_UPDATE_TIMESTAMP(larder);

PS_OPEN_FUNC(larder) {
    set_site(save_path, session_name);
    LARDER_G(session_unknown) = false;
    PS_SET_MOD_DATA(&is_opened);
    return SUCCESS;
}

PS_CLOSE_FUNC(larder) {
    unlock();
    PS_SET_MOD_DATA(NULL);
    return SUCCESS;
}

PS_READ_FUNC(larder) {
    (void)mod_data;
    (void)maxlifetime;
    if (!is_id_or_warn(key)) {
        return FAILURE;
    }
    struct cache *cache = to_use();
    char bytes[SESSION_KEY_MAX];
    const struct cache_key name = key_of_id(key, bytes);
    if (!cache || !lock(cache, &name)) {
        return FAILURE;
    }
    struct cache_value value;
    if (!cache_find(cache, &name, false, &value)) {
        if (cache_exists(cache, &name)) { /* read as an empty session, it would be overwritten */
            php_error_docref(NULL, E_WARNING, "This process has no memory left to read the session");
            return FAILURE;
        }
        if (LARDER_G(session_unknown)) { /* the id was accepted without a look */
            php_error_docref(NULL, E_WARNING,
                             "Larder could not look for the session a moment ago; start it again");
            return FAILURE;
        }
        /* If the session was destroyed after PHP found it, it stays destroyed. */
        struct open_session *validated = &LARDER_G(session_validated);
        const bool destroyed = is_of(validated, &name);
        note_read(&name, destroyed, destroyed ? validated->expires : 0);
        validated->length = 0;
        *val = ZSTR_EMPTY_ALLOC();
        return SUCCESS;
    }
    /* The length is stored in front, because core rounds up to units. */
    size_t length = 0;
    if (value.kind == KIND_SESSION && value.length >= sizeof(length)) {
        memcpy(&length, value.bytes, sizeof(length));
        length = length <= value.length - sizeof(length) ? length : 0;
    }
    *val = zend_string_init((const char *)value.bytes + sizeof(length), length, false);
    note_read(&name, true, value.expires);
    return SUCCESS;
}

/* CACHE_ABSENT: there is no session to replace. */
static enum cache_result store(struct cache *cache, const struct cache_key *name, const zend_string *data,
                               uint64_t expires, enum cache_mode mode) {
    const size_t length = ZSTR_LEN(data);
    struct cache_span span;
    const enum cache_result result = cache_reserve(cache, name, sizeof(length) + length, mode, &span);
    if (result != CACHE_OK) {
        return result;
    }
    if (!cache_is_locked(cache, name)) { /* the segment was replaced just now */
        cache_abandon(cache);
        return CACHE_UNAVAILABLE;
    }
    memcpy(span.bytes, &length, sizeof(length));
    memcpy((char *)span.bytes + sizeof(length), ZSTR_VAL(data), length);
    memset((char *)span.bytes + sizeof(length) + length, 0, span.length - sizeof(length) - length);
    return cache_commit(cache, name, KIND_SESSION, expires, mode, NULL);
}

PS_WRITE_FUNC(larder) {
    if (!is_id_or_warn(key)) {
        return FAILURE;
    }
    char bytes[SESSION_KEY_MAX];
    const struct cache_key name = key_of_id(key, bytes);
    if (is_parents(&name)) {
        return SUCCESS; /* every child that ends comes here; the session is its parent's */
    }
    struct cache *cache = to_use();
    if (!cache || !is_locked_to_write(cache, &name)) {
        return FAILURE;
    }
    const uint64_t expires = expiry_of(maxlifetime);
    const struct open_session *session = open_session(&name);
    enum cache_result result = CACHE_ABSENT;
    if (session->found) {
        result = store(cache, &name, val, expires, CACHE_REPLACE);
        if (result == CACHE_ABSENT && !is_still_locked(cache, &name)) {
            return FAILURE; /* the segment is a new, empty one */
        }
        if (result == CACHE_ABSENT && (session->expires == 0 || cache_now() < session->expires)) {
            return SUCCESS; /* another request has destroyed the session, which stays destroyed, as with PHP's files */
        }
    }
    if (result == CACHE_ABSENT) {
        result = store(cache, &name, val, expires, CACHE_SET);
    }
    if (result == CACHE_OK) {
        note_found(&name, true, expires);
    } else if (is_still_locked(cache, &name)) {
        warn_refused(cache, result, ZSTR_LEN(val));
    }
    return result == CACHE_OK ? SUCCESS : FAILURE;
}

PS_UPDATE_TIMESTAMP_FUNC(larder) {
    if (!is_id_or_warn(key)) {
        return FAILURE;
    }
    char bytes[SESSION_KEY_MAX];
    const struct cache_key name = key_of_id(key, bytes);
    if (is_parents(&name)) {
        return SUCCESS;
    }
    struct cache *cache = to_use();
    if (!cache || !is_locked_to_write(cache, &name)) {
        return FAILURE;
    }
    const uint64_t expires = expiry_of(maxlifetime);
    const enum cache_result result = cache_touch(cache, &name, expires);
    if (result == CACHE_ABSENT) { /* the session is new, or was removed since it was read */
        return ps_write_larder(mod_data, key, val, maxlifetime);
    }
    if (result == CACHE_OK) {
        note_found(&name, true, expires);
    } else if (is_still_locked(cache, &name)) {
        warn_refused(cache, result, ZSTR_LEN(val));
    }
    return result == CACHE_OK ? SUCCESS : FAILURE;
}

PS_DESTROY_FUNC(larder) {
    if (!is_id_or_warn(key)) {
        return FAILURE;
    }
    char bytes[SESSION_KEY_MAX];
    const struct cache_key name = key_of_id(key, bytes);
    if (is_parents(&name)) {
        php_error_docref(
            NULL, E_WARNING,
            "The session is open in the parent of this process. Close it and start it here to destroy it");
        return FAILURE;
    }
    struct cache *cache = to_use();
    if (!cache) {
        return FAILURE;
    }
    const enum cache_result result = cache_delete(cache, &name);
    note_found(&name, false, 0); /* if the session is written again, it is a new one */
    LARDER_G(session_validated).length = 0;
    zend_hash_str_del(&LARDER_G(sessions_left), name.bytes, name.length);
    return result == CACHE_OK || result == CACHE_ABSENT ? SUCCESS : FAILURE;
}

PS_GC_FUNC(larder) {
    (void)mod_data;
    (void)maxlifetime;
    *nrdels = 0; /* expired sessions are misses, and their memory is reused */
    return 0;
}

static bool exists(zend_string *id) {
    struct cache *cache = to_use();
    char bytes[SESSION_KEY_MAX];
    const struct cache_key name = key_of_id(id, bytes);
    return cache && cache_exists(cache, &name);
}

PS_CREATE_SID_FUNC(larder) {
    for (int i = 0; i < CREATE_TRIES; i++) {
        zend_string *id = create_id(mod_data);
        if (!id || !exists(id)) {
            return id;
        }
        zend_string_release(id);
    }
    return NULL;
}

/* Succeeds also if it is unknown whether the session exists; then the read finds the session or fails. After a
 * failure here, PHP would replace the visitor's id. */
PS_VALIDATE_SID_FUNC(larder) {
    (void)mod_data;
    if (!is_id(key)) {
        return FAILURE;
    }
    struct cache *cache = to_use();
    char bytes[SESSION_KEY_MAX];
    const struct cache_key name = key_of_id(key, bytes);
    struct cache_entry entry;
    const enum cache_result result =
        cache && cache_create(cache) ? cache_describe(cache, &name, &entry) : CACHE_UNAVAILABLE;
    LARDER_G(session_unknown) = result == CACHE_UNAVAILABLE;
    struct open_session *validated = &LARDER_G(session_validated);
    validated->length = 0;
    if (result == CACHE_OK) {
        validated->length = name.length;
        validated->expires = entry.expires;
        memcpy(validated->key, name.bytes, name.length);
    }
    return result == CACHE_ABSENT ? FAILURE : SUCCESS;
}

static const ps_module handler = {PS_MOD_UPDATE_TIMESTAMP(larder)};

void session_register(void) {
    typedef int (*registers)(const ps_module *);
    /* Copied through memory, since C has no cast between pointers to data and to functions. */
    registers registers_module = NULL;
    void *found = zend_hash_str_exists(&module_registry, ZEND_STRL("session"))
                      ? dlsym(RTLD_DEFAULT, "php_session_register_module")
                      : NULL;
    void *creator = dlsym(RTLD_DEFAULT, "php_session_create_id");
    if (found && creator) {
        memcpy(&registers_module, &found, sizeof(found));
        memcpy(&create_id, &creator, sizeof(creator));
        registers_module(&handler);
    }
}

#endif
