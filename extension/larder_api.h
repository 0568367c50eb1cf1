/*
 * What the engine offers to other modules of PHP: a cache in a segment of their own, beside that of the functions
 * larder_*(). Today that is one module, apcu, and its segment is named <larder.segment>.apcu.
 *
 * A module that requires "larder" finds this table by LARDER_API_SYMBOL in the library of that module, whatever the order
 * of both in php.ini, and compares the version.
 *
 * Promises are those of the engine: nothing waits for another process, a fetched value stays unchanged until the request
 * ends, and a process may be killed at any moment. Without a cache (not on this system, larder.enabled off, no memory)
 * every function behaves as with an empty one that refuses each store; larder_last_error_msg() says why. Keys are 1 to
 * 65,535 bytes long; others are absent, and cannot be stored. Each thread has its own state; none is shared.
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
    time_t stored; /* when, up to a second early */
    zend_long ttl; /* seconds that it was stored for, 0: no expiry */
    bool used;     /* fetched since it was stored, or since eviction last moved it */
};

struct larder_usage {
    size_t live; /* bytes of entries */
    size_t entries, slots;
    uint64_t hits, misses, stores; /* of all processes since the segment was created */
    time_t created;
};

struct larder_memory {
    size_t pages; /* bytes, which all values share */
    size_t held;  /* those that no store can have now, because readers hold them */
};

struct larder_walk;

struct larder_api {
    uint32_t version; /* LARDER_API_VERSION */

    /* Once, at module start or when the setting changes: the bytes of the segment, from 8 MiB to 64 GiB. */
    void (*use)(zend_long size);

    /* False: larder.enabled is off. */
    bool (*is_enabled)(void);

    /* False: a miss, or an object that cannot be unserialized. Runs user code then. */
    bool (*fetch)(zend_string *key, zval *value);
    /* The same, but an object that cannot be unserialized is the value false. */
    bool (*fetch_entry)(zend_string *key, zval *value);
    bool (*exists)(zend_string *key);

    /* False: refused, perhaps with an exception, or with `adds` the key exists. A refused value that is not added deletes
     * the old one. `ttl`: seconds, 0 for no expiry. */
    bool (*store)(zend_string *key, zval *value, zend_long ttl, bool adds);

    /* Adds to an integer, past the end of the range from its other end on; a missing one is created as `step`. False: no
     * integer, or refused. */
    bool (*count)(zend_string *key, zend_long step, zend_long ttl, zend_long *sum);

    /* Replaces an integer if it is `expected`. */
    bool (*swap)(zend_string *key, zend_long expected, zend_long desired);

    bool (*remove)(zend_string *key);
    void (*remove_prefix)(const char *prefix, size_t length);
    void (*clear)(void);

    /* False: absent. */
    bool (*describe)(zend_string *key, struct larder_entry *entry);

    /* All entries whose keys begin with a prefix, none twice. NULL: out of memory. */
    struct larder_walk *(*walk_begin)(const char *prefix, size_t length);
    bool (*walk_next)(struct larder_walk *walk, struct larder_entry *entry); /* false: none is left */
    /* Whether values are wanted from now on; at first not. Then walk_value() gives that of the entry given last, if it could
     * be read with it, and that has counted as a hit. False: it is to be fetched. */
    void (*walk_values)(struct larder_walk *walk, bool wanted);
    bool (*walk_value)(struct larder_walk *walk, zval *value);
    /* From now on only keys for which `wants` is true. It is called with `context`, and must not call the engine. */
    void (*walk_only)(struct larder_walk *walk, bool (*wants)(const void *context, const char *key, size_t length),
                      const void *context);
    void (*walk_end)(struct larder_walk *walk);

    /* Without a segment those of an empty one. */
    void (*read_usage)(struct larder_usage *usage);
    void (*read_memory)(struct larder_memory *memory);

    /* The right to compute a key, which one process has at a time: until it ends the claim, or its request or the process
     * ends. False: another has it, or it cannot be had. */
    bool (*claim)(zend_string *key);
    /* After that, waits for it, at most for 10 ms; ask again. False: it cannot be had. */
    bool (*await_claim)(zend_string *key);
    void (*end_claim)(zend_string *key);
};

#endif
