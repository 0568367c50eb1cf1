/*
 * Explains in the error log why a process that writes to a fetched value is killed (SIGSEGV), and which setting
 * helps.
 *
 * The SIGSEGV handler calls only async-signal-safe functions and prevents nothing: it writes its lines, restores the
 * previous handler, and returns. Then the instruction faults again, and the same happens as without it: another
 * handler runs, or the process is killed and dumps core with the real fault.
 *
 * The handler cannot run if the stack has overflowed; that is no write to a value.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "php_larder.h"

#if defined(__linux__) && defined(__LP64__)

#include <fcntl.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

static struct sigaction previous;
static bool registered;

/* ---- Was it a write? ----------------------------------------------------------------------------- */

static bool is_write(const siginfo_t *info, const ucontext_t *context) {
#if defined(__x86_64__)
    (void)info;
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
    /* A list of records, each with a type and a size. The record with the syndrome register is optional. */
    const char *record = (const char *)context->uc_mcontext.__reserved;
    const char *end = record + sizeof(context->uc_mcontext.__reserved);
    while (record + sizeof(struct _aarch64_ctx) <= end) {
        const struct _aarch64_ctx *head = (const struct _aarch64_ctx *)record;
        if (head->magic == ESR_MAGIC) {
            return (((const struct esr_context *)record)->esr & 1 << 6) != 0;
        }
        if (head->magic == 0 || head->size == 0) {
            break;
        }
        record += head->size;
    }
    /* QEMU provides no such record. Mapped values may be read, so an access that was not allowed was a write. */
    return info->si_code == SEGV_ACCERR;
#else
    (void)info;
    (void)context;
    return false;
#endif
}

/* ---- Lines, without stdio ------------------------------------------------------------------------ */

struct line {
    size_t length;
    char text[1024];
};

static void add(struct line *line, const char *text) {
    while (*text && line->length < sizeof(line->text) - 1) { /* the last byte is for the newline */
        line->text[line->length++] = *text++;
    }
}

static void add_number(struct line *line, uint64_t number, unsigned base) {
    char digits[24];
    char *digit = digits + sizeof(digits);
    *--digit = '\0';
    do {
        *--digit = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    add(line, digit);
}

/* True if the writing thread has PHP's globals. Web servers also have threads that run no PHP. */
static bool runs_php(void) {
#ifdef ZTS
    return tsrm_get_ls_cache() != NULL && tsrm_get_ls_cache() == TSRMLS_CACHE;
#else
    return true;
#endif
}

/* Writes to standard error and to PHP's error log. */
static void write_line(struct line *line) {
    line->text[line->length++] = '\n';
    ssize_t written = write(STDERR_FILENO, line->text, line->length);
    const char *log = runs_php() ? error_log_path() : NULL;
    if (log && log[0] == '/') {
        const int file = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
        if (file >= 0) {
            written = write(file, line->text, line->length);
            close(file);
        }
    }
    (void)written; /* nothing can be done */
}

/* ---- The handler ---------------------------------------------------------------------------------- */

static void report_write(const void *address) {
    struct line line = {0};
    add(&line, "larder: process ");
    add_number(&line, (uint64_t)getpid(), 10);
    add(&line, " is killed by SIGSEGV because it tried to write to a cached value, at 0x");
    add_number(&line, (uint64_t)(uintptr_t)address, 16);
    add(&line, ". The value and all other processes are intact. An extension changes its arguments in place: set "
               "larder.zero_copy=0 to give it copies, and please report which extension it is.");
    write_line(&line);
}

/* Written second: if the memory that is read here is damaged, too, the process is killed here. */
static void report_caller(void) {
    const zend_execute_data *call = runs_php() ? EG(current_execute_data) : NULL;
    if (!call || !call->func || !call->func->common.function_name) {
        return;
    }
    struct line line = {0};
    add(&line, "larder: the write happened in ");
    if (call->func->common.scope) {
        add(&line, ZSTR_VAL(call->func->common.scope->name));
        add(&line, "::");
    }
    add(&line, ZSTR_VAL(call->func->common.function_name));
    add(&line, "()");
    while (call && (!call->func || !ZEND_USER_CODE(call->func->type))) {
        call = call->prev_execute_data;
    }
    if (call && call->func->op_array.filename) {
        add(&line, ", called from ");
        add(&line, ZSTR_VAL(call->func->op_array.filename));
        if (call->opline) {
            add(&line, ":");
            add_number(&line, call->opline->lineno, 10);
        }
    }
    write_line(&line);
}

static void on_fault(int signal, siginfo_t *info, void *context) {
    const int error = errno;
    sigaction(SIGSEGV, &previous, NULL);
    if (info->si_code <= 0) {
        raise(signal); /* sent by kill(), so it would not come again; delivered when this handler returns */
    } else if (is_write(info, context) && cache_is_mapped(info->si_addr)) {
        report_write(info->si_addr);
        report_caller();
    }
    errno = error;
}

void fault_register(void) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    registered = sigaction(SIGSEGV, &action, &previous) == 0;
}

void fault_unregister(void) {
    struct sigaction now;
    if (registered && sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
        now.sa_sigaction == on_fault) {
        sigaction(SIGSEGV, &previous, NULL);
    }
    registered = false;
}

#else

void fault_register(void) {
}

void fault_unregister(void) {
}

#endif
