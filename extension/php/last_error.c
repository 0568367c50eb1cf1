#include "last_error.h"
#include "attach.h"

#include <math.h>
#include <sys/statvfs.h>

enum error error_of(enum cache_result result) {
    static const uint8_t errors[] = {
        [CACHE_TOO_LARGE] = ERROR_SIZE,          [CACHE_NO_ROOM] = ERROR_ROOM,
        [CACHE_NOT_INTEGER] = ERROR_TYPE,        [CACHE_OVERFLOW] = ERROR_RANGE,
        [CACHE_UNAVAILABLE] = ERROR_UNAVAILABLE,
    };
    return result < sizeof(errors) ? (enum error)errors[result] : ERROR_NONE;
}

/* The smallest larder.size, in MiB, that accepts a value of `length` bytes; 0: none does. `most` is the limit now. */
static uint64_t size_for(const struct cache_info *info, size_t most, size_t length) {
    const double page = (double)info->page_size, overhead = (double)(info->pages / 8) * page - (double)most;
    const double pages = 8 * ceil(((double)length + overhead) / page);
    /* The share of the size that pages take hardly depends on the size; the last terms cover the difference. */
    const double size = (double)info->size * pages / (double)info->pages * 1.01 + (1 << 20);
    return size <= (double)CACHE_SIZE_MAX ? (uint64_t)ceil(size / (1 << 20)) : 0;
}

/* The size in MiB that the file system needs for a segment of `size` MiB, if it is smaller now; otherwise 0. */
static uint64_t file_system_for(const char *path, uint64_t size) {
    enum { SPARE_PART = 16 }; /* core leaves this part of a file system to other programs */
    struct statvfs file_system;
    const uint64_t needed = size * SPARE_PART / (SPARE_PART - 1) + 1;
    if (statvfs(path, &file_system) != 0 || file_system.f_blocks == 0) {
        return 0;
    }
    return (uint64_t)file_system.f_blocks * file_system.f_frsize >> 20 < needed ? needed : 0;
}

static zend_string *size_message(const struct client *client) {
    struct cache *cache = client->cache;
    struct cache_info info;
    if (LARDER_G(refused_length) == REFUSED_TOO_DEEP) {
        return strpprintf(0, "The value has more levels than unserialize_max_depth allows. "
                             "Store it with fewer, or raise that setting");
    }
    if (!cache || !cache_read_counters(cache, &info)) {
        return strpprintf(0, "The value is larger than the limit of the cache, which is not available now");
    }
    const size_t most = cache_value_max(cache), length = LARDER_G(refused_length);
    if (length <= most) { /* the length is unknown, or the segment was replaced */
        return strpprintf(0,
                          "The value takes more than the limit of %zu bytes, an eighth of the cache. "
                          "Raise %s",
                          most, client->size_setting);
    }
    const uint64_t size = size_for(&info, most, length);
    if (size == 0) {
        return strpprintf(0,
                          "The value takes %zu bytes; the limit is %zu, an eighth of the cache. "
                          "Store it in parts",
                          length, most);
    }
    const uint64_t file_system = file_system_for(info.path, size);
    zend_string *first = !file_system ? ZSTR_EMPTY_ALLOC()
                                      : strpprintf(0, ", after enlarging the file system of %s to %" PRIu64 " MiB",
                                                   LARDER_G(path), file_system);
    zend_string *message = strpprintf(0,
                                      "The value takes %zu bytes; the limit is %zu, an eighth of the cache. "
                                      "Set %s=%" PRIu64 "M%s, and run larder resize",
                                      length, most, client->size_setting, size, ZSTR_VAL(first));
    zend_string_release(first);
    return message;
}

zend_string *last_error_message(const struct client *client) {
    switch ((enum error)LARDER_G(last_error)) {
        case ERROR_NONE:
            break;
        case ERROR_SIZE:
            return size_message(client);
        case ERROR_ROOM:
            return strpprintf(0, "No memory could be freed: readers hold it. %snd them or raise %s",
                              client == &LARDER_G(own) ? "larder_info()['processes']['holders'] lists them; e"
                                                       : "E",
                              client->size_setting);
        case ERROR_TYPE:
            return strpprintf(0, "The value is not an integer");
        case ERROR_RANGE:
            return strpprintf(0, "The result is outside the range of int");
        case ERROR_UNAVAILABLE:
            return strpprintf(0, "No cache is available%s%s", *attach_reason(client) ? ": " : "",
                              attach_reason(client));
    }
    return ZSTR_EMPTY_ALLOC();
}
