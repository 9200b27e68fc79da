cimport cython

from webquarry._read.main_content.blocks cimport Flow

cdef Py_ssize_t _LEAST_TEXT
cdef Py_ssize_t _FEWEST_IN_RUN
cdef Py_ssize_t _MOST_BLOCKS
cdef Py_ssize_t _LONGEST_FACT
cdef Py_ssize_t _LONGEST_PRICE
cdef Py_ssize_t _LONGEST_COMPANION
cdef Py_ssize_t _SHORTEST_LEAD
cdef double _MOST_LINKS
cdef double _MOST_LINKS_OF_FACT
cdef int _SET_ASIDE

@cython.locals(index=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, text=str, facts=list, added=list, company=list)
cpdef list add_title_facts(Flow flow, chances, list kept)

@cython.locals(title=Py_ssize_t)
cdef Py_ssize_t _find_title(Flow flow, Py_ssize_t text) except -2

@cython.locals(place=Py_ssize_t)
cdef Py_ssize_t _find_text(Flow flow, list kept) except -1

@cython.locals(index=Py_ssize_t, end=Py_ssize_t, other=Py_ssize_t, near=Py_ssize_t, text=str)
cdef bint _begins_text(Flow flow, list kept, Py_ssize_t place) except -1

@cython.locals(text=str, box=Py_ssize_t)
cdef bint _is_lead(Flow flow, Py_ssize_t index) except -1

@cython.locals(text=str, box=Py_ssize_t, in_links=Py_ssize_t, is_short=bint)
cdef bint _is_fact(Flow flow, Py_ssize_t index) except -1

@cython.locals(text=str)
cdef bint _may_accompany(Flow flow, Py_ssize_t index) except -1

@cython.locals(index=Py_ssize_t, chance=double, found=list)
cdef list _list_possible(Flow flow, chances, list blocks, double possible)

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, flags=int, found=list)
cdef list _list_shown(Flow flow, list blocks)
