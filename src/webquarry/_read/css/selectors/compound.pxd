cimport cython

from webquarry._read.css.selectors.model cimport Compound

cdef class CompoundParts:
    cdef public str tag
    cdef public list identities
    cdef public set classes
    cdef public list tests
    cdef public Py_ssize_t of_ids
    cdef public Py_ssize_t of_classes
    cdef public Py_ssize_t of_tags

    cdef add_weight(self, tuple specificity)
    cdef add_test(self, test)

@cython.locals(parts=CompoundParts)
cpdef Compound name_parent(parent)
@cython.locals(identity=str, tests=list, weight=tuple, keys=tuple)
cpdef Compound build_compound(str text, CompoundParts parts)
cdef tuple _find_keys(CompoundParts parts, str identity, list tests)
