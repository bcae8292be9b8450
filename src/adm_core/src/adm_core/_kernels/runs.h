/* Connected components on runs instead of cells.
 *
 * A run is a stretch of free cells of one room type in one row: columns start..end-1. A map has
 * a few runs where it has hundreds of cells, so that everything after the search for their ends
 * (joining, numbering, statistics, edges) is nearly free. Runs are numbered row-major and a
 * component is named by its first run, so labels come out in row-major order by first cell. */
#ifndef ADM_RUNS_H
#define ADM_RUNS_H

#include <stdlib.h>

#include "simd.h"

typedef struct {
  int32_t *start, *end; /* columns of each run, end exclusive */
  uint32_t *label;      /* parent of each run while scanning, then its label 1..n */
  int64_t *row;         /* first run of each row, and the number of runs at the end */
  uint64_t *edge;       /* pairs of runs, then of labels, larger half first */
  int64_t rows, cols, size, room, edges, edge_room, labels;
  uint64_t recent[64]; /* pairs seen lately: a straight border names one pair in every row */
} adm_runs;

/* What to read: `kind` 1 for uint8 types, 2 for uint16; pitches in cells. */
typedef struct {
  const int8_t *grid;
  const void *type;
  int64_t rows, cols, grid_pitch, type_pitch;
  int kind, free_max;
  int untyped; /* whether free cells of type 0 form components too */
} adm_run_source;

#define ADM_ALWAYS static inline __attribute__((always_inline))

static void adm_runs_close(adm_runs *s) {
  free(s->start);
  free(s->end);
  free(s->label);
  free(s->row);
  free(s->edge);
  memset(s, 0, sizeof *s);
}

static int adm_runs_grow(void **array, size_t bytes) {
  void *grown = realloc(*array, bytes);
  if (!grown) return -1;
  *array = grown;
  return 0;
}

static int adm_runs_reserve(adm_runs *s, int64_t more) {
  int64_t room = s->size + more;
  if (room <= s->room) return 0;
  room += s->room / 2;
  if (adm_runs_grow((void **)&s->start, (size_t)room * sizeof *s->start) < 0 ||
      adm_runs_grow((void **)&s->end, (size_t)room * sizeof *s->end) < 0 ||
      adm_runs_grow((void **)&s->label, (size_t)room * sizeof *s->label) < 0)
    return -1;
  s->room = room;
  return 0;
}

/* Bits of 64 cells: which are free (and typed), and which differ in type from the one before. */
#define ADM_BITS_LOOP(T)                                                                       \
  for (int k = 0; k < 64; k++) {                                                               \
    free_bits |= (uint64_t)(g[k] >= 0 && g[k] <= free_max && (untyped || ((const T *)t)[k])) << k; \
    differ |= (uint64_t)(((const T *)t)[k] != ((const T *)t)[k - 1]) << k;                       \
  }

ADM_ALWAYS void adm_bits_plain(const int8_t *g, const void *t, int kind, int free_max, int untyped,
                               uint64_t *free_out, uint64_t *differ_out) {
  uint64_t free_bits = 0, differ = 0;
#ifdef ADM_X86
  const __m128i none = _mm_set1_epi8(-1), top = _mm_set1_epi8((char)free_max);
  const __m128i zero = _mm_setzero_si128();
  for (int k = 0; k < 64; k += 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(g + k)), equal, empty;
    __m128i known = _mm_andnot_si128(_mm_cmpgt_epi8(v, top), _mm_cmpgt_epi8(v, none));
    if (kind == 1) {
      const uint8_t *u = (const uint8_t *)t + k;
      __m128i a = _mm_loadu_si128((const __m128i *)u);
      equal = _mm_cmpeq_epi8(a, _mm_loadu_si128((const __m128i *)(u - 1)));
      empty = _mm_cmpeq_epi8(a, zero);
    } else {
      const uint16_t *u = (const uint16_t *)t + k;
      __m128i a = _mm_loadu_si128((const __m128i *)u);
      __m128i b = _mm_loadu_si128((const __m128i *)(u + 8));
      equal = _mm_packs_epi16(_mm_cmpeq_epi16(a, _mm_loadu_si128((const __m128i *)(u - 1))),
                              _mm_cmpeq_epi16(b, _mm_loadu_si128((const __m128i *)(u + 7))));
      empty = _mm_packs_epi16(_mm_cmpeq_epi16(a, zero), _mm_cmpeq_epi16(b, zero));
    }
    if (!untyped) known = _mm_andnot_si128(empty, known);
    free_bits |= (uint64_t)_mm_movemask_epi8(known) << k;
    differ |= (uint64_t)(~_mm_movemask_epi8(equal) & 0xFFFF) << k;
  }
