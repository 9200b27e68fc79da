# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Words of blocks and of class names -> their numbers in a learned table, on UTF-8.

The same as `words.py`, which cuts a text into words and looks each of them up, but without making the words. A word
is known by a hash, of which the table keeps 32 bits beside those that its place tells.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memchr

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    Py_UCS4 PyUnicode_MAX_CHAR_VALUE(object text)

cdef enum:
    LONGEST_NAMES = 1600  # bytes; `boxes.LONGEST` characters have no more

cdef enum:
    KNOWN = 1024  # times 64 bits

cdef uint64_t HASH_FACTOR = 0x9E3779B97F4A7C15u

cdef enum:
    GAP, LETTER, LEAD  # kinds of bytes; one that leads may begin a blank or a mark beyond ASCII

cdef unsigned char KINDS[256]
cdef unsigned char LOWER[256]
cdef unsigned char LETTERS[256]  # as above in small letters, 0 for what is none or may be none


cdef void describe_bytes() noexcept:
    cdef int byte
    for byte in range(256):
        LOWER[byte] = byte + 32 if 65 <= byte <= 90 else byte
        KINDS[byte] = LETTER if byte >= 128 or byte == 0 or 97 <= LOWER[byte] <= 122 or 48 <= byte <= 57 else GAP
    KINDS[0xC2] = KINDS[0xE1] = KINDS[0xE2] = KINDS[0xE3] = LEAD
    for byte in range(256):
        LETTERS[byte] = LOWER[byte] if KINDS[byte] == LETTER else 0


describe_bytes()


cdef inline int gap_at(const unsigned char* text, Py_ssize_t left) noexcept:
    """How many bytes a blank or a quotation mark beyond ASCII has that begins here; 0 if none does."""
    if left >= 2 and text[0] == 0xC2:
        return 2 if text[1] == 0x85 or text[1] == 0xA0 else 0
    if left < 3:
        return 0
    if text[0] == 0xE2 and text[1] == 0x80:
        if text[2] <= 0x8A or text[2] in (0x99, 0x9C, 0x9D, 0xA8, 0xA9, 0xAF):
            return 3
    elif text[0] == 0xE2:
        return 3 if text[1] == 0x81 and text[2] == 0x9F else 0
    elif text[0] == 0xE1:
        return 3 if text[1] == 0x9A and text[2] == 0x80 else 0
    elif text[0] == 0xE3:
        return 3 if text[1] == 0x80 and text[2] == 0x80 else 0
    return 0


cdef struct WordEntry:
    uint32_t check  # what its place does not tell of the hash of a word
    int32_t number  # -1 for none


