#include "policy.h"
#include "queue.h"

/* The hand moves from the oldest to the newest entry and stays where it evicted. Visited entries that it passes lose
 * their mark. */
static void evict(struct queue *queue, struct node *nodes, uint32_t *hand) {
    uint32_t key = *hand == QUEUE_END ? queue->oldest : *hand;
    while (nodes[key].use) {
        nodes[key].use = 0;
        key = nodes[key].newer == QUEUE_END ? queue->oldest : nodes[key].newer;
    }
    *hand = nodes[key].newer;
    queue_remove(queue, nodes, key);
}

double sieve_policy(const struct trace *trace, uint64_t units) {
    struct node *nodes = nodes_make(trace->keys);
    struct queue queue = QUEUE_EMPTY;
    struct score score = {0};
    uint32_t hand = QUEUE_END;
    for (size_t i = 0; i < trace->requests; i++) {
        const uint32_t key = trace->request[i];
        const bool hit = nodes[key].place != 0;
        score_add(&score, trace, i, hit);
        if (hit) {
            nodes[key].use = 1;
            continue;
        }
        nodes[key].units = trace_entry_units(trace, key);
        while (queue.units + nodes[key].units > units) {
            evict(&queue, nodes, &hand);
        }
        nodes[key].use = trace->plan->read_back;
        queue_add(&queue, nodes, key, 1);
    }
    free(nodes);
    return score_percent(&score);
}
