#include "info.h"
#include "attach.h"
#include "objects.h"

#include "ext/standard/info.h"

#include <unistd.h>

enum { HOLDERS = 10 };

static void add_count(zval *array, const char *name, uint64_t count) {
    add_assoc_long(array, name, (zend_long)count);
}

static bool points_to_values(const struct cache_info *info) {
    return info->fixed && LARDER_G(zero_copy);
}

static void add_memory(zval *result, const struct cache_info *info) {
    zval memory;
    array_init(&memory);
    add_count(&memory, "page_size", info->page_size);
    add_count(&memory, "pages", info->pages);
    add_count(&memory, "free", info->pages_free);
    add_count(&memory, "open", info->pages_open);
    add_count(&memory, "closed", info->pages_closed);
    add_count(&memory, "limbo", info->pages_limbo);
    add_count(&memory, "run", info->pages_run);
    add_count(&memory, "dead", info->bytes_dead);
    add_count(&memory, "committed", info->memory);
    add_assoc_zval(result, "memory", &memory);
}

static void add_evictions(zval *result, const struct cache_info *info) {
    zval evictions;
    array_init(&evictions);
    add_count(&evictions, "room", info->evicted);
    add_count(&evictions, "expired", info->expired);
    add_count(&evictions, "index", info->displaced);
    add_assoc_zval(result, "evictions", &evictions);
}

static void add_refusals(zval *result, const struct cache_info *info) {
    zval refusals;
    array_init(&refusals);
    add_count(&refusals, "size", info->refused_size);
    add_count(&refusals, "room", info->refused_room);
    add_assoc_zval(result, "refusals", &refusals);
}

static void add_pins(zval *result, const struct cache_info *info) {
    zval pins;
    array_init(&pins);
    add_count(&pins, "pages", info->pages_pinned);
    add_count(&pins, "limit", info->pin_limit);
    add_count(&pins, "long_lived", info->pages_pinned_long);
    add_count(&pins, "long_lived_limit", info->pin_limit_long);
    add_count(&pins, "mine", info->pages_held_by_me);
    add_assoc_zval(result, "pins", &pins);
}

static void add_holders(zval *processes, struct cache *cache) {
    struct cache_holder holders[HOLDERS];
    size_t count = !cache ? 0 : cache_read_holders(cache, holders, HOLDERS);
    zval list, holder;
    array_init_size(&list, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        array_init(&holder);
        add_count(&holder, "record", holders[i].record);
        add_count(&holder, "pid", (uint64_t)holders[i].process);
        add_count(&holder, "pages", holders[i].pages);
        add_assoc_bool(&holder, "mine", holders[i].me);
        add_assoc_bool(&holder, "long_lived", holders[i].long_lived);
        add_next_index_zval(&list, &holder);
    }
    add_assoc_zval(processes, "holders", &list);
}

static void add_processes(zval *result, struct cache *cache, const struct cache_info *info) {
    zval processes;
    array_init(&processes);
    add_count(&processes, "attached", info->processes);
    add_count(&processes, "limit", info->process_limit);
    add_count(&processes, "mine", info->record);
    add_count(&processes, "swept", info->swept);
    add_holders(&processes, cache);
    add_assoc_zval(result, "processes", &processes);
}

/* The settings that the segment was made with others for: name => [here, segment]. */
static void add_difference(zval *settings, const char *name, zval *here, zval *segment) {
    zval both;
    array_init_size(&both, 2);
    add_assoc_zval(&both, "here", here);
    add_assoc_zval(&both, "segment", segment);
    add_assoc_zval(settings, name, &both);
}

static void add_integers(zval *settings, const char *name, uint64_t here, uint64_t segment) {
    if (here != segment) {
        zval values[2];
        ZVAL_LONG(&values[0], (zend_long)here);
        ZVAL_LONG(&values[1], (zend_long)segment);
        add_difference(settings, name, &values[0], &values[1]);
    }
}

static void add_settings(zval *result, const struct cache_info *info, bool is_made) {
    zval settings, values[2];
    array_init(&settings);
    if (is_made) {
        add_integers(&settings, "larder.size", info->size_asked, info->size_made_for);
        add_integers(&settings, "larder.processes", (uint64_t)LARDER_G(processes), info->process_limit);
        if (info->pin_share_made_for != (size_t)(LARDER_G(pin_share) * 1e6 + 0.5)) {
            ZVAL_DOUBLE(&values[0], LARDER_G(pin_share));
            ZVAL_DOUBLE(&values[1], (double)info->pin_share_made_for / 1e6);
            add_difference(&settings, "larder.pin_share", &values[0], &values[1]);
        }
    }
    add_assoc_zval(result, "settings", &settings);
}

