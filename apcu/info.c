/* What dashboards and status pages read: the shapes are APCu's, the figures the engine's. */
#include "php_apcu.h"

ZEND_FUNCTION(apcu_key_info) {
    zend_string *key;
    struct larder_entry entry;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();

    if (!APCU_G(enabled) || !larder->describe(key, &entry)) {
        RETURN_NULL();
    }
    array_init_size(return_value, 7);
    add_long(return_value, NAME_HITS, entry.used);
    add_long(return_value, NAME_ACCESS_TIME, (zend_long)entry.stored); /* of the last fetch nothing is written */
    add_long(return_value, NAME_MTIME, (zend_long)entry.stored);
    add_long(return_value, NAME_CREATION_TIME, (zend_long)entry.stored);
    add_long(return_value, NAME_DELETION_TIME, 0);
    add_long(return_value, NAME_TTL, entry.ttl);
    add_long(return_value, NAME_REFS, 0);
}

static void add_entry(zval *list, const struct larder_entry *entry) {
    zval item, key, hits;
    array_init_size(&item, 9);
    ZVAL_STRINGL(&key, entry->key, entry->key_length);
    ZVAL_DOUBLE(&hits, entry->used);
    add_value(&item, NAME_INFO, &key);
    add_long(&item, NAME_TTL, entry->ttl);
    add_value(&item, NAME_NUM_HITS, &hits);
    add_long(&item, NAME_MTIME, (zend_long)entry->stored);
    add_long(&item, NAME_CREATION_TIME, (zend_long)entry->stored);
    add_long(&item, NAME_DELETION_TIME, 0);
    add_long(&item, NAME_ACCESS_TIME, (zend_long)entry->stored);
    add_long(&item, NAME_REF_COUNT, 0);
    add_long(&item, NAME_MEM_SIZE, (zend_long)entry->size);
    add_next_index_zval(list, &item);
}

static void add_lists(zval *info) {
    zval list, nothing;
    struct larder_entry entry;
    struct larder_walk *walk = larder->walk_begin("", 0);
    array_init(&list);
    while (walk && larder->walk_next(walk, &entry)) {
        add_entry(&list, &entry);
    }
    if (walk) {
        larder->walk_end(walk);
    }
    add_assoc_zval(info, "cache_list", &list);
    ZVAL_EMPTY_ARRAY(&nothing);
    add_assoc_zval(info, "deleted_list", &nothing);
    add_assoc_zval(info, "slot_distribution", &nothing);
}

ZEND_FUNCTION(apcu_cache_info) {
    bool limited = false;
    struct larder_usage usage;

    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_BOOL(limited)
    ZEND_PARSE_PARAMETERS_END();

    if (!APCU_G(enabled)) {
        php_error_docref(NULL, E_WARNING,
                         "No APC info available.  Perhaps APC is not enabled? Check apc.enabled in "
                         "your ini file");
        RETURN_FALSE;
    }
    larder->read_usage(&usage);
    array_init_size(return_value, 15);
    add_assoc_long(return_value, "num_slots", (zend_long)usage.slots);
    add_assoc_long(return_value, "ttl", APCU_G(ttl));
    add_assoc_double(return_value, "num_hits", (double)usage.hits);
    add_assoc_double(return_value, "num_misses", (double)usage.misses);
    add_assoc_double(return_value, "num_inserts", (double)usage.stores);
    add_assoc_long(return_value, "num_entries", (zend_long)usage.entries);
    add_assoc_long(return_value, "cleanups", 0); /* these three stop APCu for all; here they never happen */
    add_assoc_long(return_value, "defragmentations", 0);
    add_assoc_long(return_value, "expunges", 0);
    add_assoc_long(return_value, "start_time", (zend_long)usage.created);
    add_assoc_double(return_value, "mem_size", (double)usage.live);
    add_assoc_string(return_value, "memory_type", "mmap");
    if (!limited) {
        add_lists(return_value);
    }
}

/* One block: the engine's memory is not fragmented. */
static void add_block_lists(zval *info, size_t available) {
    zval block, blocks, lists;
    array_init_size(&block, 2);
    add_assoc_long(&block, "size", (zend_long)available);
    add_assoc_long(&block, "offset", 0);
    array_init_size(&blocks, 1);
    add_next_index_zval(&blocks, &block);
    array_init_size(&lists, 1);
    add_next_index_zval(&lists, &blocks);
    add_assoc_zval(info, "block_lists", &lists);
}

/* What eviction would free counts as available: a full cache is no fault, and monitors would raise the alarm. */
ZEND_FUNCTION(apcu_sma_info) {
    bool limited = false;
    struct larder_usage usage;

    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_BOOL(limited)
    ZEND_PARSE_PARAMETERS_END();

    if (!APCU_G(enabled)) {
        php_error_docref(NULL, E_WARNING, "No APC SMA info available.  Perhaps APC is disabled via apc.enabled?");
        RETURN_FALSE;
    }
    larder->read_usage(&usage);
    array_init_size(return_value, 4);
    add_assoc_long(return_value, "num_seg", 1);
    add_assoc_double(return_value, "seg_size", (double)usage.bytes);
    add_assoc_double(return_value, "avail_mem", (double)(usage.bytes - usage.held));
    if (!limited) {
        add_block_lists(return_value, usage.bytes - usage.held);
    }
}

ZEND_FUNCTION(apcu_enabled) {
    ZEND_PARSE_PARAMETERS_NONE();

    RETURN_BOOL(APCU_G(enabled) && larder->is_enabled());
}
