#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* Attaching, and the beginning and end of requests. */
#include "cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "attach_attempt.h"
#include "commit.h"
#include "failpoint.h"
#include "geometry.h"
#include "os.h"
#include "pin.h"
#include "reservation.h"
#include "sample.h"
#include "segment.h"

enum {
    LOOK_EVERY_CALLS = 16, /* calls after which a process without request ends reads the clock */
    LOOK_EVERY_MS = 1000,  /* time after which it then checks the path */
    RELEASE_EVERY_MS_MAX = 64 * LOOK_EVERY_MS, /* longest pause between searches for uses of a left segment */
};

/* Time spent on huge pages at the end of a request, once a second without requests, and at the end of the process. */
enum { HUGE_NS_A_REQUEST = 1000 * 1000, HUGE_NS_A_LOOK = 10 * 1000 * 1000, HUGE_NS_AT_END = 50 * 1000 * 1000 };

#ifdef LARDER_FAILPOINTS
void (*cache_failpoint_hook)(const char *name);
#endif

static bool is_in_name(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
}

static bool is_segment_name(const char *name) {
    size_t length = 0;
    while (is_in_name(name[length])) {
        length++;
    }
    return length >= 1 && length <= CACHE_SEGMENT_MAX && name[0] != '.' && name[length] == '\0';
}

/* False, with a reason, if an option is wrong. */
static bool check_options(const struct cache_options *options, char reason[CACHE_REASON_MAX]) {
    reason[0] = '\0';
    if (!is_segment_name(options->segment)) {
        snprintf(reason, CACHE_REASON_MAX,
                 "larder.segment must be 1 to %d of A-Z a-z 0-9 . _ - and not begin with a dot",
                 CACHE_SEGMENT_MAX);
    } else if (options->directory[0] != '/' || strlen(options->directory) > SEGMENT_DIRECTORY_MAX) {
        snprintf(reason, CACHE_REASON_MAX,
                 "larder.path must be the absolute path of a folder, of at most %d bytes", SEGMENT_DIRECTORY_MAX);
    } else if (options->size < CACHE_SIZE_MIN || options->size > CACHE_SIZE_MAX) {
        snprintf(reason, CACHE_REASON_MAX, "larder.size must be from 8M to 64G, not %zu bytes", options->size);
    } else if (options->processes < 1 || options->processes > RECORDS_MAX) {
        snprintf(reason, CACHE_REASON_MAX, "larder.processes must be from 1 to %d, not %u", RECORDS_MAX,
                 options->processes);
    } else if (!(options->pin_share >= 0.0 && options->pin_share <= CACHE_PIN_SHARE_MAX)) {
        snprintf(reason, CACHE_REASON_MAX, "larder.pin_share must be from 0.0 to %.1f", CACHE_PIN_SHARE_MAX);
    }
    return reason[0] == '\0';
}

static bool copy_options(struct cache *cache, const struct cache_options *options) {
    cache->options = *options;
    cache->options.directory = strdup(options->directory);
    cache->options.segment = strdup(options->segment);
    return cache->options.directory && cache->options.segment;
}

static void leave_segment(struct cache *cache) {
    process_end_claims(cache);
    process_close_lock(cache);
    process_leave(cache);
    if (cache->segment) {
        segment_close_writable(cache->segment);
        segment_release(cache->segment);
        cache->segment = NULL;
    }
}

/* Keeps the segment mapped read-only, and its record. Without memory for the list entry, both stay until the process
 * ends. */
static void hold(struct cache *cache) {
    struct held_segment *held = malloc(sizeof *held);
    process_lock();
    if (held) {
        *held = (struct held_segment){.segment = cache->segment,
                                      .lock = cache->lock,
                                      .number = cache->number,
                                      .pages_held = cache->pages_held,
                                      .next = cache->held};
        cache->held = held;
    }
    cache->lock = NULL;
    process_release_locked(cache);
    process_unlock();
    segment_close_writable(cache->segment);
}

/* Leaves the segment. Values that the script may hold stay mapped and pinned. */
static void leave_holding(struct cache *cache) {
    process_end_claims(cache);
    process_close_lock(cache);
    if (cache->pinned_word_count == 0 || !cache->segment) {
        leave_segment(cache);
    } else {
        hold(cache);
    }
    cache->identity->record = NULL;
    cache->segment = NULL;
    cache->pinned_word_count = 0;
    cache->pages_held = 0;
    cache->reservation = (struct reservation){0};
}

/* Unlinks and releases the first of a list. */
static void release_one(struct held_segment **link) {
    struct held_segment *held = *link;
    process_lock();
    *link = held->next;
    os_forget_lock(held->lock);
    process_unlock();
    segment_release(held->segment);
    free(held);
}

static void release_held(struct cache *cache) {
    while (cache->held) {
        release_one(&cache->held);
    }
}

void attach_release_unused(struct cache *cache) {
    for (struct held_segment **link = &cache->held; *link;) {
        if (pin_is_unused(cache, segment_map((*link)->segment))) {
            release_one(link);
        } else {
            link = &(*link)->next;
        }
    }
}

