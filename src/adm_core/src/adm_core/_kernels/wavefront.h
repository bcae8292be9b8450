/* Breadth-first search over edge neighbours, a board of 8 x 8 cells at a time.
 *
 * A board is one 64-bit word, bit 8 * row + col: the front of the search moves over all its
 * cells with four shifts. A front on a grid is a diagonal line, of which a board holds up to
 * eight cells where a row of 64 cells would hold two. Half a byte a cell of search state stays
 * in the cache where queues and images of distances do not. */
#ifndef ADM_WAVEFRONT_H
#define ADM_WAVEFRONT_H

#include "large.h"
#include "simd.h"

typedef struct {
  uint64_t open;     /* free and not reached */
  uint64_t front[2]; /* reached in this step, in the next one */
  int32_t base;      /* step at which the front first came in, or -1 */
} adm_board;

enum { ADM_ABSENT = 255, ADM_LATE = 254 }; /* ages that mean: not reached, see the late list */

typedef struct {
  int64_t board;
  int32_t cell, steps;
} adm_late;

typedef struct {
  adm_board *board; /* with a rim of boards that stay closed */
  uint8_t *age;     /* 64 a board: steps after `base` at which a cell was reached; not written
                     * before the front comes in */
  int64_t across;   /* boards in a row, the rim included */
  int64_t count;    /* boards */
  int64_t *now, *then; /* boards that hold a part of the front, in this step and the next */
  int64_t size, room;
  adm_late *late; /* cells reached 254 steps or more after their board was */
  int64_t late_size, late_room;
} adm_search;

static const uint64_t ADM_LEFT = 0x0101010101010101u;
static const uint64_t ADM_RIGHT = 0x8080808080808080u;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { ADM_LITTLE_ENDIAN = 1 };
#else
enum { ADM_LITTLE_ENDIAN = 0 };
#endif

#define ADM_ALWAYS static inline __attribute__((always_inline))

/* Bit i is set where byte i of `cells` is 0..free_max; `above` holds 127 - free_max, 8 times. */
ADM_ALWAYS uint64_t adm_free_bits(uint64_t cells, uint64_t above) {
  uint64_t blocked = (cells | ((cells & ~ADM_RIGHT) + above)) & ADM_RIGHT;
  return (((blocked ^ ADM_RIGHT) >> 7) * 0x0102040810204080u) >> 56;
}

/* Read one board of `height` x `width` <= 8 x 8 cells; past its edge nothing is free. */
static uint64_t adm_read_board(const int8_t *cell, int64_t cols, int64_t height, int64_t width,
                               int free_max) {
  const uint64_t above = (uint64_t)(127 - free_max) * ADM_LEFT;
  uint64_t open = 0;
  for (int64_t r = 0; r < height; r++) {
    uint64_t cells = ~(uint64_t)0;
    if (width == 8 && ADM_LITTLE_ENDIAN)
      memcpy(&cells, cell + r * cols, 8);
    else
      for (int64_t c = 0; c < width; c++) {
        cells &= ~((uint64_t)255 << 8 * c);
        cells |= (uint64_t)(uint8_t)cell[r * cols + c] << 8 * c;
      }
    open |= adm_free_bits(cells, above) << 8 * r;
  }
  return open;
}

#ifdef ADM_X86
/* Read four full boards that lie side by side: a row of them is one comparison of 32 bytes. */
ADM_AVX2 static void adm_read_four(const int8_t *cell, int64_t cols, int free_max,
                                   adm_board *board) {
  const __m256i top = _mm256_set1_epi8((char)free_max);
  uint64_t row[4], open[4];
  for (int r = 0; r < 8; r += 2) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(cell + r * cols));
    const __m256i b = _mm256_loadu_si256((const __m256i *)(cell + (r + 1) * cols));
    const uint32_t even = (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(_mm256_min_epu8(a, top), a));
    const uint32_t odd = (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(_mm256_min_epu8(b, top), b));
    row[r / 2] = even | (uint64_t)odd << 32;
  }
  /* Byte k of a row belongs to board k: gather four rows a board in each half, then join them. */
  const __m128i gather = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m128i low = _mm_shuffle_epi8(
      _mm_set_epi64x((long long)row[1], (long long)row[0]), gather);
  const __m128i high = _mm_shuffle_epi8(
      _mm_set_epi64x((long long)row[3], (long long)row[2]), gather);
  _mm_storeu_si128((__m128i *)open, _mm_unpacklo_epi32(low, high));
  _mm_storeu_si128((__m128i *)(open + 2), _mm_unpackhi_epi32(low, high));
  for (int k = 0; k < 4; k++) board[k].open = open[k];
}
#endif

