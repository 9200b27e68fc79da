# it reads the selectors of every rule that may hide something

cimport cython

from webquarry._read.css.selectors.compound cimport CompoundParts, build_compound, name_parent
from webquarry._read.css.selectors.model cimport Compound, Selector
from webquarry._read.css.selectors.plain cimport find_name_end, parse_plain, skip_blanks

cdef class SelectorParser:
    cdef bint _folds

    @cython.locals(steps=list, relation=int, place=Py_ssize_t, end=Py_ssize_t, compound=Compound, weight=tuple)
    cdef Selector _parse(self, str text, parent, int depth, bint nests=*)
    @cython.locals(end=Py_ssize_t, relation=int)
    cdef tuple _read_relation(self, str text, Py_ssize_t place)
    @cython.locals(parts=CompoundParts, start=Py_ssize_t, sign=Py_UCS4)
    cdef tuple _read_compound(self, str text, Py_ssize_t place, parent, int depth)
    @cython.locals(end=Py_ssize_t)
    cdef Py_ssize_t _read_tag(self, str text, Py_ssize_t place, CompoundParts parts) except -1
    cdef _add_parent(self, CompoundParts parts, parent)
    cdef _add_either(self, CompoundParts parts, selectors, weight)
    @cython.locals(end=Py_ssize_t, name=str)
    cdef Py_ssize_t _read_name(self, str text, Py_ssize_t place, CompoundParts parts) except -1
    @cython.locals(end=Py_ssize_t)
    cdef Py_ssize_t _read_attribute(self, str text, Py_ssize_t place, CompoundParts parts) except -1
    @cython.locals(start=Py_ssize_t, end=Py_ssize_t, closing=Py_ssize_t, is_part=bint, name=str, argument=str)
    cdef Py_ssize_t _read_pseudo(self, str text, Py_ssize_t place, CompoundParts parts, parent, int depth) except -1
    cdef _add_bare(self, str name, CompoundParts parts, parent)
    cdef _add_called(self, str name, str argument, CompoundParts parts, parent, int depth)

@cython.locals(end=Py_ssize_t)
cpdef Py_ssize_t find_plain_end(str text, Py_ssize_t place) except -2
cdef tuple _add_weights(tuple one, tuple other)
