# Nodes of libxml2: their text, attributes and tags, and the elements that describe a page.

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


cdef enum:
    MAX_NAMES = 16  # tags in one search
    NAME_SLOTS = 256  # of the cache of attribute names


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
    cdef const xmlChar* asked[NAME_SLOTS]  # last name in this slot; libxml2 has one copy of each name
    cdef bint is_wanted[NAME_SLOTS]
    cdef size_t slot
    memset(asked, 0, sizeof(asked))
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE:
            attribute = node.properties
            while attribute is not NULL:
                slot = (<size_t>attribute.name >> 3) % NAME_SLOTS
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
    """Return whether a root or an element in it has one of these tags, at most 16."""
    cdef _Element root
    for root in roots:
        if is_any_from(root._c_node, root._c_node, names):
            return True
    return False


def holds_inside(_Element element not None, tuple names not None):
    """Return whether a descendant of an element has one of these tags, at most 16."""
    return is_any_from(next_node(element._c_node, element._c_node), element._c_node, names)


cdef bint is_any_from(xmlNode* node, xmlNode* root, tuple names) except -1:
    """Return whether a node, or an element after it in the root, has one of these tags."""
    cdef const char* wanted[MAX_NAMES]
    cdef int count = len(names), index
    cdef char first
    if count > MAX_NAMES:
        raise ValueError("at most 16 tags can be searched for")
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


cdef bint holds_word(const char* text, const char* word) noexcept:
    """Return whether a text contains a lower-case word, ignoring the case of ASCII letters."""
    cdef Py_ssize_t index
    cdef unsigned char byte
    while text[0]:
        index = 0
        while word[index]:
            byte = <unsigned char>text[index]
            if 65 <= byte <= 90:
                byte += 32
            if byte != <unsigned char>word[index]:
                break
            index += 1
        if not word[index]:
            return True
        text += 1
    return False


cdef bint is_named(xmlNode* node, const char* name) noexcept:
    return strcmp(<const char*>node.name, name) == 0


def style_of(_Element element not None):
    """Return the content of a style element as UTF-8, None if it is not a single text node."""
    cdef xmlNode* child = element._c_node.children
    if child is NULL:
        return b""
    if child.next is not NULL or not is_text(child):
        return None
    return <bytes>(<const char*>child.content)


