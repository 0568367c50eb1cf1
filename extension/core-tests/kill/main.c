/* Kills and stops processes: `test-storm [--kills N] [part of a title…]`. The storm kills 4,000 processes at random
 * moments, 100,000 in its long version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "points.h"
#include "storms.h"

/* Runs after the other suites: was every failpoint reached? */
static const struct test coverage_tests[] = {
    {"a process died at every point of core, and one was stopped there", points_expect_all}, {0}};
const struct suite suite_coverage = {.name = "coverage", .tests = coverage_tests};

int main(int argc, char **argv) {
    storm_kills = proof_is_long() ? 100000 : 4000;
    if (argc > 2 && strcmp(argv[1], "--kills") == 0) {
        storm_kills = strtoul(argv[2], NULL, 10);
        argv += 2;
        argc -= 2;
    }
    points_begin();
    setvbuf(stdout, NULL, _IOLBF, 0);
    const struct suite *const suites[] = {&suite_every_point, &suite_creation, &suite_storm,
                                          &suite_keeping,     &suite_coverage, NULL};
    return harness_main(argc, argv, suites);
}
