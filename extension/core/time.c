/* The time of the cache: milliseconds that nobody can set. */
#include "cache.h"
#include "os.h"

uint64_t cache_now(void) {
    return os_milliseconds() + 1;
}

uint64_t cache_expiry(double ttl) {
    if (ttl == 0) {
        return 0;
    }
    const double milliseconds = ttl * 1000;
    if (milliseconds >= 9e18) {
        return UINT64_MAX;
    }
    return cache_now() + (milliseconds > 0 ? (uint64_t)milliseconds : 0);
}
