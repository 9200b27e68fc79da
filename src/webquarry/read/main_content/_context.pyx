# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What the blocks around a block say about it, block by block. `context.py` is the same in numpy, and says what each row
means.

Sums are made in the same order as there, so that both come to the same to the last bit.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.math cimport sqrt

cdef enum:
    PARENT, FIRST, LAST, FLAGS, LEVEL, TAG, UNIT, SIBLINGS, CLUSTER, DEEP  # as in boxes.py

# The rows that are filled here, in this order: the first ones of the matrix.
FILLED = (
    "first", "box", "window", "section", "text", "box_mass", "text_mass", "alike", "alike_deep", "before", "after",
    "after2", "heading",
)
cdef enum:
    R_FIRST, R_BOX, R_WINDOW, R_SECTION, R_TEXT, R_BOX_MASS, R_TEXT_MASS, R_ALIKE, R_ALIKE_DEEP, R_BEFORE, R_AFTER
    R_AFTER2, R_HEADING, ROWS

cdef enum:
    OPINION, WEIGHT, MASS, PARAGRAPHS, SUMS  # running sums over the blocks


def fill_context(double[:, ::1] matrix not None, const double[::1] logits not None, const double[::1] chances not None,
                 const double[::1] words not None, const char[::1] is_paragraph not None, list boxes not None,
                 Py_ssize_t[:, ::1] table not None, limits):
    """Fill the rows of `FILLED`, a column a block, and give what the chances say of all words."""
    return ChanceSums(logits, chances, words, is_paragraph, boxes, table, limits).fill(matrix)


