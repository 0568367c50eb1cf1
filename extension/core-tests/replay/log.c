/*
 * The engine's policy on pages, without processes, without pins, with an index that is never full, and with runs
 * that need not be contiguous.
 *
 * Entries are appended to the open page of a log. If a page is needed, the oldest page of a log is reclaimed:
 * entries that were used move to the open page of the main log, the others are dropped. New entries go to the
 * probation log. It is reclaimed while it is longer than it should be, otherwise the main log is. Of a page in
 * probation only a part may move.
 */
#include "policy.h"
#include "queue.h"

enum { MAIN = 1, PROBATION = 2, LOGS = 3, RESERVE = 1 };

struct entry {
    uint32_t page; /* number + 1; 0: absent */
    uint32_t units;
    unsigned use;
    uint32_t older, newer; /* neighbours in the page, in order of writing: key + 1 */
};

struct page {
    uint32_t first, last; /* key + 1 */
    uint32_t used;        /* units */
    uint32_t run;         /* pages that its one entry takes, else 1 */
    uint64_t age;         /* value of `opened` when the page was opened */
    uint32_t live;        /* entries */
    uint32_t dead;        /* units of overwritten entries */
};

struct log_cache {
    const struct log_rules *rules;
    const struct trace *trace;
    struct entry *entries;
    struct page *pages;
    struct node *nodes; /* nodes of pages */
    uint32_t *unused;   /* page numbers: a stack */
    uint32_t unused_count;
    uint32_t free_pages; /* counted separately: a run takes several pages, but one number */
    struct queue logs[LOGS];
    uint32_t open[LOGS];      /* number + 1 */
    uint64_t opened;          /* number of pages that the probation log ever had */
    uint32_t unused_in_a_row; /* consecutive unused entries reclaimed from probation */
};

static uint8_t log_of_new(const struct log_cache *cache) {
    return cache->rules->probation ? PROBATION : MAIN;
}

static uint32_t open_page(struct log_cache *cache, uint8_t log, uint32_t run) {
    const uint32_t page = cache->unused[--cache->unused_count];
    cache->free_pages -= run;
    cache->pages[page] = (struct page){.run = run, .age = cache->opened + 1};
    cache->opened += log == PROBATION ? run : 0;
    cache->nodes[page].units = run;
    queue_add(&cache->logs[log], cache->nodes, page, log);
    return page;
}

static void write(struct log_cache *cache, uint32_t page, uint32_t key) {
    struct page *row = &cache->pages[page];
    struct entry *entry = &cache->entries[key];
    entry->page = page + 1;
    entry->older = row->last;
    entry->newer = 0;
    if (row->last) {
        cache->entries[row->last - 1].newer = key + 1;
    } else {
        row->first = key + 1;
    }
    row->last = key + 1;
    row->used += entry->units;
    row->live++;
}

static void release(struct log_cache *cache, uint32_t page) {
    cache->unused[cache->unused_count++] = page;
    cache->free_pages += cache->pages[page].run;
}

/* Kills an entry in its place. With the last entry the page is freed. */
static void erase(struct log_cache *cache, struct entry *entry) {
    const uint32_t page = entry->page - 1;
    struct page *row = &cache->pages[page];
    *(entry->older ? &cache->entries[entry->older - 1].newer : &row->first) = entry->newer;
    *(entry->newer ? &cache->entries[entry->newer - 1].older : &row->last) = entry->older;
    entry->page = 0;
    row->dead += entry->units;
    row->live--;
    const uint8_t log = cache->nodes[page].place;
    if (row->live == 0 && page + 1 != cache->open[log]) {
        queue_remove(&cache->logs[log], cache->nodes, page);
        release(cache, page);
    }
}

/* Appends to the open page of the log, or to a new page if that leaves `keep` pages free. */
static bool append(struct log_cache *cache, uint8_t log, uint32_t key, uint32_t keep) {
    const uint32_t units = cache->entries[key].units;
    uint32_t *open = &cache->open[log];
    if (*open == 0 || cache->pages[*open - 1].used + units > cache->rules->page_units) {
        if (cache->free_pages <= keep) {
            return false;
        }
        *open = open_page(cache, log, 1) + 1;
    }
    write(cache, *open - 1, key);
    return true;
}

/* A run is not copied. A used run becomes the newest of the main log. */
static bool keep_run(struct log_cache *cache, uint32_t page) {
    struct entry *entry = &cache->entries[cache->pages[page].first - 1];
    if (cache->pages[page].run == 1 || entry->use < cache->rules->use_worth) {
        return false;
    }
    entry->use--;
    queue_add(&cache->logs[MAIN], cache->nodes, page, MAIN);
    return true;
}

static uint32_t victim(const struct log_cache *cache, uint8_t log) {
    uint32_t page = cache->logs[log].oldest;
    while (page != QUEUE_END && page + 1 == cache->open[log]) {
        page = cache->nodes[page].newer;
    }
    return page;
}

