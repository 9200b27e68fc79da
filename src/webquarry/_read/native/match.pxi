# Style sheets and selectors.

# Attributes: several times as fast as `element.get()`.


cdef read_attribute(_Element element, const char* name):
    cdef xmlAttr* attribute = NULL
    if element._c_node.type == XML_ELEMENT_NODE:
        attribute = element._c_node.properties
    while attribute is not NULL and (attribute.ns is not NULL or not is_called(attribute, name)):
        attribute = attribute.next
    return None if attribute is NULL else value_of(element._c_node, attribute)


def find_value(_Element element not None, str name not None):
    """Return the value of an attribute without namespace, or None."""
    return read_attribute(element, PyUnicode_AsUTF8(name))


# Style sheets as bytes.

cdef enum:
    PLAIN, NAME, ODD, POINT, COMMA, BLANK, CHILD, SIBLING, OPEN, CLOSE, SQUARE, QUOTE  # kinds of bytes

cdef enum:
    FOREIGN, RELATED, EXACT  # how selectors fit to a set of names

cdef enum:
    STYLE_RULE, GROUP, IGNORED  # kinds of blocks

cdef enum:
    DEEPEST = 256  # blocks inside blocks

cdef unsigned char CSS_KINDS[256]


cdef void describe_css_bytes() noexcept:
    cdef int byte
    for byte in range(256):
        CSS_KINDS[byte] = ODD if byte >= 128 or byte == 92 else PLAIN
        if 97 <= LOWER[byte] <= 122 or 48 <= byte <= 57 or byte == 45 or byte == 95:
            CSS_KINDS[byte] = NAME
    for byte in b" \t\n\r\f\v":
        CSS_KINDS[byte] = BLANK
    CSS_KINDS[46] = CSS_KINDS[35] = POINT
    CSS_KINDS[34] = CSS_KINDS[39] = QUOTE
    CSS_KINDS[43] = CSS_KINDS[126] = SIBLING
    CSS_KINDS[44], CSS_KINDS[62], CSS_KINDS[40], CSS_KINDS[41], CSS_KINDS[91] = COMMA, CHILD, OPEN, CLOSE, SQUARE


describe_css_bytes()


cdef uint64_t hash_name(const unsigned char* name, Py_ssize_t size) noexcept:
    """Hash a name without regard to case; 0 is not used."""
    cdef uint64_t found = 14695981039346656037u
    cdef Py_ssize_t index
    for index in range(size):
        found = (found ^ LOWER[name[index]]) * 1099511628211u
    return found or 1


