#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failpoint.h"
#include "geometry.h"
#include "leftovers.h"
#include "limit.h"
#include "os.h"
#include "process.h"

#define REPLACE_WAIT_NS (UINT64_C(20) * 1000 * 1000)

/* ---- Looking at a file ---- */

enum finding file_look(struct attempt *attempt, int *fd, struct stat *status, struct header_shared *header) {
    *fd = os_open_file(attempt->directory, attempt->name, O_RDWR);
    if (*fd < 0) {
        if (errno == ENOENT) {
            return NONE;
        }
        const int error = errno;
        attempt_refuse(attempt, "cannot open %s/%s: %s; %s", attempt->folder, attempt->name, strerror(error),
                       attempt_advice(error, "remove it"));
        return FOREIGN;
    }
    if (fstat(*fd, status) != 0 || !S_ISREG(status->st_mode) || status->st_uid != geteuid() ||
        status->st_nlink != 1 || (status->st_mode & 077) != 0) {
        attempt_refuse(attempt, "%s/%s is not a private file of user %u with one link and mode 0600; remove it",
                       attempt->folder, attempt->name, (unsigned)geteuid());
        return FOREIGN;
    }
    if (pread(*fd, header, sizeof *header, 0) != (ssize_t)sizeof *header ||
        !geometry_valid(header, (uint64_t)status->st_size, attempt->layout)) {
        return REPLACE;
    }
    if ((header->keeps != 0) != attempt->options->keeps) {
        attempt_refuse(attempt, "%s/%s is a segment %s sessions; choose another larder.segment", attempt->folder,
                       attempt->name, header->keeps ? "of" : "without");
        return FOREIGN;
    }
    return word_load(&header->retired) ? REPLACE : USABLE;
}

/* ---- Creating ---- */

/* Chooses an address that is free in most processes: far from where Linux puts binaries, heap, libraries and stacks,
 * also under sanitizers. The low addresses are for small address spaces. */
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

/* The segment's size: as asked for, or what the file system and the cgroups can give while other programs keep their
 * part. 0: too little. */
static size_t plan_size(struct attempt *attempt) {
    enum { SPARE_PART = 16, LIMIT_PART = 4 };
    size_t size = attempt->options->size;
    struct os_space space = os_space(attempt->directory);
    space.free += attempt->old ? os_memory(attempt->old_fd) : 0;
    if (space.free < size && !attempt->options->joins_only) {
        leftovers_remove(attempt, true);
        space = os_space(attempt->directory);
        space.free += attempt->old ? os_memory(attempt->old_fd) : 0;
    }
    if (space.total - space.total / SPARE_PART < CACHE_SIZE_MIN) {
        attempt_refuse(attempt,
                       "the file system of %s has %llu MiB, too few for a segment of %d MiB and a sixteenth for "
                       "others; make it larger or set larder.path",
                       attempt->folder, (unsigned long long)space.total >> 20, (int)(CACHE_SIZE_MIN >> 20));
        return 0;
    }
    if (space.free < CACHE_SIZE_MIN) {
        attempt_refuse(attempt,
                       "%s has %llu MiB free, the least for a segment is %d MiB; free some or set larder.path",
                       attempt->folder, (unsigned long long)space.free >> 20, (int)(CACHE_SIZE_MIN >> 20));
        return 0;
    }
    const char *const setting = attempt->options->keeps ? "larder.session_size" : "larder.size";
    if (size > space.total - space.total / SPARE_PART) {
        size = (size_t)(space.total - space.total / SPARE_PART);
        attempt_refuse(attempt, "%s has room for %zu of the %zu MiB that %s asks for", attempt->folder, size >> 20,
                       attempt->options->size >> 20, setting);
    }
    const struct limit least = limit_read();
    const uint64_t limit = least.limit;
    if (size > limit - limit / LIMIT_PART) {
        size = (size_t)(limit - limit / LIMIT_PART);
        attempt_refuse(attempt,
                       "the memory limit of this process leaves room for %zu of the %zu MiB that %s asks for",
                       size >> 20, attempt->options->size >> 20, setting);
        if (size < CACHE_SIZE_MIN) {
            attempt_refuse(
                attempt,
                "the memory limit of this process is %llu MiB, too little for a segment: 11 MiB are the least",
                (unsigned long long)limit >> 20);
            return 0;
        }
    }
    /* All of the segment's memory is taken now. At the limit the kernel would kill this process. */
    if (attempt->options->keeps && (space.free < size || least.left < size + limit / SPARE_PART)) {
        const bool full = space.free < size;
        attempt_refuse(attempt, "%s%s%llu MiB free, and %s asks for %zu; free some or lower the setting",
                       full ? attempt->folder : "the memory limit of this process", full ? " has " : " leaves ",
                       (unsigned long long)(full ? space.free : least.left) >> 20, setting, size >> 20);
        return 0;
    }
    return size & ~(size_t)((1 << PAGE_SHIFT_MIN) - 1);
}

