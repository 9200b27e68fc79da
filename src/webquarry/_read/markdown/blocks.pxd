cimport cython

cdef class _Container:
    cdef public str marker
    cdef public str indent
    cdef public bint started

cdef class Blocks:
    cdef list _parts
    cdef list _open
    cdef Py_ssize_t _skipped
    cdef str _indent
    cdef public bint tight

    cpdef str text(self)
    cpdef bint has_item(self)
    cpdef Py_ssize_t count(self)
    cpdef open(self, str marker, str indent)
    @cython.locals(container=_Container, outer_length=Py_ssize_t)
    cpdef close(self)
    @cython.locals(parts=list, before=str, first=str, container=_Container)
    cpdef add(self, text)
