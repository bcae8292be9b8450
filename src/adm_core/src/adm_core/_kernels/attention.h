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
  double near_rate;    /* the same of the factor of distance */
  int near;            /* ADM_NEAR_... */
  double score;        /* records that cannot reach it are skipped */
  double support;      /* so are those whose w * q * decay cannot reach this */
} adm_limits;

typedef double adm_v4d __attribute__((vector_size(32)));
typedef int64_t adm_v4i __attribute__((vector_size(32)));

#define ADM_INLINE static inline __attribute__((always_inline))

enum { ADM_NEAR_EXP, ADM_NEAR_RATIONAL, ADM_NEAR_NONE };

/* exp(x) >= this for x >= 0. */
#define ADM_EXP_AT_LEAST(x) (1.0 + (x) * (1.0 + (x) * (0.5 + (x) * (1.0 / 6.0))))

/* The sign bits of `may` tell which of records i..i+3 may enter. */
ADM_INLINE void adm_may_enter(const adm_records *r, const adm_limits *limit, int near, int64_t i,
                              adm_v4i *may) {
  adm_v4d w, q, tau, d, least;
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
  age = (adm_v4d)((adm_v4i)age & ~(age < 0.0)); /* NaN stays */
  /* exp(-x) >= 1 - x, so what holds for the exponential holds for the linear decay too. */
  const adm_v4d x = age * limit->decay_rate, y = d * limit->near_rate;
  if (near == ADM_NEAR_EXP)
    least = limit->score * ADM_EXP_AT_LEAST(y);
  else if (near == ADM_NEAR_RATIONAL)
    least = limit->score * (1.0 + y);
  else
    least = limit->score + 0.0 * d;
  const adm_v4d floor = {limit->support, limit->support, limit->support, limit->support};
  const adm_v4i higher = floor > least; /* not if `least` is NaN */
  least = (adm_v4d)(((adm_v4i)floor & higher) | ((adm_v4i)least & ~higher));
  /* The small factor is far above the rounding of either side. Bad values are never skipped, the
   * careful path reports them: a comparison with NaN is false, and a sign lets a record in. */
  const adm_v4i out = w * q * (1.0 + 1e-9) < ADM_EXP_AT_LEAST(x) * least;
  *may = ~out | (adm_v4i)w | (adm_v4i)q | (adm_v4i)d;
}

/* Return the first group start >= i (a step of ADM_GROUP) with a record that may enter, and
 * which ones in `lanes`; or the last full group's end. */
ADM_INLINE int64_t adm_scan_near(const adm_records *r, const adm_limits *limit, int near,
                                 int64_t i, int64_t n, uint8_t *lanes) {
  const adm_limits fixed = *limit;
  for (; i + ADM_GROUP <= n; i += ADM_GROUP) {
    adm_v4i a, b;
    adm_may_enter(r, &fixed, near, i, &a);
    adm_may_enter(r, &fixed, near, i + 4, &b);
    const adm_v4i any = a | b;
    if ((any[0] | any[1] | any[2] | any[3]) < 0) {
      for (int k = 0; k < 4; k++) {
        lanes[k] = a[k] < 0;
        lanes[k + 4] = b[k] < 0;
      }
      return i;
    }
  }
  return i;
}

ADM_INLINE int64_t adm_scan_body(const adm_records *r, const adm_limits *limit, int64_t i,
                                 int64_t n, uint8_t *lanes) {
  switch (limit->near) {
    case ADM_NEAR_EXP: return adm_scan_near(r, limit, ADM_NEAR_EXP, i, n, lanes);
    case ADM_NEAR_RATIONAL: return adm_scan_near(r, limit, ADM_NEAR_RATIONAL, i, n, lanes);
    default: return adm_scan_near(r, limit, ADM_NEAR_NONE, i, n, lanes);
  }
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
