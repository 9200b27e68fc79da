cimport cython

from webquarry._read.main_content.blocks cimport Flow
from webquarry._read.main_content.rules.block_marks cimport list_marked, mark_blocks

cdef int _LEVELS
cdef Py_ssize_t _FEWEST
cdef double _MOST
cdef double _POSSIBLE
cdef double _MOST_LINKS
cdef int _SET_ASIDE

@cython.locals(size=Py_ssize_t, index=Py_ssize_t, box=Py_ssize_t, count=Py_ssize_t, flags=int, name=str, missing=list,
               blocks=list, known=list, kind=tuple, alike=dict, wanted=set, chosen=bytearray, is_possible=bytearray)
cpdef list add_siblings(Flow flow, chances, list kept)

@cython.locals(index=Py_ssize_t, in_links=Py_ssize_t, early=double, late=double, text=str)
cdef list _find_missing(Flow flow, chances, bytearray chosen)

@cython.locals(kind=list)
cdef tuple _find_kind(Flow flow, Py_ssize_t box)
