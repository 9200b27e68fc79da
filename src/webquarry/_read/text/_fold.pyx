# cython: language_level=3, boundscheck=False, wraparound=False
"""Collapse the whitespace of page text and escape its Markdown markup."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.string cimport memcmp, memcpy

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    object PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t size)
    void PyUnicode_WRITE(int kind, void* data, Py_ssize_t index, Py_UCS4 value)

cdef enum:
    STACK_BUFFER = 1024  # bytes; longer results are allocated on the heap
    LINE_SEPARATOR = 0x2028
    PARAGRAPH_SEPARATOR = 0x2029
    LONGEST_ENTITY = 32  # characters of an entity name, as in `&amp;`

# Ranges of characters that are always visible, and spaces: letters of the larger scripts and common
# punctuation. Other characters are classified by `characters.py`.
cdef tuple VISIBLE = (
    (0x20, 0x7E),
    (0xA0, 0xAC),
    (0xAE, 0x24F),
    (0x391, 0x3A1),
    (0x3A3, 0x3FF),
    (0x400, 0x481),
    (0x5D0, 0x5EA),
    (0x621, 0x63A),
    (0x641, 0x64A),
    (0x904, 0x939),
    (0xE01, 0xE3A),
    (0x1EA0, 0x1EFF),
    (0x2010, 0x2028),
    (0x2030, 0x205E),
    (0x20AC, 0x20AC),
    (0x2122, 0x2122),
    (0x2190, 0x21FF),
    (0x2500, 0x25FF),
    (0x3001, 0x3002),
    (0x3041, 0x3096),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FC),
    (0x4E00, 0x9FA5),
    (0xAC00, 0xD7A3),
    (0xFF01, 0xFF5E),
)
cdef str MARKUP = "_[*&]<`~\\"  # possible markup within a line of Markdown
cdef str PLAIN_IN_ADDRESS = "!#$%&'*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"

cdef bint IS_MARKUP[128]
cdef bint IS_PLAIN_IN_ADDRESS[128]
cdef unsigned char IS_VISIBLE[0x2000]  # one bit for each character of the Basic Multilingual Plane


cdef int fill_tables() except -1:
    cdef Py_UCS4 character
    cdef int first, last, code
    for character in MARKUP:
        IS_MARKUP[<int>character] = True
    for character in PLAIN_IN_ADDRESS:
        IS_PLAIN_IN_ADDRESS[<int>character] = True
    for first, last in VISIBLE:
        for code in range(first, last + 1):
            IS_VISIBLE[code >> 3] |= 1 << (code & 7)
    return 0


fill_tables()


cdef void* allocate(void* buffer, Py_ssize_t size) except NULL:
    """Return the caller's buffer if it is large enough, otherwise memory that the caller frees."""
    if size <= STACK_BUFFER:
        return buffer
    buffer = PyMem_Malloc(size)
    if buffer is NULL:
        raise MemoryError
    return buffer


cdef str fold_plain(str text):
    """Collapse the whitespace of printable ASCII with line breaks; return None for any other text."""
    cdef Py_ssize_t size = len(text), filled
    cdef unsigned char buffer[STACK_BUFFER]
    cdef unsigned char* folded
    if not PyUnicode_IS_ASCII(text):
        return None
    folded = <unsigned char*>allocate(buffer, size)
    try:
        filled = fold_bytes(<const unsigned char*>PyUnicode_DATA(text), size, folded)
        if filled < 0:
            return None
        if filled == size and memcmp(folded, PyUnicode_DATA(text), size) == 0:
            return text
        return PyUnicode_FromKindAndData(1, folded, filled)
    finally:
        if folded != buffer:
            PyMem_Free(folded)


cdef Py_ssize_t fold_bytes(const unsigned char* text, Py_ssize_t size, unsigned char* folded) noexcept:
    """Write the collapsed text and return its length, -1 for text that `fold_plain` rejects."""
    cdef Py_ssize_t index, filled = 0
    cdef unsigned char byte
    cdef bint pending = False, has_line = False, has_control = False
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
            has_control |= byte != 10 and byte != 32
        else:
            return -1
    return -1 if has_control and not has_line else filled