/* After each search that released nothing, the next one waits twice as long. */
static void release_in_turn(struct cache *cache) {
    if (!cache->held) {
        cache->release_every = 0;
    } else if (cache->looked_at >= cache->release_at) {
        const uint64_t twice = cache->release_every ? 2 * cache->release_every : LOOK_EVERY_MS;
        cache->release_every = twice < RELEASE_EVERY_MS_MAX ? twice : RELEASE_EVERY_MS_MAX;
        cache->release_at = cache->looked_at + cache->release_every;
        attach_release_unused(cache);
    }
}

/* Called after attaching again to a held segment. The new record takes over the old one's pins, and the old record
 * is released; otherwise each return would take one more record. New pins are set before old ones go, as after a
 * fork. */
static void take_up_held(struct cache *cache) {
    struct record_shared *record = cache->identity->record;
    for (struct held_segment **link = &cache->held; *link;) {
        const struct held_segment *held = *link;
        if (held->segment != cache->segment) {
            link = &(*link)->next;
            continue;
        }
        const struct record_shared *old = ref_record(&cache->map, held->number);
        for (unsigned i = 0; i < cache->map.pin_words; i++) {
            const uint64_t pins = word_load(&old->pins[i]), mine = word_load(&record->pins[i]);
            if (pins && !mine) {
                cache->pinned_words[cache->pinned_word_count++] = (uint16_t)i;
            }
            word_poke(&record->pins[i], mine | pins);
        }
        cache->pages_held += held->pages_held;
        fence();
        release_one(link);
    }
}

/* Joins the segment, or creates it unless `joins_only`. */
static bool attach_segment(struct cache *cache, bool joins_only, char reason[CACHE_REASON_MAX]) {
    cache->user = geteuid();
    cache->options.joins_only = joins_only;
    memset(cache->victims, 0, sizeof cache->victims);
    memset(&cache->full, 0, sizeof cache->full);
    memset(&cache->no_window, 0, sizeof cache->no_window);
    cache->record_refused = false;
    cache->destination = 0;
    cache->room_until = 0;
    cache->sweep_next = 0;
    cache->filled_to = 0;
    cache->identity->sampled = 0; /* they are of the segment before */
    cache->predicted_at = 0;
    cache->refused_at = cache->index_refused_at = cache->ring_refused_at = 0;
    if (!segment_attach(cache, reason)) {
        return false;
    }
    take_up_held(cache);
    free(cache->asked_alive);
    cache->asked_alive = NULL;
    os_clock_adjust();
    cache->looked_at = os_milliseconds();
    return true;
}

struct cache *cache_attach(const struct cache_options *options, char reason[CACHE_REASON_MAX]) {
    if (!check_options(options, reason)) {
        return NULL;
    }
    struct cache *cache = calloc(1, sizeof *cache);
    errno = 0;
    if (!cache || !copy_options(cache, options) || !(cache->identity = os_page_wiped_on_fork())) {
        if (errno == 0 || errno == ENOMEM) {
            strcpy(reason, "out of memory");
        } else {
            snprintf(reason, CACHE_REASON_MAX,
                     "the system refuses madvise() with MADV_WIPEONFORK, which Linux has since 4.14: %s",
                     strerror(errno));
        }
        if (cache) {
            free((char *)cache->options.directory);
            free((char *)cache->options.segment);
            free(cache);
        }
        return NULL;
    }
    cache->long_lived = options->long_lived;
    cache->calls_until_look = 1;
    cache->fd = cache->lock_fd = -1;
    process_register(cache);
    if (!attach_segment(cache, options->joins_only, reason)) {
        const int error = errno;
        cache_detach(cache);
        errno = error;
        return NULL;
    }
    return cache;
}

static void make_huge(struct cache *cache, uint64_t nanoseconds) {
    if (UNLIKELY(cache->filled_to != 0) && cache->segment && cache->identity->record) {
        commit_make_huge(cache, nanoseconds);
    }
}

void cache_detach(struct cache *cache) {
    if (cache->orphan) {
        return; /* its thread may have been in the middle of a change */
    }
    if (cache->segment && cache->identity->record) {
        sample_flush(cache);
    }
    make_huge(cache, HUGE_NS_AT_END);
    leave_segment(cache);
    release_held(cache);
    process_unregister(cache);
    os_unmap(cache->identity, os_page_size());
    free(cache->asked_alive);
    free(cache->scratch);
    free((char *)cache->options.directory);
    free((char *)cache->options.segment);
    free(cache);
}

static bool is_due(struct cache *cache) {
    const uint64_t now = os_milliseconds();
    if (now - cache->looked_at < LOOK_EVERY_MS) {
        return false;
    }
    cache->looked_at = now;
    return true;
}

/* Moves, within a request, to the path's current segment, or to the new user's. */
static void renew(struct cache *cache) {
    leave_holding(cache);
    attach_segment(cache, true, cache->reason);
}

static bool is_another_users(const struct cache *cache) {
    return cache->user != geteuid();
}

