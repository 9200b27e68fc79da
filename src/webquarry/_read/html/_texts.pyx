# cython: language_level=3
"""Text lengths, attributes, tags and table cells of elements, read from the nodes of libxml2.

Only the elements and texts that are returned, and texts with non-ASCII characters, become Python objects.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memset, strcmp, strlen, strstr
from lxml.includes.etreepublic cimport _Element, elementFactory, import_lxml__etree
from lxml.includes.tree cimport XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, xmlAttr, xmlChar, xmlNode

import_lxml__etree()

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8(object text) except NULL

cdef enum:
    MAX_NAMES = 8  # tags in one search
    SLOTS = 256  # of the cache of attribute names


cdef inline bint is_text(xmlNode* node) noexcept:
    return node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE


cdef inline bint is_blank(unsigned char byte) noexcept:
    return byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31


cdef xmlNode* next_node(xmlNode* node, xmlNode* root) noexcept:
    """Return the next node in document order, NULL after the last one in the root."""
    if node.type == XML_ELEMENT_NODE and node.children is not NULL:
        return node.children
    while node is not root:
        if node.next is not NULL:
            return node.next
        node = node.parent
    return NULL


cdef bytes join_texts(xmlNode* node):
    """Return the content of adjacent text nodes."""
    cdef list contents = []
    while node is not NULL and is_text(node):
        if node.content is not NULL:
            contents.append(<bytes>(<const char*>node.content))
        node = node.next
    return b"".join(contents)


cdef Py_ssize_t strip_length(const char* content, Py_ssize_t size) except -1:
    """Return the number of characters of a text without whitespace at its ends."""
    cdef Py_ssize_t start = 0, index
    while start < size and is_blank(<unsigned char>content[start]):
        start += 1
    while size > start and is_blank(<unsigned char>content[size - 1]):
        size -= 1
    for index in range(start, size):
        if <unsigned char>content[index] >= 128:
            return len(PyUnicode_DecodeUTF8(content + start, size - start, NULL).strip())
    return size - start


cdef Py_ssize_t measure(xmlNode* node) except -1:
    """Return the length of the text that starts at a node."""
    cdef bytes joined
    if node.next is not NULL and is_text(node.next):
        joined = join_texts(node)
        return strip_length(joined, len(joined))
    if node.content is NULL:
        return 0
    return strip_length(<const char*>node.content, strlen(<const char*>node.content))


cdef inline bint starts_text(xmlNode* node) noexcept:
    """Return whether a node is the first of adjacent text nodes."""
    return is_text(node) and (node.prev is NULL or not is_text(node.prev))


def has_text(_Element element not None):
    """Return whether an element has text other than whitespace."""
    cdef xmlNode* root = element._c_node
    cdef xmlNode* node = next_node(root, root)
    while node is not NULL:
        if starts_text(node) and measure(node):
            return True
        node = next_node(node, root)
    return False


def length_up_to(_Element element not None, Py_ssize_t limit):
    """Return the length of the text in an element without whitespace at the ends of its text nodes; stop counting at the limit."""
    cdef xmlNode* root = element._c_node
    cdef xmlNode* node = next_node(root, root)
    cdef Py_ssize_t length = 0, pieces = 0
    while node is not NULL and pieces < limit:
        if starts_text(node):
            pieces += 1
            length += measure(node)
            if length >= limit:
                break
        node = next_node(node, root)
    return length


cdef str beginning_of_text(xmlNode* node, Py_ssize_t longest):
    """Return the first characters of the text that starts at a node."""
    cdef bytes joined
    cdef const char* content = <const char*>node.content
    cdef Py_ssize_t size
    if node.next is not NULL and is_text(node.next):
        joined = join_texts(node)
        content = joined
        size = len(joined)
    elif content is NULL:
        return ""
    else:
        size = strlen(content)
    # a character has at most four bytes
    return PyUnicode_DecodeUTF8(content, min(size, 4 * longest), "ignore")[:longest]


def first_texts(_Element element not None, Py_ssize_t most, Py_ssize_t longest):
    """Return the first texts in an element, at most `most` of them and `longest` characters in total."""
    cdef xmlNode* root = element._c_node
    cdef xmlNode* node = next_node(root, root)
    cdef list found = []
    cdef str text
    while node is not NULL and len(found) < most and longest > 0:
        if starts_text(node):
            text = beginning_of_text(node, longest)
            found.append(text)
            longest -= len(text)
        node = next_node(node, root)
    return found


def length_outside(_Element element not None, tags):
    """Return the length of the text in an element, without the text before the first child of elements with these tags."""
    cdef xmlNode* root = element._c_node
    cdef xmlNode* node = root
    cdef Py_ssize_t length = 0
    cdef dict known = {}
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE:
            key = <size_t>node.name  # libxml2 has one copy of each name
            counts = known.get(key)
            if counts is None:
                counts = known[key] = (<const char*>node.name).decode("utf-8") not in tags
            if counts and node.children is not NULL and starts_text(node.children):
                length += measure(node.children)
        elif starts_text(node) and node.prev is not NULL:
            length += measure(node)
        node = next_node(node, root)
    return length


def ids_of(_Element root not None, tags):
    """Return the ids of the elements with these tags."""
    cdef xmlNode* first = root._c_node
    cdef xmlNode* node = first
    cdef xmlAttr* attribute
    cdef set ids = set()
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE:
            attribute = node.properties
            while attribute is not NULL and strcmp(<const char*>attribute.name, "id") != 0:
                attribute = attribute.next
            if attribute is not NULL and (<const char*>node.name).decode("utf-8") in tags:
                ids.add(elementFactory(root._doc, node).get("id"))
        node = next_node(node, first)
    ids.discard(None)
    return ids


def collect_names(roots not None):
    """Return the classes and ids of all elements in lower case."""
    cdef _Element root
    cdef xmlNode* node
    cdef xmlAttr* attribute
    cdef set values = set()
    for root in roots:
        node = root._c_node
        while node is not NULL:
            if node.type == XML_ELEMENT_NODE:
                attribute = node.properties
                while attribute is not NULL:
                    if strcmp(<const char*>attribute.name, "class") == 0 or strcmp(<const char*>attribute.name, "id") == 0:
                        values.add(value_of(root, node, attribute))
                    attribute = attribute.next
            node = next_node(node, root._c_node)
    return frozenset(b" ".join(values).decode().lower().split())


cdef bytes value_of(_Element root, xmlNode* node, xmlAttr* attribute):
    """Return the value of an attribute."""
    cdef xmlNode* text = attribute.children
    if text is NULL:
        return b""
    if text.next is NULL and is_text(text) and text.content is not NULL:
        return <bytes>(<const char*>text.content)
    return elementFactory(root._doc, node).get((<const char*>attribute.name).decode("utf-8")).encode()


def having_attributes(_Element root not None, names):
    """Return the elements with one of these attributes in document order."""
    cdef xmlNode* node = root._c_node
    cdef xmlAttr* attribute
    cdef list found = []
    cdef const xmlChar* asked[SLOTS]  # last name in this slot; libxml2 has one copy of each name
    cdef bint is_wanted[SLOTS]
    cdef size_t slot
    memset(asked, 0, sizeof(asked))
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE:
            attribute = node.properties
            while attribute is not NULL:
                slot = (<size_t>attribute.name >> 3) % SLOTS
                if asked[slot] is not attribute.name:
                    asked[slot] = attribute.name
                    is_wanted[slot] = (<const char*>attribute.name).decode("utf-8") in names
                if is_wanted[slot]:
                    found.append(elementFactory(root._doc, node))
                    break
                attribute = attribute.next
        node = next_node(node, root._c_node)
    return found


def find_numbered_labels(_Element root not None):
    """Return the elements with an ASCII digit in `aria-label`, or in `alt` of an image."""
    cdef xmlNode* node = root._c_node
    cdef xmlAttr* attribute
    cdef list found = []
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE:
            attribute = node.properties
            while attribute is not NULL:
                if is_label(node, <const char*>attribute.name) and has_digit(value_of(root, node, attribute)):
                    found.append(elementFactory(root._doc, node))
                    break
                attribute = attribute.next
        node = next_node(node, root._c_node)
    return found


cdef inline bint is_label(xmlNode* node, const char* name) noexcept:
    """Return whether an attribute is the label of its element."""
    if name[0] != b"a":
        return False
    if strcmp(name, "aria-label") == 0:
        return True
    return strcmp(name, "alt") == 0 and strcmp(<const char*>node.name, "img") == 0


cdef bint has_digit(bytes value) except -1:
    cdef unsigned char byte
    for byte in value:
        if 48 <= byte <= 57:
            return True
    return False


def holding_text(_Element root not None, str name not None, str text not None):
    """Return the elements whose attribute `name` contains `text`, in document order."""
    cdef bytes wanted = name.encode(), part = text.encode()
    cdef const char* own_name = wanted
    cdef const char* own_part = part
    cdef xmlNode* node = root._c_node
    cdef xmlNode* content
    cdef xmlAttr* attribute
    cdef list found = []
    while node is not NULL:
        attribute = node.properties if node.type == XML_ELEMENT_NODE else NULL
        while attribute is not NULL and strcmp(<const char*>attribute.name, own_name) != 0:
            attribute = attribute.next
        content = attribute.children if attribute is not NULL else NULL
        if content is not NULL:
            if content.next is NULL and is_text(content) and content.content is not NULL:
                if strstr(<const char*>content.content, own_part) is not NULL:
                    found.append(elementFactory(root._doc, node))
            elif part in value_of(root, node, attribute):
                found.append(elementFactory(root._doc, node))
        node = next_node(node, root._c_node)
    return found


def tags_of(roots not None):
    """Return the tags of all elements."""
    cdef _Element root
    cdef xmlNode* node
    cdef const void* last = NULL
    cdef set known = set(), tags = set()
    for root in roots:
        node = root._c_node
        while node is not NULL:
            if node.type == XML_ELEMENT_NODE and (node.name is not last or node.ns is not NULL):
                last = node.name
                key = <size_t>last  # libxml2 has one copy of each name
                if node.ns is not NULL:
                    tags.add(elementFactory(root._doc, node).tag)
                elif key not in known:
                    known.add(key)
                    tags.add((<const char*>node.name).decode("utf-8"))
            node = next_node(node, root._c_node)
    return tags


def links_within(_Element root not None):
    """Return the links to fragments of their own page."""
    cdef xmlNode* node = root._c_node
    cdef xmlAttr* attribute
    cdef list found = []
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE and strcmp(<const char*>node.name, "a") == 0:
            attribute = node.properties
            while attribute is not NULL and strcmp(<const char*>attribute.name, "href") != 0:
                attribute = attribute.next
            if attribute is not NULL and value_of(root, node, attribute).startswith(b"#"):
                found.append(elementFactory(root._doc, node))
        node = next_node(node, root._c_node)
    return found


def holds_tag(roots not None, tuple names not None):
    """Return whether a root or an element in it has one of these tags, at most 8."""
    cdef _Element root
    for root in roots:
        if is_any_from(root._c_node, root._c_node, names):
            return True
    return False


def holds_inside(_Element element not None, tuple names not None):
    """Return whether a descendant of an element has one of these tags, at most 8."""
    return is_any_from(next_node(element._c_node, element._c_node), element._c_node, names)


cdef bint is_any_from(xmlNode* node, xmlNode* root, tuple names) except -1:
    """Return whether a node, or an element after it in the root, has one of these tags."""
    cdef const char* wanted[MAX_NAMES]
    cdef int count = len(names), index
    cdef char first
    if count > MAX_NAMES:
        raise ValueError("at most 8 tags can be searched for")
    for index in range(count):
        wanted[index] = PyUnicode_AsUTF8(names[index])
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE:
            first = (<const char*>node.name)[0]
            for index in range(count):
                if first == wanted[index][0] and strcmp(<const char*>node.name, wanted[index]) == 0:
                    return True
        node = next_node(node, root)
    return False


cdef inline bint is_tag(xmlNode* node, const char* name) noexcept:
    return node.type == XML_ELEMENT_NODE and strcmp(<const char*>node.name, name) == 0


cdef xmlNode* next_row(xmlNode* node, xmlNode* table) noexcept:
    """Return the first row of a table at or after a node, NULL after the last one. Rows of nested tables are skipped."""
    while True:
        if node is NULL:
            return NULL
        if is_tag(node, "tr"):
            return node
        if node.parent is table and (is_tag(node, "thead") or is_tag(node, "tbody") or is_tag(node, "tfoot")):
            if node.children is not NULL:
                node = node.children
                continue
        while node.next is NULL and node.parent is not table:
            node = node.parent
        node = node.next


def find_cells(_Element table not None, Py_ssize_t most):
    """Return the cells of each non-empty row among the first `most` rows, and whether one of them is a heading."""
    cdef xmlNode* root = table._c_node
    cdef xmlNode* row = next_row(root.children, root)
    cdef xmlNode* node
    cdef list rows = [], cells
    cdef bint headed = False, is_heading
    while row is not NULL and most > 0:
        most -= 1
        cells = []
        node = row.children
        while node is not NULL:
            is_heading = is_tag(node, "th")
            if is_heading or is_tag(node, "td"):
                cells.append(elementFactory(table._doc, node))
                headed |= is_heading
            node = node.next
        if cells:
            rows.append(cells)
        while row.next is NULL and row.parent is not root:
            row = row.parent
        row = next_row(row.next, root)
    return rows, headed


def get_value(_Element element not None, str name not None):
    """Return the value of an attribute, None if it is missing. Faster than `element.get`; the name must be ASCII."""
    cdef xmlAttr* attribute = element._c_node.properties
    cdef const char* wanted
    cdef xmlNode* text
    if attribute is NULL:
        return None
    wanted = PyUnicode_AsUTF8(name)
    while attribute is not NULL:
        if (<const char*>attribute.name)[0] == wanted[0] and strcmp(<const char*>attribute.name, wanted) == 0:
            text = attribute.children
            if attribute.ns is NULL and text is not NULL and text.next is NULL and is_text(text) and text.content is not NULL:
                return PyUnicode_DecodeUTF8(<const char*>text.content, strlen(<const char*>text.content), NULL)
            return element.get(name)
        attribute = attribute.next
    return None