cdef class ChanceSums:
    """What was thought of the blocks of one page, summed up to each of them."""

    cdef Py_ssize_t _n, _size, _several, _reach
    cdef double _least, _none, _mass
    cdef const double[::1] _logits, _words
    cdef Py_ssize_t[:, ::1] _table
    cdef Py_ssize_t* _box  # of each block, the element that it is in
    cdef Py_ssize_t* _nearest  # of each element, the innermost around it with several paragraphs
    cdef double* _sums

    def __cinit__(self, const double[::1] logits, const double[::1] chances, const double[::1] words,
                  const char[::1] is_paragraph, list boxes, Py_ssize_t[:, ::1] table, limits):
        cdef Py_ssize_t n = len(boxes), size = table.shape[1]
        self._n, self._size, self._logits, self._words, self._table = n, size, logits, words, table
        self._several, self._reach, self._least, self._none = limits.several, limits.reach, limits.least, limits.none
        if (n < 1 or size < 1 or table.shape[0] <= DEEP or logits.shape[0] != n or chances.shape[0] != n
                or words.shape[0] != n or is_paragraph.shape[0] != n):
            raise ValueError("the chances are those of another page")
        self._box = <Py_ssize_t*>PyMem_Calloc(n, sizeof(Py_ssize_t))
        self._nearest = <Py_ssize_t*>PyMem_Calloc(size, sizeof(Py_ssize_t))
        self._sums = <double*>PyMem_Calloc(SUMS * (n + 1), sizeof(double))
        if self._box is NULL or self._nearest is NULL or self._sums is NULL:
            raise MemoryError
        self._read_blocks(chances, is_paragraph, boxes)
        self._find_nearest()

    def __dealloc__(self):
        PyMem_Free(self._box)
        PyMem_Free(self._nearest)
        PyMem_Free(self._sums)

    cdef int _read_blocks(self, const double[::1] chances, const char[::1] is_paragraph, list boxes) except -1:
        cdef Py_ssize_t block, width = self._n + 1
        cdef double weight
        cdef double* sums = self._sums
        for block in range(self._n):
            self._box[block] = boxes[block]
            if not 0 <= self._box[block] < self._size:
                raise ValueError("a block stands in no element")
            weight = sqrt(self._words[block])  # longer blocks weigh more
            sums[OPINION * width + block + 1] = sums[OPINION * width + block] + weight * self._logits[block]
            sums[WEIGHT * width + block + 1] = sums[WEIGHT * width + block] + weight
            sums[MASS * width + block + 1] = sums[MASS * width + block] + self._words[block] * chances[block]
            sums[PARAGRAPHS * width + block + 1] = sums[PARAGRAPHS * width + block] + is_paragraph[block]
        self._mass = max(sums[MASS * width + self._n], self._least)
        return 0

    cdef int _find_nearest(self) except -1:
        """For each element the innermost around it with several paragraphs; the first one where there is none."""
        cdef Py_ssize_t box, parent, first, last
        cdef double* paragraphs = self._sums + PARAGRAPHS * (self._n + 1)
        for box in range(self._size):
            parent, first, last = self._table[PARENT, box], self._table[FIRST, box], self._table[LAST, box]
            if not -1 <= parent < max(box, 1) or not 0 <= first <= last <= self._n:
                raise ValueError("an element stands in one, or holds blocks, that are not there")
            if not 0 <= self._table[CLUSTER, box] < self._size or not 0 <= self._table[DEEP, box] < self._size:
                raise ValueError("elements that are alike have no number")
            self._nearest[box] = box
            if paragraphs[last] - paragraphs[first] < self._several:
                self._nearest[box] = self._nearest[max(parent, 0)]
        return 0

    cdef double fill(self, double[:, ::1] matrix) except? -1.0:
        if matrix.shape[0] < ROWS or matrix.shape[1] != self._n:
            raise ValueError("the matrix has another shape")
        self._fill_ranges(matrix)
        self._fill_beside(matrix)
        self._fill_alike(matrix, CLUSTER, R_ALIKE)
        self._fill_alike(matrix, DEEP, R_ALIKE_DEEP)
        return self._mass

    cdef inline double _mean(self, Py_ssize_t start, Py_ssize_t end) noexcept:
        """What was thought of the blocks from one to another, by their weight."""
        cdef double* opinions = self._sums
        cdef double* weights = self._sums + WEIGHT * (self._n + 1)
        return (opinions[end] - opinions[start]) / max(weights[end] - weights[start], self._least)

    cdef inline double _mass_share(self, Py_ssize_t start, Py_ssize_t end) noexcept:
        cdef double* masses = self._sums + MASS * (self._n + 1)
        return (masses[end] - masses[start]) / self._mass

    cdef inline Py_ssize_t _text_start(self, Py_ssize_t block) noexcept:
        """Where the text begins that a block is in; a page with several roots has blocks outside of the first."""
        return min(self._table[FIRST, self._nearest[self._box[block]]], block)

    cdef inline Py_ssize_t _text_end(self, Py_ssize_t block) noexcept:
        return max(self._table[LAST, self._nearest[self._box[block]]], block + 1)

    cdef int _fill_ranges(self, double[:, ::1] matrix) except -1:
        """What was thought of the element, the text and the surroundings of a block."""
        cdef Py_ssize_t block, start, end
        for block in range(self._n):
            start, end = self._table[FIRST, self._box[block]], self._table[LAST, self._box[block]]
            matrix[R_BOX, block] = self._mean(start, end)
            matrix[R_BOX_MASS, block] = self._mass_share(start, end)
            start, end = self._text_start(block), self._text_end(block)
            matrix[R_TEXT, block] = self._mean(start, end)
            matrix[R_TEXT_MASS, block] = self._mass_share(start, end)
            matrix[R_WINDOW, block] = self._mean(max(block - self._reach, start), min(block + self._reach + 1, end))
        return 0

    cdef int _fill_beside(self, double[:, ::1] matrix) except -1:
        """What was thought of the block, of those right beside it in its text, of its heading and of its section."""
        cdef Py_ssize_t block, start, end, heading = -1, section_end = self._n
        for block in range(self._n):
            start, end = self._text_start(block), self._text_end(block)
            matrix[R_FIRST, block] = self._logits[block]
            matrix[R_BEFORE, block] = self._logits[block - 1] if block - 1 >= start else self._none
            matrix[R_AFTER, block] = self._logits[block + 1] if block + 1 < end else self._none
            matrix[R_AFTER2, block] = self._logits[block + 2] if block + 2 < end else self._none
            if self._table[LEVEL, self._box[block]] > 0:
                heading = block
            matrix[R_HEADING, block] = self._logits[heading] if heading >= 0 else self._none
            matrix[R_SECTION, block] = <double>max(heading, 0)
        for block in range(self._n - 1, -1, -1):
            start = <Py_ssize_t>matrix[R_SECTION, block]
            matrix[R_SECTION, block] = self._mean(start, section_end)
            if self._table[LEVEL, self._box[block]] > 0:
                section_end = block  # that of the blocks before it
        return 0

    cdef int _fill_alike(self, double[:, ::1] matrix, int likeness, int row) except -1:
        """What was thought of the blocks whose elements look alike."""
        cdef Py_ssize_t block
        cdef double weight
        cdef double* own
        cdef double* sums = <double*>PyMem_Calloc(2 * self._size, sizeof(double))
        if sums is NULL:
            raise MemoryError
        for block in range(self._n):
            own = sums + 2 * self._table[likeness, self._box[block]]
            weight = sqrt(self._words[block])
            own[0] += weight * self._logits[block]
            own[1] += weight
        for block in range(self._n):
            own = sums + 2 * self._table[likeness, self._box[block]]
            matrix[row, block] = own[0] / max(own[1], self._least)
        PyMem_Free(sums)
        return 0
