cimport cython

@cython.locals(texts=list, headings=list, flags=list, levels=list, index=Py_ssize_t)
cdef _measure_rest(flow, kept)
