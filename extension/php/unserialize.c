/*
 * A stored object may be of no use to the code that fetches it: after a deployment its class is gone, a property has
 * another type, an enum has lost a case. Then the fetch is a miss.
 *
 * An exception is cleared. But most of this the unserializers (PHP's and igbinary's) do not throw: for a missing class
 * they make a __PHP_Incomplete_Class, somewhere in the value, and go on; else they warn. Neither can be seen in the
 * result without walking all of it, so both are noticed where they happen:
 *
 *  - the one function that makes incomplete objects is replaced by ours, which notes it;
 *  - an observer sees each error before a handler does. One of the unserializer's own is noted, and no handler and no
 *    log gets to see it: for this one error everything is muted, and the function that reports errors, which PHP calls
 *    next, is replaced by ours, which ends that.
 *
 * What is the unserializer's own, and not of the code that it calls, is told by the frame that executes: ours, or an
 * internal function that was called from there (igbinary_unserialize(), ArrayObject::__unserialize()), or what an old
 * Serializable::unserialize() calls to read its part, but not if it gives options or reads by @unserialize(): then it
 * does with the result as it likes. Nothing is changed for autoloaders and for methods of classes: their errors are
 * reported as ever, unserialize() works for them as ever, and unserialize_callback_func is called. A value that reads
 * well costs a few assignments more.
 */
#include "unserialize.h"
#include "serialize.h"
#include "shape.h"

#include "ext/standard/php_incomplete_class.h"
#include "ext/standard/php_var.h"
#include "zend_exceptions.h"
#include "zend_observer.h"

/* ---- What happens while a value is read ------------------------------------------------------ */

static bool is_named(const zend_function *function, const char *name, size_t length) {
    const zend_string *own = function->common.function_name;
    return own && zend_string_equals_cstr(own, name, length);
}

/* As within the operator @. */
static bool is_silent(void) {
    return (EG(error_reporting) & ~E_FATAL_ERRORS) == 0;
}

/* Whether the frame is the fetching one or an internal function that it called. The fetching one is compared and not
 * looked into: after a fatal error it may be gone. */
static bool is_unserializers_frame(const zend_execute_data *frame) {
    const zend_execute_data *fetching = LARDER_G(reading).frame;
    return frame == fetching ||
           (frame && frame->func && !ZEND_USER_CODE(frame->func->type) && frame->prev_execute_data == fetching);
}

/* Whether this is unserialize(), by which a Serializable::unserialize() of the value reads its part, and does not decide
 * itself what becomes of missing classes. */
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

/* Whether what happens now is done by the unserializer itself, for the value that is read. */
static bool is_unserializer(void) {
    const zend_execute_data *frame = EG(current_execute_data);
    return UNEXPECTED(LARDER_G(reading).frame != NULL) && frame &&
           (is_unserializers_frame(frame) || is_part(frame));
}

/* As is_unserializer(), but what is read as @unserialize() is only tried. */
static bool is_unserializers_error(void) {
    return is_unserializer() &&
           (is_unserializers_frame(EG(current_execute_data)) || LARDER_G(reading).silent || !is_silent());
}

static zend_object *(*create_incomplete)(zend_class_entry *class);

static zend_object *note_incomplete(zend_class_entry *class) {
    if (is_unserializer()) {
        LARDER_G(reading).failed = true;
    }
    return create_incomplete(class);
}

static void (*report_error)(int type, zend_string *file, const uint32_t line, zend_string *message);

/* Called for the muted error; where ours stays, for each that no handler of the script gets. */
static void report_unmuted_error(int type, zend_string *file, const uint32_t line, zend_string *message) {
    /* It throws where an internal function has asked for exceptions. */
    if (EXPECTED(!LARDER_G(reading).muted) || EG(error_handling) != EH_NORMAL) {
        report_error(type, file, line, message);
    }
    unserialize_unmute();
}

/* Debuggers replace the function too, at any time: ours is put before theirs for the one error. But threads share it:
 * with them it is put there once. Where it is not called then, all stays muted until another error or the end. */
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

/* As the operator @, and no handler of the script's either. */
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

/* What a script has set itself meanwhile stays. */
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

/* Called with each error before anything is done about it. */
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
        /* A property that the class no longer has is deprecated, but the value is whole. */
        reading->failed = reading->failed || !(type & (E_DEPRECATED | E_USER_DEPRECATED));
        mute(reading);
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void call_unserializer(zend_string *bytes, uint32_t kind, zval *result) {
    if (kind == VALUE_PHP) {
        php_unserialize_with_options(result, ZSTR_VAL(bytes), ZSTR_LEN(bytes), NULL, "larder_fetch");
        return;
    }
    zend_function *function = igbinary_function(ZEND_STRL("igbinary_unserialize"));
    if (function) { /* else igbinary is not loaded here: a miss too */
        zval argument;
        ZVAL_STR(&argument, bytes);
        zend_call_known_function(function, NULL, NULL, result, 1, &argument, NULL);
    }
}

/* Whatever it throws, its destructors included, except exit(). */
static ZEND_COLD void drop(zval *result) {
    zval_ptr_dtor(result);
    ZVAL_UNDEF(result);
    while (EG(exception) && !zend_is_unwind_exit(EG(exception)) && !zend_is_graceful_exit(EG(exception))) {
        zend_clear_exception();
    }
}

bool unserialize(zend_string *bytes, uint32_t kind, zval *result) {
    unserialize_unmute(); /* of a value whose code fetches this one */
    const struct reading outer = LARDER_G(reading);
    const struct serializer_state outer_counting = serializer_state_begin();
    LARDER_G(reading) = (struct reading){.frame = EG(current_execute_data), .silent = is_silent()};
    ZVAL_NULL(result);
    call_unserializer(bytes, kind, result);
    const bool failed = LARDER_G(reading).failed;
    unserialize_unmute();
    LARDER_G(reading) = outer;
    serializer_state_end(&outer_counting);
    /* Only objects, and arrays with something in them, are serialized. An exception may come when all is complete. */
    if (UNEXPECTED(failed || EG(exception) || Z_TYPE_P(result) <= IS_TRUE)) {
        drop(result);
        return false;
    }
    return true;
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

void unserialize_forget(void) {
    LARDER_G(reading) = (struct reading){0};
}
