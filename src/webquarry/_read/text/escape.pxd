cpdef escape_line_starts(text)
cdef bint _may_start_block(text) except -1
cpdef escape_heading(text)
cpdef escape_cell(text)
