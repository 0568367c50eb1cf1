#include "refusal.h"
#include "attach.h"

#include <math.h>

enum refusal refusal_of(enum cache_result result) {
    switch (result) {
        case CACHE_TOO_LARGE:
            return REFUSAL_SIZE;
        case CACHE_NO_ROOM:
            return REFUSAL_ROOM;
        case CACHE_NOT_INTEGER:
            return REFUSAL_TYPE;
        case CACHE_OVERFLOW:
            return REFUSAL_RANGE;
        case CACHE_UNAVAILABLE:
            return REFUSAL_AWAY;
        default:
            return REFUSAL_NONE;
    }
}

/* The larder.size, in MiB, whose eighth of the pages takes a value of so many bytes; 0: there is none. */
static uint64_t size_for(const struct cache_info *info, size_t most, size_t length) {
    const double page = (double)info->page_size, overhead = (double)(info->pages / 8) * page - (double)most;
    const double pages = 8 * ceil(((double)length + overhead) / page);
    /* Pages are a share of the size that hardly changes with it; the rest is for what does change. */
    const double size = (double)info->size * pages / (double)info->pages * 1.01 + (1 << 20);
    return size <= 64.0 * (1 << 30) ? (uint64_t)ceil(size / (1 << 20)) : 0;
}

static zend_string *size_message(struct cache *cache) {
    struct cache_info info;
    if (!cache || !cache_read_counters(cache, &info)) {
        return strpprintf(0, "The value is larger than the cache took");
    }
    const size_t most = cache_value_max(cache), length = LARDER_G(refused_length);
    if (length <= most) { /* 0, or the cache is another one by now */
        return strpprintf(0,
                          "The value takes more than %zu bytes here, which is the most: an eighth of the cache. "
                          "A larger larder.size takes larger ones",
                          most);
    }
    const uint64_t size = size_for(&info, most, length);
    if (size == 0) {
        return strpprintf(0, "The value takes %zu bytes here; the most is %zu, an eighth of the cache", length,
                          most);
    }
    return strpprintf(0,
                      "The value takes %zu bytes here; the most is %zu, an eighth of the cache. "
                      "larder.size=%" PRIu64 "M would take it",
                      length, most, size);
}

zend_string *refusal_message(struct cache *cache) {
    switch ((enum refusal)LARDER_G(refusal)) {
        case REFUSAL_NONE:
            break;
        case REFUSAL_SIZE:
            return size_message(cache);
        case REFUSAL_ROOM:
            return strpprintf(0, "No room could be made: readers hold what would have to go. "
                                 "larder_info()['processes']['holders'] names them");
        case REFUSAL_TYPE:
            return strpprintf(0, "The value is not an integer");
        case REFUSAL_RANGE:
            return strpprintf(0, "The sum would leave the range of int");
        case REFUSAL_AWAY:
            return strpprintf(0, "There is no cache here%s%s", *attach_reason() ? ": " : "", attach_reason());
    }
    return ZSTR_EMPTY_ALLOC();
}
