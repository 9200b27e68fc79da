cimport cython

@cython.locals(index=Py_ssize_t, chance=double)
cpdef list add_siblings(flow, chances, list kept)
