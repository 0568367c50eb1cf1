#include "harness.h"

#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_USUAL = 120 * SLOWNESS, EXIT_SKIPPED = 77 };

char test_folder[64];
struct board *board;
static pid_t running;

void harness_fail(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "    %s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fflush(NULL);
    _exit(1);
}

void harness_skip(const char *why) {
    fprintf(stderr, "    skipped: %s\n", why);
    _exit(EXIT_SKIPPED);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at) {
    (void)status, (void)type, (void)at;
    return remove(path);
}

static void remove_folder(void) {
    nftw(test_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Handles Ctrl-C, or the end of the time that the caller allows. */
static void interrupted(int signal) {
    if (running > 0) {
        kill(-running, SIGKILL);
    }
    remove_folder();
    _exit(128 + signal);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Waits for the child, for `seconds` at most. Returns its wait status; -1 if it had to be killed. */
static int watch(pid_t child, unsigned seconds, const sigset_t *child_signal) {
    const double until = now() + seconds;
    int status;
    while (waitpid(child, &status, WNOHANG) == 0) {
        const double left = until - now();
        if (left <= 0) {
            kill(-child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        const struct timespec time = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        sigtimedwait(child_signal, NULL, &time);
    }
    return status;
}

static int run(const struct test *test, unsigned seconds, const sigset_t *child_signal) {
    strcpy(test_folder, "/dev/shm/larder-core.XXXXXX");
    if (!mkdtemp(test_folder)) {
        perror(test_folder);
        return -1;
    }
    memset(board, 0, sizeof *board);
    fflush(NULL);
    running = fork();
    if (running == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_UNBLOCK, child_signal, NULL);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        if (test->run_with) {
            test->run_with(test->argument);
        } else {
            test->run();
        }
        exit(0);
    }
    setpgid(running, running);
    const int status = watch(running, seconds ? seconds : SECONDS_USUAL, child_signal);
    kill(-running, SIGKILL); /* processes that the test left running */
    running = 0;
    remove_folder();
    return status;
}

static bool is_wanted(int argc, char **argv, const char *title) {
    bool wanted = argc < 2;
    for (int i = 1; i < argc; i++) {
        wanted = wanted || strstr(title, argv[i]);
    }
    return wanted;
}

int harness_main(int argc, char **argv, const struct suite *const suites[]) {
    unsigned passed = 0, failed = 0, skipped = 0;
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, NULL);
    signal(SIGINT, interrupted);
    signal(SIGTERM, interrupted);
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (const struct suite *const *suite = suites; *suite; suite++) {
        for (const struct test *test = (*suite)->tests; test->name; test++) {
            char title[256];
            snprintf(title, sizeof title, "%s: %s", (*suite)->name, test->name);
            if (!is_wanted(argc, argv, title)) {
                continue;
            }
            const double start = now();
            const int status = run(test, (*suite)->seconds, &child_signal);
            const bool skip = status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED;
            passed += status == 0;
            skipped += skip;
            failed += status != 0 && !skip;
            printf("%-7s %-90s %5.2f s%s%s\n",
                   status == 0 ? "ok"
                   : skip      ? "skipped"
                               : "FAILED",
                   title, now() - start, status == -1 ? "  killed by the watchdog" : "",
                   status != -1 && WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
        }
    }
    printf("%u passed, %u failed", passed, failed);
    if (skipped) {
        printf(", %u skipped", skipped);
    }
    putchar('\n');
    return failed || passed == 0;
}
