# cython: language_level=3
"""The body of a rule as bytes -> the same as text, where that takes no more than blanks and capitals.

What is odd is left to the Python of `rules.py`, which also does all of it where this could not be built.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DecodeASCII

cdef enum:
    PLAIN, CAPITAL, BLANK, COLON, OPEN, DASH, ODD  # kinds of bytes

cdef unsigned char KINDS[256]


cdef void describe_bytes() noexcept:
    cdef int byte
    for byte in range(256):
        KINDS[byte] = ODD if byte >= 128 or byte < 32 or byte == 92 else PLAIN
        if 65 <= byte <= 90:
            KINDS[byte] = CAPITAL
    for byte in b" \t\n\r\f\v":
        KINDS[byte] = BLANK
    KINDS[58], KINDS[40], KINDS[45] = COLON, OPEN, DASH


describe_bytes()


def decode_plain(bytes body):
    """A body in lower case, without needless blanks, as `decode_body` tells it; None where Python is to be asked."""
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(body)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(body), place
    cdef char* made
    cdef Py_ssize_t end = 0
    cdef unsigned char byte
    cdef int kind
    cdef bint gap = False
    if size == 0:
        return ""
    made = <char*>PyMem_Malloc(size)
    if made is NULL:
        raise MemoryError
    try:
        for place in range(size):
            byte = text[place]
            kind = KINDS[byte]
            if kind == BLANK:
                gap = True
                continue
            if kind == ODD:
                return None
            if gap and end and kind != COLON and made[end - 1] != 58 and made[end - 1] != 40:
                made[end] = 32
                end += 1
            gap = False
            if kind == CAPITAL:
                byte += 32
            elif kind == DASH and end and made[end - 1] == 45:
                return None  # the names of variables keep their case
            elif kind == OPEN and end >= 3 and made[end - 3:end] == b"env":
                return None
            made[end] = <char>byte
            end += 1
        return PyUnicode_DecodeASCII(made, end, NULL)
    finally:
        PyMem_Free(made)
