#include "explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_MAX = 640, TRACE_MAX = 4096, RELEASE = 0x80 };

unsigned broken;
uint64_t fixed_words;

static const char *why_wrong;
static unsigned choice, choices;
static bool weak_order;

void wrong(struct machine *machine, const char *why) {
    if (!machine->wrong) {
        machine->wrong = 1;
        why_wrong = why;
    }
}

unsigned choose(unsigned count) {
    choices = count;
    return choice;
}

/* ---- Memory ---- */

uint16_t load(const struct machine *machine, unsigned process, unsigned word) {
    for (unsigned i = machine->buffered[process]; i > 0; i--) {
        if ((machine->word[process][i - 1] & ~(unsigned)RELEASE) == word) {
            return machine->value[process][i - 1];
        }
    }
    return machine->memory[word];
}

void write_word(struct machine *machine, unsigned word, unsigned value) {
    if (is_fixed(word)) {
        fprintf(stderr, "model: word %u is written, but was said not to be\n", word);
        abort();
    }
    machine->memory[word] = (uint16_t)value;
}

static void buffer(struct machine *machine, unsigned process, unsigned word, unsigned value) {
    const unsigned at = machine->buffered[process]++;
    if (at == BUFFER) {
        fprintf(stderr, "model: a store buffer is too small\n");
        abort();
    }
    machine->word[process][at] = (uint8_t)word;
    machine->value[process][at] = (uint16_t)value;
}

void store(struct machine *machine, unsigned process, unsigned word, unsigned value) {
    buffer(machine, process, word | RELEASE, value);
}

void poke(struct machine *machine, unsigned process, unsigned word, unsigned value) {
    buffer(machine, process, word, value);
}

/* True if the nth store of the buffer may reach memory now. */
static bool may_leave(const struct machine *machine, unsigned process, unsigned nth) {
    if (nth == 0) {
        return true;
    }
    const uint8_t *words = machine->word[process];
    if (!weak_order || (words[nth] & RELEASE)) {
        return false;
    }
    for (unsigned i = 0; i < nth; i++) {
        if ((words[i] & ~(unsigned)RELEASE) == words[nth]) {
            return false;
        }
    }
    return true;
}

static void leave(struct machine *machine, unsigned process, unsigned nth) {
    uint8_t *words = machine->word[process];
    uint16_t *values = machine->value[process];
    write_word(machine, words[nth] & ~(unsigned)RELEASE, values[nth]);
    const unsigned count = --machine->buffered[process];
    for (unsigned i = nth; i < count; i++) {
        words[i] = words[i + 1];
        values[i] = values[i + 1];
    }
    words[count] = 0; /* so that equal states are equal bytes */
    values[count] = 0;
}

/* ---- States seen ---- */

struct node {
    uint64_t print[2];
    uint32_t parent;
    uint16_t action;
};

static struct node *nodes;
static uint32_t *table;
static uint64_t node_count, node_room, table_size;

