"""Pointers into NumPy arrays, for calls that must cost no more than the work on a small input.

A typed memoryview costs three times as much as the buffer that it is made from. These functions
ask for the buffer, compare layout, item type and size, and give it back at once: the memory of
a NumPy array stays where it is while somebody holds the array, and the caller does. Whoever calls
sees to it that they are NumPy arrays.
"""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport int64_t
from libc.string cimport strchr


cdef enum:
    ANY = -1  # number of items that is not compared


cdef inline bint holds(const Py_buffer* view, const char* formats, int64_t itemsize) noexcept:
    # Only native types have a format of one letter.
    return (
        view.itemsize == itemsize
        and view.format[1] == 0
        and strchr(formats, view.format[0]) != NULL
    )


cdef inline void* items_of(
    object array, const char* formats, int64_t itemsize, int64_t size, int flags=0
) except? NULL:
    """Return the items of a C-contiguous array that has `size` of them in one of `formats`."""
    cdef:
        Py_buffer view
        bint right
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | flags)
    right = holds(&view, formats, itemsize) and (size == ANY or view.len == size * itemsize)
    PyBuffer_Release(&view)
    if not right:
        raise ValueError("array of another type, size or layout")
    return view.buf


cdef inline void* column_of(
    object array, const char* formats, int64_t itemsize, int64_t size
) except? NULL:
    """As :func:`items_of`, of an array of one dimension."""
    cdef:
        Py_buffer view
        bint right
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    right = view.ndim == 1 and holds(&view, formats, itemsize) and view.shape[0] == size
    PyBuffer_Release(&view)
    if not right:
        raise ValueError("array of another type, size or layout")
    return view.buf


cdef inline void* out_of(
    object array, const char* formats, int64_t itemsize, int64_t size
) except? NULL:
    """Return the items of an array that will be written."""
    return items_of(array, formats, itemsize, size, PyBUF_WRITABLE)


cdef inline void* image_of(
    object array, const char* formats, int64_t itemsize, int64_t* rows, int64_t* cols
) except? NULL:
    """Return the items of a C-contiguous array of two dimensions, and its shape."""
    cdef:
        Py_buffer view
        bint right
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    right = view.ndim == 2 and holds(&view, formats, itemsize)
    if right:
        rows[0], cols[0] = view.shape[0], view.shape[1]
    PyBuffer_Release(&view)
    if not right:
        raise ValueError("array of another type, shape or layout")
    return view.buf


cdef inline void* made(object array) except? NULL:
    """Return the items of an array that the kernel itself has just made."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_WRITABLE)
    PyBuffer_Release(&view)
    return view.buf