/* What there is at the moment; false: nothing, and why stands in `reason`, which else is a note or empty. */
static bool read_info(struct cache *cache, bool tables, struct cache_info *info, const char **reason) {
    if (!cache && LARDER_G(absent)) { /* all of it is zeros and empty */
        memset(info, 0, sizeof(*info));
        info->path = "";
        info->size_asked = (size_t)LARDER_G(size);
        info->fixed = true; /* as it will be, but where the address is taken */
        *reason = "";
        return true;
    }
    const bool available = cache && (tables ? cache_read_info : cache_read_counters)(cache, info);
    *reason = available ? LARDER_G(reason) : attach_reason();
    return available;
}

void info_of_entry(const struct cache_entry *entry, zval *result) {
    const uint64_t now = entry->expires ? cache_now() : 0;
    const uint64_t left =
        entry->expires > now ? entry->expires - now : 1; /* it expires just now: 0 would be never */
    array_init_size(result, 4);
    add_assoc_double(result, "ttl", entry->expires ? (double)left / 1000 : 0);
    add_count(result, "age", entry->age);
    add_count(result, "size", entry->size);
    add_assoc_bool(result, "used", entry->used);
}

void info_array(struct cache *cache, bool tables, zval *result) {
    struct cache_info info;
    const char *reason;
    const bool available = read_info(cache, tables, &info, &reason);
    array_init(result);
    add_assoc_bool(result, "available", available);
    add_assoc_string(result, "reason", reason);
    add_assoc_string(result, "version", LARDER_VERSION);
    add_assoc_string(result, "segment", LARDER_G(segment));
    add_count(result, "user", geteuid());
    if (!available) {
        return;
    }
    add_assoc_string(result, "path", info.path);
    add_assoc_double(result, "age", (double)info.age_ms / 1000);
    add_count(result, "size", info.size);
    add_count(result, "size_asked", info.size_asked);
    add_settings(result, &info, cache != NULL);
    add_assoc_bool(result, "zero_copy", points_to_values(&info));
    add_assoc_string(result, "serializer", objects_use_igbinary() ? "igbinary" : "php");
    add_count(result, "slots", info.slots);
    add_count(result, "hits", info.hits);
    add_count(result, "misses", info.misses);
    add_count(result, "unreadable", info.unreadable);
    add_count(result, "stores", info.stores);
    add_count(result, "deletes", info.deletes);
    add_count(result, "copies", info.copies);
    add_evictions(result, &info);
    add_count(result, "moves", info.moved);
    add_refusals(result, &info);
    if (!tables) {
        return;
    }
    add_memory(result, &info);
    add_count(result, "entries", info.entries);
    add_assoc_double(result, "oldest", (double)info.oldest_ms / 1000);
    add_pins(result, &info);
    add_processes(result, cache, &info);
}

/* ---- phpinfo() ------------------------------------------------------------------------------- */

static void row(const char *name, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

static void row(const char *name, const char *format, ...) {
    char text[MAXPATHLEN];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    php_info_print_table_row(2, name, text);
}

void info_page(struct cache *cache) {
    struct cache_info info;
    const char *reason;
    const bool available = read_info(cache, true, &info, &reason);
    php_info_print_table_start();
    php_info_print_table_row(2, "Larder", available ? "available" : "not available here");
    php_info_print_table_row(2, "Version", LARDER_VERSION);
    if (reason[0]) {
        php_info_print_table_row(2, available ? "Note" : "Reason", reason);
    }
    row("User", "%u (each user has a cache of their own)", (unsigned)geteuid());
    php_info_print_table_row(2, "Objects are serialized by", objects_use_igbinary() ? "igbinary" : "serialize()");
    if (available && !cache) {
        php_info_print_table_row(2, "Segment", "the first store makes it");
    } else if (available) {
        php_info_print_table_row(2, "Segment", info.path);
        row("Size", "%zu bytes, %zu pages of %zu", info.size, info.pages, info.page_size);
        row("Memory taken", "%zu bytes", info.memory);
        php_info_print_table_row(2, "Values are", points_to_values(&info) ? "pointed to" : "copied");
        row("Entries", "%zu of %zu", info.entries, info.slots);
        row("What nobody uses stays for", "%" PRIu64 " s so far", info.oldest_ms / 1000);
        row("Hits, misses", "%" PRIu64 ", %" PRIu64, info.hits, info.misses);
        row("Stores", "%" PRIu64, info.stores);
        row("Evicted for room", "%" PRIu64, info.evicted);
        row("Pages held by readers", "%zu, at most %zu", info.pages_pinned, info.pin_limit);
        row("Processes", "%u of %u", info.processes, info.process_limit);
    }
    php_info_print_table_end();
}
