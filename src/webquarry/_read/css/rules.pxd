cimport cython

from webquarry._read.css.nesting cimport RawRule, RuleStack

cdef class Rules:
    cdef object _names
    cdef object _known
    cdef public list exact
    cdef public list related
    cdef public object layers

    @cython.locals(
        last=Py_ssize_t, number=Py_ssize_t, fit=int, prelude=bytes, body=bytes, part=bytes, following=bytes, is_last=bint,
        rule=RawRule, in_group=RawRule,
    )
    cdef _read(self, list parts, RuleStack stack)
    cdef _add(self, RawRule rule, int fit)
