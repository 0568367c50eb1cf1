#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach_attempt.h"
#include "failpoint.h"
#include "os.h"

enum {
    ALIVE_BELIEVED_MS = 10,
    DEATH_PROBES = 8, /* used records to try, since their owners may be dead, before a new one is taken */
    SCAN_RETRIES = 4,
};

/* ---- Forks and threads ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static struct cache *caches;
static struct open_files *open_files;
static pthread_key_t thread_end;
static bool has_thread_end;
static shared_word *own_id; /* in a page that a forked child finds zeroed; NULL: there is no such page */

void process_lock(void) {
    pthread_mutex_lock(&mutex);
}

bool process_trylock(void) {
    return pthread_mutex_trylock(&mutex) == 0;
}

void process_unlock(void) {
    pthread_mutex_unlock(&mutex);
}

void process_unlock_with(struct open_files *files) {
    files->next = open_files;
    open_files = files;
    process_unlock();
}

void process_lock_again(struct open_files *files) {
    process_lock();
    struct open_files **link = &open_files;
    while (*link != files) {
        link = &(*link)->next;
    }
    *link = files->next;
}

static bool is_own(const struct cache *cache) {
    return pthread_equal(cache->thread, pthread_self());
}

bool process_is_file(const struct cache *cache, int fd) {
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        return fd >= 0 && errno != EBADF;
    }
    return status.st_dev == cache->file_device && status.st_ino == cache->file_inode;
}

/* Closes a descriptor, unless its number has become another file's. */
static void close_own(const struct cache *cache, int *fd) {
    if (process_is_file(cache, *fd)) {
        close(*fd);
    }
    *fd = -1;
}

void process_release_locked(struct cache *cache) {
    close_own(cache, &cache->fd);
    os_forget_lock(cache->lock);
    cache->lock = NULL;
}

static int own_or_none(const struct cache *cache, int fd) {
    if (fd >= 0 && !process_is_file(cache, fd)) {
        close(fd);
        errno = ENOENT;
        return -1;
    }
    return fd;
}

/* Called with the number of a new description. If that was one of our numbers, other code has closed ours. Device
 * and inode would not show that, and what is meant for the old description would be done to the new one. */
static void forget_number(int fd) {
    for (struct cache *cache = fd >= 0 ? caches : NULL; cache; cache = cache->next) {
        int *const numbers[] = {&cache->fd, &cache->lock_fd};
        for (unsigned i = 0; i < 2; i++) {
            if (*numbers[i] == fd) { /* only then is it written: it may be another thread's */
                *numbers[i] = -1;
            }
        }
    }
}

int process_open_locked(const struct cache *cache, int known, bool writable) {
    int fd = process_is_file(cache, known) ? own_or_none(cache, os_open_again(known, writable)) : -1;
    if (fd < 0) {
        fd = own_or_none(cache, os_open_file(AT_FDCWD, cache->file_path, writable ? O_RDWR : O_RDONLY));
    }
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) {
        errno = ESTALE;
    }
    forget_number(fd);
    return fd;
}

int process_file(struct cache *cache) {
    if (UNLIKELY(!process_is_file(cache, cache->fd))) {
        if (!process_trylock()) {
            return -1;
        }
        close_own(cache, &cache->fd);
        cache->fd = process_open_locked(cache, -1, true);
        process_unlock();
    }
    return cache->fd;
}

/* Claims another record at once. A process that waits for a claim must notice this process's death even if its child
 * lives on. */
static void take_claims_along(struct cache *cache) {
    const int fd = process_open_locked(cache, cache->fd, true);
    const int reader = fd >= 0 ? process_open_locked(cache, fd, false) : -1;
    if (!process_claim_locked(cache, fd, reader)) {
        close_if_open(fd);
    }
    close_if_open(reader);
}

/* Parent and child share the file description, so the record's byte stays locked while either is alive. Neither may
 * use the record again: after its death it would look alive through the other. */
static void after_fork_parent(void) {
    for (struct cache *cache = caches; cache; cache = cache->next) {
        if (is_own(cache)) {
            cache->identity->record = NULL;
            if (cache->identity->claims > 0 && cache->segment) {
                take_claims_along(cache);
            }
        }
    }
    process_unlock();
}

/* Marks a cache of another thread, which the child does not have. The records stay the parent's, and the memory may
 * be in the middle of a change. */
