# cython: language_level=3, boundscheck=False, wraparound=False
"""Signs that are looked for in texts before patterns are tried, which take longer. `signs.py` is the same in Python."""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ

from webquarry._read.text import signs as signs_in_python

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    Py_ssize_t PyUnicode_FindChar(object text, Py_UCS4 character, Py_ssize_t start, Py_ssize_t end, int direction) except -2

cdef enum:
    LONGEST_HEADING_MARK = 7  # characters
    MOST_BLANKS_BEHIND_NAME = 4
    MOST_SPEAKERS = 16
    MOST_RANGES = 64

cdef const char* SPEAKERS[MOST_SPEAKERS]
cdef list SPEAKER_NAMES = [name.encode() for name in signs_in_python.SPEAKERS]
cdef int SPEAKER_COUNT = len(SPEAKER_NAMES)


cdef int fill_table() except -1:
    cdef int number
    for number in range(SPEAKER_COUNT):
        SPEAKERS[number] = <bytes>SPEAKER_NAMES[number]
    return 0


fill_table()


cdef int check_text(text) except -1:
    """Texts may be of a type that is made of `str`, as those are that lxml finds."""
    if not isinstance(text, str):
        raise TypeError(f"{type(text).__name__} is no text")
    return 0


def may_hold_bracket(text):
    """Whether the last letter of a delimiter in brackets stands before a bracket."""
    cdef int kind
    cdef void* data
    cdef Py_ssize_t size, place = 0
    cdef Py_UCS4 before
    check_text(text)
    kind, data, size = PyUnicode_KIND(text), <void*>PyUnicode_DATA(text), len(text)
    while True:
        place = PyUnicode_FindChar(text, 93, place, size, 1) + 1
        if place == 0:
            return False
        if place > 1:
            before = PyUnicode_READ(kind, data, place - 2)
            if before == 84 or before == 83:  # T, S
                return True


def may_start_turn(text):
    """Whether a line begins with the name of a speaker and a colon, whatever number signs are before it."""
    cdef int kind
    cdef void* data
    cdef Py_ssize_t size, start = 0
    check_text(text)
    kind, data, size = PyUnicode_KIND(text), <void*>PyUnicode_DATA(text), len(text)
    while True:
        if is_speaker_at(kind, data, start, size):
            return True
        start = PyUnicode_FindChar(text, 10, start, size, 1) + 1
        if start == 0:
            return False


cdef bint is_speaker_at(int kind, void* data, Py_ssize_t place, Py_ssize_t size) noexcept:
    cdef Py_ssize_t last = min(place + LONGEST_HEADING_MARK, size), end
    cdef const char* name
    cdef int index
    while place < last and (PyUnicode_READ(kind, data, place) == 35 or PyUnicode_READ(kind, data, place) == 32):
        place += 1
    for index in range(SPEAKER_COUNT):
        name = SPEAKERS[index]
        end = place
        while name[0] and end < size and lower_of(PyUnicode_READ(kind, data, end)) == <unsigned char>name[0]:
            end += 1
            name += 1
        if name[0]:
            continue
        last = min(end + MOST_BLANKS_BEHIND_NAME, size)
        while end < last and (PyUnicode_READ(kind, data, end) == 32 or PyUnicode_READ(kind, data, end) == 9):
            end += 1
        return end < size and PyUnicode_READ(kind, data, end) == 58
    return False


cdef inline unsigned int lower_of(unsigned int character) noexcept:
    return character + 32 if 65 <= character <= 90 else character


def count_ascii_words(text):
    """How many words of letters and digits a text in ASCII has."""
    cdef Py_ssize_t size, place, words = 0
    cdef const unsigned char* characters
    check_text(text)
    characters = <const unsigned char*>PyUnicode_AsUTF8AndSize(text, &size)
    if size:
        words = is_ascii_letter_or_digit(characters[0])
    # without a branch, so that many characters are looked at in one step
    for place in range(1, size):
        words += is_ascii_letter_or_digit(characters[place]) & (is_ascii_letter_or_digit(characters[place - 1]) ^ 1)
    return words


cdef inline unsigned char is_ascii_letter_or_digit(unsigned char character) noexcept:
    return (<unsigned char>((character | 32) - 97) < 26) | (<unsigned char>(character - 48) < 10)


cdef class CharacterSet:
    """Characters that are looked for in texts, written as in the brackets of a pattern: single ones and ranges."""

    cdef unsigned char _members[0x2000]  # a bit for each of the first characters
    cdef unsigned int _first[MOST_RANGES]  # of those beyond
    cdef unsigned int _last[MOST_RANGES]
    cdef int _ranges

    def __cinit__(self, str members not None):
        cdef Py_ssize_t place = 0
        cdef unsigned int first, last, code
        while place < len(members):
            first = last = ord(members[place])
            if members[place + 1 : place + 2] == "-":
                last = ord(members[place + 2])
                place += 2
            place += 1
            for code in range(first, min(last, 0xFFFF) + 1):
                self._members[code >> 3] |= 1 << (code & 7)
            if last > 0xFFFF:
                if self._ranges == MOST_RANGES:
                    raise ValueError("there are too many ranges")
                self._first[self._ranges], self._last[self._ranges] = first, last
                self._ranges += 1

    def find_run(self, text, Py_ssize_t start):
        """Where the next characters of the set stand side by side, from a place on: the first, and one past the last; None
        where there are no more.
        """
        cdef int kind
        cdef void* data
        cdef Py_ssize_t size, end
        check_text(text)
        kind, data, size = PyUnicode_KIND(text), <void*>PyUnicode_DATA(text), len(text)
        while start < size and not self._has(PyUnicode_READ(kind, data, start)):
            start += 1
        if start >= size:
            return None
        end = start + 1
        while end < size and self._has(PyUnicode_READ(kind, data, end)):
            end += 1
        return start, end

    cdef inline bint _has(self, unsigned int character) noexcept:
        cdef int index
        if character <= 0xFFFF:
            return self._members[character >> 3] >> (character & 7) & 1
        for index in range(self._ranges):
            if self._first[index] <= character <= self._last[index]:
                return True
        return False
