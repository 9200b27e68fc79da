cimport cython

from webquarry._read.main_content.blocks cimport Flow
from webquarry._read.main_content.rules.block_marks cimport list_marked, mark_blocks

cdef double _LIKELY
cdef double _LIKELY_BEHIND_CODE
cdef double _MOST_LINKS
cdef double _MOST_LINKS_IN_SENTENCE
cdef Py_ssize_t _LEAST_BESIDE_LINKS
cdef int _SET_ASIDE

@cython.locals(index=Py_ssize_t, size=Py_ssize_t, box=Py_ssize_t, flags=int, tag=str, chosen=bytearray)
cpdef list add_code(Flow flow, list kept)

@cython.locals(index=Py_ssize_t, size=Py_ssize_t, box=Py_ssize_t, before=Py_ssize_t, parent=Py_ssize_t, start=Py_ssize_t,
               one=double, other=double, chance=double, is_behind_code=bint, follows_in_box=bint, tag=str, chosen=bytearray)
cpdef list add_ends(Flow flow, chances, list kept)

@cython.locals(size=Py_ssize_t, is_sentence=bint)
cdef bint _is_mostly_links(str text, Py_ssize_t in_links) except -1

@cython.locals(size=Py_ssize_t, box=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, around=Py_ssize_t, index=Py_ssize_t,
               flags=int, tag=str, stands_between=bint, belongs=bint, chosen=bytearray)
cpdef list add_notes(Flow flow, chances, list kept)
