/* The models, and the faults that each must notice. */
#ifndef MODEL_MODELS_H
#define MODEL_MODELS_H

#include "explore.h"

/* A part left out, and the setting that must go wrong then. */
struct control {
    const char *name;
    unsigned broken;
    unsigned setting;
};

struct suite {
    struct model model; /* without what a setting determines */
    const char *what;   /* what the model is about */
    void (*prepare)(unsigned setting, struct model *model);
    unsigned settings, settings_short; /* settings_short: the first ones, for the short run */
    const struct control *controls;
    unsigned control_count;
};

/* Defines a file's suite from its begin(), step(), check(), describe(), prepare() and controls. */
#define SUITE(model_name, about, count, count_short, at_end) \
    const struct suite model_name##_suite = {                \
        .model = {.name = #model_name,                       \
                  .size = sizeof(struct model_name),         \
                  .begin = begin,                            \
                  .step = step,                              \
                  .check = check,                            \
                  .end = at_end,                             \
                  .describe = describe},                     \
        .what = about,                                       \
        .prepare = prepare,                                  \
        .settings = count,                                   \
        .settings_short = count_short,                       \
        .controls = controls,                                \
        .control_count = sizeof controls / sizeof *controls, \
    };

extern const struct suite pins_suite, fork_suite, counting_suite, inserting_suite, runs_suite, bound_suite,
    occupied_suite;

#endif
