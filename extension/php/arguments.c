#include "arguments.h"

#include "zend_extensions.h"

/*
 * Without the copies, these functions would also change constant arrays of scripts that opcache keeps in shared
 * memory: for all processes, permanently.
 *
 * The functions were found in the sources of PHP 8.2.32, 8.4.24 and 24 PECL extensions. We searched for reference
 * counts and flags that are changed without checking the type's flags, for convert_to_*() and SEPARATE_*() of
 * elements, and for internal pointers. values/every-function.phpt calls all other functions with fetched values, up
 * to PHP 8.6. Some code looks alike and is safe. The JIT's helpers check the flags. ldap_add(), imap_mail_compose()
 * and pcntl_exec() separate each level first. opcache interns its keys by copy, zend_alloc_ce_cache() gets names
 * from the compiler, and pcre notes UTF-8 only on counted strings.
 */
enum kind {
    ARRAYS, /* arrays are written to */
    ALL,    /* arrays are written to, and references to strings are counted */
};

struct writer {
    const char *group; /* a class in lower case, or a module */
    const char *function;
    enum kind kind;
};

static const struct writer functions[] = {
    /* counts references to the name; see opcache.c */
    {NULL, "opcache_compile_file", ALL},
    /* moves the internal pointers of base and filter */
    {NULL, "ldap_search", ARRAYS},
    {NULL, "ldap_list", ARRAYS},
    {NULL, "ldap_read", ARRAYS},
    /* converts rows to strings in place (so does PDO::pgsqlCopyFromArray(), see below) */
    {"pdo\\pgsql", "copyfromarray", ARRAYS},
    /* puts results into the arrays in its array */
    {NULL, "ssh2_poll", ARRAYS},
    /* moves the internal pointer of channels; phpredis since 6 */
    {"redis", "ssubscribe", ARRAYS},
    {"rediscluster", "ssubscribe", ARRAYS},
#if PHP_VERSION_ID < 80400
    /* converts the numbers of SO_LINGER, SO_RCVTIMEO and SO_SNDTIMEO in place */
    {NULL, "socket_set_option", ARRAYS},
    {NULL, "socket_setopt", ARRAYS},
    /* converts the names in allowed_classes to strings in place */
    {NULL, "unserialize", ARRAYS},
    /* counts references to the callback */
    {"sqlite3", "setauthorizer", ALL},
#endif
};

/* All functions and methods of an extension. */
static const struct writer modules[] = {
    /* counts references to nearly everything that it keeps: options, query, headers, callbacks */
    {"http", NULL, ALL},
    /* moves the internal pointers of lists of documents */
    {"solr", NULL, ALL},
    /* moves the internal pointers of options */
    {"rrd", NULL, ALL},
};

/* ---- Copying arguments ------------------------------------------------------------------------- */

/* True if a value, or anything inside it, lies in memory that this process must not write. */
static bool holds_borrowed(const zval *value, enum kind kind) {
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) == IS_STRING) {
        return kind == ALL && is_borrowed(Z_STR_P(value));
    }
    if (Z_TYPE_P(value) != IS_ARRAY) {
        return false;
    }
    if (!Z_REFCOUNTED_P(value)) {
        return true;
    }
    zend_array *array = Z_ARRVAL_P(value);
    if (GC_IS_RECURSIVE(array)) {
        return false;
    }
    bool holds = false;
    zval *element;
    GC_PROTECT_RECURSION(array);
    ZEND_HASH_FOREACH_VAL(array, element) {
        if (holds_borrowed(element, kind)) {
            holds = true;
            break;
        }
    }
    ZEND_HASH_FOREACH_END();
    GC_UNPROTECT_RECURSION(array);
    return holds;
}

/* Copies only what is borrowed, and the arrays that lead to it. References stay references. */
static void own(zval *value, enum kind kind) {
    if (!holds_borrowed(value, kind)) {
        return;
    }
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) == IS_STRING) {
        ZVAL_NEW_STR(value, copy_borrowed(Z_STR_P(value)));
        return;
    }
    SEPARATE_ARRAY(value);
    zend_array *array = Z_ARRVAL_P(value);
    zval *element;
    GC_PROTECT_RECURSION(array);
    ZEND_HASH_FOREACH_VAL(array, element) {
        own(element, kind);
    }
    ZEND_HASH_FOREACH_END();
    GC_UNPROTECT_RECURSION(array);
}

/* ---- Calling ------------------------------------------------------------------------------------- */

/* Index of the slot in which a function's entry keeps its original handler. The entry has it because calls may use a
 * copy of the entry, such as a closure. */
