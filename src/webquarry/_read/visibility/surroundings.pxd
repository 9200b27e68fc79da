cdef class Surroundings:
    cdef object _roots
    cdef object _find_layout
    cdef object _has_scripts
    cdef bytes _css
    cdef object _is_still
    cdef public set covered
    cdef set _narrow
    cdef set _collapsed
    cdef set _empty_clips

    cpdef bint may_hide(self, parent) except -1
    cdef bint _is_page_still(self) except -1
    cpdef judge(self, element, dict declarations, parent)