/* Nothing is open and nobody has been there. */
static void adm_close_boards(adm_board *board, int64_t count) {
  for (int64_t i = 0; i < count; i++) board[i] = (adm_board){0, {0, 0}, -1};
}

/* Build the boards of a grid; -1 if memory is out. The caller frees whatever was made. */
static int adm_search_open(adm_search *s, const int8_t *grid, int64_t rows, int64_t cols,
                           int free_max) {
#ifdef ADM_X86
  const int wide = adm_has_avx2();
#endif
  memset(s, 0, sizeof *s);
  s->across = (cols + 7) / 8 + 2;
  s->count = ((rows + 7) / 8 + 2) * s->across;
  s->board = (adm_board *)adm_alloc_large((size_t)s->count * sizeof *s->board);
  s->age = (uint8_t *)adm_alloc_large((size_t)s->count * 64);
  if (!s->board || !s->age) return -1;
  adm_close_boards(s->board, s->across + 1);
  for (int64_t r = 0; r < rows; r += 8) {
    const int8_t *cell = grid + r * cols;
    const int64_t height = rows - r < 8 ? rows - r : 8;
    adm_board *board = s->board + (r / 8 + 1) * s->across + 1;
    int64_t c = 0;
    adm_close_boards(board, s->across); /* up to the first one of the next row */
#ifdef ADM_X86
    for (; wide && height == 8 && c + 32 <= cols; c += 32)
      adm_read_four(cell + c, cols, free_max, board + c / 8);
#endif
    for (; c < cols; c += 8)
      board[c / 8].open =
          adm_read_board(cell + c, cols, height, cols - c < 8 ? cols - c : 8, free_max);
  }
  adm_close_boards(s->board + s->count - s->across + 1, s->across - 1);
  return 0;
}

static void adm_search_close(adm_search *s) {
  free(s->board);
  free(s->age);
  free(s->now);
  free(s->then);
  free(s->late);
}

static int adm_search_room(adm_search *s, int64_t size) {
  if (size <= s->room) return 0;
  size *= 2;
  void *now = realloc(s->now, (size_t)size * sizeof *s->now);
  if (now) s->now = (int64_t *)now;
  void *then = realloc(s->then, (size_t)size * sizeof *s->then);
  if (then) s->then = (int64_t *)then;
  if (!now || !then) return -1;
  s->room = size;
  return 0;
}

/* Put a source into the front, whatever its cell holds; -1 if memory is out. */
static int adm_search_start(adm_search *s, int64_t row, int64_t col) {
  int64_t at = (row / 8 + 1) * s->across + col / 8 + 1;
  uint64_t cell = (uint64_t)1 << (8 * (row & 7) + (col & 7));
  if (adm_search_room(s, s->size + 1) < 0) return -1;
  s->now[s->size] = at;
  s->size += s->board[at].front[0] == 0;
  s->board[at].front[0] |= cell;
  s->board[at].open &= ~cell;
  return 0;
}

static int adm_search_late(adm_search *s, int64_t at, uint64_t front, int32_t steps) {
  for (; front; front &= front - 1) {
    if (s->late_size == s->late_room) {
      int64_t room = 2 * s->late_room + 1024;
      void *late = realloc(s->late, (size_t)room * sizeof *s->late);
      if (!late) return -1;
      s->late = (adm_late *)late;
      s->late_room = room;
    }
    int cell = __builtin_ctzll(front);
    s->late[s->late_size++] = (adm_late){at, cell, steps};
    s->age[64 * at + cell] = ADM_LATE;
  }
  return 0;
}

ADM_ALWAYS void adm_mark_plain(uint8_t *age, uint64_t front, int value) {
  for (; front; front &= front - 1) age[__builtin_ctzll(front)] = (uint8_t)value;
}

