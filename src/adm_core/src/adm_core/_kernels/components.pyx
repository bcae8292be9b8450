# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Room instances and their borders. Private: call ``rooms.instances``."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t
from libc.string cimport memset

from adm_core._kernels.runs cimport (
    adm_run_source,
    adm_runs,
    adm_runs_at,
    adm_runs_close,
    adm_runs_open,
    adm_runs_paint,
)


ctypedef fused RoomType:
    uint8_t
    uint16_t


cdef class Runs:
    """The runs of a map, joined to components; made by :func:`find_runs`.

    Attributes
    ----------
    labels, edges, size : int
        Number of components, of pairs that touch, and of runs.
    """

    cdef adm_runs runs

    def __cinit__(self):
        memset(&self.runs, 0, sizeof(adm_runs))

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

    def paint(self, int32_t[:, ::1] out):
        """Write the label of every cell, 0 for none, over the whole of `out`."""
        if self.runs.rows == 0 or self.runs.cols == 0:
            return
        with nogil:
            adm_runs_paint(&self.runs, &out[0, 0])

    def read_edges(self, int32_t[:, ::1] out):
        """Write the pairs (smaller label, larger label), sorted, to int32[edges, 2]."""
        cdef Py_ssize_t k
        for k in range(self.runs.edges):
            out[k, 0] = <int32_t>(self.runs.edge[k] >> 32)
            out[k, 1] = <int32_t>(self.runs.edge[k] & <int64_t>0x7FFFFFFF)

    def read_components(
        self,
        const RoomType[:, ::1] room_type,  # IN
        uint16_t[::1] types,               # OUT
        int64_t[::1] areas,                # OUT
        int64_t[::1] first_cells,          # OUT
        int32_t[:, ::1] boxes,             # OUT
    ):
        """Write type, cells, first cell and (row, col, row end, col end) of each component."""
        cdef:
            Py_ssize_t r, k, i
            int32_t start, end
        with nogil:
            for i in range(self.runs.labels):
                areas[i] = 0
            for r in range(self.runs.rows):
                for k in range(self.runs.row[r], self.runs.row[r + 1]):
                    i = <Py_ssize_t>self.runs.label[k] - 1
                    start = self.runs.start[k]
                    end = self.runs.end[k]
                    if areas[i] == 0:
                        types[i] = room_type[r, start]
                        first_cells[i] = r * self.runs.cols + start
                        boxes[i, 0] = <int32_t>r
                        boxes[i, 1] = start
                        boxes[i, 3] = end
                    areas[i] += end - start
                    boxes[i, 1] = min(boxes[i, 1], start)
                    boxes[i, 2] = <int32_t>r + 1
                    boxes[i, 3] = max(boxes[i, 3], end)

    def read_labels(self, const int64_t[::1] cells, int32_t[::1] out):
        """Write the label of each cell (flat index on the map), 0 for none."""
        cdef Py_ssize_t k
        with nogil:
            for k in range(cells.shape[0]):
                out[k] = adm_runs_at(
                    &self.runs, cells[k] // self.runs.cols, cells[k] % self.runs.cols
                )

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


def find_runs(
    const int8_t[:, ::1] grid,         # IN
    const RoomType[:, ::1] room_type,  # IN
    int free_max,
    bint untyped,
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

    Returns
    -------
    Runs

    Notes
    -----
    One pass over both images; 12 bytes a run.
    """
    cdef:
        Runs found = Runs.__new__(Runs)
        adm_run_source source
        bint failed
    source.rows = grid.shape[0]
    source.cols = grid.shape[1] if grid.shape[0] else 0
    source.grid_pitch = source.type_pitch = source.cols
    source.grid = &grid[0, 0] if source.rows and source.cols else NULL
    source.type = &room_type[0, 0] if source.rows and source.cols else NULL
    source.kind = sizeof(RoomType)
    source.free_max = free_max
    source.untyped = untyped
    with nogil:
        failed = adm_runs_open(&found.runs, &source) < 0
    if failed:
        raise MemoryError
    return found
