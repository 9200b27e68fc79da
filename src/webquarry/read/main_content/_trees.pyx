# cython: language_level=3, boundscheck=False, wraparound=False
"""Symmetric trees, evaluated block by block: the sum of the leaves that each block falls into. `model.py` is the same in numpy.

Leaves are added in the order of the trees, so that both come to the same sum to the last bit.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport exp, log

cdef enum:
    AT_ONCE = 512  # blocks, whose leaves stay near the processor
    DEEPEST = 8  # levels


cdef void find_places(const float** rows, const float* limits, int* places, Py_ssize_t depth, Py_ssize_t size) noexcept:
    """The leaf of each block in one tree: a bit a level."""
    cdef Py_ssize_t block, level
    cdef int place
    for block in range(size):
        place = 0
        for level in range(depth):
            place |= <int>(rows[level][block] > limits[level]) << level
        places[block] = place


cdef void find_places_in_five(const float** rows, const float* limits, int* places, Py_ssize_t size) noexcept:
    """The same for trees of five levels, as ours are: spelled out, the compiler takes several blocks at once."""
    cdef Py_ssize_t block
    cdef const float* one = rows[0]
    cdef const float* two = rows[1]
    cdef const float* three = rows[2]
    cdef const float* four = rows[3]
    cdef const float* five = rows[4]
    cdef float first = limits[0], second = limits[1], third = limits[2], fourth = limits[3], fifth = limits[4]
    for block in range(size):
        places[block] = (
            <int>(one[block] > first) | (<int>(two[block] > second) << 1) | (<int>(three[block] > third) << 2)
            | (<int>(four[block] > fourth) << 3) | (<int>(five[block] > fifth) << 4)
        )


def sum_of_leaves(
    const float[:, ::1] matrix,
    const Py_ssize_t[:, ::1] features,
    const float[:, ::1] borders,
    const float[::1] leaves,
    double[::1] total,
):
    """Add to `total`, an entry a block, the leaf of every tree; `matrix` has a row a feature and a column a block."""
    cdef Py_ssize_t depth = features.shape[0], trees = features.shape[1], blocks = matrix.shape[1]
    cdef Py_ssize_t start, size, tree, level, block
    cdef int places[AT_ONCE]
    cdef const float* rows[DEEPEST]
    cdef float limits[DEEPEST]
    cdef const float* own
    if (borders.shape[0] != depth or borders.shape[1] != trees or leaves.shape[0] != trees << depth or depth > DEEPEST
            or total.shape[0] != blocks):
        raise ValueError("the trees do not fit together")
    for tree in range(trees):
        for level in range(depth):
            if not 0 <= features[level, tree] < matrix.shape[0]:
                raise ValueError("a tree asks for a feature that is not there")
    for start in range(0, blocks, AT_ONCE):
        size = min(<Py_ssize_t>AT_ONCE, blocks - start)
        for tree in range(trees):
            for level in range(depth):
                rows[level] = &matrix[features[level, tree], start]
                limits[level] = borders[level, tree]
            if depth == 5:
                find_places_in_five(rows, limits, places, size)
            else:
                find_places(rows, limits, places, depth, size)
            own = &leaves[tree << depth]
            for block in range(size):
                total[start + block] += own[places[block]]


def find_chances(double[:, ::1] rows not None, const Py_ssize_t[:, ::1] features not None,
                 const float[:, ::1] borders not None, const float[::1] leaves not None, double bias,
                 double[::1] chances not None):
    """The chance of each block, for a matrix with a row a feature."""
    cdef Py_ssize_t height = rows.shape[0], blocks = rows.shape[1], row, block
    cdef float* singles
    if height < 1 or blocks < 1 or chances.shape[0] != blocks:
        raise ValueError("there are no blocks, or others")
    singles = <float*>PyMem_Malloc(height * blocks * sizeof(float))
    if singles is NULL:
        raise MemoryError
    try:
        for row in range(height):
            for block in range(blocks):
                singles[row * blocks + block] = <float>rows[row, block]
        for block in range(blocks):
            chances[block] = 0.0
        sum_of_leaves(<float[:height, :blocks]>singles, features, borders, leaves, chances)
    finally:
        PyMem_Free(singles)
    for block in range(blocks):
        chances[block] = 1.0 / (1.0 + exp(-(chances[block] + bias)))


def blend_chances(const double[::1] first not None, const double[::1] second not None, double second_share, double sure,
                  double[::1] both not None):
    """Both opinions as one: the mean of their log odds."""
    cdef Py_ssize_t block, blocks = first.shape[0]
    cdef double one, other
    if second.shape[0] != blocks or both.shape[0] != blocks:
        raise ValueError("the chances are those of different pages")
    for block in range(blocks):
        one = min(max(first[block], sure), 1 - sure)
        other = min(max(second[block], sure), 1 - sure)
        one = (1 - second_share) * log(one / (1 - one)) + second_share * log(other / (1 - other))
        both[block] = 1.0 / (1.0 + exp(-one))