cdef class NameSet:
    """Class names, ids and tags, compared without regard to case."""

    cdef HashTable hashes

    def __cinit__(self, names):
        cdef bytes name
        self.hashes = HashTable()
        for text in names:
            name = text.encode("utf-8", "replace")
            self.hashes.set(hash_name(<const unsigned char*>PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name)), 1)

    cdef bint contains(self, const unsigned char* name, Py_ssize_t size) noexcept:
        """Whether a name is in the set; names with numeric escapes, other letters or of a great length count as known."""
        cdef unsigned char plain[128]
        cdef Py_ssize_t index = 0, length = 0
        if size >= 128:
            return True
        while index < size:
            if name[index] == 92:
                index += 1
                if index >= size or 48 <= name[index] <= 57 or 97 <= LOWER[name[index]] <= 102:
                    return True
            if name[index] >= 128:
                return True
            plain[length] = name[index]
            length += 1
            index += 1
        return self.hashes.get(hash_name(plain, length)) > 0

    def concerns(self, str selector not None):
        """Whether a selector needs only names of the set."""
        cdef bytes text = selector.encode("utf-8", "replace")
        return self.fit(<const unsigned char*>PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text)) == EXACT

    cdef int fit(self, const unsigned char* text, Py_ssize_t size) noexcept:
        """Return EXACT if a selector of the list needs only names of the set, RELATED if it has one of them.

        Names in brackets and those of siblings are not needed.
        """
        cdef Py_ssize_t place = 0, start
        cdef int depth = 0, kind
        cdef unsigned char quote
        cdef bint gap = False, known, own_known = True, all_known = True, any_known = False, any_exact = False
        cdef bint has_escape = memchr(text, 92, size) is not NULL  # its blank is part of a name
        cdef bint begins = True  # a compound
        while place < size:
            kind = CSS_KINDS[text[place]]
            if begins and kind == NAME and not depth and not has_escape:
                if gap:
                    all_known, own_known, gap = all_known and own_known, True, False
                start = place
                while place < size and (CSS_KINDS[text[place]] == NAME or CSS_KINDS[text[place]] == ODD):
                    place += 2 if text[place] == 92 else 1
                place = min(place, size)
                begins = False
                if place == size or text[place] != 124:  # not a namespace
                    own_known = own_known and self.contains(text + start, place - start)
                continue
            begins = kind == BLANK or kind == CHILD or kind == SIBLING or kind == COMMA
            if kind == QUOTE:
                quote = text[place]
                place += 1
                while place < size and text[place] != quote:
                    place += 1
            elif kind == OPEN or kind == SQUARE:
                if gap and depth == 0:
                    all_known, own_known, gap = all_known and own_known, True, False
                depth += 1
            elif kind == CLOSE or text[place] == 93:
                depth -= depth > 0
            elif depth:
                pass
            elif kind == BLANK:
                gap = True
            elif kind == CHILD:
                all_known, own_known, gap = all_known and own_known, True, False
            elif kind == SIBLING:
                own_known, gap = True, False
            elif kind == COMMA:
                any_exact = any_exact or (all_known and own_known)
                all_known = own_known = True
                gap = False
            else:
                if gap:
                    all_known, own_known, gap = all_known and own_known, True, False
                if kind == POINT:
                    start = place + 1
                    place = start
                    while place < size and (CSS_KINDS[text[place]] == NAME or CSS_KINDS[text[place]] == ODD):
                        place += 2 if text[place] == 92 else 1
                    place = min(place, size)
                    known = self.contains(text + start, place - start)
                    own_known = own_known and known
                    any_known = any_known or known
                    continue
            place += 1
        if any_exact or (all_known and own_known):
            return EXACT
        return RELATED if any_known else FOREIGN


cdef Py_ssize_t end_of_string(const unsigned char* text, Py_ssize_t size, Py_ssize_t place) noexcept:
    """Return the place behind a string whose quote is at `place`; it ends at its quote or at the end of the line."""
    cdef unsigned char quote = text[place]
    place += 1
    while place < size and text[place] != quote and text[place] != 10:
        place += 2 if text[place] == 92 else 1
    return min(place + 1, size)


cdef Py_ssize_t end_of_bracket(const unsigned char* text, Py_ssize_t size, Py_ssize_t place) noexcept:
    """Return the place behind the bracket at `place`; behind the whole of an address without quotes."""
    cdef Py_ssize_t end = place + 1
    if place < 3 or LOWER[text[place - 3]] != 117 or LOWER[text[place - 2]] != 114 or LOWER[text[place - 1]] != 108:
        return end
    while end < size and CSS_KINDS[text[end]] == BLANK:
        end += 1
    if end >= size or CSS_KINDS[text[end]] == QUOTE:
        return place + 1
    while end < size and text[end] != 41:
        end += 2 if text[end] == 92 else 1
    return min(end + 1, size)


cdef inline bint in_word(unsigned char byte) noexcept:
    return CSS_KINDS[byte] == NAME or CSS_KINDS[byte] == ODD


def strip_comments(bytes css not None):
    """Remove comments outside of strings; a space is left between two words."""
    cdef const unsigned char* text
    cdef const unsigned char* end
    cdef char* made
    cdef Py_ssize_t size, place = 0, start = 0, length = 0
    cdef bytes result
    if css.find(b"<!--") >= 0 or css.find(b"-->") >= 0:
        css = css.replace(b"<!--", b" ").replace(b"-->", b" ")
    if css.find(b"/*") < 0:
        return css
    text, size = <const unsigned char*>PyBytes_AS_STRING(css), PyBytes_GET_SIZE(css)
    result = PyBytes_FromStringAndSize(NULL, size)
    made = PyBytes_AS_STRING(result)
    while place < size:
        place += strcspn(<const char*>text + place, b"/\"'\\(")
        if place >= size:
            break
        if text[place] == 47:
            if place + 1 >= size or text[place + 1] != 42:
                place += 1
                continue
            memcpy(made + length, text + start, place - start)
            length += place - start
            place += 2
            while True:
                end = <const unsigned char*>memchr(text + place, 42, size - place)
                if end is NULL or end - text + 1 >= size:
                    place = size
                    break
                place = end - text + 1
                if text[place] == 47:
                    place += 1
                    break
            start = place
            if length and in_word(made[length - 1]) and place < size and in_word(text[place]):
                made[length] = 32
                length += 1
        elif text[place] == 92:
            place += 2
        elif text[place] == 40:
            place = end_of_bracket(text, size, place)
        else:
            place = end_of_string(text, size, place)
    if start < size:
        memcpy(made + length, text + start, size - start)
        length += size - start
    return result[:length]