static void make_orphan(struct cache *cache) {
    cache->orphan = true;
    process_release_locked(cache);
    for (struct held_segment *held = cache->held; held; held = held->next) {
        os_forget_lock(held->lock);
    }
}

static void close_lock_locked(struct cache *cache) {
    close_own(cache, &cache->lock_fd);
    memset(cache->locked, 0, sizeof cache->locked);
}

static void after_fork_child(void) {
    for (struct cache *cache = caches; cache; cache = cache->next) {
        cache->identity->record = NULL;
        cache->identity->claims = 0;  /* the claims are the parent's, */
        cache->identity->sampled = 0; /* and so are the samples */
        if (cache->pinned_word_count == 0) {
            os_forget_lock(cache->lock); /* or the parent would look alive in it after its death */
            cache->lock = NULL;
        }
        close_lock_locked(cache); /* or the lock would outlive the parent */
        if (!is_own(cache) && !cache->orphan) {
            make_orphan(cache);
        }
    }
    for (; open_files; open_files = open_files->next) {
        for (unsigned i = 0; i < open_files->count; i++) {
            close(open_files->fds[i]);
        }
    }
    if (own_id) {
        word_poke(own_id, 0); /* emulators of Linux may not wipe the page */
    }
    process_unlock();
}

/* A thread may end without detaching. Without this, its records and its lock would stay until the process ends. */
static void at_thread_end(void *any) {
    (void)any;
    process_lock();
    for (struct cache *cache = caches; cache; cache = cache->next) {
        if (is_own(cache) && !cache->orphan) {
            close_lock_locked(cache);
            process_leave_locked(cache);
        }
    }
    process_unlock();
}

/* The engine may be unloaded before its threads end. */
__attribute__((destructor)) static void forget_thread_ends(void) {
    if (has_thread_end) {
        pthread_key_delete(thread_end);
    }
}

static void prepare(void) {
    pthread_atfork(process_lock, after_fork_parent, after_fork_child);
    has_thread_end = pthread_key_create(&thread_end, at_thread_end) == 0;
    os_clock_prepare();
    own_id = os_page_wiped_on_fork();
    cache_pid(); /* asked now, since a vfork() child must not be the first to ask */
}

void cache_prepare(void) {
    pthread_once(&prepared, prepare);
}

pid_t cache_pid(void) {
    if (!own_id) {
        return getpid();
    }
    uint64_t id = word_peek(own_id);
    if (id == 0) {
        id = (uint64_t)getpid();
        word_poke(own_id, id);
    }
    return (pid_t)id;
}

void process_register(struct cache *cache) {
    cache_prepare();
    process_lock();
    cache->thread = pthread_self();
    cache->next = caches;
    caches = cache;
    process_unlock();
}

void process_unregister(struct cache *cache) {
    process_lock();
    for (struct cache **link = &caches; *link; link = &(*link)->next) {
        if (*link == cache) {
            *link = cache->next;
            break;
        }
    }
    process_unlock();
}

/* ---- Claim, sweep, leave ---- */

static void fold_counters(const struct map *map, struct record_shared *record) {
    for (unsigned i = 0; i < COUNTERS; i++) {
        const uint64_t value = word_exchange(&record->counters[i], 0);
        if (value) {
            word_add(&map->header->totals[i], value);
        }
    }
}

/* Clears a record whose byte is locked by this process. `sweeps` is raised first: a fork may have moved a pin from
 * this record to one that a scan has already passed, so scans that see `sweeps` changed start over. */
static void record_reset(const struct map *map, struct record_shared *record) {
    word_add(&map->header->sweeps, 1);
    FAILPOINT(record_sweep_announced);
    uint64_t incarnation = word_load(&record->incarnation);
    word_store(&record->incarnation, (uint32_t)(incarnation + 1) ? (uint32_t)(incarnation + 1) : 1);
    FAILPOINT(record_incarnation_raised);
    fold_counters(map, record);
    for (unsigned i = 0; i < map->pin_words; i++) {
        word_store(&record->pins[i], 0);
    }
    word_store(&record->copying, 0);
    FAILPOINT(record_copying_cleared);
    word_store(&record->writing, 0);
    word_store(&record->locked, 0);
}

static bool take(const struct map *map, int fd, unsigned number, enum record_use use) {
    if (!os_lock(fd, number, 1)) {
        return false;
    }
    struct record_shared *record = ref_record(map, number);
    record_reset(map, record);
    word_store(&record->process, (uint64_t)getpid());
    word_store(&record->use, use);
    return true;
}

