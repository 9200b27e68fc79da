# Words, elements and blocks of a page -> the features of both stages of the model.

cdef enum:
    SHORT = 100  # characters of labels, headings and links; of longer texts the model sees the words up to here
    TOPIC_IN = 400  # characters that are searched for words of the page's title and description
    BEGINNING = 50  # characters of a text that others may begin with, too
    LONGEST = 400  # characters of a class or id
    LONGEST_BYTES = 4 * LONGEST
    REPEATED = 3  # similar siblings that make each of them a unit
    PARAGRAPH = 80  # characters that a paragraph exceeds
    GOOD = 140  # characters that a long paragraph exceeds
    REACH = 4  # blocks to each side in the window around a block
    COMMENTS_FAR = 50  # blocks after the last one, if no heading starts the comments
    TITLE_LENGTH = 20  # characters; a shorter block is less like a title

SHORT_TEXT, LONGEST_NAME = SHORT, LONGEST
cdef double CJK_WORDS = 0.6  # words that a CJK character counts as
cdef double FEW_LINKS = 0.35  # of the characters of a paragraph
cdef double NONE = -1.0  # nothing to describe
cdef double FAR = -999.0  # distance from something that the page does not have
cdef double LIKE_TITLE = 0.5  # least likeness of the block that repeats the title
cdef double HEADING_BONUS[7]
HEADING_BONUS[:] = [0.0, 0.5, 0.15, 0.15, 0.15, 0.15, 0.15]  # no heading, h1 to h6
cdef str CURRENCIES = "$€£¥₹₽₩"
cdef str SENTENCE_ENDS = '.!?:;。！？…"”’)'
cdef dict TAG_NUMBERS = {tag: number for number, tag in enumerate("""
    p div li td h1 h2 h3 h4 h5 h6 section article blockquote pre dd dt th figcaption ul form main aside body header footer
    center details summary label noscript address fieldset legend caption table tr hgroup
""".split(), 1)}


cdef void* allocate(size_t count, size_t size) except NULL:
    """Return zeroed memory for an array."""
    cdef void* memory = PyMem_Calloc(count, size)
    if memory is NULL:
        raise MemoryError
    return memory


cdef class Matrix:
    """Numbers in a row per feature and a column per block."""

    cdef readonly Py_ssize_t height, width
    cdef double** rows

    def __cinit__(self, Py_ssize_t height, Py_ssize_t width):
        cdef Py_ssize_t row
        self.height, self.width = height, width
        self.rows = <double**>allocate(height, sizeof(double*))
        self.rows[0] = <double*>allocate(height * width, sizeof(double))
        for row in range(1, height):
            self.rows[row] = self.rows[0] + row * width

    def __dealloc__(self):
        if self.rows is not NULL:
            PyMem_Free(self.rows[0])
        PyMem_Free(self.rows)

    @staticmethod
    def of(list rows not None):
        """Return a matrix with these rows, which have the same length."""
        cdef Matrix matrix = Matrix(len(rows), len(rows[0]))
        cdef Py_ssize_t row, column
        for row in range(matrix.height):
            for column in range(matrix.width):
                matrix.rows[row][column] = rows[row][column]
        return matrix

    def to_lists(self):
        """Return the rows as lists."""
        return [[self.rows[row][column] for column in range(self.width)] for row in range(self.height)]


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


cdef uint64_t NO_BYTES = 14695981039346656037u  # the hash of an empty word


cdef inline uint64_t add_to_hash(uint64_t hashed, unsigned char byte) noexcept:
    return (hashed ^ byte) * 1099511628211u


