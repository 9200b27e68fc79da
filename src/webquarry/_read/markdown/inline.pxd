cimport cython

cdef class Span:
    cdef public str kind
    cdef public str target
    cdef public Py_ssize_t uses

cdef class Inline:
    cdef object _removed
    cdef bint _typesets_tex

    @cython.locals(text=str)
    cpdef render_plain(self, list texts)
    @cython.locals(outer=list, levels=list, texts=list, span=Span)
    cpdef render(self, list pieces)
    @cython.locals(outer=list)
    cdef _render_single(self, Span span, text)
    @cython.locals(text=str)
    cdef _write_text(self, list texts)

@cython.locals(start=Py_ssize_t, end=Py_ssize_t, kind=str)
cdef _close_span(Span span, content, list outer)

@cython.locals(follows_emphasis=bint)
cdef _close_emphasis(mark, inner, list outer)

@cython.locals(start=Py_ssize_t, place=Py_ssize_t)
cdef _join_parts(list parts)

cdef _close_link(Span span, inner, list outer)
