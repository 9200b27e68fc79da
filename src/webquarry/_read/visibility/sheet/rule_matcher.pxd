cimport cython

from webquarry._read.css.selectors.matching cimport Matcher
from webquarry._read.css.selectors.model cimport ElementNames, Selector

cdef class Rule:
    cdef public Selector selector
    cdef public dict ordinary
    cdef public dict important
    cdef public Py_ssize_t order
    cdef public Py_ssize_t layer
    cdef public bint is_sure

cdef class MergedRules:
    cdef public dict ordinary
    cdef public dict important
    cdef public dict both
    cdef public bint has_calls

cdef class RuleMatcher:
    cdef list _rules
    cdef public Matcher matcher
    cdef object _hiding
    cdef public object unsure

    cpdef match(self, element, ElementNames names)
    cpdef list rules_of(self, bits)

cdef class NamedElements:
    cdef public ElementNames names
    cdef public bint is_steady
    cdef public bint is_unknown
    cdef public object style

@cython.locals(rule=Rule)
cpdef MergedRules merge_rules(list rules)
