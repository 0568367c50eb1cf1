/* Queues of keys for the simulators. A key is a number, and is in one queue at most. */
#ifndef LARDER_REPLAY_QUEUE_H
#define LARDER_REPLAY_QUEUE_H

#include <stdint.h>
#include <stdlib.h>

#define QUEUE_END UINT32_MAX

struct node {
    uint32_t newer, older; /* neighbours */
    uint32_t units;        /* units of the entry */
    uint8_t use;           /* a count whose meaning depends on the policy */
    uint8_t place;         /* 0: in no queue; other values depend on the policy */
};

struct queue {
    uint32_t newest, oldest;
    uint64_t units; /* sum */
    uint32_t count;
};

static inline struct node *nodes_make(uint32_t keys) {
    struct node *nodes = calloc(keys, sizeof *nodes);
    if (!nodes) {
        abort();
    }
    return nodes;
}

#define QUEUE_EMPTY \
    { QUEUE_END, QUEUE_END, 0, 0 }

static inline void queue_add(struct queue *queue, struct node *nodes, uint32_t key, uint8_t place) {
    struct node *node = &nodes[key];
    node->newer = QUEUE_END;
    node->older = queue->newest;
    node->place = place;
    if (queue->newest == QUEUE_END) {
        queue->oldest = key;
    } else {
        nodes[queue->newest].newer = key;
    }
    queue->newest = key;
    queue->units += node->units;
    queue->count++;
}

static inline void queue_remove(struct queue *queue, struct node *nodes, uint32_t key) {
    struct node *node = &nodes[key];
    if (node->newer == QUEUE_END) {
        queue->newest = node->older;
    } else {
        nodes[node->newer].older = node->older;
    }
    if (node->older == QUEUE_END) {
        queue->oldest = node->newer;
    } else {
        nodes[node->older].newer = node->newer;
    }
    node->place = 0;
    queue->units -= node->units;
    queue->count--;
}

#endif
