# cython: language_level=3, boundscheck=False, wraparound=False
"""Symmetric trees and a small net, evaluated for many blocks at once. `model.py` is the same in numpy.

Leaves are added in the order of the trees, so that both come to the same sum to the last bit.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport exp, fabsf, log


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


cdef void add_inputs(const float* inputs, Py_ssize_t step, const float* weights, Py_ssize_t count, float* sums,
                     Py_ssize_t size) noexcept:
    """Add to the sum of each block its inputs, each times its weight; those of an input stand `step` behind those of the last.

    Four inputs at a time, spelled out for the compiler, which then takes several blocks at once.
    """
    cdef Py_ssize_t number = 0, block
    cdef const float* one
    cdef const float* two
    cdef const float* three
    cdef const float* four
    cdef float first, second, third, fourth
    while number + 4 <= count:
        one = inputs + number * step
        two = one + step
        three = two + step
        four = three + step
        first, second, third, fourth = weights[number], weights[number + 1], weights[number + 2], weights[number + 3]
        for block in range(size):
            sums[block] = (((sums[block] + first * one[block]) + second * two[block]) + third * three[block]) + fourth * four[block]
        number += 4
    while number < count:
        one = inputs + number * step
        first = weights[number]
        for block in range(size):
            sums[block] += first * one[block]
        number += 1


def sum_of_units(
    const float[:, ::1] inputs,
    const float[:, ::1] weights,
    const float[::1] offsets,
    const float[::1] outputs,
    const float[::1] straight,
    double[::1] total,
):
    """Add to `total`, an entry a block, what a net says without its bias; `inputs` has a column a block."""
    cdef Py_ssize_t units = weights.shape[0], count = weights.shape[1], blocks = inputs.shape[1]
    cdef Py_ssize_t start, size, unit, block
    cdef float sums[AT_ONCE]
    cdef float output
    if (inputs.shape[0] != count or straight.shape[0] != count or offsets.shape[0] != units
            or outputs.shape[0] != units or total.shape[0] != blocks or not count):
        raise ValueError("the parts of the net do not fit together")
    for start in range(0, blocks, AT_ONCE):
        size = min(<Py_ssize_t>AT_ONCE, blocks - start)
        for unit in range(units):
            for block in range(size):
                sums[block] = offsets[unit]
            add_inputs(&inputs[0, start], blocks, &weights[unit, 0], count, sums, size)
            output = outputs[unit]
            for block in range(size):
                sums[block] = output * (sums[block] / (1 + fabsf(sums[block])))
            for block in range(size):
                total[start + block] += sums[block]
        for block in range(size):
            sums[block] = 0
        add_inputs(&inputs[0, start], blocks, &straight[0], count, sums, size)
        for block in range(size):
            total[start + block] += sums[block]