static uint64_t mix(uint64_t hash, uint64_t value) {
    const unsigned __int128 product = (unsigned __int128)(hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* 128 bits. The chance that two of 100 million states share them is 10^-23. */
static void fingerprint(const void *state, size_t size, uint64_t print[2]) {
    uint64_t low = size, high = ~(uint64_t)size;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t value = 0;
        memcpy(&value, (const char *)state + at, size - at < 8 ? size - at : 8);
        low = mix(low, value);
        high = mix(high + UINT64_C(0xd6e8feb86659fd93), value) ^ low;
    }
    print[0] = low;
    print[1] = high;
}

static void *reserve(void *memory, size_t size) {
    void *grown = realloc(memory, size);
    if (!grown) {
        fprintf(stderr, "model: out of memory\n");
        exit(2);
    }
    return grown;
}

static void grow_table(void) {
    table_size = table_size ? 2 * table_size : 1 << 16;
    table = reserve(table, table_size * sizeof *table);
    memset(table, 0, table_size * sizeof *table);
    for (uint64_t i = 0; i < node_count; i++) {
        uint64_t at = nodes[i].print[0] & (table_size - 1);
        while (table[at]) {
            at = (at + 1) & (table_size - 1);
        }
        table[at] = (uint32_t)i + 1;
    }
}

/* The number of a state that was not seen before, otherwise UINT32_MAX. */
static uint32_t remember(const void *state, size_t size, uint32_t parent, unsigned action) {
    uint64_t print[2];
    fingerprint(state, size, print);
    if (2 * node_count >= table_size) {
        grow_table();
    }
    uint64_t at = print[0] & (table_size - 1);
    for (; table[at]; at = (at + 1) & (table_size - 1)) {
        const struct node *node = &nodes[table[at] - 1];
        if (node->print[0] == print[0] && node->print[1] == print[1]) {
            return UINT32_MAX;
        }
    }
    if (node_count == node_room) {
        node_room = node_room ? 2 * node_room : 1 << 16;
        nodes = reserve(nodes, node_room * sizeof *nodes);
    }
    nodes[node_count] = (struct node){{print[0], print[1]}, parent, (uint16_t)action};
    table[at] = (uint32_t)++node_count;
    return (uint32_t)node_count - 1;
}

static void forget_all(void) {
    free(nodes);
    free(table);
    nodes = NULL;
    table = NULL;
    node_count = node_room = table_size = 0;
}

/* ---- Actions ---- */

enum kind { STEP, LEAVE, DIE };

static unsigned action_make(enum kind kind, unsigned process, unsigned which) {
    return (unsigned)kind << 8 | process << 6 | which;
}

/* Performs the action in a copy of the state. False if the action cannot happen there. */
static bool act(const struct model *model, void *state, unsigned action) {
    struct machine *machine = state;
    const enum kind kind = (enum kind)(action >> 8);
    const unsigned process = (action >> 6) & 3, which = action & 63;
    const unsigned bit = 1u << process;
    if (kind == LEAVE) {
        if (which >= machine->buffered[process] || !may_leave(machine, process, which)) {
            return false;
        }
        leave(machine, process, which);
        return true;
    }
    if ((machine->done | machine->dead) & bit) {
        return false;
    }
    if (kind == DIE) {
        /* Only with all its stores in memory: dying with some in the buffer is the same as being stopped until they
         * are in memory. */
        if (!(model->mortal & bit) || machine->deaths == 0 || !drained(machine, process)) {
            return false;
        }
        machine->dead |= (uint8_t)bit;
        machine->deaths--;
        for (unsigned i = 0; i < RECORDS; i++) {
            machine->holders[i] &= (uint8_t)~bit;
        }
        return true;
    }
    choice = which;
    choices = 1;
    const enum progress progress = model->step(state, process);
    if (progress == FINISHED) {
        machine->done |= (uint8_t)bit;
    }
    return progress != BLOCKED && which < choices;
}

static void begin(const struct model *model, void *state) {
    memset(state, 0, model->size);
    model->begin(state);
    ((struct machine *)state)->deaths = model->mortal != 0;
}

static void print_way(const struct model *model, uint32_t last) {
    static unsigned way[TRACE_MAX];
    unsigned length = 0;
    for (uint32_t at = last; at != 0 && length < TRACE_MAX; at = nodes[at].parent) {
        way[length++] = nodes[at].action;
    }
    static _Alignas(8) char state[STATE_MAX];
    begin(model, state);
    static const char *const kinds[] = {"", "a store reaches memory", "is killed"};
    while (length-- > 0) {
        const unsigned process = (way[length] >> 6) & 3;
        char text[200];
        model->describe(state, process, text, sizeof text);
        printf("    %-60s %s\n", text, kinds[way[length] >> 8]);
        act(model, state, way[length]);
    }
}

/* ---- Exploring ---- */

struct frontier {
    char *states;
    uint32_t *numbers;
    uint64_t count, room;
};

static void frontier_add(struct frontier *frontier, const void *state, size_t size, uint32_t number) {
    if (frontier->count == frontier->room) {
        frontier->room = frontier->room ? 2 * frontier->room : 1024;
        frontier->states = reserve(frontier->states, frontier->room * size);
        frontier->numbers = reserve(frontier->numbers, frontier->room * sizeof *frontier->numbers);
    }
    memcpy(frontier->states + frontier->count * size, state, size);
    frontier->numbers[frontier->count++] = number;
}

static bool is_stuck(const struct model *model, const struct machine *machine) {
    return (unsigned)(machine->done | machine->dead) != (1u << model->processes) - 1;
}

/* Tries all actions in a state. False: something is wrong. */
static bool expand(const struct model *model, const void *state, uint32_t number, struct frontier *next,
                   struct outcome *outcome, uint32_t *last) {
    static _Alignas(8) char copy[STATE_MAX];
    struct machine *machine = (void *)copy;
    bool alone = true;
    for (unsigned process = 0; process < model->processes; process++) {
        for (enum kind kind = STEP; kind <= DIE; kind++) {
            unsigned count = kind == LEAVE ? ((const struct machine *)state)->buffered[process] : 1;
            for (unsigned which = 0; which < count; which++) {
                memcpy(copy, state, model->size);
                const unsigned action = action_make(kind, process, which);
                const bool acted = act(model, copy, action);
                if (kind == STEP) {
                    count = choices;
                }
                if (!acted) {
                    continue;
                }
                alone = alone && kind == DIE;
                outcome->steps++;
                model->check(copy);
                const bool is_wrong = machine->wrong;
                const uint32_t found = remember(copy, model->size, number, action);
                if (is_wrong) {
                    *last = found == UINT32_MAX ? number : found;
                    return false;
                }
                if (found != UINT32_MAX) {
                    frontier_add(next, copy, model->size, found);
                }
            }
        }
    }
    if (alone) {
        memcpy(copy, state, model->size);
        if (is_stuck(model, machine)) {
            wrong(machine, "a process waits forever");
        } else if (model->end) {
            model->end(copy);
        }
        *last = number;
        return !machine->wrong;
    }
    return true;
}

struct outcome explore(const struct model *model, uint64_t limit, bool trace) {
    struct outcome outcome = {0};
    struct frontier level = {0}, next = {0};
    static _Alignas(8) char first[STATE_MAX];
    if (model->size > STATE_MAX) {
        fprintf(stderr, "model: a state of %zu bytes is too large\n", model->size);
        exit(2);
    }
    weak_order = model->weak;
    begin(model, first);
    frontier_add(&level, first, model->size, remember(first, model->size, 0, 0));
    bool right = true;
    uint32_t last = 0;
    while (right && level.count && node_count < limit) {
        next.count = 0;
        for (uint64_t i = 0; right && i < level.count; i++) {
            right = expand(model, level.states + i * model->size, level.numbers[i], &next, &outcome, &last);
        }
        outcome.depth++;
        const struct frontier old = level;
        level = next;
        next = old;
    }
    outcome.wrong = right ? NULL : why_wrong;
    outcome.states = node_count;
    outcome.exhausted = right && level.count == 0;
    if (trace && !right) {
        print_way(model, last);
    }
    free(level.states);
    free(level.numbers);
    free(next.states);
    free(next.numbers);
    forget_all();
    return outcome;
}
