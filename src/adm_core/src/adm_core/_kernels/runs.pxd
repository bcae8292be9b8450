"""Declarations of ``runs.h``: components on runs, for whole maps and for windows of them."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t


cdef extern from "runs.h" nogil:
    ctypedef struct adm_runs:
        int32_t* start
        int32_t* end
        uint32_t* label
        int64_t* row
        uint64_t* edge
        int64_t rows, cols, size, edges, labels

    ctypedef struct adm_run_source:
        const int8_t* grid
        const void* type
        int64_t rows, cols, grid_pitch, type_pitch
        int kind, free_max, untyped

    int adm_runs_scan(adm_runs*, const adm_run_source*)
    int adm_runs_append(adm_runs*, const adm_runs*, const adm_run_source*)
    int adm_runs_number(adm_runs*)
    void adm_runs_close(adm_runs*)
    void adm_runs_paint(const adm_runs*, int32_t*, int64_t, int64_t)
    int32_t adm_runs_at(const adm_runs*, int64_t, int64_t)