#else
  if (kind == 1) {
    ADM_BITS_LOOP(uint8_t)
  } else {
    ADM_BITS_LOOP(uint16_t)
  }
#endif
  *free_out = free_bits;
  *differ_out = differ;
}

#ifdef ADM_X86
ADM_AVX2 ADM_ALWAYS void adm_bits_avx2(const int8_t *g, const void *t, int kind, int free_max,
                                       int untyped, uint64_t *free_out, uint64_t *differ_out) {
  if (kind != 1) {
    adm_bits_plain(g, t, kind, free_max, untyped, free_out, differ_out);
    return;
  }
  const __m256i none = _mm256_set1_epi8(-1), top = _mm256_set1_epi8((char)free_max);
  uint64_t free_bits = 0, differ = 0;
  for (int k = 0; k < 64; k += 32) {
    const uint8_t *u = (const uint8_t *)t + k;
    __m256i v = _mm256_loadu_si256((const __m256i *)(g + k));
    __m256i a = _mm256_loadu_si256((const __m256i *)u);
    __m256i known = _mm256_andnot_si256(_mm256_cmpgt_epi8(v, top), _mm256_cmpgt_epi8(v, none));
    __m256i equal = _mm256_cmpeq_epi8(a, _mm256_loadu_si256((const __m256i *)(u - 1)));
    if (!untyped) known = _mm256_andnot_si256(_mm256_cmpeq_epi8(a, _mm256_setzero_si256()), known);
    free_bits |= (uint64_t)(uint32_t)_mm256_movemask_epi8(known) << k;
    differ |= (uint64_t)(uint32_t)~_mm256_movemask_epi8(equal) << k;
  }
  *free_out = free_bits;
  *differ_out = differ;
}
#endif

/* Append the runs of one row; returns whether two of them touch. Room for them is there. */
#define ADM_DEFINE_SPLIT(NAME, BITS, TARGET)                                                   \
  TARGET static int NAME(adm_runs *s, const adm_run_source *in, int64_t r) {                   \
    const int8_t *grid = in->grid + r * in->grid_pitch;                                        \
    const char *type = (const char *)in->type + r * in->type_pitch * in->kind;                 \
    const int64_t cols = in->cols;                                                             \
    int32_t *start = s->start + s->size, *end = s->end + s->size;                              \
    uint64_t before = 0, touching = 0; /* whether the last cell of the word before is free */  \
    int8_t g[64];                                                                              \
    uint16_t room[72]; /* no type, and those of a word */                                      \
    for (int64_t c = 0; c < cols; c += 64) {                                                   \
      const int64_t width = cols - c < 64 ? cols - c : 64;                                     \
      uint64_t free_bits, differ;                                                              \
      const int64_t seen = cols > 64 ? 64 - width : 0; /* cells that were read before */       \
      if (c - seen + r > 0 && width + seen == 64) { /* the type before the first one is read */\
        const int64_t at = c - seen;                                                           \
        BITS(grid + at, type + at * in->kind, in->kind, in->free_max, in->untyped, &free_bits, \
             &differ);                                                                         \
        free_bits >>= seen;                                                                    \
        differ >>= seen;                                                                       \
      } else { /* the first word of all, or a narrow map: nothing outside may be read */       \
        char *t = (char *)(room + 4);                                                          \
        memset(g, -1, sizeof g);                                                               \
        memset(room, 0, sizeof room);                                                          \
        memcpy(g, grid + c, (size_t)width);                                                    \
        memcpy(t, type + c * in->kind, (size_t)(width * in->kind));                            \
        BITS(g, t, in->kind, in->free_max, in->untyped, &free_bits, &differ);                  \
      }                                                                                        \
      const uint64_t left = free_bits << 1 | before, both = free_bits & left & differ;         \
      for (uint64_t bits = (free_bits & ~left) | both; bits; bits &= bits - 1)                 \
        *start++ = (int32_t)(c + __builtin_ctzll(bits));                                       \
      for (uint64_t bits = (~free_bits & left) | both; bits; bits &= bits - 1)                 \
        *end++ = (int32_t)(c + __builtin_ctzll(bits));                                         \
      before = free_bits >> 63;                                                                \
      touching |= both;                                                                        \
    }                                                                                          \
    /* A run that reaches the last column ends there, unless a short word has ended it. */     \
    if (end - s->end < start - s->start) *end++ = (int32_t)cols;                               \
    s->size = start - s->start;                                                                \
    return touching != 0;                                                                      \
  }