cdef class RuleScan:
    """One pass over a sheet without comments."""

    cdef const unsigned char* text
    cdef Py_ssize_t size
    cdef NameSet names
    cdef int least_fit
    cdef list found
    cdef list chains  # the preludes around a block, by its depth, or None
    cdef Py_ssize_t starts[DEEPEST]
    cdef Py_ssize_t ends[DEEPEST]
    cdef unsigned char kinds[DEEPEST]
    cdef unsigned char in_style[DEEPEST]
    cdef Py_ssize_t depth
    cdef Py_ssize_t beyond  # open blocks that are nested too deep

    cdef list run(self, bytes css, tuple around):
        cdef Py_ssize_t place = 0, segment = 0
        cdef unsigned char sign
        self.text, self.size = <const unsigned char*>PyBytes_AS_STRING(css), PyBytes_GET_SIZE(css)
        self.found, self.chains, self.depth, self.beyond = [], [around], 0, 0
        while place < self.size:
            place += strcspn(<const char*>self.text + place, b"{}\"'\\(")
            if place >= self.size:
                break
            sign = self.text[place]
            if sign == 123:
                self.open_block(segment, place)
                place += 1
                segment = place
            elif sign == 125:
                place += 1
                if self.depth:  # a stray one spoils the next rule
                    self.close_block(segment, place - 1)
                    segment = place
            elif sign == 92:
                place += 2
            elif sign == 40:
                place = end_of_bracket(self.text, self.size, place)
            else:
                place = end_of_string(self.text, self.size, place)
        while self.depth:
            self.close_block(segment, self.size)
            segment = self.size
        self.read_statements(segment, self.size)
        return self.found

    cdef int open_block(self, Py_ssize_t start, Py_ssize_t end) except -1:
        cdef Py_ssize_t cut = end
        cdef int kind = STYLE_RULE
        if self.depth and self.in_style[self.depth - 1]:
            while cut > start and self.text[cut - 1] != 59:
                cut -= 1
            if cut > start:
                self.add_own(self.depth - 1, start, cut - 1)
                start = cut
        else:
            start = self.read_statements(start, end)
        while start < end and CSS_KINDS[self.text[start]] == BLANK:
            start += 1
        if self.depth == DEEPEST:
            self.beyond += 1
            return 0
        if start < end and self.text[start] == 64:
            kind = GROUP if is_condition(self.text + start + 1, end - start - 1) else IGNORED
        elif memchr(self.text + start, 59, end - start) is not NULL:
            kind = IGNORED
        if self.depth and self.kinds[self.depth - 1] == IGNORED:
            kind = IGNORED
        self.starts[self.depth], self.ends[self.depth], self.kinds[self.depth] = start, end, kind
        self.in_style[self.depth] = kind == STYLE_RULE or (self.depth > 0 and self.in_style[self.depth - 1])
        self.depth += 1
        self.chains.append(None)
        return 0

    cdef int close_block(self, Py_ssize_t start, Py_ssize_t end) except -1:
        if self.beyond:
            self.beyond -= 1
            # its selectors are not known: the rule may be about anything
            self.found.append((b"*", self.text[start:end], self.chain(self.depth) + (b"@unknown",)))
            return 0
        self.add_own(self.depth - 1, start, end)
        self.depth -= 1
        self.chains.pop()
        return 0

    cdef int add_own(self, Py_ssize_t level, Py_ssize_t start, Py_ssize_t end) except -1:
        """Add declarations of the block on a level as a rule."""
        cdef const unsigned char* prelude = self.text + self.starts[level]
        cdef Py_ssize_t size = self.ends[level] - self.starts[level]
        while start < end and CSS_KINDS[self.text[start]] == BLANK:
            start += 1
        if start == end or self.kinds[level] == IGNORED:
            return 0
        if self.kinds[level] == GROUP:
            if self.in_style[level]:
                self.found.append((b"&", self.text[start:end], self.chain(level + 1)))
        elif self.names is None or self.names.fit(prelude, size) >= self.least_fit:
            self.found.append((prelude[:size], self.text[start:end], self.chain(level)))
        return 0

    cdef Py_ssize_t read_statements(self, Py_ssize_t start, Py_ssize_t end) except -1:
        """Add the layers that statements name; return the place behind the statements."""
        cdef const unsigned char* semicolon
        while True:
            while start < end and CSS_KINDS[self.text[start]] == BLANK:
                start += 1
            if start >= end or self.text[start] != 64:
                return start
            semicolon = <const unsigned char*>memchr(self.text + start, 59, end - start)
            if semicolon is NULL:
                return start
            if begins_with(self.text + start, end - start, b"@layer"):
                self.found.append((None, self.text[start:semicolon - self.text], self.chain(self.depth)))
            start = semicolon - self.text + 1

    cdef tuple chain(self, Py_ssize_t level):
        """Return the preludes of the blocks around a level, the outermost first."""
        cdef Py_ssize_t known = level
        while self.chains[known] is None:
            known -= 1
        while known < level:
            known += 1
            self.chains[known] = self.chains[known - 1] + (self.text[self.starts[known - 1]:self.ends[known - 1]],)
        return self.chains[level]


