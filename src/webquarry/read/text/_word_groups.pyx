# cython: language_level=3, boundscheck=False, wraparound=False
"""Groups of words that are looked for in many texts, all at once. `word_groups.py` is the same in Python.

A text is read once: only where two characters stand that a word begins with are words compared.
"""

from libc.string cimport memcmp
from cpython.unicode cimport PyUnicode_DATA

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)

cdef enum:
    STARTS = 4096
    MOST_GROUPED = 250  # words of all groups


cdef inline size_t start_of(unsigned char one, unsigned char other) noexcept:
    return (<size_t>one * 67 + <size_t>other) & (STARTS - 1)


cdef struct Word:
    const char* text  # of the text in `_words`
    Py_ssize_t size
    char last
    unsigned int group  # its bit
    unsigned char next  # the number of another word that begins so, or 0


cdef class WordGroups:
    """Groups of words in ASCII, each of two characters or more, all looked for in one go."""

    cdef readonly tuple groups
    cdef list _words
    cdef unsigned char _first[STARTS]  # the number of a word that begins so, counted from 1
    cdef Word _known[MOST_GROUPED + 1]

    def __cinit__(self, groups):
        cdef bytes word
        cdef size_t start
        cdef int number, group
        self.groups = tuple(map(tuple, groups))
        self._words = []
        if len(self.groups) > 32 or sum(map(len, self.groups)) > MOST_GROUPED:
            raise ValueError("there are too many words")
        for group in range(len(self.groups)):
            for text in self.groups[group]:
                if len(text) < 2 or not text.isascii():
                    raise ValueError("a word is too short, or not in ASCII")
                word = text.encode("ascii")
                self._words.append(word)
                number = len(self._words)
                start = start_of(word[0], word[1])
                self._known[number].text = word
                self._known[number].size = len(word)
                self._known[number].last = word[len(word) - 1]
                self._known[number].group = 1u << group
                self._known[number].next = self._first[start]
                self._first[start] = <unsigned char>number

    def find_in(self, str text not None):
        """The groups of which a word stands in a text, as bits."""
        cdef bytes encoded
        if PyUnicode_IS_ASCII(text):
            return self._find(<const char*>PyUnicode_DATA(text), len(text))
        # no byte of another character looks like one of ASCII
        encoded = text.encode("utf-8", "surrogatepass")
        return self._find(encoded, len(encoded))

    cdef unsigned int _find(self, const char* text, Py_ssize_t size) noexcept:
        cdef Py_ssize_t place
        cdef unsigned int found = 0
        cdef int number
        cdef Word* word
        for place in range(size - 1):
            number = self._first[start_of(<unsigned char>text[place], <unsigned char>text[place + 1])]
            while number:
                word = &self._known[number]
                number = word.next
                if found & word.group or place + word.size > size or text[place + word.size - 1] != word.last:
                    continue
                if memcmp(text + place, word.text, word.size) == 0:
                    found |= word.group
        return found
