/* Differences between the supported versions of PHP, 8.2 and newer. */
#ifndef LARDER_COMPAT_H
#define LARDER_COMPAT_H

#include "php.h"

#if PHP_VERSION_ID < 80200
#error "Larder needs PHP 8.2 or newer: packed arrays have another layout in older versions"
#endif

#ifndef ZEND_INI_MH_PASSTHRU /* 8.3 */
#define ZEND_INI_MH_PASSTHRU entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage
#endif

#if PHP_VERSION_ID < 80300
#define zend_zval_value_name zend_zval_type_name
#endif

/* The path of PHP's error log, or NULL. */
static zend_always_inline const char *error_log_path(void) {
#if PHP_VERSION_ID < 80600
    return PG(error_log);
#else
    return PG(error_log) ? ZSTR_VAL(PG(error_log)) : NULL;
#endif
}

#endif
