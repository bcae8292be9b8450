# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Room instances and their borders. Private: call ``rooms.instances``."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t

from adm_core._kernels.arrays cimport image_of, items_of, made, out_of
from adm_core._kernels.runs cimport (
    adm_run_source,
    adm_runs,
    adm_runs_append,
    adm_runs_at,
    adm_runs_close,
    adm_runs_number,
    adm_runs_paint,
    adm_runs_scan,
)

from numpy import dtype, empty

cdef object UINT16 = dtype("u2"), INT32 = dtype("i4"), INT64 = dtype("i8")


cdef class Runs:
    """The runs of a map, joined to components; made by :func:`find_runs`.

    Attributes
    ----------
    labels, edges, size : int
        Number of components, of pairs that touch, and of runs.
    """

    cdef:
        adm_runs runs
        int kind  # bytes of a room type

    def __dealloc__(self):
        adm_runs_close(&self.runs)

    @property
    def labels(self):
        return self.runs.labels

    @property
    def edges(self):
        return self.runs.edges

    @property
    def size(self):
        return self.runs.size

    def join(self, below, grid, room_type):
        """Put strips below this one, in order from the top, and number the components.

        `below` are runs of the rest of the rows, the images those that all were found in.
        """
        cdef:
            adm_run_source source
            Runs strip
            bint failed = False
        open_source(&source, grid, room_type)
        for strip in below:
            with nogil:
                failed = failed or adm_runs_append(&self.runs, &strip.runs, &source) < 0
        if failed or adm_runs_number(&self.runs) < 0:
            raise MemoryError

    def paint(self, out, int64_t first=0, int64_t end=-1):
        """Write the label of every cell, 0 for none, to rows `first`..`end` - 1 of `out`.

        `out` is int32[rows, cols]; all of its rows by default.
        """
        cdef int32_t* image = <int32_t*>out_of(out, b"i", 4, self.runs.rows * self.runs.cols)
        if end < 0:
            end = self.runs.rows
        with nogil:
            adm_runs_paint(&self.runs, image, first, end)

    def measure(self, room_type):
        """Measure the components; `room_type` is the image that the runs were found in.

        Returns
        -------
        tuple
            types uint16[n], areas int64[n], first cells int64[n], boxes int32[n, 4] as (row, col,
            row end, col end) and edges int32[m, 2], pairs (smaller label, larger label), sorted.
        """
        cdef:
            int64_t n = self.runs.labels, m = self.runs.edges, k, rows = 0, cols = 0
            const void* image = image_of(room_type, b"BH", self.kind, &rows, &cols)
            object types = empty(n, UINT16), areas = empty(n, INT64), firsts = empty(n, INT64)
            object boxes = empty((n, 4), INT32), edges = empty((m, 2), INT32)
            int32_t* pair = <int32_t*>made(edges)
            Measures out
        if rows != self.runs.rows or cols != self.runs.cols:
            raise ValueError("image of another size")
        out.types, out.areas = <uint16_t*>made(types), <int64_t*>made(areas)
        out.firsts, out.boxes = <int64_t*>made(firsts), <int32_t*>made(boxes)
        with nogil:
            measure(&self.runs, image, self.kind, &out)
            for k in range(m):
                pair[2 * k] = <int32_t>(self.runs.edge[k] >> 32)
                pair[2 * k + 1] = <int32_t>(self.runs.edge[k] & <int64_t>0x7FFFFFFF)
        return types, areas, firsts, boxes, edges

    def read_labels(self, cells, out):
        """Write the label (int32) of each cell (flat index, int64), 0 for none.

        Returns the number of the first cell that lies off the map, or -1.
        """
        cdef:
            int64_t k, n = len(cells), cols = self.runs.cols, size = self.runs.rows * cols
            const int64_t* cell = <const int64_t*>items_of(cells, b"lq", 8, n)
            int32_t* label = <int32_t*>out_of(out, b"i", 4, n)
        with nogil:
            for k in range(n):
                if not 0 <= cell[k] < size:
                    break
                label[k] = adm_runs_at(&self.runs, cell[k] // cols, cell[k] % cols)
            else:
                k = -1
        return k

    def read_overlaps(self, Runs other, int64_t down, int64_t right, int64_t[:, ::1] out):
        """Write (own label, label of `other`, cells) for each pair of runs that overlap.

        Cell (r, c) of this map is cell (r + `down`, c + `right`) of `other`. Pairs of labels
        repeat, once for each pair of runs. Returns their number; if it is larger than
        ``len(out)`` only the first ones were written.
        """
        cdef:
            Py_ssize_t r, q, a, b, a_end, b_end, count = 0
            int64_t low, high
        with nogil:
            for r in range(self.runs.rows):
                q = r + down
                if q < 0 or q >= other.runs.rows:
                    continue
                a = self.runs.row[r]
                a_end = self.runs.row[r + 1]
                b = other.runs.row[q]
                b_end = other.runs.row[q + 1]
                while a < a_end and b < b_end:
                    low = max(<int64_t>self.runs.start[a] + right, <int64_t>other.runs.start[b])
                    high = min(<int64_t>self.runs.end[a] + right, <int64_t>other.runs.end[b])
                    if low < high:
                        if count < out.shape[0]:
                            out[count, 0] = self.runs.label[a]
                            out[count, 1] = other.runs.label[b]
                            out[count, 2] = high - low
                        count += 1
                    if <int64_t>self.runs.end[a] + right == high:
                        a += 1
                    else:
                        b += 1
        return count


cdef struct Measures:
    uint16_t* types
    int64_t* areas
    int64_t* firsts
    int32_t* boxes


cdef void measure(
    const adm_runs* runs, const void* image, int kind, Measures* out
) noexcept nogil:
    cdef:
        int64_t r, k, i, at
        int32_t start, end
        int32_t* box
    for i in range(runs.labels):
        out.areas[i] = 0
    for r in range(runs.rows):
        for k in range(runs.row[r], runs.row[r + 1]):
            i = <int64_t>runs.label[k] - 1
            start, end = runs.start[k], runs.end[k]
            box = out.boxes + 4 * i
            if out.areas[i] == 0:
                at = r * runs.cols + start
                out.types[i] = (
                    (<const uint8_t*>image)[at] if kind == 1 else (<const uint16_t*>image)[at]
                )
                out.firsts[i] = at
                box[0], box[1], box[3] = <int32_t>r, start, end
            out.areas[i] += end - start
            box[1] = min(box[1], start)
            box[2] = <int32_t>r + 1
            box[3] = max(box[3], end)


cdef int open_source(adm_run_source* source, grid, room_type) except -1:
    cdef int64_t rows = 0, cols = 0
    source.grid = <const int8_t*>image_of(grid, b"b", 1, &source.rows, &source.cols)
    source.kind = room_type.itemsize
    source.type = image_of(room_type, b"BH", source.kind, &rows, &cols)
    if rows != source.rows or cols != source.cols:
        raise ValueError("images of different size")
    source.grid_pitch = source.type_pitch = cols
    return 0


def find_runs(
    grid,       # IN
    room_type,  # IN
    int free_max,
    bint untyped,
    int64_t first=0,
    int64_t end=-1,
):
    """Find the 4-connected components of free cells of equal type.

    Parameters
    ----------
    grid : int8[rows, cols]
        A cell is free if its value is 0..`free_max`.
    room_type : uint8[rows, cols] or uint16[rows, cols]
    free_max : int
        0..127.
    untyped : bool
        Whether free cells of type 0 form components, or none.
    first, end : int
        A strip of rows (default: all). The strips of a map have to be joined with
        :meth:`Runs.join` before anything else can be asked.

    Returns
    -------
    Runs

    Raises
    ------
    ValueError
        If an image has another type, layout or size; which one is for the caller to say.

    Notes
    -----
    One pass over both images; 12 bytes a run.
    """
    cdef:
        Runs found = Runs.__new__(Runs)
        adm_run_source source
        bint whole = end < 0, failed
    open_source(&source, grid, room_type)
    if not whole:
        source.grid += first * source.grid_pitch
        source.type = <const char*>source.type + first * source.type_pitch * source.kind
        source.rows = end - first
    source.free_max = free_max
    source.untyped = untyped
    found.kind = source.kind
    with nogil:
        failed = adm_runs_scan(&found.runs, &source) < 0
        if whole and not failed:
            failed = adm_runs_number(&found.runs) < 0
    if failed:
        raise MemoryError
    return found
