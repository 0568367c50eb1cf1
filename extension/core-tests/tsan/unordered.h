/* A control: core without any memory order. On x86 it works almost as well; ThreadSanitizer must report it. Included
 * before everything else. */
#include <stdatomic.h>

#define memory_order_acquire memory_order_relaxed
#define memory_order_release memory_order_relaxed
#define memory_order_seq_cst memory_order_relaxed
