# it reads the selectors of every rule that may hide something

cimport cython

cdef class _Parts:
    cdef public str tag
    cdef public list identities
    cdef public set classes
    cdef public list tests
    cdef public list weight

cdef class SelectorParser:
    cdef bint _folds

    @cython.locals(parts=_Parts, place=Py_ssize_t, start=Py_ssize_t)
    cpdef tuple _read_compound(self, str text, Py_ssize_t place, parent, int depth)
    cdef _add_parent(self, _Parts parts, parent)
    cdef _add_either(self, _Parts parts, selectors, weight)
    cdef Py_ssize_t _read_name(self, str text, Py_ssize_t place, _Parts parts) except -1
    cdef Py_ssize_t _read_attribute(self, str text, Py_ssize_t place, _Parts parts) except -1
    cdef Py_ssize_t _read_pseudo(self, str text, Py_ssize_t place, _Parts parts, parent, int depth) except -1
    cdef _add_bare(self, str name, _Parts parts, parent)
    cdef _add_called(self, str name, str argument, _Parts parts, parent, int depth)
