/*
 * Samples: what happens to one key in many, for predict.h.
 *
 * A sample is a word. A process collects some in private memory and adds them to the ring of the segment when it has
 * SAMPLES_A_PROCESS, and at the end of its request: one addition to the ring's head, then plain stores. There is no
 * lock, nobody waits, and whoever is killed loses at most these. A process that is stopped in between puts old samples
 * into the ring later; after half an hour it adds none. So whoever reads the ring takes any word for a sample: it can only
 * make a prediction worse. The ring has memory once something was evicted; until then samples are dropped.
 *
 * A key is sampled if the bits of the mask are 0 in its mixed hash. The mask grows with the number of entries, so that
 * each sampled key has some samples in the ring. A sampled entry does not get USE_MAX, so a fetch need not look at the
 * mask. (An entry that had it before the mask became coarser keeps it until it moves.)
 */
#ifndef LARDER_SAMPLE_H
#define LARDER_SAMPLE_H

#include "predict.h"
#include "thread_state.h"

/* Whatever the header's word is, few keys are sampled. */
static inline uint64_t sample_mask(const struct map *map) {
    return word_peek(&map->header->sample_mask) | map->sample_least;
}

static inline bool sample_has(const struct map *map, uint64_t hash) {
    return UNLIKELY((hash & sample_mask(map)) == 0);
}

/* `units` of the entry; `expires` as in cache_value. */
void sample_add(struct cache *cache, uint64_t hash, enum sample_kind kind, uint64_t units, uint64_t expires);

static inline void sample_note(struct cache *cache, uint64_t hash, enum sample_kind kind, uint64_t units,
                               uint64_t expires) {
    if (sample_has(&cache->map, hash)) {
        sample_add(cache, hash, kind, units, expires);
    }
}

/* Always false, so that a miss can end by this call. */
bool sample_miss(struct cache *cache, uint64_t hash);

/* The sample of a store, made before the sealed entry is published, for sample_put_store() when it is; 0: its key is not
 * sampled. */
uint64_t sample_of_entry(const struct entry_shared *entry);
static inline uint64_t sample_of_store(const struct cache *cache) {
    const struct entry_shared *entry = ref_writable(&cache->map, cache->reservation.location);
    return sample_has(&cache->map, entry_hash(entry)) ? sample_of_entry(entry) : 0;
}

void sample_put(struct cache *cache, uint64_t sample);
static inline void sample_put_store(struct cache *cache, uint64_t stored) {
    if (UNLIKELY(stored != 0)) {
        sample_put(cache, stored);
    }
}

/* Puts this process's samples into the ring. The segment is mapped. */
void sample_flush(struct cache *cache);

/* Everything was deleted, or other keys are sampled: what is in the ring says nothing any more. */
void sample_restart(struct cache *cache);

#endif
