# Words, elements and blocks of a page -> the feature matrix of the model.

cdef enum:
    OUTER, FIRST, LAST, FLAGS, LEVEL, TAG, UNIT, SIBLINGS, CLUSTER, DEEP  # as in boxes.py

cdef enum:
    OWN, LOWEST, HIGHEST

cdef enum:
    MOST_BOXES = 1000000000


cdef struct Entry:
    int32_t one
    int32_t other
    int32_t number  # counted from 1; 0 is no entry


cdef struct Pairs:
    Entry* entries
    size_t mask
    int32_t count


cdef Py_ssize_t number_of(Pairs* pairs, int32_t one, int32_t other) noexcept:
    """A small number for a pair, the same for the same."""
    cdef uint64_t hashed = (<uint64_t>one * 0x9E3779B97F4A7C15u) ^ (<uint64_t>other * 0xC2B2AE3D27D4EB4Fu)
    cdef size_t place = (hashed ^ (hashed >> 29)) & pairs.mask
    cdef Entry* entry = &pairs.entries[place]
    while entry.number:
        if entry.one == one and entry.other == other:
            return entry.number - 1
        place = (place + 1) & pairs.mask
        entry = &pairs.entries[place]
    pairs.count += 1
    entry.one, entry.other, entry.number = one, other, pairs.count
    return pairs.count - 1


def fill_table(Py_ssize_t[:, ::1] table not None, list parents not None, list first not None, list last not None,
               list flags not None, list levels not None):
    """Fill the rows OUTER to LEVEL of the table with what a flow knows of its elements."""
    cdef Py_ssize_t box, size = len(parents)
    if table.shape[0] <= LEVEL or not table.shape[1] == size == len(first) == len(last) == len(flags) == len(levels):
        raise ValueError("the rows do not fit together")
    for box in range(size):
        table[OUTER, box], table[FIRST, box], table[LAST, box] = parents[box], first[box], last[box]
        table[FLAGS, box], table[LEVEL, box] = flags[box], levels[box]


def link_boxes(Py_ssize_t[:, ::1] table, const Py_ssize_t[::1] kind, double[:, ::1] names, Py_ssize_t repeats):
    """Fill the rows UNIT to DEEP of the table, and LOWEST and HIGHEST of the names with those around."""
    cdef Py_ssize_t size = table.shape[1], room = 64, box, parent, outer
    cdef Pairs pairs[3]  # siblings alike, clusters, deep clusters
    cdef Py_ssize_t* counts = NULL
    cdef int which
    if table.shape[0] <= DEEP or kind.shape[0] != size or names.shape[0] <= HIGHEST or names.shape[1] != size:
        raise ValueError("the rows do not fit together")
    if size > MOST_BOXES:
        raise ValueError("there are too many elements")
    while room < 2 * size:
        room *= 2
    for which in range(3):
        pairs[which].mask, pairs[which].count = room - 1, 0
        pairs[which].entries = <Entry*>PyMem_Calloc(room, sizeof(Entry))
    counts = <Py_ssize_t*>PyMem_Calloc(size + 1, sizeof(Py_ssize_t))
    try:
        if pairs[0].entries is NULL or pairs[1].entries is NULL or pairs[2].entries is NULL or counts is NULL:
            raise MemoryError
        for box in range(size):
            parent = table[OUTER, box]
            if not -1 <= parent < max(box, 1):
                raise ValueError("a parent stands behind its child")
            outer = number_of(&pairs[0], <int32_t>parent, <int32_t>kind[box])
            table[SIBLINGS, box] = outer
            counts[outer] += 1
            table[CLUSTER, box] = number_of(&pairs[1], <int32_t>kind[box], <int32_t>kind[parent] if parent >= 0 else -1)
            outer = table[CLUSTER, parent] if parent >= 0 else -1
            table[DEEP, box] = number_of(&pairs[2], <int32_t>table[CLUSTER, box], <int32_t>outer)
        for box in range(size):
            table[SIBLINGS, box] = counts[table[SIBLINGS, box]]
            parent = max(table[OUTER, box], 0)
            table[UNIT, box] = box if table[SIBLINGS, box] >= repeats else -1
            if box:
                table[UNIT, box] = max(table[UNIT, box], table[UNIT, parent])
                names[LOWEST, box] = min(names[LOWEST, box], names[LOWEST, parent])
                names[HIGHEST, box] = max(names[HIGHEST, box], names[HIGHEST, parent])
    finally:
        for which in range(3):
            PyMem_Free(pairs[which].entries)
        PyMem_Free(counts)


