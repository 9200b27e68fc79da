# cython: language_level=3, boundscheck=False, wraparound=False
"""Symmetric trees and a small net, evaluated for many blocks at once. `model.py` is the same in numpy.

Leaves are added in the order of the trees, so that both come to the same sum to the last bit.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.math cimport exp, log
from libc.string cimport memset

cdef extern from *:
    """
    /* Loops over numbers are compiled twice, and the wider one runs where the processor can. None of the two multiplies
       and adds in one step, so that both come to the same. */
    #if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
    #define TWICE __attribute__((target_clones("avx2", "default")))
    #else
    #define TWICE
    #endif
    enum { AT_ONCE = 256, TILE = 32 };

    /* Of so many blocks, how many of the borders of a feature lie below its value. */
    static TWICE void count_borders(const double *values, int size, const float *borders, int count, unsigned char *bins)
    {
        float singles[AT_ONCE];
        int below[AT_ONCE];
        int block, border;
        for (block = 0; block < size; block++) singles[block] = (float)values[block];
        for (block = 0; block < size; block++) below[block] = 0;
        for (border = 0; border < count; border++) {
            const float limit = borders[border];
            for (block = 0; block < size; block++) below[block] += singles[block] > limit;
        }
        for (block = 0; block < size; block++) bins[block] = (unsigned char)below[block];
    }

    /* The leaf of each block in one tree: a bit a level. More blocks may be looked at than there are. */
    static TWICE void find_places(const unsigned char *bins, const unsigned short *rows, const unsigned char *limits,
                                  int depth, int size, unsigned char *places)
    {
        int block, level;
        const int end = (size + TILE - 1) / TILE * TILE;
        if (depth == 5) {  /* as ours are: spelled out, they are looked at together */
            const unsigned char *one = bins + rows[0] * AT_ONCE, *two = bins + rows[1] * AT_ONCE;
            const unsigned char *three = bins + rows[2] * AT_ONCE, *four = bins + rows[3] * AT_ONCE;
            const unsigned char *five = bins + rows[4] * AT_ONCE;
            const unsigned char a = limits[0], b = limits[1], c = limits[2], d = limits[3], e = limits[4];
            for (block = 0; block < end; block++)
                places[block] = (one[block] > a ? 1 : 0) | (two[block] > b ? 2 : 0) | (three[block] > c ? 4 : 0)
                    | (four[block] > d ? 8 : 0) | (five[block] > e ? 16 : 0);
            return;
        }
        for (block = 0; block < end; block++) places[block] = 0;
        for (level = 0; level < depth; level++) {
            const unsigned char *own = bins + rows[level] * AT_ONCE;
            const unsigned char limit = limits[level], bit = (unsigned char)(1 << level);
            for (block = 0; block < end; block++) places[block] |= own[block] > limit ? bit : 0;
        }
    }

    /* Distances from what is usual, none of them far away. */
    static TWICE void scale_input(const double *values, int size, float middle, float scale, int is_wide, float farthest,
                                  float *scaled)
    {
        int block;
        for (block = 0; block < size; block++) scaled[block] = ((float)values[block] - middle) / scale;
        if (is_wide)
            for (block = 0; block < size; block++)
                scaled[block] *= 2 / (1 + (scaled[block] < 0 ? -scaled[block] : scaled[block]));
        for (block = 0; block < size; block++) {
            scaled[block] = scaled[block] < -farthest ? -farthest : scaled[block];
            scaled[block] = scaled[block] > farthest ? farthest : scaled[block];
        }
    }

    /* Add to the sum of each of TILE blocks its inputs, each times its weight, in their order. */
    static TWICE void add_inputs(const float *inputs, const float *weights, int count, float *sums)
    {
        float own[TILE];
        int number, block;
        for (block = 0; block < TILE; block++) own[block] = sums[block];
        for (number = 0; number < count; number++) {
            const float weight = weights[number];
            const float *input = inputs + number * TILE;
            for (block = 0; block < TILE; block++) own[block] += weight * input[block];
        }
        for (block = 0; block < TILE; block++) sums[block] = own[block];
    }

    /* What a unit of the net says of TILE blocks. */
    static TWICE void bend_sums(float *sums, float output)
    {
        int block;
        for (block = 0; block < TILE; block++)
            sums[block] = output * (sums[block] / (1 + (sums[block] < 0 ? -sums[block] : sums[block])));
    }
    """
    enum:
        AT_ONCE
        TILE
    void count_borders(const double* values, int size, const float* borders, int count, unsigned char* bins) noexcept
    void find_places(const unsigned char* bins, const unsigned short* rows, const unsigned char* limits, int depth, int size,
                     unsigned char* places) noexcept
    void scale_input(const double* values, int size, float middle, float scale, int is_wide, float farthest,
                     float* scaled) noexcept
    void add_inputs(const float* inputs, const float* weights, int count, float* sums) noexcept
    void bend_sums(float* sums, float output) noexcept

cdef enum:
    DEEPEST = 8  # levels
    MOST_BORDERS = 255  # of one feature


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
    cdef const float[::1] _leaves

    def __cinit__(self, const Py_ssize_t[:, ::1] features not None, const float[:, ::1] borders not None,
                  const float[::1] leaves not None):
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

    def sum_leaves(self, const double[:, ::1] rows not None, double[::1] total not None):
        """Add to `total`, an entry a block, the leaf of every tree; `rows` has a row a feature and a column a block."""
        cdef Py_ssize_t blocks = rows.shape[1], start, place, used = len(self._used)
        cdef int size
        cdef Py_ssize_t* used_rows
        cdef unsigned char* bins
        if total.shape[0] != blocks or rows.shape[0] < self._rows:
            raise ValueError("a tree asks for a feature that is not there, or there are other blocks")
        used_rows = <Py_ssize_t*>PyMem_Malloc((used + 1) * sizeof(Py_ssize_t))
        bins = <unsigned char*>PyMem_Calloc(used + 1, AT_ONCE)
        try:
            if used_rows is NULL or bins is NULL:
                raise MemoryError
            for place in range(used):
                used_rows[place] = self._used[place]
            for start in range(0, blocks, AT_ONCE):
                size = <int>min(<Py_ssize_t>AT_ONCE, blocks - start)
                for place in range(used):
                    count_borders(&rows[used_rows[place], start], size, self._borders + place * MOST_BORDERS,
                                  self._counts[place], bins + place * AT_ONCE)
                self._add_leaves(bins, &total[start], size)
        finally:
            PyMem_Free(used_rows)
            PyMem_Free(bins)

    cdef void _add_leaves(self, const unsigned char* bins, double* total, int size) noexcept:
        """Two trees at a time, so that a sum is written half as often."""
        cdef Py_ssize_t tree, depth = self._depth
        cdef int block
        cdef unsigned char one[AT_ONCE]
        cdef unsigned char other[AT_ONCE]
        cdef const float* leaves
        cdef const float* others
        for tree in range(0, self._trees - 1, 2):
            find_places(bins, self._splits + tree * depth, self._limits + tree * depth, <int>depth, size, one)
            find_places(bins, self._splits + (tree + 1) * depth, self._limits + (tree + 1) * depth, <int>depth, size,
                        other)
            leaves = &self._leaves[tree << depth]
            others = leaves + (<Py_ssize_t>1 << depth)
            for block in range(size):
                total[block] = (total[block] + leaves[one[block]]) + others[other[block]]
        if self._trees % 2:
            tree = self._trees - 1
            find_places(bins, self._splits + tree * depth, self._limits + tree * depth, <int>depth, size, one)
            leaves = &self._leaves[tree << depth]
            for block in range(size):
                total[block] += leaves[one[block]]

    def find_chances(self, const double[:, ::1] rows not None, double bias, double[::1] chances not None):
        """The chance of each block, for a matrix with a row a feature."""
        cdef Py_ssize_t block
        for block in range(chances.shape[0]):
            chances[block] = 0.0
        self.sum_leaves(rows, chances)
        for block in range(chances.shape[0]):
            chances[block] = 1.0 / (1.0 + exp(-(chances[block] + bias)))


def blend_chances(const double[::1] first not None, const double[::1] second not None, const double[::1] net not None,
                  double second_share, double net_share, double sure, double[::1] both not None):
    """All opinions as one: the mean of the log odds of both sets of trees, and what the net adds to it."""
    cdef Py_ssize_t block, blocks = first.shape[0]
    cdef double one, other
    if second.shape[0] != blocks or net.shape[0] != blocks or both.shape[0] != blocks:
        raise ValueError("the chances are those of different pages")
    for block in range(blocks):
        one = min(max(first[block], sure), 1 - sure)
        other = min(max(second[block], sure), 1 - sure)
        one = (1 - second_share) * log(one / (1 - one)) + second_share * log(other / (1 - other))
        both[block] = 1.0 / (1.0 + exp(-(one + net_share * net[block])))


cdef class Layers:
    """A hidden layer and a straight sum."""

    cdef Py_ssize_t _units, _count, _wide
    cdef float _farthest
    cdef const float[::1] _middle, _scale, _offsets, _outputs, _straight
    cdef const float[:, ::1] _weights

    def __cinit__(self, const float[::1] middle not None, const float[::1] scale not None,
                  const float[:, ::1] weights not None, const float[::1] offsets not None,
                  const float[::1] outputs not None, const float[::1] straight not None, Py_ssize_t wide, float farthest):
        self._units, self._count, self._wide, self._farthest = weights.shape[0], weights.shape[1], wide, farthest
        self._middle, self._scale, self._weights = middle, scale, weights
        self._offsets, self._outputs, self._straight = offsets, outputs, straight
        if (not self._count or middle.shape[0] != self._count or scale.shape[0] != self._count
                or straight.shape[0] != self._count or offsets.shape[0] != self._units
                or outputs.shape[0] != self._units):
            raise ValueError("the parts of the net do not fit together")

    def judge(self, const double[:, ::1] matrix not None, const double[:, ::1] context not None, list rows not None,
              double bias, double[::1] total not None):
        """What the net says of each block. `rows` are those of its inputs; behind the rows of the matrix those of the
        context are counted.
        """
        cdef Py_ssize_t blocks = matrix.shape[1], height = matrix.shape[0], start, number, row
        cdef int size
        cdef const double** sources
        cdef float* inputs
        if context.shape[1] != blocks or total.shape[0] != blocks or len(rows) != self._count:
            raise ValueError("the net is asked about other inputs or blocks")
        sources = <const double**>PyMem_Malloc(self._count * sizeof(void*))
        inputs = <float*>PyMem_Calloc(self._count * TILE, sizeof(float))
        try:
            if sources is NULL or inputs is NULL:
                raise MemoryError
            for number in range(self._count):
                row = rows[number]
                if not 0 <= row < height + context.shape[0]:
                    raise ValueError("the net asks for an input that is not there")
                if blocks:
                    sources[number] = &matrix[row, 0] if row < height else &context[row - height, 0]
            for start in range(0, blocks, TILE):
                size = <int>min(<Py_ssize_t>TILE, blocks - start)
                for number in range(self._count):
                    scale_input(sources[number] + start, size, self._middle[number], self._scale[number],
                                number < self._wide, self._farthest, inputs + number * TILE)
                self._judge_tile(inputs, bias, &total[start], size)
        finally:
            PyMem_Free(sources)
            PyMem_Free(inputs)

    cdef void _judge_tile(self, const float* inputs, double bias, double* total, int size) noexcept:
        cdef Py_ssize_t unit
        cdef int block
        cdef float sums[TILE]
        for block in range(size):
            total[block] = 0.0
        for unit in range(self._units):
            for block in range(TILE):
                sums[block] = self._offsets[unit]
            add_inputs(inputs, &self._weights[unit, 0], <int>self._count, sums)
            bend_sums(sums, self._outputs[unit])
            for block in range(size):
                total[block] += sums[block]
        memset(sums, 0, sizeof(sums))
        add_inputs(inputs, &self._straight[0], <int>self._count, sums)
        for block in range(size):
            total[block] = (total[block] + sums[block]) + bias