/* The page with most dead units, among those that have enough of them; QUEUE_END: none. */
static uint32_t most_dead(const struct log_cache *cache) {
    uint32_t most = QUEUE_END;
    uint32_t least = cache->rules->wasted;
    for (uint8_t log = MAIN; log < LOGS; log++) {
        for (uint32_t page = cache->logs[log].oldest; page != QUEUE_END; page = cache->nodes[page].newer) {
            if (page + 1 != cache->open[log] && cache->pages[page].dead >= least) {
                least = cache->pages[page].dead + 1;
                most = page;
            }
        }
    }
    return most;
}

/* Moves live entries within their log, with their use counts. */
static void compact(struct log_cache *cache, uint32_t page) {
    const uint8_t log = cache->nodes[page].place;
    queue_remove(&cache->logs[log], cache->nodes, page);
    uint32_t next;
    for (uint32_t key = cache->pages[page].first; key; key = next) {
        next = cache->entries[key - 1].newer;
        cache->entries[key - 1].page = 0;
        append(cache, log, key - 1, 0);
    }
    release(cache, page);
}

/* True if an entry moves although it was not used: some do if nothing in probation is used. */
static bool is_sampled(struct log_cache *cache, uint8_t log, bool used) {
    const struct log_rules *rules = cache->rules;
    if (log != PROBATION || rules->draw_one_of == 0) {
        return false;
    }
    cache->unused_in_a_row = used ? 0 : cache->unused_in_a_row + 1;
    return cache->unused_in_a_row > rules->draw_after && cache->unused_in_a_row % rules->draw_one_of == 0;
}

/* Reclaims a page: used entries move to the main log, with their use count lowered by one. */
static void promote_used(struct log_cache *cache) {
    const struct log_rules *rules = cache->rules;
    uint8_t log = cache->logs[PROBATION].units > rules->probation ? PROBATION : MAIN;
    uint32_t page = victim(cache, log);
    if (page == QUEUE_END) {
        log = log == MAIN ? PROBATION : MAIN;
        page = victim(cache, log);
    }
    queue_remove(&cache->logs[log], cache->nodes, page);
    if (keep_run(cache, page)) {
        return;
    }
    uint32_t budget = log == PROBATION ? rules->budget : rules->page_units;
    uint32_t next;
    for (uint32_t key = cache->pages[page].first; key; key = next) {
        struct entry *entry = &cache->entries[key - 1];
        next = entry->newer;
        entry->page = 0;
        const bool used = entry->use >= rules->use_worth;
        if ((is_sampled(cache, log, used) || used) && entry->units <= budget && append(cache, MAIN, key - 1, 0)) {
            entry->use -= entry->use > 0;
            budget -= entry->units;
        }
    }
    release(cache, page);
}

static void make_room(struct log_cache *cache) {
    const uint32_t page = most_dead(cache);
    if (page != QUEUE_END) {
        compact(cache, page);
    } else {
        promote_used(cache);
    }
}

/* Counts a use. The first use counts less while the entry is new: what was just stored is often read at once. */
static void use(struct log_cache *cache, struct entry *entry) {
    const struct page *page = &cache->pages[entry->page - 1];
    const bool is_new = cache->nodes[entry->page - 1].place == PROBATION && cache->opened - page->age <= page->run;
    if (entry->use < cache->rules->use_max) {
        entry->use += entry->use == 0 && !is_new ? cache->rules->use_worth : 1;
    }
}

static void store(struct log_cache *cache, uint32_t key) {
    struct entry *entry = &cache->entries[key];
    entry->units = trace_entry_units(cache->trace, key);
    entry->use = 0;
    const uint8_t log = log_of_new(cache);
    if (entry->units <= cache->rules->page_units / 2) {
        while (!append(cache, log, key, RESERVE)) {
            make_room(cache);
        }
        return;
    }
    const uint32_t run = (entry->units + cache->rules->page_units - 1) / cache->rules->page_units;
    while (cache->free_pages < run + RESERVE) {
        make_room(cache);
    }
    write(cache, open_page(cache, log, run), key);
}

double log_policy(const struct trace *trace, const struct log_rules *rules) {
    struct log_cache cache = {
        .rules = rules,
        .trace = trace,
        .entries = calloc(trace->keys, sizeof *cache.entries),
        .pages = calloc(rules->pages, sizeof *cache.pages),
        .nodes = nodes_make(rules->pages),
        .unused = calloc(rules->pages, sizeof *cache.unused),
        .unused_count = rules->pages,
        .free_pages = rules->pages,
        .logs = {QUEUE_EMPTY, QUEUE_EMPTY, QUEUE_EMPTY},
    };
    if (!cache.entries || !cache.pages || !cache.unused) {
        abort();
    }
    for (uint32_t page = 0; page < rules->pages; page++) {
        cache.unused[page] = page;
    }
    struct score score = {0};
    for (size_t i = 0; i < trace->requests; i++) {
        struct entry *entry = &cache.entries[trace->request[i]];
        const bool hit = entry->page != 0;
        score_add(&score, trace, i, hit);
        if (hit) {
            use(&cache, entry);
        }
        const bool again = hit && trace_writes(trace, i);
        if (again) {
            erase(&cache, entry);
        }
        if (!hit || again) {
            store(&cache, trace->request[i]);
            if (trace->plan->read_back) {
                use(&cache, entry);
            }
        }
    }
    free(cache.entries);
    free(cache.pages);
    free(cache.nodes);
    free(cache.unused);
    return score_percent(&score);
}
