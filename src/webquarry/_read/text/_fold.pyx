# cython: language_level=3, boundscheck=False, wraparound=False
"""The text of a page, made a line of Markdown: its white space folded, its marks escaped. `fold.py` is the same in Python."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.string cimport memcmp, memcpy

from webquarry._read.text import fold as fold_in_python

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    object PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t size)
    void PyUnicode_WRITE(int kind, void* data, Py_ssize_t index, Py_UCS4 value)

cdef enum:
    ROOM = 1024  # bytes that need no memory of their own
    LINE_BREAK = 0x2028
    PARAGRAPH_BREAK = 0x2029
    LONGEST_NAME = 32  # characters of the name of a character, as in `&amp;`

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


cdef void* find_room(void* room, Py_ssize_t size) except NULL:
    """Room for so many bytes: that of the caller, or memory that is to be given back."""
    if size <= ROOM:
        return room
    room = PyMem_Malloc(size)
    if room is NULL:
        raise MemoryError
    return room


def fold_plain(str text not None):
    """Text with one blank for all white space between words; None where it is not all printable ASCII, lines of it aside."""
    return fold_if_plain(text)


cdef str fold_if_plain(str text):
    cdef Py_ssize_t size = len(text), filled
    cdef unsigned char room[ROOM]
    cdef unsigned char* folded
    if not PyUnicode_IS_ASCII(text):
        return None
    folded = <unsigned char*>find_room(room, size)
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
    return are_all_seen(text)


cdef bint are_all_seen(str text) noexcept:
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = <void*>PyUnicode_DATA(text)
    cdef Py_ssize_t index
    cdef unsigned int character
    for index in range(len(text)):
        character = PyUnicode_READ(kind, data, index)
        if character > 0xFFFF or not IS_SEEN[character >> 3] >> (character & 7) & 1:
            return False
    return True


cdef inline bint is_white(Py_UCS4 character) noexcept:
    """What HTML calls white space."""
    return character == 32 or character == 9 or character == 10 or character == 12 or character == 13


def fold_white(str text not None):
    """Text with one blank for white space of any length, at its edges too; only what HTML calls white space, but for ASCII
    that is to be folded anyway, of which all is.
    """
    return fold_all_white(text)


cdef str fold_all_white(str text):
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = <void*>PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text), filled
    cdef unsigned char room[ROOM]
    cdef void* folded
    if not size or not needs_folding(kind, data, size):
        return text
    folded = find_room(room, kind * size)
    try:
        if PyUnicode_IS_ASCII(text):
            filled = fold_ascii(<const unsigned char*>data, size, <unsigned char*>folded)
        elif kind == 1:
            filled = fold_wide(1, data, size, folded)
        elif kind == 2:
            filled = fold_wide(2, data, size, folded)
        else:
            filled = fold_wide(4, data, size, folded)
        return PyUnicode_FromKindAndData(kind, folded, filled)
    finally:
        if folded != <void*>room:
            PyMem_Free(folded)


cdef bint needs_folding(int kind, void* data, Py_ssize_t size) noexcept:
    """Whether there is white space that is not one blank."""
    cdef Py_ssize_t index
    cdef Py_UCS4 character, before = 0
    for index in range(size):
        character = PyUnicode_READ(kind, data, index)
        if character <= 32 and is_white(character) and (character != 32 or before == 32):
            return True
        before = character
    return False


cdef Py_ssize_t fold_ascii(const unsigned char* text, Py_ssize_t size, unsigned char* folded) noexcept:
    """Fold a text in which Python's white space counts, which is more than HTML's, and tell how long it is then."""
    cdef Py_ssize_t index, start = 0, filled
    cdef bint pending = False
    if is_white(text[0]):
        folded[0] = 32
        start = 1
    filled = start
    for index in range(size):
        if text[index] == 32 or 9 <= text[index] <= 13 or 28 <= text[index] <= 31:
            pending = filled > start
            continue
        if pending:
            folded[filled] = 32
            filled += 1
            pending = False
        folded[filled] = text[index]
        filled += 1
    if filled > start and is_white(text[size - 1]):
        folded[filled] = 32
        filled += 1
    return filled


cdef inline Py_ssize_t fold_wide(const int kind, void* data, Py_ssize_t size, void* folded) noexcept:
    cdef Py_ssize_t index, filled = 0
    cdef Py_UCS4 character
    cdef bint is_behind_white = False
    for index in range(size):
        character = PyUnicode_READ(kind, data, index)
        if is_white(character):
            if is_behind_white:
                continue
            character = 32
        is_behind_white = character == 32
        PyUnicode_WRITE(kind, folded, filled, character)
        filled += 1
    return filled


def finish_line(str text not None):
    """A line without blanks around it and with single ones in it; breaks, with the blanks beside them, begin new lines."""
    return end_line(text)


cdef bint is_one_line(str text) noexcept:
    """Whether nothing is to be folded in a text of ASCII, told by one quick pass over it."""
    cdef const unsigned char* data = <const unsigned char*>PyUnicode_DATA(text)
    cdef Py_ssize_t index, size = len(text)
    cdef unsigned char doubled = 0
    if not size or not PyUnicode_IS_ASCII(text) or is_outer(data[0]) or is_outer(data[size - 1]):
        return False
    for index in range(size):  # the byte behind the last one is zero
        doubled |= <unsigned char>(data[index] == 32) & <unsigned char>(data[index + 1] == 32)
    return not doubled


cdef str end_line(str text):
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = <void*>PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text), start = 0, end
    cdef unsigned char room[ROOM]
    cdef void* line
    if is_one_line(text):
        return text
    line = find_room(room, kind * size)
    try:
        if kind == 1:
            end = join_blanks(1, data, size, line)
        elif kind == 2:
            end = join_blanks(2, data, size, line)
        else:
            end = join_blanks(4, data, size, line)
        while start < end and is_outer(PyUnicode_READ(kind, line, start)):
            start += 1
        while end > start and is_outer(PyUnicode_READ(kind, line, end - 1)):
            end -= 1
        if end - start == size and memcmp(line, data, size * kind) == 0:
            return text
        return PyUnicode_FromKindAndData(kind, <char*>line + start * kind, end - start)
    finally:
        if line != <void*>room:
            PyMem_Free(line)


cdef inline bint is_outer(Py_UCS4 character) noexcept:
    """Whether a character says nothing at the edge of a block."""
    return (
        character == 32 or character == 10 or character == 0xA0 or character == 0x3000
        or character == LINE_BREAK or character == PARAGRAPH_BREAK
    )


cdef inline Py_ssize_t join_blanks(const int kind, void* data, Py_ssize_t size, void* line) noexcept:
    """One blank, or one end of a line, for each run of blanks and breaks; tells how long the text is then."""
    cdef Py_ssize_t index, filled = 0
    cdef Py_UCS4 character
    cdef bint is_behind_blank = False, is_break
    for index in range(size):
        character = PyUnicode_READ(kind, data, index)
        is_break = kind > 1 and (character == LINE_BREAK or character == PARAGRAPH_BREAK)
        if character != 32 and not is_break:
            PyUnicode_WRITE(kind, line, filled, character)
            filled += 1
            is_behind_blank = False
            continue
        if not is_behind_blank:
            PyUnicode_WRITE(kind, line, filled, 32)
            filled += 1
            is_behind_blank = True
        if is_break:
            PyUnicode_WRITE(kind, line, filled - 1, 10)
    return filled


def escape(str text not None):
    """Text for the middle of a line."""
    return escape_marks(text)


cdef str escape_marks(str text):
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = <void*>PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text), place = next_mark(kind, data, size), filled
    cdef unsigned char room[ROOM]
    cdef void* escaped
    if place == size:
        return text
    escaped = find_room(room, 2 * kind * size)
    try:
        memcpy(escaped, data, place * kind)
        if kind == 1:
            filled = escape_from(1, data, place, size, escaped)
        elif kind == 2:
            filled = escape_from(2, data, place, size, escaped)
        else:
            filled = escape_from(4, data, place, size, escaped)
        if filled == size:
            return text
        return PyUnicode_FromKindAndData(kind, escaped, filled)
    finally:
        if escaped != <void*>room:
            PyMem_Free(escaped)


cdef Py_ssize_t next_mark(int kind, void* data, Py_ssize_t size) noexcept:
    """The first place of a character that may mean something; the end of the text where none is."""
    cdef Py_ssize_t index
    cdef Py_UCS4 character
    for index in range(size):
        character = PyUnicode_READ(kind, data, index)
        if character < 128 and IS_MARK[character]:
            return index
    return size


cdef inline Py_ssize_t escape_from(
    const int kind, void* data, Py_ssize_t place, Py_ssize_t size, void* escaped
) noexcept:
    """Write a text from a place on, and tell how long all of it is then."""
    cdef Py_ssize_t filled = place, end
    cdef Py_UCS4 character
    cdef bint means_something
    while place < size:
        character = PyUnicode_READ(kind, data, place)
        end = place + 1
        means_something = False
        if character < 128 and IS_MARK[character]:
            if character == 42 or character == 95 or character == 126:  # * _ ~
                while end < size and PyUnicode_READ(kind, data, end) == character:
                    end += 1
            means_something = is_markup(kind, data, place, end, size)
        while place < end:
            if means_something:
                PyUnicode_WRITE(kind, escaped, filled, 92)
                filled += 1
            PyUnicode_WRITE(kind, escaped, filled, character)
            filled += 1
            place += 1
    return filled


cdef bint is_markup(int kind, void* data, Py_ssize_t start, Py_ssize_t end, Py_ssize_t size) noexcept:
    """Whether a parser could take a run of one mark for markup."""
    cdef Py_UCS4 mark = PyUnicode_READ(kind, data, start), before = 32, after = 32
    if start:
        before = PyUnicode_READ(kind, data, start - 1)
    if end < size:
        after = PyUnicode_READ(kind, data, end)
    if mark == 42 or mark == 95:  # * _
        if mark == 95 and before.isalnum() and after.isalnum():
            return False  # snake_case
        return not (before.isspace() and after.isspace())
    if mark == 126:  # ~
        return end - start > 1
    if mark == 60:  # <
        return 65 <= after <= 90 or 97 <= after <= 122 or after == 47 or after == 33 or after == 63
    if mark == 38:  # &
        return is_character_name(kind, data, end, size)
    if mark != 92:
        return True
    if after == 32 and end + 1 < size:
        after = PyUnicode_READ(kind, data, end + 1)
        return after == 10 or after == LINE_BREAK or after == PARAGRAPH_BREAK
    if 33 <= after <= 47 or 58 <= after <= 64 or 91 <= after <= 96 or 123 <= after <= 126:
        return True
    return after == 32 or after == 10 or after == LINE_BREAK or after == PARAGRAPH_BREAK


cdef bint is_character_name(int kind, void* data, Py_ssize_t start, Py_ssize_t size) noexcept:
    """Whether the name or the number of a character begins here and ends with a semicolon."""
    cdef Py_ssize_t place = start
    cdef Py_UCS4 character = 0
    if place < size and PyUnicode_READ(kind, data, place) == 35:  # number sign
        place += 1
    start = place
    while place < size and place - start <= LONGEST_NAME:
        character = PyUnicode_READ(kind, data, place)
        if character != 95 and not character.isalnum():
            break
        place += 1
    return place < size and 1 <= place - start <= LONGEST_NAME and character == 59


cdef bint reads_as_it_is(str text) noexcept:
    """Whether a text is all printable ASCII without marks and with single blanks, told by one quick pass over it."""
    cdef const unsigned char* data = <const unsigned char*>PyUnicode_DATA(text)
    cdef Py_ssize_t index, size = len(text)
    cdef unsigned char byte, odd = 0
    if not size or not PyUnicode_IS_ASCII(text):
        return False
    # the byte behind the last one is zero
    for index in range(size):  # without any branches the compiler looks at many bytes at once
        byte = data[index]
        odd |= <unsigned char>(byte < 32) | <unsigned char>(byte == 127)
        odd |= <unsigned char>(byte == 32) & <unsigned char>(data[index + 1] == 32)
        odd |= <unsigned char>(byte == c"_") | <unsigned char>(byte == c"*") | <unsigned char>(byte == c"&")
        odd |= <unsigned char>(byte == c"[") | <unsigned char>(byte == c"]") | <unsigned char>(byte == c"\\")
        odd |= <unsigned char>(byte == c"<") | <unsigned char>(byte == c"`") | <unsigned char>(byte == c"~")
    return not odd


cdef bint has_no_outer(str text) noexcept:
    """Whether no blank stands at the edges of a text of ASCII."""
    cdef const unsigned char* data = <const unsigned char*>PyUnicode_DATA(text)
    return data[0] != 32 and data[len(text) - 1] != 32


def write_plain(str text not None):
    """A block of nothing but text as Markdown; None where there are characters in it that have to be looked at."""
    cdef str folded
    if reads_as_it_is(text) and has_no_outer(text):
        return text
    folded = fold_if_plain(text)
    if folded is not None:  # as nearly all
        return escape_marks(folded)
    folded = write_if_seen(text)
    if folded is None:
        return None
    return end_line(folded)


def write_part(str text not None):
    """A part of a block as Markdown; None where there are characters in it that have to be looked at."""
    return write_if_seen(text)


cdef str write_if_seen(str text):
    cdef str folded
    if reads_as_it_is(text):
        return text
    folded = fold_all_white(text)
    if not are_all_seen(folded):
        return None
    return escape_marks(folded)


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
