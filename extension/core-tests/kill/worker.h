/* A process of the storm. */
#ifndef LARDER_WORKER_H
#define LARDER_WORKER_H

#include <stdint.h>

/* The calls of a worker, by name. */
unsigned worker_call_count(void);
const char *worker_call(unsigned call);

/* Stores, reads, counts and deletes in `place` until the storm ends or the process is killed, perhaps by itself. */
__attribute__((noreturn)) void worker_run(unsigned place, uint64_t seed);

#endif
