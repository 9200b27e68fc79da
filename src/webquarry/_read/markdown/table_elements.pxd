cimport cython

from webquarry._read.markdown.tables cimport Table
from webquarry._read.markdown.walker cimport Walker

cdef Table _get_table(Walker walker)
cpdef start_table(Walker walker, element)
@cython.locals(table=Table)
cpdef end_table(Walker walker, element)
cpdef start_body(Walker walker, element)
@cython.locals(table=Table)
cpdef start_row(Walker walker, element)
cpdef end_row(Walker walker, element)
cpdef start_cell(Walker walker, element)
@cython.locals(table=Table, text=str)
cpdef end_cell(Walker walker, element)
cpdef end_layout_cell(Walker walker, element)
