cimport cython

from webquarry.read.main_content.blocks cimport Flow, count_characters
from webquarry.read.main_content.rules.block_marks cimport mark_blocks

cdef Py_ssize_t _FEWEST_UNITS
cdef Py_ssize_t _MOST_BLOCKS
cdef double _LEAST_PRICED
cdef double _MOST_KEPT
cdef int _SET_ASIDE

@cython.locals(total=Py_ssize_t, kept_text=Py_ssize_t, index=Py_ssize_t, length=Py_ssize_t, count=Py_ssize_t,
               unit=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, kept_of_list=Py_ssize_t, besides=Py_ssize_t, text=str,
               text_before=list, units=list, blocks=list, marks=bytearray)
cpdef list add_units(Flow flow, list kept)

@cython.locals(box=Py_ssize_t, flags=int, tag=str, names=str, alike=dict, kind=tuple, known=list)
cdef list _find_lists(Flow flow)
