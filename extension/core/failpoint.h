/* FAILPOINT(name) marks the step between two writes to shared memory. With LARDER_FAILPOINTS a test can stop, kill,
 * delay or fork the process there, through cache_failpoint_hook. A release build has no failpoints. */
#ifndef LARDER_FAILPOINT_H
#define LARDER_FAILPOINT_H

#ifdef LARDER_FAILPOINTS
extern void (*cache_failpoint_hook)(const char *name);
#define FAILPOINT(name)                  \
    do {                                 \
        if (cache_failpoint_hook) {      \
            cache_failpoint_hook(#name); \
        }                                \
    } while (0)
#else
#define FAILPOINT(name) \
    do {                \
    } while (0)
#endif

#endif
