cdef class RuleJudge:
    cdef object _context
    cdef object _variables
    cdef bint _colours
    cdef public bint has_flat_boxes
    cdef public bint has_covers

    cpdef bint matters(self, str body, dict ordinary, dict important) except -1

cdef bint _paints_alike(dict style) except -1
