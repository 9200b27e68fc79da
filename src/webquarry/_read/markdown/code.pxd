cpdef bint is_beside_code(element) except -1
cdef bint _is_language(str value) except -1
