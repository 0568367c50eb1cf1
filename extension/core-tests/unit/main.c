/* Runs the unit tests. Arguments select tests by a part of their title. */
#include "suites.h"

#define SUITE_ADDRESS(name) &suite_##name,

int main(int argc, char **argv) {
    const struct suite *const suites[] = {ALL_SUITES(SUITE_ADDRESS) NULL};
    return harness_main(argc, argv, suites);
}
