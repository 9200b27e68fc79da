cimport cython

from webquarry._read.main_content.blocks cimport Flow, count_characters
from webquarry._read.main_content.rules.block_marks cimport list_marked, mark_blocks

cdef Py_ssize_t _SHORT
cdef double _MOST_KEPT
cdef double _POSSIBLE
cdef double _MOST_LINKS
cdef int _SET_ASIDE

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, length=Py_ssize_t,
               kept_length=Py_ssize_t, flags=int, chance=double, text=str, chosen=bytearray)
cpdef list fill_short_page(Flow flow, chances, list kept)
