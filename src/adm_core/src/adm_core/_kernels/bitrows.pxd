"""Declarations of ``bitrows.h`` and of the packing that several kernels share."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t


cdef extern from "bitrows.h" nogil:
    enum: BIT_ROWS
    enum: BIT_MAX_STEPS

    ctypedef struct BitOps:
        void (*pack_row)(const uint8_t*, int64_t, int, uint64_t*, uint64_t*) noexcept nogil
        uint64_t (*edge_row)(
            const uint64_t*, const uint64_t*, const uint64_t*, const uint64_t*, int64_t, uint64_t*
        ) noexcept nogil
        uint64_t (*rank_row)(const uint64_t*, int64_t, uint64_t, uint64_t*) noexcept nogil
        void (*mask_row)(
            const uint8_t*, const uint8_t*, const uint8_t*, int64_t, uint8_t, uint8_t*
        ) noexcept nogil
        int64_t (*list_row)(const uint64_t*, int64_t, int64_t, int64_t*) noexcept nogil
        uint64_t* (*grow)(const uint64_t*, uint64_t*, uint64_t*, int) noexcept nogil
        uint64_t (*take)(uint64_t, uint64_t, uint64_t*, int64_t, int32_t, int32_t*) noexcept nogil
        int64_t (*spots)(uint64_t, uint64_t, int64_t, int64_t*) noexcept nogil

    const BitOps* bit_ops(int wide) noexcept nogil
    int64_t bit_room(int64_t) noexcept nogil
    int bit_count(uint64_t) noexcept nogil
    int bit_low(uint64_t) noexcept nogil
    int bit_high(uint64_t) noexcept nogil
    uint64_t bit_window(const uint64_t*, int) noexcept nogil
    int bit_nearer(int64_t, int64_t, int64_t, int64_t) noexcept nogil


cdef inline int64_t words_of(int64_t cols) noexcept nogil:
    return (cols + 63) >> 6


cdef inline uint64_t* ring_row(uint64_t* ring, int64_t words, int64_t r) noexcept nogil:
    # Four rows of unknown bits in turn, each with a rim word on both sides. Three are looked at
    # while the fourth is written: what was written just now cannot be read in one piece yet.
    return ring + (r & 3) * (words + 2) + 1


cdef inline void load_row(
    const BitOps* ops,
    const uint8_t* grid,
    int64_t rows,
    int64_t cols,
    int64_t r,
    int free_max,
    bint border,
    uint64_t* free,
    uint64_t* unknown,
) noexcept nogil:
    # Row r of the grid as bits; a row off the grid has nothing free (`free` is not written)
    # and is unknown if the border is.
    cdef:
        int64_t words = words_of(cols), k
        uint64_t rim = <uint64_t>-1 if border else 0
    unknown[-1] = unknown[words] = rim
    if r < 0 or r >= rows:
        for k in range(words):
            unknown[k] = rim
        return
    ops.pack_row(grid + r * cols, cols, free_max, free, unknown)
    if border and cols & 63:  # the cell behind the last column
        unknown[words - 1] |= <uint64_t>1 << (cols & 63)
