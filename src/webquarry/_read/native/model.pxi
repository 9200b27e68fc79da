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


cdef struct RankedBlock:
    double chance, words


cdef void merge_ranks(const RankedBlock* source, Py_ssize_t middle, Py_ssize_t end, RankedBlock* merged) noexcept:
    """Two parts of an array, each with the likelier first, as one; of two that are as likely the first one comes first."""
    cdef Py_ssize_t one = 0, other = middle, place
    for place in range(end):
        if one < middle and (other == end or source[one].chance >= source[other].chance):
            merged[place] = source[one]
            one += 1
        else:
            merged[place] = source[other]
            other += 1


cdef void sort_ranks(RankedBlock* ranks, RankedBlock* spare, Py_ssize_t n) noexcept:
    """Put the likelier block first, and of two that are as likely the first one: small parts are put in order, then merged
    with each other. There is as much room to spare.
    """
    cdef Py_ssize_t start, place, size = 8
    cdef RankedBlock moved
    for start in range(0, n, size):
        for place in range(start + 1, min(start + size, n)):
            moved = ranks[place]
            while place > start and ranks[place - 1].chance < moved.chance:
                ranks[place] = ranks[place - 1]
                place -= 1
            ranks[place] = moved
    while size < n:
        for start in range(0, n, 2 * size):
            merge_ranks(ranks + start, min(size, n - start), min(2 * size, n - start), spare + start)
        memcpy(ranks, spare, n * sizeof(RankedBlock))
        size *= 2


cdef RankedBlock* rank_blocks(const double* chances, const double* words, Py_ssize_t n) except NULL:
    """The blocks in the order in which they are kept; for the caller to free."""
    cdef RankedBlock* ranks = <RankedBlock*>PyMem_Malloc(2 * n * sizeof(RankedBlock))
    cdef Py_ssize_t block
    if ranks is NULL:
        raise MemoryError
    for block in range(n):
        ranks[block].chance, ranks[block].words = chances[block], words[block]
    sort_ranks(ranks, ranks + n, n)
    return ranks


def find_threshold(const double[::1] chances not None, const double[::1] words not None, limits):
    """The chance from which on keeping a block makes the expected F1 of the page the largest, each wanted by itself."""
    if chances.shape[0] < 1 or words.shape[0] != chances.shape[0]:
        raise ValueError("the chances are those of another page")
    return find_single_cut(&chances[0], &words[0], chances.shape[0], limits)


cdef double find_single_cut(const double* chances, const double* words, Py_ssize_t n, limits) except -1:
    cdef Py_ssize_t block
    cdef double hits = 0.0, kept = 0.0, wanted = 0.0, best = -1.0, expected, threshold = 0.0
    cdef RankedBlock* ranks = rank_blocks(chances, words, n)
    for block in range(n):
        wanted += chances[block] * words[block]
    for block in range(n):
        hits += ranks[block].chance * ranks[block].words
        kept += ranks[block].words
        expected = 2 * hits / (kept + wanted)
        if expected > best:
            best, threshold = expected, ranks[block].chance
    PyMem_Free(ranks)
    return min(max(<double>limits.strictness * threshold, <double>limits.lowest), <double>limits.highest)


cdef double sum_in_pairs(const double* numbers, Py_ssize_t size) noexcept:
    """A sum in the order in which numpy adds up."""
    cdef double eight[8]
    cdef double total = 0.0
    cdef Py_ssize_t index, half
    if size > 128:
        half = size // 2
        half -= half % 8
        return sum_in_pairs(numbers, half) + sum_in_pairs(numbers + half, size - half)
    index = 0
    if size >= 8:
        for index in range(8):
            eight[index] = numbers[index]
        for index in range(8, size - size % 8):
            eight[index % 8] += numbers[index]
        total = ((eight[0] + eight[1]) + (eight[2] + eight[3])) + ((eight[4] + eight[5]) + (eight[6] + eight[7]))
    for index in range(size - size % 8, size):
        total += numbers[index]
    return total


cdef double expect_together(double kept, const double* wanted, double* hits, Py_ssize_t levels) noexcept:
    """The expected F1 of keeping so many words, if any of some numbers of words may be those that are wanted."""
    cdef Py_ssize_t level
    for level in range(levels):
        hits[level] = 2 * min(kept, wanted[level]) / (kept + wanted[level])
    return sum_in_pairs(hits, levels) / levels


