#include "predict.h"

#include <math.h>
#include <stdlib.h>

enum { HASH_BITS = 34, SIZE_BITS = 8, KIND_BITS_OF_SAMPLE = 2, TTL_BITS = 8, TIME_BITS = 12 };
enum { HASH_FROM = SAMPLE_BITS_LEAST }; /* these bits are 0 */

/* As in evict.c, reclaim.c and layout.h: the first use counts two unless the entry is new. */
enum { PROBATION_PART = 8, WORTH_MOVING = 2, MOST_USES = 4, DRAW_AFTER = 128, DRAW_ONE_OF = 8, WASTED_PART = 8 };

static uint64_t to_eighths(uint64_t value) {
    const double eighths = value <= 1 ? 0 : 8 * log2((double)value) + 0.5;
    return eighths < 255 ? (uint64_t)eighths : 255;
}

uint64_t sample_make(uint64_t hash, enum sample_kind kind, uint64_t units, uint64_t seconds_left, uint64_t now) {
    const uint64_t ttl = seconds_left == 0 ? 0 : to_eighths(seconds_left + 1);
    uint64_t event = hash >> HASH_FROM & ((UINT64_C(1) << HASH_BITS) - 1);
    event = event << SIZE_BITS | to_eighths(units);
    event = event << KIND_BITS_OF_SAMPLE | (uint64_t)kind;
    event = event << TTL_BITS | ttl;
    return event << TIME_BITS | (now & ((1u << TIME_BITS) - 1));
}

static enum sample_kind kind_of(uint64_t sample) {
    return (enum sample_kind)(sample >> (TIME_BITS + TTL_BITS) & 3);
}

bool sample_is_request(uint64_t sample) {
    return kind_of(sample) == SAMPLE_HIT || kind_of(sample) == SAMPLE_MISS;
}

bool sample_matches(uint64_t sample, uint64_t mask) {
    return (sample >> (64 - HASH_BITS) << HASH_FROM & mask) == 0;
}

/* ---- A simulated size ---- */

enum place { ABSENT, MAIN, PROBATION, PLACES };
#define NONE UINT32_MAX

struct node {
    uint32_t newer, older;
    float units;
    uint8_t use, place, ttl;
    bool known, missed; /* seen before; its last request missed in the segment */
    uint64_t expires;   /* 0: never */
    double written;     /* units written to probation before it */
};

struct queue {
    uint32_t newest, oldest;
    double units;
};

struct simulation {
    struct node *nodes;
    struct queue queues[PLACES];
    double units, page_units, new_units, written;
    double used_share; /* of what left probation lately */
    uint64_t random;
    double dead; /* units of entries that were replaced or deleted, and whose pages were not reclaimed since */
    uint64_t now;
};

static void take_out(struct simulation *simulation, uint32_t key) {
    struct node *node = &simulation->nodes[key];
    struct queue *queue = &simulation->queues[node->place];
    *(node->newer == NONE ? &queue->newest : &simulation->nodes[node->newer].older) = node->older;
    *(node->older == NONE ? &queue->oldest : &simulation->nodes[node->older].newer) = node->newer;
    queue->units -= node->units;
    node->place = ABSENT;
}

static void append(struct simulation *simulation, uint32_t key, enum place place) {
    struct node *node = &simulation->nodes[key];
    struct queue *queue = &simulation->queues[place];
    node->newer = NONE;
    node->older = queue->newest;
    *(queue->newest == NONE ? &queue->oldest : &simulation->nodes[queue->newest].newer) = key;
    queue->newest = key;
    queue->units += node->units;
    node->place = (uint8_t)place;
}

static bool is_expired(const struct simulation *simulation, const struct node *node) {
    return node->expires != 0 && node->expires <= simulation->now;
}

/* One in eight moves although unused, if none of 128 entries before it was used. Of these only a few are in the
 * sample, so their chance follows from the share of late. */
