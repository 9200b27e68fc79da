# cython: language_level=3, boundscheck=False, wraparound=False
"""Whether bytes are UTF-8, without making text of them, and how many no text holds. `utf8.py` is the same in Python."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.string cimport memcpy


cdef int length_of_character(const unsigned char* text, Py_ssize_t left) noexcept:
    """How many bytes the character has that begins here; 0 if none does. Each has one way to be written, the shortest, and
    the halves of pairs of UTF-16 are none.
    """
    cdef unsigned char lead = text[0], second
    cdef int length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    cdef int index
    if lead < 0x80:
        return 1
    if lead < 0xC2 or lead > 0xF4 or left < length:
        return 0
    for index in range(1, length):
        if text[index] & 0xC0 != 0x80:
            return 0
    second = text[1]
    if lead == 0xE0 and second < 0xA0 or lead == 0xED and second > 0x9F:
        return 0
    if lead == 0xF0 and second < 0x90 or lead == 0xF4 and second > 0x8F:
        return 0
    return length


def is_utf8(bytes body not None):
    """Whether bytes are UTF-8 to the last."""
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(body)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(body), place = 0
    cdef uint64_t eight
    cdef uint64_t four_times[4]
    cdef int length
    while place < size:
        if place + 32 <= size:  # most of a page is ASCII
            memcpy(four_times, text + place, 32)
            if not (four_times[0] | four_times[1] | four_times[2] | four_times[3]) & 0x8080808080808080u:
                place += 32
                continue
        if place + 8 <= size:
            memcpy(&eight, text + place, 8)
            if not eight & 0x8080808080808080u:
                place += 8
                continue
        length = length_of_character(text + place, size - place)
        if not length:
            return False
        place += length
    return True


def count_controls(bytes data not None):
    """How many bytes are control characters that no text holds: neither blanks nor the escapes of Japanese encodings."""
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data), place, controls = 0
    cdef unsigned char byte
    for place in range(size):
        byte = text[place]
        # without a branch, so that many bytes are looked at in one step
        controls += (byte < 9) | (byte == 11) | (<unsigned char>(byte - 14) < 13) | (<unsigned char>(byte - 28) < 4)
    return controls
