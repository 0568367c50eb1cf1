/* The models, and what each must notice. */
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
    struct model model; /* but for what a setting decides */
    const char *what;   /* its states are states of */
    void (*prepare)(unsigned setting, struct model *model);
    unsigned settings, settings_short; /* the first ones are the short run's */
    const struct control *controls;
    unsigned control_count;
};

extern const struct suite pins_suite, fork_suite, counting_suite, inserting_suite, runs_suite, bound_suite;

#endif
