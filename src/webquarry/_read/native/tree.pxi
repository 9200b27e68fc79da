# Nodes of libxml2: their text, attributes and tags, and the elements that describe a page.

cdef bint is_text(xmlNode* node) noexcept:
    return (node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE) and node.content is not NULL


cdef inline bint is_blank(unsigned char byte) noexcept:
    return byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31


cdef bint is_wide_blank(const unsigned char* text, Py_ssize_t left) noexcept:
    """Whether a character beyond ASCII that begins here may be white space; some others count too."""
    if left >= 2 and text[0] == 0xC2:
        return text[1] == 0x85 or text[1] == 0xA0
    if left < 3:
        return False
    if text[0] == 0xE2:
        return (text[1] == 0x80 and (text[2] <= 0x8A or text[2] >= 0xA8)) or text[1] == 0x81
    return (text[0] == 0xE1 and text[1] == 0x9A) or (text[0] == 0xE3 and text[1] == 0x80 and text[2] == 0x80)


cdef enum:
    ASCII, WHITE, BEYOND_ASCII, MAYBE_WIDE_BLANK  # kinds of bytes; the last ones begin white space beyond ASCII

cdef unsigned char BYTE_KINDS[256]


cdef void describe_bytes_of_text() noexcept:
    cdef int byte
    for byte in range(256):
        BYTE_KINDS[byte] = BEYOND_ASCII if byte >= 128 else WHITE if is_blank(<unsigned char>byte) else ASCII
    BYTE_KINDS[0xC2] = BYTE_KINDS[0xE1] = BYTE_KINDS[0xE2] = BYTE_KINDS[0xE3] = MAYBE_WIDE_BLANK


describe_bytes_of_text()


cdef str make_ascii(const char* text, Py_ssize_t size):
    """A string of bytes that are known to be ASCII."""
    cdef str made = PyUnicode_New(size, 127)
    memcpy(PyUnicode_DATA(made), text, size)
    return made


cdef str fold(char* text, Py_ssize_t size):
    """A text in UTF-8 with one blank for all white space between words, and none around them; it is changed in place."""
    cdef Py_ssize_t index = 0, filled = 0, start
    cdef const unsigned char* source = <const unsigned char*>text
    cdef unsigned char kind
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
        start = index
        while index < size:
            kind = BYTE_KINDS[source[index]]
            if kind == WHITE and (source[index] != 32 or is_blank(source[index + 1])):
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


cdef inline bint is_called(xmlAttr* attribute, const char* name) noexcept:
    """Whether an attribute has a name; most do not even begin like it."""
    return (<const char*>attribute.name)[0] == name[0] and strcmp(<const char*>attribute.name, name) == 0


cdef inline xmlAttr* find_attribute(xmlNode* node, const char* name) noexcept:
    cdef xmlAttr* attribute = node.properties
    while attribute is not NULL and not is_called(attribute, name):
        attribute = attribute.next
    return attribute


cdef const char* plain_text(xmlNode* first) noexcept:
    """Return the content of an element or attribute that has only one text node; NULL for others."""
    if first is NULL:
        return ""
    if first.next is not NULL or not is_text(first):
        return NULL
    return <const char*>first.content


cdef str value_of(xmlNode* node, xmlAttr* attribute):
    """Return the value of an attribute."""
    cdef const char* value = plain_text(attribute.children)
    if value is NULL:
        return attributeValue(node, attribute)
    return PyUnicode_DecodeUTF8(value, strlen(value), NULL)


cdef enum:
    MAX_NAMES = 16  # attributes in one search


cdef xmlNode* next_node(xmlNode* node, xmlNode* root) noexcept:
    """Return the next node in document order, NULL after the last one in the root."""
    if node.type == XML_ELEMENT_NODE and node.children is not NULL:
        return node.children
    while node is not root:
        if node.next is not NULL:
            return node.next
        node = node.parent
    return NULL


cdef xmlNode* next_element(xmlNode* node, xmlNode* root) noexcept:
    """Return the next element in document order, NULL after the last one in the root."""
    node = next_node(node, root)
    while node is not NULL and node.type != XML_ELEMENT_NODE:
        node = next_node(node, root)
    return node


cdef bytes join_texts(xmlNode* node):
    """Return the content of adjacent text nodes."""
    cdef list contents = []
    while node is not NULL and is_text(node):
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


cdef class NameCollector:
    """The tags, classes and ids of elements, classes and ids in lower case."""

    cdef set values
    cdef HashTable tags  # by the address of their name; libxml2 has one copy of each

    def __cinit__(self):
        self.values, self.tags = set(), HashTable()

    cdef int add(self, xmlNode* node) except -1:
        cdef xmlAttr* attribute = node.properties
        self.tags.set(<size_t>node.name, 1)
        while attribute is not NULL:
            if is_called(attribute, "class") or is_called(attribute, "id"):
                self.values.add(value_of(node, attribute))
            attribute = attribute.next
        return 0

    cdef frozenset names(self):
        cdef size_t place
        cdef set names = set(" ".join(self.values).lower().split())
        for place in range(self.tags.mask + 1):
            if self.tags.keys[place]:
                names.add((<const char*><size_t>self.tags.keys[place]).decode("utf-8"))
        return frozenset(names)


def collect_names(roots not None):
    """Return the tags of all elements, and their classes and ids in lower case."""
    cdef _Element root
    cdef xmlNode* node
    cdef NameCollector collector = NameCollector()
    for root in roots:
        node = root._c_node
        while node is not NULL:
            collector.add(node)
            node = next_element(node, root._c_node)
    return collector.names()


def find_elements(_Element root not None, tags, attributes):
    """Return the elements with one of these tags, or one of at most 16 attributes, in document order."""
    cdef xmlNode* node = root._c_node
    cdef xmlAttr* attribute
    cdef list found = [], encoded = [name.encode() for name in attributes]
    cdef const char* wanted[MAX_NAMES]
    cdef HashTable verdicts = HashTable()  # 2 for these tags, 1 for others; libxml2 has one copy of each name
    cdef int count = len(encoded), index, verdict
    if count > MAX_NAMES:
        raise ValueError("at most 16 attributes can be searched for")
    for index in range(count):
        wanted[index] = encoded[index]
    while node is not NULL:
        verdict = verdicts.get(<size_t>node.name)
        if not verdict:
            verdict = 2 if (<const char*>node.name).decode("utf-8") in tags else 1
            verdicts.set(<size_t>node.name, verdict)
        attribute = node.properties
        while verdict == 1 and attribute is not NULL:
            for index in range(count):
                if is_called(attribute, wanted[index]):
                    verdict = 2
            attribute = attribute.next
        if verdict == 2:
            found.append(elementFactory(root._doc, node))
        node = next_element(node, root._c_node)
    return found


def holding_text(_Element root not None, str name not None, str text not None):
    """Return the elements whose attribute `name` contains `text`, in document order."""
    cdef const char* own_name = PyUnicode_AsUTF8(name)
    cdef xmlNode* node = root._c_node
    cdef xmlAttr* attribute
    cdef list found = []
    while node is not NULL:
        attribute = find_attribute(node, own_name)
        if attribute is not NULL and text in value_of(node, attribute):
            found.append(elementFactory(root._doc, node))
        node = next_element(node, root._c_node)
    return found


def style_of(_Element element not None):
    """Return the content of a style element as UTF-8, None if it is not a single text node."""
    cdef const char* content = plain_text(element._c_node.children)
    return None if content is NULL else <bytes>content