def find_best_cut(list chances not None, list words not None, list levels not None, double together):
    """The chance of the last block to be kept, for the largest expected F1 of the page; only cuts at some levels of chances
    are compared. How much the blocks are taken together is given.
    """
    cdef Py_ssize_t n = len(chances), cuts = len(levels), block, cut, above = 0, best = 0
    cdef double total, expected, highest = -1.0, found
    cdef RankedBlock* ranks = NULL
    cdef double* numbers
    if n < 1 or len(words) != n or cuts < 1:
        raise ValueError("the chances are those of another page")
    # chances, words, what is kept up to each block, hits up to each block; of each cut the words above it and room to sum
    numbers = <double*>PyMem_Calloc(4 * n + 2 * cuts, sizeof(double))
    cdef Py_ssize_t* last = <Py_ssize_t*>PyMem_Calloc(cuts, sizeof(Py_ssize_t))
    cdef double* kept = numbers + 2 * n
    cdef double* hits = numbers + 3 * n
    cdef double* wanted = numbers + 4 * n
    try:
        if numbers is NULL or last is NULL:
            raise MemoryError
        for block in range(n):
            numbers[block], numbers[n + block] = chances[block], words[block]
        ranks = rank_blocks(numbers, numbers + n, n)
        for block in range(n):
            hits[block] = ranks[block].chance * ranks[block].words
            kept[block] = ranks[block].words
        total = sum_in_pairs(hits, n)
        for block in range(1, n):
            hits[block] += hits[block - 1]
            kept[block] += kept[block - 1]
        for cut in range(cuts - 1, -1, -1):  # the highest level first
            while above < n and ranks[above].chance > <double>levels[cut]:
                above += 1
            last[cut] = max(above, 1) - 1
            wanted[cut] = kept[last[cut]] if above > 0 else 0.0
        for cut in range(cuts):
            if cut and last[cut] == last[cut - 1]:
                continue  # the same cut
            block = last[cut]
            expected = together * expect_together(kept[block], wanted, wanted + cuts, cuts)
            expected += (1 - together) * (2 * hits[block] / (kept[block] + total))
            if expected > highest:
                highest, best = expected, block
        return ranks[best].chance
    finally:
        PyMem_Free(ranks)
        PyMem_Free(numbers)
        PyMem_Free(last)


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
        self._limit = find_single_cut(&chances[0], &words[0], n, limits)
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

    /* Of so many blocks, how many of the borders of a feature lie below its value. */
    static void count_borders(const double *values, int size, const float *borders, int count, unsigned char *bins)
    {
        int block, border;
        for (block = 0; block < size; block++) {
            const float single = (float)values[block];
            int below = 0;
            for (border = 0; border < count; border++) below += single > borders[border];
            bins[block] = (unsigned char)below;
        }
    }

    /* Add to the sum of each block its leaf in every tree, a bit of whose number is found a level. */
    static void add_leaves(const unsigned char *bins, const unsigned short *rows, const unsigned char *limits, int depth,
                           const short *leaves, int trees, int size, int *sums)
    {
        unsigned char places[AT_ONCE];
        int tree, level, block;
        for (tree = 0; tree < trees; tree++) {
            const short *own_leaves = leaves + ((size_t)tree << depth);
            for (block = 0; block < size; block++) places[block] = 0;
            for (level = 0; level < depth; level++) {
                const unsigned char *own = bins + rows[tree * depth + level] * AT_ONCE;
                const unsigned char limit = limits[tree * depth + level], bit = (unsigned char)(1 << level);
                for (block = 0; block < size; block++) places[block] |= own[block] > limit ? bit : 0;
            }
            for (block = 0; block < size; block++) sums[block] += own_leaves[places[block]];
        }
    }

    #if defined(__GNUC__) && defined(__x86_64__) && defined(__linux__)
    #include <immintrin.h>
    #define HAS_WIDE 1

    /* Of eight values in a row, as single numbers. */
    static inline __attribute__((target("avx2"), always_inline)) __m256 to_singles(const double *values)
    {
        return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(values + 4)), _mm256_cvtpd_ps(_mm256_loadu_pd(values)));
    }

    /* The same as above, 32 blocks at a time. */
    static __attribute__((target("avx2"))) void count_borders_wide(
        const double *values, int size, const float *borders, int count, unsigned char *bins)
    {
        int start, block, border;
        for (start = 0; start < size; start += 32) {
            double some[32];
            const double *own = values + start;
            __m256i below[4], low, high;
            __m256 singles[4];
            if (size - start < 32) {
                for (block = 0; block < 32; block++) some[block] = block < size - start ? own[block] : 0;
                own = some;
            }
            for (block = 0; block < 4; block++) {
                singles[block] = to_singles(own + 8 * block);
                below[block] = _mm256_setzero_si256();
            }
            for (border = 0; border < count; border++) {
                const __m256 limit = _mm256_set1_ps(borders[border]);
                for (block = 0; block < 4; block++)
                    below[block] = _mm256_sub_epi32(
                        below[block], _mm256_castps_si256(_mm256_cmp_ps(singles[block], limit, _CMP_GT_OQ)));
            }
            /* packing works in halves: put the quarters back in their order */
            low = _mm256_permute4x64_epi64(_mm256_packs_epi32(below[0], below[1]), 0xD8);
            high = _mm256_permute4x64_epi64(_mm256_packs_epi32(below[2], below[3]), 0xD8);
            _mm256_storeu_si256((__m256i *)(bins + start), _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), 0xD8));
        }
    }

    typedef struct { __m256i low, lower_half, high, higher_half; } Leaves;

    /* The 32 leaves of a tree of five levels as bytes: their lower and their higher ones, of the first 16 and the others. */
    static __attribute__((target("avx2"))) Leaves split_leaves(const short *leaves)
    {
        const __m256i bytes = _mm256_set1_epi16(255);
        const __m256i first = _mm256_loadu_si256((const __m256i *)leaves);
        const __m256i second = _mm256_loadu_si256((const __m256i *)(leaves + 16));
        /* packing works in halves: put the quarters back in their order */
        const __m256i low = _mm256_permute4x64_epi64(
            _mm256_packus_epi16(_mm256_and_si256(first, bytes), _mm256_and_si256(second, bytes)), 0xD8);
        const __m256i high = _mm256_permute4x64_epi64(
            _mm256_packus_epi16(_mm256_srli_epi16(first, 8), _mm256_srli_epi16(second, 8)), 0xD8);
        Leaves split;
        split.low = _mm256_permute2x128_si256(low, low, 0x00);
        split.lower_half = _mm256_permute2x128_si256(low, low, 0x11);
        split.high = _mm256_permute2x128_si256(high, high, 0x00);
        split.higher_half = _mm256_permute2x128_si256(high, high, 0x11);
        return split;
    }

    /* The leaves of 32 blocks in one tree, as 16-bit numbers: of blocks 0-7 and 16-23, and of the others. */
    static inline __attribute__((target("avx2"), always_inline)) void take_leaves(
        const unsigned char **own, const __m256i *limits, const Leaves *leaves, int start, __m256i *even, __m256i *odd)
    {
        #define PASSES(level) _mm256_cmpgt_epi8(_mm256_loadu_si256((const __m256i *)(own[level] + start)), limits[level])
        const __m256i place = _mm256_or_si256(
            _mm256_or_si256(_mm256_and_si256(PASSES(0), _mm256_set1_epi8(1)),
                            _mm256_and_si256(PASSES(1), _mm256_set1_epi8(2))),
            _mm256_or_si256(_mm256_and_si256(PASSES(2), _mm256_set1_epi8(4)),
                            _mm256_and_si256(PASSES(3), _mm256_set1_epi8(8))));
        const __m256i is_second = PASSES(4);
        const __m256i low = _mm256_blendv_epi8(_mm256_shuffle_epi8(leaves->low, place),
                                               _mm256_shuffle_epi8(leaves->lower_half, place), is_second);
        const __m256i high = _mm256_blendv_epi8(_mm256_shuffle_epi8(leaves->high, place),
                                                _mm256_shuffle_epi8(leaves->higher_half, place), is_second);
        *even = _mm256_unpacklo_epi8(low, high);
        *odd = _mm256_unpackhi_epi8(low, high);
        #undef PASSES
    }

    /* The same for an even number of trees of five levels, two trees and 32 blocks at a time. */
    static __attribute__((target("avx2"))) void add_leaves_wide(
        const unsigned char *bins, const unsigned short *rows, const unsigned char *limits, const short *leaves, int trees,
        int size, int *sums)
    {
        const __m256i ones = _mm256_set1_epi16(1);
        __m256i ordered[AT_ONCE / 8];  /* the sums of each 32 blocks: 0-3 and 16-19, 4-7 and 20-23, and so on */
        const int groups = (size + 31) / 32;
        int tree, level, group, part, block;
        for (group = 0; group < 4 * groups; group++) ordered[group] = _mm256_setzero_si256();
        for (tree = 0; tree < trees; tree += 2) {
            const unsigned char *own[10];
            __m256i own_limits[10];
            const Leaves one = split_leaves(leaves + 32 * (size_t)tree);
            const Leaves other = split_leaves(leaves + 32 * (size_t)(tree + 1));
            for (level = 0; level < 10; level++) {
                own[level] = bins + rows[tree * 5 + level] * AT_ONCE;
                own_limits[level] = _mm256_set1_epi8((char)limits[tree * 5 + level]);
            }
            for (group = 0; group < groups; group++) {
                __m256i even, odd, other_even, other_odd, *own_sums = ordered + 4 * group;
                take_leaves(own, own_limits, &one, 32 * group, &even, &odd);
                take_leaves(own + 5, own_limits + 5, &other, 32 * group, &other_even, &other_odd);
                #define ADD(part, pairs) own_sums[part] = _mm256_add_epi32(own_sums[part], _mm256_madd_epi16(pairs, ones))
                ADD(0, _mm256_unpacklo_epi16(even, other_even));
                ADD(1, _mm256_unpackhi_epi16(even, other_even));
                ADD(2, _mm256_unpacklo_epi16(odd, other_odd));
                ADD(3, _mm256_unpackhi_epi16(odd, other_odd));
                #undef ADD
            }
        }
        for (group = 0; group < groups; group++) {
            int found[32];
            for (part = 0; part < 4; part++) {
                int eight[8];
                _mm256_storeu_si256((__m256i *)eight, ordered[4 * group + part]);
                for (block = 0; block < 4; block++) {
                    found[4 * part + block] = eight[block];
                    found[16 + 4 * part + block] = eight[4 + block];
                }
            }
            for (block = 0; block < 32 && 32 * group + block < size; block++) sums[32 * group + block] += found[block];
        }
    }

    static int can_work_wide(void) { return __builtin_cpu_supports("avx2"); }
    #else
    #define count_borders_wide(values, size, borders, count, bins) ((void)0)
    #define add_leaves_wide(bins, rows, limits, leaves, trees, size, sums) ((void)0)
    static int can_work_wide(void) { return 0; }
    #endif
    """
    enum:
        AT_ONCE
    void count_borders(const double* values, int size, const float* borders, int count, unsigned char* bins) noexcept
    void count_borders_wide(const double* values, int size, const float* borders, int count, unsigned char* bins) noexcept
    void add_leaves(const unsigned char* bins, const unsigned short* rows, const unsigned char* limits, int depth,
                    const short* leaves, int trees, int size, int* sums) noexcept
    void add_leaves_wide(const unsigned char* bins, const unsigned short* rows, const unsigned char* limits,
                         const short* leaves, int trees, int size, int* sums) noexcept
    bint can_work_wide() noexcept

cdef enum:
    DEEPEST_TREE = 8  # levels
    MOST_BORDERS = 127  # of one feature


cdef class Forest:
    """Trees over the rows of a matrix.

    All borders of a feature are known, so a value is told by how many of them lie below it: a byte, of which a processor
    compares many at once.
    """

    cdef Py_ssize_t _depth, _trees, _rows
    cdef list _used  # features, by their rows of the matrix
    cdef int* _counts  # of the borders of each used feature
    cdef float* _borders  # MOST_BORDERS for each used feature
    cdef unsigned short* _splits  # of each level of each tree, which used feature it asks for
    cdef unsigned char* _limits  # and how many of its borders must lie below more than that
    cdef const short[::1] _leaves

    def __cinit__(self, const Py_ssize_t[:, ::1] features not None, const float[:, ::1] borders not None,
                  const short[::1] leaves not None):
        cdef Py_ssize_t level, tree, place
        cdef dict known = {}  # the borders of each feature
        self._depth, self._trees = features.shape[0], features.shape[1]
        if (borders.shape[0] != self._depth or borders.shape[1] != self._trees or self._depth > DEEPEST_TREE
                or leaves.shape[0] != self._trees << self._depth):
            raise ValueError("the trees do not fit together")
        self._leaves = leaves
        for level in range(self._depth):
            for tree in range(self._trees):
                if features[level, tree] < 0:
                    raise ValueError("a tree asks for a feature that is not there")
                known.setdefault(features[level, tree], set()).add(borders[level, tree])
        self._used = sorted(known)
        self._rows = max(self._used, default=-1) + 1
        self._counts = <int*>PyMem_Calloc(len(known) + 1, sizeof(int))
        self._borders = <float*>PyMem_Calloc(MOST_BORDERS * len(known) + 1, sizeof(float))
        self._splits = <unsigned short*>PyMem_Calloc(self._depth * self._trees + 1, sizeof(unsigned short))
        self._limits = <unsigned char*>PyMem_Calloc(self._depth * self._trees + 1, 1)
        if self._counts is NULL or self._borders is NULL or self._splits is NULL or self._limits is NULL:
            raise MemoryError
        self._number_borders(known)
        for tree in range(self._trees):
            for level in range(self._depth):
                place = self._used.index(features[level, tree])
                self._splits[tree * self._depth + level] = <unsigned short>place
                self._limits[tree * self._depth + level] = known[features[level, tree]][borders[level, tree]]

    def __dealloc__(self):
        PyMem_Free(self._counts)
        PyMem_Free(self._borders)
        PyMem_Free(self._splits)
        PyMem_Free(self._limits)

    cdef int _number_borders(self, dict known) except -1:
        """Put the borders of each feature in their order, and their numbers in place of the set of them."""
        cdef Py_ssize_t place, number
        cdef list ordered
        for place, feature in enumerate(self._used):
            ordered = sorted(known[feature])
            if len(ordered) > MOST_BORDERS or place > 0xFFFF:
                raise ValueError("trees ask for too many features or borders")
            self._counts[place] = <int>len(ordered)
            for number in range(len(ordered)):
                self._borders[place * MOST_BORDERS + number] = ordered[number]
            known[feature] = {border: number for number, border in enumerate(ordered)}
        return 0

    def sum_leaves(self, const double[:, ::1] rows not None, int[::1] sums not None):
        """Add to the sums, one a block, the leaf of every tree; `rows` has a row a feature and a column a block."""
        self._sum_leaves(rows, &sums[0], sums.shape[0])

    cdef int _sum_leaves(self, const double[:, ::1] rows, int* sums, Py_ssize_t blocks) except -1:
        cdef Py_ssize_t start, place, used = len(self._used)
        cdef int size
        cdef bint is_wide = can_work_wide()
        cdef Py_ssize_t* used_rows
        cdef unsigned char* bins
        if rows.shape[1] != blocks or rows.shape[0] < self._rows:
            raise ValueError("a tree asks for a feature that is not there, or there are other blocks")
        used_rows = <Py_ssize_t*>PyMem_Malloc((used + 1) * sizeof(Py_ssize_t))
        bins = <unsigned char*>PyMem_Malloc((used + 1) * AT_ONCE)
        try:
            if used_rows is NULL or bins is NULL:
                raise MemoryError
            for place in range(used):
                used_rows[place] = self._used[place]
            for start in range(0, blocks, AT_ONCE):
                size = <int>min(<Py_ssize_t>AT_ONCE, blocks - start)
                for place in range(used):
                    if is_wide:
                        count_borders_wide(&rows[used_rows[place], start], size, self._borders + place * MOST_BORDERS,
                                           self._counts[place], bins + place * AT_ONCE)
                    else:
                        count_borders(&rows[used_rows[place], start], size, self._borders + place * MOST_BORDERS,
                                      self._counts[place], bins + place * AT_ONCE)
                self._add_leaves(bins, &sums[start], size)
        finally:
            PyMem_Free(used_rows)
            PyMem_Free(bins)
        return 0

    cdef void _add_leaves(self, const unsigned char* bins, int* sums, int size) noexcept:
        cdef int depth = <int>self._depth, trees = <int>self._trees, done = 0
        if depth == 5 and trees >= 2 and can_work_wide():
            done = trees - trees % 2
            add_leaves_wide(bins, self._splits, self._limits, &self._leaves[0], done, size, sums)
        if done < trees:
            add_leaves(bins, self._splits + done * depth, self._limits + done * depth, depth,
                       &self._leaves[(<Py_ssize_t>done) << depth], trees - done, size, sums)

    def predict(self, const double[:, ::1] rows not None, double scale, double bias, double[::1] probabilities not None):
        """Write the probability of each block, for a matrix with a row per feature; leaves are divided by `scale`."""
        cdef Py_ssize_t block, blocks = probabilities.shape[0]
        cdef int* sums = <int*>PyMem_Calloc(blocks + 1, sizeof(int))
        if sums is NULL:
            raise MemoryError
        try:
            if blocks:
                self._sum_leaves(rows, sums, blocks)
            for block in range(blocks):
                probabilities[block] = 1.0 / (1.0 + exp(-(sums[block] / scale + bias)))
        finally:
            PyMem_Free(sums)
