/* Skip records that cannot enter the list, many at a time and without an exponential. */
#ifndef ADM_ATTENTION_H
#define ADM_ATTENTION_H

#include "simd.h"

enum { ADM_GROUP = 8 };

typedef struct {
  const double *weight;  /* one a record, or a table of 256 when `source` is given */
  const uint8_t *source; /* index into the table, or NULL */
  const double *quality, *stamp, *distance;
} adm_records;

typedef struct {
  double now;
  double decay_rate;   /* 1 / scale */
  double near_rate;    /* 1 / scale of 1 / (1 + d / scale), else 0 */
  double expnear_rate; /* 1 / scale of exp(-d / scale), else 0 */
  double score;        /* records that cannot reach it are skipped */
  double support;      /* so are those whose w * q * decay cannot reach this */
} adm_limits;

typedef double adm_v4d __attribute__((vector_size(32)));
typedef int64_t adm_v4i __attribute__((vector_size(32)));

#define ADM_INLINE static inline __attribute__((always_inline))

/* Set in `may` which of records i..i+3 may enter. */
ADM_INLINE void adm_may_enter(const adm_records *r, const adm_limits *limit, int64_t i,
                              adm_v4i *may) {
  adm_v4d w, q, tau, d;
  if (r->source) {
    const uint8_t *s = r->source + i;
    w = (adm_v4d){r->weight[s[0]], r->weight[s[1]], r->weight[s[2]], r->weight[s[3]]};
  } else {
    memcpy(&w, r->weight + i, sizeof w);
  }
  memcpy(&q, r->quality + i, sizeof q);
  memcpy(&tau, r->stamp + i, sizeof tau);
  memcpy(&d, r->distance + i, sizeof d);
  adm_v4d age = limit->now - tau;
  age = (adm_v4d)((adm_v4i)age & (age > 0.0));
  adm_v4d x = age * limit->decay_rate, y = d * limit->expnear_rate;
  /* exp(x) >= 1 + x + x^2/2 + x^3/6 for x >= 0, and exp(-x) >= 1 - x, so this holds for the
   * linear decay too. The small factor is far above the rounding of either side. */
  adm_v4d slowed = 1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0)));
  adm_v4d apart = (1.0 + y * (1.0 + y * (0.5 + y * (1.0 / 6.0)))) * (1.0 + d * limit->near_rate);
  adm_v4d most = w * q * (1.0 + 1e-9);
  adm_v4i out = (most < limit->score * slowed * apart) | (most < limit->support * slowed);
  /* Bad values are never skipped: the careful path reports them. */
  *may = ~(out & (w >= 0.0) & (q >= 0.0) & (d >= 0.0) & (tau == tau));
}

/* Return the first group start >= i (a step of ADM_GROUP) with a record that may enter, and
 * which ones in `lanes`; or the last full group's end. */
ADM_INLINE int64_t adm_scan_body(const adm_records *r, const adm_limits *limit, int64_t i,
                                 int64_t n, uint8_t *lanes) {
  const adm_limits fixed = *limit;
  for (; i + ADM_GROUP <= n; i += ADM_GROUP) {
    adm_v4i a, b;
    adm_may_enter(r, &fixed, i, &a);
    adm_may_enter(r, &fixed, i + 4, &b);
    adm_v4i any = a | b;
    if (any[0] | any[1] | any[2] | any[3]) {
      for (int k = 0; k < 4; k++) {
        lanes[k] = (uint8_t)(a[k] & 1);
        lanes[k + 4] = (uint8_t)(b[k] & 1);
      }
      return i;
    }
  }
  return i;
}

static int64_t adm_scan_plain(const adm_records *r, const adm_limits *limit, int64_t i, int64_t n,
                              uint8_t *lanes) {
  return adm_scan_body(r, limit, i, n, lanes);
}

#ifdef ADM_X86
ADM_AVX2 static int64_t adm_scan_avx2(const adm_records *r, const adm_limits *limit, int64_t i,
                                      int64_t n, uint8_t *lanes) {
  return adm_scan_body(r, limit, i, n, lanes);
}
#endif

typedef int64_t (*adm_scan_function)(const adm_records *, const adm_limits *, int64_t, int64_t,
                                     uint8_t *);

static adm_scan_function adm_choose_scan(void) {
#ifdef ADM_X86
  if (adm_has_avx2()) return adm_scan_avx2;
#endif
  return adm_scan_plain;
}

#endif
