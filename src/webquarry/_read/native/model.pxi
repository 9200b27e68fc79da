# Feature matrix -> probabilities, and the threshold of a page.


# The rows that are made here, in this order; those that are carried over stand behind them.
FILLED = (
    "first", "box", "window", "section", "text", "box_mass", "text_mass", "alike", "alike_deep", "before", "after",
    "after2", "heading", "page_mean", "page_best", "page_mass", "page_limit",
)
cdef enum:
    R_FIRST, R_BOX, R_WINDOW, R_SECTION, R_TEXT, R_BOX_MASS, R_TEXT_MASS, R_ALIKE, R_ALIKE_DEEP, R_BEFORE, R_AFTER
    R_AFTER2, R_HEADING, R_PAGE_MEAN, R_PAGE_BEST, R_PAGE_MASS, R_PAGE_LIMIT, ROWS

cdef enum:
    OPINION, WEIGHT, MASS, PARAGRAPHS, CONTEXT_SUMS  # running sums over the blocks


cdef list rank_blocks(list chances):
    """Return the indexes of blocks in the order in which they are kept, the likeliest first."""
    return sorted(range(len(chances)), key=chances.__getitem__, reverse=True)


def find_threshold(list chances not None, list words not None, limits):
    """Return the chance from which on keeping blocks maximises the expected F1, if each is wanted independently."""
    cdef double hits = 0.0, kept = 0.0, wanted = 0.0, best = -1.0, expected, threshold = 0.0, chance, size
    if len(chances) < 1 or len(words) != len(chances):
        raise ValueError("the chances are those of another page")
    for chance, size in zip(chances, words):
        wanted += chance * size
    for block in rank_blocks(chances):
        chance, size = chances[block], words[block]
        hits += chance * size
        kept += size
        expected = 2 * hits / (kept + wanted)
        if expected > best:
            best, threshold = expected, chance
    return min(max(<double>limits.strictness * threshold, <double>limits.lowest), <double>limits.highest)


cdef enum:
    LEVELS = 64  # candidates for the threshold


def find_best_cut(list chances not None, list words not None, double together):
    """Return the chance of the last block to be kept, for the largest expected F1 of the page.

    Only cuts at some levels of chances are compared. `together` is the weight of the assumption that the words above a
    level are wanted all or none.
    """
    cdef double wanted[LEVELS]  # words above each level, the highest level first
    cdef double kept[LEVELS]  # words and hits of the cut at the level, which keeps at least the likeliest block
    cdef double hits[LEVELS]
    cdef Py_ssize_t ends[LEVELS]
    cdef double words_above = 0.0, hits_above = 0.0, share, expected, highest = -1.0, level
    cdef Py_ssize_t n = len(chances), above = 0, cut, other, best = 0
    cdef list ranks = rank_blocks(chances)
    if n < 1 or len(words) != n:
        raise ValueError("the chances are those of another page")
    for cut in range(LEVELS):
        level = (LEVELS - cut - 0.5) / LEVELS
        while above < n and <double>chances[ranks[above]] > level:
            words_above += <double>words[ranks[above]]
            hits_above += <double>chances[ranks[above]] * <double>words[ranks[above]]
            above += 1
        wanted[cut], kept[cut], hits[cut], ends[cut] = words_above, words_above, hits_above, above
        if not above:
            kept[cut], ends[cut] = words[ranks[0]], 1
            hits[cut] = <double>chances[ranks[0]] * kept[cut]
    for other in range(above, n):
        hits_above += <double>chances[ranks[other]] * <double>words[ranks[other]]
    for cut in range(LEVELS - 1, -1, -1):
        if cut + 1 < LEVELS and ends[cut] == ends[cut + 1]:
            continue
        share = 0.0
        for other in range(LEVELS):
            share += 2 * min(kept[cut], wanted[other]) / (kept[cut] + wanted[other])
        expected = together * share / LEVELS + (1 - together) * 2 * hits[cut] / (kept[cut] + hits_above)
        if expected > highest:
            highest, best = expected, ends[cut] - 1
    return chances[ranks[best]]


