# The walk through a page that makes its blocks.

cdef enum:
    # kinds of tags, as in tags.py: those up to LINK are inline, those from DROP on are not walked into
    INLINE, LINK, BLOCK, PRE, BUTTON, DROP, BREAK, ATOM, SVG

cdef enum:
    # flags of elements, as in tags.py
    MAIN_FLAG = 1
    ARTICLE_FLAG = 2
    ASIDE_FLAG = 4
    FOOTER_FLAG = 8
    HEADER_FLAG = 16
    CAPTION_FLAG = 32
    PARAGRAPH_FLAG = 64
    ITEM_FLAG = 128
    HIDDEN_FLAG = 1024
    CHROME_FLAG = 8192
    TABLE_ROLE_FLAG = 32768
    OUTSIDE = FOOTER_FLAG | HEADER_FLAG | CHROME_FLAG

cdef enum:
    INSIDE = 1  # parts of an element, as in walker.py
    TEXT = 2
    TAIL = 4
    HOLDS = 8

cdef enum:
    MOST_BLOCKS = 20_000  # more than any page a person reads; the walk stops there


cdef class PageTags:
    """What tags, roles and attributes mean to the walk."""

    cdef dict kinds, kinds_in_pre, flags, role_flags, headings
    cdef frozenset blocks_in_svg
    cdef object is_hiding_style, is_hiding_class, is_panel_button

    def __init__(self, *, kinds, kinds_in_pre, flags, role_flags, headings, blocks_in_svg, is_hiding_style, is_hiding_class,
                 is_panel_button):
        self.kinds, self.kinds_in_pre, self.flags = kinds, kinds_in_pre, flags
        self.role_flags, self.headings, self.blocks_in_svg = role_flags, headings, frozenset(blocks_in_svg)
        self.is_hiding_style, self.is_hiding_class = is_hiding_style, is_hiding_class
        self.is_panel_button = is_panel_button


cdef enum:
    TAG_SLOTS = 512  # for the names of tags; one more for those that find no room
    MOST_NAMES = 384


cdef struct PlacedNode:
    xmlNode* node
    Py_ssize_t place


cdef struct Nodes:
    PlacedNode* entries
    Py_ssize_t size
    Py_ssize_t room


cdef struct Box:
    int parent, flags, level, names, identity
    Py_ssize_t first, last  # its first block, and one past its last; 0 while it is open


cdef struct Block:
    int box, links
    Py_ssize_t link_chars


cdef void* grow(void* array, Py_ssize_t* room, size_t size) except NULL:
    """More room for the entries of an array."""
    cdef void* moved
    room[0] = 2 * room[0] if room[0] else 64
    moved = PyMem_Realloc(array, room[0] * size)
    if moved is NULL:
        raise MemoryError
    return moved


cdef int push(Nodes* to, xmlNode* node, Py_ssize_t place) except -1:
    if to.size == to.room:
        to.entries = <PlacedNode*>grow(to.entries, &to.room, sizeof(PlacedNode))
    to.entries[to.size].node, to.entries[to.size].place = node, place
    to.size += 1
    return 0


cdef bint is_cell(xmlNode* node) noexcept:
    return strcmp(<const char*>node.name, "td") == 0 or strcmp(<const char*>node.name, "th") == 0


