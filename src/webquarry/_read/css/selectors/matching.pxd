# it is asked about every element that a rule may mean

cimport cython

from webquarry._read.css.selectors.model cimport Compound, ElementNames

cdef class SelectorBudget:
    cdef public Py_ssize_t left
    cdef object _count_more

    cpdef bint spend(self, Py_ssize_t tests) except -1

cdef class SelectorContext:
    cdef public list roots
    cdef public bint folds
    cdef public SelectorBudget budget
    cdef dict _names
    cdef dict _names_by_element
    cdef dict _matchers
    cdef list _lists
    cdef dict _related
    cdef dict _positions
    cdef object _body
    cdef object _has_script

    @cython.locals(names=ElementNames)
    cpdef ElementNames names_of(self, element)
    @cython.locals(key=tuple, names=ElementNames)
    cdef ElementNames _read_names(self, element)
    cpdef parent_of(self, element)
    cpdef position_of(self, element, bint of_type, of)

cdef class Matcher:
    cdef SelectorContext _context
    cdef list _compounds
    cdef list _relations
    cdef object _start
    cdef object _beside
    cdef object _linking
    cdef object _linked
    cdef dict _links
    cdef dict _sure
    cdef dict _checked
    cdef object _tested
    cdef set _attributes
    cdef dict _fits
    cdef dict _handed
    cdef dict _inside
    cdef dict _siblings
    cdef set _counted
    cdef object _all

    cpdef match(self, element)
    cpdef match_named(self, element, ElementNames names)
    cpdef bint is_by_names(self, element) except -1
    cdef _match(self, element, ElementNames names)
    @cython.locals(keys=list)
    cdef _fit(self, element, ElementNames names)
    @cython.locals(numbers=list, number=Py_ssize_t, compound=Compound)
    cdef _fit_names(self, ElementNames names, list keys)
    @cython.locals(budget=SelectorBudget, number=Py_ssize_t, compound=Compound)
    cdef _test(self, element, fit)
    @cython.locals(known=tuple, path=list, handed=tuple)
    cdef tuple _find_inside(self, element)
    @cython.locals(handed=tuple)
    cdef _find_beside(self, element)
    @cython.locals(masks=list, handed=tuple)
    cdef tuple _hand_on(self, states)

cdef list _keys_of(ElementNames names)
@cython.locals(word="unsigned long long", position=Py_ssize_t)
cpdef list bits_of(number)
