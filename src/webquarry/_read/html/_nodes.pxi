# Small questions about libxml2's nodes and their text. A `.pyx` that asks them includes this, below its own imports of
# lxml; nothing here makes a Python object, but for text beyond ASCII.

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_DecodeUTF8
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memmove, strcmp
from lxml.includes.tree cimport XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, xmlAttr, xmlNode

cdef extern from "Python.h":
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 highest)


cdef bint is_text(xmlNode* node) noexcept:
    return (node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE) and node.content is not NULL


cdef inline bint is_blank(unsigned char byte) noexcept:
    return byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31


cdef bint is_wide_blank(const unsigned char* text, Py_ssize_t left) noexcept:
    """Whether a character beyond ASCII that begins here may be white space; some others are taken for it, too."""
    if left >= 2 and text[0] == 0xC2:
        return text[1] == 0x85 or text[1] == 0xA0
    if left < 3:
        return False
    if text[0] == 0xE2:
        return (text[1] == 0x80 and (text[2] <= 0x8A or text[2] >= 0xA8)) or text[1] == 0x81
    return (text[0] == 0xE1 and text[1] == 0x9A) or (text[0] == 0xE3 and text[1] == 0x80 and text[2] == 0x80)


cdef enum:
    PLAIN, BLANK, BEYOND_ASCII, MAYBE_WIDE_BLANK  # kinds of bytes; the last ones begin white space beyond ASCII

cdef unsigned char BYTE_KINDS[256]


cdef void describe_bytes_of_text() noexcept:
    cdef int byte
    for byte in range(256):
        BYTE_KINDS[byte] = BEYOND_ASCII if byte >= 128 else BLANK if is_blank(<unsigned char>byte) else PLAIN
    BYTE_KINDS[0xC2] = BYTE_KINDS[0xE1] = BYTE_KINDS[0xE2] = BYTE_KINDS[0xE3] = MAYBE_WIDE_BLANK


describe_bytes_of_text()


cdef str make_ascii(const char* text, Py_ssize_t size):
    """A string of bytes that are known to be ASCII."""
    cdef str made = PyUnicode_New(size, 127)
    memcpy(PyUnicode_DATA(made), text, size)
    return made


cdef inline int skip_plain(const unsigned char* text) noexcept:
    """How many of eight bytes are ASCII with no white space but single blanks, seven or eight; 0 where there are others. A
    blank at the end is left to the next look.
    """
    cdef uint64_t eight, blanks
    memcpy(&eight, text, 8)
    if eight & 0x8080808080808080u or ~((eight & 0x7F7F7F7F7F7F7F7Fu) + 0x6060606060606060u) & 0x8080808080808080u:
        return 0
    blanks = eight ^ 0x2020202020202020u
    blanks = ~((blanks & 0x7F7F7F7F7F7F7F7Fu) + 0x7F7F7F7F7F7F7F7Fu | blanks) & 0x8080808080808080u
    if blanks & (blanks >> 8):
        return 0
    return 7 if blanks & 0x8000000000000080u else 8


cdef str fold(char* text, Py_ssize_t size):
    """A text in UTF-8 with one blank for all white space between words, and none around them; it is changed in place."""
    cdef Py_ssize_t index = 0, filled = 0, start, looked_at
    cdef const unsigned char* source = <const unsigned char*>text
    cdef unsigned char kind
    cdef int plain
    cdef bint is_ascii = True, has_wide_blank = False
    cdef str folded
    while size and is_blank(source[size - 1]):
        size -= 1
    while index < size:
        while is_blank(source[index]):  # the last byte is none
            index += 1
        if filled:
            text[filled] = 32
            filled += 1
        # up to white space that is more than one blank
        start = looked_at = index
        while index < size:
            if index >= looked_at and index + 8 <= size:
                plain = skip_plain(source + index)
                if plain:
                    index += plain
                    continue
                looked_at = index + 8
            kind = BYTE_KINDS[source[index]]
            if kind == BLANK and (source[index] != 32 or is_blank(source[index + 1])):
                break
            if kind >= BEYOND_ASCII:
                is_ascii = False
                if kind == MAYBE_WIDE_BLANK:
                    has_wide_blank |= is_wide_blank(source + index, size - index)
            index += 1
        if filled != start:
            memmove(text + filled, text + start, index - start)
        filled += index - start
    if is_ascii:
        return make_ascii(text, filled)
    folded = PyUnicode_DecodeUTF8(text, filled, NULL)
    return " ".join(folded.split()) if has_wide_blank else folded


cdef Py_ssize_t strip_length(const char* content, Py_ssize_t size) except -1:
    """How many characters a text has, without the blanks beyond ASCII at its edges."""
    cdef Py_ssize_t index
    for index in range(size):
        if <unsigned char>content[index] >= 128:
            return len(PyUnicode_DecodeUTF8(content, size, NULL).strip())
    return size


cdef inline bint is_called(xmlAttr* attribute, const char* name) noexcept:
    """Whether an attribute has a name; most do not even begin like it."""
    return (<const char*>attribute.name)[0] == name[0] and strcmp(<const char*>attribute.name, name) == 0


cdef inline xmlAttr* find_attribute(xmlNode* node, const char* name) noexcept:
    cdef xmlAttr* attribute = node.properties
    while attribute is not NULL and not is_called(attribute, name):
        attribute = attribute.next
    return attribute


cdef const char* plain_value(xmlAttr* attribute) noexcept:
    """The value of an attribute where it is one text; NULL where it is put together of several."""
    if attribute.children is NULL:
        return ""
    if attribute.children.next is not NULL or not is_text(attribute.children):
        return NULL
    return <const char*>attribute.children.content


cdef xmlNode* next_element(xmlNode* node, xmlNode* root) noexcept:
    """The element behind another one in the order of the page, NULL behind the last one in the root."""
    cdef xmlNode* found = node.children
    while True:
        while found is not NULL:
            if found.type == XML_ELEMENT_NODE:
                return found
            found = found.next
        if node == root:
            return NULL
        found, node = node.next, node.parent
