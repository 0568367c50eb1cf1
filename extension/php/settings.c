#include "settings.h"
#include "php_larder.h"

#include "SAPI.h"
#include "php_ini.h"

/*
 * Settings that decide which segment a process attaches to must not come with a request (PHP_VALUE and
 * PHP_ADMIN_VALUE of a web server): FPM would keep them in the worker for all later requests, and its
 * workers would no longer share one cache. Those of an FPM pool come when the worker starts, without a request.
 */
static bool comes_with_request(int stage) {
    return stage != ZEND_INI_STAGE_STARTUP && stage != ZEND_INI_STAGE_SHUTDOWN &&
           stage != ZEND_INI_STAGE_DEACTIVATE && SG(server_context) != NULL;
}

static ZEND_INI_MH(update_system_string) {
    return comes_with_request(stage) ? FAILURE : OnUpdateString(ZEND_INI_MH_PASSTHRU);
}

static ZEND_INI_MH(update_system_long) {
    return comes_with_request(stage) ? FAILURE : OnUpdateLong(ZEND_INI_MH_PASSTHRU);
}

static ZEND_INI_MH(update_system_real) {
    return comes_with_request(stage) ? FAILURE : OnUpdateReal(ZEND_INI_MH_PASSTHRU);
}

static ZEND_INI_MH(update_system_bool) {
    return comes_with_request(stage) ? FAILURE : OnUpdateBool(ZEND_INI_MH_PASSTHRU);
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
    zend_error(E_WARNING, "larder.serializer must be auto, php or igbinary, \"%s\" given", ZSTR_VAL(new_value));
    return FAILURE;
}

/* Seconds that an entry lives if its store does not say. */
static ZEND_INI_MH(update_default_ttl) {
    zend_long whole;
    double seconds = 0;
    const zend_uchar type = is_numeric_string(ZSTR_VAL(new_value), ZSTR_LEN(new_value), &whole, &seconds, false);
    if (type == IS_LONG) {
        seconds = (double)whole;
    }
    if (type == 0 || !(seconds >= 0)) {
        zend_error(E_WARNING, "larder.default_ttl must be a number of seconds from 0 on, \"%s\" given",
                   ZSTR_VAL(new_value));
        return FAILURE;
    }
    LARDER_G(default_ttl) = seconds;
    return SUCCESS;
}

#define SYSTEM(name, value, update, field) \
    STD_PHP_INI_ENTRY("larder." name, value, PHP_INI_SYSTEM, update, field, zend_larder_globals, larder_globals)

PHP_INI_BEGIN()
    STD_PHP_INI_BOOLEAN("larder.enabled", "1", PHP_INI_SYSTEM, update_system_bool, enabled, zend_larder_globals,
                        larder_globals)
    SYSTEM("segment", "default", update_system_string, segment)
    SYSTEM("path", "/dev/shm", update_system_string, path)
    SYSTEM("size", "64M", update_system_long, size)
    SYSTEM("processes", "512", update_system_long, processes)
    SYSTEM("pin_share", "0.5", update_system_real, pin_share)
    PHP_INI_ENTRY("larder.serializer", "auto", PHP_INI_ALL, update_serializer)
    PHP_INI_ENTRY("larder.default_ttl", "0", PHP_INI_ALL, update_default_ttl)
    STD_PHP_INI_BOOLEAN("larder.zero_copy", "1", PHP_INI_ALL, OnUpdateBool, zero_copy, zend_larder_globals,
                        larder_globals)
#ifdef LARDER_UNREADABLE
    SYSTEM("control", "0", OnUpdateLong, control)
#endif
PHP_INI_END()

void settings_register(int type, int module_number) {
    (void)type;
    REGISTER_INI_ENTRIES();
}
