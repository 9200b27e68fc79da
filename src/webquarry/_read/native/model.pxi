# Feature matrix -> probabilities, and the threshold of a page.

# Features of the second stage: those that are computed here, in this order, and some of the first stage.
CARRIED = (
    "chars", "density", "tag", "position", "word_mean", "unit_group_share", "unit_siblings", "cluster_paragraphs",
    "page_kind", "page_blocks", "page_paragraphs", "since_heading", "from_anchor",
)
CONTEXT_NAMES = (
    "first", "box", "window", "section", "text", "box_mass", "text_mass", "alike", "alike_deep", "before", "after",
    "after2", "heading", "page_mean", "page_best", "page_mass", "page_limit", *CARRIED,
)
cdef enum:
    R_FIRST, R_BOX, R_WINDOW, R_SECTION, R_TEXT, R_BOX_MASS, R_TEXT_MASS, R_ALIKE, R_ALIKE_DEEP, R_BEFORE, R_AFTER
    R_AFTER2, R_HEADING, R_PAGE_MEAN, R_PAGE_BEST, R_PAGE_MASS, R_PAGE_LIMIT, ROWS

cdef enum:
    OPINION, WEIGHT, MASS, CONTEXT_SUMS  # running sums over the blocks

cdef enum:
    SEVERAL = 2  # paragraphs
    NEAR = 3  # blocks to each side

cdef double LEAST = 1e-9  # avoids division by zero
cdef double NO_BLOCK = -9.0  # no block to compare with
cdef double SURE = 1e-3  # chances are clipped to this distance from 0 and 1
# bounds of the threshold of a page, and a factor applied to the best one
cdef double LOWEST = 0.2, HIGHEST = 0.5, STRICTNESS = 1.05
cdef double JOINT = 0.5  # weight of the assumption that the blocks of a list are wanted all or none


cdef list rank_blocks(list chances):
    """Return the indexes of blocks in the order in which they are kept, the likeliest first."""
    return sorted(range(len(chances)), key=chances.__getitem__, reverse=True)


cdef double limit_threshold(double threshold) noexcept:
    return min(max(STRICTNESS * threshold, LOWEST), HIGHEST)


def find_threshold(list chances not None, list words not None):
    """Return the threshold that maximises the expected F1 of a page if each block is wanted independently."""
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
    return limit_threshold(threshold)


cdef enum:
    LEVELS = 64  # candidates for the threshold


