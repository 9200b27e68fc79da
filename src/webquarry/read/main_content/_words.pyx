# cython: language_level=3
"""Words of blocks and of class names -> their numbers in a learned table, on UTF-8.

The same as `words.py`, which cuts a text into words and looks each of them up, but without making the words. A word
is known by a hash of 64 bits.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.stdint cimport int64_t, uint64_t

cdef enum:
    LONGEST_NAMES = 1600  # bytes; `boxes.LONGEST` characters have no more

cdef enum:
    KNOWN = 1024  # times 64 bits

cdef enum:
    GAP, LETTER, LEAD  # kinds of bytes; one that leads may begin a blank or a mark beyond ASCII

cdef unsigned char KINDS[256]
cdef unsigned char LOWER[256]


cdef void describe_bytes() noexcept:
    cdef int byte
    for byte in range(256):
        LOWER[byte] = byte + 32 if 65 <= byte <= 90 else byte
        KINDS[byte] = LETTER if byte >= 128 or byte == 0 or 97 <= LOWER[byte] <= 122 or 48 <= byte <= 57 else GAP
    KINDS[0xC2] = KINDS[0xE1] = KINDS[0xE2] = KINDS[0xE3] = LEAD


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
    uint64_t hashed  # 0 for none
    int64_t number


cdef class WordTable:
    """Words and their numbers. What it gives are the bytes of arrays of 64-bit integers.

    Most words of a page are in no table: a bit for each of many hashes tells that of nearly all of them, without a look
    at the table, which is far from the processor when a page begins.
    """

    cdef WordEntry* _entries
    cdef uint64_t _known[KNOWN]
    cdef size_t _mask
    cdef int64_t _unknown

    def __cinit__(self, numbers, unknown):
        cdef size_t room = 64, place
        cdef uint64_t found
        cdef bytes encoded
        while room < 3 * <size_t>len(numbers):
            room *= 2
        self._mask, self._unknown = room - 1, unknown
        self._entries = <WordEntry*>PyMem_Calloc(room, sizeof(WordEntry))
        if self._entries is NULL:
            raise MemoryError
        for word, number in numbers.items():
            encoded = word.encode("utf-8", "surrogatepass")
            found = hash_of(<const unsigned char*>PyBytes_AS_STRING(encoded), len(encoded))
            place = found & self._mask
            while self._entries[place].hashed:
                place = (place + 1) & self._mask
            self._entries[place].hashed, self._entries[place].number = found, number
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
        while self._entries[place].hashed:
            if self._entries[place].hashed == found:
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
    cdef dict seen = {}, numbers = {}  # the first element with the same names; the number of each kind
    cdef NameReader reader = NameReader(table, values)
    cdef object written
    if (len(names) != size or len(ids) != size or tags_of.shape[0] != size or kinds.shape[0] != size
            or said.shape[0] != 3 or said.shape[1] != size):
        raise ValueError("the names do not fit together")
    for box in range(size):
        written = tags[box]
        if names[box] or ids[box]:  # most have neither
            written = (tags[box], names[box], ids[box])
        earlier = seen.get(written)
        if earlier is not None:
            first = earlier
            tags_of[box], kinds[box] = tags_of[first], kinds[first]
            said[0, box], said[1, box], said[2, box] = said[0, first], said[1, first], said[2, first]
            continue
        seen[written] = box
        reader.total = reader.lowest = reader.highest = 0.0
        kind = (tags[box], reader.read((<str>names[box])[:longest]))
        reader.read((<str>ids[box])[:longest])
        tags_of[box] = tag_numbers.get(tags[box], 0)
        kinds[box] = numbers.setdefault(kind, len(numbers))
        said[0, box], said[1, box], said[2, box] = reader.total, reader.lowest, reader.highest


cdef class NameReader:
    """Looks up the parts of names, and adds up what they say."""

    cdef WordTable _table
    cdef const double[::1] _values
    cdef double total, lowest, highest

    def __cinit__(self, WordTable table, const double[::1] values):
        self._table, self._values = table, values

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
            value = self._values[self._table.number_of_hash(hashed or 1)]
            self.total += value
            self.lowest, self.highest = min(self.lowest, value), max(self.highest, value)
        return lowered[:filled]


cdef enum:
    REPEATS, ECHOES, CHARS, WORDS, ENDS, TITLE, MAX, MIN, MEAN, TOPIC, COMMENTS, CUT, PRICES  # as in texts.py


def fill_counts(double[:, ::1] counts, list texts, WordTable table, const double[::1] values,
                const double[::1] about_comments, WordTable title, topic, limits):
    """Fill the rows of `texts.COUNTED`, a column a text."""
    cdef Py_ssize_t short = limits.short, topic_in = limits.topic_in, size, index
    cdef double cjk_words = limits.cjk_words, topics = len(topic.words)
    count_topic = topic.count_in_lower
    cdef str ends = limits.ends, currencies = limits.currencies, text
    if counts.shape[0] <= PRICES or counts.shape[1] != len(texts) or values.shape[0] < 2 * about_comments.shape[0]:
        raise ValueError("the tables do not fit together")
    count_copies(counts, texts, limits.beginning)
    for index in range(len(texts)):
        text = texts[index]
        size = len(text)
        counts[CHARS, index] = size
        counts[WORDS, index] = number_of_words(text, size, cjk_words)
        counts[ENDS, index] = text[size - 1] in ends
        counts[CUT, index] = is_cut(text, size)
        look_up_words(counts, index, text[:short], size > short, table, values, about_comments, title)
        if size <= short:
            counts[PRICES, index] = holds_any(text, currencies)
        elif topics:
            counts[TOPIC, index] = <double>count_topic(text, topic_in) / topics


cdef count_copies(double[:, ::1] counts, list texts, Py_ssize_t length):
    """How often a text, or only its beginning, came before."""
    cdef dict copies = {}, beginnings = {}
    cdef Py_ssize_t index
    cdef str text, beginning
    for index in range(len(texts)):
        text = texts[index]
        beginning = text if len(text) <= length else text[:length]
        echoes = beginnings.get(beginning)
        if echoes is None:
            beginnings[beginning] = copies[text] = 1
            continue
        counts[ECHOES, index] = echoes
        beginnings[beginning] = echoes + 1
        repeats = copies.get(text, 0)
        counts[REPEATS, index] = repeats
        copies[text] = repeats + 1


cdef double number_of_words(str text, Py_ssize_t size, double cjk_words):
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t blanks = 0, dense = 0, index
    cdef const unsigned char* bytes_of = <const unsigned char*>data
    cdef Py_UCS4 character
    if kind == 1:
        for index in range(size):
            blanks += bytes_of[index] == 32
        return blanks + 1
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


cdef bint holds_any(str text, str characters) except -1:
    cdef Py_UCS4 character
    for character in characters:
        if character in text:
            return True
    return False


cdef look_up_words(double[:, ::1] counts, Py_ssize_t column, str text, bint is_long, WordTable table,
                   const double[::1] values, const double[::1] about_comments, WordTable title):
    """What the words of a text say; of a long one it is the beginning that is given."""
    cdef Py_ssize_t size, place = 0, count = 0, filled = 0, shift = 0
    cdef const unsigned char* source = <const unsigned char*>PyUnicode_AsUTF8AndSize(text, &size)
    cdef uint64_t hashed = NO_BYTES
    cdef int kind, gap
    cdef int64_t number
    cdef double value, total = 0.0, highest = 0.0, lowest = 0.0, about = 0.0, in_title = 0.0
    if is_long:
        shift = about_comments.shape[0]  # longer blocks have the second table
    while place <= size:
        kind, gap = GAP, 1
        if place < size:
            kind = KINDS[source[place]]
            if kind == LEAD:
                gap = gap_at(source + place, size - place)
                kind = GAP if gap else LETTER
        if kind == LETTER:
            hashed = add_to_hash(hashed, LOWER[source[place]])
            filled += 1
            place += 1
            continue
        place += gap
        if not filled:
            continue
        number = table.number_of_hash(hashed or 1)
        value = values[number + shift]
        total += value
        highest = value if not count else max(highest, value)
        lowest = value if not count else min(lowest, value)
        about = max(about, about_comments[number])
        if title is not None:
            in_title += title.number_of_hash(hashed or 1)
        count, filled, hashed = count + 1, 0, NO_BYTES
    counts[MEAN, column] = total / max(count, 1)
    counts[MAX, column], counts[MIN, column] = highest, lowest
    if not is_long:
        counts[COMMENTS, column], counts[TITLE, column] = about, in_title / max(count, 1)


cdef uint64_t NO_BYTES = 14695981039346656037u  # the hash that a word begins with


cdef inline uint64_t add_to_hash(uint64_t hashed, unsigned char byte) noexcept:
    return (hashed ^ byte) * 1099511628211u


cdef inline uint64_t hash_of(const unsigned char* word, Py_ssize_t size) noexcept:
    """A number for a word; 0 stands for none."""
    cdef uint64_t found = NO_BYTES
    cdef Py_ssize_t index
    for index in range(size):
        found = add_to_hash(found, word[index])
    return found or 1