#ifdef ADM_X86
/* Write `value` to the bytes whose bits are set in `front`. */
ADM_AVX2 ADM_ALWAYS void adm_mark_avx2(uint8_t *age, uint64_t front, int value) {
  const __m256i spread = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                          2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201u);
  const __m256i fill = _mm256_set1_epi8((char)value);
  for (int half = 0; half < 2; half++) {
    __m256i *at = (__m256i *)(age + 32 * half);
    __m256i on = _mm256_shuffle_epi8(_mm256_set1_epi32((int)(front >> 32 * half)), spread);
    on = _mm256_cmpeq_epi8(_mm256_and_si256(on, bit), bit);
    _mm256_storeu_si256(at, _mm256_blendv_epi8(_mm256_loadu_si256(at), fill, on));
  }
}
#endif

/* Let the front enter `cells` of board `at` in the next step; return the size of the list. */
ADM_ALWAYS int64_t adm_enter(adm_board *board, int64_t at, uint64_t cells, int other,
                             int64_t *then, int64_t size) {
  adm_board *b = board + at;
  cells &= b->open;
  if (!cells) return size;
  then[size] = at;
  size += b->front[other] == 0;
  b->front[other] |= cells;
  b->open ^= cells;
  return size;
}

/* Mark the cells of the front with `steps` and move it by one cell; -1 if memory is out. */
#define ADM_DEFINE_ADVANCE(NAME, MARK, TARGET)                                                  \
  TARGET static int NAME(adm_search *s, int32_t steps) {                                        \
    adm_board *board = s->board;                                                                \
    const int64_t *now = s->now;                                                                \
    int64_t *then = s->then;                                                                    \
    const int64_t across = s->across, count = s->size;                                          \
    const int side = steps & 1, other = side ^ 1;                                               \
    int64_t size = 0;                                                                           \
    for (int64_t i = 0; i < count; i++) {                                                       \
      const int64_t at = now[i], soon = now[i + 8 < count ? i + 8 : i];                         \
      __builtin_prefetch(board + soon, 1);                                                      \
      __builtin_prefetch(board + soon - across, 1);                                             \
      __builtin_prefetch(board + soon + across, 1);                                             \
      __builtin_prefetch(s->age + 64 * soon, 1);                                                \
      adm_board *b = board + at;                                                                \
      const uint64_t f = b->front[side];                                                        \
      b->front[side] = 0;                                                                       \
      size = adm_enter(board, at,                                                               \
                       (f & ~ADM_RIGHT) << 1 | (f & ~ADM_LEFT) >> 1 | f << 8 | f >> 8, other,   \
                       then, size);                                                             \
      size = adm_enter(board, at + 1, (f & ADM_RIGHT) >> 7, other, then, size);                 \
      size = adm_enter(board, at - 1, (f & ADM_LEFT) << 7, other, then, size);                  \
      size = adm_enter(board, at + across, f >> 56, other, then, size);                         \
      size = adm_enter(board, at - across, f << 56, other, then, size);                         \
      if (b->base < 0) {                                                                        \
        b->base = steps;                                                                        \
        memset(s->age + 64 * at, ADM_ABSENT, 64);                                               \
      }                                                                                         \
      const int32_t age = steps - b->base;                                                      \
      if (age < ADM_LATE)                                                                       \
        MARK(s->age + 64 * at, f, age);                                                         \
      else if (adm_search_late(s, at, f, steps) < 0)                                            \
        return -1;                                                                              \
    }                                                                                           \
    s->now = then;                                                                              \
    s->then = (int64_t *)now;                                                                   \
    s->size = size;                                                                             \
    return 0;                                                                                   \
  }

ADM_DEFINE_ADVANCE(adm_advance_plain, adm_mark_plain, )
#ifdef ADM_X86
ADM_DEFINE_ADVANCE(adm_advance_avx2, adm_mark_avx2, ADM_AVX2)
#endif

/* Move the front until it is empty, farther than `limit` or at the target (board and cell, or
 * -1); return -1 if memory is out. */
