cimport cython

cdef class VisibilityTracker:
    cdef object _expandable
    cdef public object revealed
    cdef object _sheet
    cdef bint _certain
    cdef object _first_ground
    cdef object _style
    cdef list _above
    cdef dict _declared
    cdef dict _classes
    cdef object _roots
    cdef object _page_info
    cdef bint _knows_all_rules
    cdef object _scripts
    cdef double _root_size
    cdef object _surroundings
    cdef object _lookup
    cdef object _controls
    cdef object _effects
    cdef object _columns
    cdef dict _suspected
    cdef object _memory
    cdef set _ids
    cdef public frozenset tags
    cdef public frozenset watched
    cdef frozenset _special
    cdef public set quiet
    cdef public object muted

    cpdef bint is_plain(self, element, list names) except -1
    cpdef enter(self, element, list names)
    cpdef leave(self)
    cdef bint _apply(self, style) except -1
    cdef tuple _judge_names(self, element, list names)
