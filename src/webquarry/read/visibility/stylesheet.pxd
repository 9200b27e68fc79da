cimport cython

from webquarry.read.css.selectors.matching cimport SelectorContext
from webquarry.read.css.selectors.model cimport ElementNames
from webquarry.read.visibility.sheet.rule_matcher cimport (
    ContendingRules,
    MergedRules,
    NamedElements,
    RuleMatcher,
)

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
    cdef dict _alone
    cdef set _suspicious
    cdef dict _named
    cdef dict _contended
    cdef dict _put_over
    cdef dict _own
    cdef bint _has_flat_boxes
    cdef bint _has_covers

    @cython.locals(named=NamedElements, merged=MergedRules, has_own=bint, contends=bint)
    cpdef dict style_of(self, element, tuple own)
    @cython.locals(names=ElementNames, named=NamedElements)
    cdef NamedElements _find_named(self, element)
    @cython.locals(known=tuple)
    cdef bint _is_own_suspicious(self, tuple own) except -1
    @cython.locals(known=tuple, style=dict)
    cdef dict _add_own(self, MergedRules merged, tuple own)
    @cython.locals(alone=MergedRules, contending=ContendingRules, found=list, merged=MergedRules, place=Py_ssize_t)
    cdef MergedRules _find_merged(self, element, NamedElements named, bits, bint contends)