static int adm_search_run(adm_search *s, int64_t limit, int64_t target_row, int64_t target_col) {
  int (*advance)(adm_search *, int32_t) = adm_advance_plain;
  const uint8_t *target = NULL;
  const adm_board *goal = NULL;
#ifdef ADM_X86
  if (adm_has_avx2()) advance = adm_advance_avx2;
#endif
  if (target_row >= 0) {
    goal = s->board + (target_row / 8 + 1) * s->across + target_col / 8 + 1;
    target = s->age + 64 * (goal - s->board) + 8 * (target_row & 7) + (target_col & 7);
  }
  for (int32_t steps = 0; s->size > 0 && steps <= limit; steps++) {
    /* A board lists itself and its four neighbours at most, and one entry is written ahead. */
    if (adm_search_room(s, 5 * s->size + 1) < 0 || advance(s, steps) < 0) return -1;
    if (goal && goal->base >= 0 && *target != ADM_ABSENT) break;
  }
  return 0;
}

ADM_ALWAYS void adm_write_eight(int32_t *out, const uint8_t *age, int32_t base) {
  for (int i = 0; i < 8; i++) out[i] = age[i] == ADM_ABSENT ? -1 : base + age[i];
}

#ifdef ADM_X86
ADM_AVX2 ADM_ALWAYS void adm_write_eight_avx2(int32_t *out, const uint8_t *age, int32_t base) {
  __m256i v = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)age));
  __m256i absent = _mm256_cmpeq_epi32(v, _mm256_set1_epi32(ADM_ABSENT));
  v = _mm256_or_si256(_mm256_add_epi32(v, _mm256_set1_epi32(base)), absent);
  _mm256_storeu_si256((__m256i *)out, v);
}
#endif

/* Write row `r` of the result. */
#define ADM_DEFINE_WRITE(NAME, EIGHT, TARGET)                                             \
  TARGET static void NAME(const adm_search *s, int32_t *row, int64_t r, int64_t cols) {   \
    const adm_board *board = s->board + (r / 8 + 1) * s->across + 1;                      \
    const uint8_t *age = s->age + 64 * (board - s->board) + 8 * (r & 7);                  \
    int32_t last[8];                                                                      \
    for (int64_t c = 0; c < cols; c += 8, board++) {                                      \
      int32_t *out = c + 8 <= cols ? row + c : last;                                      \
      if (board->base < 0)                                                                \
        memset(out, 255, sizeof last);                                                    \
      else                                                                                \
        EIGHT(out, age + 8 * c, board->base);                                             \
      if (out == last) memcpy(row + c, last, (size_t)(cols - c) * sizeof *row);           \
    }                                                                                     \
  }

ADM_DEFINE_WRITE(adm_write_plain, adm_write_eight, )
#ifdef ADM_X86
ADM_DEFINE_WRITE(adm_write_avx2, adm_write_eight_avx2, ADM_AVX2)
#endif

/* Write where the search has come to. */
static void adm_search_mark(const adm_search *s, uint8_t *out, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; r++, out += cols) {
    const adm_board *board = s->board + (r / 8 + 1) * s->across + 1;
    const uint8_t *age = s->age + 64 * (board - s->board) + 8 * (r & 7);
    for (int64_t c = 0; c < cols; c += 8, board++) {
      uint8_t eight[8] = {0};
      if (board->base >= 0)
        for (int k = 0; k < 8; k++) eight[k] = age[8 * c + k] != ADM_ABSENT;
      memcpy(out + c, eight, (size_t)(cols - c < 8 ? cols - c : 8));
    }
  }
}

/* Turn the ages into a row-major image of steps, -1 where not reached. */
static void adm_search_write(const adm_search *s, int32_t *out, int64_t rows, int64_t cols) {
  void (*write)(const adm_search *, int32_t *, int64_t, int64_t) = adm_write_plain;
#ifdef ADM_X86
  if (adm_has_avx2()) write = adm_write_avx2;
#endif
  for (int64_t r = 0; r < rows; r++) write(s, out + r * cols, r, cols);
  for (int64_t i = 0; i < s->late_size; i++) {
    const adm_late late = s->late[i];
    int64_t row = (late.board / s->across - 1) * 8 + late.cell / 8;
    int64_t col = (late.board % s->across - 1) * 8 + late.cell % 8;
    out[row * cols + col] = late.steps;
  }
}

#endif
