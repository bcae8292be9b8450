/* Body of bitrows.h, included once for each variant: BIT_NAME names a function,
 * BIT_TARGET is its attribute, BIT_AVX2 tells whether the wide instructions may be used. */

/* 64 cells: bit k of free and unknown tells about cell k. */
BIT_TARGET static inline void BIT_NAME(pack_word)(const uint8_t *cells, int free_max,
                                                  uint64_t *free, uint64_t *unknown) {
#if BIT_AVX2
  const __m256i top = _mm256_set1_epi8((char)free_max), ones = _mm256_set1_epi8(-1);
  const __m256i a = _mm256_loadu_si256((const __m256i *)cells);
  const __m256i b = _mm256_loadu_si256((const __m256i *)(cells + 32));
  /* Halves are stored apart: to join them first takes half as long again. */
  const uint32_t free_low = (uint32_t)_mm256_movemask_epi8(
      _mm256_cmpeq_epi8(_mm256_min_epu8(a, top), a));
  const uint32_t free_high = (uint32_t)_mm256_movemask_epi8(
      _mm256_cmpeq_epi8(_mm256_min_epu8(b, top), b));
  const uint32_t unknown_low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, ones));
  const uint32_t unknown_high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, ones));
  memcpy(free, &free_low, 4);
  memcpy((char *)free + 4, &free_high, 4);
  memcpy(unknown, &unknown_low, 4);
  memcpy((char *)unknown + 4, &unknown_high, 4);
#else
  /* Eight cells a step: a test leaves its answer in the top bit of each byte. */
  const uint64_t low = 0x7f7f7f7f7f7f7f7fu, each = 0x0101010101010101u;
  const uint64_t gap = (uint64_t)(127 - free_max) * each;
  uint64_t f = 0, u = 0;
  for (int k = 0; k < 8; k++) {
    uint64_t x;
    memcpy(&x, cells + 8 * k, 8);
    f |= bit_gather_plain(~(((x & low) + gap) | x)) << 8 * k;
    u |= bit_gather_plain(((x & low) + each) & x) << 8 * k;
  }
  *free = f;
  *unknown = u;
#endif
}

/* A row of cells; bits from cols on are 0. */
BIT_TARGET static void BIT_NAME(pack_row)(const uint8_t *row, int64_t cols, int free_max,
                                          uint64_t *free, uint64_t *unknown) {
  const int64_t whole = cols >> 6;
  for (int64_t k = 0; k < whole; k++)
    BIT_NAME(pack_word)(row + 64 * k, free_max, free + k, unknown + k);
  if (!(cols & 63)) return;
  if (whole) { /* the last 64 cells, some of them for the second time */
    const int seen = 64 - (int)(cols & 63);
    BIT_NAME(pack_word)(row + cols - 64, free_max, free + whole, unknown + whole);
    free[whole] >>= seen;
    unknown[whole] >>= seen;
  } else {
    uint8_t rest[64];
    memset(rest, 128, sizeof rest); /* neither free nor unknown */
    memcpy(rest, row, (size_t)cols);
    BIT_NAME(pack_word)(rest, free_max, free, unknown);
  }
}

/* Frontier bits of a row; returns 0 if there are none. The unknown rows have one word more
 * on both sides. */
BIT_TARGET static uint64_t BIT_NAME(edge_row)(const uint64_t *free, const uint64_t *up,
                                              const uint64_t *mid, const uint64_t *down,
                                              int64_t words, uint64_t *restrict frontier) {
  uint64_t any = 0;
  for (int64_t k = 0; k < words; k++) {
    frontier[k] = free[k] & (up[k] | down[k] | mid[k] << 1 | mid[k - 1] >> 63 | mid[k] >> 1 |
                             mid[k + 1] << 63);
    any |= frontier[k];
  }
  return any;
}

/* Number of set bits in front of each word of a row, counted from `rank`; returns the last. */
BIT_TARGET static uint64_t BIT_NAME(rank_row)(const uint64_t *row, int64_t words, uint64_t rank,
                                              uint64_t *restrict out) {
  for (int64_t k = 0; k < words; k++) {
    out[k] = rank;
    rank += (uint64_t)ADM_POPCOUNT(row[k]);
  }
  return rank;
}

/* The same as bytes, without the first and the last cell of the row. As an unsigned byte
 * unknown is the largest value, so one maximum asks all four neighbours. */
BIT_TARGET static void BIT_NAME(mask_row)(const uint8_t *up, const uint8_t *mid,
                                          const uint8_t *down, int64_t cols, uint8_t free_max,
                                          uint8_t *restrict out) {
  int64_t k = 1;
#if BIT_AVX2
  if (cols >= 98) { /* whole vectors at aligned places, the two ends by overlap */
    const int64_t last = cols - 33;
    bit_mask32(up + 1, mid + 1, down + 1, free_max, out + 1);
    for (k = 33 - (int64_t)((uintptr_t)(out + 1) & 31); k + 96 < last; k += 128) {
      /* Two of the four streams are new to the cache; past the end of the array it does no harm. */
      for (int64_t j = k + 1024; j < k + 1152; j += 64) {
        __builtin_prefetch(down + j, 0);
        __builtin_prefetch(out + j, 1);
      }
      for (int64_t j = k; j < k + 128; j += 32) /* more loads under way at once */
        bit_mask32(up + j, mid + j, down + j, free_max, out + j);
    }
    for (; k < last; k += 32) bit_mask32(up + k, mid + k, down + k, free_max, out + k);
    bit_mask32(up + last, mid + last, down + last, free_max, out + last);
    return;
  }
#endif
  for (; k < cols - 1; k++) {
    uint8_t a = up[k] > down[k] ? up[k] : down[k];
    uint8_t b = mid[k - 1] > mid[k + 1] ? mid[k - 1] : mid[k + 1];
    a = a > b ? a : b;
    out[k] = (uint8_t)((a == 255) & (mid[k] <= free_max));
  }
}

