#include "policy.h"
#include "queue.h"

enum place { ABSENT, SMALL, MAIN, GHOST };
enum { SMALL_PERCENT = 10, USE_MAX = 3 };

struct s3_fifo {
    struct node *nodes;
    struct queue small, main, ghost;
    uint64_t small_units, main_units;
};

/* Evicts the oldest entry of the main queue that was not used since it was last examined. */
static void evict_main(struct s3_fifo *cache) {
    for (;;) {
        const uint32_t key = cache->main.oldest;
        queue_remove(&cache->main, cache->nodes, key);
        if (cache->nodes[key].use == 0) {
            return;
        }
        cache->nodes[key].use--;
        queue_add(&cache->main, cache->nodes, key, MAIN);
    }
}

/* Takes the oldest entry of the small queue. One that was used more than once moves to the main queue. Of another
 * one, only the name stays, in a queue as long as the main queue. */
static void evict_small(struct s3_fifo *cache) {
    const uint32_t key = cache->small.oldest;
    queue_remove(&cache->small, cache->nodes, key);
    if (cache->nodes[key].use > 1) {
        while (cache->main.units + cache->nodes[key].units > cache->main_units) {
            evict_main(cache);
        }
        cache->nodes[key].use = 0;
        queue_add(&cache->main, cache->nodes, key, MAIN);
        return;
    }
    while (cache->ghost.count > 0 && cache->ghost.units + cache->nodes[key].units > cache->main_units) {
        queue_remove(&cache->ghost, cache->nodes, cache->ghost.oldest);
    }
    queue_add(&cache->ghost, cache->nodes, key, GHOST);
}

static void insert(struct s3_fifo *cache, uint32_t key, uint64_t units) {
    struct node *node = &cache->nodes[key];
    const bool known = node->place == GHOST;
    if (known) {
        queue_remove(&cache->ghost, cache->nodes, key);
    }
    while (cache->small.units + cache->main.units + node->units > units) {
        if (cache->small.count > 0 && (cache->small.units >= cache->small_units || cache->main.count == 0)) {
            evict_small(cache);
        } else {
            evict_main(cache);
        }
    }
    node->use = 0;
    queue_add(known ? &cache->main : &cache->small, cache->nodes, key, known ? MAIN : SMALL);
}

double s3_fifo_policy(const struct trace *trace, uint64_t units) {
    struct s3_fifo cache = {
        .nodes = nodes_make(trace->keys),
        .small = QUEUE_EMPTY,
        .main = QUEUE_EMPTY,
        .ghost = QUEUE_EMPTY,
        .small_units = units * SMALL_PERCENT / 100,
        .main_units = units - units * SMALL_PERCENT / 100,
    };
    struct score score = {0};
    for (size_t i = 0; i < trace->requests; i++) {
        const uint32_t key = trace->request[i];
        struct node *node = &cache.nodes[key];
        const bool hit = node->place == SMALL || node->place == MAIN;
        score_add(&score, trace, i, hit);
        if (hit) {
            node->use += node->use < USE_MAX;
        } else {
            node->units = trace_entry_units(trace, key);
            insert(&cache, key, units);
            node->use += trace->plan->read_back;
        }
    }
    free(cache.nodes);
    return score_percent(&score);
}
