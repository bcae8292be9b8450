/* Bit rows: a grid row as 64-cell words, bit k of word w = column 64 * w + k. */
#ifndef ADM_BITROWS_H
#define ADM_BITROWS_H

#include "simd.h"

/* Words of a search window: its rows, a rim on both sides, and room for whole vectors. Windows
 * of up to 31 rows are no wider either and are searched as 32 half words. */
enum { BIT_ROWS = 72, BIT_MAX_STEPS = 31, BIT_HALF_STEPS = 15 };
static inline int64_t bit_room(int64_t steps) {
  return (2 * (steps > BIT_HALF_STEPS ? steps : BIT_HALF_STEPS) + 9) & ~(int64_t)3;
}

static inline int bit_count(uint64_t x) {
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  return (int)((((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u) >> 56);
}

/* Top bits of eight bytes as the low eight bits. */
static inline uint64_t bit_gather_plain(uint64_t x) {
  return (((x & 0x8080808080808080u) >> 7) * 0x0102040810204080u) >> 56;
}

#define BIT_NAME(name) bit_##name##_plain
#define BIT_TARGET
#define BIT_AVX2 0
#define ADM_POPCOUNT bit_count
#include "bitrows_impl.h"
#undef BIT_NAME
#undef BIT_TARGET
#undef BIT_AVX2
#undef ADM_POPCOUNT

#ifdef ADM_X86
ADM_AVX2 static inline void bit_mask32(const uint8_t *up, const uint8_t *mid, const uint8_t *down,
                                       uint8_t free_max, uint8_t *out) {
#define BIT_LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
  const __m256i top = _mm256_set1_epi8((char)free_max), here = BIT_LOAD(mid);
  __m256i near = _mm256_max_epu8(_mm256_max_epu8(BIT_LOAD(up), BIT_LOAD(down)),
                                 _mm256_max_epu8(BIT_LOAD(mid - 1), BIT_LOAD(mid + 1)));
  near = _mm256_cmpeq_epi8(near, _mm256_set1_epi8(-1));
  near = _mm256_and_si256(near, _mm256_cmpeq_epi8(_mm256_min_epu8(here, top), here));
  _mm256_storeu_si256((__m256i *)out, _mm256_and_si256(near, _mm256_set1_epi8(1)));
#undef BIT_LOAD
}

/* The lower halves of eight words. */
ADM_AVX2 static inline __m256i bit_halves(const uint64_t *from) {
  const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  const __m256i low = _mm256_loadu_si256((const __m256i *)from);
  const __m256i high = _mm256_loadu_si256((const __m256i *)(from + 4));
  return _mm256_blend_epi32(_mm256_permutevar8x32_epi32(low, even),
                            _mm256_permutevar8x32_epi32(high, even), 0xf0);
}

/* As bit_grow_avx2, for a window that fits `n` registers of eight rows. The last row of the last
 * one lies outside the window, so that the rows can be turned round in a ring. */
ADM_AVX2 static inline __attribute__((always_inline)) void bit_grow_halves(
    const uint64_t *free, uint64_t *out, int steps, const int n) {
  const __m256i up = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
  const __m256i down = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
  const int middle = steps; /* row and column where the search starts */
  __m256i open[4], now[4], from_above[4], from_below[4];
  for (int k = 0; k < n; k++) {
    open[k] = bit_halves(free + 1 + 8 * k);
    const __m256i row = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                         _mm256_set1_epi32(8 * k));
    now[k] = _mm256_and_si256(_mm256_cmpeq_epi32(row, _mm256_set1_epi32(middle)),
                              _mm256_set1_epi32((int)(1u << middle)));
  }
  for (int s = 0; s < steps; s++) {
    for (int k = 0; k < n; k++) {
      from_above[k] = _mm256_permutevar8x32_epi32(now[k], up);
      from_below[k] = _mm256_permutevar8x32_epi32(now[k], down);
    }
    for (int k = 0; k < n; k++) {
      const __m256i v = now[k];
      __m256i near = _mm256_or_si256(_mm256_slli_epi32(v, 1), _mm256_srli_epi32(v, 1));
      near = _mm256_or_si256(near, _mm256_blend_epi32(from_above[k], from_above[(k + n - 1) % n], 1));
      near = _mm256_or_si256(near, _mm256_blend_epi32(from_below[k], from_below[(k + 1) % n], 128));
      now[k] = _mm256_and_si256(_mm256_or_si256(near, v), open[k]);
    }
  }
  for (int k = 0; k < n; k++) {
    const __m128i low = _mm256_castsi256_si128(now[k]), high = _mm256_extracti128_si256(now[k], 1);
    _mm256_storeu_si256((__m256i *)(out + 1 + 8 * k), _mm256_cvtepu32_epi64(low));
    _mm256_storeu_si256((__m256i *)(out + 5 + 8 * k), _mm256_cvtepu32_epi64(high));
  }
}

#define BIT_NAME(name) bit_##name##_avx2
#define BIT_TARGET ADM_AVX2
#define BIT_AVX2 1
#define ADM_POPCOUNT __builtin_popcountll
#include "bitrows_impl.h"
#undef BIT_NAME
#undef BIT_TARGET
#undef BIT_AVX2
#undef ADM_POPCOUNT
#endif

/* The functions of one variant. */
typedef struct {
  void (*pack_row)(const uint8_t *, int64_t, int, uint64_t *, uint64_t *);
  uint64_t (*edge_row)(const uint64_t *, const uint64_t *, const uint64_t *, const uint64_t *,
                       int64_t, uint64_t *);
  uint64_t (*rank_row)(const uint64_t *, int64_t, uint64_t, uint64_t *);
  void (*mask_row)(const uint8_t *, const uint8_t *, const uint8_t *, int64_t, uint8_t, uint8_t *);
  int64_t (*list_row)(const uint64_t *, int64_t, int64_t, int64_t *);
  uint64_t *(*grow)(const uint64_t *, uint64_t *, uint64_t *, int);
  uint64_t (*take)(uint64_t, uint64_t, uint64_t *, int64_t, int32_t, int32_t *);
  int64_t (*spots)(uint64_t, uint64_t, int64_t, int64_t *);
} BitOps;

static inline const BitOps *bit_ops(int wide) {
  static const BitOps plain = {bit_pack_row_plain, bit_edge_row_plain, bit_rank_row_plain, bit_mask_row_plain, bit_list_row_plain,
                               bit_grow_plain, bit_take_plain, bit_spots_plain};
#ifdef ADM_X86
  static const BitOps avx2 = {bit_pack_row_avx2, bit_edge_row_avx2, bit_rank_row_avx2, bit_mask_row_avx2, bit_list_row_avx2,
                              bit_grow_avx2, bit_take_avx2, bit_spots_avx2};
  if (wide && adm_has_avx2()) return &avx2;
#endif
  (void)wide;
  return &plain;
}

static inline int bit_low(uint64_t x) { return __builtin_ctzll(x); }
static inline int bit_high(uint64_t x) { return 63 - __builtin_clzll(x); }

/* 64 bits of a row from bit `shift` of word[0] on. */
static inline uint64_t bit_window(const uint64_t *word, int shift) {
  return word[0] >> shift | word[1] << 1 << (63 - shift);
}

/* Sign of |a|^2 - |b|^2, exact for every pair of 64-bit vectors a caller can make. */
static inline int bit_nearer(int64_t ay, int64_t ax, int64_t by, int64_t bx) {
  const __int128 a = (__int128)ay * ay + (__int128)ax * ax;
  const __int128 b = (__int128)by * by + (__int128)bx * bx;
  return (a > b) - (a < b);
}

#endif
