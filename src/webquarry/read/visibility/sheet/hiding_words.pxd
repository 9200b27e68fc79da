cpdef unsigned int find_hints(str body) except? 0
cdef bint _moves_away(str body, unsigned int found) except -1
