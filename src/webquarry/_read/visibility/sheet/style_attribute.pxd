cdef class StyleAttribute:
    cdef public tuple declared
    cdef public dict both
    cdef public bint has_calls
