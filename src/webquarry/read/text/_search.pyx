# cython: language_level=3, boundscheck=False, wraparound=False
"""Some words that are looked for in many texts, all at once. `search.py` is the same in Python.

A text is read once: only where two characters stand that a word begins with are words compared.
"""

from libc.string cimport memset
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ, Py_UNICODE_TOLOWER

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)

cdef enum:
    STARTS = 4096
    MOST = 64  # words
    ROOM = 640  # characters that are put into lower case without a new text


cdef inline size_t start_of(Py_UCS4 one, Py_UCS4 other) noexcept:
    return (<size_t>one * 67 + <size_t>other) & (STARTS - 1)


cdef class WordSearch:
    """The words, each of two characters or more."""

    cdef readonly tuple words
    cdef unsigned char _first[STARTS]  # the number of a word that begins so, counted from 1
    cdef unsigned char _next[MOST + 1]  # of another word that does

    def __cinit__(self, words):
        cdef str word
        cdef size_t start
        cdef int number
        self.words = tuple(words)
        if len(self.words) > MOST:
            raise ValueError("there are too many words")
        for number, word in enumerate(self.words, 1):
            if len(word) < 2:
                raise ValueError("a word is too short")
            start = start_of(<Py_UCS4>word[0], <Py_UCS4>word[1])
            self._next[number] = self._first[start]
            self._first[start] = <unsigned char>number

    def is_any_in(self, str text not None):
        """Whether one of the words stands in a text."""
        return self._count(PyUnicode_KIND(text), PyUnicode_DATA(text), len(text), 1) > 0

    def count_in_lower(self, str text not None, Py_ssize_t most):
        """How many of the words stand in the beginning of a text, when that is in lower case."""
        cdef int kind = PyUnicode_KIND(text)
        cdef void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t size = min(len(text), most), place
        cdef Py_UCS4 character
        cdef Py_UCS4 lowered[ROOM]
        cdef unsigned char byte
        cdef unsigned char lowered_bytes[ROOM]
        cdef str slowly
        if size <= ROOM and PyUnicode_IS_ASCII(text):
            for place in range(size):
                byte = (<const unsigned char*>data)[place]
                lowered_bytes[place] = byte + 32 if 65 <= byte <= 90 else byte
            return self._count(1, lowered_bytes, size, MOST)
        if size <= ROOM:
            for place in range(size):
                character = PyUnicode_READ(kind, data, place)
                if 65 <= character <= 90:
                    character = <Py_UCS4>(<unsigned int>character + 32)
                elif character >= 128 and Py_UNICODE_TOLOWER(character) != character:
                    break  # some letters have several lower cases
                lowered[place] = character
            else:
                return self._count(4, lowered, size, MOST)
        slowly = text[:most].lower()
        return self._count(PyUnicode_KIND(slowly), PyUnicode_DATA(slowly), len(slowly), MOST)

    cdef int _count(self, int kind, void* data, Py_ssize_t size, int enough) noexcept:
        """How many of the words stand in a text; counting may end early."""
        if size < 2:
            return 0
        # spelled out, so that the compiler makes one loop for each width of characters
        if kind == 1:
            return count_words(self, 1, data, size, enough)
        if kind == 2:
            return count_words(self, 2, data, size, enough)
        return count_words(self, 4, data, size, enough)


cdef inline int count_words(WordSearch search, const int kind, void* data, Py_ssize_t size, int enough) noexcept:
    cdef Py_ssize_t place
    cdef Py_UCS4 one, other
    cdef unsigned char found[MOST + 1]
    cdef int number, count = 0
    memset(found, 0, sizeof(found))
    other = PyUnicode_READ(kind, data, 0)
    for place in range(size - 1):
        one, other = other, PyUnicode_READ(kind, data, place + 1)
        number = search._first[start_of(one, other)]
        while number:
            if not found[number] and stands_at(<str>search.words[number - 1], kind, data, size, place):
                found[number] = 1
                count += 1
                if count >= enough:
                    return count
            number = search._next[number]
    return count


cdef bint stands_at(str word, int kind, void* data, Py_ssize_t size, Py_ssize_t place) noexcept:
    cdef int own_kind = PyUnicode_KIND(word)
    cdef void* own = PyUnicode_DATA(word)
    cdef Py_ssize_t length = len(word), index
    if place + length > size:
        return False
    for index in range(length):
        if PyUnicode_READ(own_kind, own, index) != PyUnicode_READ(kind, data, place + index):
            return False
    return True
