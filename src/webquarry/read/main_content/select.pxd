cimport cython

@cython.locals(index=Py_ssize_t, size=double, hits=double)
cdef _expect_f1(list kept, chances, list words)