cdef bint begins_with(const unsigned char* text, Py_ssize_t size, const char* word) noexcept:
    """Whether a text starts with a word, in any case."""
    cdef Py_ssize_t place = 0
    while word[place]:
        if place >= size or LOWER[text[place]] != <unsigned char>word[place]:
            return False
        place += 1
    return place == size or CSS_KINDS[text[place]] != NAME


cdef bint is_condition(const unsigned char* name, Py_ssize_t size) noexcept:
    """Whether the rules in an at-rule are about elements on a screen."""
    while size and CSS_KINDS[name[size - 1]] == BLANK:
        size -= 1
    if begins_with(name, size, b"media"):
        return not (size == 11 and begins_with(name, size, b"media print"))
    if begins_with(name, size, b"supports") or begins_with(name, size, b"layer"):
        return True
    return begins_with(name, size, b"container") or begins_with(name, size, b"scope")


def scan_rules(bytes css not None, NameSet names, tuple around, *, bint related=False):
    """List the rules of a sheet without comments that may be about some names, None for all rules.

    A rule is a tuple of its selectors, its declarations and the preludes of the blocks around it, `around` first. A
    statement such as `@layer a, b` has no selectors. `related` includes rules in which one known name is enough.
    """
    cdef RuleScan scan = RuleScan()
    scan.names = names
    scan.least_fit = RELATED if related else EXACT
    return scan.run(css, around)


def split_declarations(bytes body not None, frozenset properties):
    """List name and value of the declarations of some properties; None means all custom properties.

    Names are in lower case, except those of custom properties. Names with escapes are included as they are.
    """
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(body)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(body), start = 0, place = 0, colon = -1, depth = 0
    cdef unsigned char sign
    cdef list found = []
    while True:
        if place >= size or (text[place] == 59 and depth == 0):
            if colon > start:
                add_declaration(text, start, colon, min(place, size), properties, found)
            if place >= size:
                return found
            place += 1
            start, colon = place, -1
            continue
        sign = text[place]
        if sign == 58:
            if colon < 0:
                colon = place
        elif sign == 92:
            place += 1
        elif sign == 34 or sign == 39:
            place = end_of_string(text, size, place)
            continue
        elif sign == 40:
            depth += 1
            place = end_of_bracket(text, size, place)
            if text[place - 1] == 41:
                depth -= 1
            continue
        elif sign == 91 or sign == 123:
            depth += 1
        elif (sign == 41 or sign == 93 or sign == 125) and depth:
            depth -= 1
        place += 1