cdef class Walk:
    """Goes through a page once, and then knows its blocks, its boxes and the elements that the text came from."""

    cdef readonly list texts, image_places
    cdef readonly bint cut, has_role_table
    cdef PageTags _rules
    cdef _Document _document
    cdef list _box_tags
    cdef Box* _boxes
    cdef Py_ssize_t _size, _box_room
    cdef Block* _blocks
    cdef Py_ssize_t _block_room
    cdef int* _open_kinds  # of the open elements
    cdef Py_ssize_t _open, _open_room
    # the block that is being read: its text as it stands in the page, and the links in it
    cdef char* _text
    cdef Py_ssize_t _filled, _text_room, _link_chars
    cdef int _links, _open_links, _box
    cdef bint _in_pre, _broken
    cdef Nodes _heads, _tails, _atoms, _images  # places of heads and tails: the block they are in
    cdef Py_ssize_t _kept_heads, _kept_tails  # those of finished blocks
    cdef const_xmlChar* _slot_names[TAG_SLOTS + 1]
    cdef int _kinds[TAG_SLOTS + 1]
    cdef int _kinds_in_pre[TAG_SLOTS + 1]
    cdef int _flags[TAG_SLOTS + 1]
    cdef int _levels[TAG_SLOTS + 1]
    cdef bint _is_block_in_svg[TAG_SLOTS + 1]
    cdef list _tags
    cdef int _known
    cdef list _values  # of classes and ids
    cdef dict _numbers  # of values
    cdef dict _hiding  # whether a class hides its element, by the number of its value

    def __cinit__(self, PageTags rules not None):
        self._rules = rules
        self.texts, self.image_places, self._box_tags = [], [], []
        self._tags = [None] * (TAG_SLOTS + 1)
        self._values, self._numbers, self._hiding = [""], {"": 0}, {0: False}
        self._box = -1

    def __dealloc__(self):
        PyMem_Free(self._boxes)
        PyMem_Free(self._blocks)
        PyMem_Free(self._open_kinds)
        PyMem_Free(self._text)
        PyMem_Free(self._heads.entries)
        PyMem_Free(self._tails.entries)
        PyMem_Free(self._atoms.entries)
        PyMem_Free(self._images.entries)

    def images(self, blocks, classes):
        cdef Py_ssize_t index
        cdef list found = []
        cdef xmlNode* node
        cdef xmlAttr* attribute
        cdef bytes names, one
        for index in range(self._images.size):
            node = self._images.entries[index].node
            attribute = find_attribute(node, "class")
            if attribute is NULL or self._images.entries[index].place not in blocks:
                continue
            names = value_of(node, attribute).encode()
            for one in classes:
                if one in names:
                    found.append(elementFactory(self._document, node))
                    break
        return found

    def choose_parts(self, blocks, list more):
        return ChosenParts(self, blocks, more)

    def list_boxes(self):
        cdef Py_ssize_t index, size = self._size, end = len(self.texts)
        cdef list parents = [None] * size, flags = [None] * size, levels = [None] * size
        cdef list first = [None] * size, last = [None] * size, names = [None] * size, ids = [None] * size
        cdef list numbers = list(range(-1, max(size, end) + 1))  # one object for each of them
        cdef Box* box
        for index in range(size):
            box = &self._boxes[index]
            parents[index] = numbers[box.parent + 1]
            flags[index] = box.flags
            levels[index] = box.level
            names[index], ids[index] = self._values[box.names], self._values[box.identity]
            first[index] = numbers[box.first + 1]
            last[index] = numbers[(box.last or end) + 1]
        return parents, list(self._box_tags), names, ids, flags, levels, first, last

    def list_blocks(self):
        cdef Py_ssize_t index, size = len(self.texts)
        cdef list boxes = [None] * size, link_chars = [None] * size, links = [None] * size
        for index in range(size):
            boxes[index] = self._blocks[index].box
            link_chars[index] = self._blocks[index].link_chars
            links[index] = self._blocks[index].links
        return boxes, link_chars, links

    def walk(self, list roots):
        """Walk through the page; no depth of nesting can exhaust the stack."""
        cdef _Element root
        for root in roots:
            self._document = root._doc
            self._walk_tree(root._c_node)
            if self.cut:
                return
        self._flush()

    cdef int _walk_tree(self, xmlNode* root) except -1:
        cdef xmlNode* node = root
        cdef xmlNode* child
        cdef int kind, slot
        self._open = 0
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
                    if self._open == self._open_room:
                        self._open_kinds = <int*>grow(self._open_kinds, &self._open_room, sizeof(int))
                    self._open_kinds[self._open] = kind
                    self._open += 1
                    node = child
                    continue
                if kind:
                    self._leave(kind)
            while True:
                if node == root:
                    return 0
                child = self._take_texts(node.next, node, &self._tails)
                if child is not NULL:
                    node = child
                    break
                if len(self.texts) >= MOST_BLOCKS:
                    self._flush()
                    self.cut = True
                    return 0
                node = node.parent
                self._open -= 1
                kind = self._open_kinds[self._open]
                if kind:
                    self._leave(kind)

    cdef xmlNode* _take_texts(self, xmlNode* node, xmlNode* owner, Nodes* owners) except? NULL:
        """Put the text from a node on into the block, and find the next element, if there is one."""
        cdef bytes joined
        while node is not NULL and node.type != XML_ELEMENT_NODE:
            if starts_text(node):
                if node.next is NULL or not is_text(node.next):
                    self._add(<const char*>node.content, strlen(<const char*>node.content), owner, owners)
                else:
                    joined = join_texts(node)
                    self._add(joined, len(joined), owner, owners)
            node = node.next
        return node

    cdef int _add(self, const char* content, Py_ssize_t size, xmlNode* owner, Nodes* owners) except -1:
        """Put text into the block; blanks in front of it do not count, but in code."""
        cdef Py_ssize_t start = 0, end = size
        cdef bint blank
        if not size:
            return 0
        while start < size and is_blank(<unsigned char>content[start]):
            start += 1
        blank = start == size
        if not blank and is_wide_blank(<const unsigned char*>content + start, size - start):
            blank = PyUnicode_DecodeUTF8(content + start, size - start, NULL).isspace()
        if blank:
            if not self._filled and not self._in_pre:
                return 0
            self._put(" ", 1)
        else:
            self._put(content, size)
            self._broken = False
            if self._open_links:
                while is_blank(<unsigned char>content[end - 1]):
                    end -= 1
                self._link_chars += strip_length(content + start, end - start)
        return push(owners, owner, len(self.texts))

    cdef int _put(self, const char* content, Py_ssize_t size) except -1:
        while self._filled + size > self._text_room:
            self._text = <char*>grow(self._text, &self._text_room, 1)
        memcpy(self._text + self._filled, content, size)
        self._filled += size
        return 0

    cdef int _slot(self, const_xmlChar* name) except -1:
        """Where what is known about a tag stands; libxml2 has one copy of each name."""
        cdef size_t slot = (<size_t>name >> 3) % TAG_SLOTS
        while self._slot_names[slot] is not NULL:
            if self._slot_names[slot] == name:
                return <int>slot
            slot = (slot + 1) % TAG_SLOTS
        if self._known >= MOST_NAMES:
            slot = TAG_SLOTS
        else:
            self._known += 1
            self._slot_names[slot] = name
        tag = intern((<const char*>name).decode("utf-8"))  # whoever compares it with a name finds the very same
        self._tags[slot] = tag
        self._kinds[slot] = self._rules.kinds.get(tag, BLOCK)
        self._kinds_in_pre[slot] = self._rules.kinds_in_pre.get(tag, BLOCK)
        self._flags[slot] = self._rules.flags.get(tag, 0)
        self._levels[slot] = self._rules.headings.get(tag, -1)
        self._is_block_in_svg[slot] = tag in self._rules.blocks_in_svg
        return <int>slot

    cdef str _tag_of(self, xmlNode* node):
        """The tag of an element, the same object for the same tag, so that it is hashed once."""
        return self._tags[self._slot(node.name)]

    cdef list _attribute_names(self, element, xmlNode* node):
        """The names of the attributes of an element, which share what is known of the names of tags."""
        cdef xmlAttr* attribute = node.properties
        cdef list names = []
        while attribute is not NULL:
            if attribute.ns is not NULL:
                return element.keys()
            names.append(self._tags[self._slot(attribute.name)])
            attribute = attribute.next
        return names

    cdef int _enter_odd(self, xmlNode* node, int kind, int slot) except -1:
        """How to take an element that is seldom walked into."""
        cdef xmlNode* inner
        cdef xmlAttr* attribute
        if kind == BUTTON:
            if self._box >= 0 and self._boxes[self._box].level:
                return INLINE
            self._flush()
            return BLOCK if self._rules.is_panel_button(elementFactory(self._document, node)) else DROP
        if kind == BREAK:
            if self._broken:
                self._flush()
            elif self._filled:
                self._put(" ", 1)
                push(&self._atoms, node, len(self.texts))
                self._broken = True
        elif kind == ATOM:
            push(&self._atoms, node, len(self.texts))
            self._put(" ", 1)
        elif kind == SVG:
            inner = next_element(node, node)
            while inner is not NULL:
                if self._is_block_in_svg[self._slot(inner.name)]:
                    return INLINE
                inner = next_element(inner, node)
        elif self._tags[slot] == "img":
            push(&self._images, node, len(self.texts))
            self.image_places.append(len(self.texts))
        elif self._tags[slot] == "script":
            attribute = find_attribute(node, "type")
            if attribute is not NULL and value_of(node, attribute).startswith("math/tex"):
                push(&self._atoms, node, len(self.texts))
        return DROP

    cdef bint _open_box(self, xmlNode* node, int kind, int slot) except -1:
        """Start a box; false for one that is never the point of a page."""
        cdef int above = 0, level = 0, flags
        cdef xmlAttr* attribute = node.properties
        cdef int label = 0, identity = 0
        cdef bint is_set_apart = False
        cdef str value, style = None
        cdef Box* box
        if kind == PRE:
            self._in_pre = True
        if self._filled:
            self._flush()
        if self._box >= 0:
            above, level = self._boxes[self._box].flags, self._boxes[self._box].level
        flags = above | self._flags[slot]
        while attribute is not NULL:
            if is_called(attribute, "class"):
                label = self._number_value(node, attribute)
            elif is_called(attribute, "id"):
                identity = self._number_value(node, attribute)
            elif is_called(attribute, "role"):
                flags |= <int>self._rules.role_flags.get(value_of(node, attribute).strip().lower(), 0)
                self.has_role_table |= (flags & TABLE_ROLE_FLAG) != 0
            elif is_called(attribute, "style"):
                value = value_of(node, attribute)
                style = value if "none" in value or "hidden" in value else None
            elif is_called(attribute, "hidden"):
                is_set_apart = True
            elif is_called(attribute, "aria-hidden"):
                is_set_apart |= value_of(node, attribute) == "true"
            attribute = attribute.next
        # as `tags.is_hidden`: a style that speaks of hiding decides alone
        if self._rules.is_hiding_style(style) if style is not None else is_set_apart or self._hides(label):
            flags |= HIDDEN_FLAG
        if flags & ~above & OUTSIDE and self._is_superfluous(node, slot, flags & ~above, above):
            return False
        if self._levels[slot] >= 0:
            level = self._levels[slot]
        if self._size == self._box_room:
            self._boxes = <Box*>grow(self._boxes, &self._box_room, sizeof(Box))
        box = &self._boxes[self._size]
        box.parent, box.flags, box.level, box.first, box.last = self._box, flags, level, len(self.texts), 0
        box.names, box.identity = label, identity
        self._box_tags.append(self._tags[slot])
        self._box = <int>self._size
        self._size += 1
        return True

    cdef bint _is_superfluous(self, xmlNode* node, int slot, int fresh, int above) except -1:
        """As `tags.is_superfluous`."""
        cdef xmlNode* inner
        if fresh & CHROME_FLAG:
            return True
        if above & ARTICLE_FLAG:
            return False
        if fresh & FOOTER_FLAG:
            return True
        if above & MAIN_FLAG or self._tags[slot] != "header":
            return False
        inner = next_element(node, node)
        while inner is not NULL:
            if self._levels[self._slot(inner.name)] == 1:
                return False
            inner = next_element(inner, node)
        return True

    cdef int _number_value(self, xmlNode* node, xmlAttr* attribute) except -1:
        """Return the number of a value in the list of them."""
        cdef str value = value_of(node, attribute)
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self._values)
            self._values.append(value)
        return number

    cdef bint _hides(self, int label) except -1:
        """Whether a class hides its element."""
        hides = self._hiding.get(label)
        if hides is None:
            hides = self._hiding[label] = self._rules.is_hiding_class(self._values[label])
        return hides

    cdef int _leave(self, int kind) except -1:
        cdef Box* box
        if kind == LINK:
            self._open_links -= 1
            return 0
        if kind == PRE:
            self._in_pre = False
        if self._filled:
            self._flush()
        box = &self._boxes[self._box]
        if box.first == len(self.texts):  # nothing in it, so everything behind it in the table is empty as well
            self._size = self._box
            del self._box_tags[self._size:]
        else:
            box.last = len(self.texts)
        self._box = box.parent
        return 0

    cdef int _flush(self) except -1:
        """End the block."""
        cdef str text
        cdef Block* block
        cdef Py_ssize_t blocks = len(self.texts)
        self._broken = False
        if not self._filled:
            return 0
        text = fold(self._text, self._filled)
        self._filled = 0
        if text and self._box >= 0:
            if blocks >= self._block_room:
                self._blocks = <Block*>grow(self._blocks, &self._block_room, sizeof(Block))
            block = &self._blocks[blocks]
            block.box, block.links, block.link_chars = self._box, self._links, self._link_chars
            if block.link_chars:
                block.link_chars, block.links = min(block.link_chars, len(text)), block.links or 1
            self.texts.append(text)
            self._kept_heads, self._kept_tails = self._heads.size, self._tails.size
        else:
            self._heads.size, self._tails.size = self._kept_heads, self._kept_tails
        self._link_chars = self._links = 0
        return 0


