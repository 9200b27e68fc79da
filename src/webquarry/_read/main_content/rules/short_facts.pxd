cimport cython

from webquarry._read.main_content.blocks cimport Flow
from webquarry._read.main_content.rules.block_marks cimport mark_blocks

cdef int _LEVELS
cdef Py_ssize_t _FEWEST_UNITS
cdef Py_ssize_t _MOST_BLOCKS
cdef double _LEAST_KEPT
cdef Py_ssize_t _LONGEST
cdef double _POSSIBLE
cdef int _SET_ASIDE

@cython.locals(unit=Py_ssize_t, units_alike=list, units=list, mostly_kept=list, added=list, chosen=bytearray)
cpdef list add_short_facts(Flow flow, chances, list kept)

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, blocks=Py_ssize_t, parent=Py_ssize_t, tag=str, name=str, kind=tuple,
               known=list, alike=dict, seen=bytearray, units=list)
cdef list _find_units(Flow flow, list kept)

@cython.locals(length=Py_ssize_t, kept=Py_ssize_t, size=Py_ssize_t, index=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t,
               text=str)
cdef bint _is_mostly_kept(Flow flow, Py_ssize_t unit, bytearray chosen) except -1

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, flags=int, chance=double, text=str)
cdef list _find_facts(Flow flow, chances, Py_ssize_t unit, bytearray chosen)
