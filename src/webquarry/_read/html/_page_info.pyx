# cython: language_level=3
"""Find the elements that describe a page as a whole, on the nodes of libxml2.

Only the elements that are returned become Python objects.
"""

from libc.string cimport strstr
from lxml.includes.etreepublic cimport _Document, _Element, elementFactory, import_lxml__etree

include "_nodes.pxi"

import_lxml__etree()

cdef enum:
    MAX_NAMES = 16  # tags in one search


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
