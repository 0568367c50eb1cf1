/*
 * The engine's policy on pages, without processes, without pins, with an index that is never full, and with runs
 * that need not be contiguous.
 *
 * Entries are appended to the open page of a log. If a page is needed, the oldest page of a log is reclaimed:
 * entries that were used move to the open page of the main log, the others are dropped. New entries go to the
 * probation log. It is reclaimed while it is longer than it should be, otherwise the main log is. Of a page in
 * probation only a part may move.
 *
 * With `promote`, entries are stored in PHP's own form until a page is reclaimed, and dense from then on. One in so
 * many hits of a dense entry promotes it: it moves to the hot log, in PHP's form. The hot log is reclaimed if the age
 * of its oldest page times `hot_factor` exceeds that of the main log's oldest page. Entries in PHP's form that were
 * used move to the hot log, the others become dense in the main log; what replaces a used one has its form. So the longer form costs memory only for entries
 * that are used about `hot_factor` times as often as those that the main log is about to drop.
 */
#include "policy.h"
#include "queue.h"

enum { MAIN = 1, PROBATION = 2, HOT = 3, LOGS = 4, RESERVE = 1 };

struct entry {
    uint32_t page; /* number + 1; 0: absent */
    uint32_t units;
    unsigned use;
    enum form form;
    uint32_t older, newer; /* neighbours in the page, in order of writing: key + 1 */
};

struct page {
    uint32_t first, last; /* key + 1 */
    uint32_t used;        /* units */
    uint32_t run;         /* pages that its one entry takes, else 1 */
    uint64_t age;         /* value of `opened` of its log when the page was opened */
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
    uint64_t opened[LOGS];    /* number of pages that the log ever had; MAIN: that the main and the hot log had */
    bool full;                /* a page was reclaimed */
    uint64_t random;          /* state of a xorshift */
    struct forms *forms;      /* NULL during the warm-up */
    uint32_t unused_in_a_row; /* consecutive unused entries reclaimed from probation */
};

static uint8_t log_of_new(const struct log_cache *cache) {
    return cache->rules->probation ? PROBATION : MAIN;
}

/* The log whose pages are counted for the ages of this one. */
static uint8_t clock_of(uint8_t log) {
    return log == HOT ? MAIN : log;
}

static void make_newest(struct log_cache *cache, uint32_t page, uint8_t log) {
    cache->pages[page].age = cache->opened[clock_of(log)] + 1;
    cache->opened[clock_of(log)] += cache->pages[page].run;
    queue_add(&cache->logs[log], cache->nodes, page, log);
}