static bool is_unused(const struct map *map, unsigned number) {
    return word_load(&ref_record(map, number)->use) == RECORD_UNUSED;
}

static int claim_number(const struct map *map, int fd, enum record_use use) {
    const unsigned used = ref_records_used(map);
    for (unsigned i = 0; i < used; i++) {
        if (is_unused(map, i) && take(map, fd, i, use)) {
            return (int)i;
        }
    }
    /* Records of dead processes are reused before new ones are begun, or scans would grow with every killed worker. */
    const unsigned start = used ? (unsigned)(os_nanoseconds() >> 10) % used : 0;
    for (unsigned i = 0; i < used && i < DEATH_PROBES; i++) {
        const unsigned number = (start + i) % used;
        if (take(map, fd, number, use)) {
            return (int)number;
        }
    }
    for (unsigned i = used; i < map->record_count; i++) {
        if (take(map, fd, i, use)) {
            word_raise(&map->header->records_used, i + 1);
            return (int)i;
        }
    }
    for (unsigned i = 0; i < used; i++) {
        if (take(map, fd, i, use)) {
            return (int)i;
        }
    }
    return -1;
}

void process_end_claim(struct cache *cache, shared_word *slot) {
    uint64_t word = word_load(slot);
    while (claim_is_of(word, claim_owner(cache->incarnation, cache->number))) {
        if (word_swap(slot, &word, 0)) {
            FAILPOINT(claim_ended);
            cache->identity->claims--;
            if (UNLIKELY(word & CLAIM_WAITED)) {
                os_wake(slot);
            }
            return;
        }
    }
}

void process_end_claims(struct cache *cache) {
    for (unsigned i = 0; cache->identity->claims > 0 && i < CLAIMS_MAX; i++) {
        process_end_claim(cache, ref_claim(&cache->map, i));
    }
    cache->identity->claims = 0;
}

/* After a fork the parent gets another record, and its claims of keys must name that one. The child has no claims. */
static void carry_claims_over(const struct cache *cache, uint64_t owner) {
    const uint64_t old = claim_owner(cache->incarnation, cache->number), kept = ~(CLAIM_WAITED - 1);
    for (unsigned i = 0; cache->identity->claims > 0 && i < CLAIMS_MAX; i++) {
        shared_word *slot = ref_claim(&cache->map, i);
        uint64_t word = word_load(slot);
        while (claim_is_of(word, old)) {
            if (word_swap(slot, &word, (word & kept) | owner)) {
                FAILPOINT(claim_carried_over);
                break;
            }
        }
    }
}

bool process_claim_locked(struct cache *cache, int fd, int reader) {
    const enum record_use use = cache->long_lived ? RECORD_LONG_LIVED : RECORD_REQUESTS;
    if (fd < 0 || reader < 0) {
        return false;
    }
    forget_number(fd);
    const int number = claim_number(&cache->map, fd, use);
    if (number < 0) {
        return false;
    }
    struct record_shared *record = ref_record(&cache->map, (unsigned)number);
    void *lock = os_keep_lock(fd, reader, number);
    if (!lock) {
        word_store(&record->use, RECORD_UNUSED);
        return false;
    }
    if (cache->lock) {
        /* After a fork: pins of the old record are set in the new one before they are dropped in the old one. */
        const struct record_shared *old = ref_record(&cache->map, cache->number);
        for (unsigned i = 0; i < cache->pinned_word_count; i++) {
            const unsigned word = cache->pinned_words[i];
            word_poke(&record->pins[word], word_load(&old->pins[word]));
        }
        carry_claims_over(cache, claim_owner((uint32_t)word_load(&record->incarnation), (unsigned)number));
        fence();
        FAILPOINT(fork_pins_carried_over);
        process_release_locked(cache);
    }
    cache->lock = lock;
    cache->fd = fd;
    if (has_thread_end) {
        pthread_setspecific(thread_end, cache); /* any value but NULL */
    }
    cache->reservation = (struct reservation){0}; /* its pages belong to the old record */
    cache->destination = 0;
    cache->number = (unsigned)number;
    cache->incarnation = (uint32_t)word_load(&record->incarnation);
    cache->identity->record = record;
    return true;
}

bool process_owns(struct cache *cache) {
    const struct record_shared *record = cache->identity->record;
    if (!record || (uint32_t)word_load(&record->incarnation) == cache->incarnation) {
        return record != NULL;
    }
    cache->identity->record = NULL;
    close_own(cache, &cache->fd);
    cache->lock = NULL;
    cache->pinned_word_count = 0;
    cache->pages_held = 0;
    return false;
}

