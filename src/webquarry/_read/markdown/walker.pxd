cimport cython

from webquarry._read.markdown.blocks cimport Blocks
from webquarry._read.markdown.inline cimport Inline, Span
from webquarry._read.markdown.links cimport Links

cdef class Walker:
    cdef public object visibility
    cdef public bint typesets_tex
    cdef public Links links
    cdef public object footnotes
    cdef public object scope
    cdef public object removed
    cdef public list fallbacks
    cdef public Py_ssize_t shown
    cdef public list pieces
    cdef public list spans
    cdef public bint has_marks
    cdef public Blocks blocks
    cdef public list lists
    cdef public list tables
    cdef public int heading
    cdef public bint heading_is_short
    cdef public list definitions
    cdef public int drawings
    cdef public int cells
    cdef public dict actions
    cdef frozenset _watched_tags
    cdef frozenset _watched
    cdef bint _counts_hidden_skipped
    cdef bint _script_has_run
    cdef bint _restyled
    cdef object _vocabulary
    cdef dict _usual_actions
    cdef Inline _inline
    cdef object _boxes
    cdef list _frames

    @cython.locals(
        open_elements=list, child=tuple, parts=cython.int, inside=cython.int, holds=cython.int,
        names=list, text=str, tail=str, restyled=bint,
    )
    cdef _walk_tree(self, tuple root)
    @cython.locals(restyled=bint)
    cdef _enter(self, element, tag, list names)
    cdef _set_apart(self, element)
    cdef bint _is_watched(self, list names) except -1
    cdef _look_at(self, element, list names)
    cdef _take_text(self, str text)
    cpdef leave_out(self, element, reason)
    cpdef add_mark(self, piece)
    @cython.locals(span=Span)
    cpdef bint open_span(self, str kind, str target=*) except -1
    cpdef close_span(self)
    @cython.locals(pieces=list, spans=list)
    cpdef flush(self)
    cpdef end_block(self)
    @cython.locals(level=int)
    cdef _add_block(self, text)
    @cython.locals(pieces=list)
    cpdef break_line(self)
    cpdef collect_blocks(self)
    cpdef collect_code(self)
    cdef _put_aside(self)
    cpdef finish_code(self)
    cpdef finish_blocks(self)
    cdef _restore(self)