static int slot;

/* The caller frees the arguments, by the types that they have afterwards. */
static void call(INTERNAL_FUNCTION_PARAMETERS, enum kind kind) {
    for (uint32_t number = 1; number <= ZEND_CALL_NUM_ARGS(execute_data); number++) {
        own(ZEND_CALL_ARG(execute_data, number), kind);
    }
    if (UNEXPECTED(ZEND_CALL_INFO(execute_data) & ZEND_CALL_HAS_EXTRA_NAMED_PARAMS)) {
        zval named;
        ZVAL_ARR(&named, EX(extra_named_params));
        own(&named, kind);
        EX(extra_named_params) = Z_ARR(named);
    }
    zif_handler original = (zif_handler)EX(func)->internal_function.reserved[slot];
    original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static ZEND_NAMED_FUNCTION(call_with_own_arrays) {
    call(INTERNAL_FUNCTION_PARAM_PASSTHRU, ARRAYS);
}

static ZEND_NAMED_FUNCTION(call_with_own_arguments) {
    call(INTERNAL_FUNCTION_PARAM_PASSTHRU, ALL);
}

/* ---- Replacing ----------------------------------------------------------------------------------- */

static void replace(zend_function *function, enum kind kind) {
    const zif_handler handlers[] = {[ARRAYS] = call_with_own_arrays, [ALL] = call_with_own_arguments};
    if (function && function->type == ZEND_INTERNAL_FUNCTION && !function->internal_function.reserved[slot]) {
        function->internal_function.reserved[slot] = (void *)function->internal_function.handler;
        function->internal_function.handler = handlers[kind];
    }
}

static void replace_function(const struct writer *writer) {
    HashTable *table = CG(function_table);
    if (writer->group) {
        zend_class_entry *class = zend_hash_str_find_ptr(CG(class_table), writer->group, strlen(writer->group));
        table = class ? &class->function_table : NULL;
    }
    if (table) {
        replace(zend_hash_str_find_ptr(table, writer->function, strlen(writer->function)), writer->kind);
    }
}

static void replace_functions_of(const struct writer *writer) {
    const zend_module_entry *module =
        zend_hash_str_find_ptr(&module_registry, writer->group, strlen(writer->group));
    zend_function *function;
    zend_class_entry *class;
    if (!module) {
        return;
    }
    ZEND_HASH_MAP_FOREACH_PTR(CG(function_table), function) {
        if (function->type == ZEND_INTERNAL_FUNCTION && function->internal_function.module == module) {
            replace(function, writer->kind);
        }
    }
    ZEND_HASH_FOREACH_END();
    ZEND_HASH_MAP_FOREACH_PTR(CG(class_table), class) {
        if (class->type == ZEND_INTERNAL_CLASS && class->info.internal.module == module) {
            ZEND_HASH_MAP_FOREACH_PTR(&class->function_table, function) {
                replace(function, writer->kind);
            }
            ZEND_HASH_FOREACH_END();
        }
    }
    ZEND_HASH_FOREACH_END();
}

/* Methods of PDO drivers are in no table: PDO creates them for each connection at their first call. */
static zend_function *(*pdo_get_method)(zend_object **object, zend_string *name, const zval *key);

static zend_function *get_method(zend_object **object, zend_string *name, const zval *key) {
    zend_function *function = pdo_get_method(object, name, key);
    if (UNEXPECTED(function && zend_string_equals_literal_ci(name, "pgsqlCopyFromArray"))) {
        replace(function, ARRAYS);
    }
    return function;
}

/* The handlers can only be reached through an object. They are PDO's own, and not constant. */
static void replace_methods_of_drivers(void) {
    zend_class_entry *pdo = zend_hash_str_find_ptr(CG(class_table), ZEND_STRL("pdo"));
    if (!pdo || !zend_hash_str_exists(&module_registry, ZEND_STRL("pdo_pgsql"))) {
        return;
    }
    zend_object *object = pdo->create_object(pdo);
    zend_object_handlers *handlers = (zend_object_handlers *)object->handlers;
    if (handlers->get_method != get_method) {
        pdo_get_method = handlers->get_method;
        handlers->get_method = get_method;
    }
    zend_object_release(object);
}

void arguments_register(void) {
    slot = zend_get_resource_handle("larder");
    if (slot < 0) {
        return; /* other extensions have taken all slots */
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        replace_function(&functions[i]);
    }
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        replace_functions_of(&modules[i]);
    }
    replace_methods_of_drivers();
}
