#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "os.h"

static bool is_private(const struct stat *status, uid_t user) {
    return status->st_uid == user && (status->st_mode & 077) == 0;
}

/* True if only root can replace the files in this folder. It and all folders above must be root's. Other users may
 * not write there, or at least not rename and remove root's files (the sticky bit of /dev/shm). Closes `folder`. */
static bool is_out_of_reach(int folder) {
    struct stat status, below = {0};
    bool safe = false;
    while (folder >= 0 && fstat(folder, &status) == 0 && status.st_uid == 0 &&
           ((status.st_mode & 022) == 0 || (status.st_mode & S_ISVTX) != 0)) {
        safe = same_file(&status, &below); /* / is its own parent */
        if (safe) {
            break;
        }
        below = status;
        const int above = openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(folder);
        folder = above;
    }
    close_if_open(folder);
    return safe;
}

enum { FOLDER_ACCESS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

int folder_open_provided(const char *directory, uid_t user, bool *distrusted) {
    char name[FOLDER_MAX_BYTES];
    struct stat status;
    snprintf(name, sizeof name, "%s/larder", directory);
    *distrusted = false;
    const int above = open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (above < 0) {
        return -1;
    }
    snprintf(name, sizeof name, "%u", (unsigned)user);
    int folder = openat(above, name, FOLDER_ACCESS);
    *distrusted = folder < 0 ? errno != ENOENT : fstat(folder, &status) != 0 || !is_private(&status, user);
    if (folder < 0) {
        close(above);
    } else if (!is_out_of_reach(above) || *distrusted) {
        *distrusted = true;
        close(folder);
        folder = -1;
    }
    return folder;
}

/* Reports what is wrong, and how root creates the folder. Another user may have created <larder.path>/larder, with
 * links that a command of root would follow. So a folder that is not root's is removed first, and created by mkdir,
 * which unlike install fails if something is there. */
static bool refuse_unprovided(struct attempt *attempt, const char *wrong) {
    const char *const directory = attempt->options->directory;
    const unsigned user = (unsigned)geteuid();
    char name[FOLDER_MAX_BYTES];
    struct stat status;
    snprintf(name, sizeof name, "%s/larder", directory);
    const char *make = "mkdir -m 755 larder && ";
    if (lstat(name, &status) == 0) {
        const bool roots = S_ISDIR(status.st_mode) && status.st_uid == 0 && (status.st_mode & 022) == 0;
        make = roots ? "" : "rm -rf larder && mkdir -m 755 larder && ";
    }
    return attempt_refuse(attempt, "%s; as root: cd %s && %sinstall -d -m 700 -o %u larder/%u", wrong, directory,
                          make, user, user);
}

static bool refuse_folder(struct attempt *attempt) {
    const int error = errno;
    char wrong[CACHE_REASON_MAX];
    snprintf(wrong, sizeof wrong, "cannot create the folder %s: %s", attempt->folder, strerror(error));
    if (error == EACCES) {
        return refuse_unprovided(attempt, wrong);
    }
    return attempt_refuse(
        attempt, "%s; %s", wrong,
        attempt_advice(error, "set larder.path to an existing directory on a tmpfs, such as /dev/shm"));
}

static bool is_in_memory(const char *directory) {
    const int folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const bool in_memory = folder < 0 || os_in_memory(folder);
    close_if_open(folder);
    return in_memory;
}

static bool refuse_disk(struct attempt *attempt) {
    return attempt_refuse(attempt,
                          "%s is not in memory: mount a tmpfs there, or set larder.path to a folder on one",
                          attempt->options->directory);
}

bool folder_is_writable(const struct attempt *attempt) {
    return faccessat(attempt->directory, ".", W_OK | X_OK, AT_EACCESS) == 0 || (errno != EACCES && errno != EROFS);
}

/* The user's own folder, <larder.path>/larder-<uid>. */
static bool open_own(struct attempt *attempt, uid_t user) {
    const char *const directory = attempt->options->directory;
    struct stat status;
    snprintf(attempt->folder, sizeof attempt->folder, "%s/larder-%u", directory, (unsigned)user);
    attempt->directory = open(attempt->folder, FOLDER_ACCESS);
    const bool missing = attempt->directory < 0 && errno == ENOENT;
    if (missing && !is_in_memory(directory)) {
        return refuse_disk(attempt);
    }
    if (missing) {
        if (attempt->options->joins_only) {
            attempt->directory = open(attempt->options->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            return attempt->directory >= 0 && folder_is_writable(attempt) ? file_report_absent(attempt)
                                                                          : refuse_folder(attempt);
        }
        if (mkdir(attempt->folder, 0700) != 0 && errno != EEXIST) {
            return refuse_folder(attempt);
        }
        attempt->directory = open(attempt->folder, FOLDER_ACCESS);
    }
    if (attempt->directory >= 0 && fstat(attempt->directory, &status) == 0 && is_private(&status, user)) {
        return true;
    }
    const int error = errno;
    if (lstat(attempt->folder, &status) == 0 && status.st_uid != user) {
        char wrong[CACHE_REASON_MAX];
        snprintf(wrong, sizeof wrong, "the folder %s belongs to user %u, not to %u, who has no cache",
                 attempt->folder, (unsigned)status.st_uid, (unsigned)user);
        return refuse_unprovided(attempt, wrong);
    }
    if (attempt->directory < 0) {
        return attempt_refuse(attempt, "cannot open the folder %s: %s; %s", attempt->folder, strerror(error),
                              attempt_advice(error, "remove it or set larder.path"));
    }
    return attempt_refuse(attempt, "the folder %s is open to other users: chmod 700 %s", attempt->folder,
                          attempt->folder);
}

bool folder_open(struct attempt *attempt) {
    const char *const directory = attempt->options->directory;
    const uid_t user = geteuid();
    bool distrusted;
    attempt->directory = folder_open_provided(directory, user, &distrusted);
    attempt->provided = attempt->directory >= 0;
    if (attempt->provided) {
        snprintf(attempt->folder, sizeof attempt->folder, "%s/larder/%u", directory, (unsigned)user);
    } else if (!open_own(attempt, user)) {
        return false;
    }
    if (!os_in_memory(attempt->directory)) {
        return refuse_disk(attempt);
    }
    if (distrusted) {
        char wrong[CACHE_REASON_MAX];
        snprintf(wrong, sizeof wrong,
                 "%s/larder/%u is not used: it must be of user %u with mode 0700, and all above it of root",
                 directory, (unsigned)user, (unsigned)user);
        refuse_unprovided(attempt, wrong);
    }
    return true;
}
