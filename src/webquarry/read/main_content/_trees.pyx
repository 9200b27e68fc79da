# cython: language_level=3, boundscheck=False, wraparound=False
"""Symmetric trees, evaluated block by block: the sum of the leaves that each block falls into. `model.py` is the same in numpy.

Leaves are added in the order of the trees, so that both come to the same sum to the last bit.
"""

from libc.string cimport memset

cdef enum:
    AT_ONCE = 512  # blocks, whose leaves stay near the processor


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
    cdef unsigned char places[AT_ONCE]
    cdef const float* row
    cdef const float* own
    cdef float border
    if (borders.shape[0] != depth or borders.shape[1] != trees or leaves.shape[0] != trees << depth or depth > 8
            or total.shape[0] != blocks):
        raise ValueError("the trees do not fit together")
    for tree in range(trees):
        for level in range(depth):
            if not 0 <= features[level, tree] < matrix.shape[0]:
                raise ValueError("a tree asks for a feature that is not there")
    for start in range(0, blocks, AT_ONCE):
        size = min(<Py_ssize_t>AT_ONCE, blocks - start)
        for tree in range(trees):
            memset(places, 0, size)
            for level in range(depth - 1, -1, -1):
                row = &matrix[features[level, tree], start]
                border = borders[level, tree]
                for block in range(size):
                    places[block] = <unsigned char>((places[block] << 1) | (row[block] > border))
            own = &leaves[tree << depth]
            for block in range(size):
                total[start + block] += own[places[block]]
