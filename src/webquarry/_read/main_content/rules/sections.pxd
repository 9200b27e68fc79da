cimport cython

from webquarry._read.main_content.blocks cimport Flow

cdef double _SURE
cdef Py_ssize_t _LONGEST
cdef int _SET_ASIDE

@cython.locals(heading=Py_ssize_t, box=Py_ssize_t, level=int, chance=double, added=list)
cpdef list add_sections(Flow flow, chances, list kept)

@cython.locals(box=Py_ssize_t, own_box=Py_ssize_t, end=Py_ssize_t, place=Py_ssize_t, next_kept=Py_ssize_t,
               index=Py_ssize_t, length=Py_ssize_t, own_level=int, text=str, section=list)
cdef list _find_section(Flow flow, Py_ssize_t heading, int level, list kept)
