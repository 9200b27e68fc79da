cimport cython

from webquarry._read.main_content.blocks cimport Flow

cdef double _UNLIKELY
cdef int _CAPTION
cdef int _SET_ASIDE

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, flags=int, chance=double)
cpdef list add_captions(Flow flow, chances, list kept)
