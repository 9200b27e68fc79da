# cython: language_level=3
"""Words that are looked for in a style sheet, all of them in one pass. `rules.py` has the same in Python."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memset

cdef enum:
    SLOTS = 8192  # of hashes that a word that is looked for may have


cdef inline unsigned int add_byte(unsigned int hashed, unsigned char byte) noexcept:
    return (hashed ^ byte) * <unsigned int>16777619


def find_words(bytes css not None, bytes table not None, words not None):
    """Those of some words that a sheet holds as whole ones. `table` turns each of its bytes into what is compared, and
    what stands between words into blanks.
    """
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(css)
    cdef const unsigned char* kinds = <const unsigned char*>PyBytes_AS_STRING(table)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(css), place = 0, start
    cdef unsigned char is_hashed[SLOTS]
    cdef unsigned int hashed
    cdef bytes word
    cdef set found = set()
    if PyBytes_GET_SIZE(table) != 256:
        raise ValueError("the table tells nothing of some bytes")
    memset(is_hashed, 0, SLOTS)
    for word in words:
        hashed = 0
        for start in range(PyBytes_GET_SIZE(word)):
            hashed = add_byte(hashed, <unsigned char>PyBytes_AS_STRING(word)[start])
        is_hashed[hashed % SLOTS] = 1
    while place < size:
        if kinds[text[place]] == 32:
            place += 1
            continue
        start = place
        hashed = 0
        while place < size and kinds[text[place]] != 32:
            hashed = add_byte(hashed, kinds[text[place]])
            place += 1
        if is_hashed[hashed % SLOTS]:
            word = css[start:place].translate(table)
            if word in words:
                found.add(word)
    return found
