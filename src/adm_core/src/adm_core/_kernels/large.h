/* Scratch memory for whole maps. Searches jump between rows, and with pages of 4 kB the
 * processor then spends its time on looking up addresses: ask for large pages. */
#ifndef ADM_LARGE_H
#define ADM_LARGE_H

#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* As malloc; release with free. */
static inline void *adm_alloc_large(size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const size_t page = (size_t)1 << 21;
  if (size >= 2 * page) {
    void *memory = NULL;
    if (posix_memalign(&memory, page, size) != 0) return NULL;
    madvise(memory, size, MADV_HUGEPAGE); /* a hint: it may fail */
    return memory;
  }
#endif
  return malloc(size);
}

/* The same for memory that is written once and read in few places: what the C library keeps from
 * call to call (up to 32 MB) beats large pages that have to be cleared first. */
static inline void *adm_alloc_reused(size_t size) {
  return size > ((size_t)32 << 20) ? adm_alloc_large(size) : malloc(size);
}

#endif
