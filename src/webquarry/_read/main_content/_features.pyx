# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The features of a page, block by block. `features.py` is the same in numpy, and says what each row means.

Sums are made in the same order as there, so that both come to the same to the last bit.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free

from webquarry._read.main_content import tags
from webquarry._read.main_content.feature_names import COUNTED, FLAG_NAMES, MASSES, NAMES, ROW

cdef enum:
    PARENT, FIRST, LAST, FLAGS, LEVEL, TAG, UNIT, SIBLINGS, CLUSTER, DEEP  # as in boxes.py

cdef enum:
    OWN, LOWEST, HIGHEST

cdef enum:
    REPEATS, ECHOES, CHARS, WORDS, ENDS, TITLE, MAX, MIN, MEAN, TOPIC, COMMENTS, CUT, PRICES  # as in texts.py

cdef enum:
    # running sums over the blocks, as in features.py
    S_CHARS, S_LINKS, S_PARAGRAPH_CHARS, S_PARAGRAPHS, S_IMAGES, S_LINK_COUNT, S_CUT, S_PRICES, S_WORD, SUMS

cdef enum:
    # sums over the blocks that are alike, as in features.py
    A_CHARS, A_LINKS, A_PARAGRAPHS, A_TOPIC, A_CUT, A_WORD, A_COUNT, ALIKE

cdef enum:
    MOST_FLAGS = 16

cdef set known_names = set(COUNTED)


cdef Py_ssize_t find_row(str name) except -2:
    known_names.add(name)
    return ROW.get(name, -1)


cdef Py_ssize_t R_DENSITY = find_row("density"), R_LINKS = find_row("links"), R_TAG = find_row("tag")
cdef Py_ssize_t R_POSITION = find_row("position"), R_CHARS_BEFORE = find_row("chars_before")
cdef Py_ssize_t R_PARAGRAPHS_BEFORE = find_row("paragraphs_before"), R_SIBLINGS = find_row("siblings")
cdef Py_ssize_t R_NAME_OWN = find_row("name_own"), R_NAME_LOWEST = find_row("name_lowest")
cdef Py_ssize_t R_NAME_HIGHEST = find_row("name_highest"), R_NAME_PARENT = find_row("name_parent")
cdef Py_ssize_t R_PREVIOUS_TAG = find_row("previous_tag"), R_PREVIOUS_CHARS = find_row("previous_chars")
cdef Py_ssize_t R_PREVIOUS_DENSITY = find_row("previous_density"), R_NEXT_TAG = find_row("next_tag")
cdef Py_ssize_t R_NEXT_CHARS = find_row("next_chars"), R_NEXT_DENSITY = find_row("next_density")
cdef Py_ssize_t R_WINDOW_DENSITY = find_row("window_density"), R_WINDOW_CHARS = find_row("window_chars")
cdef Py_ssize_t R_WINDOW_WORD = find_row("window_word")
cdef Py_ssize_t R_HEADING_LEVEL = find_row("heading_level"), R_HEADING_WORD = find_row("heading_word")
cdef Py_ssize_t R_HEADING_COMMENTS = find_row("heading_comments"), R_HEADING_DENSITY = find_row("heading_density")
cdef Py_ssize_t R_SINCE_HEADING = find_row("since_heading"), R_FROM_COMMENTS = find_row("from_comment_heading")
cdef Py_ssize_t R_FROM_H1 = find_row("from_h1")
cdef Py_ssize_t R_UNIT_DENSITY = find_row("unit_density"), R_UNIT_LINKS = find_row("unit_links")
cdef Py_ssize_t R_UNIT_BLOCKS = find_row("unit_blocks"), R_UNIT_IMAGES = find_row("unit_images")
cdef Py_ssize_t R_GROUP_SHARE = find_row("unit_group_share"), R_GROUP_PARAGRAPHS = find_row("unit_group_paragraphs")
cdef Py_ssize_t R_GROUP_CUT = find_row("unit_group_cut"), R_GROUP_PRICES = find_row("unit_group_prices")
cdef Py_ssize_t R_UNIT_SIBLINGS = find_row("unit_siblings"), R_UNIT_PLACE = find_row("unit_place")
cdef Py_ssize_t R_FROM_ANCHOR = find_row("from_anchor"), R_COMMON_SHARE = find_row("common_share")
cdef Py_ssize_t R_COMMON_PARAGRAPHS = find_row("common_paragraphs"), R_COMMON_STEPS = find_row("common_steps")


cdef struct AlikeRows:
    # where the sums over the blocks of one likeness go
    Py_ssize_t share, paragraphs, density, mean, topic, cut, word, count


cdef AlikeRows find_alike_rows(str likeness) except *:
    cdef AlikeRows rows
    rows.share = find_row(f"{likeness}_share")
    rows.paragraphs = find_row(f"{likeness}_paragraphs")
    rows.density = find_row(f"{likeness}_density")
    rows.mean = find_row(f"{likeness}_mean")
    rows.topic = find_row(f"{likeness}_topic")
    rows.cut = find_row(f"{likeness}_cut")
    rows.word = find_row(f"{likeness}_word")
    rows.count = find_row(f"{likeness}_count")
    return rows


