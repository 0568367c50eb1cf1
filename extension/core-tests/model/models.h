/* The models, and what each must notice. */
#ifndef MODEL_MODELS_H
#define MODEL_MODELS_H

#include "explore.h"

/* One way of running a model. */
struct configuration {
    const char *name;
    const struct model *(*prepare)(unsigned number); /* the numbered setting of the model's file */
    unsigned number;
    bool is_long; /* not in the short run */
};

/* A part left out, and the configuration that must fail then. */
struct control {
    const char *name;
    unsigned broken;
    unsigned number;
    bool weak; /* fails only where stores overtake each other */
};

struct suite {
    const char *name;
    const struct model *(*prepare)(unsigned setting);
    unsigned settings, settings_short; /* the first ones are the short run's */
    const struct control *controls;
    unsigned control_count;
};

extern const struct suite pins_suite, counting_suite, fork_suite, bound_suite, runs_suite;

#endif
