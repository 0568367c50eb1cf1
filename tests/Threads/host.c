/*
 * Runs requests of one script in many threads of one process, as a threaded web server does.
 *
 *   host [option…] script.php [argument…]
 *
 *   -d name=value    a setting of php.ini; no php.ini is read
 *   --threads N      threads at once (4)
 *   --requests N     requests of each thread; 0: until the process is killed (1)
 *   --lives N        threads that follow each other in each of the N places (1)
 *   --ends HOW       freed: by ts_free_thread(), as PHP wants it
 *                    within-request: by ts_free_thread() before the request has ended
 *                    silently: without telling PHP
 *   --then FILE      at last a request of this script in the main thread
 *
 * The script's $argv is its name, the number of its place, the number of its thread in that place, the number of its
 * request, and the arguments. Ends with 1 as soon as one request ends with another exit status than 0. A child that a
 * script forks ends with its request.
 *
 * The SAPI's name is Apache's, since opcache and Larder treat servers and command lines differently.
 */
#include <sapi/embed/php_embed.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ZTS
#error "build this with a thread-safe PHP; see dev/build-php zts"
#endif

enum { ARGUMENTS_MAX = 16, SETTINGS_MAX = 4096, NUMBERS = 3 };

enum end { FREED, WITHIN_REQUEST, SILENTLY };

static const char *script, *then;
static char *arguments[ARGUMENTS_MAX];
static int argument_count;
static long threads = 4, requests = 1, lives = 1;
static enum end end = FREED;
static pid_t process;

static char settings[SETTINGS_MAX] = "html_errors=0\n"
                                     "register_argc_argv=1\n"
                                     "implicit_flush=1\n"
                                     "output_buffering=0\n"
                                     "max_execution_time=0\n"
                                     "max_input_time=-1\n"
                                     "display_errors=1\n";

static void stop(const char *what) {
    fprintf(stderr, "host: %s\n", what);
    _exit(2);
}

/* ---- Requests ---- */

static int run(const char *file, const long numbers[NUMBERS], bool ends) {
    char texts[NUMBERS][24];
    char *argv[1 + NUMBERS + ARGUMENTS_MAX] = {(char *)(uintptr_t)file};
    for (unsigned i = 0; i < NUMBERS; i++) {
        snprintf(texts[i], sizeof texts[i], "%ld", numbers[i]);
        argv[1 + i] = texts[i];
    }
    memcpy(argv + 1 + NUMBERS, arguments, sizeof arguments);
    SG(request_info).argc = 1 + NUMBERS + argument_count;
    SG(request_info).argv = argv;
    SG(options) |= SAPI_OPTION_NO_CHDIR;
    if (php_request_startup() == FAILURE) {
        stop("a request does not start");
    }
    SG(headers_sent) = 1;
    SG(request_info).no_headers = 1;
    zend_file_handle handle;
    zend_stream_init_filename(&handle, file);
    handle.primary_script = 1;
    php_execute_script(&handle);
    zend_destroy_file_handle(&handle);
    const int status = EG(exit_status);
    if (ends) {
        php_request_shutdown(NULL);
    }
    if (getpid() != process) {
        _exit(status);
    }
    return status;
}

static void run_or_fail(const char *file, const long numbers[NUMBERS], bool ends) {
    const int status = run(file, numbers, ends);
    if (status != 0) {
        fprintf(stderr, "host: request %ld of thread %ld in place %ld ended with %d\n", numbers[2], numbers[1],
                numbers[0], status);
        _exit(1);
    }
}

static void *live(void *argument) {
    const long *place = argument;
    (void)ts_resource(0);
    for (long i = 0; i < requests || requests == 0; i++) {
        const long numbers[NUMBERS] = {place[0], place[1], i};
        run_or_fail(script, numbers, end != WITHIN_REQUEST || i + 1 < requests);
    }
    if (end != SILENTLY) {
        ts_free_thread();
    }
    return NULL;
}

/* One thread after another. */
static void *keep_place(void *argument) {
    for (long life = 0; life < lives; life++) {
        long place[2] = {(long)(intptr_t)argument, life};
        pthread_t thread;
        if (pthread_create(&thread, NULL, live, place) != 0) {
            stop("no thread can be created");
        }
        pthread_join(thread, NULL);
    }
    return NULL;
}

/* ---- Options ---- */

static enum end end_of(const char *name) {
    static const char *const names[] = {
        [FREED] = "freed", [WITHIN_REQUEST] = "within-request", [SILENTLY] = "silently"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return (enum end)i;
        }
    }
    stop("--ends is freed, within-request or silently");
    return FREED;
}

static void set(const char *setting) {
    const size_t used = strlen(settings);
    if (strlen(setting) + 2 > sizeof settings - used) {
        stop("too many settings");
    }
    snprintf(settings + used, sizeof settings - used, "%s\n", setting);
}

static void read_options(int argc, char **argv) {
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (strcmp(name, "-d") == 0) {
            set(value);
        } else if (strcmp(name, "--threads") == 0) {
            threads = atol(value);
        } else if (strcmp(name, "--requests") == 0) {
            requests = atol(value);
        } else if (strcmp(name, "--lives") == 0) {
            lives = atol(value);
        } else if (strcmp(name, "--ends") == 0) {
            end = end_of(value);
        } else if (strcmp(name, "--then") == 0) {
            then = value;
        } else {
            stop("unknown option; see the beginning of host.c");
        }
    }
    if (i == argc) {
        stop("no script given");
    }
    script = argv[i++];
    while (i < argc && argument_count < ARGUMENTS_MAX) {
        arguments[argument_count++] = argv[i++];
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    process = getpid();
    php_tsrm_startup();
    zend_signal_startup();
    php_embed_module.name = (char *)(uintptr_t) "apache2handler";
    php_embed_module.php_ini_ignore = 1;
    sapi_startup(&php_embed_module);
    php_embed_module.ini_entries = settings;
    php_embed_module.executable_location = argv[0];
    if (php_embed_module.startup(&php_embed_module) == FAILURE) {
        stop("PHP does not start");
    }
    pthread_t *places = calloc((size_t)threads, sizeof *places);
    for (long i = 0; i < threads; i++) {
        if (!places || pthread_create(&places[i], NULL, keep_place, (void *)(intptr_t)i) != 0) {
            stop("no thread can be created");
        }
    }
    for (long i = 0; i < threads; i++) {
        pthread_join(places[i], NULL);
    }
    free(places);
    if (then) {
        const long numbers[NUMBERS] = {-1, 0, 0};
        run_or_fail(then, numbers, true);
    }
    php_module_shutdown();
    sapi_shutdown();
    tsrm_shutdown();
    return 0;
}