cdef bint holds_element(xmlNode* node) noexcept:
    """Whether there is anything but text in an element."""
    node = node.children
    while node is not NULL and is_text(node):
        node = node.next
    return node is not NULL


cdef str text_from(xmlNode* node):
    """Return the text that starts at a node, None if there is none."""
    return join_texts(node).decode("utf-8") if node is not NULL and is_text(node) else None


cdef class ChosenParts:
    """The elements that some blocks are made of, and all those around them. Nodes are found by their address."""

    cdef Walk _walk
    cdef HashTable _parts

    def __cinit__(self, Walk walk, blocks, list more):
        cdef _Element element
        self._walk, self._parts = walk, HashTable()
        self._take(&walk._heads, blocks, TEXT)
        self._take(&walk._tails, blocks, TAIL)
        self._take(&walk._atoms, blocks, INSIDE)
        for element in more:
            self._open_way(element._c_node)

    def among(self, list elements):
        cdef _Element element
        return [(element, self._parts.get(<size_t>element._c_node)) for element in elements if self._parts.get(<size_t>element._c_node)]

    def children(self, _Element element not None):
        cdef xmlNode* child = element._c_node.children
        cdef bint is_row = strcmp(<const char*>element._c_node.name, "tr") == 0
        cdef list found = []
        cdef int parts
        cdef Walk walk = self._walk
        while child is not NULL:
            if child.type == XML_ELEMENT_NODE:
                parts = self._parts.get(<size_t>child)
                if is_row and not parts and is_cell(child):
                    parts = INSIDE
                if parts:
                    made = elementFactory(walk._document, child)
                    text = text_from(child.children) if parts & TEXT else None
                    tail = text_from(child.next) if parts & TAIL else None
                    if holds_element(child):
                        parts |= HOLDS
                    found.append((made, parts, walk._tag_of(child), walk._attribute_names(made, child), text, tail))
            child = child.next
        return found

    def names(self):
        cdef size_t place
        cdef NameCollector collector = NameCollector()
        for place in range(self._parts.mask + 1):
            if self._parts.numbers[place] & INSIDE:
                collector.add(<xmlNode*><size_t>self._parts.keys[place])
        return collector.names()

    cdef int _take(self, Nodes* owners, blocks, int part) except -1:
        cdef Py_ssize_t index, place, last = -1
        cdef xmlNode* node
        cdef bint wanted = False
        for index in range(owners.size):
            node, place = owners.entries[index].node, owners.entries[index].place
            if place != last:
                wanted, last = place in blocks, place
            if not wanted:
                continue
            if part == TAIL:
                self._mark(node, TAIL)
                self._open_way(node.parent)
            else:
                if part == TEXT:
                    self._mark(node, TEXT)
                self._open_way(node)
        return 0

    cdef int _mark(self, xmlNode* node, int part) except -1:
        return self._parts.set(<size_t>node, self._parts.get(<size_t>node) | part)

    cdef int _open_way(self, xmlNode* node) except -1:
        while node is not NULL and node.type == XML_ELEMENT_NODE and not self._parts.get(<size_t>node) & INSIDE:
            self._mark(node, INSIDE)
            node = node.parent
        return 0


