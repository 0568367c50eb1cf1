/*
 * A segment in this process: attached to, mapped, left. Its folder is found by folder.c, its file made and replaced by
 * file.c; the path is <folder>/<segment>-<layout hash>.
 */
#ifndef LARDER_SEGMENT_H
#define LARDER_SEGMENT_H

#include "process.h"

struct segment; /* a mapping, shared by the threads of a process */

/* Opens or creates the segment that the options name, maps it and claims a record. False with a reason, which may be
 * filled on success too. */
bool segment_attach(struct cache *cache, char reason[CACHE_REASON_MAX]);

/* First half of leaving: closes the writable mapping, unless another thread is attached. Values stay readable. */
void segment_close_writable(struct segment *segment);

/* The other half, when no value is held any more: the last one unmaps. */
void segment_release(struct segment *segment);

/* True if the path still names the segment's file. One stat. */
bool segment_is_current(const struct segment *segment);

/* Removes unused files of the segment's folder. */
void segment_tidy(const struct cache *cache);

const char *segment_path(const struct segment *segment);

const struct map *segment_map(const struct segment *segment);

#endif
