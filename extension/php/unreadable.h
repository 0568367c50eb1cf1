/*
 * For tests only (--enable-larder-unreadable). From the end of a request until the next one uses the cache, the
 * mapping cannot be read, so that any late access to a value faults at once. larder.control switches on faults, to
 * show that the tests detect them.
 */
#ifndef LARDER_UNREADABLE_H
#define LARDER_UNREADABLE_H

enum control {
    CONTROL_NONE,
    CONTROL_REFCOUNT,  /* values have refcount 1, so PHP writes to them in place */
    CONTROL_PERMANENT, /* strings are flagged as permanent */
    CONTROL_UNPIN,     /* every fetch drops earlier pins */
    CONTROL_SCAN,      /* no fault: before every fetch, pages without pointers are released and made unreadable */
    /* the same, but the scan leaves out one kind of memory: */
    CONTROL_NO_HEAP,      /* malloc's first heap */
    CONTROL_NO_ANONYMOUS, /* anonymous mappings, such as PHP's heap and fibers' stacks */
};

/* Called at the first use of the cache in a request. */
void unreadable_allow(void);
/* Called at the end of a request, for each of its caches. */
void unreadable_forbid(struct cache *cache);

#endif