static bool is_drawn(struct simulation *simulation, bool used) {
    simulation->used_share += ((used ? 1.0 : 0.0) - simulation->used_share) / DRAW_AFTER;
    simulation->random = simulation->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return !used && (double)(simulation->random >> 11) * 0x1p-53 * DRAW_ONE_OF <
                        pow(1 - simulation->used_share, DRAW_AFTER);
}

static void evict(struct simulation *simulation) {
    struct queue *queues = simulation->queues;
    const bool overdue = queues[PROBATION].units > simulation->units / PROBATION_PART;
    const enum place place =
        (overdue || queues[MAIN].oldest == NONE) && queues[PROBATION].oldest != NONE ? PROBATION : MAIN;
    const uint32_t key = queues[place].oldest;
    struct node *node = &simulation->nodes[key];
    take_out(simulation, key);
    simulation->dead -= simulation->dead * node->units / simulation->units;
    if (is_expired(simulation, node)) {
        return;
    }
    const bool used = node->use >= WORTH_MOVING;
    const bool drawn =
        place == PROBATION && node->units <= simulation->page_units / 2 && is_drawn(simulation, used);
    if (used || drawn) {
        node->use -= node->use > 0;
        append(simulation, key, MAIN);
    }
}

/* Its page is compacted when an eighth of that is dead: on average, half of that. */
static void erase(struct simulation *simulation, uint32_t key) {
    if (simulation->nodes[key].place == ABSENT) {
        return;
    }
    const double most = simulation->units / (2 * WASTED_PART);
    simulation->dead += simulation->nodes[key].units;
    simulation->dead = simulation->dead < most ? simulation->dead : most;
    take_out(simulation, key);
}

/* An entry of more than half a page takes whole pages. */
static double units_taken(const struct simulation *simulation, double units) {
    return units > simulation->page_units / 2 ? ceil(units / simulation->page_units) * simulation->page_units
                                              : units;
}

static void insert(struct simulation *simulation, uint32_t key, double units, uint8_t ttl) {
    struct node *node = &simulation->nodes[key];
    node->units = (float)units_taken(simulation, units);
    node->use = 0;
    node->expires = ttl == 0 ? 0 : simulation->now + (uint64_t)exp2(ttl / 8.0);
    struct queue *queues = simulation->queues;
    while (queues[MAIN].units + queues[PROBATION].units + simulation->dead + node->units > simulation->units &&
           (queues[MAIN].oldest != NONE || queues[PROBATION].oldest != NONE)) {
        evict(simulation);
    }
    node->written = simulation->written;
    simulation->written += node->units;
    append(simulation, key, PROBATION);
}

static void use(struct simulation *simulation, struct node *node) {
    const bool is_new =
        node->place == PROBATION && simulation->written - node->written - node->units < simulation->new_units;
    if (node->use < MOST_USES) {
        node->use += node->use == 0 && !is_new ? WORTH_MOVING : 1;
    }
}

/* True for a miss. */
static bool request(struct simulation *simulation, uint32_t key, enum sample_kind kind, double units, uint8_t ttl,
                    bool smaller) {
    struct node *node = &simulation->nodes[key];
    if (node->place != ABSENT && is_expired(simulation, node)) {
        take_out(simulation, key);
    }
    const bool hit = node->place != ABSENT, unknown = !node->known;
    node->missed = kind == SAMPLE_MISS;
    if (hit) {
        use(simulation, node);
        return false;
    }
    if (kind == SAMPLE_HIT) {
        insert(simulation, key, units, node->ttl ? node->ttl : ttl);
    }
    return kind == SAMPLE_MISS || smaller || !unknown; /* what was there before the first sample is there, too */
}

/* A store after a miss would not have happened at a size at which that was a hit. */
static void store(struct simulation *simulation, uint32_t key, double units, uint8_t ttl) {
    struct node *node = &simulation->nodes[key];
    if (!node->missed || node->place == ABSENT) { /* else: hit */
        erase(simulation, key);
        insert(simulation, key, units, ttl);
    }
    node->ttl = ttl;
    node->missed = false;
}

