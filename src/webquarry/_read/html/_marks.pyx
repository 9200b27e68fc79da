# cython: language_level=3, boundscheck=False, wraparound=False
"""A page as bytes -> where the tags start that open a mark. `marks.py` is the same in Python."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memchr


cdef inline bint is_letter(unsigned char byte, unsigned char wanted) noexcept:
    return byte == wanted or byte == wanted - 32


cdef Py_ssize_t length_of_mark(const unsigned char* name, Py_ssize_t left) noexcept:
    """How long the name of a mark is that stands here and that a blank, a slash or an angle follows; 0 if none does."""
    cdef Py_ssize_t index, size
    cdef const char* rest = ""
    size = 1
    if left < 2:
        return 0
    if is_letter(name[0], 98):  # b, big
        rest = "ig"
    elif is_letter(name[0], 116):  # tt
        rest = "t"
    elif is_letter(name[0], 115):  # s, small, strike
        rest = "mall"
        if is_letter(name[1], 116):
            rest = "trike"
    elif not is_letter(name[0], 117):  # u
        return 0
    index = 0
    while rest[index] and 1 + index < left and is_letter(name[1 + index], <unsigned char>rest[index]):
        index += 1
    if not rest[index]:
        size = 1 + index
    elif is_letter(name[0], 116):
        return 0
    if size < left and (name[size] in (32, 47, 62) or 9 <= name[size] <= 13):
        return size
    return 0


def find_marks(bytes data not None):
    """Where a tag starts that opens a mark."""
    cdef const unsigned char* start = <const unsigned char*>PyBytes_AS_STRING(data)
    cdef const unsigned char* end = start + PyBytes_GET_SIZE(data)
    cdef const unsigned char* place = start
    cdef list found = []
    while True:
        place = <const unsigned char*>memchr(place, 60, end - place)
        if place is NULL:
            return found
        place += 1
        if length_of_mark(place, end - place):
            found.append(place - start - 1)
