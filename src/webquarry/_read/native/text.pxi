# Hash tables, and search for several words at once.

@final
cdef class HashTable:
    """Numbers by hashes of 64 bits or by addresses, which are not 0."""

    cdef uint64_t* keys
    cdef int* numbers
    cdef size_t mask, count

    def __cinit__(self):
        self.make_room(64)

    def __dealloc__(self):
        PyMem_Free(self.keys)
        PyMem_Free(self.numbers)

    cdef inline size_t find(self, uint64_t key) noexcept:
        """Return the place of a key, or the empty place for it."""
        cdef size_t place = (key >> 4) & self.mask  # the lowest bits of addresses are 0
        while self.keys[place] and self.keys[place] != key:
            place = (place + 1) & self.mask
        return place

    cdef inline int get(self, uint64_t key) noexcept:
        """Return the number of a key, 0 if it is not in the table."""
        return self.numbers[self.find(key)]

    cdef int set(self, uint64_t key, int number) except -1:
        cdef size_t place
        if 2 * self.count > self.mask:
            self.make_room(4 * (self.mask + 1))
        place = self.find(key)
        self.count += not self.keys[place]
        self.keys[place], self.numbers[place] = key, number
        return 0

    cdef int make_room(self, size_t room) except -1:
        cdef uint64_t* keys = self.keys
        cdef int* numbers = self.numbers
        cdef size_t place, before = self.mask + 1 if keys is not NULL else 0
        self.keys = <uint64_t*>allocate(room, sizeof(uint64_t))
        self.numbers = <int*>allocate(room, sizeof(int))
        self.mask, self.count = room - 1, 0
        for place in range(before):
            if keys[place]:
                self.set(keys[place], numbers[place])
        PyMem_Free(keys)
        PyMem_Free(numbers)
        return 0


cdef enum:
    PAIRS = 4096  # hash values
    MAX_WORDS = 64
    MAX_ENTRIES = 255
    MAX_STEP = 8


cdef inline size_t hash_pair(Py_UCS4 one, Py_UCS4 other) noexcept:
    """Return a hash of two characters that ignores the case of ASCII letters."""
    return ((<size_t>one | 32) * 67 + (<size_t>other | 32)) & (PAIRS - 1)


cdef class WordSearch:
    """Up to 64 words of at least two characters. Raises ValueError for others."""

    cdef readonly tuple words
    cdef Py_ssize_t _step  # distance between sampled positions
    cdef unsigned char _first[PAIRS]  # number of an entry by the hash of its pair; 0 for none
    cdef unsigned char _next[MAX_ENTRIES + 1]  # next entry with the same hash
    cdef unsigned char _word[MAX_ENTRIES + 1]  # index of the word
    cdef unsigned char _offset[MAX_ENTRIES + 1]  # position of the pair in the word
    cdef Py_UCS4 _following[MAX_ENTRIES + 1]  # character after the pair; 0 for none

    def __cinit__(self, words):
        cdef str word
        cdef size_t pair
        cdef int number, entry = 0
        cdef Py_ssize_t offset
        self.words = tuple(words)
        if len(self.words) > MAX_WORDS:
            raise ValueError("at most 64 words can be searched for")
        self._step = min(MAX_STEP, MAX_ENTRIES // max(len(self.words), 1))
        for word in self.words:
            if len(word) < 2:
                raise ValueError("a word must have at least two characters")
            self._step = min(self._step, len(word) - 1)
        for number in range(len(self.words)):
            word = self.words[number]
            for offset in range(self._step):
                entry += 1
                pair = hash_pair(word[offset], word[offset + 1])
                self._next[entry] = self._first[pair]
                self._first[pair] = <unsigned char>entry
                self._word[entry], self._offset[entry] = <unsigned char>number, <unsigned char>offset
                if offset + 2 < len(word):
                    self._following[entry] = word[offset + 2]

    def is_any_in(self, str text not None):
        """Return whether a text contains one of the words."""
        return self._count(PyUnicode_KIND(text), PyUnicode_DATA(text), len(text), False, 1) > 0

    def count_in_lower(self, str text not None, Py_ssize_t limit):
        """Return how many of the words the lower case of `text[:limit]` contains."""
        cdef int kind = PyUnicode_KIND(text)
        cdef void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t size = min(len(text), limit), place
        cdef Py_UCS4 character
        cdef str lowered
        if not PyUnicode_IS_ASCII(text):
            for place in range(size):
                character = PyUnicode_READ(kind, data, place)
                if character >= 128 and Py_UNICODE_TOLOWER(character) != character:
                    # the lower case of some letters depends on their neighbours or has several characters
                    lowered = text[:limit].lower()
                    return self._count(PyUnicode_KIND(lowered), PyUnicode_DATA(lowered), len(lowered), False, MAX_WORDS)
        return self._count(kind, data, size, True, MAX_WORDS)

    cdef int _count(self, int kind, void* data, Py_ssize_t size, bint folds, int enough) noexcept:
        """Count the words in a text, in the lower case of its ASCII letters if `folds`; stop at `enough`."""
        # constants, so that the compiler generates one loop for each width of characters
        if kind == 1:
            return count_words(self, 1, data, size, folds, enough)
        if kind == 2:
            return count_words(self, 2, data, size, folds, enough)
        return count_words(self, 4, data, size, folds, enough)


cdef inline int count_words(WordSearch search, const int kind, void* data, Py_ssize_t size, bint folds,
                            int enough) noexcept:
    cdef Py_ssize_t place = 0, step = search._step
    cdef unsigned char found[MAX_WORDS]
    cdef int entry, number, count = 0
    cdef Py_UCS4 following
    memset(found, 0, sizeof(found))
    while place < size - 1:
        entry = search._first[hash_pair(PyUnicode_READ(kind, data, place), PyUnicode_READ(kind, data, place + 1))]
        while entry:
            number = search._word[entry]
            following = search._following[entry]
            # usually the next character differs
            if (not following or place + 2 < size and is_same(PyUnicode_READ(kind, data, place + 2), following)) and (
                not found[number]
                and matches_at(<str>search.words[number], kind, data, size, place - search._offset[entry], folds)
            ):
                found[number] = 1
                count += 1
                if count >= enough:
                    return count
            entry = search._next[entry]
        place += step
    return count


cdef inline bint is_same(Py_UCS4 one, Py_UCS4 other) noexcept:
    """Return whether two characters may be equal except for the case of ASCII letters."""
    return (<unsigned int>one | 32) == (<unsigned int>other | 32)


cdef bint matches_at(str word, int kind, void* data, Py_ssize_t size, Py_ssize_t place, bint folds) noexcept:
    """Return whether a word is at a position, in the lower case of its ASCII letters if `folds`."""
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
