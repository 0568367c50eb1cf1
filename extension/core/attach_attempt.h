/*
 * An attempt to attach to a segment: where it lies, and why that fails. What the files of its folder have in common.
 */
#ifndef LARDER_ATTACH_ATTEMPT_H
#define LARDER_ATTACH_ATTEMPT_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "cache.h"
#include "layout.h"

enum { NAME_MAX_BYTES = 160, FOLDER_MAX_BYTES = 512 };

struct attempt {
    const struct cache_options *options;
    char *reason;
    uint64_t layout;
    char folder[FOLDER_MAX_BYTES];
    char name[NAME_MAX_BYTES];
    int directory;
    bool provided; /* the folder was created by root */
    bool absent;   /* there is no segment, and it may not be created */
    uintptr_t
        avoid;     /* the address of a replaced segment: processes that keep it could not map the new one there */
    bool replaced; /* the segment with other settings is gone, */
    const struct stat *old; /* or it is this one, and goes when the new one is ready; NULL: none */
    int old_fd;
};

/* Sets the reason, of which the last one counts; false. */
__attribute__((format(printf, 2, 3))) bool attempt_refuse(struct attempt *attempt, const char *format, ...);

/* What to do about a system error; `otherwise` for all others. */
const char *attempt_advice(int error, const char *otherwise);

/* Between the name of a segment and the number of a file that is made, or is moved aside to be removed. */
#define TEMPORARY ".new."

/* Locked bytes of a file: one for each record, and one for its creator or replacer. */
enum { BYTE_OF_MAKER = RECORDS_MAX };

void close_if_open(int fd);

bool same_file(const struct stat *a, const struct stat *b);

#endif