/* Makes a system call, so it asks at most once in a tick of the coarse clock. */
static bool has_other_user(struct cache *cache) {
    const uint64_t now = os_milliseconds();
    if (cache->asked_user_at == now && cache->identity->record) {
        return false;
    }
    cache->asked_user_at = now;
    return is_another_users(cache);
}

void cache_user_changed(struct cache *cache) {
    if (is_another_users(cache)) {
        leave_holding(cache);
        cache->user = USER_NONE;
        cache->calls_until_look = 1;
    }
}

const char *cache_reason(const struct cache *cache) {
    return cache->segment && !cache->record_refused ? "" : cache->reason;
}

bool cache_create(struct cache *cache) {
    return enter_to_store(cache) != NULL;
}

struct record_shared *attach_create(struct cache *cache) {
    if (cache->segment || !commit_may_grow(cache)) {
        return NULL;
    }
    if (!attach_segment(cache, false, cache->reason)) {
        const uint64_t now = os_milliseconds();
        cache->refused_at = now ? now : 1;
        return NULL;
    }
    return cache->identity->record;
}

struct record_shared *attach_join(struct cache *cache) {
    return !cache->segment && attach_segment(cache, true, cache->reason) ? cache->identity->record : NULL;
}

void attach_look_again(struct cache *cache) {
    cache->calls_until_look = cache->long_lived ? LOOK_EVERY_CALLS : UINT32_MAX;
    if (has_other_user(cache)) {
        renew(cache);
    } else if (cache->long_lived && is_due(cache)) {
        os_clock_adjust();
        cache->record_refused = false;
        if (cache->segment && cache->identity->record) {
            sample_flush(cache);
        }
        if (!cache->map.index_whole && cache->segment) {
            commit_check_index(&cache->map);
        }
        make_huge(cache, HUGE_NS_A_LOOK);
        release_in_turn(cache);
        if (!cache->segment || !segment_is_current(cache->segment)) {
            renew(cache);
        }
    }
}

struct record_shared *attach_record(struct cache *cache) {
    if (cache->user != geteuid()) {
        attach_look_again(cache); /* servers fork as root and then change their user */
    }
    if (cache->identity->record) {
        return cache->identity->record;
    }
    if (cache->record_refused || !cache->segment) {
        return NULL;
    }
    process_lock();
    const int fd = process_open_locked(cache, cache->fd, true);
    const int reader = fd >= 0 ? process_open_locked(cache, fd, false) : -1;
    const int error = reader < 0 ? errno : 0;
    if (cache->pinned_word_count == 0 && cache->identity->claims == 0) {
        /* Nothing has to be carried over, so the old record is released first: it may be the only free one. */
        process_release_locked(cache);
    }
    const bool claimed = process_claim_locked(cache, fd, reader);
    if (!claimed) {
        close_if_open(fd);
    }
    close_if_open(reader);
    process_unlock();
    cache->record_refused = !claimed;
    if (!claimed) {
        cache->reason[0] = '\0';
    }
    if (error == ESTALE) {
        snprintf(cache->reason, CACHE_REASON_MAX,
                 "the segment's file was removed; the next request makes another");
    } else if (error) {
        snprintf(cache->reason, CACHE_REASON_MAX, "cannot open the segment's file: %s; %s", strerror(error),
                 attempt_advice(error, "start PHP again"));
    }
    return cache->identity->record;
}

bool cache_request_begin(struct cache *cache) {
    struct record_shared *record = cache->identity->record;
    release_held(cache);
    process_end_claims(cache);
    cache->record_refused = false;
    if (!record) {
        process_leave(cache); /* forked since: the old record's pins are no longer needed */
    } else if (process_owns(cache)) {
        cache_recover(cache);
        pin_drop_all(cache, record);
    } else {
        return false;
    }
    if (is_another_users(cache)) {
        leave_segment(cache);
        return false;
    }
    os_clock_adjust();
    if (!cache->map.index_whole && cache->segment) {
        commit_check_index(&cache->map);
    }
    if (!is_due(cache) || (cache->segment && segment_is_current(cache->segment))) {
        return true;
    }
    leave_segment(cache);
    return attach_segment(cache, true, cache->reason);
}

void cache_request_end(struct cache *cache, bool keep_pins) {
    cache_unlock(cache);
    process_end_claims(cache);
    const bool owned = process_owns(cache);
    if (owned) {
        cache_recover(cache);
        sample_flush(cache);
    }
    if (keep_pins) {
        return;
    }
    release_held(cache);
    if (owned) {
        pin_drop_all(cache, cache->identity->record);
        make_huge(cache, HUGE_NS_A_REQUEST);
    } else {
        /* Forked and not used since: this process drops its hold on the old record, and so on the old pins. */
        process_leave(cache);
    }
}

void cache_recover(struct cache *cache) {
    struct record_shared *record = cache->identity->record;
    if (!record) {
        return;
    }
    if (cache->reservation.location) {
        reservation_end(cache, record, &cache->reservation, false);
    }
    clear_copying(record);
    clear_writing(record);
}
