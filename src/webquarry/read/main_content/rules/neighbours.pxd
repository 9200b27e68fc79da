cimport cython

@cython.locals(index=Py_ssize_t, box=Py_ssize_t, parent=Py_ssize_t, chance=double)
cpdef list add_ends(flow, chances, list kept)
