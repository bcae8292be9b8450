# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Quick tests of arguments, for what most calls pass. Private: the public functions use them.

Where a test says no, the caller finds out what is wrong and says so.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from adm_core._kernels.arrays cimport image_of, items_of, out_of

from numpy import ndarray


def is_plain_grid(grid, free_max, occupied_min):
    """Tell whether a grid and its thresholds can be used as they are.

    True only for a C-contiguous NumPy array int8[rows, cols] and two ints with
    ``0 <= free_max < occupied_min <= 127``. False says nothing about what is wrong.
    """
    cdef int64_t rows = 0, cols = 0
    if not (
        isinstance(grid, ndarray)
        and type(free_max) is int
        and type(occupied_min) is int
        and 0 <= free_max < occupied_min <= 127
    ):
        return False
    try:
        image_of(grid, b"b", 1, &rows, &cols)
    except (ValueError, BufferError):
        return False
    return True


def is_plain_image(image, bytes formats, tuple shape):
    """Tell whether a kernel can read an image: C-contiguous, of one of the types, of this shape.

    `formats` are letters of item types as in the module ``struct``.
    """
    cdef int64_t rows = 0, cols = 0
    if not isinstance(image, ndarray):
        return False
    try:
        image_of(image, formats, image.itemsize, &rows, &cols)
    except (ValueError, BufferError):
        return False
    return len(shape) == 2 and rows == shape[0] and cols == shape[1]


def is_plain_array(array, bytes formats, int dimensions):
    """Tell whether a kernel can read an array: C-contiguous, of one of the types."""
    if not isinstance(array, ndarray) or array.ndim != dimensions:
        return False
    try:
        items_of(array, formats, array.itemsize, array.size)
    except (ValueError, BufferError):
        return False
    return True


def are_plain_poses(positions, headings):
    """Tell whether a kernel can read poses: int64[n, 2] and float64[n], C-contiguous arrays."""
    cdef int64_t n = 0, two = 0
    if not (isinstance(positions, ndarray) and isinstance(headings, ndarray)):
        return False
    try:
        image_of(positions, b"lq", 8, &n, &two)
        items_of(headings, b"d", 8, n)
    except (ValueError, BufferError):
        return False
    return two == 2 and headings.ndim == 1


def flatten_cells(
    cells,  # IN: int64[n, 2] (row, col), or int64[n] flat indices
    int64_t rows,
    int64_t cols,
    out,    # OUT: int64[n] flat indices
):
    """Write the flat index of each cell; return the number of the first one off the grid, or -1."""
    cdef:
        int64_t n = len(cells), k, row, col
        int pairs = cells.ndim - 1
        const int64_t* cell = <const int64_t*>items_of(cells, b"lq", 8, n << pairs)
        int64_t* flat = <int64_t*>out_of(out, b"lq", 8, n)
    for k in range(n):
        if pairs:
            row, col = cell[2 * k], cell[2 * k + 1]
            if not (0 <= row < rows and 0 <= col < cols):
                return k
            flat[k] = row * cols + col
        elif 0 <= cell[k] < rows * cols:
            flat[k] = cell[k]
        else:
            return k
    return -1


def longest_distance(
    dist,  # IN: float64[n, n]
    int64_t size,
):
    """Return the largest entry of symmetric, finite distances >= 0, or -1 if they are not."""
    cdef:
        const double* row = <const double*>items_of(dist, b"d", 8, size * size)
        const double* column
        double most = 0.0
        bint right = True
        int64_t i, j
    with nogil:
        for i in range(size):
            column = row - i * size + i
            for j in range(i + 1):  # the other half is looked at through its mirror image
                right = right & (row[j] == column[j * size]) & (row[j] >= 0)
                most = row[j] if row[j] > most else most
            row += size
    return most if right and most < INFINITY else -1.0