def fill_context(double[:, ::1] matrix not None, double[:, ::1] features not None, const double[::1] chances not None,
                 const double[::1] words not None, list boxes not None, Py_ssize_t[:, ::1] table not None, limits):
    """Fill the rows of `FILLED` and behind them those that are carried over from the features, a column a block."""
    cdef Py_ssize_t n = len(boxes), block, place, row
    cdef list carried = limits.carried
    cdef ChanceSums sums = ChanceSums()
    if matrix.shape[0] != ROWS + len(carried) or matrix.shape[1] != n or features.shape[1] != n:
        raise ValueError("the matrix has another shape, or the chances are those of another page")
    sums.read(features, chances, words, boxes, table, limits)
    sums.fill(matrix)
    for place in range(len(carried)):
        row = carried[place]
        if not 0 <= row < features.shape[0]:
            raise ValueError("a row is carried over that is not there")
        for block in range(n):
            matrix[ROWS + place, block] = features[row, block]


cdef class ChanceSums:
    """What was thought of the blocks of one page, summed up to each of them."""

    cdef Py_ssize_t _n, _size, _several, _reach
    cdef double _least, _none, _mass, _mean_chance, _best, _limit
    cdef const double[::1] _words
    cdef double* _logits
    cdef Py_ssize_t[:, ::1] _table
    cdef Py_ssize_t* _box  # of each block, the element that it is in
    cdef Py_ssize_t* _nearest  # of each element, the innermost around it with several paragraphs
    cdef double* _sums

    cdef int read(self, double[:, ::1] features, const double[::1] chances, const double[::1] words, list boxes,
                  Py_ssize_t[:, ::1] table, limits) except -1:
        cdef Py_ssize_t n = len(boxes), size = table.shape[1]
        self._n, self._size, self._words, self._table = n, size, words, table
        self._several, self._reach, self._least, self._none = limits.several, limits.reach, limits.least, limits.none
        if n < 1 or size < 1 or table.shape[0] <= DEEP or chances.shape[0] != n or words.shape[0] != n:
            raise ValueError("the chances are those of another page")
        self._logits = <double*>PyMem_Calloc(n, sizeof(double))
        self._box = <Py_ssize_t*>PyMem_Calloc(n, sizeof(Py_ssize_t))
        self._nearest = <Py_ssize_t*>PyMem_Calloc(size, sizeof(Py_ssize_t))
        self._sums = <double*>PyMem_Calloc(CONTEXT_SUMS * (n + 1), sizeof(double))
        if self._logits is NULL or self._box is NULL or self._nearest is NULL or self._sums is NULL:
            raise MemoryError
        self._read_blocks(features, chances, boxes, limits)
        self._find_nearest()
        self._limit = find_threshold([chances[block] for block in range(n)], [words[block] for block in range(n)], limits)
        return 0

    def __dealloc__(self):
        PyMem_Free(self._logits)
        PyMem_Free(self._box)
        PyMem_Free(self._nearest)
        PyMem_Free(self._sums)

    cdef int _read_blocks(self, double[:, ::1] features, const double[::1] chances, list boxes, limits) except -1:
        cdef Py_ssize_t block, width = self._n + 1, chars_row = limits.chars_row, density_row = limits.density_row
        cdef double weight, safe, sure = limits.sure, paragraph = limits.paragraph, few_links = limits.few_links
        cdef double all_words = 0.0
        cdef double* sums = self._sums
        if not 0 <= chars_row < features.shape[0] or not 0 <= density_row < features.shape[0]:
            raise ValueError("there are too few features")
        for block in range(self._n):
            self._box[block] = boxes[block]
            if not 0 <= self._box[block] < self._size:
                raise ValueError("a block stands in no element")
            safe = min(max(chances[block], sure), 1 - sure)  # never quite certain
            self._logits[block] = log(safe / (1 - safe))
            self._best = max(self._best, chances[block])
            weight = sqrt(self._words[block])  # longer blocks weigh more
            all_words += self._words[block]
            sums[OPINION * width + block + 1] = sums[OPINION * width + block] + weight * self._logits[block]
            sums[WEIGHT * width + block + 1] = sums[WEIGHT * width + block] + weight
            sums[MASS * width + block + 1] = sums[MASS * width + block] + self._words[block] * chances[block]
            sums[PARAGRAPHS * width + block + 1] = sums[PARAGRAPHS * width + block]
            if features[chars_row, block] > paragraph and features[density_row, block] < few_links:
                sums[PARAGRAPHS * width + block + 1] += 1
        self._mass = max(sums[MASS * width + self._n], self._least)
        self._mean_chance = self._mass / max(all_words, self._least)
        return 0

    cdef int _find_nearest(self) except -1:
        """For each element the innermost around it with several paragraphs; the first one where there is none."""
        cdef Py_ssize_t box, parent, first, last
        cdef double* paragraphs = self._sums + PARAGRAPHS * (self._n + 1)
        for box in range(self._size):
            parent, first, last = self._table[OUTER, box], self._table[FIRST, box], self._table[LAST, box]
            if not -1 <= parent < max(box, 1) or not 0 <= first <= last <= self._n:
                raise ValueError("an element stands in one, or holds blocks, that are not there")
            if not 0 <= self._table[CLUSTER, box] < self._size or not 0 <= self._table[DEEP, box] < self._size:
                raise ValueError("elements that are alike have no number")
            self._nearest[box] = box
            if paragraphs[last] - paragraphs[first] < self._several:
                self._nearest[box] = self._nearest[max(parent, 0)]
        return 0

    cdef int fill(self, double[:, ::1] matrix) except -1:
        cdef Py_ssize_t block
        for block in range(self._n):
            matrix[R_PAGE_MEAN, block] = self._mean_chance
            matrix[R_PAGE_BEST, block] = self._best
            matrix[R_PAGE_MASS, block] = self._mass
            matrix[R_PAGE_LIMIT, block] = self._limit
        self._fill_ranges(matrix)
        self._fill_beside(matrix)
        self._fill_alike(matrix, CLUSTER, R_ALIKE)
        self._fill_alike(matrix, DEEP, R_ALIKE_DEEP)
        return 0

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


