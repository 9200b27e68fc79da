# thousands of these are made of a long sheet

cdef class RawRule:
    cdef public bytes selectors
    cdef public bytes body
    cdef public int when
    cdef public Py_ssize_t order
    cdef public object outer
    cdef public object layer
