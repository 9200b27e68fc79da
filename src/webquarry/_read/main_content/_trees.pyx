# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Symmetric trees, evaluated for many blocks at once. `model.py` is the same in numpy.

Leaves are whole numbers, so that both come to the same sum in whatever order they are added.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.math cimport exp

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
    DEEPEST = 8  # levels
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
        if (borders.shape[0] != self._depth or borders.shape[1] != self._trees or self._depth > DEEPEST
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
