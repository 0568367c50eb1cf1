#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "limit.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *limit_membership = "/proc/self/cgroup", *limit_root = "/sys/fs/cgroup";

enum { PATH_BYTES = 4096, TEXT_BYTES = 8192 };

/* Names of the same files and fields in the two versions of cgroups. */
struct version {
    const char *folder; /* below the root */
    const char *limit, *usage;
    const char *active, *inactive; /* fields of memory.stat: page cache of this cgroup and its children */
};
static const struct version one = {"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                   "total_active_file ", "total_inactive_file "};
static const struct version two = {"", "memory.max", "memory.current", "active_file ", "inactive_file "};

/* Allocated, since the stack may be a fiber's small one. */
struct buffers {
    char membership[TEXT_BYTES], text[TEXT_BYTES]; /* content of files */
    char folder[PATH_BYTES], path[PATH_BYTES + 64];
};

/* Reads a file; "" if it cannot be read. */
static bool read_text(const char *path, char text[TEXT_BYTES]) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = 0;
    if (file >= 0) {
        length = read(file, text, TEXT_BYTES - 1);
        close(file);
    }
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* False: no such file. "max" means no limit. */
static bool read_number(struct buffers *buffers, const char *name, uint64_t *number) {
    snprintf(buffers->path, sizeof buffers->path, "%s/%s", buffers->folder, name);
    if (!read_text(buffers->path, buffers->text)) {
        return false;
    }
    char *end;
    *number = strtoull(buffers->text, &end, 10);
    if (end == buffers->text) {
        *number = UINT64_MAX;
    }
    return true;
}

/* The number behind a name at the start of a line; 0 if there is none. */
static uint64_t field(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0) {
            return strtoull(line + length, NULL, 10);
        }
    }
    return 0;
}

static uint64_t pages_of_files(const struct version *version, struct buffers *buffers) {
    const char *const text = buffers->text;
    snprintf(buffers->path, sizeof buffers->path, "%s/memory.stat", buffers->folder);
    return read_text(buffers->path, buffers->text) ? field(text, version->active) + field(text, version->inactive)
                                                   : 0;
}

static void look(const struct version *version, struct buffers *buffers, struct limit *least) {
    uint64_t limit, usage;
    /* Version 1 shows a huge number if there is no limit. */
    if (!read_number(buffers, version->limit, &limit) || limit >= UINT64_MAX / 4 ||
        !read_number(buffers, version->usage, &usage)) {
        return;
    }
    const uint64_t files = pages_of_files(version, buffers);
    usage -= files < usage ? files : usage;
    const uint64_t left = usage < limit ? limit - usage : 0;
    if (left < least->left) {
        *least = (struct limit){.limit = limit, .left = left};
    }
}

/* True if `name` is in the comma-separated list. */
static bool names(const char *controllers, size_t length, const char *name) {
    for (const char *at = controllers; at < controllers + length;) {
        const char *end = memchr(at, ',', (size_t)(controllers + length - at));
        const size_t bytes = (size_t)((end ? end : controllers + length) - at);
        if (bytes == strlen(name) && memcmp(at, name, bytes) == 0) {
            return true;
        }
        at += bytes + 1;
    }
    return false;
}

/* Finds the path in lines `number:controllers:/path`: that of the memory controller, otherwise that of version 2. */
static const struct version *find(char *text, char **path) {
    const struct version *version = NULL;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) {
            *next++ = '\0';
        }
        char *const controllers = strchr(line, ':');
        char *const folder = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!folder) {
            continue;
        }
        const size_t length = (size_t)(folder - controllers - 1);
        if (names(controllers + 1, length, "memory")) {
            *path = folder + 1;
            return &one;
        }
        if (length == 0) {
            *path = folder + 1;
            version = &two;
        }
    }
    return version;
}

/* A container may see its own cgroup as the root although its path says otherwise. So missing folders are skipped,
 * and the root is read, too. */
static struct limit read_with(struct buffers *buffers) {
    struct limit least = {.limit = UINT64_MAX, .left = UINT64_MAX};
    char *const folder = buffers->folder, *path = NULL;
    const struct version *const version =
        read_text(limit_membership, buffers->membership) ? find(buffers->membership, &path) : NULL;
    if (!version) {
        return least;
    }
    const int length = snprintf(folder, sizeof buffers->folder, "%s%s%s", limit_root, version->folder, path);
    const size_t root = strlen(limit_root) + strlen(version->folder);
    if (length < 0 || (size_t)length >= sizeof buffers->folder) {
        folder[root] = '\0';
    }
    for (;;) {
        look(version, buffers, &least);
        char *const last = strrchr(folder + root, '/');
        if (!last) {
            return least;
        }
        *last = '\0';
    }
}

struct limit limit_read(void) {
    struct buffers *const buffers = calloc(1, sizeof *buffers);
    const struct limit least = buffers ? read_with(buffers) : (struct limit){UINT64_MAX, UINT64_MAX};
    free(buffers);
    return least;
}
