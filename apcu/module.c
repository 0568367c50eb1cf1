/* The module apcu: its settings, its start, and the engine, which it finds in the module larder. */
#include "php_apcu.h"

#include "SAPI.h"
#include "ext/standard/info.h"
#include "php_ini.h"
#include "zend_interfaces.h"

#include "apcu_arginfo.h"

ZEND_DECLARE_MODULE_GLOBALS(apcu)

const struct larder_api *larder;

/* ---- Settings -------------------------------------------------------------------------------- */

/* Requests share the segment, so a web server cannot set its size for one of them; see ext/larder. */
static ZEND_INI_MH(update_shm_size) {
    enum { LEAST = 1 << 20 };
    if (stage != ZEND_INI_STAGE_STARTUP && stage != ZEND_INI_STAGE_SHUTDOWN && SG(server_context)) {
        return FAILURE;
    }
    zend_long size = zend_ini_parse_quantity_warn(new_value, entry->name);
    if (size <= 0) {
        return FAILURE;
    }
    if (size < LEAST) {
        php_error_docref(NULL, E_WARNING, "apc.shm_size now uses M/G suffixes, please update your ini files");
        size *= LEAST;
    }
    *(zend_long *)mh_arg1 = size;
    if (larder) {
        larder->use(size);
    }
    return SUCCESS;
}

static zend_long shm_size;

/* Settings without a handler are here only to be read: the engine does not need them; see docs/apcu.md. */
#define READ(name, value) PHP_INI_ENTRY("apc." name, value, PHP_INI_SYSTEM, NULL)
#define READ_BOOL(name, value, access) \
    PHP_INI_ENTRY_EX("apc." name, value, access, NULL, zend_ini_boolean_displayer_cb)
#define BOOL(name, value, field) \
    STD_PHP_INI_BOOLEAN("apc." name, value, PHP_INI_SYSTEM, OnUpdateBool, field, zend_apcu_globals, apcu_globals)

PHP_INI_BEGIN()
    BOOL("enabled", "1", enabled)
    PHP_INI_ENTRY1("apc.shm_size", "32M", PHP_INI_SYSTEM, update_shm_size, &shm_size)
    READ("entries_hint", "0")
    READ("gc_ttl", "3600")
    STD_PHP_INI_ENTRY("apc.ttl", "0", PHP_INI_SYSTEM, OnUpdateLong, ttl, zend_apcu_globals, apcu_globals)
    READ("smart", "0")
    READ("mmap_file_mask", NULL)
    READ("mmap_hugepage_size", "0")
    BOOL("enable_cli", "0", enable_cli)
    READ_BOOL("slam_defense", "0", PHP_INI_SYSTEM)
    READ("preload_path", NULL)
    READ_BOOL("coredump_unmap", "0", PHP_INI_SYSTEM)
    READ_BOOL("use_request_time", "0", PHP_INI_ALL)
    READ("serializer", "php")
PHP_INI_END()

/* ---- Constants ------------------------------------------------------------------------------- */

static void register_constants(int module_number) {
    static const struct {
        const char *name;
        zend_long value;
    } constants[] = {
        {"APC_LIST_ACTIVE", LIST_ACTIVE},     {"APC_LIST_DELETED", LIST_DELETED},
        {"APC_ITER_TYPE", ITER_TYPE},         {"APC_ITER_KEY", ITER_KEY},
        {"APC_ITER_VALUE", ITER_VALUE},       {"APC_ITER_NUM_HITS", ITER_NUM_HITS},
        {"APC_ITER_MTIME", ITER_MTIME},       {"APC_ITER_CTIME", ITER_CTIME},
        {"APC_ITER_DTIME", ITER_DTIME},       {"APC_ITER_ATIME", ITER_ATIME},
        {"APC_ITER_REFCOUNT", ITER_REFCOUNT}, {"APC_ITER_MEM_SIZE", ITER_MEM_SIZE},
        {"APC_ITER_TTL", ITER_TTL},           {"APC_ITER_NONE", 0},
        {"APC_ITER_ALL", ITER_ALL},
    };
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        zend_register_long_constant(constants[i].name, strlen(constants[i].name), constants[i].value,
                                    CONST_PERSISTENT, module_number);
    }
}