cdef int add_declaration(
    const unsigned char* text, Py_ssize_t start, Py_ssize_t colon, Py_ssize_t end, frozenset properties, list found
) except -1:
    cdef char name[64]
    cdef Py_ssize_t size, index
    cdef Py_ssize_t behind = colon
    cdef bint is_odd = False, is_custom
    while start < behind and CSS_KINDS[text[start]] == BLANK:
        start += 1
    while behind > start and CSS_KINDS[text[behind - 1]] == BLANK:
        behind -= 1
    size = behind - start
    is_custom = size > 2 and text[start] == 45 and text[start + 1] == 45
    for index in range(size):
        is_odd = is_odd or CSS_KINDS[text[start + index]] == ODD
    if is_custom != (properties is None) and not is_odd:
        return 0
    if is_custom or is_odd:
        key = text[start:behind].decode("utf-8", "replace")
    elif size >= 64:
        return 0
    else:
        for index in range(size):
            name[index] = <char>LOWER[text[start + index]]
        key = PyUnicode_DecodeASCII(name, size, "replace")
        if key not in properties:
            return 0
    found.append((key, text[colon + 1:end].decode("utf-8", "replace").strip()))
    return 0


# Selectors.

ANCESTOR, PARENT, BESIDE, EARLIER = range(4)  # what the compound on the left is to the one on the right
ANYTHING = "*"  # the key of compounds without a name
cdef enum:
    MOST_STEPS = 64
cdef object ONE = 1  # a Python integer: masks of selectors are wider than a machine word
cdef Py_ssize_t FIRST_TESTS = 2000, TESTS_PER_ELEMENT = 50  # real pages take at most 10 per element, one took 33


cdef class ElementNames:
    """Tag, classes and id, shared by all elements that have the same."""

    cdef readonly str tag
    cdef readonly frozenset classes
    cdef readonly str identity

    def __init__(self, tag, classes, identity):
        self.tag, self.classes, self.identity = tag, classes, identity


cdef class Compound:
    """`p.note#first[lang]`: what one element must be.

    An element that matches has one of `keys`. `tests` are called with an element and the tree.
    """

    cdef readonly str text
    cdef readonly str tag
    cdef readonly str identity
    cdef readonly frozenset classes
    cdef readonly tuple tests
    cdef readonly tuple keys
    cdef readonly tuple weight

    def __init__(self, text, tag, identity, classes, tests, keys, weight):
        self.text, self.tag, self.identity, self.classes = text, tag, identity, classes
        self.tests, self.keys, self.weight = tests, keys, weight

    cpdef bint fits(self, ElementNames names) except -1:
        """Whether tag, classes and id match."""
        if self.tag and self.tag != names.tag:
            return False
        if self.identity and self.identity != names.identity:
            return False
        return self.classes <= names.classes

    cpdef bint passes(self, element, Tree tree) except -1:
        """Whether an element with matching names passes the tests."""
        for test in self.tests:
            if not test(element, tree):
                return False
        return True


cdef class Selector:
    """Compounds from left to right, each with its relation to the one before."""

    cdef readonly tuple steps
    cdef readonly tuple weight
    cdef readonly Compound last

    def __init__(self, steps):
        self.steps = steps
        self.last = steps[len(steps) - 1][1]
        ids = classes = tags = 0
        for _, compound in steps:
            weight = (<Compound>compound).weight
            ids, classes, tags = ids + weight[0], classes + weight[1], tags + weight[2]
        self.weight = (ids, classes, tags)


cdef Py_ssize_t find_name_end(str text, Py_ssize_t place) noexcept:
    """Return the end of a name of ASCII letters, digits and dashes; `place` if no name starts there."""
    cdef Py_ssize_t size = len(text), start = place
    cdef Py_UCS4 sign
    while place < size:
        sign = text[place]
        if not (97 <= sign <= 122 or 65 <= sign <= 90 or sign == 95):
            if place == start or not (sign == 45 or 48 <= sign <= 57):
                break
        place += 1
    return place


cdef Py_ssize_t skip_blanks(str text, Py_ssize_t place) noexcept:
    while place < len(text) and (text[place] == 32 or 9 <= text[place] <= 13):
        place += 1
    return place


