/*
 * POINT(name) marks the step between two writes to shared memory. In a release build it is nothing. With
 * LARDER_POINTS a test can stop, kill, delay or fork the process there: it sets cache_point_hook.
 */
#ifndef LARDER_POINT_H
#define LARDER_POINT_H

#ifdef LARDER_POINTS
extern void (*cache_point_hook)(const char *name);
#define POINT(name)                  \
    do {                             \
        if (cache_point_hook) {      \
            cache_point_hook(#name); \
        }                            \
    } while (0)
#else
#define POINT(name) \
    do {            \
    } while (0)
#endif

#endif
