# thousands of these are made of a long sheet

cimport cython

cdef class RawRule:
    cdef public bytes selectors
    cdef public bytes body
    cdef public int when
    cdef public Py_ssize_t order
    cdef public object outer
    cdef public object layer

cdef class OpenRule:
    cdef public bytes selectors
    cdef public int when
    cdef public object outer
    cdef public object inner
    cdef public object layer

cdef class RuleStack:
    cdef public object layers
    cdef list _open
    cdef OpenRule _base
    cdef public bint is_empty
    cdef public Py_ssize_t spoiled

    @cython.locals(around=OpenRule)
    cpdef RawRule make_rule(self, bytes prelude, bytes body, Py_ssize_t number)
    @cython.locals(
        rules=list, texts=list, text=bytes, body=bytes, prelude=bytes, declarations=bytes,
        around=OpenRule, own=OpenRule, rule=RawRule, place=Py_ssize_t, innermost=Py_ssize_t,
        is_spoiled=bint,
    )
    cpdef list split(self, bytes part, Py_ssize_t number, bint is_last)
    cdef OpenRule _around(self)
    cdef tuple _split_text(self, bytes text, OpenRule around)
    cdef _read_statements(self, bytes text)
    @cython.locals(around=OpenRule)
    cdef _push_group(self, bytes prelude)
    cdef _push_rule(self, bytes prelude, OpenRule around)

cdef RawRule _make_own(OpenRule rule, bytes body, Py_ssize_t number)
