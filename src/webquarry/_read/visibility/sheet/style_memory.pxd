cimport cython

cdef class KnownStyle:
    cdef public dict declarations
    cdef public object reason
    cdef public bint is_shrinking
    cdef public bint depends_on_boxes
    cdef public dict computed

cdef class StyleMemory:
    cdef dict _same
    cdef dict _alike

    @cython.locals(same=tuple, key=tuple)
    cpdef KnownStyle find(self, dict declarations)
    @cython.locals(computed=dict, key=tuple, known=tuple)
    cpdef compute_child(self, element, dict declarations, parent, double root_size, bint is_painted_elsewhere)
