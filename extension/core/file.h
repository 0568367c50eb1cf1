/*
 * A segment's file: looked at, made, taken out of its place. It has mode 0600, is created under a temporary name and put
 * in place by a rename that fails if there is one already: of many creators the first wins, without a lock. It is never
 * truncated, resized or rewritten in place.
 *
 * All but the first are called under process_lock().
 */
#ifndef LARDER_FILE_H
#define LARDER_FILE_H

#include "attach_attempt.h"

enum finding { USABLE, NONE, REPLACE, FOREIGN };

/* True if the file is one of ours: it may be used, or replaced if its content is damaged. `fd`, `status` and `header` are
 * what was found. */
enum finding file_look(struct attempt *attempt, int *fd, struct stat *status, struct header_shared *header);

/* Creates it, in the place of attempt->old. False with a reason, and the old one stays; true: look again, this one or that
 * of a faster process. */
bool file_create(struct attempt *attempt);

/* Unlinks a damaged, retired or unwanted file, which was `seen` by the description `seen_fd`. */
void file_discard(const struct attempt *attempt, const struct stat *seen, int seen_fd);

/* There is no segment, and this call does not create one. It is absent only if a store could create one; else the
 * reason says why not. False. */
bool file_report_absent(struct attempt *attempt);

/* Says why no file can be made in the folder, by errno. False. */
bool file_refuse_new(struct attempt *attempt);

#endif