cdef class PageFinder:
    """Collects the fields of `FoundElements` in one pass over a page."""

    cdef _Document _document
    cdef xmlNode* _first_root
    cdef list _styles, _data, _metas, _fallbacks
    cdef bint _typesets_tex, _has_raised
    cdef object _base, _title

    def __cinit__(self):
        self._styles, self._data, self._metas, self._fallbacks = [], [], [], []

    cdef tuple find(self, roots):
        cdef _Element root
        cdef xmlNode* node
        for root in roots:
            self._document = root._doc
            node = root._c_node
            if self._first_root is NULL:
                self._first_root = node
            while node is not NULL:
                if node.type == XML_ELEMENT_NODE:
                    self._look_at(node)
                node = next_element(node, root._c_node)
        return (
            self._styles, self._data, self._metas, self._fallbacks, self._typesets_tex, self._has_raised, self._base,
            self._title,
        )

    cdef int _look_at(self, xmlNode* node) except -1:
        cdef char first = (<const char*>node.name)[0]
        if first == 115:  # s
            if is_named(node, "script"):
                self._add_script(node)
            elif is_named(node, "style"):
                self._add_style(node)
            elif is_named(node, "sup"):
                self._has_raised = True
        elif first == 108 and is_named(node, "link"):
            self._add_link(node)
        elif first == 109 and is_named(node, "meta"):
            self._add_meta(node)
        elif first == 98 and self._base is None and is_named(node, "base"):
            self._base = elementFactory(self._document, node).get("href")
        elif first == 116 and self._title is None and is_named(node, "title"):
            title = elementFactory(self._document, node)
            if next(title.iterancestors("svg"), None) is None:
                self._title = title
        return 0

    cdef int _add_script(self, xmlNode* node) except -1:
        cdef xmlAttr* attribute = find_attribute(node, "src")
        cdef const char* source
        cdef bytes joined
        if attribute is not NULL:
            if not self._typesets_tex:
                source = plain_value(attribute)
                if source is NULL:
                    joined = self._value(node, attribute).encode()
                    source = joined
                self._typesets_tex = holds_word(source, "mathjax") or holds_word(source, "katex")
            return 0
        attribute = find_attribute(node, "type")
        if attribute is not NULL and self._value(node, attribute).endswith("ld+json"):
            self._data.append(elementFactory(self._document, node).text or "")
        return 0

    cdef int _add_link(self, xmlNode* node) except -1:
        """Add a link to a style sheet."""
        cdef xmlAttr* attribute = find_attribute(node, "rel")
        cdef const char* value
        cdef bytes joined
        if attribute is NULL:
            return 0
        value = plain_value(attribute)
        if value is NULL:
            joined = self._value(node, attribute).encode()
            value = joined
        if holds_word(value, "stylesheet"):
            self._add_style(node)
        return 0

    cdef int _add_style(self, xmlNode* node) except -1:
        """Add a style or link. Those in a template are inert, except in declarative shadow roots."""
        cdef xmlNode* around = node.parent
        cdef bint is_inert = False
        while around is not NULL and around.type == XML_ELEMENT_NODE:
            if is_named(around, "noscript") or is_named(around, "noframes") or is_named(around, "noembed"):
                self._fallbacks.append(elementFactory(self._document, node))
                return 0
            if is_named(around, "template") and find_attribute(around, "shadowrootmode") is NULL:
                is_inert = True
            around = around.parent
        if not is_inert:
            self._styles.append(elementFactory(self._document, node))
        return 0

    cdef int _add_meta(self, xmlNode* node) except -1:
        """Add the name and content of a `meta` element in the head of the page."""
        cdef xmlNode* head = node.parent
        cdef str name, content
        if head is NULL or head.parent != self._first_root or not is_named(head, "head"):
            return 0
        name = self._value(node, find_attribute(node, "property")) or self._value(node, find_attribute(node, "name"))
        if name:
            content = self._value(node, find_attribute(node, "content"))
            self._metas.append((name, content))
        return 0

    cdef str _value(self, xmlNode* node, xmlAttr* attribute):
        """Return the value of an attribute, an empty string if it is missing."""
        cdef const char* value
        if attribute is NULL:
            return ""
        value = plain_value(attribute)
        if value is NULL:
            return elementFactory(self._document, node).get((<const char*>attribute.name).decode("utf-8")) or ""
        return value.decode("utf-8")


def find_elements(roots not None):
    """Return the fields of `FoundElements`."""
    return PageFinder().find(roots)


def find_stated(roots not None, most not None, str attribute not None, Py_ssize_t most_with):
    """Return the first `most[tag]` elements of each tag, and the first `most_with` elements with an attribute."""
    cdef list encoded = [wanted_name.encode() for wanted_name in most]
    cdef list found = [[] for _ in encoded]
    cdef list wanted = list(most.values()), with_attribute = []
    cdef bytes encoded_attribute = attribute.encode()
    cdef const char* attribute_name = encoded_attribute
    cdef const char* names[MAX_NAMES]
    cdef Py_ssize_t left[MAX_NAMES]
    cdef Py_ssize_t count = len(encoded), index
    cdef const char* name
    cdef _Element root
    cdef xmlNode* node
    if count > MAX_NAMES:
        raise ValueError("at most 16 tags can be searched for")
    for index in range(count):
        names[index] = encoded[index]
        left[index] = wanted[index]
    for root in roots:
        node = root._c_node
        if node.type != XML_ELEMENT_NODE:
            continue
        while node is not NULL:
            name = <const char*>node.name
            for index in range(count):
                if name[0] == names[index][0] and strcmp(name, names[index]) == 0:
                    if left[index] > 0:
                        left[index] -= 1
                        (<list>found[index]).append(elementFactory(root._doc, node))
                    break
            if node.properties is not NULL and most_with > 0 and find_attribute(node, attribute_name) is not NULL:
                most_with -= 1
                with_attribute.append(elementFactory(root._doc, node))
            node = next_element(node, root._c_node)
    return dict(zip(most, found)), with_attribute
