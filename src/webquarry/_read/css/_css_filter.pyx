# cython: language_level=3, boundscheck=False, wraparound=False
"""A style sheet -> its parts, and those of them that may be about certain names.

The slow beginnings of `rules.py`, on bytes. Whatever is odd is left to the Python there (`ASK`), which also does all of
it where this could not be built.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp, strcspn

cdef enum:
    PLAIN, NAME, POINT, COMMA, BLANK, CHILD, SIBLING, OPEN, CLOSE, SQUARE, SQUARED, ODD  # kinds of bytes

cdef enum:
    ASK = -1
    FOREIGN, RELATED, EXACT  # as in rules.py

cdef enum:
    ENDS = 4096

cdef unsigned char KINDS[256]
cdef unsigned char LOWER[256]
cdef const char* SIGNS = b"}\\/\"'(<>"  # where the cutting of a sheet takes a closer look
cdef unsigned char SHIELDED[256]  # what is escaped in strings


cdef void describe_bytes() noexcept:
    cdef int byte
    for byte in range(256):
        LOWER[byte] = byte + 32 if 65 <= byte <= 90 else byte
        KINDS[byte] = ODD if byte >= 128 else PLAIN
        if 97 <= LOWER[byte] <= 122 or 48 <= byte <= 57 or byte == 45 or byte == 95:
            KINDS[byte] = NAME
    for byte in b"@;\\&\0":
        KINDS[byte] = ODD
    for byte in b"{};[](),<*":
        SHIELDED[byte] = 1
    for byte in b" \t\n\r\f\v":
        KINDS[byte] = BLANK
    KINDS[46] = KINDS[35] = POINT
    KINDS[44] = COMMA
    KINDS[62] = CHILD
    KINDS[43] = KINDS[126] = SIBLING
    KINDS[40], KINDS[41], KINDS[91], KINDS[93] = OPEN, CLOSE, SQUARE, SQUARED


describe_bytes()


cdef inline uint64_t hash_of(const unsigned char* name, Py_ssize_t size) noexcept:
    """A number for a name in lower case; 0 stands for none."""
    cdef uint64_t found = 14695981039346656037u
    cdef Py_ssize_t index
    for index in range(size):
        found = (found ^ LOWER[name[index]]) * 1099511628211u
    return found or 1


cdef struct Names:
    uint64_t* hashes
    size_t mask
    unsigned char* ends  # whether a name has such a size and such letters at its ends


cdef inline size_t ends_of(const unsigned char* name, Py_ssize_t size) noexcept:
    """A place among the ends of names, told by the size of a name and its first and last letters."""
    return (LOWER[name[0]] * 31 + LOWER[name[size - 1]] * 7 + LOWER[name[size >> 1]] + size * 131) & (ENDS - 1)


cdef inline bint holds(Names* names, const unsigned char* name, Py_ssize_t size) noexcept:
    """Whether a name is one of them; most are not, which their ends tell."""
    return names.ends[ends_of(name, size)] and holds_hash(names, hash_of(name, size))


cdef bint holds_hash(Names* names, uint64_t wanted) noexcept:
    cdef size_t place = wanted & names.mask
    while names.hashes[place]:
        if names.hashes[place] == wanted:
            return True
        place = (place + 1) & names.mask
    return False


cdef int fit_of(const unsigned char* text, Py_ssize_t size, Names* names) noexcept:
    """How a list of selectors fits to names: all in one of them are known, some are, none is.

    What stands in brackets, the names of functions, and a compound before `+` or `~`, are no names that a selector needs.
    """
    cdef Py_ssize_t index = 0, start
    cdef int kind, depth = 0
    cdef bint point = False, colon = False, called = False  # right before this byte; `called`: a name behind a colon
    cdef bint square = False  # in the brackets of an attribute
    cdef bint functions = False  # there were some
    cdef bint gap = False  # the compound that is being read may have ended
    cdef bint held = False  # the word right before this byte is known
    cdef bint own_named = False, own_known = True, own_word = False  # the compound that is being read
    cdef bint named = False, all_known = True  # the selector before it
    cdef bint any_word = False, any_exact = False, any_unnamed = False
    while index < size:
        kind = KINDS[text[index]]
        if held and not (kind == OPEN and called):
            own_word = True
        held = False
        if kind == CHILD and depth == 0 and not square or gap and kind != BLANK and kind != SIBLING:
            named, all_known, any_word = named or own_named, all_known and own_known, any_word or own_word
            own_named, own_known, own_word, gap = False, True, False, False
        if kind == NAME:
            if index and text[index - 1] == 41 and depth == 0:
                return ASK  # no selector that browsers know
            start = index
            while index < size and KINDS[text[index]] == NAME:
                index += 1
            if depth == 0 and not square:
                if holds(names, text + start, index - start):
                    held = True
                elif point:
                    own_known = False
            called, point, colon = colon, False, False
            continue
        if kind == ODD:
            return ASK
        if square:
            if kind == SQUARED:
                square = False
            elif kind == OPEN or kind == CLOSE or kind == SQUARE:
                return ASK
        elif kind == SQUARE:
            square = True
        elif kind == SQUARED or (kind == CLOSE and depth == 0) or (kind == OPEN and not called):
            return ASK
        elif kind == OPEN:
            functions = True
            depth += 1
        elif kind == CLOSE:
            depth -= 1
        elif depth == 0:
            if kind == POINT:
                own_named = True
            elif kind == BLANK:
                gap = True
            elif kind == SIBLING and functions:
                return ASK  # the compound before it may be nothing but functions
            elif kind == SIBLING:
                own_named, own_known, own_word, gap = False, True, False, False
            elif kind == COMMA:
                any_unnamed = any_unnamed or not (named or own_named)
                any_exact = any_exact or (all_known and own_known)
                any_word = any_word or own_word
                named, all_known, own_named, own_known, own_word, gap = False, True, False, True, False, False
        point, colon, called = kind == POINT, text[index] == 58, False
        index += 1
    if depth or square:
        return ASK
    any_unnamed = any_unnamed or not (named or own_named)
    any_exact = any_exact or (all_known and own_known)
    if any_word or own_word or held:
        return EXACT if any_exact else RELATED
    return EXACT if any_unnamed else FOREIGN


cdef class KnownNames:
    """Names of elements, in lower case, and how rules fit to them; None stands for all names that there are."""

    cdef Names _names

    def __cinit__(self, names):
        cdef size_t room = 64, place
        cdef uint64_t wanted
        cdef bytes name
        cdef const unsigned char* text
        if names is None:
            return
        while room < 2 * <size_t>len(names):
            room *= 2
        self._names.mask = room - 1
        self._names.hashes = <uint64_t*>PyMem_Calloc(room, sizeof(uint64_t))
        self._names.ends = <unsigned char*>PyMem_Calloc(ENDS, 1)
        if self._names.hashes is NULL or self._names.ends is NULL:
            raise MemoryError
        for name in names:
            text = <const unsigned char*>PyBytes_AS_STRING(name)
            if PyBytes_GET_SIZE(name):
                self._names.ends[ends_of(text, PyBytes_GET_SIZE(name))] = 1
            wanted = hash_of(text, PyBytes_GET_SIZE(name))
            place = wanted & self._names.mask
            while self._names.hashes[place]:
                place = (place + 1) & self._names.mask
            self._names.hashes[place] = wanted

    def __dealloc__(self):
        PyMem_Free(self._names.hashes)
        PyMem_Free(self._names.ends)

    def judge(self, bytes selectors not None):
        """How selectors fit to the names, or that a closer look is needed."""
        if self._names.hashes is NULL:
            return EXACT
        return fit_of(<const unsigned char*>PyBytes_AS_STRING(selectors), PyBytes_GET_SIZE(selectors), &self._names)

    def list_fits(self, list parts not None):
        """The parts that may be about the names, each as its number, how it fits if it is a plain rule, or -1, and what stands
        before and behind its brace if it holds nothing but a rule, or None twice.
        """
        cdef Py_ssize_t number = 0, size, before, behind
        cdef const unsigned char* text
        cdef const unsigned char* brace
        cdef bytes part
        cdef int fit
        cdef bint is_group, is_odd
        cdef list found = []
        while number < len(parts):
            part = parts[number]
            text, size = <const unsigned char*>PyBytes_AS_STRING(part), PyBytes_GET_SIZE(part)
            brace = <const unsigned char*>memchr(text, 123, size)
            if brace is NULL:
                found.append((number, ASK, None, None))
                number += 1
                continue
            before = brace - text
            is_group = memchr(text, 64, before) is not NULL
            if is_group:
                behind = end_of_foreign_group(parts, number, &self._names)
                if behind > number:
                    number = behind
                    continue
            is_odd = is_group or text[0] == 0 or memchr(text, 59, before) is not NULL
            if is_odd or memchr(brace + 1, 123, size - before - 1) is not NULL:
                found.append((number, ASK, None, None))
            else:
                fit = EXACT
                if self._names.hashes is not NULL:
                    fit = fit_of(text, before, &self._names)
                if fit != FOREIGN:
                    found.append((number, fit, text[:before], brace[1:size - before]))
            number += 1
        return found


cdef Py_ssize_t end_of_foreign_group(list parts, Py_ssize_t number, Names* known) except -1:
    """The number of the part behind a group that begins in one and gives no rule: frames, fonts, what is printed, or
    conditions around rules about other names. The same number where it may give one, or goes on to the end of its sheet.
    """
    cdef bytes part = parts[number]
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(part)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(part), start = 0, inner, end, behind = number
    cdef Py_ssize_t depth = 0
    cdef bint dropped
    while start < size and KINDS[text[start]] == BLANK:
        start += 1
    inner = <const unsigned char*>memchr(text, 123, size) - text + 1
    if text[start] != 64 or memchr(text + start + 1, 64, size - start - 1) is not NULL:
        return number
    if memchr(text, 59, inner) is not NULL:
        return number
    dropped = is_dropped(text + start + 1, inner - start - 2)
    if not dropped and not is_condition(text + start + 1, inner - start - 2):
        return number
    depth = 1
    while True:
        if behind + 1 == len(parts) or starts_sheet(parts[behind + 1]):
            return number
        if behind > number:
            part = parts[behind]
            text, size, inner = <const unsigned char*>PyBytes_AS_STRING(part), PyBytes_GET_SIZE(part), 0
            if memchr(text, 64, size) is not NULL:
                return number
        if dropped:
            for end in range(inner, size):
                if text[end] == 123:
                    depth += 1
            depth -= 1
        else:
            depth = depth_behind_foreign(text + inner, size - inner, known)
        if depth < 0:
            return number
        behind += 1
        if depth == 0:
            return behind


cdef Py_ssize_t depth_behind_foreign(const unsigned char* text, Py_ssize_t size, Names* known) noexcept:
    """How many groups are open behind a part in one: one if it is a rule about other names, none if the part is empty, or
    -1 for what needs a closer look.
    """
    cdef const unsigned char* brace = <const unsigned char*>memchr(text, 123, size)
    cdef Py_ssize_t before, place
    if brace is NULL:
        for place in range(size):
            if KINDS[text[place]] != BLANK:
                return -1
        return 0
    before = brace - text
    if known.hashes is NULL or memchr(brace + 1, 123, size - before - 1) is not NULL:
        return -1
    return 1 if fit_of(text, before, known) == FOREIGN else -1


cdef bint starts_sheet(bytes part) noexcept:
    return PyBytes_GET_SIZE(part) > 0 and PyBytes_AS_STRING(part)[0] == 0


cdef bint begins_with(const unsigned char* text, Py_ssize_t size, const char* word) noexcept:
    """Whether a text begins with a word in lower case, whatever follows it."""
    cdef Py_ssize_t place = 0
    while word[place]:
        if place >= size or LOWER[text[place]] != <unsigned char>word[place]:
            return False
        place += 1
    return place == size or KINDS[text[place]] != NAME


cdef bint is_dropped(const unsigned char* name, Py_ssize_t size) noexcept:
    """Whether nothing in a group is about elements on a screen."""
    while size and KINDS[name[size - 1]] == BLANK:
        size -= 1
    if begins_with(name, size, b"keyframes") or begins_with(name, size, b"font-face"):
        return True
    if begins_with(name, size, b"-webkit-keyframes") or begins_with(name, size, b"-moz-keyframes"):
        return True
    return size == 11 and memcmp(name, b"media print", 11) == 0


cdef bint is_condition(const unsigned char* name, Py_ssize_t size) noexcept:
    return begins_with(name, size, b"media") or begins_with(name, size, b"supports")


def find_state_backgrounds(list parts not None):
    """Selectors and body of the plain rules that stand in no other one, have a colon in their selectors and set a
    background.
    """
    cdef Py_ssize_t depth = 0, size, before, place, braces
    cdef const unsigned char* text
    cdef const unsigned char* brace
    cdef bytes part
    for part in parts:
        if starts_sheet(part):
            depth = 0
            continue
        text, size = <const unsigned char*>PyBytes_AS_STRING(part), PyBytes_GET_SIZE(part)
        brace = <const unsigned char*>memchr(text, 123, size)
        before = size if brace is NULL else brace - text
        braces = place = 0
        while brace is not NULL:
            braces += 1
            place = brace - text + 1
            brace = <const unsigned char*>memchr(text + place, 123, size - place)
        if braces == 1 and depth == 0 and memchr(text, 58, before) is not NULL and part.find(b"background", before) > 0:
            yield text[:before], text[before + 1:size]
        depth = max(depth + braces - 1, 0)


cdef struct Sheet:
    const unsigned char* text
    Py_ssize_t start  # what stands before has been taken
    Py_ssize_t place
    Py_ssize_t end


def parts_of(bytes css):
    """What stands before each closing brace of the sheets, without comments. A NUL byte begins a sheet, and what stands
    before the next one is given as it is.
    """
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(css)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(css), place = 0, end
    cdef const unsigned char* mark
    cdef list parts = []
    while True:
        mark = <const unsigned char*>memchr(text + place, 0, size - place)
        end = size if mark is NULL else mark - text
        if end > place or place == 0:
            split_sheet(text, place, end, parts)
        if mark is NULL:
            return parts
        place = end + 1
        mark = <const unsigned char*>memchr(text + place, 0, size - place)
        end = size if mark is NULL else mark - text
        parts.append(b"\0" + text[place:end])
        if mark is NULL:
            return parts
        place = end + 1
        if place == size:
            return parts


cdef int split_sheet(const unsigned char* text, Py_ssize_t place, Py_ssize_t end, list parts) except -1:
    """Add the parts of one sheet."""
    cdef Sheet sheet
    cdef Py_ssize_t start
    cdef unsigned char byte
    cdef list pieces = []
    sheet.text, sheet.start, sheet.place, sheet.end = text, place, place, end
    while sheet.place < end:
        start = sheet.place
        place = start + strcspn(<const char*>text + start, SIGNS)  # a NUL stands at the end
        sheet.place = place
        if place >= end:
            break
        byte = text[place]
        if byte == 125:  # a closing brace
            parts.append(joined(pieces, text + sheet.start, sheet.place - sheet.start))
            sheet.start = sheet.place = sheet.place + 1
        elif byte == 92:  # a backslash
            sheet.place += 2
        elif byte == 47:
            if sheet.place + 1 < end and text[sheet.place + 1] == 42:
                skip_comments(&sheet, pieces)
            else:
                sheet.place += 1
        elif byte == 34 or byte == 39:
            sheet.place += 1
            shield(&sheet, end_of_string(&sheet, byte), pieces)
        elif byte == 40:
            sheet.place += 1
            if starts_url(&sheet):
                shield(&sheet, end_of_url(&sheet), pieces)
        elif byte == 60 and end - sheet.place >= 4 and memcmp(text + sheet.place, b"<!--", 4) == 0:
            skip_mark(&sheet, 4, pieces)
        elif byte == 62 and place - start >= 2 and memcmp(text + place - 2, b"-->", 3) == 0:
            sheet.place -= 2
            skip_mark(&sheet, 3, pieces)
        else:
            sheet.place += 1
    parts.append(joined(pieces, text + sheet.start, end - sheet.start))
    return 0


cdef int skip_mark(Sheet* sheet, Py_ssize_t size, list pieces) except -1:
    """Put a blank in place of some bytes."""
    pieces.append(sheet.text[sheet.start:sheet.place])
    pieces.append(b" ")
    sheet.start = sheet.place = sheet.place + size
    return 0


cdef int skip_comments(Sheet* sheet, list pieces) except -1:
    """Leave out comments that follow each other; a blank stays where they part two words."""
    cdef const unsigned char* text = sheet.text
    cdef Py_ssize_t first = sheet.place
    cdef Py_ssize_t place = first
    while place + 1 < sheet.end and text[place] == 47 and text[place + 1] == 42:
        place = end_of_comment(text, sheet.end, place + 2)
    pieces.append(text[sheet.start:first])
    if first == sheet.start or place >= sheet.end or (in_word(text[first - 1]) and in_word(text[place])):
        pieces.append(b" ")
    sheet.start = sheet.place = place
    return 0


cdef inline bint in_word(unsigned char byte) noexcept:
    return KINDS[byte] == NAME or byte >= 128 or byte == 92


cdef Py_ssize_t end_of_string(Sheet* sheet, unsigned char quote) noexcept:
    """Where a string ends: at its quote, or at the end of a line, as browsers have it."""
    cdef Py_ssize_t place = sheet.place
    while place < sheet.end:
        if sheet.text[place] == quote or sheet.text[place] == 10:
            return place
        place += 2 if sheet.text[place] == 92 else 1
    return sheet.end


cdef bint starts_url(Sheet* sheet) noexcept:
    """Whether an address without quotes follows the bracket before this place."""
    cdef const unsigned char* text = sheet.text
    cdef Py_ssize_t place = sheet.place
    if place - sheet.start < 4:
        return False
    if LOWER[text[place - 4]] != 117 or LOWER[text[place - 3]] != 114 or LOWER[text[place - 2]] != 108:
        return False
    while place < sheet.end and KINDS[text[place]] == BLANK:
        place += 1
    return place < sheet.end and text[place] != 34 and text[place] != 39


cdef Py_ssize_t end_of_url(Sheet* sheet) noexcept:
    cdef Py_ssize_t place = sheet.place
    while place < sheet.end and sheet.text[place] != 41:
        place += 2 if sheet.text[place] == 92 else 1
    return place if place < sheet.end else sheet.end


cdef int shield(Sheet* sheet, Py_ssize_t end, list pieces) except -1:
    """Go to the end of a string; the signs in it that mean something elsewhere are written as escapes."""
    cdef const unsigned char* text = sheet.text
    while sheet.place < end:
        if SHIELDED[text[sheet.place]]:
            pieces.append(text[sheet.start:sheet.place])
            pieces.append(b"\\%x " % text[sheet.place])
            sheet.start = sheet.place + 1
        sheet.place += 1
    if sheet.place < sheet.end and text[sheet.place] != 10:
        sheet.place += 1
    return 0


cdef bytes joined(list pieces, const unsigned char* text, Py_ssize_t size):
    """The pieces and what follows them; the list is emptied."""
    cdef bytes last = text[:size]
    if not pieces:
        return last
    pieces.append(last)
    last = b"".join(pieces)
    pieces.clear()
    return last


cdef Py_ssize_t end_of_comment(const unsigned char* text, Py_ssize_t size, Py_ssize_t place) noexcept:
    cdef const unsigned char* star
    while place < size:
        star = <const unsigned char*>memchr(text + place, 42, size - place)
        if star is NULL:
            return size
        place = star - text + 1
        if place < size and text[place] == 47:
            return place + 1
    return size
