cimport cython

from webquarry._read.markdown.blocks cimport Blocks
from webquarry._read.markdown.walker cimport Walker

cdef class Listing:
    cdef public bint ordered
    cdef public long long number
    cdef public int step
    cdef public Py_ssize_t width
    cdef public bint shown
    cdef public Py_ssize_t end
    cdef public bint nested

    cpdef create_marker(self, item)

@cython.locals(blocks=Blocks, listing=Listing, outer=Listing)
cpdef start_list(Walker walker, element)
@cython.locals(listing=Listing, outer=Listing)
cpdef end_list(Walker walker, element)
@cython.locals(blocks=Blocks, listing=Listing, marker=str, indent=str)
cpdef start_item(Walker walker, element)
@cython.locals(blocks=Blocks, listing=Listing)
cpdef end_item(Walker walker, element)