cdef enum:
    LONGEST_NAMES = 1600  # bytes; `boxes.LONGEST` characters have no more

cdef uint64_t HASH_FACTOR = 0x9E3779B97F4A7C15u

cdef enum:
    GAP, LETTER, LEAD  # kinds of bytes; one that leads may begin a blank or a mark beyond ASCII

cdef unsigned char WORD_KINDS[256]
cdef unsigned char LETTERS[256]  # as above in small letters, 0 for what is none or may be none


cdef void describe_word_bytes() noexcept:
    cdef int byte
    for byte in range(256):
        WORD_KINDS[byte] = LETTER if byte >= 128 or byte == 0 or 97 <= LOWER[byte] <= 122 or 48 <= byte <= 57 else GAP
    WORD_KINDS[0xC2] = WORD_KINDS[0xE1] = WORD_KINDS[0xE2] = WORD_KINDS[0xE3] = LEAD
    for byte in range(256):
        LETTERS[byte] = LOWER[byte] if WORD_KINDS[byte] == LETTER else 0


describe_word_bytes()


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
    """Words and their numbers."""

    cdef WordEntry* _entries
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

    def __dealloc__(self):
        PyMem_Free(self._entries)

    cdef inline int64_t number_of_hash(self, uint64_t found) noexcept:
        """The number of a word that is known by its hash."""
        cdef size_t place = found & self._mask
        while self._entries[place].number >= 0:
            if self._entries[place].check == <uint32_t>(found >> 32):
                return self._entries[place].number
            place = (place + 1) & self._mask
        return self._unknown


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
        kind, gap = WORD_KINDS[source[place]], 1
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
                kind = WORD_KINDS[source[place]]
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


cdef enum:
    # running sums over the blocks, as in features.py
    S_CHARS, S_LINKS, S_PARAGRAPH_CHARS, S_PARAGRAPHS, S_IMAGES, S_LINK_COUNT, S_CUT, S_PRICES, S_WORD, SUMS

cdef enum:
    # sums over the blocks that are alike, as in features.py
    A_CHARS, A_LINKS, A_PARAGRAPHS, A_TOPIC, A_CUT, A_WORD, A_COUNT, ALIKE

# What is counted in each text. The first ones are features as they stand.
COUNTED = tuple("""
    repeats echoes chars words ends title_share word_max word_min word_mean topic says_comments cut prices
""".split())
cdef enum:
    COUNTED_FEATURES = 10