cdef extern from *:
    """
    enum { AT_ONCE = 256 };

    /* The compiler vectorizes both loops: all counts of blocks are fixed, and no step depends on another block. */
    #if defined(__GNUC__) && !defined(__clang__)
    #define VECTORIZED __attribute__((optimize("O3")))
    #else
    #define VECTORIZED
    #endif

    /* Count for each block how many borders of a feature are below its value. */
    static VECTORIZED void count_borders(const float *values, const float *borders, int count, signed char *bins)
    {
        int below[AT_ONCE] = {0}, border, block;
        for (border = 0; border < count; border++)
            for (block = 0; block < AT_ONCE; block++) below[block] += values[block] > borders[border];
        for (block = 0; block < AT_ONCE; block++) bins[block] = (signed char)below[block];
    }

    /* Add the leaf of one tree to the sum of each block; each level sets a bit of the number of the leaf. */
    static VECTORIZED void add_leaves(const signed char *bins, const unsigned short *rows, const signed char *limits,
                                      int depth, const short *leaves, int size, int *sums)
    {
        unsigned char places[AT_ONCE] = {0};
        int level, block;
        for (level = 0; level < depth; level++) {
            const signed char *own = bins + rows[level] * AT_ONCE, limit = limits[level];
            const unsigned char bit = (unsigned char)(1 << level);
            for (block = 0; block < AT_ONCE; block++) places[block] |= own[block] > limit ? bit : 0;
        }
        for (block = 0; block < size; block++) sums[block] += leaves[places[block]];
    }
    """
    enum:
        AT_ONCE
    void count_borders(const float* values, const float* borders, int count, signed char* bins) noexcept
    void add_leaves(const signed char* bins, const unsigned short* rows, const signed char* limits, int depth,
                    const short* leaves, int size, int* sums) noexcept

cdef enum:
    DEEPEST_TREE = 8  # levels
    MOST_BORDERS = 127  # of one feature


