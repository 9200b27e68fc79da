from webquarry.read.css.selectors.matching cimport SelectorContext
from webquarry.read.visibility.sheet.rule_matcher cimport RuleMatcher

cdef class Stylesheet:
    cdef public set seen
    cdef public set revealed
    cdef public set shown_by_width
    cdef public Py_ssize_t undecided
    cdef public bint blind_to_background
    cdef public bint has_parts
    cdef public set keys
    cdef public frozenset attributes
    cdef SelectorContext _context
    cdef object _selectors
    cdef list _rules
    cdef set _unknown
    cdef bint _colours
    cdef object _only
    cdef object _texts
    cdef object _words
    cdef object _variables
    cdef set _read
    cdef bint _unread
    cdef object _contenders
    cdef dict _contending
    cdef RuleMatcher _hiding
    cdef dict _merged
    cdef dict _by_names
    cdef set _suspicious
    cdef dict _contended
    cdef bint _has_flat_boxes
    cdef bint _has_covers

    cpdef style_of(self, element, tuple own)
