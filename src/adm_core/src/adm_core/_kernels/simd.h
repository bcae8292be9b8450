/* What the SIMD variants share. A variant is compiled with a target attribute on the
 * function alone and chosen when the program runs, so one build serves every processor. */
#ifndef ADM_SIMD_H
#define ADM_SIMD_H

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define ADM_X86 1
#include <immintrin.h>
#define ADM_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#endif

/* 1 if this processor runs the functions marked ADM_AVX2. */
static inline int adm_has_avx2(void) {
#ifdef ADM_X86
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
  return 0;
#endif
}

#endif
