cimport cython

from webquarry._read.main_content.blocks cimport Flow

cdef Py_ssize_t _FEWEST_UNITS
cdef int _SET_ASIDE

@cython.locals(box=Py_ssize_t, parent=Py_ssize_t, flags=int, tag=str, names=str, kind=tuple, card=tuple, alike=dict)
cpdef list find_runs(Flow flow, bytearray is_wanted)