def find_joint_threshold(list chances not None, list words not None):
    """Return the threshold that maximises the expected F1 of a page, averaged over two assumptions.

    If blocks are wanted independently of each other, a long list of teasers with a chance of 0.4 each should be kept. But the
    blocks of a list are wanted all or none, and then it should not. Only cuts at some levels of chances are compared.
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
        expected = JOINT * share / LEVELS + (1 - JOINT) * 2 * hits[cut] / (kept[cut] + hits_above)
        if expected > highest:
            highest, best = expected, ends[cut] - 1
    return limit_threshold(chances[ranks[best]])


def build_context(Features page not None, list chances not None):
    """Return the matrix of the second stage, with a row for each of `CONTEXT_NAMES`.

    A block is compared with the chances of the first stage of similar blocks, of its section and of the elements around it,
    so that repeated units (posts, tiles, rows) are classified together.
    """
    if len(chances) != page._n:
        raise ValueError("the chances are those of another page")
    return Context(page, chances).matrix


cdef class Context:
    """The chances of the first stage, and running sums of them."""

    cdef Matrix matrix
    cdef Features _page
    cdef Py_ssize_t _n, _size
    cdef double _mass
    cdef double* _logits
    cdef double* _words
    cdef Py_ssize_t* _nearest  # of each element, the innermost around it with several paragraphs
    cdef double* _sums

    def __cinit__(self, Features page, list chances):
        cdef Py_ssize_t place, n = page._n
        cdef double** matrix
        self._page, self._n, self._size, self._words = page, n, page._size, page.matrix.rows[R_WORDS]
        self.matrix = Matrix(len(CONTEXT_NAMES), n)
        matrix = self.matrix.rows
        self._logits = <double*>allocate(n, sizeof(double))
        self._nearest = <Py_ssize_t*>allocate(self._size, sizeof(Py_ssize_t))
        self._sums = <double*>allocate(CONTEXT_SUMS * (n + 1), sizeof(double))
        self._read_chances(matrix, chances)
        self._find_nearest()
        self._fill_ranges(matrix)
        self._fill_beside(matrix)
        self._fill_alike(matrix, CLUSTER, R_ALIKE)
        self._fill_alike(matrix, DEEP, R_ALIKE_DEEP)
        for place, name in enumerate(CARRIED):
            memcpy(matrix[ROWS + place], page.matrix.rows[<Py_ssize_t>FEATURE_NAMES.index(name)], n * sizeof(double))

    def __dealloc__(self):
        PyMem_Free(self._logits)
        PyMem_Free(self._nearest)
        PyMem_Free(self._sums)

    cdef int _read_chances(self, double** matrix, list chances) except -1:
        """Compute the log odds, the running sums, and the features that are the same for all blocks."""
        cdef Py_ssize_t block, width = self._n + 1
        cdef double weight, safe, chance, best = 0.0, all_words = 0.0, limit = find_threshold(chances, self._page.words)
        cdef double* sums = self._sums
        for block in range(self._n):
            chance = chances[block]
            safe = min(max(chance, SURE), 1 - SURE)
            self._logits[block] = log(safe / (1 - safe))
            best = max(best, chance)
            weight = sqrt(self._words[block])  # longer blocks weigh more
            all_words += self._words[block]
            sums[OPINION * width + block + 1] = sums[OPINION * width + block] + weight * self._logits[block]
            sums[WEIGHT * width + block + 1] = sums[WEIGHT * width + block] + weight
            sums[MASS * width + block + 1] = sums[MASS * width + block] + self._words[block] * chance
        self._mass = max(sums[MASS * width + self._n], LEAST)
        for block in range(self._n):
            matrix[R_PAGE_MEAN][block] = self._mass / max(all_words, LEAST)
            matrix[R_PAGE_BEST][block] = best
            matrix[R_PAGE_MASS][block] = self._mass
            matrix[R_PAGE_LIMIT][block] = limit
        return 0

    cdef int _find_nearest(self) except -1:
        """Find for each element the innermost around it with several paragraphs; the first one if there is none."""
        cdef Py_ssize_t box
        for box in range(self._size):
            self._nearest[box] = box
            if self._page._inside(S_PARAGRAPHS, box) < SEVERAL:
                self._nearest[box] = self._nearest[max(self._page._boxes[box].parent, 0)]
        return 0

    cdef inline double _mean(self, Py_ssize_t start, Py_ssize_t end) noexcept:
        """What was thought of the blocks from one to another, by their weight."""
        cdef double* opinions = self._sums
        cdef double* weights = self._sums + WEIGHT * (self._n + 1)
        return (opinions[end] - opinions[start]) / max(weights[end] - weights[start], LEAST)

    cdef inline double _mass_share(self, Py_ssize_t start, Py_ssize_t end) noexcept:
        cdef double* masses = self._sums + MASS * (self._n + 1)
        return (masses[end] - masses[start]) / self._mass

    cdef inline Py_ssize_t _text_start(self, Py_ssize_t block) noexcept:
        """Where the text begins that a block is in; a page with several roots has blocks outside of the first."""
        return min(self._page._boxes[self._nearest[self._page._blocks[block].box]].first, block)

    cdef inline Py_ssize_t _text_end(self, Py_ssize_t block) noexcept:
        return max(self._page._boxes[self._nearest[self._page._blocks[block].box]].last, block + 1)

    cdef int _fill_ranges(self, double** matrix) except -1:
        """What was thought of the element, the text and the surroundings of a block."""
        cdef Py_ssize_t block, start, end
        for block in range(self._n):
            start, end = self._page._boxes[self._page._blocks[block].box].first, self._page._boxes[self._page._blocks[block].box].last
            matrix[R_BOX][block] = self._mean(start, end)
            matrix[R_BOX_MASS][block] = self._mass_share(start, end)
            start, end = self._text_start(block), self._text_end(block)
            matrix[R_TEXT][block] = self._mean(start, end)
            matrix[R_TEXT_MASS][block] = self._mass_share(start, end)
            matrix[R_WINDOW][block] = self._mean(max(block - NEAR, start), min(block + NEAR + 1, end))
        return 0

    cdef int _fill_beside(self, double** matrix) except -1:
        """What was thought of the block, of those right beside it in its text, of its heading and of its section."""
        cdef Py_ssize_t block, start, end, heading = -1, section_end = self._n
        for block in range(self._n):
            start, end = self._text_start(block), self._text_end(block)
            matrix[R_FIRST][block] = self._logits[block]
            matrix[R_BEFORE][block] = self._logits[block - 1] if block - 1 >= start else NO_BLOCK
            matrix[R_AFTER][block] = self._logits[block + 1] if block + 1 < end else NO_BLOCK
            matrix[R_AFTER2][block] = self._logits[block + 2] if block + 2 < end else NO_BLOCK
            if self._page._boxes[self._page._blocks[block].box].level > 0:
                heading = block
            matrix[R_HEADING][block] = self._logits[heading] if heading >= 0 else NO_BLOCK
            matrix[R_SECTION][block] = <double>max(heading, 0)
        for block in range(self._n - 1, -1, -1):
            start = <Py_ssize_t>matrix[R_SECTION][block]
            matrix[R_SECTION][block] = self._mean(start, section_end)
            if self._page._boxes[self._page._blocks[block].box].level > 0:
                section_end = block  # that of the blocks before it
        return 0

    cdef int _fill_alike(self, double** matrix, int likeness, int row) except -1:
        """What was thought of the blocks whose elements look alike."""
        cdef Py_ssize_t block
        cdef double weight
        cdef double* own
        cdef double* sums = <double*>allocate(2 * self._size, sizeof(double))
        for block in range(self._n):
            own = sums + 2 * self._page._boxes[self._page._blocks[block].box].alike[likeness]
            weight = sqrt(self._words[block])
            own[0] += weight * self._logits[block]
            own[1] += weight
        for block in range(self._n):
            own = sums + 2 * self._page._boxes[self._page._blocks[block].box].alike[likeness]
            matrix[row][block] = own[0] / max(own[1], LEAST)
        PyMem_Free(sums)
        return 0


cdef extern from *:
    """
    enum { AT_ONCE = 256 };

    #include <string.h> /* defines __GLIBC__, whose loader chooses the variant for the processor */

    #if defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && defined(__x86_64__)
    #define VECTORIZED __attribute__((optimize("O3"), target_clones("avx2", "default")))
    #else
    #define VECTORIZED
    #endif

    /* The bytes of several blocks as one vector; other compilers than GCC and Clang take them one by one. */
    #ifdef __GNUC__
    enum { LANES = 32 };
    typedef signed char Bytes __attribute__((vector_size(LANES), aligned(1), may_alias));
    #define ABOVE(one, other) ((one) > (other))
    #else
    enum { LANES = 1 };
    typedef signed char Bytes;
    #define ABOVE(one, other) (-((one) > (other)))
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
        Bytes places[AT_ONCE / LANES];
        const unsigned char *numbers = (const unsigned char *)places;
        int level, block;
        memset(places, 0, sizeof(places));
        for (level = 0; level < depth; level++) {
            const Bytes *own = (const Bytes *)(bins + rows[level] * AT_ONCE);
            const signed char limit = limits[level], bit = (signed char)(1 << level);
            for (block = 0; block < AT_ONCE / LANES; block++) places[block] |= ABOVE(own[block], limit) & bit;
        }
        for (block = 0; block < size; block++) sums[block] += leaves[numbers[block]];
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

    def sum_leaves(self, Matrix matrix not None):
        """Return the sum of the leaves of all trees for each block."""
        cdef Py_ssize_t blocks = matrix.width, start, place, number, feature, used = len(self._used)
        cdef int size, tree, index
        cdef float values[AT_ONCE]
        cdef float own_borders[MOST_BORDERS]
        cdef int sums[AT_ONCE]
        cdef list found = [], known
        cdef signed char* bins = <signed char*>PyMem_Malloc(used * AT_ONCE)
        if bins is NULL:
            raise MemoryError
        try:
            if self._used[used - 1] >= matrix.height:
                raise ValueError("a tree has a feature that is not in the matrix")
            for start in range(0, blocks, AT_ONCE):
                size = <int>min(<Py_ssize_t>AT_ONCE, blocks - start)
                for place in range(used):
                    feature, known = self._used[place], self._borders[place]
                    for number in range(len(known)):
                        own_borders[number] = known[number]
                    for index in range(size):
                        values[index] = <float>matrix.rows[feature][start + index]
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

    def predict(self, Matrix matrix not None, double scale, double bias):
        """Return the probability of each block; leaves are divided by `scale`."""
        return [1.0 / (1.0 + exp(-(total / scale + bias))) for total in self.sum_leaves(matrix)]
