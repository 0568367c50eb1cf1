/*
 * A segment's file: how it is examined, created and removed. It has mode 0600. It is created under a temporary name
 * and put in place by a rename that fails if there is a file already. So of many creators the first wins, without a
 * lock. It is never truncated, resized or rewritten in place.
 *
 * All but the first are called under process_lock().
 */
#ifndef LARDER_FILE_H
#define LARDER_FILE_H

#include "attach_attempt.h"

enum finding { USABLE, NONE, REPLACE, FOREIGN };

/* Examines the file at the segment's path; `fd`, `status` and `header` receive what was found. USABLE; NONE: there
 * is no file; REPLACE: it is ours, but damaged or retired; FOREIGN: with a reason, it may be neither used nor
 * replaced. */
enum finding file_look(struct attempt *attempt, int *fd, struct stat *status, struct header_shared *header);

/* Creates the file, in place of attempt->old. False with a reason, and the old file stays. True: look again, at this
 * file or at that of a faster process. */
bool file_create(struct attempt *attempt);

/* Unlinks a damaged, retired or unwanted file, which was `seen` by the description `seen_fd`. */
void file_discard(const struct attempt *attempt, const struct stat *seen, int seen_fd);

/* Reports that there is no segment, and that this call does not create one. Sets attempt->absent only if a store
 * could create one; otherwise the reason says why it could not. Returns false. */
bool file_report_absent(struct attempt *attempt);

/* Reports by errno why no file can be created in the folder. Returns false. */
bool file_refuse_new(struct attempt *attempt);

#endif
