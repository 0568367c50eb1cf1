/*
 * What the tests of the engine share: a cache in the test's folder, values that prove themselves, other
 * processes, and what to do at a FAILPOINT. Whatever fails here fails the test.
 */
#ifndef LARDER_FIXTURE_H
#define LARDER_FIXTURE_H

#include <sys/types.h>

#include "cache.h"
#include "check.h"
#include "harness.h"
#include "process.h"

enum { MIB = 1 << 20, KIB = 1 << 10, KIND = 5, RECORDS = 64 };

/* ---- A cache ---- */

/* Options for a segment "test" of so many MiB in the test's folder, for a process with request ends. */
struct cache_options options_of(size_t mebibytes);
/* Attaches, and expects to get just what was asked for. */
struct cache *open_with(const struct cache_options *options);
struct cache *open_cache(size_t mebibytes);
/* The same for a process without request ends. */
struct cache *open_long_lived(size_t mebibytes);
void close_cache(struct cache *cache);
/* The path of the segment that options_of() names, and of another in its folder; good until the next call. */
const char *segment_file(void);
const char *segment_file_of(const char *name, unsigned layout);
/* And of the folder that it is in. */
const char *segment_folder(void);

/* Files whose path begins so. */
unsigned count_files(const char *prefix);
/* Expects that nobody left a segment that was never put in its place. */
void expect_no_temporary_files(void);

/* Expects a refusal in one sentence with this word in it. */
void expect_refused(const struct cache_options *options, const char *word);

/* Expects that the checker finds nothing; the second, that nothing is left after the request's end and a clear. */
void expect_sound(struct cache *cache);
void expect_nothing_left(struct cache *cache);

/* ---- Keys and values ---- */

/* Good for the next seven calls. */
struct cache_key key_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A value of so many bytes is words that follow from a seed, which is the first of them: so it proves itself. */
void fill_pattern(void *bytes, size_t length, uint64_t seed);
bool is_pattern(const void *bytes, size_t length, uint64_t seed);

enum cache_result put(struct cache *cache, struct cache_key key, uint64_t seed, size_t length);
enum cache_result put_as(struct cache *cache, struct cache_key key, uint64_t seed, size_t length, uint64_t expires,
                         enum cache_mode mode);
/* So many values of one length; each has its number, from 0 on, as its seed and behind the prefix of its key. */
void put_many(struct cache *cache, const char *prefix, size_t number, size_t length);

/* Whether the key is there; then it must have this value. */
bool has(struct cache *cache, struct cache_key key, uint64_t seed, size_t length);
/* The same without zero copy. */
bool has_copied(struct cache *cache, struct cache_key key, uint64_t seed, size_t length);
bool is_there(struct cache *cache, struct cache_key key);
/* The value, which must be there and pinned. */
struct cache_value pinned(struct cache *cache, struct cache_key key);

struct cache_info info_of(struct cache *cache);

/* Ends the request, and lets the next look at the pin populations recount them: else that happens once in 100 ms,
 * and till then pages seem to be held. */
void end_request(struct cache *cache);

/* Stores values until the whole memory was overwritten `times` times. */
void churn(struct cache *cache, unsigned times);

/* Takes all spare pages and closes the open ones, as if others had used them up. */
void use_up_pages(struct cache *cache);

/* ---- Processes ---- */

/*
 * Starts a process that runs the function and then exits with 0; it dies with its parent. It is no relation of
 * ours as far as the caches are concerned: what it inherited is closed. start_fork() closes nothing.
 */
pid_t start(void (*run)(void *), void *argument);
pid_t start_fork(void (*run)(void *), void *argument);
/* Waits for its end, which must be an exit with 0; or by SIGKILL; or for its stop. */
void finish(pid_t child);
void finish_all(const pid_t *children, unsigned number);
void finish_killed(pid_t child);
void wait_stopped(pid_t child);
void kill_and_wait(pid_t child);
/* Waits for its end; whether it touched memory that it may not. */
bool was_killed_by_fault(pid_t child);

/* Waits until board->number[index] is at least `value`. */
void await(unsigned index, long value);
void reached(unsigned index, long value);

uint64_t nanoseconds(void);
void sleep_ms(unsigned milliseconds);

/*
 * What this machine does to a process that needs nothing of anybody: starts one that only looks at the clock, until
 * the test ends or the process is killed. Its longest pause so far, of all that were started, in nanoseconds; number
 * 63 of the board is used for it. It is in a process group of its own, so that waitpid(0, ...) passes it over.
 */
pid_t start_clock(void);
uint64_t longest_pause(void);

/* ---- Points ---- */

/* Calls the action when this process passes the point for the nth time, counted from 1. */
void at_failpoint(const char *name, unsigned nth, void (*action)(void));
void at_no_failpoint(void);
void die_here(void);
void stop_here(void);

#endif
