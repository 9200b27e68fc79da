cimport cython

from webquarry._read.main_content.blocks cimport Flow, count_characters
from webquarry._read.main_content.rules.block_marks cimport mark_blocks
from webquarry._read.main_content.rules.runs.find cimport find_runs

cdef Py_ssize_t _MOST_BLOCKS
cdef double _LEAST_PRICED
cdef double _LEAST_BESIDE_MENUS
cdef double _MOST_KEPT

@cython.locals(total=Py_ssize_t, unlinked=Py_ssize_t, links=Py_ssize_t, least=double, kept_text=Py_ssize_t, index=Py_ssize_t, length=Py_ssize_t, count=Py_ssize_t,
               unit=tuple, start=Py_ssize_t, end=Py_ssize_t, kept_of_list=Py_ssize_t, besides=Py_ssize_t, text=str,
               text_before=list, units=list, blocks=list, marks=bytearray,
               everywhere=bytearray)
cpdef list add_units(Flow flow, list kept)
