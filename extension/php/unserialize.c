/*
 * A stored object may be useless to the code that fetches it: after a deployment its class is gone, a property has
 * another type, an enum has lost a case. Then the fetch is a miss.
 *
 * Exceptions are cleared. But in most of these cases the unserializers (PHP's and igbinary's) do not throw. For a
 * missing class they create a __PHP_Incomplete_Class somewhere in the value; otherwise they raise a warning. The
 * result shows neither without a walk through all of it, so both are noticed where they happen:
 *
 *  - the function that creates incomplete objects is replaced by one that notes it;
 *  - an observer sees each error before any handler. If the unserializer itself raised it, error reporting is muted
 *    for this one error, and the function that PHP calls next to report errors is replaced by one that ends the
 *    muting.
 *
 * An error is the unserializer's own if the executing frame is one of these: the frame of the fetch; an internal
 * function called from it (igbinary_unserialize(), ArrayObject::__unserialize()); or an unserialize() by which a
 * class's old Serializable::unserialize() reads its part. The last does not count if it passes options or uses
 * @unserialize(), because the class then handles failures itself. Nothing changes for autoloaders and methods of
 * classes: their errors are reported, their unserialize() works as usual, and unserialize_callback_func is called. A
 * readable object costs only a few more assignments.
 */
#include "serialize.h"
#include "classes.h"
#include "graph.h"
#include "serializer_state.h"
#include "shape.h"

#include "ext/standard/php_incomplete_class.h"
#include "ext/standard/php_var.h"
#include "zend_exceptions.h"
#include "zend_observer.h"

/* ---- Noticing failures ----------------------------------------------------------------------- */

static bool is_named(const zend_function *function, const char *name, size_t length) {
    const zend_string *own = function->common.function_name;
    return own && zend_string_equals_cstr(own, name, length);
}

/* True if errors are silenced, as by the operator @. */
static bool is_silent(void) {
    return (EG(error_reporting) & ~E_FATAL_ERRORS) == 0;
}

/* True if the frame is the fetching one or an internal function called from it. The fetching frame is only compared:
 * after a fatal error it may be freed. */
static bool is_unserializers_frame(const zend_execute_data *frame) {
    const zend_execute_data *fetching = LARDER_G(reading).frame;
    return frame == fetching ||
           (frame && frame->func && !ZEND_USER_CODE(frame->func->type) && frame->prev_execute_data == fetching);
}

/* True if this is the unserialize() by which a Serializable::unserialize() of the value reads its part, without options
 * for missing classes. */
static bool is_part(const zend_execute_data *frame) {
    if (!frame->func || frame->func->common.scope || !is_named(frame->func, ZEND_STRL("unserialize")) ||
        ZEND_CALL_NUM_ARGS(frame) != 1) {
        return false;
    }
    do {
        frame = frame->prev_execute_data;
    } while (frame && frame->func && frame->func->common.scope && frame->func->common.scope->unserialize &&
             is_named(frame->func, ZEND_STRL("unserialize")));
    return is_unserializers_frame(frame);
}

/* True if the unserializer itself is executing, for the value that is fetched. */
static bool is_unserializer(void) {
    const zend_execute_data *frame = EG(current_execute_data);
    return UNEXPECTED(LARDER_G(reading).frame != NULL) && frame &&
           (is_unserializers_frame(frame) || is_part(frame));
}

/* Like is_unserializer(), but not inside an @unserialize(). */
static bool is_unserializers_error(void) {
    return is_unserializer() &&
           (is_unserializers_frame(EG(current_execute_data)) || LARDER_G(reading).silent || !is_silent());
}

static zend_object *(*create_incomplete)(zend_class_entry *class);

static zend_object *note_incomplete(zend_class_entry *class) {
    if (is_unserializer() && !LARDER_G(reading).incomplete) {
        LARDER_G(reading).failed = true;
    }
    return create_incomplete(class);
}

static void (*report_error)(int type, zend_string *file, const uint32_t line, zend_string *message);

/* Called for the muted error; under ZTS, for every error that no handler of the script gets. */
static void report_unmuted_error(int type, zend_string *file, const uint32_t line, zend_string *message) {
    /* If an internal function has asked for exceptions, report_error() throws. */
    if (EXPECTED(!LARDER_G(reading).muted) || EG(error_handling) != EH_NORMAL) {
        report_error(type, file, line, message);
    }
    unserialize_unmute();
}

/* Debuggers replace the function, too, at any time, so ours is installed for one error only. Threads share it, so
 * under ZTS it is installed once. If it is not called then, errors stay muted until the next error or the end of the
 * reading. */
#ifdef ZTS
enum { REPORTS_ALWAYS = true };
#else
enum { REPORTS_ALWAYS = false };
#endif

static void begin_reporting(void) {
    report_error = zend_error_cb;
    zend_error_cb = report_unmuted_error;
}

static void end_reporting(void) {
    if (zend_error_cb == report_unmuted_error) {
        zend_error_cb = report_error;
    }
}

/* Mutes errors like the operator @, and also for handlers of the script. */
static void mute(struct reading *reading) {
    reading->muted = true;
    reading->shown = EG(error_reporting);
    reading->handled = EG(user_error_handler_error_reporting);
    EG(error_reporting) = 0;
    EG(user_error_handler_error_reporting) = 0;
    if (!REPORTS_ALWAYS) {
        begin_reporting();
    }
}

