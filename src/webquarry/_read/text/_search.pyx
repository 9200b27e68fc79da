# cython: language_level=3, boundscheck=False, wraparound=False
"""Some words that are looked for in many texts, all at once. `search.py` is the same in Python.

A text is read once, and not every place of it: of each word the first pairs of characters are known, as many as the places
are apart that are looked at. Only where one of those pairs stands are words compared.
"""

from libc.string cimport memchr, memset
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ, Py_UNICODE_TOLOWER

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)

cdef enum:
    STARTS = 4096
    MOST = 64  # words
    MOST_ENTRIES = 255
    FARTHEST = 8  # places that are looked at, from one to the next


cdef inline size_t start_of(Py_UCS4 one, Py_UCS4 other) noexcept:
    """A small number for two characters, the same in both cases of letters of ASCII."""
    return ((<size_t>one | 32) * 67 + (<size_t>other | 32)) & (STARTS - 1)


cdef class WordSearch:
    """The words, each of two characters or more."""

    cdef readonly tuple words
    cdef Py_ssize_t _step  # from one place that is looked at to the next
    cdef unsigned char _first[STARTS]  # an entry for a pair, counted from 1
    cdef unsigned char _next[MOST_ENTRIES + 1]  # another entry for the same
    cdef unsigned char _word[MOST_ENTRIES + 1]  # its word, counted from 0
    cdef unsigned char _offset[MOST_ENTRIES + 1]  # where in its word the pair stands
    cdef Py_UCS4 _behind[MOST_ENTRIES + 1]  # the character behind the pair; 0 for none

    def __cinit__(self, words):
        cdef str word
        cdef size_t pair
        cdef int number, entry = 0
        cdef Py_ssize_t offset
        self.words = tuple(words)
        if len(self.words) > MOST:
            raise ValueError("there are too many words")
        self._step = min(FARTHEST, MOST_ENTRIES // max(len(self.words), 1))
        for word in self.words:
            if len(word) < 2:
                raise ValueError("a word is too short")
            self._step = min(self._step, len(word) - 1)
        for number in range(len(self.words)):
            word = self.words[number]
            for offset in range(self._step):
                entry += 1
                pair = start_of(word[offset], word[offset + 1])
                self._next[entry] = self._first[pair]
                self._first[pair] = <unsigned char>entry
                self._word[entry], self._offset[entry] = <unsigned char>number, <unsigned char>offset
                if offset + 2 < len(word):
                    self._behind[entry] = word[offset + 2]

    def is_any_in(self, str text not None):
        """Whether one of the words stands in a text."""
        return self._count(PyUnicode_KIND(text), PyUnicode_DATA(text), len(text), False, 1) > 0

    def count_in(self, str text not None):
        """How many of the words stand in a text."""
        return self._count(PyUnicode_KIND(text), PyUnicode_DATA(text), len(text), False, MOST)

    cpdef int count_in_lower(self, str text, Py_ssize_t most) except -1:
        """How many of the words stand in the beginning of a text, when that is in lower case."""
        cdef int kind = PyUnicode_KIND(text)
        cdef void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t size = min(len(text), most), place
        cdef Py_UCS4 character
        cdef str slowly
        if not PyUnicode_IS_ASCII(text):
            for place in range(size):
                character = PyUnicode_READ(kind, data, place)
                if character >= 128 and Py_UNICODE_TOLOWER(character) != character:
                    # some letters have several lower cases
                    slowly = text[:most].lower()
                    return self._count(PyUnicode_KIND(slowly), PyUnicode_DATA(slowly), len(slowly), False, MOST)
        return self._count(kind, data, size, True, MOST)

    def find_in_lower(self, list texts not None, list numbers not None, Py_ssize_t longest):
        """Those of some texts, by their numbers, that are not longer and hold a word when they are in lower case."""
        cdef list found = []
        cdef Py_ssize_t number
        cdef str text
        for number in numbers:
            if not 0 <= number < len(texts):
                raise IndexError("there is no text with that number")
            text = texts[number]
            if len(text) <= longest and self.count_in_lower(text, longest):
                found.append(number)
        return found

    cdef int _count(self, int kind, void* data, Py_ssize_t size, bint folds, int enough) noexcept:
        """How many of the words stand in a text, or in one that is put into lower case; counting may end early."""
        # spelled out, so that the compiler makes one loop for each width of characters
        if kind == 1:
            return count_words(self, 1, data, size, folds, enough)
        if kind == 2:
            return count_words(self, 2, data, size, folds, enough)
        return count_words(self, 4, data, size, folds, enough)


cdef inline int count_words(WordSearch search, const int kind, void* data, Py_ssize_t size, bint folds,
                            int enough) noexcept:
    cdef Py_ssize_t place = 0, step = search._step
    cdef unsigned char found[MOST]
    cdef int entry, number, count = 0
    cdef Py_UCS4 behind
    memset(found, 0, sizeof(found))
    while place < size - 1:
        entry = search._first[start_of(PyUnicode_READ(kind, data, place), PyUnicode_READ(kind, data, place + 1))]
        while entry:
            number = search._word[entry]
            behind = search._behind[entry]
            # most differ in the next character
            if (not behind or place + 2 < size and is_same(PyUnicode_READ(kind, data, place + 2), behind)) and (
                not found[number]
                and stands_at(<str>search.words[number], kind, data, size, place - search._offset[entry], folds)
            ):
                found[number] = 1
                count += 1
                if count >= enough:
                    return count
            entry = search._next[entry]
        place += step
    return count


cdef inline bint is_same(Py_UCS4 one, Py_UCS4 other) noexcept:
    """Whether two characters may be the same, but for the case of letters of ASCII."""
    return (<unsigned int>one | 32) == (<unsigned int>other | 32)


cdef bint stands_at(str word, int kind, void* data, Py_ssize_t size, Py_ssize_t place, bint folds) noexcept:
    """Whether a word stands at a place; letters of ASCII there may be put into lower case."""
    cdef int own_kind = PyUnicode_KIND(word)
    cdef void* own = PyUnicode_DATA(word)
    cdef Py_ssize_t length = len(word), index
    cdef Py_UCS4 character
    if place < 0 or place + length > size:
        return False
    for index in range(length):
        character = PyUnicode_READ(kind, data, place + index)
        if folds and 65 <= character <= 90:
            character = <Py_UCS4>(<unsigned int>character + 32)
        if PyUnicode_READ(own_kind, own, index) != character:
            return False
    return True


def holds_folded(bytes data not None, bytes word not None):
    """Whether a word stands in bytes, in whatever case; all of its letters are small."""
    cdef const unsigned char* wanted = word
    if not len(word):
        raise ValueError("a word is too short")
    if holds_from(data, len(data), wanted[0], wanted, len(word)):
        return True
    return 97 <= wanted[0] <= 122 and holds_from(data, len(data), wanted[0] - 32, wanted, len(word))


cdef bint holds_from(const unsigned char* place, Py_ssize_t size, int first, const unsigned char* wanted,
                     Py_ssize_t length) noexcept:
    """Whether a word stands in bytes that begins with a certain byte and goes on in whatever case."""
    cdef const unsigned char* end = place + size
    cdef Py_ssize_t index
    cdef unsigned char byte
    while True:
        place = <const unsigned char*>memchr(place, first, end - place)
        if place is NULL or end - place < length:
            return False
        for index in range(1, length):
            byte = place[index]
            if 65 <= byte <= 90:
                byte += 32
            if byte != wanted[index]:
                break
        else:
            return True
        place += 1


def find_numbered(list texts not None, Py_ssize_t longest):
    """The places of texts no longer than that which may have two numbers: two digits, or characters beyond ASCII."""
    cdef list found = []
    cdef Py_ssize_t index, at, size
    cdef int digits
    cdef str text
    cdef const unsigned char* data
    for index in range(len(texts)):
        text = texts[index]
        size = len(text)
        if size > longest:
            continue
        if not PyUnicode_IS_ASCII(text):
            found.append(index)
            continue
        data = <const unsigned char*>PyUnicode_DATA(text)
        digits = 0
        for at in range(size):
            digits += 48 <= data[at] <= 57
        if digits > 1:
            found.append(index)
    return found
