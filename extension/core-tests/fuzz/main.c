/*
 * Damages segments: `test-fuzz [batches [first seed]]`. Each batch is a process and a fresh segment. Without a
 * number there are 20 batches, 5,000 in the long version. A seed that fails is printed; `test-fuzz 1 SEED` repeats
 * it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "torn/damage.h"

enum { ROUNDS = 50, BATCHES = 20, BATCHES_LONG = 5000, SECONDS_A_BATCH = 60 };

static unsigned long batches, first;

static bool batch(uint64_t seed) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_A_BATCH);
        damage_batch(seed, ROUNDS);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

/* In pieces, so that the harness's watchdog, which does not see progress, does not end a long run. */
static void piece(void) {
    for (unsigned long seed = first; seed < first + batches; seed++) {
        if (!batch(seed)) {
            harness_fail(__FILE__, __LINE__, "seed %lu", seed);
        }
    }
    proof_record("damage.random", batches * ROUNDS,
                 "times that up to 16 words or bits of a segment's tables, headers or keys were changed in use", 0,
                 first);
}

static const struct test tests[] = {{"damage at random", piece}, {0}};
static const struct suite suite = {.name = "fuzz", .tests = tests, .seconds = 24 * 3600};

int main(int argc, char **argv) {
    batches = argc > 1 ? strtoul(argv[1], NULL, 10) : proof_is_long() ? BATCHES_LONG : BATCHES;
    first = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    const struct suite *const suites[] = {&suite, NULL};
    return harness_main(1, argv, suites);
}
