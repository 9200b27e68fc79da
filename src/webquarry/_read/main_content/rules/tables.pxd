cimport cython

from webquarry._read.main_content.blocks cimport Flow
from webquarry._read.main_content.rules.block_marks cimport list_marked, mark_blocks, mark_range

cdef Py_ssize_t _FEWEST_ROWS
cdef Py_ssize_t _LONGEST_CELL
cdef Py_ssize_t _LONGEST_MEAN
cdef Py_ssize_t _MOST_IN_CELL
cdef Py_ssize_t _FEWEST_DAYS
cdef double _MOST_ITEMS
cdef list _DAYS
cdef int _SET_ASIDE
cdef int _ITEM
cdef int _TABLE_ROLE
cdef int _ROW_ROLE
cdef int _CELL_ROLE

@cython.locals(table=Py_ssize_t, tables=list, marks=bytearray)
cpdef list add_tables(Flow flow, list kept)

@cython.locals(table=Py_ssize_t, row=Py_ssize_t, flags=int, wide_rows=Py_ssize_t, rows=list, rows_of=dict)
cpdef list find_data_tables(Flow flow)

@cython.locals(box=Py_ssize_t, parent=Py_ssize_t, above=int, roles=int, tag=str, tables=list, rows=dict)
cdef dict _find_inner_tables(Flow flow)

@cython.locals(above=int, flags=int, start=Py_ssize_t, end=Py_ssize_t, blocks=Py_ssize_t, length=Py_ssize_t,
               items=Py_ssize_t, index=Py_ssize_t, size=Py_ssize_t, box=Py_ssize_t, text=str)
cdef bint _holds_values(Flow flow, Py_ssize_t table) except -1

@cython.locals(first=list, last=Py_ssize_t, cells=Py_ssize_t, box=Py_ssize_t, start=Py_ssize_t, above=int,
               roles=int, tag=str)
cdef bint _lays_out(Flow flow, Py_ssize_t table) except -1

@cython.locals(start=Py_ssize_t, end=Py_ssize_t, days=Py_ssize_t, index=Py_ssize_t, text=str)
cdef bint _is_calendar(Flow flow, Py_ssize_t table) except -1
