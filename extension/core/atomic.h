/*
 * The engine's atomic operations. No other file names a memory order.
 *
 * Every shared word has 64 bits and changes by one of these operations at a time; crash safety depends on that.
 * Loads acquire and stores release unless the name says otherwise; read-modify-write operations are sequentially
 * consistent. word_peek() and word_poke() order nothing: for words that only one process writes, hints, and words
 * not yet published.
 */
#ifndef LARDER_ATOMIC_H
#define LARDER_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic(uint64_t) shared_word;

static inline uint64_t word_load(const shared_word *word) {
    return atomic_load_explicit(word, memory_order_acquire);
}

static inline uint64_t word_peek(const shared_word *word) {
    return atomic_load_explicit(word, memory_order_relaxed);
}

static inline void word_store(shared_word *word, uint64_t value) {
    atomic_store_explicit(word, value, memory_order_release);
}

static inline void word_poke(shared_word *word, uint64_t value) {
    atomic_store_explicit(word, value, memory_order_relaxed);
}

/* word_load() in the single order of these loads, read-modify-writes and fences. If two processes each change one
 * word and then load the other's word by this function, one of them sees the other's change. As cheap as word_load()
 * on x86. */
static inline uint64_t word_load_in_order(const shared_word *word) {
    return atomic_load_explicit(word, memory_order_seq_cst);
}

/* Replaces *expected by desired; on failure *expected becomes the word's value. */
static inline bool word_swap(shared_word *word, uint64_t *expected, uint64_t desired) {
    return atomic_compare_exchange_strong_explicit(word, expected, desired, memory_order_seq_cst,
                                                   memory_order_acquire);
}

/* Raises the word to `value`, never lowers it. */
static inline void word_raise(shared_word *word, uint64_t value) {
    uint64_t known = word_load(word);
    while (known < value && !word_swap(word, &known, value)) {
    }
}

static inline uint64_t word_exchange(shared_word *word, uint64_t desired) {
    return atomic_exchange_explicit(word, desired, memory_order_seq_cst);
}

static inline uint64_t word_add(shared_word *word, uint64_t step) {
    return atomic_fetch_add_explicit(word, step, memory_order_seq_cst);
}

static inline uint64_t word_or(shared_word *word, uint64_t bits) {
    return atomic_fetch_or_explicit(word, bits, memory_order_seq_cst);
}

static inline uint64_t word_and(shared_word *word, uint64_t bits) {
    return atomic_fetch_and_explicit(word, bits, memory_order_seq_cst);
}

/* Fence between an announcement and a look at the announcements of others. */
static inline void fence(void) {
    atomic_thread_fence(memory_order_seq_cst);
}

/* Two adjacent words that change together. Each is loaded separately; the swap succeeds only if both loads belonged
 * together. Sequentially consistent on success. In assembler, because compilers call a library that may use locks,
 * which work only within one process. Every x86-64 processor since 2006 has the instruction. */
struct pair_shared {
    _Alignas(16) shared_word words[2];
};

#ifdef __SANITIZE_THREAD__
/* The sanitizer does not see assembler, so it is told what the swap orders. */
#include <sanitizer/tsan_interface.h>
#define TELL_SANITIZER(does, pair) (does(&(pair)->words[0]), does(&(pair)->words[1]))
#else
#define TELL_SANITIZER(does, pair) ((void)0)
#endif

static inline bool pair_swap(struct pair_shared *pair, const uint64_t expected[2], const uint64_t desired[2]) {
    TELL_SANITIZER(__tsan_release, pair);
#if defined(__x86_64__)
    uint64_t low = expected[0], high = expected[1];
    bool swapped;
    __asm__ __volatile__("lock cmpxchg16b %1"
                         : "=@ccz"(swapped), "+m"(*pair), "+a"(low), "+d"(high)
                         : "b"(desired[0]), "c"(desired[1])
                         : "memory");
    TELL_SANITIZER(__tsan_acquire, pair);
    return swapped;
#elif defined(__aarch64__)
    /* The loaded pair is consistent only if the exclusive store succeeds. A torn pair differs from the expected one,
     * or the store fails. The fence puts the swap into the order of word_load_in_order(). */
    uint64_t low, high;
    uint32_t failed;
    __asm__ __volatile__("1: ldaxp %0, %1, %3\n"
                         "   cmp %0, %4\n"
                         "   b.ne 2f\n"
                         "   cmp %1, %5\n"
                         "   b.ne 2f\n"
                         "   stlxp %w2, %6, %7, %3\n"
                         "   cbnz %w2, 1b\n"
                         "2:\n"
                         : "=&r"(low), "=&r"(high), "=&r"(failed), "+Q"(*pair)
                         : "r"(expected[0]), "r"(expected[1]), "r"(desired[0]), "r"(desired[1])
                         : "cc", "memory");
    fence();
    TELL_SANITIZER(__tsan_acquire, pair);
    return low == expected[0] && high == expected[1];
#else
#error "how two words change together is not known for this processor"
#endif
}

/* Tells the processor that this is a spin loop. */
static inline void spin_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