cdef class Forest:
    """Oblivious trees over the rows of a matrix: all nodes of a level compare the same feature with the same border.

    Values are replaced by the number of known borders of their feature below them, a byte.
    """

    cdef int _depth, _trees
    cdef list _used  # features, by their rows of the matrix
    cdef list _borders  # of each used feature, in order
    cdef unsigned short* _splits  # of each level of each tree, the used feature
    cdef signed char* _limits  # and the number of the border
    cdef short* _leaves

    def __cinit__(self, features, borders, leaves):
        """Trees are columns of `features` and `borders`, which have a row per level; their leaves follow each other."""
        cdef dict known = {}
        cdef Py_ssize_t tree, level, place = 0
        self._depth, self._trees = len(features), len(features[0])
        if self._depth > DEEPEST_TREE or len(leaves) != self._trees << self._depth:
            raise ValueError("the trees do not fit together")
        for level in range(self._depth):
            for feature, border in zip(features[level], borders[level], strict=True):
                if feature < 0:
                    raise ValueError("a tree has a feature below 0")
                known.setdefault(feature, set()).add(<float>border)
        self._used = sorted(known)
        self._borders = [sorted(known[feature]) for feature in self._used]
        if max(map(len, self._borders)) > MOST_BORDERS:
            raise ValueError("too many borders of one feature")
        self._splits = <unsigned short*>PyMem_Malloc(self._depth * self._trees * sizeof(unsigned short))
        self._limits = <signed char*>PyMem_Malloc(self._depth * self._trees)
        self._leaves = <short*>PyMem_Malloc(len(leaves) * sizeof(short))
        if self._splits is NULL or self._limits is NULL or self._leaves is NULL:
            raise MemoryError
        places = {feature: number for number, feature in enumerate(self._used)}
        numbers = [{border: number for number, border in enumerate(own)} for own in self._borders]
        for tree in range(self._trees):
            for level in range(self._depth):
                feature = places[features[level][tree]]
                self._splits[place] = feature
                self._limits[place] = numbers[feature][<float>borders[level][tree]]
                place += 1
        for place in range(len(leaves)):
            self._leaves[place] = leaves[place]

    def __dealloc__(self):
        PyMem_Free(self._splits)
        PyMem_Free(self._limits)
        PyMem_Free(self._leaves)

    def sum_leaves(self, const double[:, ::1] rows not None):
        """Return the sum of the leaves of all trees for each block; `rows` has a row per feature and a column per block."""
        cdef Py_ssize_t blocks = rows.shape[1], start, place, number, feature, used = len(self._used)
        cdef int size, tree, index
        cdef float values[AT_ONCE]
        cdef float own_borders[MOST_BORDERS]
        cdef int sums[AT_ONCE]
        cdef list found = [], known
        cdef signed char* bins = <signed char*>PyMem_Malloc(used * AT_ONCE)
        if bins is NULL:
            raise MemoryError
        try:
            if self._used[used - 1] >= rows.shape[0]:
                raise ValueError("a tree has a feature that is not in the matrix")
            for start in range(0, blocks, AT_ONCE):
                size = <int>min(<Py_ssize_t>AT_ONCE, blocks - start)
                for place in range(used):
                    feature, known = self._used[place], self._borders[place]
                    for number in range(len(known)):
                        own_borders[number] = known[number]
                    for index in range(size):
                        values[index] = <float>rows[feature, start + index]
                    for index in range(size, AT_ONCE):
                        values[index] = 0
                    count_borders(values, own_borders, <int>len(known), bins + place * AT_ONCE)
                memset(sums, 0, sizeof(sums))
                for tree in range(self._trees):
                    add_leaves(bins, self._splits + tree * self._depth, self._limits + tree * self._depth, self._depth,
                               self._leaves + (<Py_ssize_t>tree << self._depth), size, sums)
                for index in range(size):
                    found.append(sums[index])
        finally:
            PyMem_Free(bins)
        return found

    def predict(self, const double[:, ::1] rows not None, double scale, double bias):
        """Return the probability of each block; leaves are divided by `scale`."""
        return [1.0 / (1.0 + exp(-(total / scale + bias))) for total in self.sum_leaves(rows)]
