#include <lmdb.h>

/// Asks the processor for the cache line of an address. The address may be any: nothing is read.
static inline void carillon_prefetch(const void *address) {
    __builtin_prefetch(address);
}
