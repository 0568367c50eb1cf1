/* Predictions from samples that are made here; replay/ compares predictions with the engine. */
#include "predict.h"

#include <stdlib.h>

#include "harness.h"
#include "suites.h"

enum { SAMPLES = 20000 };

static const struct samples small = {.units = 800, .page_units = 8192, .keys_each = 64};

static uint32_t predict_list(const uint64_t *list, size_t count, size_t counted_from,
                             uint64_t misses[PREDICT_SIZES]) {
    struct samples samples = small;
    samples.list = list;
    samples.count = count;
    samples.counted_from = counted_from;
    return predict_misses(&samples, misses);
}

/* A ring is shared, so it may contain anything. */
static void garbage(void) {
    uint64_t *list = malloc(SAMPLES * sizeof *list), misses[PREDICT_SIZES], state = 7;
    EXPECT(list != NULL);
    for (unsigned bits = 0; bits < 64; bits += 7) {
        for (size_t i = 0; i < SAMPLES; i++) {
            state = state * UINT64_C(6364136223846793005) + 1;
            list[i] = (state ^ state >> 29) << bits >> bits;
        }
        EXPECT(predict_list(list, SAMPLES, SAMPLES / 2, misses));
        for (unsigned size = 0; size < PREDICT_SIZES; size++) {
            EXPECT(misses[size] <= SAMPLES / 2);
            const double hits = predict_hits(misses, size, 0.3, SAMPLES / 4);
            EXPECT(hits >= 0 && hits <= 1);
        }
    }
    EXPECT_EQUAL(predict_list(list, 0, 0, misses), 0);
    free(list);
}

/* Ten keys of 100 units in turn; eight fit at the same size. */
static void sizes(void) {
    uint64_t *list = malloc(SAMPLES * sizeof *list), misses[PREDICT_SIZES];
    EXPECT(list != NULL);
    for (size_t i = 0; i < SAMPLES; i++) {
        const enum sample_kind kind = i % 2 ? SAMPLE_STORE : SAMPLE_MISS;
        list[i] = sample_make((i / 2 % 10 + 1) << 30, kind, 100, 0, 0);
    }
    EXPECT(predict_list(list, SAMPLES, SAMPLES / 2, misses));
    EXPECT(misses[0] > SAMPLES / 8);
    EXPECT(misses[PREDICT_SAME] > 0);
    EXPECT_EQUAL(misses[3], 0);
    EXPECT_EQUAL(misses[4], 0);
    free(list);
}

/* Three keys are asked for in turn, and after each comes a key that never returns. */
static void uses(void) {
    uint64_t *list = malloc(SAMPLES * sizeof *list), misses[PREDICT_SIZES], unique = 0;
    EXPECT(list != NULL);
    for (size_t i = 0; i < SAMPLES; i++) {
        const uint64_t key = i % 3 ? i / 3 + 4 : i / 3 % 3 + 1;
        const enum sample_kind kinds[] = {SAMPLE_HIT, SAMPLE_MISS, SAMPLE_STORE};
        list[i] = sample_make(key << 20, kinds[i % 3], 100, 0, 0);
        unique += i >= SAMPLES / 2 && i % 3 == 1;
    }
    EXPECT(predict_list(list, SAMPLES, SAMPLES / 2, misses));
    EXPECT_EQUAL(misses[PREDICT_SAME], unique);
    free(list);
}

/* More memory does not help against a time to live: a key is asked for once a minute and stored for 10 seconds. */
static void times_to_live(void) {
    uint64_t *list = malloc(SAMPLES * sizeof *list), misses[PREDICT_SIZES];
    EXPECT(list != NULL);
    for (unsigned ttl = 0; ttl <= 10; ttl += 10) {
        for (size_t i = 0; i < SAMPLES; i++) {
            const enum sample_kind kind = i % 2 ? SAMPLE_STORE : SAMPLE_MISS;
            list[i] = sample_make(UINT64_C(1) << 30, kind, 10, ttl, i / 2 * 60);
        }
        EXPECT(predict_list(list, SAMPLES, SAMPLES / 2, misses));
        EXPECT_EQUAL(misses[4], ttl ? SAMPLES / 4 : 0);
    }
    /* at any time of the clock */
    for (uint64_t begin = 0; begin < 4096; begin += 512) {
        for (uint64_t i = 0; i < 20; i++) {
            list[i] =
                sample_make(UINT64_C(1) << 30, i % 2 ? SAMPLE_STORE : SAMPLE_MISS, 10, 10, begin + i / 2 * 60);
        }
        EXPECT(predict_list(list, 20, 10, misses));
        EXPECT_EQUAL(misses[4], 5);
    }
    free(list);
}

/* Twenty times as many keys as fit are asked for in turn for an hour, stored for most of it. A process in eight collects
 * its samples for 13 minutes before it adds them, and one did so before the first of the others. */
static void late_samples(void) {
    uint64_t *list = malloc(SAMPLES * sizeof *list), in_order[PREDICT_SIZES], misses[PREDICT_SIZES];
    EXPECT(list != NULL);
    for (unsigned late = 0; late <= 800; late += 800) {
        for (size_t i = 0; i < SAMPLES; i++) {
            const uint64_t seconds = 3800 + i * 3600 / SAMPLES, began = i / 32 % 8 == 0 ? late : 0;
            const enum sample_kind kind = i % 2 ? SAMPLE_STORE : SAMPLE_MISS;
            list[i] = sample_make((i / 2 * 7 % 31 + 1) << 30, kind, 100, 3000, seconds - began);
        }
        EXPECT(predict_list(list, SAMPLES, SAMPLES / 2, late ? misses : in_order));
    }
    EXPECT_EQUAL(in_order[4] < SAMPLES / 8, true);
    for (unsigned size = 0; size < PREDICT_SIZES; size++) {
        EXPECT(misses[size] <= in_order[size] + SAMPLES / 64 && in_order[size] <= misses[size] + SAMPLES / 64);
    }
    free(list);
}

/* Few misses at this size are a matter of chance, and so is a ratio to them. */
static void few_misses(void) {
    const uint64_t few[PREDICT_SIZES] = {4000, 2000, 10, 5, 0}, fewer[PREDICT_SIZES] = {4000, 2000, 1, 1, 0};
    for (unsigned size = 0; size < PREDICT_SIZES; size++) {
        const double difference = predict_hits(few, size, 0.03, 10000) - predict_hits(fewer, size, 0.03, 10000);
        EXPECT(difference > -0.02 && difference < 0.02);
    }
    EXPECT(predict_hits(few, 0, 0.03, 10000) > 0.5);
    EXPECT(predict_hits(few, 4, 0.03, 10000) > 0.99);
}

static const struct test tests[] = {
    {"random samples do no harm", garbage},
    {"what fits at a size is hit there", sizes},
    {"what is in use stays", uses},
    {"memory does not help against a time to live", times_to_live},
    {"samples that come late change little", late_samples},
    {"few misses say little", few_misses},
    {0},
};
const struct suite suite_predict = {.name = "predict", .tests = tests};
