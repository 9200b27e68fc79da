# it reads most of the selectors of rules that may hide something

cimport cython

from webquarry._read.css.selectors.model cimport Compound, Selector

@cython.locals(
    size=Py_ssize_t, place=Py_ssize_t, end=Py_ssize_t, steps=list, ids=Py_ssize_t, classes=Py_ssize_t,
    tags=Py_ssize_t, own_ids=Py_ssize_t, own_classes=Py_ssize_t, own_tags=Py_ssize_t, compound=Compound,
    sign=Py_UCS4,
)
cpdef Selector parse_plain(str text, bint folds)
@cython.locals(size=Py_ssize_t, sign=Py_UCS4)
cpdef Py_ssize_t skip_blanks(str text, Py_ssize_t place) except -2
@cython.locals(size=Py_ssize_t, start=Py_ssize_t, sign=Py_UCS4, is_letter=bint)
cpdef Py_ssize_t find_name_end(str text, Py_ssize_t place) except -2
@cython.locals(size=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, ids=int)
cdef Py_ssize_t _find_compound_end(str text, Py_ssize_t place) except -2
@cython.locals(
    size=Py_ssize_t, place=Py_ssize_t, end=Py_ssize_t, tag=str, key=str, identity=str, name=str, classes=list,
)
cdef Compound _build_compound(str text, bint folds)
