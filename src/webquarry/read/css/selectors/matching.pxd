# it is asked about every element that a rule may mean

cdef class SelectorBudget:
    cdef public Py_ssize_t left
    cdef object _count_more

    cpdef bint spend(self, Py_ssize_t tests) except -1

cdef class SelectorContext:
    cdef public list roots
    cdef public bint folds
    cdef public SelectorBudget budget
    cdef dict _names
    cdef dict _matchers
    cdef list _lists
    cdef dict _related
    cdef dict _positions
    cdef object _body
    cdef object _has_script

    cpdef names_of(self, element)
    cpdef parent_of(self, element)
    cpdef position_of(self, element, bint of_type, of)

cdef class Matcher:
    cdef SelectorContext _context
    cdef list _states
    cdef object _start
    cdef object _beside
    cdef object _linking
    cdef object _links
    cdef object _sure
    cdef object _checked
    cdef object _tested
    cdef public bint has_attribute_keys
    cdef dict _fits
    cdef dict _handed
    cdef dict _inside
    cdef dict _siblings
    cdef set _counted
    cdef object _all

    cpdef match(self, element)
    cpdef match_named(self, element, names)
    cpdef bint is_by_names(self, element) except -1
    cdef _match(self, element, names)
    cdef _fit(self, element, names)
    cdef _fit_names(self, names, keys)
    cdef _test(self, element, fit)
    cdef tuple _find_inside(self, element)
    cdef _find_beside(self, element)
    cdef _hand_on(self, states)
