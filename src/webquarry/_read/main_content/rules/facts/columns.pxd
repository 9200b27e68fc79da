cimport cython

from webquarry._read.main_content.blocks cimport Flow
from webquarry._read.main_content.rules.block_marks cimport list_marked, mark_blocks

cdef Py_ssize_t _FEWEST_CELLS
cdef Py_ssize_t _MOST_CELLS
cdef int _SET_ASIDE

@cython.locals(box=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, around=Py_ssize_t, index=Py_ssize_t, count=Py_ssize_t,
               flags=int, tag=str, follows_text=bint, chosen=bytearray)
cpdef list add_columns(Flow flow, chances, list kept)
