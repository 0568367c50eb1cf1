#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "attach_attempt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

bool attempt_refuse(struct attempt *attempt, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(attempt->reason, CACHE_REASON_MAX, format, arguments);
    va_end(arguments);
    return false;
}

const char *attempt_advice(int error, const char *otherwise) {
    switch (error) {
        case EMFILE:
            return "raise ulimit -n";
        case ENFILE:
            return "raise fs.file-max";
        case ENOMEM:
            return "raise ulimit -v or set larder.size smaller";
        case ENOSPC:
            return "free some memory there or set larder.path";
        default:
            return otherwise;
    }
}

void close_if_open(int fd) {
    if (fd >= 0) {
        close(fd);
    }
}

bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}
