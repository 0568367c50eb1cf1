/* Which process this is, known without asking the system: getpid() costs a hundred nanoseconds and more. */
#ifndef LARDER_PID_H
#define LARDER_PID_H

#include <sys/types.h>

/* Once, before pid_own(). */
void pid_prepare(void);

/* As getpid(), also in a child of fork(); not in one that was made behind the C library's back, by clone(). */
pid_t pid_own(void);

#endif
