/* The module's hooks: its start and shutdown, and the start and end of a request. */
#include "attach.h"
#include "fibers.h"
#include "info.h"
#include "last_error.h"
#include "graph.h"
#include "serialize.h"

#include "ext/standard/info.h"
#include "php_ini.h"
#include "zend_interfaces.h"
#include "zend_system_id.h"

#include "../larder_arginfo.h"

ZEND_DECLARE_MODULE_GLOBALS(larder)

static PHP_GINIT_FUNCTION(larder) {
#if defined(ZTS) && defined(COMPILE_DL_LARDER)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    memset(larder_globals, 0, sizeof(*larder_globals));
    attach_begin(larder_globals);
    session_begin(larder_globals);
}

static PHP_GSHUTDOWN_FUNCTION(larder) {
    attach_end(larder_globals);
    session_end(larder_globals);
}

static PHP_MINIT_FUNCTION(larder) {
    settings_register(type, module_number);
    cache_prepare();
    register_larder_symbols(module_number);
    iterator_register(register_class_LarderIterator(zend_ce_iterator));
    unserialize_register();
    fibers_register();
    setuid_register();
    session_register();
    /* Code that was compiled with these functions must not run without them. The calls are opcodes that do not check
     * for a missing function (INIT_FCALL), so that would be a crash. opcache's file cache distinguishes only PHP's
     * version and what is added here. */
    zend_add_system_entropy("larder", "functions", LARDER_VERSION, sizeof(LARDER_VERSION) - 1);
    return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(larder) {
    (void)type;
    UNREGISTER_INI_ENTRIES();
    unserialize_unregister();
    opcache_unhook();
    setuid_unregister();
    return SUCCESS;
}

static PHP_RINIT_FUNCTION(larder) {
    (void)type;
    (void)module_number;
#if defined(ZTS) && defined(COMPILE_DL_LARDER)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    opcache_hook();
    attach_request_begin();
    unserialize_reset();
    graph_forget_forms();
    fibers_reset();
    LARDER_G(last_error) = ERROR_NONE;
    return SUCCESS;
}

/* Not in RSHUTDOWN: superglobals, statics, symbol tables and objects are destroyed after it, and read their values
 * then. */
static ZEND_MODULE_POST_ZEND_DEACTIVATE_D(larder) {
    attach_request_end();
    return SUCCESS;
}

static PHP_MINFO_FUNCTION(larder) {
    (void)zend_module;
    info_page(attach());
    DISPLAY_INI_ENTRIES();
}

/* igbinary is not listed: it is found when it is called. It wants to start after a module apcu, which starts after
 * this one. */
/* clang-format off */
static const zend_module_dep larder_dependencies[] = {
    ZEND_MOD_REQUIRED("standard")
    ZEND_MOD_OPTIONAL("posix")
    ZEND_MOD_OPTIONAL("session")
    ZEND_MOD_END
};
/* clang-format on */

zend_module_entry larder_module_entry = {
    STANDARD_MODULE_HEADER_EX,
    NULL,
    larder_dependencies,
    "larder",
    ext_functions,
    PHP_MINIT(larder),
    PHP_MSHUTDOWN(larder),
    PHP_RINIT(larder),
    NULL, /* RSHUTDOWN */
    PHP_MINFO(larder),
    LARDER_VERSION,
    PHP_MODULE_GLOBALS(larder),
    PHP_GINIT(larder),
    PHP_GSHUTDOWN(larder),
    ZEND_MODULE_POST_ZEND_DEACTIVATE_N(larder),
    STANDARD_MODULE_PROPERTIES_EX,
};

#ifdef COMPILE_DL_LARDER
#ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
#endif
ZEND_GET_MODULE(larder)
#endif
