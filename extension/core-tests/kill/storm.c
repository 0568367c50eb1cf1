#include "storms.h"
unsigned long storm_kills = 4000;
static const struct test tests[] = {{0}};
const struct suite suite_storm = {.name = "storm", .tests = tests, .seconds = 3600};
