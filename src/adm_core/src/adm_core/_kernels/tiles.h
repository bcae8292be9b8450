/* Change of room type along a row of a tile, as one word. */
#ifndef ADM_TILES_H
#define ADM_TILES_H

#include "bitrows.h"

enum { TILE = 64, TILE_RUNS = TILE * TILE, TILE_LINKS = 2 * TILE };

/* Bit k (k > 0): cells k - 1 and k have different types, `bytes` (1 or 2) each. Bit k of
 * `labelled`: the type of cell k is not 0. */
static inline uint64_t tile_changes(const uint8_t *types, int64_t n, int bytes,
                                    uint64_t *labelled) {
  uint64_t change = 0, some = 0;
  if (n == TILE && bytes == 1) { /* eight cells a step */
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t before = types[0];
    for (int k = 0; k < 8; k++) {
      uint64_t here, step;
      memcpy(&here, types + 8 * k, 8);
      step = here ^ (here << 8 | before);
      before = here >> 56;
      change |= bit_gather_plain(((step & low) + low) | step) << 8 * k;
      some |= bit_gather_plain(((here & low) + low) | here) << 8 * k;
    }
  } else {
    uint16_t here, before = 0;
    for (int64_t k = 0; k < n; k++) {
      here = types[bytes * k];
      if (bytes == 2) memcpy(&here, types + 2 * k, 2);
      change |= (uint64_t)(k > 0 && here != before) << k;
      some |= (uint64_t)(here != 0) << k;
      before = here;
    }
  }
  *labelled = some;
  return change;
}

#endif
