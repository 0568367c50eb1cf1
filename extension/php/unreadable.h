/*
 * For the tests only (--enable-larder-unreadable): the view cannot be read from the end of one request until the
 * next one uses the cache, so that whatever touches a value after its request faults there and then. And three
 * mistakes that can be switched on (larder.control), to show that the tests would notice them.
 */
#ifndef LARDER_UNREADABLE_H
#define LARDER_UNREADABLE_H

enum control {
    CONTROL_NONE,
    CONTROL_REFCOUNT,  /* values count one reference, so PHP writes into them in place */
    CONTROL_PERMANENT, /* strings claim to live as long as the process */
    CONTROL_UNPIN,     /* every fetch drops the pins of those before it */
};

/* At the first use of the cache in a request. */
void unreadable_allow(void);
/* At the end of a request. */
void unreadable_forbid(void);

#endif
