#include "policy.h"
#include "queue.h"

/* LRU renews an entry at a hit, FIFO does not. */
static double replay(const struct trace *trace, uint64_t units, bool renew) {
    struct node *nodes = nodes_make(trace->keys);
    struct queue queue = QUEUE_EMPTY;
    struct score score = {0};
    for (size_t i = 0; i < trace->requests; i++) {
        const uint32_t key = trace->request[i];
        const bool hit = nodes[key].place != 0;
        score_add(&score, trace, i, hit);
        if (hit && renew) {
            queue_remove(&queue, nodes, key);
            queue_add(&queue, nodes, key, 1);
        } else if (!hit) {
            nodes[key].units = trace_entry_units(trace, key);
            while (queue.units + nodes[key].units > units) {
                queue_remove(&queue, nodes, queue.oldest);
            }
            queue_add(&queue, nodes, key, 1);
        }
    }
    free(nodes);
    return score_percent(&score);
}

double lru_policy(const struct trace *trace, uint64_t units) {
    return replay(trace, units, true);
}

double fifo_policy(const struct trace *trace, uint64_t units) {
    return replay(trace, units, false);
}
