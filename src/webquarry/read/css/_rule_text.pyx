# cython: language_level=3
"""A rule as bytes -> its body as text, where that takes no more than blanks and capitals; the names that its selectors end
in; whether its body may show something.

What is odd is left to the Python of `rules.py`, which also does all of it where this could not be built.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.string cimport memcmp

cdef enum:
    PLAIN, NAME, CAPITAL, BLANK, COLON, OPEN, DASH, ODD  # kinds of bytes

cdef unsigned char KINDS[256]


cdef void describe_bytes() noexcept:
    cdef int byte
    for byte in range(256):
        KINDS[byte] = ODD if byte >= 128 or byte < 32 or byte == 92 else PLAIN
        if 65 <= byte <= 90:
            KINDS[byte] = CAPITAL
        elif 97 <= byte <= 122 or 48 <= byte <= 57 or byte == 95:
            KINDS[byte] = NAME
    for byte in b" \t\n\r\f\v":
        KINDS[byte] = BLANK
    KINDS[58], KINDS[40], KINDS[45] = COLON, OPEN, DASH


describe_bytes()


cdef inline bint in_name(unsigned char byte) noexcept:
    return KINDS[byte] == NAME or KINDS[byte] == CAPITAL or byte == 45


def decode_plain(bytes body):
    """A body in lower case, without needless blanks, as `decode_body` tells it; None where Python is to be asked."""
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(body)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(body), place
    cdef char* made
    cdef Py_ssize_t end = 0
    cdef unsigned char byte
    cdef int kind
    cdef bint gap = False, is_variable = False  # in the name of one, which keeps its case
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
                is_variable = False
                continue
            if kind == ODD:
                return None
            if gap and end and kind != COLON and made[end - 1] != 58 and made[end - 1] != 40:
                made[end] = 32
                end += 1
            gap = False
            if is_variable:
                is_variable = in_name(byte)
            elif kind == DASH and place + 2 < size and text[place + 1] == 45:
                is_variable = in_name(text[place + 2])
            if kind == CAPITAL and not is_variable:
                byte += 32
            elif kind == OPEN and end >= 3 and memcmp(made + end - 3, b"env", 3) == 0:
                return None
            made[end] = <char>byte
            end += 1
        return PyUnicode_DecodeASCII(made, end, NULL)
    finally:
        PyMem_Free(made)


def may_show(bytes body):
    """Whether a body may speak of what shows or hides an element: it holds one of a few words, or is not all in plain lower
    case.
    """
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(body)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(body), place
    cdef unsigned char byte
    cdef bint is_cased = False
    for place in range(size):
        byte = text[place]
        if KINDS[byte] == CAPITAL or byte == 92:
            return True
        if 97 <= byte <= 122:
            is_cased = True
            if byte == 100:
                if size - place >= 7 and memcmp(text + place, b"display", 7) == 0:
                    return True
            elif byte == 118:
                if size - place >= 5 and memcmp(text + place, b"visib", 5) == 0:
                    return True
            elif byte == 111:
                if size - place >= 7 and memcmp(text + place, b"opacity", 7) == 0:
                    return True
            elif byte == 104:
                if size - place >= 6 and memcmp(text + place, b"height", 6) == 0:
                    return True
    return not is_cased


def last_keys_of(bytes selectors):
    """A name of the element that each of some selectors ends in, as `find_rough_keys` tells it; None where Python is to be
    asked.
    """
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(selectors)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(selectors)
    cdef unsigned char* made
    if size == 0:
        return ["*"]
    if text[0] == 58:
        return None
    made = <unsigned char*>PyMem_Malloc(size)
    if made is NULL:
        raise MemoryError
    try:
        size = drop_brackets(text, size, made)
        return None if size < 0 else keys_of(made, size)
    finally:
        PyMem_Free(made)


cdef Py_ssize_t drop_brackets(const unsigned char* text, Py_ssize_t size, unsigned char* made) noexcept:
    """Copy selectors without what stands in brackets and the name of a function before them; how much is left, or -1 for
    what is odd.
    """
    cdef Py_ssize_t place = 0, end = 0, start, depth, first = 0  # what stands before was looked at
    cdef unsigned char byte, closing
    while place < size:
        byte = text[place]
        place += 1
        if byte != 40 and byte != 91:
            if byte == 44 or KINDS[byte] == BLANK or in_name(byte) or byte in b".#:*>+~":
                made[end] = byte
                end += 1
                continue
            return -1
        start = end
        while start > first and (KINDS[made[start - 1]] == CAPITAL or 97 <= made[start - 1] <= 122 or made[start - 1] == 45):
            start -= 1
        if first < start < end and made[start - 1] == 58:
            end = start - 1
        first = end
        closing = 41 if byte == 40 else 93
        depth = 1
        while depth:
            if place == size or text[place] in b"{}[\"'\\" or KINDS[text[place]] == ODD:
                return -1
            if text[place] == 40:
                if closing == 93:
                    return -1
                depth += 1
            elif text[place] == closing:
                depth -= 1
            place += 1
    return end


cdef list keys_of(const unsigned char* text, Py_ssize_t size):
    """The first name of the last compound of each of some selectors without brackets."""
    cdef Py_ssize_t index, start = 0, end = 0  # of the last compound
    cdef unsigned char byte
    cdef bint gap = False
    cdef list keys = []
    for index in range(size):
        byte = text[index]
        if byte == 44:
            keys.append(key_of(text, start, end))
            start = end = index + 1
            gap = False
        elif KINDS[byte] == BLANK:
            gap = True
        elif byte in b">+~":
            start = end = index + 1
            gap = False
        else:
            if gap:
                start = index
                gap = False
            end = index + 1
    keys.append(key_of(text, start, end))
    return keys


cdef str key_of(const unsigned char* text, Py_ssize_t start, Py_ssize_t end):
    """The first name of a compound, or its tag, in lower case."""
    cdef Py_ssize_t index, last
    for index in range(start, end - 1):
        if (text[index] == 46 or text[index] == 35) and in_name(text[index + 1]):
            start = index
            last = index + 1
            break
    else:
        if start >= end or not (97 <= text[start] <= 122 or KINDS[text[start]] == CAPITAL):
            return "*"
        last = start
    while last < end and in_name(text[last]):
        last += 1
    return text[start:last].decode("ascii").lower()
