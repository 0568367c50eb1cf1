/*
 * The engine's interface for other modules of PHP: a cache in a separate segment, beside that of the functions
 * larder_*(). Today there is one such module, apcu; its segment is named <larder.segment>.apcu.
 *
 * A module that requires "larder" finds this table by LARDER_API_SYMBOL in that module's library, whatever the order
 * of both in php.ini, and compares the version.
 *
 * The promises are those of the engine: no call waits for another process, a fetched value stays unchanged until the
 * request ends, and a process may be killed at any moment. Without a cache (system not supported, larder.enabled
 * off, no memory) every function behaves as with an empty cache that refuses each store; larder_last_error_msg()
 * says why. Keys are 1 to 65,535 bytes long; other keys are absent and cannot be stored. Each thread has its own
 * state; none is shared.
 */
#ifndef LARDER_API_H
#define LARDER_API_H

#include "php.h"

#define LARDER_API_VERSION 4
#define LARDER_API_SYMBOL "larder_api"

struct larder_entry {
    const char *key; /* valid until the next call with the same walk */
    uint32_t key_length;
    size_t size;   /* bytes of memory: header, key and value */
    time_t stored; /* time of the store, up to a second early */
    zend_long ttl; /* seconds from store to expiry; 0: no expiry */
    bool used;     /* fetched since it was stored, or since eviction last moved it */
};

struct larder_usage {
    size_t live; /* bytes of entries */
    size_t entries, slots;
    uint64_t hits, misses, stores; /* counts of all processes since the segment was created */
    time_t created;
};

struct larder_memory {
    size_t pages; /* bytes of all pages */
    size_t held;  /* bytes of those that no store can take now, because readers hold them */
};

struct larder_walk;

struct larder_api {
    uint32_t version; /* LARDER_API_VERSION */

    /* Sets the size of the segment in bytes, from 8 MiB to 64 GiB. Called at module start and when the setting
     * changes. */
    void (*use)(zend_long size);

    /* False: larder.enabled is off. */
    bool (*is_enabled)(void);

    /* False: a miss, or an object that cannot be unserialized. Fetching an object may run user code. */
    bool (*fetch)(zend_string *key, zval *value);
    /* The same, but an object that cannot be unserialized is the value false. */
    bool (*fetch_entry)(zend_string *key, zval *value);
    bool (*exists)(zend_string *key);

    /* False: refused, perhaps with an exception; or, with `adds`, the key exists. Without `adds`, a refused value
     * deletes the old one. `ttl`: seconds, 0 for no expiry. */
    bool (*store)(zend_string *key, zval *value, zend_long ttl, bool adds);

    /* Adds to an integer; a sum outside the range wraps around. A missing integer is created as `step`. False: the
     * value is not an integer, or the call was refused. */
    bool (*count)(zend_string *key, zend_long step, zend_long ttl, zend_long *sum);

    /* Replaces an integer if it is `expected`. */
    bool (*swap)(zend_string *key, zend_long expected, zend_long desired);

    bool (*remove)(zend_string *key);
    void (*remove_prefix)(const char *prefix, size_t length);
    void (*clear)(void);

    /* False: absent. */
    bool (*describe)(zend_string *key, struct larder_entry *entry);

    /* Walks over all entries whose keys begin with a prefix, none twice. NULL: out of memory. */
    struct larder_walk *(*walk_begin)(const char *prefix, size_t length);
    bool (*walk_next)(struct larder_walk *walk, struct larder_entry *entry); /* false: none is left */
    /* Sets whether values are wanted from now on; at first they are not. walk_value() then returns the value of the
     * entry returned last, if it could be read with the entry, which has counted as a hit. False: fetch the value
     * instead. */
    void (*walk_values)(struct larder_walk *walk, bool wanted);
    bool (*walk_value)(struct larder_walk *walk, zval *value);
    /* From now on, returns only keys for which `wants` is true. It is called with `context`, and must not call the
     * engine. */
    void (*walk_only)(struct larder_walk *walk, bool (*wants)(const void *context, const char *key, size_t length),
                      const void *context);
    void (*walk_end)(struct larder_walk *walk);

    /* Without a segment, these return the figures of an empty one. */
    void (*read_usage)(struct larder_usage *usage);
    void (*read_memory)(struct larder_memory *memory);

    /* Claims the right to compute a key, which one process has at a time. It lasts until the process ends the claim,
     * its request, or itself. False: another process has the claim, or it is not available. */
    bool (*claim)(zend_string *key);
    /* After claim() has failed: waits for the claim, for 10 ms at most; then claim() again. False: the claim is not
     * available. */
    bool (*await_claim)(zend_string *key);
    void (*end_claim)(zend_string *key);
};

#endif
