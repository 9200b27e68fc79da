cimport cython

from webquarry._read.css.nesting cimport RawRule
from webquarry._read.css.selectors.matching cimport SelectorContext
from webquarry._read.css.selectors.model cimport ElementNames
from webquarry._read.visibility.sheet.rule_matcher cimport (
    MergedRules,
    NamedElements,
    Rule,
    RuleMatcher,
    merge_rules,
)

cdef class Stylesheet:
    cdef public set seen
    cdef set _revealed
    cdef set _shown_by_width
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
    cdef object _known
    cdef object _texts
    cdef object _variables
    cdef bint _unread
    cdef bint _is_asked
    cdef RuleMatcher _matcher
    cdef dict _merged
    cdef dict _named
    cdef dict _put_over

    @cython.locals(bodies=list, body=str, raw=RawRule)
    cdef _read_rules(self)
    cdef bint _passes_over(self, RawRule raw, str body) except -1
    cdef _read_parts(self, list bodies)
    @cython.locals(keys=set, rule=Rule)
    cdef set _find_gate_keys(self)
    cdef set _find_hiding_keys(self)
    @cython.locals(texts=list, needed=list, is_decided=bint, is_sure=bint, sets_background=bint)
    cdef _add_rule(self, rule)
    cdef _note_states(self, list selectors, dict declared, bint sets_background)
    cdef bint _concerns(self, str selector) except -1
    @cython.locals(named=NamedElements, has_own=bint)
    cpdef dict style_of(self, element, tuple own)
    cdef bint _may_hide_by_unsure(self, element, bits, unsure, tuple own) except -1
    @cython.locals(merged=MergedRules, has_own=bint)
    cdef dict _resolve(self, element, bits, tuple own)
    @cython.locals(names=ElementNames, named=NamedElements)
    cdef NamedElements _find_named(self, element)
    @cython.locals(known=tuple, style=dict)
    cdef dict _add_own(self, MergedRules merged, tuple own)
    @cython.locals(merged=MergedRules, rules=list)
    cdef MergedRules _find_merged(self, bits)
