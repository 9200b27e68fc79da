cdef class StyleAttribute:
    cdef public tuple declared
    cdef public dict both
    cdef public bint has_calls
    cdef object _is_suspicious

    cpdef bint is_suspicious(self) except -1