/* Write the index of every set bit of a row, bit 0 being `base`; return how many. */
BIT_TARGET static int64_t BIT_NAME(list_row)(const uint64_t *row, int64_t words, int64_t base,
                                             int64_t *restrict out) {
  int64_t n = 0;
  for (int64_t k = 0; k < words; k++) {
#if BIT_AVX2
    for (; k + 4 <= words; k += 4) { /* most words are empty */
      const __m256i four = _mm256_loadu_si256((const __m256i *)(row + k));
      if (!_mm256_testz_si256(four, four)) break;
    }
    if (k >= words) break;
#endif
    for (uint64_t left = row[k]; left; left &= left - 1)
      out[n++] = base + 64 * k + __builtin_ctzll(left);
  }
  return n;
}

/* Cells within `steps` moves of the middle of a window of 2 * steps + 1 rows, one word a row.
 * free[1..side] is the window; all arrays have bit_room(steps) words and free is 0 outside the
 * window. Returns the one of a and b that holds the answer. */
BIT_TARGET static uint64_t *BIT_NAME(grow)(const uint64_t *free, uint64_t *a, uint64_t *b,
                                           int steps) {
#if BIT_AVX2
  if (steps <= BIT_HALF_STEPS) {
    switch (steps / 4) { /* registers for 2 * steps + 1 rows */
      case 0: bit_grow_halves(free, a, steps, 1); break;
      case 1: bit_grow_halves(free, a, steps, 2); break;
      case 2: bit_grow_halves(free, a, steps, 3); break;
      default: bit_grow_halves(free, a, steps, 4);
    }
    return a;
  }
#endif
  memset(a, 0, (size_t)bit_room(steps) * sizeof *a);
  memset(b, 0, (size_t)bit_room(steps) * sizeof *b);
  a[steps + 1] = (uint64_t)1 << steps;
  for (int s = 1; s <= steps; s++) {
    const int lo = steps + 1 - s, hi = steps + 1 + s;
#if BIT_AVX2
    __m256i moved = _mm256_setzero_si256();
    for (int r = lo; r <= hi; r += 4) {
      const __m256i v = _mm256_loadu_si256((const __m256i *)(a + r));
      __m256i n = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(a + r - 1)),
                                  _mm256_loadu_si256((const __m256i *)(a + r + 1)));
      n = _mm256_or_si256(n, _mm256_or_si256(_mm256_slli_epi64(v, 1), _mm256_srli_epi64(v, 1)));
      n = _mm256_and_si256(_mm256_or_si256(n, v), _mm256_loadu_si256((const __m256i *)(free + r)));
      moved = _mm256_or_si256(moved, _mm256_xor_si256(n, v));
      _mm256_storeu_si256((__m256i *)(b + r), n);
    }
    if (_mm256_testz_si256(moved, moved)) return b;
#else
    uint64_t moved = 0;
    for (int r = lo; r <= hi; r++) {
      const uint64_t v = a[r];
      b[r] = (v | v << 1 | v >> 1 | a[r - 1] | a[r + 1]) & free[r];
      moved |= b[r] ^ v;
    }
    if (!moved) return b;
#endif
    uint64_t *swap = a;
    a = b;
    b = swap;
  }
  return a;
}

/* Give the frontier cells `taken` of one word to a cluster: mark them as no longer open and
 * write their owner. `first` is the list index of the word's first frontier cell. Returns their
 * number in the upper half and the sum of their bit numbers in the lower one. */
BIT_TARGET static uint64_t BIT_NAME(take)(uint64_t taken, uint64_t frontier, uint64_t *open,
                                          int64_t first, int32_t id, int32_t *owner) {
  uint64_t sum = 0;
  *open &= ~taken;
  while (taken) {
    const uint64_t low = taken & (0 - taken);
    owner[first + ADM_POPCOUNT(frontier & (low - 1))] = id;
    sum += ((uint64_t)1 << 32) + (uint64_t)__builtin_ctzll(taken);
    taken ^= low;
  }
  return sum;
}

/* List indices of the cells `bits` of one word; `first` as above. Returns how many. */
BIT_TARGET static int64_t BIT_NAME(spots)(uint64_t bits, uint64_t frontier, int64_t first,
                                          int64_t *out) {
  int64_t n = 0;
  for (; bits; bits &= bits - 1)
    out[n++] = first + (int64_t)ADM_POPCOUNT(frontier & ((bits & (0 - bits)) - 1));
  return n;
}
