/* The arrays that dashboards and status pages read: the shapes are APCu's, the figures are the engine's. */
#include "php_apcu.h"
#include "shape.h"

static zend_array *of_key, *of_list, *of_cache;

void info_register(void) {
    static const char *const key[] = {"hits",          "access_time", "mtime", "creation_time",
                                      "deletion_time", "ttl",         "refs"};
    static const char *const list[] = {"info",          "ttl",         "num_hits",  "mtime",   "creation_time",
                                       "deletion_time", "access_time", "ref_count", "mem_size"};
    static const char *const cache[] = {"num_slots",   "ttl",         "num_hits", "num_misses",
                                        "num_inserts", "num_entries", "cleanups", "defragmentations",
                                        "expunges",    "start_time",  "mem_size", "memory_type"};
    of_key = shape_new(key, sizeof(key) / sizeof(key[0]));
    of_list = shape_new(list, sizeof(list) / sizeof(list[0]));
    of_cache = shape_new(cache, sizeof(cache) / sizeof(cache[0]));
    zval *type = &of_cache->arData[of_cache->nNumUsed - 1].val;
    ZVAL_INTERNED_STR(type, zend_string_init_interned(ZEND_STRL("mmap"), true));
}

void info_unregister(void) {
    shape_free(of_key);
    shape_free(of_list);
    shape_free(of_cache);
}

ZEND_FUNCTION(apcu_key_info) {
    zend_string *key;
    struct larder_entry entry;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();

    if (!is_enabled() || !larder->describe(key, &entry)) {
        RETURN_NULL();
    }
    Bucket *part = shape_copy(of_key, return_value);
    ZVAL_LONG(&part++->val, entry.used);
    ZVAL_LONG(&part++->val, (zend_long)entry.stored); /* the time of the last fetch is not recorded */
    ZVAL_LONG(&part++->val, (zend_long)entry.stored);
    ZVAL_LONG(&part++->val, (zend_long)entry.stored);
    part++; /* not deleted */
    ZVAL_LONG(&part->val, entry.ttl);
}

static void add_entry(zval *list, const struct larder_entry *entry) {
    zval item;
    Bucket *part = shape_copy(of_list, &item);
    ZVAL_STRINGL(&part++->val, entry->key, entry->key_length);
    ZVAL_LONG(&part++->val, entry->ttl);
    ZVAL_DOUBLE(&part++->val, entry->used);
    ZVAL_LONG(&part++->val, (zend_long)entry->stored);
    ZVAL_LONG(&part++->val, (zend_long)entry->stored);
    part++; /* not deleted */
    ZVAL_LONG(&part++->val, (zend_long)entry->stored);
    part++; /* no references: they are not counted */
    ZVAL_LONG(&part->val, (zend_long)entry->size);
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

    if (!is_enabled()) {
        php_error_docref(NULL, E_WARNING,
                         "No APC info available.  Perhaps APC is not enabled? Check apc.enabled in "
                         "your ini file");
        RETURN_FALSE;
    }
    larder->read_usage(&usage);
    Bucket *part = shape_copy(of_cache, return_value);
    ZVAL_LONG(&part++->val, (zend_long)usage.slots);
    ZVAL_LONG(&part++->val, APCU_G(ttl));
    ZVAL_DOUBLE(&part++->val, (double)usage.hits);
    ZVAL_DOUBLE(&part++->val, (double)usage.misses);
    ZVAL_DOUBLE(&part++->val, (double)usage.stores);
    ZVAL_LONG(&part++->val, (zend_long)usage.entries);
    part += 3; /* this part of APCu's work never happens here: cleanups, defragmentations, expunges */
    ZVAL_LONG(&part++->val, (zend_long)usage.created);
    ZVAL_DOUBLE(&part->val, (double)usage.live);
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

/* Memory that eviction would free counts as available. Otherwise monitors would raise the alarm for a full cache,
 * which is no fault. */
ZEND_FUNCTION(apcu_sma_info) {
    bool limited = false;
    struct larder_memory memory;

    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_BOOL(limited)
    ZEND_PARSE_PARAMETERS_END();

    if (!is_enabled()) {
        php_error_docref(NULL, E_WARNING, "No APC SMA info available.  Perhaps APC is disabled via apc.enabled?");
        RETURN_FALSE;
    }
    larder->read_memory(&memory);
    array_init_size(return_value, 4);
    add_assoc_long(return_value, "num_seg", 1);
    add_assoc_double(return_value, "seg_size", (double)memory.pages);
    add_assoc_double(return_value, "avail_mem", (double)(memory.pages - memory.held));
    if (!limited) {
        add_block_lists(return_value, memory.pages - memory.held);
    }
}

ZEND_FUNCTION(apcu_enabled) {
    ZEND_PARSE_PARAMETERS_NONE();

    RETURN_BOOL(is_enabled() && larder->is_enabled());
}
