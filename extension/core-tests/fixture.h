/*
 * Shared by the engine's tests: a cache in the test's folder, values that prove themselves, other processes, and
 * actions at a FAILPOINT. Any failure in here fails the test.
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

/* Options for a segment "test" of `mebibytes` in the test's folder, for a process with request ends. */
struct cache_options options_of(size_t mebibytes);
/* Attaches, and expects to get exactly what the options ask for. */
struct cache *open_with(const struct cache_options *options);
struct cache *open_cache(size_t mebibytes);
/* The same for a process without request ends. */
struct cache *open_long_lived(size_t mebibytes);
void close_cache(struct cache *cache);
/* The path of the segment that options_of() names, and of another one in its folder. Valid until the next call. */
const char *segment_file(void);
const char *segment_file_of(const char *name, unsigned layout);
/* The path of the folder of the segment. */
const char *segment_folder(void);

/* Number of files whose path begins with `prefix`. */
unsigned count_files(const char *prefix);
/* Expects that no temporary file of a segment is left. */
void expect_no_temporary_files(void);

/* Expects a refusal in one sentence that contains `word`. */
void expect_refused(const struct cache_options *options, const char *word);

/* The first expects that the checker finds no fault. The second expects that nothing is left after the request's end
 * and a clear. */
void expect_sound(struct cache *cache);
void expect_nothing_left(struct cache *cache);

/* ---- Keys and values ---- */

/* Valid during the next seven calls. */
struct cache_key key_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A value of `length` bytes consists of words that follow from a seed, which is the first word: so the value proves
 * itself. */
void fill_pattern(void *bytes, size_t length, uint64_t seed);
bool is_pattern(const void *bytes, size_t length, uint64_t seed);

enum cache_result put(struct cache *cache, struct cache_key key, uint64_t seed, size_t length);
enum cache_result put_as(struct cache *cache, struct cache_key key, uint64_t seed, size_t length, uint64_t expires,
                         enum cache_mode mode);
/* Stores `number` values of one length. The number of each, from 0 on, is its seed, and follows the prefix in its
 * key. */
void put_many(struct cache *cache, const char *prefix, size_t number, size_t length);

/* True if the key is present; then it must have this value. */
bool has(struct cache *cache, struct cache_key key, uint64_t seed, size_t length);
/* The same without zero copy. */
bool has_copied(struct cache *cache, struct cache_key key, uint64_t seed, size_t length);
bool is_there(struct cache *cache, struct cache_key key);
/* The value of a key, which must be present and pinned. */
struct cache_value pinned(struct cache *cache, struct cache_key key);

struct cache_info info_of(struct cache *cache);

/* Ends the request, and makes the next look at the pin populations recount them. Otherwise a recount happens once in
 * 100 ms, and until then pages seem to be held. */
void end_request(struct cache *cache);

/* Stores values until the whole memory was overwritten `times` times. */
void churn(struct cache *cache, unsigned times);

/* Takes all spare pages and closes the open ones, as if other processes had used them up. */
void use_up_pages(struct cache *cache);

/* ---- Processes ---- */

/*
 * Starts a process that runs the function and then exits with 0; it dies with its parent. For the caches it is an
 * unrelated process: start() closes what it inherited. start_fork() closes nothing.
 */
pid_t start(void (*run)(void *), void *argument);
pid_t start_fork(void (*run)(void *), void *argument);
/* Wait for a child: for its exit with 0 (one, or all), for its end by SIGKILL, or for its stop. */
void finish(pid_t child);
void finish_all(const pid_t *children, unsigned number);
void finish_killed(pid_t child);
void wait_stopped(pid_t child);
void kill_and_wait(pid_t child);
/* Waits for the end of a child. True if it accessed memory that it must not. */
bool was_killed_by_fault(pid_t child);

/* Waits until board->number[index] is at least `value`. */
void await(unsigned index, long value);
void reached(unsigned index, long value);

uint64_t nanoseconds(void);
void sleep_ms(unsigned milliseconds);

/*
 * Measures how long this machine keeps a process waiting that needs no other process: starts a process that only
 * looks at the clock, until the test ends or the process is killed. longest_pause() is the longest pause so far of
 * all such processes, in nanoseconds. Uses number 63 of the board. The process has a process group of its own, so
 * that waitpid(0, ...) skips it.
 */
pid_t start_clock(void);
uint64_t longest_pause(void);

/* ---- Failpoints ---- */

/* Calls `action` when this process passes the failpoint for the nth time, counted from 1. */
void at_failpoint(const char *name, unsigned nth, void (*action)(void));
void at_no_failpoint(void);
void die_here(void);
void stop_here(void);

#endif
