# cython: language_level=3
"""Fast paths for the body of a style rule: decode it, split its declarations, list the variables that it sets, and decide
whether it may show an element.

Uncommon input is left to the Python of `rules.py`, which also does all of it where this could not be built.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_DecodeASCII
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp

cdef enum:
    NAME, PLAIN, COLON, DASH, CAPITAL, BLANK, OPEN, ODD  # kinds of bytes

cdef enum:
    ROOM = 512  # bytes of a body that takes no memory of its own
    PLACES = 1024  # for names of properties

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
    cdef Py_ssize_t size = PyBytes_GET_SIZE(body)
    cdef char room[ROOM]
    cdef char* made = room
    room[0] = 0
    if size > ROOM:
        made = <char*>PyMem_Malloc(size)
        if made is NULL:
            raise MemoryError
    try:
        size = copy_plain(<const unsigned char*>PyBytes_AS_STRING(body), size, made)
        return None if size < 0 else PyUnicode_DecodeASCII(made, size, NULL)
    finally:
        if made is not room:
            PyMem_Free(made)


cdef Py_ssize_t copy_plain(const unsigned char* text, Py_ssize_t size, char* made) noexcept:
    """Copy a body in lower case, without needless blanks; how long it is then, or -1 for what is odd."""
    cdef Py_ssize_t place = 0, end = 0
    cdef unsigned char byte
    cdef int kind
    cdef bint gap = False, is_variable = False  # in the name of one, which keeps its case
    while place < size:
        byte = text[place]
        kind = KINDS[byte]
        place += 1
        if kind <= COLON and not gap:  # as most are
            made[end] = <char>byte
            end += 1
            if kind != NAME:
                is_variable = False
            continue
        if kind == BLANK:
            gap = True
            is_variable = False
            continue
        if kind == ODD:
            return -1
        if gap and end and kind != COLON and made[end - 1] != 58 and made[end - 1] != 40:
            made[end] = 32
            end += 1
        gap = False
        if is_variable:
            is_variable = in_name(byte)
        elif kind == DASH and place + 1 < size and text[place] == 45:
            is_variable = in_name(text[place + 1])
        if kind == CAPITAL and not is_variable:
            byte += 32
        elif kind == OPEN and end >= 3 and memcmp(made + end - 3, b"env", 3) == 0:
            return -1
        made[end] = <char>byte
        end += 1
    return end


cdef class DeclarationSplitter:
    """Splits bodies of rules into their declarations; those of properties that are not among some names are left out."""

    cdef uint64_t _names[PLACES]  # hashes of the names; a place without any holds 0

    def __cinit__(self, names):
        cdef bytes name
        cdef uint64_t wanted
        cdef size_t place
        if len(names) > PLACES // 2:
            raise ValueError("there are too many names")
        for text in names:
            name = text.encode("ascii")
            wanted = hash_of(name, len(name))
            place = wanted & (PLACES - 1)
            while self._names[place]:
                place = (place + 1) & (PLACES - 1)
            self._names[place] = wanted

    def split(self, str body not None):
        """The declarations that may be about one of the names; None where Python is to be asked."""
        cdef const char* text
        cdef Py_ssize_t size = len(body), start = 0, place = 0, colon = -1, depth = 0
        cdef bint has_escape = False
        cdef char byte
        cdef list found = []
        if not body.isascii():
            return None
        text = <const char*>PyUnicode_DATA(body)
        while True:
            byte = text[place]  # a NUL at the end
            if (byte == 59 and depth == 0) or place == size:
                if has_escape or (colon >= 0 and self._knows(text + start, colon - start)):
                    found.append(PyUnicode_DecodeASCII(text + start, place - start, NULL))
                if place == size:
                    return found
                start = place + 1
                colon = -1
                has_escape = False
            elif byte == 58:
                if colon < 0:
                    colon = place
            elif byte == 40:
                depth += 1
            elif byte == 41:
                depth = max(depth - 1, 0)
            elif byte == 92:
                has_escape = True
            place += 1

    cdef bint _knows(self, const char* name, Py_ssize_t size) noexcept:
        """Whether a name, without the blanks around it, is one of those that count."""
        cdef uint64_t wanted
        cdef size_t place
        while size and is_blank(name[size - 1]):
            size -= 1
        while size and is_blank(name[0]):
            name += 1
            size -= 1
        wanted = hash_of(name, size)
        place = wanted & (PLACES - 1)
        while self._names[place]:
            if self._names[place] == wanted:
                return True
            place = (place + 1) & (PLACES - 1)
        return False


cdef uint64_t hash_of(const char* name, Py_ssize_t size) noexcept:
    """A number for a name, in whatever case; 0 stands for none."""
    cdef uint64_t found = 14695981039346656037u
    cdef Py_ssize_t place
    cdef unsigned char byte
    for place in range(size):
        byte = name[place]
        if 65 <= byte <= 90:
            byte += 32
        found = (found ^ byte) * 1099511628211u
    return found or 1


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


def find_plain_definitions(str body):
    """The variables that declarations set, the ordinary and the important ones, as `find_definitions` tells them; None where
    Python is to be asked.
    """
    cdef const char* text
    cdef Py_ssize_t size = len(body), place = 0, start, end, behind
    cdef const char* found
    cdef dict ordinary = {}, important = {}
    if not body.isascii():
        return None
    text = <const char*>PyUnicode_DATA(body)
    while True:
        start = place = find_dashes(text, place, size)
        if start < 0:
            return ordinary, important
        while place < size and in_name(text[place]):
            place += 1
        if place - start < 3 or (start and (in_name(text[start - 1]) or text[start - 1] in b"(,")):
            continue
        behind = place
        while place < size and is_blank(text[place]):
            place += 1
        if place == size or text[place] != 58:
            continue
        place += 1
        found = <const char*>memchr(text + place, 59, size - place)
        end = size if found is NULL else found - text
        add_definition(text, start, behind, place, end, ordinary, important)
        place = end


cdef Py_ssize_t find_dashes(const char* text, Py_ssize_t place, Py_ssize_t size) noexcept:
    """Where the next two dashes stand; -1 where there are none."""
    cdef const char* found
    while place + 1 < size:
        found = <const char*>memchr(text + place, 45, size - place - 1)
        if found is NULL:
            return -1
        place = found - text
        if text[place + 1] == 45:
            return place
        place += 1
    return -1


cdef int add_definition(
    const char* text, Py_ssize_t start, Py_ssize_t behind, Py_ssize_t place, Py_ssize_t end, dict ordinary, dict important
) except -1:
    """Note a variable, whose name and value stand at some places."""
    cdef dict known = ordinary
    cdef Py_ssize_t mark
    while end > place and is_blank(text[end - 1]):
        end -= 1
    if end - place > 9 and is_important(text + end - 9):
        mark = end - 10
        while mark > place and is_blank(text[mark]):
            mark -= 1
        if text[mark] == 33:
            known, end = important, mark
    while end > place and is_blank(text[end - 1]):
        end -= 1
    while place < end and is_blank(text[place]):
        place += 1
    name = PyUnicode_DecodeASCII(text + start, behind - start, NULL)
    known[name] = PyUnicode_DecodeASCII(text + place, end - place, NULL)
    return 0


cdef inline bint is_blank(char byte) noexcept:
    return byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31


cdef bint is_important(const char* text) noexcept:
    """Whether nine characters are that word, in whatever case."""
    cdef const char* word = b"important"
    cdef int place
    for place in range(9):
        if (text[place] | 32) != word[place]:
            return False
    return True
