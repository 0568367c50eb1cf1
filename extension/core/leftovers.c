#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "leftovers.h"

#include <dirent.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "geometry.h"
#include "os.h"
#include "process.h"

void leftovers_close(const struct attempt *attempt, int fd, int also_open) {
    struct open_files open = {3, {attempt->directory, fd, also_open}, NULL};
    process_unlock_with(&open);
    dup3(attempt->directory, fd, O_CLOEXEC);
    process_lock_again(&open);
    close(fd);
}

/* Removes a file if no process has locked one of its `count` bytes from `first` on. */
static void remove_if_free(const struct attempt *attempt, int list, const char *name, off_t first, off_t count) {
    const int fd = os_open_file(attempt->directory, name, O_RDWR);
    if (fd >= 0 && os_lock(fd, first, count)) {
        unlinkat(attempt->directory, name, 0);
        os_unlock(fd, first, count); /* a forked child may share the description */
        leftovers_close(attempt, fd, list);
    } else {
        close_if_open(fd);
    }
}

enum { DIGITS = 16, UNUSED_SECONDS = 24 * 60 * 60, KEPT_SECONDS = 30 * UNUSED_SECONDS };

/* True if a name ends in this text and one of our numbers. The part before it may be any segment name. */
static bool ends_in_number(const char *name, const char *text) {
    const size_t length = strlen(name), before = strlen(text);
    return length > before + DIGITS && memcmp(name + length - DIGITS - before, text, before) == 0 &&
           strspn(name + length - DIGITS, "0123456789abcdef") == DIGITS;
}

static bool is_named_as_segment(const char *name) {
    return ends_in_number(name, "-");
}

static bool is_named_as_temporary(const char *name) {
    return ends_in_number(name, TEMPORARY);
}

static bool keeps_entries(const struct attempt *attempt, const char *name) {
    struct header_shared header;
    const int fd = os_open_file(attempt->directory, name, O_RDWR);
    const bool keeps = fd >= 0 && pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                       memcmp(header.magic, SEGMENT_MAGIC, sizeof header.magic) == 0 && header.keeps;
    close_if_open(fd);
    return keeps;
}

static bool is_unused_for_long(const struct attempt *attempt, const char *name) {
    struct stat status;
    if (fstatat(attempt->directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    const time_t seconds = time(NULL) - status.st_mtime;
    return seconds >= KEPT_SECONDS || (seconds >= UNUSED_SECONDS && !keeps_entries(attempt, name));
}

/* True for the same segment with the layout of another PHP, left behind by an upgrade. */
static bool is_of_another_layout(const struct attempt *attempt, const char *name) {
    const size_t length = strlen(attempt->name);
    return strlen(name) == length && strncmp(name, attempt->name, length - DIGITS) == 0;
}

void leftovers_remove(const struct attempt *attempt, bool short_of_memory) {
    const int copy = openat(attempt->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    if (!list) {
        close_if_open(copy);
        return;
    }
    for (const struct dirent *file = readdir(list); file; file = readdir(list)) {
        const char *name = file->d_name;
        if (strcmp(name, attempt->name) == 0) {
            continue;
        }
        if (is_named_as_temporary(name)) {
            remove_if_free(attempt, copy, name, BYTE_OF_MAKER, 1);
        } else if (is_named_as_segment(name) && (is_unused_for_long(attempt, name) ||
                                                 (short_of_memory && is_of_another_layout(attempt, name)))) {
            remove_if_free(attempt, copy, name, 0, RECORDS_MAX);
        }
    }
    closedir(list);
}