# The features of a block, and in the same order their rows in the matrix.
FEATURE_NAMES = COUNTED[:COUNTED_FEATURES] + tuple("""
    density links tag position chars_before paragraphs_before siblings
    name_own name_lowest name_highest name_parent
    in_main in_aside in_caption in_paragraph in_hidden in_article in_items
    previous_tag previous_chars previous_density next_tag next_chars next_density
    window_density window_chars window_word
    heading_level heading_word heading_comments heading_density since_heading from_comment_heading from_h1
    unit_density unit_links unit_blocks unit_images unit_group_share unit_group_paragraphs unit_group_cut
    unit_group_prices unit_siblings unit_place
    cluster_share cluster_paragraphs cluster_density cluster_mean cluster_topic cluster_cut cluster_word cluster_count
    deep_share deep_paragraphs deep_density deep_mean deep_topic deep_cut deep_word deep_count
    mass40_place mass40_distance mass40_in mass40_share mass40_density
    mass60_place mass60_distance mass60_in mass60_share mass60_density
    from_anchor common_share common_paragraphs common_steps
    page_in_main page_in_article page_in_items page_chars page_blocks page_paragraphs page_in_links page_kind page_good
    page_longest page_prices page_images page_h1
""".split())
cdef enum:
    R_DENSITY = COUNTED_FEATURES
    R_LINKS, R_TAG, R_POSITION, R_CHARS_BEFORE, R_PARAGRAPHS_BEFORE, R_SIBLINGS
    R_NAME_OWN, R_NAME_LOWEST, R_NAME_HIGHEST, R_NAME_PARENT
    R_IN_MAIN, R_IN_ASIDE, R_IN_CAPTION, R_IN_PARAGRAPH, R_IN_HIDDEN, R_IN_ARTICLE, R_IN_ITEMS
    R_PREVIOUS_TAG, R_PREVIOUS_CHARS, R_PREVIOUS_DENSITY, R_NEXT_TAG, R_NEXT_CHARS, R_NEXT_DENSITY
    R_WINDOW_DENSITY, R_WINDOW_CHARS, R_WINDOW_WORD
    R_HEADING_LEVEL, R_HEADING_WORD, R_HEADING_COMMENTS, R_HEADING_DENSITY, R_SINCE_HEADING, R_FROM_COMMENTS, R_FROM_H1
    R_UNIT_DENSITY, R_UNIT_LINKS, R_UNIT_BLOCKS, R_UNIT_IMAGES, R_GROUP_SHARE, R_GROUP_PARAGRAPHS, R_GROUP_CUT
    R_GROUP_PRICES, R_UNIT_SIBLINGS, R_UNIT_PLACE
    R_CLUSTER  # eight rows of `fill_alike`
    R_DEEP = R_CLUSTER + 8
    R_MASS40 = R_DEEP + 8  # five rows of `fill_mass`
    R_MASS60 = R_MASS40 + 5
    R_FROM_ANCHOR = R_MASS60 + 5
    R_COMMON_SHARE, R_COMMON_PARAGRAPHS, R_COMMON_STEPS
    R_PAGE  # as in `fill_page`
    ALL_ROWS = R_PAGE + 13

if len(FEATURE_NAMES) != ALL_ROWS:
    raise ImportError("the features have other names than rows")


def fill_features(double[:, ::1] matrix not None, flow, double[:, ::1] counts not None, boxes, limits):
    """Fill the rows of `NAMES`, a column a block."""
    cdef PageNumbers page = PageNumbers()
    page.read(flow, counts, boxes.table, boxes.names, limits)
    page.fill(matrix)