static uint32_t open_page(struct log_cache *cache, uint8_t log, uint32_t run) {
    const uint32_t page = cache->unused[--cache->unused_count];
    cache->free_pages -= run;
    cache->pages[page] = (struct page){.run = run};
    cache->nodes[page].units = run;
    make_newest(cache, page, log);
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

/* The pages of a run for so many units; 0: it needs none. */
static uint32_t run_of(const struct log_cache *cache, uint32_t units) {
    const uint32_t page_units = cache->rules->page_units;
    return units <= page_units / 2 ? 0 : (units + page_units - 1) / page_units;
}

/* Writes an entry to a page of the log, or to a run of its own. */
static bool place(struct log_cache *cache, uint8_t log, uint32_t key, uint32_t keep) {
    const uint32_t run = run_of(cache, cache->entries[key].units);
    if (run == 0) {
        return append(cache, log, key, keep);
    }
    if (cache->free_pages < run + keep) {
        return false;
    }
    write(cache, open_page(cache, log, run), key);
    return true;
}

static uint32_t units_as(const struct log_cache *cache, uint32_t key, enum form form) {
    return trace_units_as(cache->trace, key, form);
}

static bool has_two_forms(const struct log_cache *cache, uint32_t key) {
    return units_as(cache, key, FORM_DENSE) < units_as(cache, key, FORM_PHP);
}

/* True if the entry could be dense. */
static bool is_pointer(const struct log_cache *cache, uint32_t key) {
    return cache->rules->promote && cache->entries[key].form == FORM_PHP && has_two_forms(cache, key);
}

static void set_form(struct log_cache *cache, uint32_t key, enum form form) {
    struct entry *entry = &cache->entries[key];
    entry->form = form;
    entry->units = units_as(cache, key, form);
    entry->use = 0;
}

/* The log to which a used entry moves. */
static uint8_t log_of_used(const struct log_cache *cache, uint32_t key) {
    return is_pointer(cache, key) ? HOT : MAIN;
}

/* A run is not copied. A used run becomes the newest of its log. */
static bool keep_run(struct log_cache *cache, uint32_t page) {
    const uint32_t key = cache->pages[page].first - 1;
    struct entry *entry = &cache->entries[key];
    if (cache->pages[page].run == 1 || entry->use < cache->rules->use_worth) {
        return false;
    }
    entry->use--;
    make_newest(cache, page, log_of_used(cache, key));
    return true;
}

/* An unused entry. */
static void demote(struct log_cache *cache, uint32_t key) {
    if (is_pointer(cache, key) && !cache->rules->drops) {
        if (cache->forms) {
            cache->forms->demoted++;
            cache->forms->converted += cache->entries[key].units;
        }
        set_form(cache, key, FORM_DENSE);
        place(cache, MAIN, key, 0);
    }
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

static uint64_t age_of_victim(const struct log_cache *cache, uint8_t log) {
    const uint32_t page = victim(cache, log);
    return page == QUEUE_END ? 0 : cache->opened[clock_of(log)] - cache->pages[page].age;
}

static uint8_t log_to_reclaim(const struct log_cache *cache) {
    if (victim(cache, HOT) != QUEUE_END &&
        (victim(cache, MAIN) == QUEUE_END
             ? victim(cache, PROBATION) == QUEUE_END
             : age_of_victim(cache, HOT) * cache->rules->hot_factor > age_of_victim(cache, MAIN))) {
        return HOT;
    }
    const uint8_t log = cache->logs[PROBATION].units > cache->rules->probation ? PROBATION : MAIN;
    return victim(cache, log) != QUEUE_END ? log : log == MAIN ? PROBATION : MAIN;
}

/* Reclaims a page: used entries move, with their use count lowered by one. */
static void promote_used(struct log_cache *cache) {
    const struct log_rules *rules = cache->rules;
    const uint8_t log = log_to_reclaim(cache);
    const uint32_t page = victim(cache, log);
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
        if ((is_sampled(cache, log, used) || used) && entry->units <= budget &&
            append(cache, log_of_used(cache, key - 1), key - 1, 0)) {
            entry->use -= entry->use > 0;
            budget -= entry->units;
        } else {
            demote(cache, key - 1);
        }
    }
    release(cache, page);
}

static void make_room(struct log_cache *cache) {
    const uint32_t page = most_dead(cache);
    cache->full = true;
    if (page != QUEUE_END) {
        compact(cache, page);
    } else {
        promote_used(cache);
    }
}

/* Counts a use. The first use counts less while the entry is new: what was just stored is often read at once. */
static void use(struct log_cache *cache, struct entry *entry) {
    const struct page *page = &cache->pages[entry->page - 1];
    const bool is_new =
        cache->nodes[entry->page - 1].place == PROBATION && cache->opened[PROBATION] - page->age <= page->run;
    if (entry->use < cache->rules->use_max) {
        entry->use += entry->use == 0 && !is_new ? cache->rules->use_worth : 1;
    }
}

/* What replaces a used entry in PHP's form has that form as well. */
static void store(struct log_cache *cache, uint32_t key, bool replaces) {
    const bool hot =
        replaces && cache->full && is_pointer(cache, key) && cache->entries[key].use >= cache->rules->use_worth;
    set_form(cache, key, cache->rules->promote && cache->full && !hot ? FORM_DENSE : cache->trace->form);
    while (!place(cache, hot ? HOT : log_of_new(cache), key, RESERVE)) {
        make_room(cache);
    }
}

static bool draw(struct log_cache *cache, uint32_t one_of) {
    cache->random ^= cache->random << 13;
    cache->random ^= cache->random >> 7;
    cache->random ^= cache->random << 17;
    return cache->random % one_of == 0;
}

/* A hit of a dense entry may promote it. If no page is free, there will be one for the next promotion: a fetch itself
 * never makes room. */
static void promote(struct log_cache *cache, uint32_t key) {
    struct entry *entry = &cache->entries[key];
    if (entry->form != FORM_DENSE || !has_two_forms(cache, key) || !draw(cache, cache->rules->promote)) {
        return;
    }
    const uint32_t units = units_as(cache, key, FORM_PHP), run = run_of(cache, units);
    const uint32_t open = cache->open[HOT], pages = run ? run : 1;
    const bool fits = !run && open && cache->pages[open - 1].used + units <= cache->rules->page_units;
    if (!fits && cache->free_pages < pages + RESERVE) {
        while (cache->free_pages < pages + RESERVE) {
            make_room(cache);
        }
        return;
    }
    erase(cache, entry);
    set_form(cache, key, FORM_PHP);
    place(cache, HOT, key, RESERVE);
    if (cache->forms) {
        cache->forms->promoted++;
        cache->forms->converted += units;
    }
}

static void count_hit(struct log_cache *cache, uint32_t key) {
    if (cache->forms && has_two_forms(cache, key)) {
        const bool pointer = cache->entries[key].form == FORM_PHP;
        cache->forms->pointers += pointer;
        cache->forms->decoded += !pointer;
        cache->forms->converted += pointer ? 0 : units_as(cache, key, FORM_PHP);
    }
}

double log_policy(const struct trace *trace, const struct log_rules *rules) {
    return forms_policy(trace, rules, &(struct forms){0});
}

double forms_policy(const struct trace *trace, const struct log_rules *rules, struct forms *forms) {
    struct log_cache cache = {
        .rules = rules,
        .trace = trace,
        .entries = calloc(trace->keys, sizeof *cache.entries),
        .pages = calloc(rules->pages, sizeof *cache.pages),
        .nodes = nodes_make(rules->pages),
        .unused = calloc(rules->pages, sizeof *cache.unused),
        .unused_count = rules->pages,
        .free_pages = rules->pages,
        .logs = {QUEUE_EMPTY, QUEUE_EMPTY, QUEUE_EMPTY, QUEUE_EMPTY},
        .random = 42,
    };
    if (!cache.entries || !cache.pages || !cache.unused) {
        abort();
    }
    for (uint32_t page = 0; page < rules->pages; page++) {
        cache.unused[page] = page;
    }
    struct score score = {0};
    for (size_t i = 0; i < trace->requests; i++) {
        const uint32_t key = trace->request[i];
        struct entry *entry = &cache.entries[key];
        const bool hit = entry->page != 0;
        score_add(&score, trace, i, hit);
        cache.forms = i >= trace->warm_up ? forms : NULL;
        if (hit) {
            use(&cache, entry);
            count_hit(&cache, key);
        }
        if (hit && rules->promote) {
            promote(&cache, key);
        }
        const bool again = hit && trace_writes(trace, i) && entry->page;
        if (again) {
            erase(&cache, entry);
        }
        if (!hit || again) {
            store(&cache, key, again);
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
