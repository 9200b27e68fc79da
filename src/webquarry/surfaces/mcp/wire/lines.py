"""A line of stdin -> the JSON-RPC messages in it, and the answers to what is none.

    line = parse_line(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n', revision)
    line.messages    # for the server
    line.refusals    # to be written back

Nothing heavy is imported here, so that whoever answers before the SDK is loaded can use it as well.
Every line that is no message gets an answer, with the id of the request wherever it can be told.
Half a surrogate pair is read as U+FFFD.
"""

from __future__ import annotations

import json
import math
import re

TYPE_CHECKING = False  # importing typing for it would cost a tenth of a server's start
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn

    Message = dict[str, Any]
else:
    Message = dict

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
# The revisions that a client agrees on by `initialize`; the last one for whoever wants another.
HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
BATCH_REVISION = "2025-03-26"  # the only one that knows batches
MOST_LEVELS = 100  # of lists and objects in each other
_MOST_DIGITS = 18  # of an id in a line that cannot be read as a whole

_BLANKS = " \t\r\n\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
# A text (the last one may have no end), a sign, or anything else between them.
_PART = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}:,]|[^\s"\[\]{}:,]+', re.DOTALL)
_NUMBER = re.compile(rf"-?\d{{1,{_MOST_DIGITS}}}")


class Line:
    """What a line holds: messages for the server, and answers to what is no message. Those to a
    batch are sent together, in one list with the answers of the server.
    """

    __slots__ = ("is_batch", "messages", "refusals")
    __hash__ = None  # type: ignore[assignment]  # holds what can be changed

    def __init__(
        self,
        messages: tuple[Message, ...] = (),
        refusals: tuple[Message, ...] = (),
        is_batch: bool = False,
    ) -> None:
        self.messages = messages
        self.refusals = refusals
        self.is_batch = is_batch

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Line):
            return NotImplemented
        mine = (self.messages, self.refusals, self.is_batch)
        return mine == (other.messages, other.refusals, other.is_batch)

    def __repr__(self) -> str:
        return f"Line({self.messages!r}, {self.refusals!r}, {self.is_batch!r})"


class BatchAnswers:
    """The answers to one batch, until all are there."""

    def __init__(self, line: Line) -> None:
        self._answers = [encode(refusal) for refusal in line.refusals]
        self._due = sum(map(is_request, line.messages))

    @property
    def is_complete(self) -> bool:
        return self._due == 0

    def settle(self, answer: str | None) -> None:
        """One request less to wait for; one that was cancelled has no answer."""
        self._due -= 1
        if answer is not None:
            self._answers.append(answer)

    def render(self) -> str | None:
        """All answers as one list; None where nothing is to be said, as to notifications."""
        if not self._answers:
            return None
        return f"[{','.join(self._answers)}]"


def parse_line(line: bytes, revision: str | None) -> Line:
    """The messages of a line, by the revision that was agreed on; a blank line holds none."""
    text = line.decode("utf-8", "replace").strip(_BLANKS)
    if not text:
        return Line()
    try:
        value = _load(text)
    except _Unreadable as problem:
        return Line(refusals=(build_refusal(problem.code, str(problem), find_id(text)),))
    if isinstance(value, list):
        return split_batch(value, revision)
    # The text itself has no half of a surrogate pair: only what is escaped in it may be one.
    return _sort_messages([value], is_escaped="\\u" in text)


def split_batch(values: list[Any], revision: str | None) -> Line:
    """The messages of a batch; the whole of it is refused by the revisions that know none."""
    problem = None
    if revision != BATCH_REVISION:
        problem = (
            f"Only revision {BATCH_REVISION} of the protocol has batches; send one message at a "
            "time."
        )
    elif not values:
        problem = "The batch is empty."
    if problem is not None:
        return Line(refusals=(build_refusal(INVALID_REQUEST, problem),))
    return _sort_messages(values, is_batch=True)


def find_revision(message: Message) -> str | None:
    """The revision that is agreed on by this message; None for any but `initialize`."""
    if message.get("method") != "initialize" or not is_request(message):
        return None
    wanted = (message.get("params") or {}).get("protocolVersion")
    if wanted in HANDSHAKE_REVISIONS:
        return str(wanted)
    return HANDSHAKE_REVISIONS[-1]


def is_request(message: Message) -> bool:
    """Whether a message waits for an answer."""
    return "method" in message and "id" in message


