#include "lock.h"

#include "os.h"
#include "point.h"

enum {
    SPINS_BEFORE_YIELD = 64,
    ASK_KERNEL_NS = 50 * 1000,
    GIVE_UP_NS = 1000 * 1000,
    GIVE_UP_AGAIN_NS = 50 * 1000, /* when it was waited for in vain already */
};

static uint64_t owned_by(const struct cache *cache) {
    return (uint64_t)cache->number << 32 | cache->incarnation;
}

static bool owner_lives(struct cache *cache, uint64_t owner, bool ask_kernel) {
    const unsigned number = (unsigned)(owner >> 32);
    const uint32_t incarnation = (uint32_t)owner;
    if (ask_kernel) {
        return process_alive(cache, number, incarnation, 32, true);
    }
    return number < cache->map.record_count &&
           (uint32_t)word_load(&ref_record(&cache->map, number)->incarnation) == incarnation;
}

static bool take_over(struct cache *cache, struct bucket_shared *bucket, uint64_t owner) {
    if (!word_swap(&bucket->lock, &owner, owned_by(cache))) {
        return false;
    }
    POINT(lock_taken_over);
    count(cache->identity->record, COUNT_TAKEN_OVER);
    return true;
}

static bool wait_for(struct cache *cache, struct bucket_shared *bucket) {
    const uint64_t start = os_nanoseconds();
    bool asked = false;
    for (unsigned spins = 1;; spins++) {
        uint64_t owner = 0;
        if (word_swap(&bucket->lock, &owner, owned_by(cache))) {
            return true;
        }
        if (owner == owned_by(cache)) {
            return true; /* never held from call to call, so it is damage that names us */
        }
        if (!owner_lives(cache, owner, false) && take_over(cache, bucket, owner)) {
            return true;
        }
        spin_pause();
        if (spins % SPINS_BEFORE_YIELD) {
            continue;
        }
        const uint64_t waited = os_nanoseconds() - start;
        if (waited > ASK_KERNEL_NS && !asked) {
            asked = true;
            if (!owner_lives(cache, owner, true) && take_over(cache, bucket, owner)) {
                return true;
            }
        }
        const bool known = bucket == cache->stalled_bucket && owner == cache->stalled_lock;
        if (waited > (known ? GIVE_UP_AGAIN_NS : GIVE_UP_NS)) {
            /* The kernel was asked about whoever held it then; this may be another, dead since. */
            if (!owner_lives(cache, owner, true) && take_over(cache, bucket, owner)) {
                return true;
            }
            cache->stalled_lock = owner;
            cache->stalled_bucket = bucket;
            return false;
        }
        os_yield();
    }
}

bool lock_take(struct cache *cache, struct bucket_shared *bucket) {
    uint64_t unlocked = 0;
    const bool taken = LIKELY(word_swap(&bucket->lock, &unlocked, owned_by(cache))) || wait_for(cache, bucket);
    if (UNLIKELY(taken && bucket == cache->stalled_bucket)) {
        /* Its owner has moved on: it was slow, not stopped. */
        cache->stalled_bucket = NULL;
    }
    POINT(lock_taken);
    return taken;
}

/* Only if it is still ours: a damaged record could have made others believe us dead. */
void lock_release(struct cache *cache, struct bucket_shared *bucket) {
    POINT(lock_before_release);
    if (word_load(&bucket->lock) == owned_by(cache)) {
        word_store(&bucket->lock, 0);
    }
}
