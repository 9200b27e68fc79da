# cython: language_level=3, boundscheck=False, wraparound=False
"""Whether a text is plain, and the same with its white space folded, in one pass over it. `fold.py` is the same in Python."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.string cimport memcmp

from webquarry.read.text import fold as fold_in_python

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    object PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t size)

cdef enum:
    ROOM = 1024  # characters that need no memory of their own

cdef bint IS_MARK[256]
cdef bint IS_PLAIN_IN_ADDRESS[256]
cdef unsigned char IS_SEEN[0x2000]  # a bit for each of the first characters


cdef int fill_tables() except -1:
    cdef Py_UCS4 mark
    cdef int first, last, code
    for mark in fold_in_python.MARKS:
        IS_MARK[<int>mark] = True
    for mark in fold_in_python.PLAIN_IN_ADDRESS:
        IS_PLAIN_IN_ADDRESS[<int>mark] = True
    for first, last in fold_in_python.SEEN:
        for code in range(first, last + 1):
            IS_SEEN[code >> 3] |= 1 << (code & 7)
    return 0


fill_tables()


def fold_plain(str text not None):
    """Text with one blank for all white space between words; None where it is not all printable ASCII, lines of it aside."""
    cdef Py_ssize_t size = len(text), filled
    cdef unsigned char room[ROOM]
    cdef unsigned char* folded = room
    if not PyUnicode_IS_ASCII(text):
        return None
    if size > ROOM:
        folded = <unsigned char*>PyMem_Malloc(size)
        if folded is NULL:
            raise MemoryError
    try:
        filled = fold(<const unsigned char*>PyUnicode_DATA(text), size, folded)
        if filled < 0:
            return None
        if filled == size and memcmp(folded, PyUnicode_DATA(text), size) == 0:
            return text
        return PyUnicode_FromKindAndData(1, folded, filled)
    finally:
        if folded != room:
            PyMem_Free(folded)


cdef Py_ssize_t fold(const unsigned char* text, Py_ssize_t size, unsigned char* folded) noexcept:
    """Fold a text, and tell how long it is then; -1 for one that is not plain."""
    cdef Py_ssize_t index, filled = 0
    cdef unsigned char byte
    cdef bint pending = False, has_line = False, has_odd_blank = False
    for index in range(size):
        byte = text[index]
        if 32 < byte < 127:
            if pending:
                folded[filled] = 32
                filled += 1
                pending = False
            folded[filled] = byte
            filled += 1
        elif byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31:
            pending = filled > 0
            has_line |= byte == 10
            has_odd_blank |= byte != 10 and byte != 32
        else:
            return -1
    return -1 if has_odd_blank and not has_line else filled


def is_seen(str text not None):
    """Whether a text has none but characters that everybody sees, at a first look."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = <void*>PyUnicode_DATA(text)
    cdef Py_ssize_t index
    cdef unsigned int character
    for index in range(len(text)):
        character = PyUnicode_READ(kind, data, index)
        if character > 0xFFFF or not IS_SEEN[character >> 3] >> (character & 7) & 1:
            return False
    return True


def find_mark(str text not None, Py_ssize_t start):
    """The next place of a character that may mean something in Markdown; -1 where none is."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = <void*>PyUnicode_DATA(text)
    cdef Py_ssize_t index
    cdef unsigned int character
    if kind == 1:
        for index in range(max(start, 0), len(text)):
            if IS_MARK[(<const unsigned char*>data)[index]]:
                return index
        return -1
    for index in range(max(start, 0), len(text)):
        character = PyUnicode_READ(kind, data, index)
        if character < 128 and IS_MARK[character]:
            return index
    return -1


def is_plain_address(str text not None):
    """Whether an address has none but signs of ASCII that Markdown takes as they are."""
    cdef const unsigned char* data = <const unsigned char*>PyUnicode_DATA(text)
    cdef Py_ssize_t index
    if not PyUnicode_IS_ASCII(text):
        return False
    for index in range(len(text)):
        if not IS_PLAIN_IN_ADDRESS[data[index]]:
            return False
    return True
