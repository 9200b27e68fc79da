# Small questions about libxml2's nodes and their text. A `.pyx` that asks them includes this, below its own imports of
# lxml; nothing here makes a Python object, but for text beyond ASCII.

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport strcmp
from lxml.includes.tree cimport XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, xmlAttr, xmlNode


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


cdef str fold(char* text, Py_ssize_t size):
    """A text in UTF-8 with one blank for all white space between words, and none around them; it is changed in place."""
    cdef Py_ssize_t index, filled = 0
    cdef unsigned char byte
    cdef bint pending = False, is_ascii = True, has_wide_blank = False
    cdef str folded
    for index in range(size):
        byte = <unsigned char>text[index]
        if is_blank(byte):
            pending = filled > 0
            continue
        if byte >= 0xC2:
            is_ascii = False
            has_wide_blank |= is_wide_blank(<unsigned char*>text + index, size - index)
        if pending:
            text[filled] = 32
            filled += 1
            pending = False
        text[filled] = <char>byte
        filled += 1
    if is_ascii:
        return text[:filled].decode("ascii")
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
