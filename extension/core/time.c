#include "cache.h"
#include "layout.h"
#include "os.h"

uint64_t cache_now(void) {
    return os_milliseconds() + 1;
}

uint64_t cache_freshness(uint64_t fresh_until, double cost) {
    const uint64_t most = (UINT64_C(1) << COST_BITS) - 1;
    const double units = cost * CACHE_COSTS_A_SECOND;
    const double rounded = units > 0 && units < 1 ? 1 : units + 0.5; /* 0 would say that it is not known */
    return (rounded < (double)most ? (uint64_t)rounded : most) << EXPIRES_BITS | fresh_until;
}

uint64_t cache_expiry(double ttl) {
    if (ttl == 0) {
        return 0;
    }
    const double milliseconds = ttl * 1000;
    const uint64_t now = cache_now();
    if (milliseconds >= (double)(EXPIRES_MAX - now)) {
        return EXPIRES_MAX;
    }
    return now + (milliseconds > 0 ? (uint64_t)milliseconds : 0);
}
