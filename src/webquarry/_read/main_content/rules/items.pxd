cimport cython

from webquarry._read.main_content.blocks cimport Flow, count_characters

cdef int _LEVELS
cdef double _LEAST_KEPT
cdef Py_ssize_t _LONGEST
cdef double _POSSIBLE
cdef int _SET_ASIDE

@cython.locals(item=Py_ssize_t, items=list, missing=list, added=list, items_of=dict, is_kept=bytearray)
cpdef list add_items(Flow flow, chances, list kept)

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, last=Py_ssize_t, tag=str, marks=bytearray)
cdef bytearray _mark_items(Flow flow, list kept)

@cython.locals(box=Py_ssize_t, tag=str, items=list, items_of=dict)
cdef dict _list_items(Flow flow, bytearray is_kept)

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, flags=int, chance=double)
cdef list _find_text(Flow flow, chances, Py_ssize_t item)
