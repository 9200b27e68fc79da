from webquarry.read.css.selectors.matching cimport Matcher

cdef class RuleMatcher:
    cdef list _rules
    cdef public Matcher matcher
    cdef public bint has_rules
    cdef public object hiding
    cdef public object unsure

    cpdef match(self, element, names)
    cpdef list rules_of(self, bits)