def build_refusal(code: int, problem: str, id: str | float | None = None) -> Message:
    """The answer to what is no message."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": problem}}


def encode(message: Message) -> str:
    """A message of ours as JSON: in ASCII, so that an id comes back as it was, whatever it is."""
    return json.dumps(message, separators=(",", ":"))


def find_id(text: str) -> str | int | None:
    """The id in the text of a request that cannot be read as a whole; None where it has none."""
    if not text.startswith("{"):
        return None
    found: str | int | None = None
    depth = 0
    before, name = "", ""  # the part before this one, and the name that a value belongs to
    for match in _PART.finditer(text):
        part = match[0]
        if depth == 1 and part == ":":
            name = before
        elif depth == 1 and before == ":":
            if name in ('"result"', '"error"'):
                return None  # an answer: its id is one of ours
            if name == '"id"':
                found = _parse_id(part)
        if part in "[{":
            depth += 1
        elif part in "]}":
            depth -= 1
        before = part
    return found


def _parse_id(part: str) -> str | int | None:
    if _NUMBER.fullmatch(part):
        return int(part)
    try:
        value = json.loads(part)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


class _Unreadable(Exception):
    """A text that is not JSON, or none that we read."""

    def __init__(self, code: int, problem: str) -> None:
        super().__init__(problem)
        self.code = code


def _refuse_constant(name: str) -> NoReturn:
    raise _Unreadable(PARSE_ERROR, f"The line is not JSON: {name} is no value of it.")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _load(text: str) -> Any:
    """The value of a JSON text, of bounded depth."""
    too_deep = f"The message has more than {MOST_LEVELS} lists and objects in each other."
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        problem = f"The line is not JSON: {error.msg} at character {error.pos + 1}."
        raise _Unreadable(PARSE_ERROR, problem) from None
    except RecursionError:
        raise _Unreadable(INVALID_REQUEST, too_deep) from None
    except ValueError:  # what Python says to a number of thousands of digits
        raise _Unreadable(INVALID_REQUEST, "The message has a number that is too long.") from None
    if text.count("[") + text.count("{") > MOST_LEVELS and _is_deeper(value, MOST_LEVELS):
        raise _Unreadable(INVALID_REQUEST, too_deep)
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether a value has more lists and objects in each other than that."""
    layer = [value]
    for _ in range(levels):
        inner: list[Any] = []
        for one in layer:
            if isinstance(one, dict):
                inner.extend(one.values())
            elif isinstance(one, list):
                inner.extend(one)
        layer = [one for one in inner if isinstance(one, dict | list)]
        if not layer:
            return False
    return True


def _sort_messages(
    values: Iterable[Any], *, is_batch: bool = False, is_escaped: bool = True
) -> Line:
    """Messages on one side, the answers to what is none on the other. Where nothing is escaped in
    them, there is nothing to mend.
    """
    messages, refusals = [], []
    for value in values:
        problem = find_problem(value)
        if problem is None and is_batch and value.get("method") == "initialize":
            problem = "initialize cannot be in a batch."
        if problem is None:
            messages.append(_mend(value) if is_escaped else value)
        else:
            refusals.append(build_refusal(INVALID_REQUEST, problem, _echo_id(value)))
    return Line(tuple(messages), tuple(refusals), is_batch)


def find_problem(message: Any) -> str | None:
    """What keeps a value from being a request, a notification or an answer; None for nothing."""
    if not isinstance(message, dict):
        return "A message is an object."
    if message.get("jsonrpc") != "2.0":
        return 'The message has no "jsonrpc": "2.0".'
    if "method" in message:
        if not isinstance(message["method"], str):
            return "The method is not a text."
        if not isinstance(message.get("params"), dict | None):
            return "The params are not an object."
        if "id" in message and not _is_id(message["id"]):
            return "The id is neither a text nor a whole number."
        return None
    if _is_answer(message):
        return None
    return "The message has no method, and is no answer."


def _is_answer(message: Message) -> bool:
    """Whether a message is an answer to a request of ours."""
    id, error = message.get("id"), message.get("error")
    if not _is_id(id) and (id is not None or "id" not in message):
        return False
    if isinstance(error, dict):
        return type(error.get("code")) is int and isinstance(error.get("message"), str)
    return isinstance(message.get("result"), dict) and id is not None and "error" not in message


def _is_id(id: Any) -> bool:
    """Whether it is an id as the protocol has them."""
    if isinstance(id, str):
        return not _SURROGATE.search(id)
    return type(id) is int


def _echo_id(value: Any) -> str | float | None:
    """The id that an answer to a bad message has; that of an answer would be one of ours."""
    if not isinstance(value, dict) or "result" in value or "error" in value:
        return None
    id = value.get("id")
    if isinstance(id, str):
        return id
    if isinstance(id, int | float) and not isinstance(id, bool) and math.isfinite(id):
        return id
    return None


def _mend(value: Any) -> Any:
    """The same with U+FFFD for every half of a surrogate pair."""
    if isinstance(value, str):
        if _SURROGATE.search(value):
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return value
    if isinstance(value, list):
        return [_mend(one) for one in value]
    if isinstance(value, dict):
        return {_mend(name): _mend(one) for name, one in value.items()}
    return value