cdef bint is_visible(str text) noexcept:
    """Return whether all characters are in the ranges of `VISIBLE`."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = <void*>PyUnicode_DATA(text)
    cdef Py_ssize_t index
    cdef unsigned int character
    for index in range(len(text)):
        character = PyUnicode_READ(kind, data, index)
        if character > 0xFFFF or not IS_VISIBLE[character >> 3] >> (character & 7) & 1:
            return False
    return True


cdef inline bint is_white(Py_UCS4 character) noexcept:
    """Return whether HTML defines a character as whitespace."""
    return character == 32 or character == 9 or character == 10 or character == 12 or character == 13


cpdef str fold_white(str text):
    """Replace each run of HTML whitespace by one space, also at the ends. In ASCII text that changes, runs of whitespace
    as Python defines it are replaced, too.
    """
    cdef Py_ssize_t size = len(text), filled  # None raises a TypeError here
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = <void*>PyUnicode_DATA(text)
    cdef unsigned char buffer[STACK_BUFFER]
    cdef void* folded
    if not size or not needs_folding(kind, data, size):
        return text
    folded = allocate(buffer, kind * size)
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
        if folded != <void*>buffer:
            PyMem_Free(folded)


cdef bint needs_folding(int kind, void* data, Py_ssize_t size) noexcept:
    """Return whether any HTML whitespace is not a single space."""
    cdef Py_ssize_t index
    cdef Py_UCS4 character, before = 0
    for index in range(size):
        character = PyUnicode_READ(kind, data, index)
        if character <= 32 and is_white(character) and (character != 32 or before == 32):
            return True
        before = character
    return False


cdef Py_ssize_t fold_ascii(const unsigned char* text, Py_ssize_t size, unsigned char* folded) noexcept:
    """Collapse whitespace as Python defines it, which includes control characters, and return the length."""
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
    """Collapse HTML whitespace and return the length."""
    cdef Py_ssize_t index, filled = 0
    cdef Py_UCS4 character
    cdef bint follows_white = False
    for index in range(size):
        character = PyUnicode_READ(kind, data, index)
        if is_white(character):
            if follows_white:
                continue
            character = 32
        follows_white = character == 32
        PyUnicode_WRITE(kind, folded, filled, character)
        filled += 1
    return filled


cdef bint is_finished(str text) noexcept:
    """Return whether `finish_line` leaves a text unchanged; False for any text that is not ASCII."""
    cdef const unsigned char* data = <const unsigned char*>PyUnicode_DATA(text)
    cdef Py_ssize_t index, size = len(text)
    cdef unsigned char doubled = 0
    if not size or not PyUnicode_IS_ASCII(text) or is_stripped(data[0]) or is_stripped(data[size - 1]):
        return False
    for index in range(size):  # the string ends with a zero byte
        doubled |= <unsigned char>(data[index] == 32) & <unsigned char>(data[index + 1] == 32)
    return not doubled


cpdef str finish_line(str text):
    """Strip a line, collapse runs of spaces, and replace line separators and the spaces around them by a newline."""
    cdef Py_ssize_t size = len(text), start = 0, end  # None raises a TypeError here
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = <void*>PyUnicode_DATA(text)
    cdef unsigned char buffer[STACK_BUFFER]
    cdef void* line
    if is_finished(text):
        return text
    line = allocate(buffer, kind * size)
    try:
        if kind == 1:
            end = join_spaces(1, data, size, line)
        elif kind == 2:
            end = join_spaces(2, data, size, line)
        else:
            end = join_spaces(4, data, size, line)
        while start < end and is_stripped(PyUnicode_READ(kind, line, start)):
            start += 1
        while end > start and is_stripped(PyUnicode_READ(kind, line, end - 1)):
            end -= 1
        if end - start == size and memcmp(line, data, size * kind) == 0:
            return text
        return PyUnicode_FromKindAndData(kind, <char*>line + start * kind, end - start)
    finally:
        if line != <void*>buffer:
            PyMem_Free(line)


cdef inline bint is_stripped(Py_UCS4 character) noexcept:
    """Return whether a character is removed at the ends of a line."""
    return (
        character == 32 or character == 10 or character == 0xA0 or character == 0x3000
        or character == LINE_SEPARATOR or character == PARAGRAPH_SEPARATOR
    )


cdef inline Py_ssize_t join_spaces(const int kind, void* data, Py_ssize_t size, void* line) noexcept:
    """Replace each run of spaces and line separators by a space or a newline and return the length."""
    cdef Py_ssize_t index, filled = 0
    cdef Py_UCS4 character
    cdef bint follows_space = False, is_break
    for index in range(size):
        character = PyUnicode_READ(kind, data, index)
        is_break = kind > 1 and (character == LINE_SEPARATOR or character == PARAGRAPH_SEPARATOR)
        if character != 32 and not is_break:
            PyUnicode_WRITE(kind, line, filled, character)
            filled += 1
            follows_space = False
            continue
        if not follows_space:
            PyUnicode_WRITE(kind, line, filled, 32)
            filled += 1
            follows_space = True
        if is_break:
            PyUnicode_WRITE(kind, line, filled - 1, 10)
    return filled


cpdef str escape(str text):
    """Escape text for the middle of a line of Markdown, only where a parser could see markup."""
    cdef Py_ssize_t size = len(text), filled  # None raises a TypeError here
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = <void*>PyUnicode_DATA(text)
    cdef Py_ssize_t place = find_markup(kind, data, size)
    cdef unsigned char buffer[STACK_BUFFER]
    cdef void* escaped
    if place == size:
        return text
    escaped = allocate(buffer, 2 * kind * size)
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
        if escaped != <void*>buffer:
            PyMem_Free(escaped)


cdef Py_ssize_t find_markup(int kind, void* data, Py_ssize_t size) noexcept:
    """Return the index of the first character that may be markup, `size` if there is none."""
    cdef Py_ssize_t index
    cdef Py_UCS4 character
    for index in range(size):
        character = PyUnicode_READ(kind, data, index)
        if character < 128 and IS_MARKUP[character]:
            return index
    return size


cdef inline Py_ssize_t escape_from(
    const int kind, void* data, Py_ssize_t place, Py_ssize_t size, void* escaped
) noexcept:
    """Write the escaped text from `place` on and return the length of the whole."""
    cdef Py_ssize_t filled = place, end
    cdef Py_UCS4 character
    cdef bint is_escaped
    while place < size:
        character = PyUnicode_READ(kind, data, place)
        end = place + 1
        is_escaped = False
        if character < 128 and IS_MARKUP[character]:
            if character == 42 or character == 95 or character == 126:  # * _ ~
                while end < size and PyUnicode_READ(kind, data, end) == character:
                    end += 1
            is_escaped = is_markup(kind, data, place, end, size)
        while place < end:
            if is_escaped:
                PyUnicode_WRITE(kind, escaped, filled, 92)
                filled += 1
            PyUnicode_WRITE(kind, escaped, filled, character)
            filled += 1
            place += 1
    return filled


cdef bint is_markup(int kind, void* data, Py_ssize_t start, Py_ssize_t end, Py_ssize_t size) noexcept:
    """Return whether a parser could treat a run of one character as markup."""
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
        return is_entity(kind, data, end, size)
    if mark != 92:
        return True
    if after == 32 and end + 1 < size:
        after = PyUnicode_READ(kind, data, end + 1)
        return after == 10 or after == LINE_SEPARATOR or after == PARAGRAPH_SEPARATOR
    if 33 <= after <= 47 or 58 <= after <= 64 or 91 <= after <= 96 or 123 <= after <= 126:
        return True
    return after == 32 or after == 10 or after == LINE_SEPARATOR or after == PARAGRAPH_SEPARATOR


cdef bint is_entity(int kind, void* data, Py_ssize_t start, Py_ssize_t size) noexcept:
    """Return whether the name or number of an entity and a semicolon follow."""
    cdef Py_ssize_t place = start
    cdef Py_UCS4 character = 0
    if place < size and PyUnicode_READ(kind, data, place) == 35:  # number sign
        place += 1
    start = place
    while place < size and place - start <= LONGEST_ENTITY:
        character = PyUnicode_READ(kind, data, place)
        if character != 95 and not character.isalnum():
            break
        place += 1
    return place < size and 1 <= place - start <= LONGEST_ENTITY and character == 59


cdef bint is_unchanged(str text) noexcept:
    """Return whether a text is printable ASCII with single spaces and without possible markup."""
    cdef const unsigned char* data = <const unsigned char*>PyUnicode_DATA(text)
    cdef Py_ssize_t index, size = len(text)
    cdef unsigned char byte, odd = 0
    if not size or not PyUnicode_IS_ASCII(text):
        return False
    for index in range(size):  # without branches, so that the compiler vectorizes it; the string ends with a zero byte
        byte = data[index]
        odd |= <unsigned char>(byte < 32) | <unsigned char>(byte == 127)
        odd |= <unsigned char>(byte == 32) & <unsigned char>(data[index + 1] == 32)
        odd |= <unsigned char>(byte == c"_") | <unsigned char>(byte == c"*") | <unsigned char>(byte == c"&")
        odd |= <unsigned char>(byte == c"[") | <unsigned char>(byte == c"]") | <unsigned char>(byte == c"\\")
        odd |= <unsigned char>(byte == c"<") | <unsigned char>(byte == c"`") | <unsigned char>(byte == c"~")
    return not odd


def write_plain(str text not None):
    """Return the Markdown of a block of text, None if `strip_invisible` must be applied first."""
    cdef str written
    if is_unchanged(text) and text[0] != " " and text[len(text) - 1] != " ":
        return text
    written = fold_plain(text)
    if written is not None:
        return escape(written)
    written = write_part(text)
    return None if written is None else finish_line(written)


cpdef str write_part(str text):
    """Return the Markdown of a part of a block, None if `strip_invisible` must be applied first."""
    cdef str folded
    if not text or is_unchanged(text):
        return text
    folded = fold_white(text)
    return escape(folded) if is_visible(folded) else None


def is_plain_address(str text not None):
    """Return whether a URL has only ASCII characters that Markdown and URLs need not escape."""
    cdef const unsigned char* data = <const unsigned char*>PyUnicode_DATA(text)
    cdef Py_ssize_t index
    if not PyUnicode_IS_ASCII(text):
        return False
    for index in range(len(text)):
        if not IS_PLAIN_IN_ADDRESS[data[index]]:
            return False
    return True
