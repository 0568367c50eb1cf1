/*
 * The atomic operations of the engine. No other file names a memory order.
 *
 * Every shared word is 64 bits wide and changes by one of these operations at a time; that is the whole
 * crash safety of the engine. Loads acquire and stores release unless the name says otherwise;
 * read-modify-write operations are sequentially consistent. word_peek() and word_poke() order nothing:
 * they are for words that only one process writes, for hints, and for words not yet published.
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

/* Replaces *expected by desired; when the word is another, *expected becomes it. */
static inline bool word_swap(shared_word *word, uint64_t *expected, uint64_t desired) {
    return atomic_compare_exchange_strong_explicit(word, expected, desired, memory_order_seq_cst,
                                                   memory_order_acquire);
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

/* The fence between announcing something and looking at what others announced. */
static inline void fence(void) {
    atomic_thread_fence(memory_order_seq_cst);
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
