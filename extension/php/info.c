#include "info.h"
#include "attach.h"
#include "serialize.h"

#include "ext/standard/info.h"
#include "ext/standard/php_math.h"

#include <pwd.h>
#include <unistd.h>

enum { HOLDERS = 10 };

static void add_count(zval *array, const char *name, uint64_t count) {
    add_assoc_long(array, name, (zend_long)count);
}

struct count {
    const char *name; /* NULL ends a list */
    uint64_t value;
};

static void add_counts(zval *array, const struct count *counts) {
    for (; counts->name; counts++) {
        add_count(array, counts->name, counts->value);
    }
}

static void add_group(zval *result, const char *name, const struct count *counts) {
    zval group;
    array_init(&group);
    add_counts(&group, counts);
    add_assoc_zval(result, name, &group);
}

static bool is_zero_copy(const struct cache_info *info) {
    return info->fixed && LARDER_G(zero_copy);
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

/* clang-format off */
static void add_processes(zval *result, struct cache *cache, const struct cache_info *info) {
    zval processes;
    array_init(&processes);
    add_counts(&processes, (const struct count[]){
        {"attached", info->processes}, {"limit", info->process_limit}, {"mine", info->record},
        {"reaped", info->swept}, {NULL, 0}});
    add_holders(&processes, cache);
    add_assoc_zval(result, "processes", &processes);
}
/* clang-format on */

/* Adds a setting that differs from the one that the segment was created with: name => [here, segment]. */
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

static void add_settings(zval *result, const struct cache_info *info, bool exists) {
    zval settings, values[2];
    array_init(&settings);
    if (exists) {
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

static void add_ages(zval *result, const struct cache_info *info) {
    const size_t number = sizeof info->evicted_ages / sizeof *info->evicted_ages;
    zval ages;
    array_init_size(&ages, number);
    for (size_t i = 0; i < number; i++) {
        add_next_index_long(&ages, (zend_long)info->evicted_ages[i]);
    }
    add_assoc_zval(result, "evicted_ages", &ages);
}

/* False: no cache is available, and `reason` says why. Otherwise `reason` is a note or "". */
static bool read_info(struct cache *cache, bool tables, struct cache_info *info, const char **reason) {
    if (!cache && LARDER_G(own).absent) { /* an empty cache */
        memset(info, 0, sizeof(*info));
        info->path = "";
        info->size_asked = (size_t)LARDER_G(size);
        info->fixed = true; /* as it will be, unless the address is taken */
        *reason = "";
        return true;
    }
    const bool available = cache && (tables ? cache_read_info : cache_read_counters)(cache, info);
    *reason = available ? LARDER_G(own).reason : attach_reason(&LARDER_G(own));
    return available;
}

void info_of_entry(const struct cache_entry *entry, zval *result) {
    const uint64_t now = entry->expires ? cache_now() : 0;
    const uint64_t left =
        entry->expires > now ? entry->expires - now : 1; /* 1 if it expires right now: 0 means never */
    array_init_size(result, 7);
    add_assoc_double(result, "ttl", entry->expires ? (double)left / 1000 : 0);
    add_count(result, "age", entry->age);
    add_count(result, "size", entry->size);
    add_assoc_bool(result, "used", entry->used);
    add_assoc_bool(result, "often", entry->often);
    if (entry->kept > entry->expires || entry->cost > 0) {
        add_assoc_double(result, "stale",
                         entry->kept > entry->expires ? (double)(entry->kept - entry->expires) / 1000 : 0);
        add_assoc_double(result, "cost", (double)entry->cost / CACHE_COSTS_A_SECOND);
    }
}

/* clang-format off */
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
    add_assoc_bool(result, "zero_copy", is_zero_copy(&info));
    add_assoc_string(result, "serializer", serialize_uses_igbinary() ? "igbinary" : "php");
    add_counts(result, (const struct count[]){
        {"slots", info.slots}, {"hits", info.hits}, {"misses", info.misses}, {"unreadable", info.unreadable},
        {"stores", info.stores}, {"deletes", info.deletes}, {"clears", info.clears}, {"copies", info.copies}, {"moves", info.moved},
        {NULL, 0}});
    add_group(result, "evictions", (const struct count[]){
        {"room", info.evicted}, {"expired", info.expired}, {"index", info.displaced},
        {"unread", info.evicted_unread}, {"seconds", info.evicted_seconds}, {NULL, 0}});
    add_ages(result, &info);
    add_group(result, "refusals", (const struct count[]){
        {"size", info.refused_size}, {"room", info.refused_room}, {NULL, 0}});
    if (!tables) {
        return;
    }
    add_group(result, "memory", (const struct count[]){
        {"page_size", info.page_size}, {"pages", info.pages}, {"free", info.pages_free},
        {"open", info.pages_open}, {"closed", info.pages_closed}, {"limbo", info.pages_limbo},
        {"large", info.pages_run}, {"dead", info.bytes_dead}, {"committed", info.memory}, {NULL, 0}});
    add_count(result, "entries", info.entries);
    add_assoc_double(result, "oldest", (double)info.oldest_ms / 1000);
    add_group(result, "pins", (const struct count[]){
        {"pages", info.pages_pinned_any}, {"limit", info.pin_limit}, {"long_lived", info.pages_pinned_long},
        {"long_lived_limit", info.pin_limit_long}, {"mine", info.pages_held_by_me}, {"scans", info.scans},
        {"released", info.scan_pages}, {"scan_us", info.scan_ns / 1000}, {NULL, 0}});
    add_processes(result, cache, &info);
}
/* clang-format on */

/* ---- phpinfo() ------------------------------------------------------------------------------- */

static void row(const char *name, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

static void row(const char *name, const char *format, ...) {
    char text[MAXPATHLEN];
    va_list arguments;
    va_start(arguments, format);
    ap_php_vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    php_info_print_table_row(2, name, text);
}

/* "64 MiB", "5.3 MiB". */
static void memory_row(const char *name, uint64_t bytes) {
    row(name, bytes % (1 << 20) ? "%.1f MiB" : "%.0f MiB", (double)bytes / (1 << 20));
}

static void count_row(const char *name, uint64_t count) {
    zend_string *text = _php_math_number_format((double)count, 0, '.', ',');
    php_info_print_table_row(2, name, ZSTR_VAL(text));
    zend_string_release(text);
}

static void user_row(void) {
    char buffer[4096];
    struct passwd entry, *found = NULL;
    const unsigned id = (unsigned)geteuid();
    if (getpwuid_r(id, &entry, buffer, sizeof(buffer), &found) == 0 && found) {
        row("User", "%s (%u); each user has a separate cache", found->pw_name, id);
    } else {
        row("User", "%u; each user has a separate cache", id);
    }
}

static void segment_rows(const struct cache_info *info) {
    php_info_print_table_row(2, "Segment", info->path);
    memory_row("Size", info->size);
    memory_row("Committed memory", info->memory);
    memory_row("Free memory", (uint64_t)info->pages_free * info->page_size);
    php_info_print_table_row(2, "Zero-copy reads", is_zero_copy(info) ? "yes" : "no");
    count_row("Entries", info->entries);
    count_row("Maximum entries", info->slots);
    zend_string *age = _php_math_number_format((double)(info->oldest_ms / 1000), 0, '.', ',');
    row("Oldest unused entry", "%s s", ZSTR_VAL(age));
    zend_string_release(age);
    count_row("Hits", info->hits);
    count_row("Misses", info->misses);
    count_row("Stores", info->stores);
    count_row("Evictions", info->evicted);
    count_row("Refused stores: value too large", info->refused_size);
    count_row("Refused stores: no memory", info->refused_room);
    row("Pages held by readers", "%zu of at most %zu", info->pages_pinned_any, info->pin_limit);
    row("Pages held by long-lived readers", "%zu of at most %zu", info->pages_pinned_long, info->pin_limit_long);
    row("Processes", "%u of at most %u", info->processes, info->process_limit);
}

/* Shown only if this process has sessions; does not create the segment. */
static void session_rows(void) {
    struct cache_info info;
    struct cache *cache = LARDER_G(sessions).cache;
    if (cache && cache_read_info(cache, &info)) {
        count_row("Sessions", info.entries);
        memory_row("Memory for sessions", info.size);
        memory_row("Free memory for sessions", (uint64_t)info.pages_free * info.page_size);
        count_row("Refused writes of sessions", info.refused_size + info.refused_room);
    }
}

void info_page(struct cache *cache) {
    struct cache_info info;
    const char *reason;
    const bool available = read_info(cache, true, &info, &reason);
    php_info_print_table_start();
    php_info_print_table_row(2, "Larder", available ? "available" : "not available");
    php_info_print_table_row(2, "Version", LARDER_VERSION);
    if (reason[0]) {
        php_info_print_table_row(2, available ? "Note" : "Reason", reason);
    }
    user_row();
    php_info_print_table_row(2, "Object serializer", serialize_uses_igbinary() ? "igbinary" : "serialize()");
    if (available && cache) {
        segment_rows(&info);
    } else if (available) {
        php_info_print_table_row(2, "Segment", "the first store creates it");
    }
    session_rows();
    php_info_print_table_end();
}
