cimport cython

cdef class Cell:
    cdef public str text
    cdef public bint heading
    cdef public int columns
    cdef public int rows

cdef class Table:
    cdef public list rows
    cdef public Py_ssize_t head_rows
    cdef public bint in_head

    cpdef start_row(self)
    cpdef add(self, element, str text)
    @cython.locals(cell=Cell, line=list)
    cdef list _lay_out(self)

cdef int _parse_span(value) except -1
