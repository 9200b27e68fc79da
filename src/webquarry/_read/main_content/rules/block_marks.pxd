cimport cython

@cython.locals(index=Py_ssize_t)
cpdef bytearray mark_blocks(list blocks, Py_ssize_t size)

@cython.locals(index=Py_ssize_t)
cpdef mark_range(bytearray marks, Py_ssize_t start, Py_ssize_t end)

@cython.locals(index=Py_ssize_t)
cpdef list list_marked(bytearray marks)
