#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "geometry.h"
#include "os.h"
#include "point.h"

enum { NAME_MAX_BYTES = 160, FOLDER_MAX_BYTES = 512, ATTEMPTS = 4 };

struct segment {
    struct map map;
    size_t file_size;
    dev_t device;
    ino_t inode;
    unsigned users;
    struct segment *next;
    char path[FOLDER_MAX_BYTES + NAME_MAX_BYTES];
};

/* All segments mapped by this process; guarded by process_lock(). */
static struct segment *segments;

/* What an attempt to attach works with. */
struct attempt {
    const struct cache_options *options;
    char *reason;
    uint64_t layout;
    char folder[FOLDER_MAX_BYTES];
    char name[NAME_MAX_BYTES];
    int directory;
    int lock;  /* description of the .lock file while it is held, else -1 */
    bool busy; /* another process is creating the segment */
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct attempt *attempt, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(attempt->reason, CACHE_REASON_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- The folder ---- */

static bool open_folder(struct attempt *attempt) {
    const uid_t user = geteuid();
    snprintf(attempt->folder, sizeof attempt->folder, "%s/larder-%u", attempt->options->directory, (unsigned)user);
    static const int access = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    attempt->directory = open(attempt->folder, access);
    if (attempt->directory < 0 && errno == ENOENT) {
        if (mkdir(attempt->folder, 0700) != 0 && errno != EEXIST) {
            return refuse(attempt, "cannot make the folder %s: %s; check larder.path", attempt->folder,
                          strerror(errno));
        }
        attempt->directory = open(attempt->folder, access);
    }
    if (attempt->directory < 0) {
        return refuse(attempt, "cannot open the folder %s: %s; if it is not yours, remove it or set larder.path",
                      attempt->folder, strerror(errno));
    }
    struct stat status;
    if (fstat(attempt->directory, &status) != 0 || status.st_uid != user || (status.st_mode & 077) != 0) {
        return refuse(attempt, "the folder %s must belong to user %u with mode 0700; remove it or set larder.path",
                      attempt->folder, (unsigned)user);
    }
    return true;
}

/* ---- Looking at a file ---- */

enum finding { USABLE, NONE, REPLACE, FOREIGN };

/* Whether the file is what we make: then it may be used, or replaced when its content is not. */
static enum finding look(struct attempt *attempt, int *description, struct stat *status,
                         struct header_shared *header) {
    *description = openat(attempt->directory, attempt->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (*description < 0) {
        if (errno == ENOENT) {
            return NONE;
        }
        refuse(attempt, "cannot open %s/%s: %s; remove it", attempt->folder, attempt->name, strerror(errno));
        return FOREIGN;
    }
    if (fstat(*description, status) != 0 || !S_ISREG(status->st_mode) || status->st_uid != geteuid() ||
        status->st_nlink != 1 || (status->st_mode & 077) != 0) {
        refuse(attempt, "%s/%s is not a private file of user %u with one link and mode 0600; remove it",
               attempt->folder, attempt->name, (unsigned)geteuid());
        return FOREIGN;
    }
    if (pread(*description, header, sizeof *header, 0) != (ssize_t)sizeof *header ||
        !geometry_valid(header, (uint64_t)status->st_size, attempt->layout, process_boot_id())) {
        return REPLACE;
    }
    return word_load(&header->retired) ? REPLACE : USABLE;
}

static bool settings_differ(const struct attempt *attempt, const struct header_shared *header) {
    return header->size_asked != attempt->options->size || header->record_count != attempt->options->processes;
}

/* Whether no living process holds a record of the file. */
static bool is_unattached(const struct attempt *attempt, const char *name) {
    const int description = openat(attempt->directory, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    const bool unattached = description >= 0 && os_lock(description, 0, RECORDS_MAX);
    if (description >= 0) {
        close(description);
    }
    return unattached;
}

/* ---- Creating ---- */

static bool lock_creation(struct attempt *attempt) {
    char name[NAME_MAX_BYTES + 8];
    snprintf(name, sizeof name, "%s.lock", attempt->name);
    attempt->lock = openat(attempt->directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    struct stat status;
    if (attempt->lock < 0 || fstat(attempt->lock, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid()) {
        return refuse(attempt, "cannot use %s/%s as the creation lock; remove it", attempt->folder, name);
    }
    if (!os_lock(attempt->lock, 0, 1)) {
        attempt->busy = true;
        return refuse(attempt, "another process is creating the segment just now; the next request finds it");
    }
    return true;
}

/* Unlocked before it is closed: a forked child may hold a copy of the description. */
static void unlock_creation(struct attempt *attempt) {
    if (attempt->lock >= 0) {
        os_unlock(attempt->lock, 0, 1);
        close(attempt->lock);
        attempt->lock = -1;
    }
}

/* Calls visit for each file of the folder whose name begins with `prefix`. */
static void each_file(const struct attempt *attempt, const char *prefix,
                      void (*visit)(const struct attempt *, const char *name)) {
    const int copy = openat(attempt->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    if (!list) {
        if (copy >= 0) {
            close(copy);
        }
        return;
    }
    for (const struct dirent *file = readdir(list); file; file = readdir(list)) {
        if (strncmp(file->d_name, prefix, strlen(prefix)) == 0) {
            visit(attempt, file->d_name);
        }
    }
    closedir(list);
}

static void remove_file(const struct attempt *attempt, const char *name) {
    unlinkat(attempt->directory, name, 0);
}

/* Temporary files of creators that died: we hold the lock, so nobody else is creating this one. */
static void remove_leftovers(const struct attempt *attempt) {
    char prefix[NAME_MAX_BYTES + 8];
    snprintf(prefix, sizeof prefix, "%s.new.", attempt->name);
    each_file(attempt, prefix, remove_file);
}

/* Segments of this name with another layout hash, which every upgrade of PHP leaves behind. */
static void remove_if_outdated(const struct attempt *attempt, const char *name) {
    const size_t length = strlen(attempt->name);
    if (strlen(name) == length && strcmp(name, attempt->name) != 0 && name[length - 17] == '-' &&
        is_unattached(attempt, name)) {
        unlinkat(attempt->directory, name, 0);
    }
}

static void remove_outdated(const struct attempt *attempt) {
    char prefix[NAME_MAX_BYTES];
    snprintf(prefix, sizeof prefix, "%.*s", (int)strlen(attempt->name) - 16, attempt->name);
    each_file(attempt, prefix, remove_if_outdated);
}

/* An address that every process is likely to have free: far from where Linux puts binaries, heap,
 * libraries and stacks, and free under the sanitizers too. The low one is for small address spaces. */
static uintptr_t choose_address(size_t size, uintptr_t avoid) {
    static const uintptr_t stride = UINT64_C(64) << 30;
    uint64_t random = 0;
    os_random(&random, sizeof random);
    for (unsigned i = 0; i < 64; i++) {
        const uintptr_t address = UINT64_C(0x200000000000) + ((random + i) & 63) * stride;
        if (address != avoid && os_address_free(address, size)) {
            return address;
        }
    }
    for (unsigned i = 0; i < 16; i++) {
        const uintptr_t address = UINT64_C(0x1000000000) + ((random + i) & 15) * (UINT64_C(4) << 30);
        if (address != avoid && os_address_free(address, size)) {
            return address;
        }
    }
    return 0;
}

/* Takes memory for the file: what was asked, or on a small tmpfs what is free. Returns the size, 0 on
 * failure. */
static size_t fill(struct attempt *attempt, int description) {
    size_t size = attempt->options->size;
    if (os_space(attempt->directory) < size) {
        remove_outdated(attempt);
    }
    const uint64_t space = os_space(attempt->directory);
    if (space < size) {
        /* A sixteenth stays free for others. */
        size = (size_t)(space - space / 16) & ~(size_t)((1 << PAGE_SHIFT_MIN) - 1);
    }
    if (size < SEGMENT_SIZE_MIN) {
        refuse(attempt, "%s has %llu MiB free, the least for a segment is %d MiB; free some or set larder.path",
               attempt->folder, (unsigned long long)space >> 20, SEGMENT_SIZE_MIN >> 20);
        return 0;
    }
    os_prefer_huge(description, size);
    const int error = os_fill(description, size);
    if (error) {
        refuse(attempt, "cannot take %zu MiB in %s: %s; set larder.size smaller", size >> 20, attempt->folder,
               strerror(error));
        return 0;
    }
    if (size < attempt->options->size) {
        refuse(attempt, "%s had room for %zu of the %zu MiB that larder.size asks for", attempt->folder,
               size >> 20, attempt->options->size >> 20);
    }
    return size;
}

/* Makes a segment under a temporary name and renames it into place. The caller holds the creation lock. */
static bool create(struct attempt *attempt, uintptr_t avoid) {
    remove_leftovers(attempt);
    uint64_t unique = 0;
    os_random(&unique, sizeof unique);
    char name[NAME_MAX_BYTES + 32];
    snprintf(name, sizeof name, "%s.new.%016llx", attempt->name, (unsigned long long)unique);
    const int description =
        openat(attempt->directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (description < 0) {
        return refuse(attempt, "cannot create a file in %s: %s", attempt->folder, strerror(errno));
    }
    POINT(segment_temporary_made);
    struct header_shared header;
    memset(&header, 0, sizeof header);
    bool made = false;
    size_t size = 0;
    if (fchmod(description, 0600) != 0) {
        refuse(attempt, "cannot make a private file in %s: %s", attempt->folder, strerror(errno));
    } else {
        size = fill(attempt, description);
    }
    if (size) {
        geometry_plan(&header, attempt->options, size);
        memcpy(header.boot_id, process_boot_id(), sizeof header.boot_id);
        header.view = choose_address(size, avoid);
        header.created = os_milliseconds();
        made = header.view && os_random(&header.seed, sizeof header.seed);
        geometry_sign(&header);
        POINT(segment_filled);
        made = made && pwrite(description, &header, sizeof header, 0) == (ssize_t)sizeof header &&
               renameat(attempt->directory, name, attempt->directory, attempt->name) == 0;
        if (!made) {
            refuse(attempt, "cannot finish the segment %s/%s: %s", attempt->folder, attempt->name,
                   strerror(errno));
        }
    }
    POINT(segment_renamed);
    if (!made) {
        unlinkat(attempt->directory, name, 0);
    }
    close(description);
    return made;
}

static void retire(int description) {
    const uint64_t retired = 1;
    (void)!pwrite(description, &retired, sizeof retired, offsetof(struct header_shared, retired));
}

/* Replaces the file that the path names, if it is still the one that was found wanting. */
static bool replace(struct attempt *attempt, const struct stat *seen, const struct header_shared *header) {
    if (!lock_creation(attempt)) {
        return false;
    }
    struct stat status;
    bool done = true;
    const bool exists = fstatat(attempt->directory, attempt->name, &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (!exists || !seen) {
        done = exists || create(attempt, 0);
    } else if (status.st_ino == seen->st_ino && status.st_dev == seen->st_dev) {
        const int old = openat(attempt->directory, attempt->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (old >= 0 && status.st_size >= (off_t)sizeof(struct header_shared)) {
            retire(old);
        }
        POINT(segment_retired);
        unlinkat(attempt->directory, attempt->name, 0);
        done = create(attempt, header->view);
        if (old >= 0) {
            close(old);
        }
    }
    unlock_creation(attempt);
    return done;
}

/* ---- Mapping ---- */

/* Another description of the file that was looked at; -1 if the path names another meanwhile. */
static int open_same(const struct attempt *attempt, const struct stat *status, int access) {
    const int description =
        openat(attempt->directory, attempt->name, access | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat again;
    if (description >= 0 &&
        (fstat(description, &again) != 0 || again.st_ino != status->st_ino || again.st_dev != status->st_dev)) {
        close(description);
        return -1;
    }
    return description;
}

static struct segment *map_file(const struct attempt *attempt, const struct stat *status,
                                const struct header_shared *header) {
    for (struct segment *segment = segments; segment; segment = segment->next) {
        if (segment->inode == status->st_ino && segment->device == status->st_dev) {
            segment->users++;
            return segment;
        }
    }
    struct segment *segment = calloc(1, sizeof *segment);
    if (!segment) {
        return NULL;
    }
    segment->file_size = (size_t)status->st_size;
    segment->device = status->st_dev;
    segment->inode = status->st_ino;
    snprintf(segment->path, sizeof segment->path, "%s/%s", attempt->folder, attempt->name);
    /* Not from the description that will hold the record's byte: a mapping keeps its description, and so would
     * keep the lock after a fork or a detach, when it has to fall. */
    const int writable = open_same(attempt, status, O_RDWR);
    if (writable >= 0) {
        segment->map.desk = os_map_desk(writable, segment->file_size);
        close(writable);
    }
    /* From one that cannot write, or mprotect() could make the view writable. */
    const int readable = open_same(attempt, status, O_RDONLY);
    if (readable >= 0) {
        segment->map.view = os_map_view(readable, segment->file_size, header->view);
        close(readable);
    }
    if (!segment->map.desk || !segment->map.view) {
        if (segment->map.desk) {
            os_unmap(segment->map.desk, segment->file_size);
        }
        if (segment->map.view) {
            os_unmap((void *)(uintptr_t)segment->map.view, segment->file_size);
        }
        free(segment);
        return NULL;
    }
    segment->map.fixed = (uintptr_t)segment->map.view == header->view;
    geometry_map(&segment->map, header);
    segment->users = 1;
    segment->next = segments;
    segments = segment;
    return segment;
}

void segment_release(struct segment *segment) {
    process_lock();
    if (--segment->users == 0) {
        for (struct segment **link = &segments; *link; link = &(*link)->next) {
            if (*link == segment) {
                *link = segment->next;
                break;
            }
        }
        os_unmap(segment->map.desk, segment->file_size);
        os_unmap((void *)(uintptr_t)segment->map.view, segment->file_size);
        free(segment);
    }
    process_unlock();
}

bool segment_is_current(const struct segment *segment) {
    struct stat status;
    return !word_load(&segment->map.header->retired) && lstat(segment->path, &status) == 0 &&
           status.st_ino == segment->inode && status.st_dev == segment->device;
}

const char *segment_path(const struct segment *segment) {
    return segment->path;
}

int segment_open_description(const struct segment *segment, int known) {
    int description = known >= 0 ? os_open_again(known, true) : -1;
    if (description < 0) {
        description = open(segment->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    }
    struct stat status;
    if (description >= 0 && (fstat(description, &status) != 0 || status.st_ino != segment->inode ||
                             status.st_dev != segment->device)) {
        close(description);
        description = -1;
    }
    return description;
}

/* ---- Attaching ---- */

/* Maps the file, claims a record, and only then believes that it is the path's current one. */
static enum finding enter(struct attempt *attempt, struct cache *cache, int description, const struct stat *status,
                          const struct header_shared *header) {
    struct segment *segment = map_file(attempt, status, header);
    if (!segment) {
        const int error = errno;
        struct stat now;
        close(description);
        if (fstatat(attempt->directory, attempt->name, &now, AT_SYMLINK_NOFOLLOW) != 0 ||
            now.st_ino != status->st_ino) {
            return REPLACE; /* somebody was faster: look again */
        }
        refuse(attempt, "cannot map %s/%s: %s", attempt->folder, attempt->name, strerror(error));
        return FOREIGN;
    }
    cache->segment = segment;
    cache->map = segment->map;
    /* Whoever looks whether anybody is attached holds all bytes for a moment: then a second look finds one. */
    if (!process_claim(cache, description) && (os_yield(), !process_claim(cache, description))) {
        close(description);
        refuse(attempt, "all %u process records of %s are taken; raise larder.processes", cache->map.record_count,
               segment->path);
        return FOREIGN;
    }
    return segment_is_current(segment) ? USABLE : REPLACE;
}

static void leave(struct cache *cache) {
    process_leave(cache);
    process_unlock();
    segment_release(cache->segment);
    process_lock();
    cache->segment = NULL;
}

/* One look at the path; USABLE when attached, REPLACE to look again, FOREIGN to give up. */
static enum finding attempt_once(struct attempt *attempt, struct cache *cache) {
    int description;
    struct stat status;
    struct header_shared header;
    memset(&header, 0, sizeof header);
    enum finding finding = look(attempt, &description, &status, &header);
    if (finding == USABLE && settings_differ(attempt, &header) && is_unattached(attempt, attempt->name)) {
        finding = REPLACE;
    }
    switch (finding) {
        case USABLE:
            if (header.size_asked != attempt->options->size) {
                refuse(
                    attempt,
                    "the segment was made for %llu MiB, larder.size asks for %zu: obeyed when no process uses it",
                    (unsigned long long)header.size_asked >> 20, attempt->options->size >> 20);
            }
            finding = enter(attempt, cache, description, &status, &header);
            if (finding != USABLE && cache->segment) {
                leave(cache);
            }
            return finding;
        case NONE:
            return replace(attempt, NULL, NULL) ? REPLACE : FOREIGN;
        case REPLACE:
            close(description);
            return replace(attempt, &status, &header) ? REPLACE : FOREIGN;
        case FOREIGN:
            if (description >= 0) {
                close(description);
            }
            break;
    }
    return FOREIGN;
}

bool segment_attach(struct cache *cache, char reason[CACHE_REASON_MAX]) {
    struct attempt attempt = {.options = &cache->options, .reason = reason, .directory = -1, .lock = -1};
    attempt.layout = geometry_layout(cache->options.value_layout);
    snprintf(attempt.name, sizeof attempt.name, "%s-%016llx", cache->options.segment,
             (unsigned long long)attempt.layout);
    reason[0] = '\0';
    process_lock();
    enum finding finding = FOREIGN;
    if (open_folder(&attempt)) {
        finding = REPLACE;
        for (unsigned i = 0; i < ATTEMPTS && finding == REPLACE; i++) {
            finding = attempt_once(&attempt, cache);
        }
        if (finding == REPLACE) {
            refuse(&attempt, "the segment %s/%s changes all the time; try again", attempt.folder, attempt.name);
        }
        unlock_creation(&attempt);
    }
    if (attempt.directory >= 0) {
        close(attempt.directory);
    }
    process_unlock();
    errno = attempt.busy ? EAGAIN : 0; /* taken records leave EAGAIN, too */
    return finding == USABLE;
}
