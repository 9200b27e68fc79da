cpdef bint is_layer(dict declarations) except -1
