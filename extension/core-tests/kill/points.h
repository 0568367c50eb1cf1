/*
 * Every FAILPOINT of core: how often a process died or stopped there. The list is generated from core's sources by
 * the build (build/.../points.list), so a new failpoint that no test reaches fails the run.
 */
#ifndef LARDER_POINTS_H
#define LARDER_POINTS_H

#include <stdatomic.h>
#include <stdbool.h>

enum {
    POINTS_MAX = 96,
    POINT_ENOUGH = 20, /* deaths and stops at each failpoint, in the long version */
};

/* Shared by all processes of the run. */
struct point_counts {
    atomic_long passed[POINTS_MAX]; /* only in recordings */
    atomic_long killed[POINTS_MAX];
    atomic_long stopped[POINTS_MAX];
};
extern struct point_counts *point_counts;

extern const char *const point_names[];
unsigned point_count(void);
/* The number of a failpoint. The run fails if core has one that is not in the list. */
unsigned point_number(const char *name);

/* Creates the shared counts. Called before any test. */
void points_begin(void);
/* Prints a line for each failpoint. Expects that at each one enough processes died, and enough were stopped. */
void points_expect_all(void);

#endif
