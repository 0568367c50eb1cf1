/*
 * A segment in this process: attaching, mapping, leaving. folder.c finds its folder, file.c creates and replaces its
 * file. The path is <folder>/<segment>-<layout hash>.
 */
#ifndef LARDER_SEGMENT_H
#define LARDER_SEGMENT_H

#include "process.h"

struct segment; /* a mapping, shared by the threads of a process */

/* Opens or creates the segment that the options name, maps it and claims a record. False with a reason. The reason
 * may be filled on success, too. */
bool segment_attach(struct cache *cache, char reason[CACHE_REASON_MAX]);

/* First half of leaving: closes the writable mapping, unless another thread is attached. Values stay readable. */
void segment_close_writable(struct segment *segment);

/* Second half, when no value is held any more: the last user unmaps the segment. */
void segment_release(struct segment *segment);

/* True if the path still names the segment's file, and that is where new segments are created. One system call; some
 * more if root did not create the folder. */
bool segment_is_current(const struct segment *segment);

/* Removes unused files of the segment's folder. */
void segment_tidy(const struct cache *cache);

const char *segment_path(const struct segment *segment);

const struct map *segment_map(const struct segment *segment);

#endif
