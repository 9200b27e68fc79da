# it is asked about every element that a rule may mean

cdef class ElementNames:
    cdef public object tag
    cdef public frozenset classes
    cdef public str identity

cdef class Compound:
    cdef public str text
    cdef public str tag
    cdef public str identity
    cdef public frozenset classes
    cdef public tuple tests
    cdef public tuple keys
    cdef public tuple specificity
    cdef public bint is_by_names

    cpdef bint names_fit(self, ElementNames names) except -1
    cpdef bint tests_fit(self, element, context) except -1

cdef class Selector:
    cdef public tuple steps
    cdef public tuple specificity
    cdef public Compound last
    cdef public bint is_compound

cdef class SelectorList:
    cdef public tuple selectors
