cimport cython

from webquarry._read.main_content.blocks cimport Flow
from webquarry._read.main_content.rules.block_marks cimport list_marked, mark_blocks

cdef int _LEVELS
cdef Py_ssize_t _FEWEST_ROWS
cdef Py_ssize_t _FEWEST_BLOCKS
cdef Py_ssize_t _MOST_BLOCKS
cdef double _LEAST_KEPT
cdef Py_ssize_t _LONGEST
cdef double _POSSIBLE
cdef double _MOST_LINKS
cdef int _SET_ASIDE

@cython.locals(size=Py_ssize_t, row=Py_ssize_t, index=Py_ssize_t, count=Py_ssize_t, length=Py_ssize_t, text=str,
               is_kept=bytearray, lists=list, rows=list, chosen=bytearray)
cpdef list add_rows(Flow flow, chances, list kept)

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, blocks=Py_ssize_t, marks=bytearray)
cdef bytearray _mark_rows(Flow flow, list kept)

@cython.locals(box=Py_ssize_t, blocks=Py_ssize_t, parent=Py_ssize_t, tag=str, names=str, kind=tuple, known=list,
               rows_of=dict, parents=set, rows=list)
cdef list _list_rows(Flow flow, bytearray is_kept)

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, flags=int, chance=double, text=str)
cdef int _add_missing(Flow flow, chances, Py_ssize_t row, bytearray chosen) except -1
