#include "php_larder.h"

#include "SAPI.h"
#include "php_ini.h"

/*
 * Settings that determine how a segment is created must not come with a request (PHP_VALUE and PHP_ADMIN_VALUE of a
 * web server, php_admin_value of a virtual host), because other requests may have created the segment. The segment's
 * name may come with a request, and applies to that request. Settings of an FPM pool come when the worker starts,
 * before any request.
 */
static bool comes_with_request(int stage) {
    return stage != ZEND_INI_STAGE_STARTUP && stage != ZEND_INI_STAGE_SHUTDOWN &&
           stage != ZEND_INI_STAGE_DEACTIVATE && SG(server_context) != NULL;
}

static bool is_refused(const zend_ini_entry *entry, int stage) {
    if (!comes_with_request(stage)) {
        return false;
    }
    LARDER_G(refused_setting) = ZSTR_VAL(entry->name); /* logged when the request has started */
    return true;
}

/* Reports a bad value as PHP does, and keeps the old one. */
static int report(const zend_ini_entry *entry, const zend_string *value, const char *allowed) {
    zend_error(E_WARNING, "%s must be %s, \"%s\" given; the value is ignored", ZSTR_VAL(entry->name), allowed,
               ZSTR_VAL(value));
    return FAILURE;
}

/* ---- One handler for each type --------------------------------------------------------------- */