/* ---- The engine ------------------------------------------------------------------------------ */

/* Looked up by name, not linked, because php.ini may name this module first. NULL: larder is missing or another
 * version. */
static const struct larder_api *find_larder(void) {
    const zend_module_entry *module = zend_hash_str_find_ptr(&module_registry, ZEND_STRL("larder"));
    const struct larder_api *found = module ? DL_FETCH_SYMBOL(module->handle, LARDER_API_SYMBOL) : NULL;
    return found && found->version == LARDER_API_VERSION ? found : NULL;
}

/* ---- The module ------------------------------------------------------------------------------ */

static PHP_GINIT_FUNCTION(apcu) {
#if defined(ZTS) && defined(COMPILE_DL_APCU)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    memset(apcu_globals, 0, sizeof(*apcu_globals));
}

static PHP_MINIT_FUNCTION(apcu) {
    (void)type;
    larder = find_larder();
    if (!larder) {
        zend_error(E_CORE_WARNING, "apcu: the engine that is loaded is of another version; update ext-larder and "
                                   "this module together");
        return FAILURE;
    }
    REGISTER_INI_ENTRIES();
    if (!APCU_G(enable_cli) && strcmp(sapi_module.name, "cli") == 0) {
        APCU_G(enabled) = false;
    }
    if (!APCU_G(enabled)) {
        larder->use(0);
    }
    register_constants(module_number);
    info_register();
    apcu_iterator_register(register_class_APCUIterator(zend_ce_iterator));
    return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(apcu) {
    (void)type;
    UNREGISTER_INI_ENTRIES();
    info_unregister();
    iterator_unregister();
    return SUCCESS;
}

static PHP_RINIT_FUNCTION(apcu) {
    (void)type;
    (void)module_number;
#if defined(ZTS) && defined(COMPILE_DL_APCU)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    APCU_G(request_ended) = false;
    return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(apcu) {
    (void)type;
    (void)module_number;
    entry_end();
    APCU_G(request_ended) = true;
    return SUCCESS;
}

static PHP_MINFO_FUNCTION(apcu) {
    (void)zend_module;
    php_info_print_table_start();
    php_info_print_table_row(2, "APCu Support", is_enabled() ? "Enabled" : "Disabled");
    php_info_print_table_row(2, "Version", APCU_VERSION);
    php_info_print_table_row(2, "Engine", "Larder");
    php_info_print_table_end();
    DISPLAY_INI_ENTRIES();
}

/* clang-format off */
static const zend_module_dep apcu_dependencies[] = {
    ZEND_MOD_REQUIRED("larder")
    ZEND_MOD_REQUIRED("pcre")
    ZEND_MOD_END
};
/* clang-format on */

zend_module_entry apcu_module_entry = {
    STANDARD_MODULE_HEADER_EX,
    NULL,
    apcu_dependencies,
    "apcu",
    ext_functions,
    PHP_MINIT(apcu),
    PHP_MSHUTDOWN(apcu),
    PHP_RINIT(apcu),
    PHP_RSHUTDOWN(apcu),
    PHP_MINFO(apcu),
    APCU_VERSION,
    PHP_MODULE_GLOBALS(apcu),
    PHP_GINIT(apcu),
    NULL, /* GSHUTDOWN */
    NULL, /* post deactivate */
    STANDARD_MODULE_PROPERTIES_EX,
};

#ifdef COMPILE_DL_APCU
#ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
#endif

/* As ZEND_GET_MODULE(). Also reports why PHP will refuse to load this module beside APCu. */
ZEND_API zend_module_entry *get_module(void);
ZEND_API zend_module_entry *get_module(void) {
    const zend_module_entry *loaded = zend_hash_str_find_ptr(&module_registry, ZEND_STRL("apcu"));
    if (loaded) {
        zend_error(E_CORE_WARNING,
                   "Larder's apcu is not loaded, because APCu %s is: remove one of both from php.ini",
                   loaded->version);
    }
    return &apcu_module_entry;
}
#endif
