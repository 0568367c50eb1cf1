#include "pid.h"

#include <pthread.h>
#include <unistd.h>

/* Written where there is one thread: when the module is loaded, and in a new child. */
static pid_t own;

static void learn(void) {
    own = getpid();
}

void pid_prepare(void) {
    learn();
    pthread_atfork(NULL, NULL, learn);
}

pid_t pid_own(void) {
    return own;
}
