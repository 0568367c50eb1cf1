/*
 * For tests only (--enable-larder-unreadable): from the end of a request until the next one uses the cache, the mapping
 * cannot be read, so that any late access to a value faults at once. And three faults that larder.control switches on,
 * to show that the tests detect them.
 */
#ifndef LARDER_UNREADABLE_H
#define LARDER_UNREADABLE_H

enum control {
    CONTROL_NONE,
    CONTROL_REFCOUNT,  /* values have refcount 1, so PHP writes to them in place */
    CONTROL_PERMANENT, /* strings are flagged as permanent */
    CONTROL_UNPIN,     /* every fetch drops earlier pins */
};

/* At the first use of the cache in a request. */
void unreadable_allow(void);
/* At the end of a request. */
void unreadable_forbid(void);

#endif
