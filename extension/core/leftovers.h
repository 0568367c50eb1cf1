/*
 * Files of the segments' folder that are no longer needed: temporary files of dead creators, segments that were
 * unused for long, and segments of another PHP.
 */
#ifndef LARDER_LEFTOVERS_H
#define LARDER_LEFTOVERS_H

#include "attach_attempt.h"

/* Removes such files if no process is attached to them: temporary files; segments that were unused for a day, or, if
 * they keep their entries, for a month; and, if memory is short, segments of another PHP at once. Nothing else is
 * removed: the cache of an idle pool is warm. */
void leftovers_remove(const struct attempt *attempt, bool short_of_memory);

/* Closes `fd`, which may be the last reference to a file. The system then frees the file's memory, which can take
 * seconds, so it is done without the lock. `also_open` is another descriptor that is open in this time, or -1. A
 * child that is forked in this time closes these numbers, so the number of `fd` stays taken until the end. */
void leftovers_close(const struct attempt *attempt, int fd, int also_open);

#endif
