cimport cython

from webquarry._read.main_content.blocks cimport Flow

cdef int _HIDDEN
cdef Py_ssize_t _LONG
cdef Py_ssize_t _WHOLE_TEXT
cdef Py_ssize_t _LONGEST_NOTICE

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, flags=int, text=str, hidden=dict)
cpdef list prefer_visible(Flow flow, list kept)

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, first=Py_ssize_t, place=Py_ssize_t, text=str, beginning=str,
               firsts=dict, searches=list, parents=dict, single=list, long=list)
cpdef list drop_copies(Flow flow, kept)

cdef list _search_for(list beginnings)

@cython.locals(count=Py_ssize_t, start=Py_ssize_t, piece=str, found=set)
cdef bint _holds_two(str text, dict beginnings, list searches) except -1

@cython.locals(index=Py_ssize_t, about_them=list, suspects=set)
cpdef list drop_notices(Flow flow, list kept)

cpdef bint is_notice(str text) except -1