def parse_plain(str text not None, bint folds):
    """Parse a selector of tags, classes and ids; return None where it has anything else."""
    cdef Py_ssize_t place = skip_blanks(text, 0), end, size = len(text)
    cdef list steps = []
    cdef object relation = ANCESTOR
    cdef Py_UCS4 sign
    while len(steps) < MOST_STEPS and place < size:
        compound = read_plain_compound(text, place, folds, &end)
        if compound is None:
            return None
        steps.append((relation, compound))
        place = skip_blanks(text, end)
        if place == size:
            return Selector(tuple(steps))
        sign = text[place]
        relation = ANCESTOR
        if sign == 62 or sign == 43 or sign == 126:
            relation = PARENT if sign == 62 else BESIDE if sign == 43 else EARLIER
            place = skip_blanks(text, place + 1)
        elif place == end:
            return None
    return None


cdef read_plain_compound(str text, Py_ssize_t start, bint folds, Py_ssize_t* end):
    cdef Py_ssize_t place = find_name_end(text, start), behind
    cdef str tag = text[start:place].lower(), identity = "", name
    cdef list classes = []
    while place < len(text) and (text[place] == 46 or text[place] == 35):
        behind = find_name_end(text, place + 1)
        if behind == place + 1 or (text[place] == 35 and identity):
            return None
        name = text[place + 1:behind]
        if folds:
            name = name.lower()
        if text[place] == 35:
            identity = name
        else:
            classes.append(name)
        place = behind
    end[0] = place
    if place == start:
        return None
    key = f"#{identity}" if identity else f".{min(classes)}" if classes else tag
    weight = (int(identity != ""), len(classes), int(tag != ""))
    return Compound(text[start:place], tag, identity, frozenset(classes), (), (key,), weight)


cdef class Tree:
    """A page as selectors see it, with a budget of tests that is proportional to its size.

    `left` is negative when the budget is spent. With `folds`, case does not count in names (quirks mode).
    """

    cdef readonly list roots
    cdef readonly bint folds
    cdef public Py_ssize_t left
    cdef bint is_counted
    cdef dict _names
    cdef dict _by_element
    cdef dict _memory
    cdef object _body

    def __init__(self, roots, *, folds=False, left=None):
        self.roots, self.folds = list(roots), folds
        self.left = FIRST_TESTS if left is None else left
        self.is_counted = left is not None
        self._names, self._by_element, self._memory = {}, {}, {}

    def close(self):
        """Drop all references to the page."""
        self._by_element.clear()
        self._memory.clear()

    cpdef bint spend(self, Py_ssize_t tests) except -1:
        """Count tests; return whether the budget allows them."""
        self.left -= tests
        if self.left < 0 and not self.is_counted:
            self.is_counted = True
            for root in self.roots:
                for _ in root.iter(etree.Element):
                    self.left += TESTS_PER_ELEMENT
        return self.left >= 0

    def fold(self, str name):
        return name.lower() if self.folds else name

    cpdef ElementNames names_of(self, element):
        names = self._by_element.get(element)
        if names is None:
            key = (element.tag, read_attribute(element, "class"), read_attribute(element, "id"))
            names = self._names.get(key)
            if names is None:
                classes = frozenset(self.fold(key[1] or "").split())
                names = self._names[key] = ElementNames(key[0], classes, self.fold(key[2] or ""))
            self._by_element[element] = names
        return names

    cpdef parent_of(self, element):
        """Return the parent; elements behind the end of the page belong to its body."""
        parent = element.getparent()
        if parent is not None or len(self.roots) < 2 or element is self.roots[0]:
            return parent
        if self._body is None:
            self._body = self.roots[0].find("body")
        return self._body

    cpdef list children_of(self, parent):
        if parent is None:
            return self.roots[:1]
        children = list(parent)
        if len(self.roots) > 1 and parent is self.parent_of(self.roots[1]):
            children += self.roots[1:]
        return children

    def find_possible(self, Compound compound):
        """List the elements with one of the names of a compound."""
        by_key = self._memory.get("")
        if by_key is None:
            by_key = self._memory[""] = defaultdict(list)
            for root in self.roots:
                for element in root.iter(etree.Element):
                    for key in keys_of(self.names_of(element)):
                        by_key[key].append(element)
        if any(key[0] == "[" for key in compound.keys):
            return by_key[ANYTHING]
        return [element for key in compound.keys for element in by_key.get(key, ())]

    def matches_any(self, element, tuple selectors):
        """Whether one of some selectors matches an element."""
        if not self.spend(1):
            return False
        matcher = self._memory.get(id(selectors))
        if matcher is None:
            matcher = self._memory[id(selectors)] = (Matcher(self, selectors), selectors)
        return bool((<Matcher>matcher[0]).match(element))

    def position_of(self, element, bint of_type):
        """Return the number of an element among its siblings, from the start and from the end."""
        parent = self.parent_of(element)
        places = self._memory.get((parent, of_type))
        if places is None:
            counted = defaultdict(list)
            for child in self.children_of(parent):
                counted[child.tag if of_type else ""].append(child)
            places = self._memory[parent, of_type] = {}
            for children in counted.values():
                self.spend(len(children))
                for before, child in enumerate(children):
                    places[child] = (before + 1, len(children) - before)
        return places[element]


