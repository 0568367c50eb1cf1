/*
 * The segment's file: named, created, checked, mapped, replaced.
 *
 * Path: <directory>/larder/<uid>/<segment>-<layout hash> if root has made that folder, which nobody can squat, else
 * <directory>/larder-<uid>/...; the folder 0700, the file 0600. It is made under a temporary name and put in place by a
 * rename that fails where there is one: of many creators the first wins, without a lock. A segment is never truncated,
 * resized or rewritten in place.
 */
#ifndef LARDER_SEGMENT_H
#define LARDER_SEGMENT_H

#include "process.h"

struct segment; /* a mapping, shared by the threads of a process */

/*
 * Opens or creates the segment that the options name and maps it. Fills cache->segment, cache->map and
 * claims a record. False, and a reason, if there is none to be had. May fill a reason on success too.
 */
bool segment_attach(struct cache *cache, char reason[CACHE_REASON_MAX]);

/* First half of leaving: this cache writes no more. The writable mapping goes, unless another cache is attached; what was
 * fetched from the segment stays readable. */
void segment_close_writable(struct segment *segment);

/* The other half, at once or when nothing is held any more: the last one unmaps. */
void segment_release(struct segment *segment);

/* Whether the path still names the segment's file. One stat. */
bool segment_is_current(const struct segment *segment);

/* Removes files of the segment's folder that no process needs. */
void segment_tidy(const struct cache *cache);

const char *segment_path(const struct segment *segment);

/* A new description of the segment's file, for a record's lock; -1 if it cannot be had. `known` is an
 * older one of the same file, or -1. The caller holds process_lock(). */
int segment_open_locked(const struct segment *segment, int known);

#endif
