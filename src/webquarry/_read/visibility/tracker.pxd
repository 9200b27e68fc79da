cimport cython

from webquarry._read.visibility.sheet.style_attribute cimport StyleAttribute
from webquarry._read.visibility.sheet.style_memory cimport KnownStyle, StyleMemory
from webquarry._read.visibility.stylesheet cimport Stylesheet
from webquarry._read.visibility.surroundings cimport Surroundings

cdef class VisibilityTracker:
    cdef object _expandable
    cdef public object revealed
    cdef Stylesheet _sheet
    cdef bint _certain
    cdef object _first_ground
    cdef object _style
    cdef bint _is_on_other_ground
    cdef list _above
    cdef dict _own_styles
    cdef dict _classes
    cdef object _roots
    cdef object _page_info
    cdef bint _knows_all_rules
    cdef object _scripts
    cdef double _root_size
    cdef Surroundings _surroundings
    cdef object _lookup
    cdef object _controls
    cdef object _effects
    cdef set _covered
    cdef bint _has_columns
    cdef object _columns
    cdef bint _has_rules
    cdef StyleMemory _memory
    cdef set _ids
    cdef public frozenset tags
    cdef public frozenset watched
    cdef frozenset _special
    cdef public set quiet
    cdef public object muted

    cpdef bint is_plain(self, element, list names) except -1
    cpdef enter(self, element, list names)
    cpdef leave(self)
    cdef bint _apply(self, style) except -1
    cpdef _judge(self, element, list names, parent)
    cdef _find_last_reason(self, element, tuple reasons, dict declarations)
    @cython.locals(known=KnownStyle)
    cdef tuple _add_reasons(self, element, tuple reasons, dict declarations, parent)
    @cython.locals(known=tuple)
    cdef tuple _judge_names(self, element, tag, list names)
    @cython.locals(own=StyleAttribute)
    cdef StyleAttribute _find_own_style(self, element)
    @cython.locals(own=StyleAttribute, declared=dict)
    cdef dict _find_declarations(self, element, bint has_rule)
    @cython.locals(may_be_painted=bint, invisible=bint)
    cdef _compute_style(self, element, tag, dict declarations, parent)
    cdef bint _shows_after_all(self, element, reason, dict declarations) except -1
    cdef bint _opens(self, element, reason) except -1
