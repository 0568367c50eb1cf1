/* The suites of this folder. */
#ifndef LARDER_STORMS_H
#define LARDER_STORMS_H

#include "harness.h"

extern const struct suite suite_every_point, suite_creation, suite_storm, suite_keeping, suite_coverage;

/* Number of processes that the storm kills. */
extern unsigned long storm_kills;

#endif
