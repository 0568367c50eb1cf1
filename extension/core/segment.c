#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "segment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach_attempt.h"
#include "commit.h"
#include "file.h"
#include "folder.h"
#include "geometry.h"
#include "leftovers.h"
#include "os.h"

enum { ATTEMPTS = 16 };

struct segment {
    struct map map;
    size_t file_size;
    struct stat file;
    unsigned users;   /* caches that are attached or hold values; the last one unmaps the segment */
    unsigned writers; /* attached caches; the writable mapping is for them */
    struct segment *next;
    bool provided;
    size_t directory_length; /* length of larder.path, the beginning of `path` */
    char path[FOLDER_MAX_BYTES + NAME_MAX_BYTES];
};

/* All segments mapped by this process; guarded by process_lock(). */
static struct segment *segments;

/* ---- Mapping ---- */

/* Opens another description of the same file; -1 if the path names another file by now. */
static int open_same(const struct attempt *attempt, const struct stat *status, int access) {
    const int fd = os_open_file(attempt->directory, attempt->name, access);
    struct stat again;
    if (fd >= 0 && (fstat(fd, &again) != 0 || !same_file(&again, status))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Maps from a description of its own. A mapping keeps its description open, so with the record's description it
 * would keep the record's lock after a fork or detach. */
static bool map_writable(struct segment *segment, const struct attempt *attempt, const struct stat *status) {
    const int writable = open_same(attempt, status, O_RDWR);
    if (writable >= 0) {
        segment->map.writable = os_map_writable(writable, segment->file_size);
        close(writable);
    }
    return segment->map.writable != NULL;
}

static struct segment *map_file_locked(const struct attempt *attempt, const struct stat *status,
                                       const struct header_shared *header) {
    for (struct segment *segment = segments; segment; segment = segment->next) {
        if (same_file(&segment->file, status)) {
            if (!segment->map.writable) {
                if (!map_writable(segment, attempt, status)) {
                    return NULL;
                }
                geometry_map(&segment->map, header);
            }
            segment->users++;
            segment->writers++;
            return segment;
        }
    }
    struct segment *segment = calloc(1, sizeof *segment);
    if (!segment) {
        return NULL;
    }
    segment->file_size = (size_t)status->st_size;
    segment->file = *status;
    segment->provided = attempt->provided;
    segment->directory_length = strlen(attempt->options->directory);
    snprintf(segment->path, sizeof segment->path, "%s/%s", attempt->folder, attempt->name);
    map_writable(segment, attempt, status);
    /* From a read-only descriptor, or mprotect() could make the mapping writable. */
    const int readable = open_same(attempt, status, O_RDONLY);
    if (readable >= 0) {
        segment->map.readonly = os_map_readonly(readable, segment->file_size, header->base);
        close(readable);
    }
    if (!segment->map.writable || !segment->map.readonly) {
        if (segment->map.writable) {
            os_unmap(segment->map.writable, segment->file_size);
        }
        if (segment->map.readonly) {
            os_unmap((void *)(uintptr_t)segment->map.readonly, segment->file_size);
        }
        free(segment);
        return NULL;
    }
    segment->map.fixed = (uintptr_t)segment->map.readonly == header->base;
    geometry_map(&segment->map, header);
    segment->users = segment->writers = 1;
    segment->next = segments;
    segments = segment;
    return segment;
}

static bool is_retired(const struct segment *segment) {
    const struct header_shared *header = (const struct header_shared *)(const void *)segment->map.readonly;
    return word_load(&header->retired) != 0;
}

/* A segment that another thread may attach to again is unmapped under the lock, or its address would still be taken.
 * A retired segment is unmapped without the lock: its file is gone, and unmapping it may free its memory, which can
 * take seconds. */
void segment_release(struct segment *segment) {
    process_lock();
    const bool last = --segment->users == 0;
    bool retired = false;
    if (last) {
        for (struct segment **link = &segments; *link; link = &(*link)->next) {
            if (*link == segment) {
                *link = segment->next;
                break;
            }
        }
        retired = is_retired(segment);
        if (!retired) {
            os_unmap((void *)(uintptr_t)segment->map.readonly, segment->file_size);
        }
    }
    process_unlock();
    if (retired) {
        os_unmap((void *)(uintptr_t)segment->map.readonly, segment->file_size);
    }
    if (last) {
        free(segment);
    }
}

void segment_close_writable(struct segment *segment) {
    process_lock();
    if (--segment->writers == 0) {
        os_unmap(segment->map.writable, segment->file_size);
        segment->map.writable = NULL;
    }
    process_unlock();
}

/* True if root has created the provided folder since: all processes move there. */
static bool is_provided_now(const struct segment *segment) {
    char directory[SEGMENT_DIRECTORY_MAX + 1];
    bool distrusted;
    snprintf(directory, sizeof directory, "%.*s", (int)segment->directory_length, segment->path);
    const int folder = folder_open_provided(directory, geteuid(), &distrusted);
    close_if_open(folder);
    return folder >= 0;
}

/* True if the segment's path still names its file. */
static bool is_in_place(const struct segment *segment) {
    struct stat status;
    return !word_load(&segment->map.header->retired) && lstat(segment->path, &status) == 0 &&
           same_file(&status, &segment->file);
}

bool segment_is_current(const struct segment *segment) {
    return is_in_place(segment) && (segment->provided || !is_provided_now(segment));
}

const char *segment_path(const struct segment *segment) {
    return segment->path;
}

const struct map *segment_map(const struct segment *segment) {
    return &segment->map;
}

/* ---- Attaching ---- */

/* Maps the file and claims a record. Only after that, checks that the path still names the file. */
static enum finding enter(struct attempt *attempt, struct cache *cache, int fd, const struct stat *status,
                          const struct header_shared *header) {
    struct segment *segment = map_file_locked(attempt, status, header);
    if (!segment) {
        const int error = errno;
        struct stat now;
        close(fd);
        if (fstatat(attempt->directory, attempt->name, &now, AT_SYMLINK_NOFOLLOW) != 0 ||
            !same_file(&now, status)) {
            return REPLACE; /* was replaced: look again */
        }
        attempt_refuse(attempt, "cannot map %s/%s: %s; %s", attempt->folder, attempt->name, strerror(error),
                       attempt_advice(error, "set larder.path"));
        return FOREIGN;
    }
    cache->segment = segment;
    cache->map = segment->map;
    cache->file_device = status->st_dev;
    cache->file_inode = status->st_ino;
    cache->file_path = segment->path;
    commit_check_index(&cache->map);
    /* From a read-only description, or mprotect() could make the page that keeps the lock writable. */
    const int reader = open_same(attempt, status, O_RDONLY);
    /* A process that checks whether the file is unused locks all bytes for a moment: try twice. */
    const bool claimed =
        process_claim_locked(cache, fd, reader) || (os_yield(), process_claim_locked(cache, fd, reader));
    close_if_open(reader);
    if (!claimed) {
        const int error = os_lock_error(fd, BYTE_OF_MAKER);
        close(fd);
        if (!segment_is_current(segment)) {
            return REPLACE; /* being removed: all bytes are locked */
        }
        if (error) {
            attempt_refuse(attempt, "cannot lock parts of %s: %s; %s", segment->path, strerror(error),
                           "the system must allow fcntl() with F_OFD_SETLK, which Linux has since 3.15");
        } else {
            attempt_refuse(attempt, "all %u process records of %s are taken; raise larder.processes",
                           cache->map.record_count, segment->path);
        }
        return FOREIGN;
    }
    os_touch(fd);
    return is_in_place(segment) ? USABLE : REPLACE;
}

static void leave(struct cache *cache) {
    process_leave_locked(cache);
    process_unlock();
    segment_close_writable(cache->segment);
    segment_release(cache->segment);
    process_lock();
    cache->segment = NULL;
}

static bool settings_differ(const struct attempt *attempt, const struct header_shared *header) {
    return header->size_asked != attempt->options->size || header->record_count != attempt->options->processes ||
           header->pin_share != geometry_pin_share(attempt->options);
}

static void report_differences(struct attempt *attempt, const struct header_shared *header) {
    const struct cache_options *options = attempt->options;
    char size[64] = "", processes[64] = "", share[64] = "";
    if (header->size_asked != options->size) {
        snprintf(size, sizeof size, " larder.%s=%lluM (here %zuM)", options->keeps ? "session_size" : "size",
                 (unsigned long long)header->size_asked >> 20, options->size >> 20);
    }
    if (header->record_count != options->processes) {
        snprintf(processes, sizeof processes, " larder.processes=%llu (here %u)",
                 (unsigned long long)header->record_count, options->processes);
    }
    if (header->pin_share != geometry_pin_share(options)) {
        snprintf(share, sizeof share, " larder.pin_share=%g (here %g)", (double)header->pin_share / 1e6,
                 options->pin_share);
    }
    if (options->keeps) {
        attempt_refuse(
            attempt,
            "the segment was made with%s%s%s; to end all sessions and replace it, stop PHP and remove %s/%s", size,
            processes, share, attempt->folder, attempt->name);
    } else {
        attempt_refuse(
            attempt,
            "the segment was made with%s%s%s; set the same here, or larder resize replaces it by an empty one",
            size, processes, share);
    }
}

/* Replaces the segment. The old one is removed when the new one is ready. */
static enum finding put_another(struct attempt *attempt, int fd, const struct stat *status,
                                const struct header_shared *header) {
    attempt->old = status;
    attempt->old_fd = fd;
    attempt->avoid = header->base;
    const bool created = file_create(attempt);
    attempt->old = NULL;
    leftovers_close(attempt, fd, -1);
    return created ? REPLACE : FOREIGN;
}

/* Tries once. USABLE: attached, REPLACE: look again, FOREIGN: failed. */
static enum finding attempt_once(struct attempt *attempt, struct cache *cache) {
    int fd;
    struct stat status;
    struct header_shared header;
    memset(&header, 0, sizeof header);
    enum finding finding = file_look(attempt, &fd, &status, &header);
    const bool differs = finding == USABLE && settings_differ(attempt, &header);
    if (differs && attempt->options->replaces && !attempt->replaced) {
        attempt->replaced = true;
        return put_another(attempt, fd, &status, &header);
    }
    switch (finding) {
        case USABLE:
            if (differs) {
                report_differences(attempt, &header);
            }
            finding = enter(attempt, cache, fd, &status, &header);
            if (finding != USABLE && cache->segment) {
                leave(cache);
            }
            return finding;
        case REPLACE:
            if (!attempt->options->joins_only) {
                file_discard(attempt, &status, fd);
                attempt->avoid = header.base;
            }
            leftovers_close(attempt, fd, -1);
            /* fall through */
        case NONE:
            if (attempt->options->joins_only) {
                (void)(folder_is_writable(attempt) ? file_report_absent(attempt) : file_refuse_new(attempt));
                return FOREIGN;
            }
            return file_create(attempt) ? REPLACE : FOREIGN;
        case FOREIGN:
            close_if_open(fd);
            break;
    }
    return FOREIGN;
}

static void name_segment(struct attempt *attempt) {
    attempt->layout = geometry_layout(attempt->options->value_layout);
    snprintf(attempt->name, sizeof attempt->name, "%s-%016llx", attempt->options->segment,
             (unsigned long long)attempt->layout);
}

void segment_tidy(const struct cache *cache) {
    char reason[CACHE_REASON_MAX];
    struct attempt attempt = {.options = &cache->options, .reason = reason, .directory = -1};
    name_segment(&attempt);
    process_lock();
    if (folder_open(&attempt)) {
        leftovers_remove(&attempt, false);
    }
    close_if_open(attempt.directory);
    process_unlock();
}

bool segment_attach(struct cache *cache, char reason[CACHE_REASON_MAX]) {
    struct attempt attempt = {.options = &cache->options, .reason = reason, .directory = -1};
    name_segment(&attempt);
    reason[0] = '\0';
    process_lock();
    enum finding finding = FOREIGN;
    if (folder_open(&attempt)) {
        finding = REPLACE;
        for (unsigned i = 0; i < ATTEMPTS && finding == REPLACE; i++) {
            finding = attempt_once(&attempt, cache);
        }
        if (finding == REPLACE) {
            attempt_refuse(&attempt, "the segment %s/%s changes all the time; try again", attempt.folder,
                           attempt.name);
        }
    }
    close_if_open(attempt.directory);
    process_unlock();
    errno = attempt.absent ? ENOENT : 0;
    return finding == USABLE;
}
