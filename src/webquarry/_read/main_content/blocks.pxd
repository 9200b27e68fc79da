cimport cython

cdef class Flow:
    cdef public object walk
    cdef public list texts
    cdef public list boxes
    cdef public list link_chars
    cdef public list links
    cdef public list image_places
    cdef public list parents
    cdef public list tags
    cdef public list names
    cdef public list ids
    cdef public list flags
    cdef public list levels
    cdef public list first
    cdef public list last
    cdef public frozenset known_tags
    cdef public str title
    cdef public tuple topic
    cdef public int is_article
    cdef public bint cut
    cdef public list cards
    cdef public bint has_role_table

@cython.locals(text=str, length=Py_ssize_t)
cpdef Py_ssize_t count_characters(list texts) except -1