cdef class WordTable:
    """Words and their numbers. What it gives are the bytes of arrays of 64-bit integers.

    Most words of a page are in no table: a bit for each of many hashes tells that of nearly all of them, without a look
    at the table, which is far from the processor when a page begins.
    """

    cdef WordEntry* _entries
    cdef uint64_t _known[KNOWN]
    cdef size_t _mask
    cdef int64_t _unknown, _highest

    def __cinit__(self, numbers, unknown):
        cdef size_t room = 64, place
        cdef uint64_t found
        cdef int32_t number
        cdef bytes encoded
        while 2 * room < 3 * <size_t>len(numbers):
            room *= 2
        self._mask, self._unknown, self._highest = room - 1, unknown, unknown
        self._entries = <WordEntry*>PyMem_Calloc(room, sizeof(WordEntry))
        if self._entries is NULL:
            raise MemoryError
        for place in range(room):
            self._entries[place].number = -1
        for word, number in numbers.items():
            if number < 0:
                raise ValueError("a word has a number below 0")
            self._highest = max(self._highest, number)
            encoded = word.encode("utf-8", "surrogatepass")
            found = hash_of(<const unsigned char*>PyBytes_AS_STRING(encoded), len(encoded))
            place = found & self._mask
            while self._entries[place].number >= 0:
                place = (place + 1) & self._mask
            self._entries[place].check, self._entries[place].number = <uint32_t>(found >> 32), number
            self._known[(found >> 40) % (KNOWN)] |= <uint64_t>1 << ((found >> 34) & 63)

    def __dealloc__(self):
        PyMem_Free(self._entries)

    cdef inline int64_t number_of(self, const unsigned char* word, Py_ssize_t size) noexcept:
        return self.number_of_hash(hash_of(word, size))

    cdef inline int64_t number_of_hash(self, uint64_t found) noexcept:
        """The number of a word that is known by its hash."""
        cdef size_t place = found & self._mask
        if not self._known[(found >> 40) % (KNOWN)] >> ((found >> 34) & 63) & 1:
            return self._unknown
        while self._entries[place].number >= 0:
            if self._entries[place].check == <uint32_t>(found >> 32):
                return self._entries[place].number
            place = (place + 1) & self._mask
        return self._unknown

    def words(self, str text):
        """The numbers of the words of a text, as the bytes of an array; only letters of ASCII lose their case."""
        cdef Py_ssize_t size, place = 0, count = 0, filled = 0
        cdef const unsigned char* source = <const unsigned char*>PyUnicode_AsUTF8AndSize(text, &size)
        cdef unsigned char* word = <unsigned char*>PyMem_Malloc(size + 1)
        cdef int64_t* found = <int64_t*>PyMem_Malloc((size // 2 + 1) * sizeof(int64_t))
        cdef int kind, gap
        try:
            if word is NULL or found is NULL:
                raise MemoryError
            while place < size:
                kind, gap = KINDS[source[place]], 1
                if kind == LEAD:
                    gap = gap_at(source + place, size - place)
                    kind = GAP if gap else LETTER
                if kind == LETTER:
                    word[filled] = LOWER[source[place]]
                    filled += 1
                    place += 1
                    continue
                place += gap
                if filled:
                    found[count] = self.number_of(word, filled)
                    count, filled = count + 1, 0
            if filled:
                found[count] = self.number_of(word, filled)
                count += 1
            return PyBytes_FromStringAndSize(<char*>found, count * sizeof(int64_t))
        finally:
            PyMem_Free(word)
            PyMem_Free(found)

    def tokens(self, str text):
        """The numbers of the parts of names, as the bytes of an array, and the parts in lower case with blanks between them.

        A part begins with a letter of ASCII or with a byte of 0 and goes on to the next one that is no small letter.
        """
        cdef Py_ssize_t size, place = 0, count = 0, filled = 0, start
        cdef const unsigned char* source = <const unsigned char*>PyUnicode_AsUTF8AndSize(text, &size)
        cdef unsigned char* lowered = <unsigned char*>PyMem_Malloc(2 * size + 1)
        cdef int64_t* found = <int64_t*>PyMem_Malloc((size + 1) * sizeof(int64_t))
        try:
            if lowered is NULL or found is NULL:
                raise MemoryError
            while place < size:
                if not (97 <= LOWER[source[place]] <= 122 or source[place] == 0):
                    place += 1
                    continue
                if filled:
                    lowered[filled] = 32
                    filled += 1
                start = filled
                lowered[filled] = LOWER[source[place]]
                filled += 1
                place += 1
                while place < size and 97 <= source[place] <= 122:
                    lowered[filled] = source[place]
                    filled += 1
                    place += 1
                found[count] = self.number_of(lowered + start, filled - start)
                count += 1
            return PyBytes_FromStringAndSize(<char*>found, count * sizeof(int64_t)), lowered[:filled].decode("ascii")
        finally:
            PyMem_Free(lowered)
            PyMem_Free(found)


def read_names(list tags not None, list names not None, list ids not None, WordTable table not None,
               const double[::1] values not None, dict tag_numbers not None, Py_ssize_t longest,
               Py_ssize_t[::1] tags_of not None, Py_ssize_t[::1] kinds not None, double[:, ::1] said not None):
    """For each element the number of its tag and one for tag and class together; sum, lowest and highest of what its class
    and its id say, a column each.
    """
    cdef Py_ssize_t size = len(tags), box, first
    cdef dict numbers = {}  # the number of each kind
    cdef NameReader reader = NameReader()
    cdef WrittenBoxes written
    cdef str names_of, id_of
    if (len(names) != size or len(ids) != size or tags_of.shape[0] != size or kinds.shape[0] != size
            or said.shape[0] != 3 or said.shape[1] != size):
        raise ValueError("the names do not fit together")
    if table._highest >= values.shape[0]:
        raise ValueError("a word has a number that is not there")
    reader._table, reader._values = table, values
    written = WrittenBoxes(tags, names, ids)
    for box in range(size):
        first = written.find_first(box)
        if first < box:
            tags_of[box], kinds[box] = tags_of[first], kinds[first]
            said[0, box], said[1, box], said[2, box] = said[0, first], said[1, first], said[2, first]
            continue
        reader.total = reader.lowest = reader.highest = 0.0
        names_of, id_of = names[box], ids[box]
        kind = (tags[box], reader.read(names_of if len(names_of) <= longest else names_of[:longest]))
        reader.read(id_of if len(id_of) <= longest else id_of[:longest])
        tags_of[box] = tag_numbers.get(tags[box], 0)
        kinds[box] = numbers.setdefault(kind, len(numbers))
        said[0, box], said[1, box], said[2, box] = reader.total, reader.lowest, reader.highest


cdef class WrittenBoxes:
    """Finds elements with the same tag, class and id, if those are the very same objects: whoever reads a page has one of
    each value. Others are looked at as if they were different.
    """

    cdef list _tags, _names, _ids
    cdef Py_ssize_t* _places  # of elements, counted from 1; 0 for none
    cdef size_t _mask

    def __cinit__(self, list tags, list names, list ids):
        cdef size_t room = 64
        while room < 2 * <size_t>len(tags):
            room *= 2
        self._tags, self._names, self._ids, self._mask = tags, names, ids, room - 1
        self._places = <Py_ssize_t*>PyMem_Calloc(room, sizeof(Py_ssize_t))
        if self._places is NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self._places)

    cdef Py_ssize_t find_first(self, Py_ssize_t box) noexcept:
        """The first element that is written as this one; the box itself, where there is none before it."""
        cdef void* tag = <void*>self._tags[box]
        cdef void* names = <void*>self._names[box]
        cdef void* identity = <void*>self._ids[box]
        cdef uint64_t hashed = ((<uint64_t><size_t>tag * 31 + <size_t>names) * 31 + <size_t>identity) * HASH_FACTOR
        cdef size_t place = (hashed >> 32) & self._mask
        cdef Py_ssize_t other
        while self._places[place]:
            other = self._places[place] - 1
            if (<void*>self._tags[other] == tag and <void*>self._names[other] == names
                    and <void*>self._ids[other] == identity):
                return other
            place = (place + 1) & self._mask
        self._places[place] = box + 1
        return box


cdef class NameReader:
    """Looks up the parts of names, and adds up what they say."""

    cdef WordTable _table
    cdef const double[::1] _values
    cdef double total, lowest, highest

    cdef bytes read(self, str text):
        """The parts in lower case with blanks between them, as `WordTable.tokens` has them."""
        cdef Py_ssize_t size, place = 0, filled = 0
        cdef const unsigned char* source
        cdef unsigned char lowered[2 * LONGEST_NAMES]
        cdef uint64_t hashed
        cdef double value
        if not text:
            return b""
        source = <const unsigned char*>PyUnicode_AsUTF8AndSize(text, &size)
        if size > LONGEST_NAMES:
            raise ValueError("the names are too long")
        while place < size:
            if not 97 <= LOWER[source[place]] <= 122:
                place += 1
                continue
            if filled:
                lowered[filled] = 32
                filled += 1
            lowered[filled] = LOWER[source[place]]
            hashed = add_to_hash(NO_BYTES, lowered[filled])
            filled += 1
            place += 1
            while place < size and 97 <= source[place] <= 122:
                lowered[filled] = source[place]
                hashed = add_to_hash(hashed, source[place])
                filled += 1
                place += 1
            value = self._values[self._table.number_of_hash(hashed)]
            self.total += value
            self.lowest, self.highest = min(self.lowest, value), max(self.highest, value)
        return lowered[:filled]


cdef enum:
    REPEATS, ECHOES, CHARS, WORDS, ENDS, TITLE, MAX, MIN, MEAN, TOPIC, COMMENTS, CUT, PRICES  # as in texts.py


def fill_counts(double[:, ::1] counts, list texts, WordTable table, const double[:, ::1] said, WordTable title, topic,
                limits):
    """Fill the rows of `texts.COUNTED`, a column a text. What is said of each word stands in a row: by its value in short
    texts, in long ones, and whether it is about comments.
    """
    cdef Py_ssize_t short = limits.short, topic_in = limits.topic_in, size, index
    cdef double cjk_words = limits.cjk_words, topics = len(topic.words)
    count_topic = topic.count_in_lower
    cdef str ends = limits.ends, currencies = limits.currencies, text
    if counts.shape[0] <= PRICES or counts.shape[1] != len(texts) or said.shape[1] != 3:
        raise ValueError("the tables do not fit together")
    if table._highest >= said.shape[0]:
        raise ValueError("a word has a number that is not there")
    count_copies(counts, texts, limits.beginning)
    for index in range(len(texts)):
        text = texts[index]
        size = len(text)
        if not size:
            raise ValueError("a text is empty")
        counts[CHARS, index] = size
        counts[WORDS, index] = number_of_words(text, size, cjk_words)
        counts[ENDS, index] = text[size - 1] in ends
        counts[CUT, index] = is_cut(text, size)
        look_up_words(counts, index, text, size, short, table, said, title)
        if size <= short:
            counts[PRICES, index] = holds_any(text, size, currencies)
        elif topics:
            counts[TOPIC, index] = <double>count_topic(text, topic_in) / topics


cdef int count_copies(double[:, ::1] counts, list texts, Py_ssize_t length) except -1:
    """How often a text, or only its beginning, came before. Whole texts are compared only where they begin alike."""
    cdef dict copies = {}, firsts = {}  # how many there are of a text; the first text with a beginning
    cdef Py_ssize_t index, first, size = len(texts)
    cdef str text, beginning
    cdef int* alike = <int*>PyMem_Calloc(size + 1, sizeof(int))  # how many begin as the first one
    if alike is NULL:
        raise MemoryError
    try:
        for index in range(size):
            text = texts[index]
            beginning = text if len(text) <= length else text[:length]
            known = firsts.get(beginning)
            if known is None:
                firsts[beginning] = index
                alike[index] = 1
                continue
            first = known
            if alike[first] == 1:
                copies[texts[first]] = 1
            counts[ECHOES, index] = alike[first]
            alike[first] += 1
            repeats = copies.get(text, 0)
            counts[REPEATS, index] = repeats
            copies[text] = repeats + 1
    finally:
        PyMem_Free(alike)
    return 0


cdef Py_ssize_t count_blanks(const unsigned char* data, Py_ssize_t size) noexcept:
    cdef Py_ssize_t start, index, blanks = 0
    cdef unsigned char some
    for start in range(0, size, 255):  # as many as a byte can count, so that a processor counts many at once
        some = 0
        for index in range(start, min(start + 255, size)):
            some += data[index] == 32
        blanks += some
    return blanks


cdef double number_of_words(str text, Py_ssize_t size, double cjk_words):
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t blanks = 0, dense = 0, index
    cdef const unsigned char* bytes_of = <const unsigned char*>data
    cdef Py_UCS4 character
    if kind == 1:
        return count_blanks(bytes_of, size) + 1
    for index in range(size):
        character = PyUnicode_READ(kind, data, index)
        if character == 32:
            blanks += 1
        elif character >= 0x3040 and (
            character <= 0x30FF or 0x3400 <= character <= 0x4DBF or 0x4E00 <= character <= 0x9FFF
            or 0xF900 <= character <= 0xFAFF or 0xAC00 <= character <= 0xD7AF
        ):
            dense += 1
    return blanks + cjk_words * dense if dense else blanks + 1


cdef bint is_cut(str text, Py_ssize_t size) noexcept:
    """Whether a text ends in dots, which may stand in a bracket."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    if PyUnicode_READ(kind, data, size - 1) == 93:
        size -= 1
    if size and PyUnicode_READ(kind, data, size - 1) == 0x2026:
        return True
    return (size >= 3 and PyUnicode_READ(kind, data, size - 1) == 46 and PyUnicode_READ(kind, data, size - 2) == 46
            and PyUnicode_READ(kind, data, size - 3) == 46)


cdef bint holds_any(str text, Py_ssize_t size, str characters) except -1:
    cdef Py_UCS4 character, highest = PyUnicode_MAX_CHAR_VALUE(text)
    for character in characters:
        if character > highest:
            continue
        if highest > 255:
            if character in text:
                return True
        elif memchr(PyUnicode_DATA(text), <int>character, size) is not NULL:
            return True
    return False


cdef int look_up_words(double[:, ::1] counts, Py_ssize_t column, str text, Py_ssize_t length, Py_ssize_t short,
                       WordTable table, const double[:, ::1] said, WordTable title) except -1:
    """What the words of a text say; of a long one those of its beginning."""
    cdef Py_ssize_t size = length, place = 0, count = 0
    cdef int which = length > short
    cdef const unsigned char* source = <const unsigned char*>PyUnicode_DATA(text)
    cdef uint64_t hashed = NO_BYTES
    cdef int kind, gap
    cdef unsigned char letter
    cdef int64_t number
    cdef double value, total = 0.0, highest = 0.0, lowest = 0.0, about = 0.0, in_title = 0.0
    if length > short:
        size = short
    if not PyUnicode_IS_ASCII(text):
        if length > short:
            text = text[:short]
        source = <const unsigned char*>PyUnicode_AsUTF8AndSize(text, &size)
    while place < size:
        kind, gap = KINDS[source[place]], 1
        if kind == LEAD:
            gap = gap_at(source + place, size - place)
            kind = GAP if gap else LETTER
        if kind == GAP:
            place += gap
            continue
        hashed = add_to_hash(NO_BYTES, LOWER[source[place]])
        place += 1
        while place < size:
            letter = LETTERS[source[place]]
            if not letter:
                kind = KINDS[source[place]]
                if kind == GAP or (kind == LEAD and gap_at(source + place, size - place)):
                    break
                letter = LOWER[source[place]]
            hashed = add_to_hash(hashed, letter)
            place += 1
        number = table.number_of_hash(hashed)
        value = said[number, which]
        total += value
        highest = value if not count else max(highest, value)
        lowest = value if not count else min(lowest, value)
        about = max(about, said[number, 2])
        if title is not None:
            in_title += title.number_of_hash(hashed)
        count += 1
    counts[MEAN, column] = total / max(count, 1)
    counts[MAX, column], counts[MIN, column] = highest, lowest
    if length <= short:
        counts[COMMENTS, column], counts[TITLE, column] = about, in_title / max(count, 1)
    return 0


cdef uint64_t NO_BYTES = 14695981039346656037u  # the hash that a word begins with


cdef inline uint64_t add_to_hash(uint64_t hashed, unsigned char byte) noexcept:
    return (hashed ^ byte) * 1099511628211u


cdef inline uint64_t hash_of(const unsigned char* word, Py_ssize_t size) noexcept:
    """A number for a word."""
    cdef uint64_t found = NO_BYTES
    cdef Py_ssize_t index
    for index in range(size):
        found = add_to_hash(found, word[index])
    return found
