cimport cython

cdef class Contenders:
    cdef object _rules
    cdef object _find_words
    cdef list _words
    cdef dict _by_key
    cdef bint _is_read
    cdef frozenset _attributes

    cpdef list find(self, key)
    cpdef bint has_attributes(self) except -1
    cpdef list find_attributes(self, element)
    cdef _read(self)
    @cython.locals(text=str)
    cdef bint _matters(self, bytes body) except -1
