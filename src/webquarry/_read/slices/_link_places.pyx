# cython: language_level=3, boundscheck=False, wraparound=False
"""Where the links and the images of a Markdown text stand, outside of its code, in one pass over it. `link_places.py` is the same in Python."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from libc.string cimport memchr, memset

cdef enum:
    DEEPEST_PARENTHESES = 8
    LONGEST_IN_ANGLES = 5000
    LONGEST_TITLE = 500
    LONGEST_NUMBER = 9  # digits of an item
    LEAST_FENCE = 3


def find_links(bytes data not None):
    """Every link and image outside code, in the order in which they end."""
    if b"](" not in data:
        return []
    cdef LinkFinder finder = LinkFinder(data)
    if b"```" in data or b"~~~" in data:
        finder.find_beside_code()
    else:
        finder.find_between(0, finder.size)
    return finder.links


def read_plain_target(bytes piece not None):
    """The address in a piece that was taken out, where it stands there as nearly all do: empty where there is none, None for any other."""
    cdef const unsigned char* text = <const unsigned char*>PyBytes_AS_STRING(piece)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(piece), at
    if size < 2 or b"](" not in piece:
        return b""
    if text[0] != 93 or text[1] != 40 or text[2] == 60 or text[size - 1] != 41:
        return None
    for at in range(size):
        if is_blank(text[at]):
            return None
    return piece[2 : size - 1]


cdef inline bint is_blank(unsigned char byte) noexcept:
    return byte == 32 or 9 <= byte <= 13


cdef inline bint is_digit(unsigned char byte) noexcept:
    return 48 <= byte <= 57


cdef class LinkFinder:
    """A text, its links that were found, and what is remembered of the stretch that is looked at."""

    cdef bytes data
    cdef const unsigned char* text
    cdef Py_ssize_t size
    cdef list links
    # brackets that may be the beginning of a link
    cdef Py_ssize_t* opened
    cdef Py_ssize_t opened_count, opened_room
    # the ends of paragraphs before and behind the place that is looked at
    cdef Py_ssize_t gap_before, gap_behind
    # runs of ticks in the stretch: where they are, how many ticks, and the next one with as many
    cdef Py_ssize_t* runs
    cdef Py_ssize_t run_count, run_room
    # the first run of each length that is still ahead
    cdef Py_ssize_t* first_runs
    cdef Py_ssize_t longest_run
    cdef bint knows_runs

    def __cinit__(self, bytes data):
        self.data = data
        self.text = <const unsigned char*>PyBytes_AS_STRING(data)
        self.size = PyBytes_GET_SIZE(data)
        self.links = []
        self.opened = self.runs = self.first_runs = NULL
        self.opened_count = self.opened_room = self.run_count = self.run_room = 0

    def __dealloc__(self):
        PyMem_Free(self.opened)
        PyMem_Free(self.runs)
        PyMem_Free(self.first_runs)

    cdef int find_beside_code(self) except -1:
        """Look between the blocks of fenced code. A fence ends code only if it is as long as the one that began it, and alone in its line."""
        cdef Py_ssize_t line = 0, stop, start = -1, ticks, behind, open_ticks = 0
        cdef unsigned char open_sign = 0
        cdef bint is_fenced
        while line <= self.size:
            stop = self.find_sign(10, line, self.size)
            is_fenced = open_ticks > 0
            ticks = self.find_fence(line, stop)
            if ticks >= 0:
                behind = self.skip_same(ticks, stop)
                if not open_ticks:
                    # ticks with others behind them in the same line are code inside a paragraph
                    if self.text[ticks] != 96 or self.find_sign(96, behind, stop) == stop:
                        open_sign = self.text[ticks]
                        open_ticks = behind - ticks
                        is_fenced = True
                elif self.text[ticks] == open_sign and behind - ticks >= open_ticks and self.skip_blanks(behind, stop) == stop:
                    open_ticks = 0
            if is_fenced:
                if start >= 0:
                    self.find_between(start, line)
                start = -1
            elif start < 0:
                start = line
            line = stop + 1
        if start >= 0:
            self.find_between(start, self.size)
        return 0

    cdef Py_ssize_t find_fence(self, Py_ssize_t at, Py_ssize_t stop) noexcept:
        """Where the fence of a line begins, behind marks of quotations and items; -1 where it has none."""
        cdef Py_ssize_t digits
        cdef unsigned char sign
        while at < stop and (self.text[at] == 32 or self.text[at] == 62 or self.text[at] == 9):
            at += 1
        while at < stop:
            sign = self.text[at]
            if sign == 96 or sign == 126:
                return at if self.skip_same(at, stop) - at >= LEAST_FENCE else -1
            digits = at
            while at < stop and is_digit(self.text[at]):
                at += 1
            if at == stop or at - digits > LONGEST_NUMBER:
                return -1
            sign = self.text[at]
            if at > digits:
                if sign != 46 and sign != 41:
                    return -1
            elif sign != 45 and sign != 42 and sign != 43:
                return -1
            at += 1
            if at == stop or not is_blank(self.text[at]):
                return -1
            at = self.skip_blanks(at, stop)
        return -1

    cdef int find_between(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Add the links of a stretch without fenced code."""
        cdef Py_ssize_t place = start, at, bracket, link_start, target_stop
        # where each sign stands next
        cdef Py_ssize_t escape = start - 1, tick = start - 1, opening = start - 1, closing = start - 1
        self.opened_count = 0
        self.knows_runs = False
        self.gap_before = -1
        self.gap_behind = self.find_gap(start, stop)
        while True:
            if escape < place:
                escape = self.find_sign(92, place, stop)
            if tick < place:
                tick = self.find_sign(96, place, stop)
            if opening < place:
                opening = self.find_sign(91, place, stop)
            if closing < place:
                closing = self.find_sign(93, place, stop)
            at = min(min(escape, tick), min(opening, closing))
            if at == stop:
                return 0
            place = at + 1
            if at == escape:
                place += 1  # whatever is escaped
            elif at == tick:
                self.move_to(at, stop)
                place = self.find_code_end(at, start, stop)
            elif at == opening:
                self.open_bracket(at)
            elif self.opened_count:
                self.opened_count -= 1
                bracket = self.opened[self.opened_count]
                target_stop = self.find_target_end(place, stop)
                if target_stop < 0:
                    continue
                self.move_to(at, stop)
                if self.gap_before >= bracket:
                    continue
                place = target_stop
                link_start = bracket
                if bracket > start and self.text[bracket - 1] == 33:
                    link_start -= 1
                else:
                    self.opened_count = 0  # a link stands in no other link
                self.links.append((link_start, bracket + 1, at, place))

    cdef Py_ssize_t find_sign(self, unsigned char sign, Py_ssize_t start, Py_ssize_t stop) noexcept:
        """Where a sign stands next; the end of the stretch where it does not."""
        cdef const unsigned char* found
        if start >= stop:
            return stop
        found = <const unsigned char*>memchr(self.text + start, sign, stop - start)
        return stop if found is NULL else found - self.text

    cdef Py_ssize_t skip_same(self, Py_ssize_t at, Py_ssize_t stop) noexcept:
        """Behind the signs like the one that stands there."""
        cdef unsigned char sign = self.text[at]
        while at < stop and self.text[at] == sign:
            at += 1
        return at

    cdef Py_ssize_t skip_blanks(self, Py_ssize_t at, Py_ssize_t stop) noexcept:
        while at < stop and is_blank(self.text[at]):
            at += 1
        return at

    cdef Py_ssize_t find_gap(self, Py_ssize_t at, Py_ssize_t stop) noexcept:
        """Where a paragraph ends next: at a line feed with a blank line behind it."""
        cdef Py_ssize_t behind
        at = self.find_sign(10, at, stop)
        while at < stop:
            behind = at + 1
            while behind < stop and (self.text[behind] == 32 or self.text[behind] == 9):
                behind += 1
            if behind < stop and self.text[behind] == 10:
                return at
            at = self.find_sign(10, behind, stop)
        return stop

    cdef void move_to(self, Py_ssize_t at, Py_ssize_t stop) noexcept:
        """Remember the ends of paragraphs before and behind a place, which lies behind the one before."""
        while self.gap_behind < at:
            self.gap_before = self.gap_behind
            self.gap_behind = self.find_gap(self.gap_behind + 1, stop)

    cdef int open_bracket(self, Py_ssize_t at) except -1:
        self.opened = with_room(self.opened, self.opened_count, &self.opened_room)
        self.opened[self.opened_count] = at
        self.opened_count += 1
        return 0

    cdef Py_ssize_t find_target_end(self, Py_ssize_t at, Py_ssize_t stop) noexcept:
        """Behind the target in parentheses that begins there; -1 where none does."""
        cdef Py_ssize_t last
        if at >= stop or self.text[at] != 40:
            return -1
        at += 1
        if at < stop and self.text[at] == 60:
            at += 1
            last = min(stop, at + LONGEST_IN_ANGLES)
            while at < last and self.text[at] != 60 and self.text[at] != 62 and self.text[at] != 10:
                at += 1
            if at == stop or self.text[at] != 62:
                return -1
            at += 1
        else:
            at = self.skip_address(at, stop)
        at = self.skip_title(at, stop)
        if 0 <= at < stop and self.text[at] == 41:
            return at + 1
        return -1

    cdef Py_ssize_t skip_address(self, Py_ssize_t at, Py_ssize_t stop) noexcept:
        """Behind an address without blanks, in which parentheses are closed again; -1 where they are not."""
        cdef int depth = 0
        cdef unsigned char byte
        while at < stop:
            byte = self.text[at]
            if byte == 92:
                if at + 1 == stop or is_blank(self.text[at + 1]):
                    return -1
                at += 1
            elif byte == 40:
                depth += 1
                if depth > DEEPEST_PARENTHESES:
                    return -1
            elif byte == 41:
                if not depth:
                    return at
                depth -= 1
            elif byte == 60 or byte == 62 or is_blank(byte):
                break
            at += 1
        return at if not depth else -1

    cdef Py_ssize_t skip_title(self, Py_ssize_t at, Py_ssize_t stop) noexcept:
        """Behind a title in quotation marks, if one stands there behind blanks; -1 for one that does not end."""
        cdef Py_ssize_t last, before = at
        cdef unsigned char mark
        while 0 <= at < stop and (self.text[at] == 32 or self.text[at] == 9):
            at += 1
        if at == before:
            return at
        if at == stop:
            return -1
        mark = self.text[at]
        if mark != 34 and mark != 39:
            return -1
        at += 1
        last = min(stop, at + LONGEST_TITLE)
        while at < last and self.text[at] != mark and self.text[at] != 10:
            at += 1
        if at == stop or self.text[at] != mark:
            return -1
        return at + 1

    cdef Py_ssize_t find_code_end(self, Py_ssize_t at, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Behind the code that the ticks here open, or behind them where they open none."""
        cdef Py_ssize_t behind = self.skip_same(at, stop), length, run
        length = behind - at
        if not self.knows_runs:
            self.collect_runs(start, stop)
        if length > self.longest_run:
            return behind
        run = self.first_runs[length]
        while run >= 0 and self.runs[run] < behind:
            run = self.runs[run + 2]
        self.first_runs[length] = run
        if run >= 0 and self.gap_behind >= self.runs[run]:
            return self.runs[run] + length
        return behind

    cdef int collect_runs(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Remember where ticks stand in the stretch, by how many stand together."""
        cdef Py_ssize_t at = self.find_sign(96, start, stop), behind, run, length
        cdef Py_ssize_t* made
        self.run_count = 0
        self.longest_run = 0
        while at < stop:
            behind = self.skip_same(at, stop)
            self.runs = with_room(self.runs, self.run_count + 2, &self.run_room)
            self.runs[self.run_count] = at
            self.runs[self.run_count + 1] = behind - at
            self.run_count += 3
            self.longest_run = max(self.longest_run, behind - at)
            at = self.find_sign(96, behind, stop)
        made = <Py_ssize_t*>PyMem_Realloc(self.first_runs, (self.longest_run + 1) * sizeof(Py_ssize_t))
        if made is NULL:
            raise MemoryError
        self.first_runs = made
        memset(made, 0xFF, (self.longest_run + 1) * sizeof(Py_ssize_t))  # -1: none
        run = self.run_count - 3
        while run >= 0:
            length = self.runs[run + 1]
            self.runs[run + 2] = made[length]
            made[length] = run
            run -= 3
        self.knows_runs = True
        return 0


cdef Py_ssize_t* with_room(Py_ssize_t* numbers, Py_ssize_t index, Py_ssize_t* room) except NULL:
    """The same numbers, with room for one at this index."""
    cdef Py_ssize_t wanted = room[0]
    cdef Py_ssize_t* made
    if index < wanted:
        return numbers
    wanted = max(64, 2 * (index + 1))
    made = <Py_ssize_t*>PyMem_Realloc(numbers, wanted * sizeof(Py_ssize_t))
    if made is NULL:
        raise MemoryError
    room[0] = wanted
    return made