cpdef list bits_of(number):
    """List the positions of the bits that are set."""
    cdef list places = []
    digits = bin(number)[:1:-1]
    place = digits.find("1")
    while place >= 0:
        places.append(place)
        place = digits.find("1", place + 1)
    return places


cdef list keys_of(ElementNames names):
    cdef list keys = [names.tag, ANYTHING]
    for name in names.classes:
        keys.append("." + name)
    if names.identity:
        keys.append("#" + names.identity)
    return keys


cdef tuple NOTHING = (0, 0, 0, 0)


cdef class Matcher:
    """Matches a list of selectors with elements.

    A state is a selector up to one of its compounds. A bit is set where that part has matched, and is handed on to
    the elements inside or behind, top down. So ancestors and siblings cost no search; only tests are counted.
    """

    cdef Tree tree
    cdef list compounds  # by state; those of whole selectors come first
    cdef list relations
    cdef object start  # states that need nothing on the left
    cdef object beside  # states that need a sibling
    cdef object linking  # states that others need
    cdef dict links
    cdef dict sure  # states that a key alone decides
    cdef dict checked  # other states, by key
    cdef object tested
    cdef set attributes
    cdef dict fitting
    cdef dict handed
    cdef dict inside
    cdef dict siblings
    cdef set counted
    cdef object whole

    def __init__(self, Tree tree, selectors):
        self.tree = tree
        self.compounds, self.relations = [], []
        self.start = self.beside = self.linking = self.tested = 0
        self.links, self.sure, self.checked, self.fitting = {}, {}, {}, {}
        self.handed, self.inside, self.siblings = {0: NOTHING}, {None: (0, 0)}, {}
        self.attributes, self.counted = set(), set()
        self.whole = (ONE << len(selectors)) - 1
        self._add(list(selectors))

    cdef int _add(self, list selectors) except -1:
        cdef Selector one
        cdef dict known = {}
        for one in selectors:
            self.compounds.append(one.last)
            self.relations.append(one.steps[len(one.steps) - 1][0])
        for number, one in enumerate(selectors):
            before = -1
            for relation, compound in one.steps[:len(one.steps) - 1]:
                key = (before, relation, (<Compound>compound).text)
                state = known.get(key)
                if state is None:
                    state = known[key] = len(self.compounds)
                    self.compounds.append(compound)
                    self.relations.append(relation)
                    self._link(before, state)
                before = state
            self._link(before, number)
        for number, compound in enumerate(self.compounds):
            self._index(number, compound)
        return 0

    cdef int _link(self, before, number) except -1:
        bit = ONE << number
        if before < 0:
            self.start |= bit
            return 0
        relation = self.relations[number]
        self.linking |= ONE << before
        self.links.setdefault(before, [0, 0, 0, 0])[relation] |= bit
        if relation == BESIDE or relation == EARLIER:
            self.beside |= bit
        return 0

    cdef int _index(self, number, Compound compound) except -1:
        bit = ONE << number
        if compound.tests:
            self.tested |= bit
        is_sure = len(compound.classes) + (compound.identity != "") + (compound.tag != "") <= 1
        for key in compound.keys:
            if key[0] == "[":
                self.attributes.add(key[1:])
            if is_sure:
                self.sure[key] = self.sure.get(key, 0) | bit
            else:
                self.checked.setdefault(key, []).append(number)
        return 0

    cpdef match(self, element):
        """Return the selectors that match an element, as bits."""
        cdef tuple known
        fit = self._fit(element, self.tree.names_of(element))
        if not fit:
            return 0
        possible = self.start
        if fit & ~self.start:
            known = self._find_inside(self.tree.parent_of(element))
            possible |= known[0] | known[1]
            if fit & self.beside:
                possible |= self._find_beside(element)
        return self._test(element, fit & possible) & self.whole

    def find_possible(self, element):
        """Return the selectors that may match by one of the names of an element, as bits."""
        possible = 0
        keys = keys_of(self.tree.names_of(element))
        for key in keys + [f"[{name}" for name in element.keys()]:
            possible |= self.sure.get(key, 0)
            for number in self.checked.get(key, ()):
                possible |= ONE << number
        return possible & self.whole

    cdef _fit(self, element, ElementNames names):
        """Return the states whose names an element has."""
        fit = self.fitting.get(names)
        if fit is None:
            fit = self.fitting[names] = self._fit_keys(names, keys_of(names))
        if self.attributes:
            for name in element.keys():
                if name in self.attributes:
                    fit |= self._fit_keys(names, ["[" + name])
        return fit

    cdef _fit_keys(self, ElementNames names, list keys):
        fit = 0
        for key in keys:
            fit |= self.sure.get(key, 0)
            numbers = self.checked.get(key)
            if numbers is None or not self.tree.spend(len(numbers)):
                continue
            for number in numbers:
                if (<Compound>self.compounds[number]).fits(names):
                    fit |= ONE << number
        return fit

    cdef _test(self, element, fit):
        """Return the states whose tests an element passes."""
        pending = fit & self.tested
        if not pending:
            return fit
        for number in bits_of(pending):
            if not self.tree.spend(1):
                return fit
            if not (<Compound>self.compounds[number]).passes(element, self.tree):
                fit ^= ONE << number
        return fit

    cdef tuple _find_inside(self, element):
        """Return the states that are possible inside an element: at any depth, and for its children."""
        cdef list path = []
        cdef tuple known, handed
        while element not in self.inside:
            path.append(element)
            element = self.tree.parent_of(element)
        known = self.inside[element]
        self.tree.spend(len(path) // 4)
        for inner in reversed(path):
            fit = self._fit(inner, self.tree.names_of(inner))
            possible = self.start | known[0] | known[1]
            if fit & self.beside:
                possible |= self._find_beside(inner)
            handed = self._hand_on(self._test(inner, fit & possible))
            known = self.inside[inner] = (known[0] | handed[0], handed[1])
        return known

    cdef _find_beside(self, element):
        """Return the states that are possible by the siblings before an element."""
        cdef tuple handed
        parent = self.tree.parent_of(element)
        if parent in self.counted:
            return self.siblings.get(element, 0)
        self.counted.add(parent)
        inside, children = self._find_inside(parent)
        possible = self.start | inside | children
        following = later = 0
        siblings = self.tree.children_of(parent)
        if not self.tree.spend(len(siblings) // 4):
            return 0
        for sibling in siblings:
            beside = following | later
            if beside:
                self.siblings[sibling] = beside
            fit = self._fit(sibling, self.tree.names_of(sibling)) & (possible | beside)
            handed = self._hand_on(self._test(sibling, fit))
            following = handed[2]
            later |= handed[3]
        return self.siblings.get(element, 0)

    cdef tuple _hand_on(self, states):
        """Return what an element in some states makes possible for others, by relation."""
        states &= self.linking
        handed = self.handed.get(states)
        if handed is None:
            masks = [0, 0, 0, 0]
            for number in bits_of(states):
                if not self.tree.spend(1):
                    return NOTHING
                for relation, mask in enumerate(self.links[number]):
                    masks[relation] |= mask
            handed = self.handed[states] = (masks[ANCESTOR], masks[PARENT], masks[BESIDE], masks[EARLIER])
        return handed