cdef class WordTable:
    """Words and their values in several tables; an unknown word has the value 0 in each."""

    cdef HashTable _numbers  # of words, by their hash
    cdef Py_ssize_t _width
    cdef double* _values  # a row per word; the first one is that of unknown words

    def __cinit__(self, *tables):
        cdef dict numbers = {}
        cdef Py_ssize_t place
        cdef uint64_t hashed
        cdef int number
        cdef unsigned char byte
        for table in tables:
            for word in table:
                numbers.setdefault(word, len(numbers) + 1)
        self._numbers, self._width = HashTable(), len(tables)
        self._values = <double*>allocate((len(numbers) + 1) * self._width, sizeof(double))
        for word, number in numbers.items():
            hashed = NO_BYTES
            for byte in word.encode("utf-8", "surrogatepass"):
                hashed = add_to_hash(hashed, byte)
            self._numbers.set(hashed, number)
            for place, table in enumerate(tables):
                self._values[number * self._width + place] = table.get(word, 0.0)

    def __dealloc__(self):
        PyMem_Free(self._values)

    cdef inline double* values_of(self, uint64_t hashed) noexcept:
        """Return the values of the word with a hash."""
        return self._values + self._numbers.get(hashed) * self._width


cdef struct Name:
    double total, lowest, highest  # of the values of its words, and of 0 for the last two
    int kind  # the same for names with the same words; 0 for a name that was not read yet


cdef int read_name(str text, WordTable table, Name* name, dict kinds) except -1:
    """Read a class or id, cut at capitals and at everything but letters."""
    cdef Py_ssize_t size, place = 0, filled = 0
    cdef const unsigned char* source
    cdef unsigned char lowered[2 * LONGEST_BYTES]
    cdef uint64_t hashed
    cdef double value
    if len(text) > LONGEST:
        text = text[:LONGEST]
    source = <const unsigned char*>PyUnicode_AsUTF8AndSize(text, &size)
    while place < size:
        if not 97 <= LOWER[source[place]] <= 122:
            place += 1
            continue
        if filled:
            lowered[filled] = 32
            filled += 1
        hashed = NO_BYTES
        while True:
            lowered[filled] = LOWER[source[place]]
            hashed = add_to_hash(hashed, lowered[filled])
            filled += 1
            place += 1
            if place >= size or not 97 <= source[place] <= 122:
                break
        value = table.values_of(hashed)[0]
        name.total += value
        name.lowest, name.highest = min(name.lowest, value), max(name.highest, value)
    name.kind = kinds.setdefault(lowered[:filled], len(kinds) + 1)
    return 0


cdef int count_copies(double** matrix, list texts) except -1:
    """Count how often a text, or only its beginning, came before. Texts with the same beginning are compared completely."""
    cdef dict copies = {}, firsts = {}  # number of equal texts; first text with a beginning
    cdef Py_ssize_t index, first, size = len(texts)
    cdef str text, beginning
    cdef int* alike = <int*>allocate(size, sizeof(int))  # number of texts with the same beginning, at the first one
    try:
        for index in range(size):
            text = texts[index]
            beginning = text if len(text) <= BEGINNING else text[:BEGINNING]
            known = firsts.get(beginning)
            if known is None:
                firsts[beginning] = index
                alike[index] = 1
                continue
            first = known
            if alike[first] == 1:
                copies[texts[first]] = 1
            matrix[R_ECHOES][index] = alike[first]
            alike[first] += 1
            repeats = copies.get(text, 0)
            matrix[R_REPEATS][index] = repeats
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


cdef double number_of_words(str text, Py_ssize_t size) noexcept:
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
    return blanks + CJK_WORDS * dense if dense else blanks + 1


cdef bint is_cut(str text, Py_ssize_t size) noexcept:
    """Return whether a text ends with an ellipsis, which may be in a bracket."""
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


cdef enum:
    # running sums over the blocks
    S_CHARS, S_LINKS, S_PARAGRAPH_CHARS, S_PARAGRAPHS, S_IMAGES, S_LINK_COUNT, S_CUT, S_PRICES, S_WORD, SUMS

cdef enum:
    # sums over similar blocks
    A_CHARS, A_LINKS, A_PARAGRAPHS, A_TOPIC, A_CUT, A_WORD, A_COUNT, ALIKE