static bool is_bool(const zend_string *value) {
    static const char *const words[] = {"", "0", "1", "off", "on", "no", "yes", "false", "true", "none"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(ZSTR_VAL(value), words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static ZEND_INI_MH(update_bool) {
    return is_bool(new_value) ? OnUpdateBool(ZEND_INI_MH_PASSTHRU) : report(entry, new_value, "on or off");
}

static ZEND_INI_MH(update_compact) {
    if (strcasecmp(ZSTR_VAL(new_value), "auto") == 0) {
        LARDER_G(compact) = COMPACT_AUTO;
        return SUCCESS;
    }
    if (!is_bool(new_value)) {
        return report(entry, new_value, "on, off or auto");
    }
    LARDER_G(compact) = zend_ini_parse_bool(new_value) ? COMPACT_ALWAYS : COMPACT_NEVER;
    return SUCCESS;
}

static ZEND_INI_MH(update_system_bool) {
    return is_refused(entry, stage) ? FAILURE : update_bool(ZEND_INI_MH_PASSTHRU);
}

/* Stricter than PHP, which reads "64MB" as 64. */
static bool is_quantity(zend_string *value, uint64_t least, uint64_t most) {
    zend_string *error = NULL;
    const zend_long number = zend_ini_parse_quantity(value, &error);
    if (error) {
        zend_string_release(error);
        return false;
    }
    return number >= 0 && (uint64_t)number >= least && (uint64_t)number <= most;
}

static ZEND_INI_MH(update_size) {
    if (is_refused(entry, stage)) {
        return FAILURE;
    }
    return is_quantity(new_value, CACHE_SIZE_MIN, CACHE_SIZE_MAX) ? OnUpdateLong(ZEND_INI_MH_PASSTHRU)
                                                                  : report(entry, new_value, "between 8M and 64G");
}

static ZEND_INI_MH(update_processes) {
    if (is_refused(entry, stage)) {
        return FAILURE;
    }
    return is_quantity(new_value, 1, CACHE_PROCESSES_MAX)
               ? OnUpdateLong(ZEND_INI_MH_PASSTHRU)
               : report(entry, new_value, "an integer between 1 and 4095");
}

static ZEND_INI_MH(update_pin_share) {
    if (is_refused(entry, stage)) {
        return FAILURE;
    }
    const char *end = NULL;
    const double share = zend_strtod(ZSTR_VAL(new_value), &end);
    const bool is_number = end == ZSTR_VAL(new_value) + ZSTR_LEN(new_value) && end != ZSTR_VAL(new_value);
    return is_number && share >= 0.0 && share <= CACHE_PIN_SHARE_MAX
               ? OnUpdateReal(ZEND_INI_MH_PASSTHRU)
               : report(entry, new_value, "a number between 0.0 and 0.9 with a decimal point");
}

static ZEND_INI_MH(update_serializer) {
    static const char *const names[] = {
        [SERIALIZER_AUTO] = "auto", [SERIALIZER_PHP] = "php", [SERIALIZER_IGBINARY] = "igbinary"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (zend_string_equals_cstr(new_value, names[i], strlen(names[i]))) {
            LARDER_G(serializer) = (enum serializer)i;
            return SUCCESS;
        }
    }
    return report(entry, new_value, "auto, php or igbinary");
}

static int update_seconds(const zend_ini_entry *entry, const zend_string *value, double *seconds) {
    zend_long whole;
    double given = 0;
    const uint8_t type = is_numeric_string(ZSTR_VAL(value), ZSTR_LEN(value), &whole, &given, false);
    if (type == IS_LONG) {
        given = (double)whole;
    }
    if (type == 0 || !(given >= 0)) {
        return report(entry, value, "a number of seconds, 0 or greater");
    }
    *seconds = given;
    return SUCCESS;
}

/* The lifetime of an entry that is stored without a ttl. */
static ZEND_INI_MH(update_default_ttl) {
    return update_seconds(entry, new_value, &LARDER_G(default_ttl));
}

/* The time that a request waits for a session that another request has open. */
static ZEND_INI_MH(update_lock_wait) {
    return update_seconds(entry, new_value, &LARDER_G(session_lock_wait));
}

static ZEND_INI_MH(update_classes) {
    LARDER_G(class_listed_length) = 0;
    return OnUpdateString(ZEND_INI_MH_PASSTHRU);
}

/* Core refuses a bad path with a reason. Falling back to the default could share values with the wrong processes. */
static ZEND_INI_MH(update_path) {
    return is_refused(entry, stage) ? FAILURE : OnUpdateString(ZEND_INI_MH_PASSTHRU);
}

/* Restores the setting when the request ends, as Apache does. FPM would keep a PHP_ADMIN_VALUE for the worker's later
 * requests. */
static void end_with_request(zend_ini_entry *entry) {
    if (entry->modified) {
        return;
    }
    if (!EG(modified_ini_directives)) {
        ALLOC_HASHTABLE(EG(modified_ini_directives));
        zend_hash_init(EG(modified_ini_directives), 8, NULL, NULL, 0);
    }
    entry->orig_value = entry->value;
    entry->orig_modifiable = entry->modifiable;
    entry->modified = 1;
    zend_hash_add_ptr(EG(modified_ini_directives), entry->name, entry);
}

/* Core refuses a bad name, too. */
static ZEND_INI_MH(update_segment) {
    if (stage == ZEND_INI_STAGE_RUNTIME || stage == ZEND_INI_STAGE_HTACCESS) {
        zend_error(
            E_WARNING,
            "larder.segment cannot be changed by a script, .user.ini or .htaccess; set it in php.ini, the FPM "
            "pool or the virtual host");
        return FAILURE;
    }
    if (comes_with_request(stage)) {
        end_with_request(entry);
    }
    return OnUpdateString(ZEND_INI_MH_PASSTHRU);
}

#define ENTRY(name, value, access, update, field) \
    STD_PHP_INI_ENTRY("larder." name, value, access, update, field, zend_larder_globals, larder_globals)
#define ENTRY_BOOL(name, value, access, update, field) \
    STD_PHP_INI_BOOLEAN("larder." name, value, access, update, field, zend_larder_globals, larder_globals)

PHP_INI_BEGIN()
    ENTRY_BOOL("enabled", "1", PHP_INI_SYSTEM, update_system_bool, enabled)
    ENTRY("segment", "default", PHP_INI_ALL, update_segment,
          segment) /* ALL, so that update_segment can explain the refusal */
    ENTRY("path", "/dev/shm", PHP_INI_SYSTEM, update_path, path)
    ENTRY("size", "64M", PHP_INI_SYSTEM, update_size, size)
    ENTRY("processes", "512", PHP_INI_SYSTEM, update_processes, processes)
    ENTRY("pin_share", "0.5", PHP_INI_SYSTEM, update_pin_share, pin_share)
    ENTRY("session_size", "16M", PHP_INI_SYSTEM, update_size, session_size)
    ENTRY("session_lock_wait", "30", PHP_INI_ALL, update_lock_wait, session_lock_wait)
    PHP_INI_ENTRY("larder.serializer", "auto", PHP_INI_ALL, update_serializer)
    ENTRY("classes", "*", PHP_INI_ALL, update_classes, classes)
    PHP_INI_ENTRY("larder.compact", "0", PHP_INI_ALL, update_compact)
    PHP_INI_ENTRY("larder.default_ttl", "0", PHP_INI_ALL, update_default_ttl)
    ENTRY_BOOL("zero_copy", "1", PHP_INI_ALL, update_bool, zero_copy)
#ifdef LARDER_UNREADABLE
    ENTRY("control", "0", PHP_INI_SYSTEM, OnUpdateLong, control)
#endif
PHP_INI_END()

void settings_register(int type, int module_number) {
    (void)type;
    REGISTER_INI_ENTRIES();
}
