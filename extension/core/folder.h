/*
 * The folder of a user's segments: <larder.path>/larder/<uid> if root has created that, else <larder.path>/larder-<uid>,
 * which is created with mode 0700. Neither may be another user's, open to others, or on a disk.
 */
#ifndef LARDER_FOLDER_H
#define LARDER_FOLDER_H

#include "attach_attempt.h"

/* Opens it as `attempt->directory`. False with a reason; true with one where the folder that root created is not
 * used. */
bool folder_open(struct attempt *attempt);

/* The folder that root created for the user in this directory, whose name nobody else can take. -1 if there is none; or
 * if it cannot be trusted: then `distrusted` is set. */
int folder_open_provided(const char *directory, uid_t user, bool *distrusted);

/* True if this process may create something in the open folder. Any other failure says nothing about that: filters of
 * system calls in containers refuse the question itself. */
bool folder_is_writable(const struct attempt *attempt);

#endif