/* Keeps the levels that a script has set during the muting. */
void unserialize_unmute(void) {
    struct reading *reading = &LARDER_G(reading);
    if (EXPECTED(!reading->muted)) {
        return;
    }
    reading->muted = false;
    if (!REPORTS_ALWAYS) {
        end_reporting();
    }
    if (EG(error_reporting) == 0) {
        EG(error_reporting) = reading->shown;
    }
    if (EG(user_error_handler_error_reporting) == 0) {
        EG(user_error_handler_error_reporting) = reading->handled;
    }
}

/* Called for each error before it is handled. */
static void observe_error(int type, zend_string *file, uint32_t line, zend_string *message) {
    (void)file;
    (void)line;
    (void)message;
    struct reading *reading = &LARDER_G(reading);
    if (EXPECTED(!reading->frame)) {
        return;
    }
    unserialize_unmute();
    if (!(type & E_FATAL_ERRORS) && is_unserializers_error()) {
        /* A property that the class no longer has is only a deprecation: the value is complete. */
        reading->failed = reading->failed || !(type & (E_DEPRECATED | E_USER_DEPRECATED));
        mute(reading);
    }
}

/* ---- Unserializing --------------------------------------------------------------------------- */

static void call_unserializer(zend_string *bytes, uint32_t kind, zval *result) {
    if (kind != VALUE_IGBINARY) {
        zval options;
        ZVAL_NULL(&options);
        if (classes_are_limited()) {
            classes_as_options(
                &options); /* an object of another class becomes incomplete, so the fetch is a miss */
        }
        php_unserialize_with_options(result, ZSTR_VAL(bytes), ZSTR_LEN(bytes),
                                     Z_TYPE(options) == IS_ARRAY ? Z_ARR(options) : NULL, "larder_fetch");
        zval_ptr_dtor(&options);
        return;
    }
    zend_function *function = igbinary_function(ZEND_STRL("igbinary_unserialize"));
    if (function && !classes_are_limited()) { /* otherwise a miss, too: igbinary creates objects of any class */
        zval argument;
        ZVAL_STR(&argument, bytes);
        zend_call_known_function(function, NULL, NULL, result, 1, &argument, NULL);
    }
}

/* Drops the result. Clears exceptions, including those of its destructors, but not exit(). */
static ZEND_COLD void drop(zval *result) {
    zval_ptr_dtor(result);
    ZVAL_UNDEF(result);
    while (EG(exception) && !zend_is_unwind_exit(EG(exception)) && !zend_is_graceful_exit(EG(exception))) {
        zend_clear_exception();
    }
}

static struct reading begin_reading(zval *result) {
    unserialize_unmute(); /* for an outer value whose code fetches this one */
    const struct reading outer = LARDER_G(reading);
    LARDER_G(reading) = (struct reading){
        .frame = EG(current_execute_data), .silent = is_silent(), .incomplete = LARDER_G(incomplete)};
    LARDER_G(incomplete) = false; /* for this value, not for what its code fetches */
    ZVAL_NULL(result);
    return outer;
}

/* Only objects and non-empty arrays are read this way, so a null or bool is a failure. */
static bool end_reading(const struct reading *outer, zval *result) {
    const bool failed = LARDER_G(reading).failed;
    unserialize_unmute();
    LARDER_G(reading) = *outer;
    if (UNEXPECTED(failed || EG(exception) || Z_TYPE_P(result) <= IS_TRUE)) {
        drop(result);
        return false;
    }
    return true;
}

bool unserialize(zend_string *bytes, uint32_t kind, zval *result) {
    const struct reading outer = begin_reading(result);
    /* With limited classes, an incomplete object may also be one of a class that is not allowed. */
    if (kind == VALUE_INCOMPLETE && !classes_are_limited()) {
        LARDER_G(reading).incomplete = true;
    }
    const struct serializer_state outer_counting = serializer_state_begin();
    call_unserializer(bytes, kind, result);
    serializer_state_end(&outer_counting);
    return end_reading(&outer, result);
}

bool unserialize_graph(const zend_array *stored, zval *result) {
    const struct reading outer = begin_reading(result);
    /* A separate state, so that an unserialize() in a method starts afresh, and a fiber that suspends in one is
     * parked with its reading. */
    const struct serializer_state outer_counting = serializer_state_begin();
    graph_build(stored, result); /* leaves null if an object cannot be built */
    serializer_state_end(&outer_counting);
    return end_reading(&outer, result);
}

/* ---- The module ------------------------------------------------------------------------------ */

void unserialize_register(void) {
    create_incomplete = PHP_IC_ENTRY->create_object;
    PHP_IC_ENTRY->create_object = note_incomplete;
    zend_observer_error_register(observe_error);
    if (REPORTS_ALWAYS) {
        begin_reporting();
    }
}

void unserialize_unregister(void) {
    if (PHP_IC_ENTRY->create_object == note_incomplete) {
        PHP_IC_ENTRY->create_object = create_incomplete;
    }
    if (REPORTS_ALWAYS) {
        end_reporting();
    }
}

void unserialize_reset(void) {
    LARDER_G(reading) = (struct reading){0};
    LARDER_G(incomplete) = false;
}
