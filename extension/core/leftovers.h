/*
 * Files of the segments' folder that nobody needs any more: temporary ones of dead creators, segments that are unused for
 * long, those of another PHP.
 */
#ifndef LARDER_LEFTOVERS_H
#define LARDER_LEFTOVERS_H

#include "attach_attempt.h"

/* Removes those that no process is attached to. Segments unused for a day, if they keep entries for a month; and if
 * memory is short those of another PHP at once. Nothing else: an idle pool's cache is warm. */
void leftovers_remove(const struct attempt *attempt, bool short_of_memory);

/* Closes what may be the last reference to a file, `also_open` is another descriptor or -1. The system then frees its
 * memory, which can take seconds: not under the lock. The number stays taken meanwhile, since a forked child closes
 * it. */
void leftovers_close(const struct attempt *attempt, int fd, int also_open);

#endif