cdef AlikeRows CLUSTER_ROWS = find_alike_rows("cluster"), DEEP_ROWS = find_alike_rows("deep")
cdef list FLAG_ROWS = [(find_row(name), flag) for name, flag in FLAG_NAMES.items()]
cdef list MASS_ROWS = [
    (quota, *[find_row(f"{mass}_{what}") for what in ("place", "distance", "in", "share", "density")])
    for mass, quota in MASSES.items()
]
cdef tuple PAGE_NAMES = (
    "page_in_main", "page_in_article", "page_in_items", "page_chars", "page_blocks", "page_paragraphs", "page_in_links",
    "page_kind", "page_good", "page_longest", "page_prices", "page_images", "page_h1",
)
cdef list PAGE_FEATURES = [find_row(name) for name in PAGE_NAMES]
cdef Py_ssize_t MAIN_FLAG = tags.MAIN_FLAG, ARTICLE_FLAG = tags.ARTICLE_FLAG, ITEM_FLAG = tags.ITEM_FLAG
cdef Py_ssize_t COUNTED_ROWS = len(COUNTED), ALL_ROWS = len(NAMES)

if known_names != set(NAMES) or COUNTED_ROWS != COMMENTS or len(FLAG_ROWS) > MOST_FLAGS:
    # a row that nobody fills would hold anything
    raise ImportError("The features have other names than those that are compiled; numpy makes them.")


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
            if not -1 <= table[PARENT, box] < max(box, 1) or not -1 <= table[UNIT, box] < size:
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
        for row in range(COUNTED_ROWS):
            for block in range(self._n):
                matrix[row, block] = self._counts[row, block]
        self._fill_blocks(matrix)
        self._fill_headings(matrix)
        self._fill_around(matrix)
        self._fill_units(matrix)
        self._fill_alike(matrix, CLUSTER, &CLUSTER_ROWS)
        self._fill_alike(matrix, DEEP, &DEEP_ROWS)
        self._fill_mass(matrix)
        self._fill_anchor(matrix)
        self._fill_page(matrix)
        return 0

    cdef int _fill_blocks(self, double[:, ::1] matrix) except -1:
        """The block itself, what stands before it, and the element that it is in."""
        cdef Py_ssize_t block, box, width = self._n + 1
        cdef Py_ssize_t flag_rows[MOST_FLAGS]
        cdef Py_ssize_t flags[MOST_FLAGS]
        cdef int flag, count = len(FLAG_ROWS)
        for flag in range(count):
            flag_rows[flag], flags[flag] = FLAG_ROWS[flag]
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
            matrix[R_NAME_PARENT, block] = self._names[OWN, max(self._table[PARENT, box], 0)]
            for flag in range(count):
                matrix[flag_rows[flag], block] = (self._table[FLAGS, box] & flags[flag]) != 0
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
            group = max(self._table[PARENT, unit], 0)
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

    cdef int _fill_alike(self, double[:, ::1] matrix, int likeness, AlikeRows* rows) except -1:
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
            matrix[rows.share, block] = own[A_CHARS] / self._all_chars
            matrix[rows.paragraphs, block] = own[A_PARAGRAPHS] / self._all_paragraph_chars
            matrix[rows.density, block] = own[A_LINKS] / own[A_CHARS]
            matrix[rows.mean, block] = own[A_CHARS] / own[A_COUNT]
            matrix[rows.topic, block] = own[A_TOPIC] / own[A_COUNT]
            matrix[rows.cut, block] = own[A_CUT] / own[A_COUNT]
            matrix[rows.word, block] = own[A_WORD] / own[A_COUNT]
            matrix[rows.count, block] = own[A_COUNT]
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

    cdef int _fill_mass(self, double[:, ::1] matrix) except -1:
        """Where the block stands relative to the smallest element that holds most of the paragraphs."""
        cdef Py_ssize_t block, box, first, last, distance, place_row, distance_row, in_row, share_row, density_row
        cdef double quota, share, density, length
        for quota, place_row, distance_row, in_row, share_row, density_row in MASS_ROWS:
            box = self._find_mass(quota * self._all_paragraph_chars)
            first, last = self._table[FIRST, box], self._table[LAST, box]
            length = <double>max(last - first, 1)
            share, density = self._share(box), self._link_density(box)
            for block in range(self._n):
                # below 0 before the element, 0 inside it and above 0 behind it
                distance = min(block - first, 0) + max(block - last + 1, 0)
                matrix[place_row, block] = <double>(block - first) / length
                matrix[distance_row, block] = <double>distance
                matrix[in_row, block] = distance == 0
                matrix[share_row, block] = share
                matrix[density_row, block] = density
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
                while (self._table[PARENT, box] >= 0
                        and not self._table[FIRST, box] <= block < self._table[LAST, box]):
                    box = self._table[PARENT, box]
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
        for row, value in zip(PAGE_FEATURES, facts):
            for block in range(n):
                matrix[row, block] = value
        return 0
