# cython: language_level=3, boundscheck=False, wraparound=False
"""What elements inherit and which of them look alike, element by element. `boxes.py` is the same in numpy.

Parents stand before their children in the table, so one pass hands everything down.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int32_t, uint64_t

cdef enum:
    PARENT, FIRST, LAST, FLAGS, LEVEL, TAG, UNIT, SIBLINGS, CLUSTER, DEEP  # as in boxes.py

cdef enum:
    OWN, LOWEST, HIGHEST

cdef enum:
    MOST_BOXES = 1000000000


cdef struct Entry:
    int32_t one
    int32_t other
    int32_t number  # counted from 1; 0 is no entry


cdef struct Pairs:
    Entry* entries
    size_t mask
    int32_t count


cdef Py_ssize_t number_of(Pairs* pairs, int32_t one, int32_t other) noexcept:
    """A small number for a pair, the same for the same."""
    cdef uint64_t hashed = (<uint64_t>one * 0x9E3779B97F4A7C15u) ^ (<uint64_t>other * 0xC2B2AE3D27D4EB4Fu)
    cdef size_t place = (hashed ^ (hashed >> 29)) & pairs.mask
    cdef Entry* entry = &pairs.entries[place]
    while entry.number:
        if entry.one == one and entry.other == other:
            return entry.number - 1
        place = (place + 1) & pairs.mask
        entry = &pairs.entries[place]
    pairs.count += 1
    entry.one, entry.other, entry.number = one, other, pairs.count
    return pairs.count - 1


def fill_table(Py_ssize_t[:, ::1] table not None, list parents not None, list first not None, list last not None,
               list flags not None, list levels not None):
    """Fill the rows PARENT to LEVEL of the table with what a flow knows of its elements."""
    cdef Py_ssize_t box, size = len(parents)
    if table.shape[0] <= LEVEL or not table.shape[1] == size == len(first) == len(last) == len(flags) == len(levels):
        raise ValueError("the rows do not fit together")
    for box in range(size):
        table[PARENT, box], table[FIRST, box], table[LAST, box] = parents[box], first[box], last[box]
        table[FLAGS, box], table[LEVEL, box] = flags[box], levels[box]


def link_boxes(Py_ssize_t[:, ::1] table, const Py_ssize_t[::1] kind, double[:, ::1] names, Py_ssize_t repeats):
    """Fill the rows UNIT to DEEP of the table, and LOWEST and HIGHEST of the names with those around."""
    cdef Py_ssize_t size = table.shape[1], room = 64, box, parent, outer
    cdef Pairs pairs[3]  # siblings alike, clusters, deep clusters
    cdef Py_ssize_t* counts = NULL
    cdef int which
    if table.shape[0] <= DEEP or kind.shape[0] != size or names.shape[0] <= HIGHEST or names.shape[1] != size:
        raise ValueError("the rows do not fit together")
    if size > MOST_BOXES:
        raise ValueError("there are too many elements")
    while room < 2 * size:
        room *= 2
    for which in range(3):
        pairs[which].mask, pairs[which].count = room - 1, 0
        pairs[which].entries = <Entry*>PyMem_Calloc(room, sizeof(Entry))
    counts = <Py_ssize_t*>PyMem_Calloc(size + 1, sizeof(Py_ssize_t))
    try:
        if pairs[0].entries is NULL or pairs[1].entries is NULL or pairs[2].entries is NULL or counts is NULL:
            raise MemoryError
        for box in range(size):
            parent = table[PARENT, box]
            if not -1 <= parent < max(box, 1):
                raise ValueError("a parent stands behind its child")
            outer = number_of(&pairs[0], <int32_t>parent, <int32_t>kind[box])
            table[SIBLINGS, box] = outer
            counts[outer] += 1
            table[CLUSTER, box] = number_of(&pairs[1], <int32_t>kind[box], <int32_t>kind[parent] if parent >= 0 else -1)
            outer = table[CLUSTER, parent] if parent >= 0 else -1
            table[DEEP, box] = number_of(&pairs[2], <int32_t>table[CLUSTER, box], <int32_t>outer)
        for box in range(size):
            table[SIBLINGS, box] = counts[table[SIBLINGS, box]]
            parent = max(table[PARENT, box], 0)
            table[UNIT, box] = box if table[SIBLINGS, box] >= repeats else -1
            if box:
                table[UNIT, box] = max(table[UNIT, box], table[UNIT, parent])
                names[LOWEST, box] = min(names[LOWEST, box], names[LOWEST, parent])
                names[HIGHEST, box] = max(names[HIGHEST, box], names[HIGHEST, parent])
    finally:
        for which in range(3):
            PyMem_Free(pairs[which].entries)
        PyMem_Free(counts)
