#include "engine.h"

#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "hash.h"
#include "predict.h"

enum {
    LOOKUPS_A_REQUEST = 20, /* then the pins are dropped */
    PROCESSES_MAX = 16,
};

/* Numbers on the board. */
enum { NEXT_REQUEST, HITS, COUNTED, NUMBERS };

struct log_rules engine_rules(size_t mebibytes) {
    struct cache *cache = open_cache(mebibytes);
    const struct log_rules rules = {
        .pages = cache->map.page_count,
        .page_units = (uint32_t)page_units(&cache->map),
        .probation = cache->map.page_count / 8,
        .use_max = USE_MAX - USE_NONE,
        .use_worth = USE_WORTH_MOVING - USE_NONE,
        .budget = (uint32_t)page_units(&cache->map) / 2,
        .wasted = (uint32_t)page_units(&cache->map) / 8,
        .draw_after = 128,
        .draw_one_of = 8,
    };
    close_cache(cache);
    unlink(segment_file());
    return rules;
}

struct replay {
    const struct trace *trace;
    const struct run *run;
};

static size_t mebibytes_of(const struct run *run) {
    return run->mebibytes ? run->mebibytes : SEGMENT_MIB;
}

static struct cache_key key_named(uint32_t key, char name[TRACE_KEY_LENGTH + 1]) {
    trace_key(key, name);
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (unsigned i = 0; i < TRACE_KEY_LENGTH; i++) {
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    }
    return (struct cache_key){name, TRACE_KEY_LENGTH, hash};
}

static void record(const struct run *run, const struct trace *trace, uint32_t number, const struct cache_key *key,
                   enum sample_kind kind) {
    struct recorder *recorder = run->recorder;
    const uint64_t hash = recorder ? hash_mix(key->hash, recorder->seed) : 1;
    if (recorder && hash % recorder->one_of == 0 && recorder->count < recorder->most) {
        recorder->list[recorder->count++] =
            sample_make(hash / recorder->one_of << 6, kind, trace_entry_units(trace, number), 0, 0);
    }
}

/* A value contains its key's number. If several processes hold pages, a store may be refused now and then. */
static void store(struct cache *cache, const struct trace *trace, const struct run *run, uint32_t number,
                  const struct cache_key *key) {
    struct cache_span span;
    enum cache_result result = cache_reserve(cache, key, trace_value_length(trace, number), CACHE_SET, &span);
    if (result == CACHE_NO_ROOM) {
        return;
    }
    EXPECT_EQUAL(result, CACHE_OK);
    memset(span.bytes, (int)(number % 251), span.length);
    memcpy(span.bytes, &number, sizeof number);
    result = cache_commit(cache, key, KIND, 0, CACHE_SET, NULL);
    EXPECT_EQUAL(result, CACHE_OK);
    record(run, trace, number, key, SAMPLE_STORE);
    struct cache_value value;
    if (trace->plan->read_back && result == CACHE_OK) {
        cache_find(cache, key, true, &value);
    }
}

static bool look_up(struct cache *cache, const struct run *run, uint32_t number, const struct cache_key *key) {
    struct cache_value value;
    if (run->blind) {
        return cache_exists(cache, key);
    }
    if (!cache_find(cache, key, true, &value)) {
        return false;
    }
    EXPECT(memcmp(value.bytes, &number, sizeof number) == 0);
    return true;
}

static void worker(void *argument) {
    const struct replay *replay = argument;
    const struct trace *trace = replay->trace;
    struct cache *cache = open_cache(mebibytes_of(replay->run));
    struct score score = {0};
    char name[TRACE_KEY_LENGTH + 1];
    size_t lookups = 0;
    for (;;) {
        const size_t i = (size_t)atomic_fetch_add(&board->number[NEXT_REQUEST], 1);
        if (i >= trace->requests) {
            break;
        }
        const uint32_t number = trace->request[i];
        const struct cache_key key = key_named(number, name);
        const bool hit = look_up(cache, replay->run, number, &key);
        score_add(&score, trace, i, hit);
        record(replay->run, trace, number, &key, hit ? SAMPLE_HIT : SAMPLE_MISS);
        if (replay->run->recorder && i == trace->warm_up) {
            replay->run->recorder->counted_from = replay->run->recorder->count;
        }
        if (!hit || trace_writes(trace, i)) {
            store(cache, trace, replay->run, number, &key);
        }
        if (++lookups % LOOKUPS_A_REQUEST == 0) {
            /* A replay overwrites the memory many times a second, a cache in use in minutes. So the pins of ended
             * requests are removed from the populations at once, not after a tenth of a second. */
            end_request(cache);
        }
    }
    cache_request_end(cache, false);
    close_cache(cache);
    atomic_fetch_add(&board->number[HITS], (long)score.hits);
    atomic_fetch_add(&board->number[COUNTED], (long)score.requests);
}

static void add_live(struct cache *cache, const struct trace *trace, struct outcome *outcome) {
    for (uint32_t number = 0; number < trace->keys; number++) {
        char name[TRACE_KEY_LENGTH + 1];
        const struct cache_key key = key_named(number, name);
        if (cache_exists(cache, &key)) {
            outcome->live_bytes += (uint64_t)trace_entry_units(trace, number) * UNIT;
            outcome->value_bytes += trace_value_length(trace, number);
        }
    }
}

struct outcome engine_replay(const struct trace *trace, const struct run *run) {
    struct replay replay = {trace, run};
    pid_t workers[PROCESSES_MAX];
    struct cache *cache = open_cache(mebibytes_of(run));
    for (unsigned i = 0; i < NUMBERS; i++) {
        atomic_store(&board->number[i], 0);
    }
    for (unsigned i = 0; i < run->processes; i++) {
        workers[i] = start(worker, &replay);
    }
    for (unsigned i = 0; i < run->processes; i++) {
        finish(workers[i]);
    }
    struct score score = {
        .hits = (uint64_t)atomic_load(&board->number[HITS]),
        .requests = (uint64_t)atomic_load(&board->number[COUNTED]),
    };
    struct outcome outcome = {.percent = score_percent(&score), .info = info_of(cache)};
    add_live(cache, trace, &outcome);
    expect_sound(cache);
    close_cache(cache);
    unlink(segment_file());
    return outcome;
}