cdef enum:
    CLUSTER, DEEP  # elements with the same tag and class as well as parents, or also grandparents

# Features of the first stage, and their rows in the same order.
FEATURE_NAMES = tuple("""
    repeats echoes chars words ends title_share word_max word_min word_mean topic
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
    R_REPEATS, R_ECHOES, R_CHARS, R_WORDS, R_ENDS, R_TITLE, R_MAX, R_MIN, R_MEAN, R_TOPIC
    R_DENSITY, R_LINKS, R_TAG, R_POSITION, R_CHARS_BEFORE, R_PARAGRAPHS_BEFORE, R_SIBLINGS
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
    raise ImportError("the number of features is not the number of rows")


cdef struct PageBox:
    Py_ssize_t parent, first, last, flags, level, tag, kind
    Py_ssize_t siblings  # number of similar siblings, including itself
    Py_ssize_t unit  # the nearest element with similar siblings; -1 for none
    Py_ssize_t alike[2]  # number of its cluster, and of its deep cluster
    double own, lowest, highest  # value of its class and id, and the extremes of all elements around it


cdef struct PageBlock:
    Py_ssize_t box, heading  # the element that it is in; the last heading, -1 for none
    double link_chars, links, density, is_cut, has_price, says_comments
    bint is_paragraph


cdef int64_t number_pair(dict numbers, Py_ssize_t one, Py_ssize_t other) except -1:
    """Return a small number for a pair of numbers, the same for equal pairs."""
    return numbers.setdefault(<int64_t>one * 0x100000000 + other, len(numbers))


cdef class Features:
    """The features of the blocks of one page."""

    cdef readonly Matrix matrix  # a row for each of `FEATURE_NAMES`
    cdef Py_ssize_t _n, _size, _first_h1
    cdef int _is_article
    cdef PageBox* _boxes
    cdef PageBlock* _blocks
    cdef double* _sums  # SUMS rows, up to each block
    cdef double _all_chars, _all_paragraph_chars

    def __cinit__(self, Walk walk not None, WordTable names not None, WordTable words not None, WordTable title,
                  WordSearch topic not None, int is_article):
        """`words` has the values for short and long texts, and 1 for words that announce comments."""
        cdef Py_ssize_t block
        cdef double** matrix
        self._n, self._size, self._is_article = len(walk.texts), walk._size, is_article
        if self._n < 1:
            raise ValueError("the page has no text")
        self.matrix = Matrix(ALL_ROWS, self._n)
        matrix = self.matrix.rows
        self._boxes = <PageBox*>allocate(self._size, sizeof(PageBox))
        self._blocks = <PageBlock*>allocate(self._n, sizeof(PageBlock))
        self._sums = <double*>allocate(SUMS * (self._n + 1), sizeof(double))
        self._read_boxes(walk, names)
        self._link_boxes()
        self._read_texts(matrix, walk.texts, words, title, topic)
        self._read_blocks(matrix, walk._blocks)
        self._add_up(matrix, walk.image_places)
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

    def __dealloc__(self):
        PyMem_Free(self._boxes)
        PyMem_Free(self._blocks)
        PyMem_Free(self._sums)

    @property
    def words(self):
        """The number of words of each block."""
        return [self.matrix.rows[R_WORDS][block] for block in range(self._n)]

    cdef int _read_boxes(self, Walk walk, WordTable table) except -1:
        cdef Py_ssize_t index
        cdef Box* box
        cdef PageBox* own
        cdef Name* label
        cdef Name* identity
        cdef dict name_kinds = {}, kinds = {}
        cdef Name* names = <Name*>allocate(len(walk._values), sizeof(Name))
        try:
            for index in range(self._size):
                box, own = &walk._boxes[index], &self._boxes[index]
                own.parent, own.flags, own.level, own.first = box.parent, box.flags, box.level, box.first
                own.last = box.last or self._n
                label, identity = &names[box.names], &names[box.identity]
                if not label.kind:
                    read_name(walk._values[box.names], table, label, name_kinds)
                if not identity.kind:
                    read_name(walk._values[box.identity], table, identity, name_kinds)
                tag = walk._box_tags[index]
                own.tag = TAG_NUMBERS.get(tag, 0)
                own.kind = kinds.setdefault((tag, label.kind), len(kinds))
                own.own = label.total + identity.total
                own.lowest, own.highest = min(label.lowest, identity.lowest), max(label.highest, identity.highest)
        finally:
            PyMem_Free(names)
        return 0

    cdef int _link_boxes(self) except -1:
        """Find similar elements; a parent comes before its children."""
        cdef Py_ssize_t index
        cdef PageBox* box
        cdef PageBox* parent
        cdef dict siblings = {}, clusters = {}, deep = {}
        cdef Py_ssize_t* counts = <Py_ssize_t*>allocate(self._size, sizeof(Py_ssize_t))
        try:
            for index in range(self._size):
                box = &self._boxes[index]
                box.siblings = number_pair(siblings, box.parent, box.kind)
                counts[box.siblings] += 1
                if box.parent < 0:
                    box.alike[CLUSTER] = number_pair(clusters, box.kind, -1)
                    box.alike[DEEP] = number_pair(deep, box.alike[CLUSTER], -1)
                else:
                    parent = &self._boxes[box.parent]
                    box.alike[CLUSTER] = number_pair(clusters, box.kind, parent.kind)
                    box.alike[DEEP] = number_pair(deep, box.alike[CLUSTER], parent.alike[CLUSTER])
            for index in range(self._size):
                box, parent = &self._boxes[index], &self._boxes[max(self._boxes[index].parent, 0)]
                box.siblings = counts[box.siblings]
                box.unit = index if box.siblings >= REPEATED else -1
                if index:
                    box.unit = max(box.unit, parent.unit)
                    box.lowest, box.highest = min(box.lowest, parent.lowest), max(box.highest, parent.highest)
        finally:
            PyMem_Free(counts)
        return 0

    cdef int _read_texts(self, double** matrix, list texts, WordTable words, WordTable title, WordSearch topic) except -1:
        cdef Py_ssize_t block, size
        cdef double topics = len(topic.words)
        cdef str text
        count_copies(matrix, texts)
        for block in range(self._n):
            text = texts[block]
            size = len(text)
            matrix[R_CHARS][block] = size
            matrix[R_WORDS][block] = number_of_words(text, size)
            matrix[R_ENDS][block] = text[size - 1] in SENTENCE_ENDS
            self._blocks[block].is_cut = is_cut(text, size)
            self._look_up_words(matrix, block, text, size, words, title)
            if size <= SHORT:
                self._blocks[block].has_price = holds_any(text, size, CURRENCIES)
            elif topics:
                matrix[R_TOPIC][block] = <double>topic.count_in_lower(text, TOPIC_IN) / topics
        return 0

    cdef int _look_up_words(self, double** matrix, Py_ssize_t block, str text, Py_ssize_t length, WordTable words,
                            WordTable title) except -1:
        """Summarize the values of the words of a text; of a long one, those of its beginning."""
        cdef Py_ssize_t size = length, place = 0, count = 0
        cdef int which = length > SHORT
        cdef const unsigned char* source = <const unsigned char*>PyUnicode_DATA(text)
        cdef uint64_t hashed = NO_BYTES
        cdef int kind, gap
        cdef unsigned char letter
        cdef double* said
        cdef double value, total = 0.0, highest = 0.0, lowest = 0.0, about = 0.0, in_title = 0.0
        if length > SHORT:
            size = SHORT
        if not PyUnicode_IS_ASCII(text):
            if length > SHORT:
                text = text[:SHORT]
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
            said = words.values_of(hashed)
            value = said[which]
            total += value
            highest = value if not count else max(highest, value)
            lowest = value if not count else min(lowest, value)
            about = max(about, said[2])
            if title is not None:
                in_title += title.values_of(hashed)[0]
            count += 1
        matrix[R_MEAN][block] = total / max(count, 1)
        matrix[R_MAX][block], matrix[R_MIN][block] = highest, lowest
        if length <= SHORT:
            self._blocks[block].says_comments, matrix[R_TITLE][block] = about, in_title / max(count, 1)
        return 0

    cdef int _read_blocks(self, double** matrix, Block* blocks) except -1:
        cdef Py_ssize_t index, last_heading = -1, level
        cdef PageBlock* block
        self._first_h1 = -1
        for index in range(self._n):
            block = &self._blocks[index]
            block.box, block.link_chars, block.links = blocks[index].box, blocks[index].link_chars, blocks[index].links
            block.density = block.link_chars / matrix[R_CHARS][index]
            block.is_paragraph = matrix[R_CHARS][index] > PARAGRAPH and block.density < FEW_LINKS
            level = self._boxes[block.box].level
            if level > 0:
                last_heading = index
            if level == 1 and self._first_h1 < 0:
                self._first_h1 = index
            block.heading = last_heading
        return 0

    cdef int _add_up(self, double** matrix, list image_places) except -1:
        """Compute the running sums; an image after the last block counts as a part of it."""
        cdef Py_ssize_t block, row, place, n = self._n, width = self._n + 1
        cdef double* sums = self._sums
        for place in image_places:
            sums[S_IMAGES * width + min(place, n - 1) + 1] += 1.0
        for block in range(n):
            sums[S_CHARS * width + block + 1] = matrix[R_CHARS][block]
            sums[S_LINKS * width + block + 1] = self._blocks[block].link_chars
            if self._blocks[block].is_paragraph:
                sums[S_PARAGRAPH_CHARS * width + block + 1] = matrix[R_CHARS][block]
                sums[S_PARAGRAPHS * width + block + 1] = 1.0
            sums[S_LINK_COUNT * width + block + 1] = self._blocks[block].links
            sums[S_CUT * width + block + 1] = self._blocks[block].is_cut
            sums[S_PRICES * width + block + 1] = self._blocks[block].has_price
            sums[S_WORD * width + block + 1] = matrix[R_MEAN][block]
        for row in range(SUMS):
            for block in range(row * width + 2, row * width + width):
                sums[block] += sums[block - 1]
        self._all_chars = max(sums[S_CHARS * width + n], 1.0)
        self._all_paragraph_chars = max(sums[S_PARAGRAPH_CHARS * width + n], 1.0)
        return 0

    cdef inline double _inside(self, int row, Py_ssize_t box) noexcept:
        """What an element holds of something."""
        cdef double* sums = self._sums + row * (self._n + 1)
        return sums[self._boxes[box].last] - sums[self._boxes[box].first]

    cdef inline double _share(self, Py_ssize_t box) noexcept:
        return self._inside(S_CHARS, box) / self._all_chars

    cdef inline double _paragraph_share(self, Py_ssize_t box) noexcept:
        return self._inside(S_PARAGRAPH_CHARS, box) / self._all_paragraph_chars

    cdef inline double _link_density(self, Py_ssize_t box) noexcept:
        return self._inside(S_LINKS, box) / self._inside(S_CHARS, box)

    cdef int _fill_blocks(self, double** matrix) except -1:
        """The block itself, what stands before it, and the element that it is in."""
        cdef Py_ssize_t block, box, width = self._n + 1
        cdef Py_ssize_t flags
        for block in range(self._n):
            box = self._blocks[block].box
            matrix[R_DENSITY][block] = self._blocks[block].density
            matrix[R_LINKS][block] = self._blocks[block].links
            matrix[R_TAG][block] = <double>self._boxes[box].tag
            matrix[R_POSITION][block] = <double>block / <double>self._n
            matrix[R_CHARS_BEFORE][block] = self._sums[S_CHARS * width + block] / self._all_chars
            matrix[R_PARAGRAPHS_BEFORE][block] = (
                self._sums[S_PARAGRAPH_CHARS * width + block] / self._all_paragraph_chars
            )
            matrix[R_SIBLINGS][block] = <double>self._boxes[box].siblings
            matrix[R_NAME_OWN][block] = self._boxes[box].own
            matrix[R_NAME_LOWEST][block] = self._boxes[box].lowest
            matrix[R_NAME_HIGHEST][block] = self._boxes[box].highest
            matrix[R_NAME_PARENT][block] = self._boxes[max(self._boxes[box].parent, 0)].own
            flags = self._boxes[box].flags
            matrix[R_IN_MAIN][block] = (flags & MAIN_FLAG) != 0
            matrix[R_IN_ASIDE][block] = (flags & ASIDE_FLAG) != 0
            matrix[R_IN_CAPTION][block] = (flags & CAPTION_FLAG) != 0
            matrix[R_IN_PARAGRAPH][block] = (flags & PARAGRAPH_FLAG) != 0
            matrix[R_IN_HIDDEN][block] = (flags & HIDDEN_FLAG) != 0
            matrix[R_IN_ARTICLE][block] = (flags & ARTICLE_FLAG) != 0
            matrix[R_IN_ITEMS][block] = (flags & ITEM_FLAG) != 0
        return 0

    cdef int _fill_headings(self, double** matrix) except -1:
        """The heading above a block."""
        cdef Py_ssize_t block, heading, first_comments = -1
        for block in range(self._n):
            if self._blocks[block].heading == block and self._blocks[block].says_comments > 0:
                first_comments = block
                break
        if first_comments < 0:
            first_comments = self._n + COMMENTS_FAR
        for block in range(self._n):
            heading = self._blocks[block].heading
            if heading < 0:
                matrix[R_HEADING_LEVEL][block] = 0.0
                matrix[R_HEADING_WORD][block] = 0.0
                matrix[R_HEADING_COMMENTS][block] = 0.0
                matrix[R_HEADING_DENSITY][block] = -1.0
                matrix[R_SINCE_HEADING][block] = 99.0
            else:
                matrix[R_HEADING_LEVEL][block] = <double>self._boxes[self._blocks[heading].box].level
                matrix[R_HEADING_WORD][block] = matrix[R_MEAN][heading]
                matrix[R_HEADING_COMMENTS][block] = self._blocks[heading].says_comments
                matrix[R_HEADING_DENSITY][block] = self._blocks[heading].density
                matrix[R_SINCE_HEADING][block] = <double>(block - heading)
            matrix[R_FROM_COMMENTS][block] = <double>(block - first_comments)
            matrix[R_FROM_H1][block] = <double>(block - self._first_h1) if self._first_h1 >= 0 else FAR
        return 0

    cdef int _fill_around(self, double** matrix) except -1:
        """The block before, the block behind, and the surroundings of a block."""
        cdef Py_ssize_t block, start, end, n = self._n
        cdef double chars, size
        cdef double* all_chars = self._sums + S_CHARS * (n + 1)
        cdef double* links = self._sums + S_LINKS * (n + 1)
        cdef double* words = self._sums + S_WORD * (n + 1)
        matrix[R_PREVIOUS_TAG][0] = matrix[R_NEXT_TAG][n - 1] = -1.0
        matrix[R_PREVIOUS_CHARS][0] = matrix[R_NEXT_CHARS][n - 1] = 0.0
        matrix[R_PREVIOUS_DENSITY][0] = matrix[R_NEXT_DENSITY][n - 1] = 1.0
        for block in range(1, n):
            matrix[R_PREVIOUS_TAG][block] = <double>self._boxes[self._blocks[block - 1].box].tag
            matrix[R_PREVIOUS_CHARS][block] = matrix[R_CHARS][block - 1]
            matrix[R_PREVIOUS_DENSITY][block] = self._blocks[block - 1].density
            matrix[R_NEXT_TAG][block - 1] = <double>self._boxes[self._blocks[block].box].tag
            matrix[R_NEXT_CHARS][block - 1] = matrix[R_CHARS][block]
            matrix[R_NEXT_DENSITY][block - 1] = self._blocks[block].density
        for block in range(n):
            start, end = max(block - REACH, 0), min(block + REACH + 1, n)
            size = <double>(end - start)
            chars = all_chars[end] - all_chars[start]
            matrix[R_WINDOW_DENSITY][block] = (links[end] - links[start]) / chars
            matrix[R_WINDOW_CHARS][block] = chars / size
            matrix[R_WINDOW_WORD][block] = (words[end] - words[start]) / size
        return 0

    cdef int _fill_units(self, double** matrix) except -1:
        """The repeated unit that a block is in, and the group of all its like."""
        cdef Py_ssize_t block, unit, group
        cdef double siblings
        for block in range(self._n):
            unit = self._boxes[self._blocks[block].box].unit
            if unit < 0:
                matrix[R_UNIT_DENSITY][block] = matrix[R_UNIT_LINKS][block] = NONE
                matrix[R_UNIT_BLOCKS][block] = matrix[R_UNIT_IMAGES][block] = NONE
                matrix[R_GROUP_SHARE][block] = matrix[R_GROUP_PARAGRAPHS][block] = NONE
                matrix[R_GROUP_CUT][block] = matrix[R_GROUP_PRICES][block] = NONE
                matrix[R_UNIT_SIBLINGS][block] = matrix[R_UNIT_PLACE][block] = NONE
                continue
            group = max(self._boxes[unit].parent, 0)
            siblings = <double>self._boxes[unit].siblings
            matrix[R_UNIT_DENSITY][block] = self._link_density(unit)
            matrix[R_UNIT_LINKS][block] = self._inside(S_LINK_COUNT, unit)
            matrix[R_UNIT_BLOCKS][block] = <double>(self._boxes[unit].last - self._boxes[unit].first)
            matrix[R_UNIT_IMAGES][block] = self._inside(S_IMAGES, unit)
            matrix[R_GROUP_SHARE][block] = self._share(group)
            matrix[R_GROUP_PARAGRAPHS][block] = self._paragraph_share(group)
            matrix[R_GROUP_CUT][block] = self._inside(S_CUT, group) / siblings
            matrix[R_GROUP_PRICES][block] = self._inside(S_PRICES, group) / siblings
            matrix[R_UNIT_SIBLINGS][block] = siblings
            matrix[R_UNIT_PLACE][block] = <double>(block - self._boxes[unit].first)
        return 0

    cdef int _fill_alike(self, double** matrix, int likeness, Py_ssize_t row) except -1:
        """Sums over the blocks whose elements look alike."""
        cdef Py_ssize_t block
        cdef double* own
        cdef double* sums = <double*>allocate(ALIKE * self._size, sizeof(double))
        for block in range(self._n):
            own = sums + ALIKE * self._boxes[self._blocks[block].box].alike[likeness]
            own[A_CHARS] += matrix[R_CHARS][block]
            own[A_LINKS] += self._blocks[block].link_chars
            if self._blocks[block].is_paragraph:
                own[A_PARAGRAPHS] += matrix[R_CHARS][block]
            own[A_TOPIC] += matrix[R_TOPIC][block]
            own[A_CUT] += self._blocks[block].is_cut
            own[A_WORD] += matrix[R_MEAN][block]
            own[A_COUNT] += 1.0
        for block in range(self._n):
            own = sums + ALIKE * self._boxes[self._blocks[block].box].alike[likeness]
            matrix[row][block] = own[A_CHARS] / self._all_chars
            matrix[row + 1][block] = own[A_PARAGRAPHS] / self._all_paragraph_chars
            matrix[row + 2][block] = own[A_LINKS] / own[A_CHARS]
            matrix[row + 3][block] = own[A_CHARS] / own[A_COUNT]
            matrix[row + 4][block] = own[A_TOPIC] / own[A_COUNT]
            matrix[row + 5][block] = own[A_CUT] / own[A_COUNT]
            matrix[row + 6][block] = own[A_WORD] / own[A_COUNT]
            matrix[row + 7][block] = own[A_COUNT]
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

    cdef int _fill_mass(self, double** matrix, Py_ssize_t row, double quota) except -1:
        """Where the block stands relative to the smallest element that holds most of the paragraphs."""
        cdef Py_ssize_t block, distance, box = self._find_mass(quota * self._all_paragraph_chars)
        cdef Py_ssize_t first = self._boxes[box].first, last = self._boxes[box].last
        cdef double length = <double>max(last - first, 1), share = self._share(box), density = self._link_density(box)
        for block in range(self._n):
            # below 0 before the element, 0 inside it and above 0 behind it
            distance = min(block - first, 0) + max(block - last + 1, 0)
            matrix[row][block] = <double>(block - first) / length
            matrix[row + 1][block] = <double>distance
            matrix[row + 2][block] = distance == 0
            matrix[row + 3][block] = share
            matrix[row + 4][block] = density
        return 0

    cdef Py_ssize_t _find_anchor(self, double** matrix) noexcept:
        """The first of the blocks that are most like the title; -1 where none is."""
        cdef Py_ssize_t block, found = 0
        cdef double likeness, highest = -1.0
        for block in range(self._n):
            likeness = matrix[R_TITLE][block] * min(1.0, matrix[R_CHARS][block] / TITLE_LENGTH)
            likeness += HEADING_BONUS[self._boxes[self._blocks[block].box].level]
            if likeness > highest:
                highest, found = likeness, block
        return found if highest > LIKE_TITLE else -1

    cdef int _fill_anchor(self, double** matrix) except -1:
        """Where the block stands relative to the one that says what the title says.

        The elements around the anchor are walked up as the blocks go away from it, on either side.
        """
        cdef Py_ssize_t block, anchor = self._find_anchor(matrix), box, steps, direction
        for block in range(self._n):
            matrix[R_FROM_ANCHOR][block] = <double>(block - anchor) if anchor >= 0 else FAR
            matrix[R_COMMON_SHARE][block] = matrix[R_COMMON_PARAGRAPHS][block] = NONE
            matrix[R_COMMON_STEPS][block] = NONE
        if anchor < 0:
            return 0
        for direction in range(-1, 2, 2):
            box, steps, block = self._blocks[anchor].box, 0, anchor
            while 0 <= block < self._n:
                while (self._boxes[box].parent >= 0
                        and not self._boxes[box].first <= block < self._boxes[box].last):
                    box = self._boxes[box].parent
                    steps += 1
                matrix[R_COMMON_SHARE][block] = self._share(box)
                matrix[R_COMMON_PARAGRAPHS][block] = self._paragraph_share(box)
                matrix[R_COMMON_STEPS][block] = <double>steps
                block += direction
        return 0

    cdef int _fill_page(self, double** matrix) except -1:
        """What is the same for all blocks."""
        cdef Py_ssize_t block, row, flags, n = self._n, good = 0
        cdef double in_main = 0.0, in_article = 0.0, in_items = 0.0, longest = 0.0, chars, value
        cdef double* last = self._sums + n
        for block in range(n):
            chars, flags = matrix[R_CHARS][block], self._boxes[self._blocks[block].box].flags
            longest = max(longest, chars)
            in_main += chars if flags & MAIN_FLAG else 0.0
            in_article += chars if flags & ARTICLE_FLAG else 0.0
            in_items += chars if flags & ITEM_FLAG else 0.0
            good += self._blocks[block].is_paragraph and chars > GOOD
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
                matrix[row][block] = value
        return 0
