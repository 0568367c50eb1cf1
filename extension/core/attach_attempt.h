/*
 * An attempt to attach to a segment: its place, and the reason why it fails. Shared by folder.c, file.c, leftovers.c
 * and segment.c.
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
        avoid;     /* address of a replaced segment: processes that still map it could not map the new one there */
    bool replaced; /* replacing a segment with other settings was tried */
    const struct stat *old; /* the segment that goes when the new one is ready; NULL: none */
    int old_fd;
};

/* Sets the reason, in place of an earlier one. Returns false. */
__attribute__((format(printf, 2, 3))) bool attempt_refuse(struct attempt *attempt, const char *format, ...);

/* Advice for a system error; `otherwise` if there is none for this error. */
const char *attempt_advice(int error, const char *otherwise);

/* Separates a segment's name from a random number, in the name of a file that is being created or was moved aside to
 * be removed. */
#define TEMPORARY ".new."

/* Locked bytes of a file: one for each record, and this one for its creator or replacer. */
enum { BYTE_OF_MAKER = RECORDS_MAX };

void close_if_open(int fd);

bool same_file(const struct stat *a, const struct stat *b);

#endif
