/*
 * Runs the models. In every setting no state may be wrong; with each part left out, some state must be wrong.
 *
 *   model [--long] [--trace] [ONLY]     ONLY: runs whose title contains the text; --trace: the way to what is wrong
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "models.h"
#include "proof.h"

enum { STATES_SHORT = 4 * 1000 * 1000, STATES_LONG = 150 * 1000 * 1000 };

static const struct suite *const suites[] = {&pins_suite, &fork_suite,  &counting_suite, &inserting_suite,
                                             &runs_suite, &bound_suite, &occupied_suite};

static struct {
    const char *only;
    bool is_long, trace;
    unsigned passed, failed;
    uint64_t states;
} run;

static const char *proof_of(const struct suite *suite) {
    static char name[40];
    snprintf(name, sizeof name, "model.%s", suite->model.name);
    return name;
}

static double seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Returns the number of explored states; 0 if the run is not wanted. */
static uint64_t try_one(const struct suite *suite, unsigned setting, const struct control *control) {
    char title[120];
    snprintf(title, sizeof title, "%s %u%s%s", suite->model.name, setting, control ? " without: " : "",
             control ? control->name : "");
    if (run.only && !strstr(title, run.only)) {
        return 0;
    }
    broken = control ? control->broken : 0;
    const double start = seconds();
    fixed_words = 0;
    struct model model = suite->model;
    suite->prepare(setting, &model);
    const struct outcome outcome = explore(&model, run.is_long ? STATES_LONG : STATES_SHORT, run.trace);
    const bool right = outcome.wrong == NULL && outcome.exhausted;
    const bool passed = control ? outcome.wrong != NULL : right;
    run.passed += passed;
    run.failed += !passed;
    run.states += outcome.states;
    printf("%s %-52s %9llu states, %3u steps deep, %4.1f s: %s\n", passed ? "ok     " : "FAILED ", title,
           (unsigned long long)outcome.states, outcome.depth, seconds() - start,
           outcome.wrong       ? outcome.wrong
           : outcome.exhausted ? "right in all"
                               : "too many states");
    fflush(stdout);
    if (control && passed) {
        char what[160];
        snprintf(what, sizeof what, "without %s: %s", control->name, outcome.wrong);
        proof_control(proof_of(suite), what, outcome.states, 1);
    }
    return outcome.states;
}

static void try_all(const struct suite *suite) {
    const unsigned settings = run.is_long ? suite->settings : suite->settings_short, failed = run.failed;
    uint64_t states = 0;
    for (unsigned setting = 0; setting < settings; setting++) {
        states += try_one(suite, setting, NULL);
    }
    const unsigned wrong = run.failed - failed;
    for (unsigned control = 0; control < suite->control_count; control++) {
        try_one(suite, suite->controls[control].setting, &suite->controls[control]);
    }
    if (!run.only) {
        char unit[160];
        snprintf(unit, sizeof unit, "states of %s", suite->what);
        proof_figure("settings", "%u", settings);
        proof_record_all(proof_of(suite), states, unit, wrong);
    }
}

int main(int count, char **arguments) {
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--long") == 0) {
            run.is_long = true;
        } else if (strcmp(arguments[i], "--trace") == 0) {
            run.trace = true;
        } else {
            run.only = arguments[i];
        }
    }
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++) {
        try_all(suites[i]);
    }
    printf("%llu states in all\n%u passed, %u failed\n", (unsigned long long)run.states, run.passed, run.failed);
    return run.failed != 0;
}