cdef class Candidates:
    """The elements in another one that may be hidden, in document order, itself included.

    These are elements with one of some tags ("*" for all), and those with an attribute of which `concerns(name, value)`
    is true; it is called once for a value. With `parts`, only they and the elements right in them and in their cells.
    """

    cdef readonly Py_ssize_t depth
    cdef readonly Py_ssize_t least_depth  # of the elements after the last candidate, up to this one
    cdef _Element _root
    cdef HashTable _parts
    cdef xmlNode* _node
    cdef object _tags, _concerns
    cdef HashTable _tag_verdicts  # 2 for candidates, 1 for others; libxml2 has one copy of each name
    cdef list _names, _verdicts
    cdef bint _all
    cdef list _outer  # the depths at which all elements began or ceased to be candidates, and what was before

    def __init__(self, _Element root not None, tags, names, concerns, ChosenParts parts=None):
        self._parts = parts._parts if parts is not None else None
        self._root, self._tags, self._concerns = root, tags, concerns
        self._node = NULL
        self._tag_verdicts, self._names = HashTable(), [name.encode() for name in names]
        self._verdicts = [{} for _ in self._names]
        self._all, self._outer = "*" in tags, []
        self.depth = 0

    def watch_all(self, bint is_strict):
        """Whether all elements in the last candidate are candidates."""
        is_strict = is_strict or "*" in self._tags
        if is_strict != self._all:
            self._outer.append((self.depth, self._all))
            self._all = is_strict

    def next(self, bint inside):
        """Return the next candidate, None at the end. Skip all in the last one if not `inside`."""
        self.least_depth = self.depth + 1
        while self._advance(inside):
            self.least_depth = min(self.least_depth, self.depth)
            if self._all or self._is_candidate():
                return elementFactory(self._root._doc, self._node)
            inside = True
        return None

    cdef bint _advance(self, bint inside) except -1:
        cdef xmlNode* node = self._node
        cdef xmlNode* found = NULL
        if node is NULL:
            self._node = self._root._c_node
            return True
        if inside:
            found = self._find_part(node.children)
            if found is not NULL:
                self.depth += 1
        while found is NULL:
            if node is self._root._c_node:
                return False
            found = self._find_part(node.next)
            if found is NULL:
                node = node.parent
                self.depth -= 1
        while self._outer and self._outer[len(self._outer) - 1][0] >= self.depth:
            self._all = self._outer.pop()[1]
        self._node = found
        return True

    cdef xmlNode* _find_part(self, xmlNode* node) noexcept:
        """Return the first element among a node and its next siblings that is not left out."""
        while node is not NULL:
            if node.type == XML_ELEMENT_NODE and (
                self._parts is None
                or self._parts.get(<size_t>node)
                or self._parts.get(<size_t>node.parent)
                or (is_cell(node.parent) and self._parts.get(<size_t>node.parent.parent))
            ):
                break
            node = node.next
        return node

    cdef bint _is_candidate(self) except -1:
        cdef xmlAttr* attribute = self._node.properties
        cdef Py_ssize_t index
        cdef bytes name
        cdef str value
        cdef int tag_verdict = self._tag_verdicts.get(<size_t>self._node.name)
        if not tag_verdict:
            tag_verdict = 2 if (<const char*>self._node.name).decode("utf-8") in self._tags else 1
            self._tag_verdicts.set(<size_t>self._node.name, tag_verdict)
        if tag_verdict == 2:
            return True
        while attribute is not NULL:
            for index, name in enumerate(self._names):
                if is_called(attribute, name):
                    value = value_of(self._node, attribute)
                    verdict = (<dict>self._verdicts[index]).get(value)
                    if verdict is None:
                        verdict = self._concerns(name.decode(), value)
                        (<dict>self._verdicts[index])[value] = verdict
                    if verdict:
                        return True
                    break
            attribute = attribute.next
        return False
