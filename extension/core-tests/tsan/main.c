/* Runs the unit tests with threads. Arguments select tests by a part of their title. */
#include "unit/suites.h"

int main(int argc, char **argv) {
    const struct suite *const suites[] = {&suite_threads, &suite_thread_lives, NULL};
    return harness_main(argc, argv, suites);
}
