cimport cython

from webquarry._read.main_content.blocks cimport Flow
from webquarry._read.main_content.rules.block_marks cimport list_marked, mark_blocks

cdef double _UNLIKELY

@cython.locals(index=Py_ssize_t, chance=double)
cdef list _keep_likely(chances, double threshold)

@cython.locals(index=Py_ssize_t, before=Py_ssize_t, box=Py_ssize_t, level=int, chance=double, chosen=bytearray)
cpdef list add_headings(Flow flow, chances, list kept)