static bool refuse_large_file(struct attempt *attempt, size_t size) {
    return attempt_refuse(
        attempt,
        "no process has made the segment, and this one may not write files of %zu MiB; raise ulimit -f "
        "or set larder.size smaller",
        size >> 20);
}

bool file_refuse_new(struct attempt *attempt) {
    const int error = errno;
    char command[FOLDER_MAX_BYTES + sizeof "chmod 700 "];
    snprintf(command, sizeof command, "chmod 700 %s", attempt->folder);
    return attempt_refuse(
        attempt, "cannot create a file in %s: %s; %s", attempt->folder, strerror(error),
        attempt_advice(error, error == EACCES ? command : "set larder.path to a folder that can be written"));
}

bool file_report_absent(struct attempt *attempt) {
    const size_t size = plan_size(attempt);
    if (!size) {
        return false;
    }
    if (!os_may_grow(size)) {
        return refuse_large_file(attempt, size);
    }
    attempt->absent = true;
    return attempt_refuse(attempt, "nothing has been stored yet: the first store makes the segment");
}

/* Gives a new file its length, its tables' memory and its header. Returns an errno on failure. Slow, so called
 * without the lock. */
static int write_tables(const struct attempt *attempt, int fd, size_t size, uintptr_t base) {
    struct header_shared header;
    memset(&header, 0, sizeof header);
    geometry_plan(&header, attempt->options, size);
    header.base = base;
    header.created = os_milliseconds();
    if (!os_random(&header.seed, sizeof header.seed) || ftruncate(fd, (off_t)size) != 0) {
        return errno;
    }
    const int error = os_fill(fd, 0, header.keeps ? size : geometry_tables(&header));
    if (error) {
        return error;
    }
    geometry_sign(&header);
    FAILPOINT(segment_filled);
    return pwrite(fd, &header, sizeof header, 0) == (ssize_t)sizeof header ? 0 : errno ? errno : EIO;
}

/* The first of several creators wins; the others discard their files and look again. The lock on a temporary file
 * only shows that its creator is alive. */
