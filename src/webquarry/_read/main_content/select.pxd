cimport cython

from webquarry._read.main_content.blocks cimport Flow

cdef int _FALLBACK

@cython.locals(index=Py_ssize_t, size=double, hits=double, chance=double, own_words=double)
cdef _expect_f1(list kept, probabilities, list words)

@cython.locals(block=Py_ssize_t, box=Py_ssize_t, flags=int)
cpdef bint has_fallback(Flow flow, list blocks) except -1
