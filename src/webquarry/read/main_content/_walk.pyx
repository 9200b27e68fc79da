# cython: language_level=3
"""The walk through a page that makes its blocks, on libxml2's own nodes. `walk.py` is the same in Python.

Elements become Python objects only where somebody asks for them. The nodes that are remembered belong to a document that
is held here and that nobody takes anything out of, so they live as long as the walk does.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport strcmp, strlen
from lxml.includes.etreepublic cimport _Document, _Element, elementFactory, import_lxml__etree
from lxml.includes.tree cimport XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, const_xmlChar, xmlAttr, xmlNode

import_lxml__etree()

from webquarry.read.main_content import tags
from webquarry.read.markdown import elements, scope

cdef dict KINDS = tags.KINDS
cdef dict IN_PRE = tags.IN_PRE
cdef dict FLAGS = tags.FLAGS
cdef dict FLAG_OF_ROLE = tags.FLAG_OF_ROLE
cdef dict HEADINGS = tags.HEADINGS
cdef tuple BLOCKS_IN_SVG = tags.BLOCKS_IN_SVG
cdef int INLINE = tags.INLINE, LINK = tags.LINK, BLOCK = tags.BLOCK, PRE = tags.PRE, BUTTON = tags.BUTTON
cdef int DROP = tags.DROP, BREAK = tags.BREAK, ATOM = tags.ATOM, SVG = tags.SVG
cdef int OUTSIDE = tags.OUTSIDE, HIDDEN_FLAG = tags.HIDDEN_FLAG
cdef Py_ssize_t MOST_BLOCKS = tags.MOST_BLOCKS
cdef object is_hidden = tags.is_hidden
cdef object is_panel_button = elements.is_panel_button
cdef object is_superfluous = tags.is_superfluous

cdef int INSIDE = scope.INSIDE, TEXT = scope.TEXT, TAIL = scope.TAIL

cdef enum:
    SLOTS = 512  # for the names of tags; one more for those that find no room
    MOST_NAMES = 384


cdef struct Nodes:
    xmlNode** nodes
    Py_ssize_t* places
    Py_ssize_t size
    Py_ssize_t room


cdef int push(Nodes* to, xmlNode* node, Py_ssize_t place) except -1:
    cdef Py_ssize_t room
    cdef void* moved
    if to.size == to.room:
        room = 2 * to.room if to.room else 64
        moved = PyMem_Realloc(to.nodes, room * sizeof(void*))
        if moved is NULL:
            raise MemoryError
        to.nodes = <xmlNode**>moved
        moved = PyMem_Realloc(to.places, room * sizeof(Py_ssize_t))
        if moved is NULL:
            raise MemoryError
        to.places = <Py_ssize_t*>moved
        to.room = room
    to.nodes[to.size] = node
    to.places[to.size] = place
    to.size += 1
    return 0


cdef void free_nodes(Nodes* nodes) noexcept:
    PyMem_Free(nodes.nodes)
    PyMem_Free(nodes.places)


cdef bint is_text(xmlNode* node) noexcept:
    return (node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE) and node.content is not NULL


cdef bint is_cell(xmlNode* node) noexcept:
    return strcmp(<const char*>node.name, "td") == 0 or strcmp(<const char*>node.name, "th") == 0


cdef class Walk:
    """Goes through a page once, and then knows its blocks, its boxes and the elements that the text came from."""

    cdef readonly list texts, blocks, rows, last, image_places
    cdef readonly bint cut
    cdef _Document _document
    cdef list _parts
    cdef Py_ssize_t _link_chars
    cdef int _links, _open_links, _box
    cdef bint _in_pre, _broken
    cdef Nodes _heads, _tails, _atoms, _images  # places of heads and tails: the block they are in
    cdef Py_ssize_t _kept_heads, _kept_tails  # those of finished blocks
    cdef const_xmlChar* _names[SLOTS + 1]
    cdef int _kinds[SLOTS + 1]
    cdef int _kinds_in_pre[SLOTS + 1]
    cdef int _flags[SLOTS + 1]
    cdef int _levels[SLOTS + 1]
    cdef list _tags
    cdef int _known

    def __cinit__(self):
        self.texts, self.blocks, self.rows, self.last, self.image_places = [], [], [], [], []
        self._parts = []
        self._tags = [None] * (SLOTS + 1)
        self._box = -1

    def __dealloc__(self):
        free_nodes(&self._heads)
        free_nodes(&self._tails)
        free_nodes(&self._atoms)
        free_nodes(&self._images)

    def images(self, blocks):
        cdef Py_ssize_t index
        cdef list found = []
        for index in range(self._images.size):
            if self._images.places[index] in blocks:
                found.append(elementFactory(self._document, self._images.nodes[index]))
        return found

    def choose_parts(self, blocks, list more):
        return ChosenParts(self, blocks, more)

    def walk(self, list roots):
        """Walk through the page; no depth of nesting can exhaust the stack."""
        cdef _Element root
        for root in roots:
            self._document = root._doc
            self._walk_tree(root._c_node)
            if self.cut:
                return
        self._flush()

    cdef _walk_tree(self, xmlNode* root):
        cdef xmlNode* node = root
        cdef xmlNode* child
        cdef int kind, slot
        cdef list kinds = []  # of the open elements
        while True:
            slot = self._slot(node.name)
            kind = self._kinds_in_pre[slot] if self._in_pre else self._kinds[slot]
            if kind >= BUTTON:
                kind = self._enter_odd(node, kind, slot)
            elif kind == LINK:
                self._open_links += 1
                self._links += 1
            if kind <= LINK or (kind < DROP and self._open_box(node, kind, slot)):
                child = self._take_texts(node.children, node, &self._heads)
                if child is not NULL:
                    kinds.append(kind)
                    node = child
                    continue
                if kind:
                    self._leave(kind)
            while True:
                if node == root:
                    return
                child = self._take_texts(node.next, node, &self._tails)
                if child is not NULL:
                    node = child
                    break
                if len(self.texts) >= MOST_BLOCKS:
                    self._flush()
                    self.cut = True
                    return
                node = node.parent
                kind = kinds.pop()
                if kind:
                    self._leave(kind)

    cdef xmlNode* _take_texts(self, xmlNode* node, xmlNode* owner, Nodes* owners) except? NULL:
        """Put the text from a node on into the block, and find the next element, if there is one."""
        while node is not NULL and node.type != XML_ELEMENT_NODE:
            if is_text(node):
                if node.next is NULL or not is_text(node.next):
                    self._add(<const char*>node.content, strlen(<const char*>node.content), owner, owners)
                else:
                    node = self._add_joined(node, owner, owners)
                    continue
            node = node.next
        return node

    cdef xmlNode* _add_joined(self, xmlNode* node, xmlNode* owner, Nodes* owners) except? NULL:
        """Add texts that stand side by side as the one that they are."""
        cdef list contents = []
        cdef bytes joined
        while node is not NULL and is_text(node):
            contents.append(<bytes>(<const char*>node.content))
            node = node.next
        joined = b"".join(contents)
        self._add(joined, len(joined), owner, owners)
        return node

    cdef int _add(self, const char* content, Py_ssize_t size, xmlNode* owner, Nodes* owners) except -1:
        cdef Py_ssize_t index
        cdef unsigned char byte
        cdef str text
        cdef bint blank = True
        if not size:
            return 0
        for index in range(size):
            byte = <unsigned char>content[index]
            if not (byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31):
                blank = False
                break
        if not blank:
            text = PyUnicode_DecodeUTF8(content, size, NULL)
            blank = byte >= 128 and text.isspace()
        if blank:
            if not self._parts and not self._in_pre:
                return 0
            self._parts.append(" ")
        else:
            self._parts.append(text)
            self._broken = False
            if self._open_links:
                self._link_chars += len(text.strip())
        return push(owners, owner, len(self.texts))

    cdef int _slot(self, const_xmlChar* name) except -1:
        """Where what is known about a tag stands; libxml2 has one copy of each name."""
        cdef size_t slot = (<size_t>name >> 3) % SLOTS
        while self._names[slot] is not NULL:
            if self._names[slot] == name:
                return <int>slot
            slot = (slot + 1) % SLOTS
        if self._known >= MOST_NAMES:
            slot = SLOTS
        else:
            self._known += 1
            self._names[slot] = name
        tag = (<const char*>name).decode("utf-8")
        self._tags[slot] = tag
        self._kinds[slot] = KINDS.get(tag, BLOCK)
        self._kinds_in_pre[slot] = IN_PRE.get(tag, BLOCK)
        self._flags[slot] = FLAGS.get(tag, 0)
        self._levels[slot] = HEADINGS.get(tag, -1)
        return <int>slot

    cdef int _enter_odd(self, xmlNode* node, int kind, int slot) except -1:
        """How to take an element that is seldom walked into."""
        if kind == BUTTON:
            if self._box >= 0 and (<tuple>self.rows[self._box])[5]:
                return INLINE
            self._flush()
            return BLOCK if is_panel_button(elementFactory(self._document, node)) else DROP
        if kind == BREAK:
            if self._broken:
                self._flush()
            elif self._parts:
                self._parts.append(" ")
                push(&self._atoms, node, len(self.texts))
                self._broken = True
        elif kind == ATOM:
            push(&self._atoms, node, len(self.texts))
            self._parts.append(" ")
        elif kind == SVG:
            if node.children is not NULL:
                drawing = elementFactory(self._document, node)
                if next(drawing.iterdescendants(*BLOCKS_IN_SVG), None) is not None:
                    return INLINE
        elif self._tags[slot] == "img":
            push(&self._images, node, len(self.texts))
            self.image_places.append(len(self.texts))
        elif self._tags[slot] == "script":
            if (elementFactory(self._document, node).get("type") or "").startswith("math/tex"):
                push(&self._atoms, node, len(self.texts))
        return DROP

    cdef bint _open_box(self, xmlNode* node, int kind, int slot) except -1:
        """Start a box; false for one that is never the point of a page."""
        cdef int above = 0, level = 0, flags, fresh
        cdef xmlAttr* attribute = node.properties
        cdef const char* name
        cdef bint may_hide = False
        cdef str label = "", identity = ""
        if kind == PRE:
            self._in_pre = True
        if self._parts:
            self._flush()
        if self._box >= 0:
            row = <tuple>self.rows[self._box]
            above, level = row[4], row[5]
        flags = above | self._flags[slot]
        while attribute is not NULL:
            name = <const char*>attribute.name
            if strcmp(name, "class") == 0:
                label = self._value(node, attribute)
            elif strcmp(name, "id") == 0:
                identity = self._value(node, attribute)
            elif strcmp(name, "role") == 0:
                flags |= <int>FLAG_OF_ROLE.get(self._value(node, attribute).strip().lower(), 0)
            elif strcmp(name, "style") == 0 or strcmp(name, "hidden") == 0 or strcmp(name, "aria-hidden") == 0:
                may_hide = True
            attribute = attribute.next
        if may_hide or "hid" in label or "none" in label:
            element = elementFactory(self._document, node)
            if is_hidden(element, element.keys(), label):
                flags |= HIDDEN_FLAG
        fresh = flags & ~above
        if fresh & OUTSIDE and is_superfluous(elementFactory(self._document, node), fresh, above):
            return False
        if self._levels[slot] >= 0:
            level = self._levels[slot]
        self.rows.append((self._box, self._tags[slot], label, identity, flags, level, len(self.texts)))
        self._box = <int>len(self.last)
        self.last.append(0)
        return True

    cdef str _value(self, xmlNode* node, xmlAttr* attribute):
        """The value of an attribute."""
        cdef xmlNode* content = attribute.children
        if content is NULL:
            return ""
        if content.next is not NULL or not is_text(content):
            return elementFactory(self._document, node).get((<const char*>attribute.name).decode("utf-8")) or ""
        return (<const char*>content.content).decode("utf-8")

    cdef _leave(self, int kind):
        cdef Py_ssize_t blocks
        if kind == LINK:
            self._open_links -= 1
            return
        if kind == PRE:
            self._in_pre = False
        if self._parts:
            self._flush()
        blocks = len(self.texts)
        row = <tuple>self.rows[self._box]
        if <Py_ssize_t>row[6] == blocks:  # nothing in it, so everything behind it in the table is empty as well
            del self.rows[self._box :], self.last[self._box :]
        else:
            self.last[self._box] = blocks
        self._box = row[0]

    cdef _flush(self):
        """End the block."""
        cdef list parts = self._parts
        cdef str text
        cdef Py_ssize_t chars
        cdef int links
        self._broken = False
        if not parts:
            return
        text = " ".join((<str>parts[0] if len(parts) == 1 else "".join(parts)).split())
        self._parts = []
        if text and self._box >= 0:
            chars, links = self._link_chars, self._links
            if chars:
                chars, links = min(chars, len(text)), links or 1
            self.texts.append(text)
            self.blocks.append((self._box, chars, links))
            self._kept_heads, self._kept_tails = self._heads.size, self._tails.size
        else:
            self._heads.size, self._tails.size = self._kept_heads, self._kept_tails
        self._link_chars = self._links = 0


cdef class ChosenParts:
    """The elements that some blocks are made of, and all those around them. Nodes are found by their address."""

    cdef Walk _walk
    cdef xmlNode** _nodes
    cdef unsigned char* _parts
    cdef size_t _mask, _count

    def __cinit__(self, Walk walk, blocks, list more):
        cdef _Element element
        self._walk = walk
        self._make_room(256)
        self._take(&walk._heads, blocks, TEXT)
        self._take(&walk._tails, blocks, TAIL)
        self._take(&walk._atoms, blocks, INSIDE)
        for element in more:
            self._open_way(element._c_node)

    def __dealloc__(self):
        PyMem_Free(self._nodes)
        PyMem_Free(self._parts)

    def among(self, list elements):
        cdef _Element element
        return [(element, self._parts_of(element._c_node)) for element in elements if self._parts_of(element._c_node)]

    def children(self, _Element element not None):
        cdef xmlNode* child = element._c_node.children
        cdef bint is_row = strcmp(<const char*>element._c_node.name, "tr") == 0
        cdef list found = []
        cdef int parts
        while child is not NULL:
            if child.type == XML_ELEMENT_NODE:
                parts = self._parts_of(child)
                if is_row and not parts and is_cell(child):
                    parts = INSIDE
                if parts:
                    found.append((elementFactory(self._walk._document, child), parts))
            child = child.next
        return found

    def names(self):
        cdef size_t place
        cdef xmlAttr* attribute
        cdef set values = set()
        for place in range(self._mask + 1):
            if self._nodes[place] is not NULL and self._parts[place] & INSIDE:
                attribute = self._nodes[place].properties
                while attribute is not NULL:
                    if strcmp(<const char*>attribute.name, "class") == 0 or strcmp(<const char*>attribute.name, "id") == 0:
                        values.add(self._walk._value(self._nodes[place], attribute))
                    attribute = attribute.next
        return frozenset(" ".join(values).lower().split())

    cdef int _take(self, Nodes* owners, blocks, int part) except -1:
        cdef Py_ssize_t index, place, last = -1
        cdef bint wanted = False
        for index in range(owners.size):
            place = owners.places[index]
            if place != last:
                wanted, last = place in blocks, place
            if not wanted:
                continue
            if part == TAIL:
                self._add(owners.nodes[index], TAIL)
                self._open_way(owners.nodes[index].parent)
            else:
                if part == TEXT:
                    self._add(owners.nodes[index], TEXT)
                self._open_way(owners.nodes[index])
        return 0

    cdef int _open_way(self, xmlNode* node) except -1:
        while node is not NULL and node.type == XML_ELEMENT_NODE and not self._parts_of(node) & INSIDE:
            self._add(node, INSIDE)
            node = node.parent
        return 0

    cdef int _parts_of(self, xmlNode* node) noexcept:
        cdef size_t place = (<size_t>node >> 4) & self._mask
        while self._nodes[place] is not NULL:
            if self._nodes[place] == node:
                return self._parts[place]
            place = (place + 1) & self._mask
        return 0

    cdef int _add(self, xmlNode* node, int part) except -1:
        cdef size_t place
        if 2 * self._count > self._mask:
            self._make_room(4 * (self._mask + 1))
        place = (<size_t>node >> 4) & self._mask
        while self._nodes[place] is not NULL and self._nodes[place] != node:
            place = (place + 1) & self._mask
        if self._nodes[place] is NULL:
            self._nodes[place] = node
            self._count += 1
        self._parts[place] |= part
        return 0

    cdef int _make_room(self, size_t room) except -1:
        cdef xmlNode** nodes = self._nodes
        cdef unsigned char* parts = self._parts
        cdef size_t before = self._mask + 1 if nodes is not NULL else 0, place
        self._nodes = <xmlNode**>PyMem_Calloc(room, sizeof(void*))
        self._parts = <unsigned char*>PyMem_Calloc(room, 1)
        self._mask, self._count = room - 1, 0
        try:
            if self._nodes is NULL or self._parts is NULL:
                raise MemoryError
            for place in range(before):
                if nodes[place] is not NULL:
                    self._add(nodes[place], parts[place])
        finally:
            PyMem_Free(nodes)
            PyMem_Free(parts)
        return 0
