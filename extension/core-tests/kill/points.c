#include "points.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"

const char *const point_names[] = {
#include "points.list"
    NULL};

struct point_counts *point_counts;

unsigned point_count(void) {
    return sizeof point_names / sizeof *point_names - 1;
}

unsigned point_number(const char *name) {
    for (unsigned i = 0; i < point_count(); i++) {
        if (point_names[i] == name || strcmp(point_names[i], name) == 0) {
            return i;
        }
    }
    harness_fail(__FILE__, __LINE__, "the point %s is not in the list", name);
}

void points_begin(void) {
    _Static_assert(sizeof point_names / sizeof *point_names <= POINTS_MAX, "more room for points");
    point_counts = mmap(NULL, sizeof *point_counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void points_expect_all(void) {
    const long enough = proof_is_long() ? POINT_ENOUGH : 1;
    unsigned missing = 0;
    for (unsigned i = 0; i < point_count(); i++) {
        const long killed = atomic_load(&point_counts->killed[i]),
                   stopped = atomic_load(&point_counts->stopped[i]);
        printf("        %-28s %7ld killed %7ld stopped\n", point_names[i], killed, stopped);
        missing += killed < enough;
        missing += stopped < enough;
    }
    fflush(stdout);
    EXPECT_EQUAL(missing, 0);
}
