cdef class Links:
    cdef object _base
    cdef object _page
    cdef object _own_page
    cdef object _path
    cdef object _scheme
    cdef object _origin
    cdef object _folder
    cdef dict _known

    cpdef bint leads_into_page(self, url) except -1
    cpdef absolute(self, href)
    cdef _resolve(self, str href)
    cdef _resolve_with_scheme(self, str scheme, str href)

cdef str _trim(href)