void process_leave(struct cache *cache) {
    process_lock();
    process_leave_locked(cache);
    process_unlock();
}

void process_leave_locked(struct cache *cache) {
    struct record_shared *record = cache->identity->record;
    if (process_owns(cache)) {
        fold_counters(&cache->map, record);
        for (unsigned i = 0; i < cache->pinned_word_count; i++) {
            word_store(&record->pins[cache->pinned_words[i]], 0);
        }
        word_store(&record->copying, 0);
        word_store(&record->writing, 0);
        word_store(&record->use, RECORD_UNUSED);
        cache->identity->record = NULL;
        if (process_is_file(cache, cache->fd)) {
            os_touch(cache->fd);
        }
    }
    process_release_locked(cache);
    cache->pinned_word_count = 0;
    cache->pages_held = 0;
}

void process_close_lock(struct cache *cache) {
    process_lock();
    close_lock_locked(cache);
    process_unlock();
}

/* Clears the record of a dead process. Does not wait for the mutex: readers come here, and another thread may be
 * creating a segment. */
static bool sweep(struct cache *cache, unsigned number) {
    if (!process_trylock()) {
        return false;
    }
    const bool dead = os_lock(cache->fd, number, 1);
    if (dead) {
        struct record_shared *record = ref_record(&cache->map, number);
        record_reset(&cache->map, record);
        word_store(&record->use, RECORD_UNUSED);
        os_unlock(cache->fd, number, 1);
    }
    process_unlock();
    if (dead) {
        count(cache->identity->record, COUNT_SWEPT);
    }
    return dead;
}

bool process_alive(struct cache *cache, unsigned number, uint32_t incarnation, unsigned bits, bool fresh) {
    if (number >= cache->map.record_count) {
        return false;
    }
    const uint32_t mask = bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX;
    const shared_word *now = &ref_record(&cache->map, number)->incarnation;
    if (((uint32_t)word_load(now) & mask) != (incarnation & mask)) {
        return false;
    }
    if (number == cache->number) {
        return true;
    }
    const uint32_t time = (uint32_t)os_milliseconds();
    if (!cache->asked_alive) {
        cache->asked_alive = calloc(cache->map.record_count, sizeof *cache->asked_alive);
    }
    uint32_t none = 0, *asked = cache->asked_alive ? &cache->asked_alive[number] : &none;
    if (!fresh && *asked && time - *asked < ALIVE_BELIEVED_MS) {
        return true;
    }
    if (process_file(cache) < 0) {
        return true;
    }
    if (os_locked(cache->fd, number) || !sweep(cache, number)) {
        *asked = time ? time : 1;
        return ((uint32_t)word_load(now) & mask) == (incarnation & mask);
    }
    return false;
}

/* ---- Who holds a page ---- */

static bool record_writes(const struct record_shared *record, uint32_t page) {
    return word_load(&record->writing) == (uint64_t)page + 1;
}

static bool record_reads(const struct record_shared *record, uint32_t page) {
    return ((word_load(&record->pins[page >> 6]) >> (page & 63)) & 1) ||
           word_load(&record->copying) == (uint64_t)page + 1;
}

static bool anybody(struct cache *cache, uint32_t page, bool fresh,
                    bool (*holds)(const struct record_shared *, uint32_t)) {
    for (unsigned attempt = 0; attempt < SCAN_RETRIES; attempt++) {
        const uint64_t sweeps = word_load(&cache->map.header->sweeps);
        fence();
        const unsigned used = ref_records_used(&cache->map);
        for (unsigned i = 0; i < used; i++) {
            const struct record_shared *record = ref_record(&cache->map, i);
            const uint32_t incarnation = (uint32_t)word_load(&record->incarnation);
            if (holds(record, page) && process_alive(cache, i, incarnation, 32, fresh)) {
                return true;
            }
            FAILPOINT(record_scanned);
        }
        fence();
        /* If a record was cleared during the scan, its pins may have moved to one that was already scanned. */
        if (word_load(&cache->map.header->sweeps) == sweeps) {
            return false;
        }
    }
    return true;
}

bool process_writes(struct cache *cache, uint32_t page, bool fresh) {
    return anybody(cache, page, fresh, record_writes);
}

bool process_reads(struct cache *cache, uint32_t page, bool fresh) {
    return anybody(cache, page, fresh, record_reads);
}
