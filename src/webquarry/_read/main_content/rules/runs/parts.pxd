cimport cython

from webquarry._read.main_content.blocks cimport Flow
from webquarry._read.main_content.rules.block_marks cimport list_marked, mark_blocks
from webquarry._read.main_content.rules.runs.find cimport find_runs

cdef int _LEVELS
cdef Py_ssize_t _MOST_BLOCKS
cdef Py_ssize_t _LONGEST_MEAN
cdef double _MOST
cdef double _LEAST_KEPT
cdef double _MOSTLY_LINK
cdef double _LEAST_DISTINCT
cdef Py_ssize_t _LEAST_MEAN
cdef double _POSSIBLE
cdef int _SET_ASIDE

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, flags=int, chance=double, units=list, added=list, is_wanted=bytearray,
               chosen=bytearray)
cpdef list add_unit_parts(Flow flow, chances, list kept)

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, blocks=Py_ssize_t, parent=Py_ssize_t, marks=bytearray, seen=bytearray,
               first_of=dict, card=tuple)
cdef bytearray _mark_parents(Flow flow, list kept)

@cython.locals(blocks=Py_ssize_t, length=Py_ssize_t, holding=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t,
               size=Py_ssize_t, index=Py_ssize_t, unit=tuple, text=str)
cdef bint _may_be_completed(Flow flow, list units, bytearray chosen) except -1

@cython.locals(index=Py_ssize_t, count=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, last_kept=Py_ssize_t, least=double,
               unit=tuple, place=tuple, blocks=list, found=list, places=dict, names=dict)
cdef list _find_missing(Flow flow, list units, bytearray chosen)

@cython.locals(box=Py_ssize_t, place=list)
cdef tuple _find_place(Flow flow, Py_ssize_t index, Py_ssize_t unit)

@cython.locals(box=Py_ssize_t, level=int, text=str)
cdef bint _may_be_name(Flow flow, Py_ssize_t index) except -1

@cython.locals(index=Py_ssize_t, length=Py_ssize_t, text=str, distinct=set)
cdef bint _are_distinct(Flow flow, list blocks) except -1
