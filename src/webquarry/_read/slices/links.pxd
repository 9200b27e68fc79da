import cython


cpdef bytes find_target(bytes piece)
cdef bint _is_address(bytes text, bytes target) except -1
cdef bint _ends_alike(bytes text, bytes target) except -1
@cython.locals(start=Py_ssize_t, text_start=Py_ssize_t, text_stop=Py_ssize_t, stop=Py_ssize_t, place=Py_ssize_t)
cdef list _cuts_of(bytes data, tuple link)
@cython.locals(start=Py_ssize_t, stop=Py_ssize_t, done=Py_ssize_t, place=Py_ssize_t, parts=list, taken_out=list)
cpdef split_links(bytes data)