static uint64_t simulate(struct simulation *simulation, const struct samples *samples, const uint32_t *keys,
                         bool smaller) {
    uint64_t misses = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const uint64_t event = samples->list[i];
        const uint32_t time = (uint32_t)event & ((1u << TIME_BITS) - 1);
        const uint8_t ttl = (uint8_t)(event >> TIME_BITS);
        const enum sample_kind kind = kind_of(event);
        const double units = exp2((double)(event >> (TIME_BITS + TTL_BITS + KIND_BITS_OF_SAMPLE) & 255) / 8);
        /* Samples of other processes come late, but for half an hour at most: what looks later is earlier. */
        const uint32_t step = (time - (uint32_t)simulation->now) & ((1u << TIME_BITS) - 1);
        simulation->now += step < 1u << (TIME_BITS - 1) ? step : 0;
        if (kind == SAMPLE_STORE) {
            store(simulation, keys[i], units, ttl);
        } else if (kind == SAMPLE_DELETE) {
            erase(simulation, keys[i]);
        } else if (request(simulation, keys[i], kind, units, ttl, smaller)) {
            misses += i >= samples->counted_from;
        }
        simulation->nodes[keys[i]].known = true;
    }
    return misses;
}

/* ---- All sizes ---- */

/* Numbers the keys from 0 on, through an open hash table of twice as many slots. Returns their number; 0: out of
 * memory. */
static uint32_t number_keys(const struct samples *samples, uint32_t *keys) {
    size_t slots = 64;
    while (slots < 2 * samples->count) {
        slots *= 2;
    }
    uint64_t *table = calloc(slots, 2 * sizeof *table); /* hash + 1, number */
    if (!table) {
        return 0;
    }
    uint32_t count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const uint64_t hash = (samples->list[i] >> (64 - HASH_BITS)) + 1;
        size_t slot = (size_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (slots - 1);
        while (table[2 * slot] != 0 && table[2 * slot] != hash) {
            slot = (slot + 1) & (slots - 1);
        }
        if (table[2 * slot] == 0) {
            table[2 * slot] = hash;
            table[2 * slot + 1] = count++;
        }
        keys[i] = (uint32_t)table[2 * slot + 1];
    }
    free(table);
    return count;
}

uint32_t predict_misses(const struct samples *samples, uint64_t misses[PREDICT_SIZES]) {
    uint32_t *keys = malloc((samples->count + 1) * sizeof *keys);
    const uint32_t count = keys ? number_keys(samples, keys) : 0;
    bool done = count > 0;
    for (unsigned size = 0; done && size < PREDICT_SIZES; size++) {
        struct simulation simulation = {
            .nodes = calloc(count, sizeof *simulation.nodes),
            .queues = {{NONE, NONE, 0}, {NONE, NONE, 0}, {NONE, NONE, 0}},
            .units = ldexp(samples->units, (int)size - PREDICT_SAME),
            .page_units = samples->page_units,
            .new_units = 1.5 * samples->page_units / samples->keys_each,
            .now = samples->count > 0 ? samples->list[0] & ((1u << TIME_BITS) - 1) : 0,
        };
        done = simulation.nodes != NULL;
        misses[size] = done ? simulate(&simulation, samples, keys, size < PREDICT_SAME) : 0;
        free(simulation.nodes);
    }
    free(keys);
    return done ? count : 0;
}

double predict_hits(const uint64_t misses[PREDICT_SIZES], unsigned size, double miss_ratio, double expected) {
    const double missed = (double)misses[size], same = (double)misses[PREDICT_SAME];
    const double misses_there =
        missed > same ? miss_ratio + (missed - same) / expected : miss_ratio * (same > 0 ? missed / same : 1);
    return misses_there < 1 ? 1 - misses_there : 0;
}