ADM_DEFINE_SPLIT(adm_split_plain, adm_bits_plain, )
#ifdef ADM_X86
ADM_DEFINE_SPLIT(adm_split_avx2, adm_bits_avx2, ADM_AVX2)
#endif

/* First run of the component of run `a`, halving the way there for the next time. */
ADM_ALWAYS uint32_t adm_runs_find(uint32_t *parent, uint32_t a) {
  while (parent[a] != a) a = parent[a] = parent[parent[a]];
  return a;
}

ADM_ALWAYS void adm_runs_join(uint32_t *parent, uint32_t above, uint32_t below) {
  uint32_t a = adm_runs_find(parent, above), b = adm_runs_find(parent, below);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

ADM_ALWAYS int adm_runs_touch(adm_runs *s, uint32_t a, uint32_t b) {
  uint32_t p = adm_runs_find(s->label, a), q = adm_runs_find(s->label, b);
  uint64_t pair = p < q ? (uint64_t)q << 32 | p : (uint64_t)p << 32 | q;
  uint64_t *seen = s->recent + (pair * 0x9E3779B97F4A7C15u >> 58);
  if (*seen == pair) return 0;
  *seen = pair;
  if (s->edges == s->edge_room) {
    int64_t room = 2 * s->edge_room + 256;
    if (adm_runs_grow((void **)&s->edge, (size_t)room * sizeof *s->edge) < 0) return -1;
    s->edge_room = room;
  }
  s->edge[s->edges++] = pair;
  return 0;
}

#define ADM_TYPE_AT(KIND, row, c) \
  ((KIND) == 1 ? ((const uint8_t *)(row))[c] : ((const uint16_t *)(row))[c])

/* Join the runs of row r to those above, and note which components touch. */
ADM_ALWAYS int adm_runs_link_above(adm_runs *s, const adm_run_source *in, int64_t r, int kind) {
  const char *type = (const char *)in->type + r * in->type_pitch * kind;
  const char *type_above = type - in->type_pitch * kind;
  const int32_t *start = s->start, *end = s->end;
  int64_t a = s->row[r - 1], b = s->row[r];
  const int64_t a_end = b, b_end = s->row[r + 1];
  while (a < a_end && b < b_end) {
    const int32_t a_stop = end[a], b_stop = end[b];
    if (start[a] < b_stop && start[b] < a_stop) {
      if (ADM_TYPE_AT(kind, type_above, start[a]) == ADM_TYPE_AT(kind, type, start[b]))
        adm_runs_join(s->label, (uint32_t)a, (uint32_t)b);
      else if (adm_runs_touch(s, (uint32_t)a, (uint32_t)b) < 0)
        return -1;
    }
    a += a_stop <= b_stop;
    b += b_stop <= a_stop;
  }
  return 0;
}

/* The same for all neighbours of the runs of row r that come before them. */
ADM_ALWAYS int adm_runs_link(adm_runs *s, const adm_run_source *in, int64_t r, int touching,
                             int kind) {
  const int64_t first = s->row[r], end = s->row[r + 1];
  for (int64_t k = first; k < end; k++) s->label[k] = (uint32_t)k;
  if (touching)
    for (int64_t k = first + 1; k < end; k++)
      if (s->end[k - 1] == s->start[k] && adm_runs_touch(s, (uint32_t)k - 1, (uint32_t)k) < 0)
        return -1;
  return r == 0 ? 0 : adm_runs_link_above(s, in, r, kind);
}

/* Give each component its label and turn the edges into sorted, unique pairs of labels. */
static int adm_runs_number(adm_runs *s) {
  uint32_t count = 0;
  for (int64_t k = 0; k < s->size; k++)
    s->label[k] = s->label[k] == k ? ++count : s->label[s->label[k]];
  s->labels = count;
  if (s->edges == 0) return 0;
  /* Two counting sorts, by the smaller label and then by the larger: quicker than comparing. */
  int64_t *at = (int64_t *)malloc(((size_t)count + 2) * sizeof *at);
  uint64_t *other = (uint64_t *)malloc(((size_t)s->edges + 1) * sizeof *other);
  if (!at || !other) {
    free(at);
    free(other);
    return -1;
  }
  for (int64_t k = 0; k < s->edges; k++) {
    uint32_t p = s->label[s->edge[k] >> 32], q = s->label[(uint32_t)s->edge[k]];
    s->edge[k] = p < q ? (uint64_t)p << 32 | q : (uint64_t)q << 32 | p;
  }
  for (int half = 0; half < 2; half++) {
    const uint64_t *from = half ? other : s->edge;
    uint64_t *to = half ? s->edge : other;
    const int shift = 32 * half;
    memset(at, 0, ((size_t)count + 2) * sizeof *at);
    for (int64_t k = 0; k < s->edges; k++) at[(uint32_t)(from[k] >> shift) + 1]++;
    for (int64_t k = 0; k <= count; k++) at[k + 1] += at[k];
    for (int64_t k = 0; k < s->edges; k++) to[at[(uint32_t)(from[k] >> shift)]++] = from[k];
  }
  int64_t kept = 0;
  for (int64_t k = 0; k < s->edges; k++)
    if (kept == 0 || s->edge[kept - 1] != s->edge[k]) s->edge[kept++] = s->edge[k];
  s->edges = kept;
  free(at);
  free(other);
  return 0;
}

/* Find the runs of a map, or of a strip of its rows, and join them; -1 if memory is out. Close the
 * result in any case. */
static int adm_runs_scan(adm_runs *s, const adm_run_source *in) {
  int (*split)(adm_runs *, const adm_run_source *, int64_t) = adm_split_plain;
#ifdef ADM_X86
  if (adm_has_avx2()) split = adm_split_avx2;
#endif
  memset(s, 0, sizeof *s);
  s->rows = in->rows;
  s->cols = in->cols;
  s->row = (int64_t *)malloc(((size_t)in->rows + 1) * sizeof *s->row);
  if (!s->row) return -1;
  s->row[0] = 0;
  for (int64_t r = 0; r < in->rows; r++) {
    if (adm_runs_reserve(s, in->cols + 1) < 0) return -1;
    int touching = split(s, in, r);
    s->row[r + 1] = s->size;
    if ((in->kind == 1 ? adm_runs_link(s, in, r, touching, 1)
                       : adm_runs_link(s, in, r, touching, 2)) < 0)
      return -1;
  }
  return 0;
}

/* Put the strip `t` below `s`; `in` is the whole map. -1 if memory is out. */
static int adm_runs_append(adm_runs *s, const adm_runs *t, const adm_run_source *in) {
  const uint32_t before = (uint32_t)s->size;
  const int64_t border = s->rows, edges = s->edges + t->edges;
  if (adm_runs_reserve(s, t->size) < 0 ||
      adm_runs_grow((void **)&s->row, (size_t)(s->rows + t->rows + 1) * sizeof *s->row) < 0 ||
      adm_runs_grow((void **)&s->edge, ((size_t)edges + 1) * sizeof *s->edge) < 0)
    return -1;
  if (t->size) {
    memcpy(s->start + s->size, t->start, (size_t)t->size * sizeof *s->start);
    memcpy(s->end + s->size, t->end, (size_t)t->size * sizeof *s->end);
  }
  for (int64_t k = 0; k < t->size; k++) s->label[s->size + k] = t->label[k] + before;
  for (int64_t r = 0; r <= t->rows; r++) s->row[border + r] = t->row[r] + before;
  for (int64_t k = 0; k < t->edges; k++)
    s->edge[s->edges + k] = t->edge[k] + ((uint64_t)before << 32 | before);
  s->size += t->size;
  s->rows += t->rows;
  s->edges = s->edge_room = edges;
  if (border == 0 || t->rows == 0) return 0;
  return in->kind == 1 ? adm_runs_link_above(s, in, border, 1)
                       : adm_runs_link_above(s, in, border, 2);
}

/* Write rows first..end-1 of the label image; 0 where there is no run. */
static void adm_runs_paint(const adm_runs *s, int32_t *out, int64_t first_row, int64_t end_row) {
  for (int64_t r = first_row; r < end_row; r++) {
    int32_t *row = out + r * s->cols;
    int64_t c = 0;
    for (int64_t k = s->row[r]; k < s->row[r + 1]; k++) {
      const int64_t start = s->start[k], end = s->end[k];
      const int32_t label = (int32_t)s->label[k];
      memset(row + c, 0, (size_t)(start - c) * sizeof *row);
      for (c = start; c < end; c++) row[c] = label;
    }
    memset(row + c, 0, (size_t)(s->cols - c) * sizeof *row);
  }
}

/* Label of a cell, 0 if it lies in no run. */
static int32_t adm_runs_at(const adm_runs *s, int64_t r, int64_t c) {
  int64_t low = s->row[r], high = s->row[r + 1];
  while (low < high) { /* first run that ends after c */
    const int64_t middle = (low + high) / 2;
    if (s->end[middle] <= c)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->row[r + 1] && s->start[low] <= c ? (int32_t)s->label[low] : 0;
}

#endif