cdef class PageNumbers:
    """The numbers of one page, an entry a block or an entry an element."""

    cdef Py_ssize_t _n, _size, _first_h1, _first_heading
    cdef Py_ssize_t[:, ::1] _table
    cdef double[:, ::1] _names, _counts
    cdef double _paragraph, _few_links, _several, _good, _none, _far, _like_title, _title_length
    cdef Py_ssize_t _reach, _comments_far
    cdef double _heading_bonus[7]
    cdef int _is_article
    cdef Py_ssize_t* _box  # of each block, the element that it is in
    cdef Py_ssize_t* _last_heading  # of each block, -1 for none
    cdef double* _sums  # SUMS rows, up to each block
    cdef double* _link_chars
    cdef double* _link_count
    cdef double* _density
    cdef char* _is_paragraph
    cdef double _all_chars, _all_paragraph_chars

    cdef int read(self, flow, double[:, ::1] counts, Py_ssize_t[:, ::1] table, double[:, ::1] names, limits) except -1:
        cdef Py_ssize_t n = len(flow.texts), size = table.shape[1]
        self._n, self._size, self._is_article = n, size, flow.is_article
        self._counts, self._table, self._names = counts, table, names
        if (n < 1 or size < 1 or counts.shape[0] <= PRICES or counts.shape[1] != n or table.shape[0] <= DEEP
                or names.shape[0] <= HIGHEST or names.shape[1] != size):
            raise ValueError("the numbers do not fit together")
        self._box = <Py_ssize_t*>PyMem_Calloc(n, sizeof(Py_ssize_t))
        self._last_heading = <Py_ssize_t*>PyMem_Calloc(n, sizeof(Py_ssize_t))
        self._sums = <double*>PyMem_Calloc(SUMS * (n + 1), sizeof(double))
        self._link_chars = <double*>PyMem_Calloc(n, sizeof(double))
        self._link_count = <double*>PyMem_Calloc(n, sizeof(double))
        self._density = <double*>PyMem_Calloc(n, sizeof(double))
        self._is_paragraph = <char*>PyMem_Calloc(n, 1)
        if (self._box is NULL or self._last_heading is NULL or self._sums is NULL or self._link_chars is NULL
                or self._link_count is NULL or self._density is NULL or self._is_paragraph is NULL):
            raise MemoryError
        self._read_limits(limits)
        self._check_table()
        self._read_blocks(flow.boxes, flow.link_chars, flow.links)
        self._add_up(flow.image_places)
        return 0

    def __dealloc__(self):
        PyMem_Free(self._box)
        PyMem_Free(self._last_heading)
        PyMem_Free(self._sums)
        PyMem_Free(self._link_chars)
        PyMem_Free(self._link_count)
        PyMem_Free(self._density)
        PyMem_Free(self._is_paragraph)

    cdef int _read_limits(self, limits) except -1:
        cdef int level
        self._paragraph, self._few_links, self._several = limits.paragraph, limits.few_links, limits.several
        self._good, self._reach, self._none, self._far = limits.good, limits.reach, limits.none, limits.far
        self._comments_far, self._like_title = limits.comments_far, limits.like_title
        self._title_length = limits.title_length
        for level in range(7):
            self._heading_bonus[level] = limits.heading_bonus[level]
        return 0

    cdef int _check_table(self) except -1:
        """Whatever is looked up by a number of the table must be there."""
        cdef Py_ssize_t box, size = self._size, n = self._n
        cdef Py_ssize_t[:, ::1] table = self._table
        for box in range(size):
            if not -1 <= table[OUTER, box] < max(box, 1) or not -1 <= table[UNIT, box] < size:
                raise ValueError("an element stands in one that is not there")
            if not 0 <= table[FIRST, box] < table[LAST, box] <= n:
                raise ValueError("an element holds blocks that are not there")
            if not 0 <= table[CLUSTER, box] < size or not 0 <= table[DEEP, box] < size or table[SIBLINGS, box] < 1:
                raise ValueError("elements that are alike have no number")
            if not 0 <= table[LEVEL, box] <= 6:
                raise ValueError("a heading has a level that there is not")
        return 0

    cdef int _read_blocks(self, list boxes, list link_chars, list links) except -1:
        cdef Py_ssize_t block, box, last_heading = -1, level
        self._first_h1 = self._first_heading = -1
        if len(boxes) != self._n or len(link_chars) != self._n or len(links) != self._n:
            raise ValueError("the blocks do not fit together")
        for block in range(self._n):
            box = boxes[block]
            if not 0 <= box < self._size or self._counts[CHARS, block] <= 0:
                raise ValueError("a block is empty or stands in no element")
            self._box[block] = box
            self._link_chars[block] = link_chars[block]
            self._link_count[block] = links[block]
            self._density[block] = self._link_chars[block] / self._counts[CHARS, block]
            self._is_paragraph[block] = (
                self._counts[CHARS, block] > self._paragraph and self._density[block] < self._few_links
            )
            level = self._table[LEVEL, box]
            if level > 0:
                last_heading = block
                if self._first_heading < 0:
                    self._first_heading = block
            if level == 1 and self._first_h1 < 0:
                self._first_h1 = block
            self._last_heading[block] = last_heading
        return 0

    cdef int _add_up(self, list image_places) except -1:
        """The running sums; an image behind the last block counts for that one."""
        cdef Py_ssize_t block, row, place, n = self._n, width = self._n + 1
        cdef double* sums = self._sums
        cdef double[:, ::1] counts = self._counts
        for place in image_places:
            if place < 0:
                raise ValueError("an image stands before everything")
            sums[S_IMAGES * width + min(place, n - 1) + 1] += 1.0
        for block in range(n):
            sums[S_CHARS * width + block + 1] = counts[CHARS, block]
            sums[S_LINKS * width + block + 1] = self._link_chars[block]
            if self._is_paragraph[block]:
                sums[S_PARAGRAPH_CHARS * width + block + 1] = counts[CHARS, block]
                sums[S_PARAGRAPHS * width + block + 1] = 1.0
            sums[S_LINK_COUNT * width + block + 1] = self._link_count[block]
            sums[S_CUT * width + block + 1] = counts[CUT, block]
            sums[S_PRICES * width + block + 1] = counts[PRICES, block]
            sums[S_WORD * width + block + 1] = counts[MEAN, block]
        for row in range(SUMS):
            for block in range(row * width + 2, row * width + width):
                sums[block] += sums[block - 1]
        self._all_chars = max(sums[S_CHARS * width + n], 1.0)
        self._all_paragraph_chars = max(sums[S_PARAGRAPH_CHARS * width + n], 1.0)
        return 0

    cdef inline double _inside(self, int row, Py_ssize_t box) noexcept:
        """What an element holds of something."""
        cdef double* sums = self._sums + row * (self._n + 1)
        return sums[self._table[LAST, box]] - sums[self._table[FIRST, box]]

    cdef inline double _share(self, Py_ssize_t box) noexcept:
        return self._inside(S_CHARS, box) / self._all_chars

    cdef inline double _paragraph_share(self, Py_ssize_t box) noexcept:
        return self._inside(S_PARAGRAPH_CHARS, box) / self._all_paragraph_chars

    cdef inline double _link_density(self, Py_ssize_t box) noexcept:
        return self._inside(S_LINKS, box) / self._inside(S_CHARS, box)

    cdef int fill(self, double[:, ::1] matrix) except -1:
        cdef Py_ssize_t row, block
        if matrix.shape[0] != ALL_ROWS or matrix.shape[1] != self._n:
            raise ValueError("the matrix has another shape")
        for row in range(COUNTED_FEATURES):
            for block in range(self._n):
                matrix[row, block] = self._counts[row, block]
        self._fill_blocks(matrix)
        self._fill_headings(matrix)
        self._fill_around(matrix)
        self._fill_units(matrix)
        self._fill_alike(matrix, CLUSTER, R_CLUSTER)
        self._fill_alike(matrix, DEEP, R_DEEP)
        self._fill_mass(matrix, R_MASS40, 0.4)
        self._fill_mass(matrix, R_MASS60, 0.6)
        self._fill_anchor(matrix)
        self._fill_page(matrix)
        return 0

    cdef int _fill_blocks(self, double[:, ::1] matrix) except -1:
        """The block itself, what stands before it, and the element that it is in."""
        cdef Py_ssize_t block, box, width = self._n + 1
        cdef Py_ssize_t flags
        for block in range(self._n):
            box = self._box[block]
            matrix[R_DENSITY, block] = self._density[block]
            matrix[R_LINKS, block] = self._link_count[block]
            matrix[R_TAG, block] = <double>self._table[TAG, box]
            matrix[R_POSITION, block] = <double>block / <double>self._n
            matrix[R_CHARS_BEFORE, block] = self._sums[S_CHARS * width + block] / self._all_chars
            matrix[R_PARAGRAPHS_BEFORE, block] = (
                self._sums[S_PARAGRAPH_CHARS * width + block] / self._all_paragraph_chars
            )
            matrix[R_SIBLINGS, block] = <double>self._table[SIBLINGS, box]
            matrix[R_NAME_OWN, block] = self._names[OWN, box]
            matrix[R_NAME_LOWEST, block] = self._names[LOWEST, box]
            matrix[R_NAME_HIGHEST, block] = self._names[HIGHEST, box]
            matrix[R_NAME_PARENT, block] = self._names[OWN, max(self._table[OUTER, box], 0)]
            flags = self._table[FLAGS, box]
            matrix[R_IN_MAIN, block] = (flags & MAIN_FLAG) != 0
            matrix[R_IN_ASIDE, block] = (flags & ASIDE_FLAG) != 0
            matrix[R_IN_CAPTION, block] = (flags & CAPTION_FLAG) != 0
            matrix[R_IN_PARAGRAPH, block] = (flags & PARAGRAPH_FLAG) != 0
            matrix[R_IN_HIDDEN, block] = (flags & HIDDEN_FLAG) != 0
            matrix[R_IN_ARTICLE, block] = (flags & ARTICLE_FLAG) != 0
            matrix[R_IN_ITEMS, block] = (flags & ITEM_FLAG) != 0
        return 0

    cdef int _fill_headings(self, double[:, ::1] matrix) except -1:
        """The heading above a block."""
        cdef Py_ssize_t block, heading, first_comments = -1
        for block in range(self._n):
            if self._last_heading[block] == block and self._counts[COMMENTS, block] > 0:
                first_comments = block
                break
        if first_comments < 0:
            first_comments = self._n + self._comments_far
        for block in range(self._n):
            heading = self._last_heading[block]
            if heading < 0:
                matrix[R_HEADING_LEVEL, block] = 0.0
                matrix[R_HEADING_WORD, block] = 0.0
                matrix[R_HEADING_COMMENTS, block] = 0.0
                matrix[R_HEADING_DENSITY, block] = -1.0
                matrix[R_SINCE_HEADING, block] = 99.0
            else:
                matrix[R_HEADING_LEVEL, block] = <double>self._table[LEVEL, self._box[heading]]
                matrix[R_HEADING_WORD, block] = self._counts[MEAN, heading]
                matrix[R_HEADING_COMMENTS, block] = self._counts[COMMENTS, heading]
                matrix[R_HEADING_DENSITY, block] = self._density[heading]
                matrix[R_SINCE_HEADING, block] = <double>(block - heading)
            matrix[R_FROM_COMMENTS, block] = <double>(block - first_comments)
            matrix[R_FROM_H1, block] = <double>(block - self._first_h1) if self._first_h1 >= 0 else self._far
        return 0

    cdef int _fill_around(self, double[:, ::1] matrix) except -1:
        """The block before, the block behind, and the surroundings of a block."""
        cdef Py_ssize_t block, start, end, n = self._n
        cdef double chars, size
        cdef double* all_chars = self._sums + S_CHARS * (n + 1)
        cdef double* links = self._sums + S_LINKS * (n + 1)
        cdef double* words = self._sums + S_WORD * (n + 1)
        matrix[R_PREVIOUS_TAG, 0] = matrix[R_NEXT_TAG, n - 1] = -1.0
        matrix[R_PREVIOUS_CHARS, 0] = matrix[R_NEXT_CHARS, n - 1] = 0.0
        matrix[R_PREVIOUS_DENSITY, 0] = matrix[R_NEXT_DENSITY, n - 1] = 1.0
        for block in range(1, n):
            matrix[R_PREVIOUS_TAG, block] = <double>self._table[TAG, self._box[block - 1]]
            matrix[R_PREVIOUS_CHARS, block] = self._counts[CHARS, block - 1]
            matrix[R_PREVIOUS_DENSITY, block] = self._density[block - 1]
            matrix[R_NEXT_TAG, block - 1] = <double>self._table[TAG, self._box[block]]
            matrix[R_NEXT_CHARS, block - 1] = self._counts[CHARS, block]
            matrix[R_NEXT_DENSITY, block - 1] = self._density[block]
        for block in range(n):
            start, end = max(block - self._reach, 0), min(block + self._reach + 1, n)
            size = <double>(end - start)
            chars = all_chars[end] - all_chars[start]
            matrix[R_WINDOW_DENSITY, block] = (links[end] - links[start]) / chars
            matrix[R_WINDOW_CHARS, block] = chars / size
            matrix[R_WINDOW_WORD, block] = (words[end] - words[start]) / size
        return 0

    cdef int _fill_units(self, double[:, ::1] matrix) except -1:
        """The repeated unit that a block is in, and the group of all its like."""
        cdef Py_ssize_t block, unit, group
        cdef double siblings
        for block in range(self._n):
            unit = self._table[UNIT, self._box[block]]
            if unit < 0:
                matrix[R_UNIT_DENSITY, block] = matrix[R_UNIT_LINKS, block] = self._none
                matrix[R_UNIT_BLOCKS, block] = matrix[R_UNIT_IMAGES, block] = self._none
                matrix[R_GROUP_SHARE, block] = matrix[R_GROUP_PARAGRAPHS, block] = self._none
                matrix[R_GROUP_CUT, block] = matrix[R_GROUP_PRICES, block] = self._none
                matrix[R_UNIT_SIBLINGS, block] = matrix[R_UNIT_PLACE, block] = self._none
                continue
            group = max(self._table[OUTER, unit], 0)
            siblings = <double>self._table[SIBLINGS, unit]
            matrix[R_UNIT_DENSITY, block] = self._link_density(unit)
            matrix[R_UNIT_LINKS, block] = self._inside(S_LINK_COUNT, unit)
            matrix[R_UNIT_BLOCKS, block] = <double>(self._table[LAST, unit] - self._table[FIRST, unit])
            matrix[R_UNIT_IMAGES, block] = self._inside(S_IMAGES, unit)
            matrix[R_GROUP_SHARE, block] = self._share(group)
            matrix[R_GROUP_PARAGRAPHS, block] = self._paragraph_share(group)
            matrix[R_GROUP_CUT, block] = self._inside(S_CUT, group) / siblings
            matrix[R_GROUP_PRICES, block] = self._inside(S_PRICES, group) / siblings
            matrix[R_UNIT_SIBLINGS, block] = siblings
            matrix[R_UNIT_PLACE, block] = <double>(block - self._table[FIRST, unit])
        return 0

    cdef int _fill_alike(self, double[:, ::1] matrix, int likeness, Py_ssize_t row) except -1:
        """Sums over the blocks whose elements look alike."""
        cdef Py_ssize_t block
        cdef double* own
        cdef double* sums = <double*>PyMem_Calloc(ALIKE * self._size, sizeof(double))
        if sums is NULL:
            raise MemoryError
        for block in range(self._n):
            own = sums + ALIKE * self._table[likeness, self._box[block]]
            own[A_CHARS] += self._counts[CHARS, block]
            own[A_LINKS] += self._link_chars[block]
            if self._is_paragraph[block]:
                own[A_PARAGRAPHS] += self._counts[CHARS, block]
            own[A_TOPIC] += self._counts[TOPIC, block]
            own[A_CUT] += self._counts[CUT, block]
            own[A_WORD] += self._counts[MEAN, block]
            own[A_COUNT] += 1.0
        for block in range(self._n):
            own = sums + ALIKE * self._table[likeness, self._box[block]]
            matrix[row, block] = own[A_CHARS] / self._all_chars
            matrix[row + 1, block] = own[A_PARAGRAPHS] / self._all_paragraph_chars
            matrix[row + 2, block] = own[A_LINKS] / own[A_CHARS]
            matrix[row + 3, block] = own[A_CHARS] / own[A_COUNT]
            matrix[row + 4, block] = own[A_TOPIC] / own[A_COUNT]
            matrix[row + 5, block] = own[A_CUT] / own[A_COUNT]
            matrix[row + 6, block] = own[A_WORD] / own[A_COUNT]
            matrix[row + 7, block] = own[A_COUNT]
        PyMem_Free(sums)
        return 0

    cdef Py_ssize_t _find_mass(self, double wanted) noexcept:
        """The innermost of the smallest elements that hold so much of the paragraphs, or of all if none does."""
        cdef Py_ssize_t box, found = -1, smallest = 0
        for box in range(self._size):
            if self._inside(S_CHARS, box) <= self._inside(S_CHARS, smallest):
                smallest = box
            if self._inside(S_PARAGRAPH_CHARS, box) < wanted:
                continue
            if found < 0 or self._inside(S_CHARS, box) <= self._inside(S_CHARS, found):
                found = box
        return found if found >= 0 else smallest

    cdef int _fill_mass(self, double[:, ::1] matrix, Py_ssize_t row, double quota) except -1:
        """Where the block stands relative to the smallest element that holds most of the paragraphs."""
        cdef Py_ssize_t block, distance, box = self._find_mass(quota * self._all_paragraph_chars)
        cdef Py_ssize_t first = self._table[FIRST, box], last = self._table[LAST, box]
        cdef double length = <double>max(last - first, 1), share = self._share(box), density = self._link_density(box)
        for block in range(self._n):
            # below 0 before the element, 0 inside it and above 0 behind it
            distance = min(block - first, 0) + max(block - last + 1, 0)
            matrix[row, block] = <double>(block - first) / length
            matrix[row + 1, block] = <double>distance
            matrix[row + 2, block] = distance == 0
            matrix[row + 3, block] = share
            matrix[row + 4, block] = density
        return 0

    cdef Py_ssize_t _find_anchor(self) noexcept:
        """The first of the blocks that are most like the title; -1 where none is."""
        cdef Py_ssize_t block, found = 0
        cdef double likeness, highest = -1.0
        for block in range(self._n):
            likeness = self._counts[TITLE, block] * min(1.0, self._counts[CHARS, block] / self._title_length)
            likeness += self._heading_bonus[self._table[LEVEL, self._box[block]]]
            if likeness > highest:
                highest, found = likeness, block
        return found if highest > self._like_title else -1

    cdef int _fill_anchor(self, double[:, ::1] matrix) except -1:
        """Where the block stands relative to the one that says what the title says.

        The elements around the anchor are walked up as the blocks go away from it, on either side.
        """
        cdef Py_ssize_t block, anchor = self._find_anchor(), box, steps, direction
        for block in range(self._n):
            matrix[R_FROM_ANCHOR, block] = <double>(block - anchor) if anchor >= 0 else self._far
            matrix[R_COMMON_SHARE, block] = matrix[R_COMMON_PARAGRAPHS, block] = self._none
            matrix[R_COMMON_STEPS, block] = self._none
        if anchor < 0:
            return 0
        for direction in range(-1, 2, 2):
            box, steps, block = self._box[anchor], 0, anchor
            while 0 <= block < self._n:
                while (self._table[OUTER, box] >= 0
                        and not self._table[FIRST, box] <= block < self._table[LAST, box]):
                    box = self._table[OUTER, box]
                    steps += 1
                matrix[R_COMMON_SHARE, block] = self._share(box)
                matrix[R_COMMON_PARAGRAPHS, block] = self._paragraph_share(box)
                matrix[R_COMMON_STEPS, block] = <double>steps
                block += direction
        return 0

    cdef int _fill_page(self, double[:, ::1] matrix) except -1:
        """What is the same for all blocks."""
        cdef Py_ssize_t block, row, flags, n = self._n, good = 0
        cdef double in_main = 0.0, in_article = 0.0, in_items = 0.0, longest = 0.0, chars, value
        cdef double* last = self._sums + n
        for block in range(n):
            chars, flags = self._counts[CHARS, block], self._table[FLAGS, self._box[block]]
            longest = max(longest, chars)
            in_main += chars if flags & MAIN_FLAG else 0.0
            in_article += chars if flags & ARTICLE_FLAG else 0.0
            in_items += chars if flags & ITEM_FLAG else 0.0
            good += self._is_paragraph[block] and chars > self._good
        facts = (
            in_main / self._all_chars,
            in_article / self._all_chars,
            in_items / self._all_chars,
            self._all_chars,
            <double>n,
            self._all_paragraph_chars / self._all_chars,
            last[S_LINKS * (n + 1)] / self._all_chars,
            <double>self._is_article,
            <double>good,
            longest,
            last[S_PRICES * (n + 1)],
            last[S_IMAGES * (n + 1)],
            <double>self._first_h1,
        )
        for row, value in enumerate(facts, R_PAGE):
            for block in range(n):
                matrix[row, block] = value
        return 0
