/*
 * The folder of a user's segments is <larder.path>/larder/<uid> if root has created that. Otherwise it is
 * <larder.path>/larder-<uid>, which is created with mode 0700. Neither may belong to another user, be open to
 * others, or be on a disk.
 */
#ifndef LARDER_FOLDER_H
#define LARDER_FOLDER_H

#include "attach_attempt.h"

/* Opens the folder as `attempt->directory`. False with a reason. True, also with a reason, if the folder that root
 * created is not used. */
bool folder_open(struct attempt *attempt);

/* Opens the folder that root created for the user in this directory, whose name no other user can take. -1 if there
 * is none, or if it cannot be trusted; in that case `distrusted` is set. */
int folder_open_provided(const char *directory, uid_t user, bool *distrusted);

/* True if this process may create files in the open folder, or if that is unknown: filters of system calls in
 * containers refuse the question itself. */
bool folder_is_writable(const struct attempt *attempt);

#endif
