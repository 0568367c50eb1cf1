#include "arguments.h"
#include "handoff.h"

#include "zend_extensions.h"

enum kind { ARRAYS, ALL };

struct writer {
    const char *group; /* a class in lower case, or a module */
    const char *function;
    enum kind kind;
};

#include "writers.h"

/* ---- Making arguments the call's own ----------------------------------------------------------- */

/* Whether a value, or what is in it at any depth, lies in memory that is not this process's to write. */
static bool holds_lent(const zval *value, enum kind kind) {
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) == IS_STRING) {
        return kind == ALL && handoff_is_lent(Z_STR_P(value));
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
        if (holds_lent(element, kind)) {
            holds = true;
            break;
        }
    }
    ZEND_HASH_FOREACH_END();
    GC_UNPROTECT_RECURSION(array);
    return holds;
}

/* Copies only what is lent and what leads there. A reference stays one; what it refers to is the same, elsewhere. */
static void own(zval *value, enum kind kind) {
    if (!holds_lent(value, kind)) {
        return;
    }
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) == IS_STRING) {
        ZVAL_NEW_STR(value, handoff_copy(Z_STR_P(value)));
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

/* Where a function keeps its original handler: with itself, for a call may come by a copy of it, such as a closure. */
static int slot;

/* Whoever made the call frees the arguments, by what their types say then. */
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

#if PHP_VERSION_ID < 80500 /* whether later ones allow this was not looked at */
/* Drivers of PDO have methods that are found when they are called for, and made then, for each connection. */
static zend_function *(*pdo_get_method)(zend_object **object, zend_string *name, const zval *key);

static zend_function *get_method(zend_object **object, zend_string *name, const zval *key) {
    zend_function *function = pdo_get_method(object, name, key);
    if (UNEXPECTED(function && zend_string_equals_literal_ci(name, "pgsqlCopyFromArray"))) {
        replace(function, ARRAYS);
    }
    return function;
}

/* The handlers of objects are reached by an object only. They are PDO's own, and not constant. */
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
#else
static void replace_methods_of_drivers(void) {
}
#endif

void arguments_register(void) {
    slot = zend_get_resource_handle("larder");
    if (slot < 0) {
        return; /* a few extensions have taken all there are */
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        replace_function(&functions[i]);
    }
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        replace_functions_of(&modules[i]);
    }
    replace_methods_of_drivers();
}