bool file_create(struct attempt *attempt) {
    const size_t size = plan_size(attempt);
    if (!size) {
        return false;
    }
    if (!os_may_grow(size)) {
        return refuse_large_file(attempt, size);
    }
    leftovers_remove(attempt, false);
    uint64_t unique = 0;
    os_random(&unique, sizeof unique);
    char name[NAME_MAX_BYTES + 32];
    snprintf(name, sizeof name, "%s" TEMPORARY "%016llx", attempt->name, (unsigned long long)unique);
    const int fd = os_create_file(attempt->directory, name);
    if (fd < 0) {
        return file_refuse_new(attempt);
    }
    FAILPOINT(segment_temporary_made);
    int error = 0;
    /* If this fails, another process takes the file for a leftover, and the rename fails. */
    (void)os_lock(fd, BYTE_OF_MAKER, 1);
    /* Under the lock: an address is tried by mapping it, and a forked child would keep that mapping. */
    const uintptr_t base = choose_address(size, attempt->avoid);
    if (!base) {
        error = ENOMEM;
    } else if (fchmod(fd, 0600) != 0) {
        error = errno;
    } else {
        struct open_files open = {3, {attempt->directory, fd, attempt->old ? attempt->old_fd : -1}, NULL};
        process_unlock_with(&open);
        error = write_tables(attempt, fd, size, base);
        process_lock_again(&open);
    }
    if (!error && attempt->old) {
        file_discard(attempt, attempt->old, attempt->old_fd);
    }
    if (!error) {
        error = os_rename_new(attempt->directory, name, attempt->name);
    }
    FAILPOINT(segment_renamed);
    if (error) {
        unlinkat(attempt->directory, name, 0);
    }
    os_unlock(fd, BYTE_OF_MAKER, 1);
    close(fd);
    if (error && error != EEXIST && error != ENOENT) {
        return attempt_refuse(attempt, "cannot make the segment %s/%s of %zu MiB: %s; %s", attempt->folder,
                              attempt->name, size >> 20, strerror(error),
                              attempt_advice(error, "set larder.path"));
    }
    return true;
}

/* ---- Taking out of its place ---- */

/* Marks the segment as retired. If the kernel would end this process for a write, its users notice only by the path. */
static void retire(int fd) {
    const uint64_t retired = 1;
    (void)!(os_may_grow(sizeof(struct header_shared)) &&
            pwrite(fd, &retired, sizeof retired, offsetof(struct header_shared, retired)) > 0);
}

/* Lets one of many processes replace a bad file. The wait is bounded, since the holder of the lock may be stopped;
 * correctness does not depend on the lock. `seen` is another description of the file. */
static void lock_replacing(const struct attempt *attempt, int fd, int seen) {
    struct open_files open = {3, {attempt->directory, fd, seen}, NULL};
    process_unlock_with(&open);
    const uint64_t begun = os_nanoseconds();
    while (!os_lock(fd, BYTE_OF_MAKER, 1) && os_nanoseconds() - begun < REPLACE_WAIT_NS) {
        os_yield();
    }
    process_lock_again(&open);
}

/* The file is moved aside and checked there. If it is another one, because another process was faster, it is moved
 * back. If a third file has the path by then, the moved one is retired, and its users move to the third. Unless
 * processes are stopped in between, the lock prevents both. */
void file_discard(const struct attempt *attempt, const struct stat *seen, int seen_fd) {
    const int old = os_open_file(attempt->directory, attempt->name, O_RDWR);
    if (old < 0) {
        return;
    }
    char aside[NAME_MAX_BYTES + 32];
    uint64_t unique = 0;
    os_random(&unique, sizeof unique);
    snprintf(aside, sizeof aside, "%s" TEMPORARY "%016llx", attempt->name, (unsigned long long)unique);
    struct stat status;
    lock_replacing(attempt, old, seen_fd);
    if (fstatat(attempt->directory, attempt->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        same_file(&status, seen)) {
        FAILPOINT(segment_looked_at);
        if (os_rename_new(attempt->directory, attempt->name, aside) == 0) {
            FAILPOINT(segment_moved_aside);
            const int moved = os_open_file(attempt->directory, aside, O_RDWR);
            const bool meant = moved >= 0 && fstat(moved, &status) == 0 && same_file(&status, seen);
            if (meant || os_rename_new(attempt->directory, aside, attempt->name) != 0) {
                if (moved >= 0 && status.st_size >= (off_t)sizeof(struct header_shared)) {
                    retire(moved);
                }
                FAILPOINT(segment_retired);
                unlinkat(attempt->directory, aside, 0);
            }
            close_if_open(moved);
        }
    }
    os_unlock(old, BYTE_OF_MAKER, 1);
    close(old);
}
