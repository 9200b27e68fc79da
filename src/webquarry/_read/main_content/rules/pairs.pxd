cimport cython

from webquarry._read.main_content.blocks cimport Flow

cdef Py_ssize_t _LONGEST_SAYING
cdef double _MOST_LINKS
cdef int _SET_ASIDE

cpdef list add_pairs(Flow flow, list kept)

@cython.locals(box=Py_ssize_t, parent=Py_ssize_t, last_parent=Py_ssize_t, holds_kept=bint, tag=str)
cdef list _find_heads(Flow flow, list kept)

@cython.locals(box=Py_ssize_t, tag=str, last_of=dict)
cpdef list find_definitions(Flow flow)

@cython.locals(box=Py_ssize_t, place=Py_ssize_t, end=Py_ssize_t)
cdef bint _holds_any(Flow flow, list boxes, list kept) except -1

@cython.locals(index=Py_ssize_t, length=Py_ssize_t, links=Py_ssize_t, text=str)
cdef bint _is_short(Flow flow, list boxes) except -1

@cython.locals(box=Py_ssize_t, own_box=Py_ssize_t, index=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, flags=int)
cdef list _list_blocks(Flow flow, list boxes)
