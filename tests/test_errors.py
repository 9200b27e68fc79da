"""Every error, however it was raised, is whole sentences: what happened, to whom, what now."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from tests.search.engines import KEYS, Engines, brave_limit, called
from webquarry import errors
from webquarry._read.workers.protocol import pack_error, unpack_error
from webquarry.errors import (
    WAIT,
    MissingExtra,
    NetworkFailure,
    RateLimited,
    WebquarryError,
    end_sentence,
)
from webquarry.mcp.calls import render_failure

SOURCES = Path(errors.__file__).parent
CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, WebquarryError)
]
each_kind = pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
NUMBER = re.compile(r"(\d+) (?:more )?seconds?\b")


def make(kind: type[WebquarryError], **fields: Any) -> WebquarryError:
    if kind is MissingExtra:
        return MissingExtra("pdf", "Reading PDF")
    return kind("It went wrong", **fields)


@each_kind
def test_message_and_action_are_sentences(
    kind: type[WebquarryError],
) -> None:
    error = make(kind, suggested_action=None)
    shown = error.as_dict()
    content = render_failure(error).content
    assert content
    text = content[0]["text"]

    for sentence in (shown["message"], shown["suggestedAction"], error.sentence):
        assert sentence.endswith(".")
        assert sentence[0].isupper() or sentence[0] == "`"
    assert text == error.sentences == f"{shown['message']} {shown['suggestedAction']}"
    assert WAIT not in text


@each_kind
@pytest.mark.parametrize("seconds", [None, 0, 0.4, 1, 1.2, 59.6, 7200])
def test_the_wait_is_the_same_in_words_and_as_a_number(
    kind: type[WebquarryError], seconds: float | None
) -> None:
    for action in (None, f"Wait {WAIT}, then try again"):
        error = make(kind, retry_after_seconds=seconds, suggested_action=action)
        shown = error.as_dict()
        told = NUMBER.findall(shown["suggestedAction"])

        assert told in ([], [str(int(shown.get("retryAfterSeconds", 0)))])
        assert " 1 seconds" not in shown["suggestedAction"]


@each_kind
def test_error_survives_a_worker(kind: type[WebquarryError]) -> None:
    error = make(kind, retry_after_seconds=0.4)

    assert unpack_error(pack_error(error), "a page").as_dict() == error.as_dict()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Connection refused", "Connection refused."),
        ("It said: ", "It said."),
        ("He said 'no.'", "He said 'no.'"),
        ("それはない。", "それはない。"),
        ("", ""),
    ],
)
def test_a_sentence_is_ended_once(text: str, sentence: str) -> None:
    assert end_sentence(text) == end_sentence(end_sentence(text)) == sentence


@pytest.mark.parametrize("kind", [c for c in CLASSES if c.retryable], ids=lambda c: c.__name__)
def test_lasting_errors_do_not_advise_a_retry(kind: type[WebquarryError]) -> None:
    lasting = make(kind, retryable=False)

    if kind.lasting_advice:
        assert "again" not in lasting.suggested_action


def test_a_host_is_named_once() -> None:
    error = NetworkFailure("Connection refused")
    error.host = "harbor.example"
    assert error.sentence == "harbor.example: Connection refused."

    named = NetworkFailure("The name harbor.example was not found")
    named.host = "harbor.example"
    assert named.sentence == "The name harbor.example was not found."


def test_a_rate_limit_of_a_search_tells_one_wait() -> None:
    for seconds in (1, 90):
        with pytest.raises(RateLimited) as caught:
            called(
                Engines(brave=brave_limit(seconds)),
                "web_search",
                KEYS | {"SEARCH_PROVIDER": "brave"},
                query="x",
            )
        shown = caught.value.as_dict()
        assert NUMBER.findall(shown["suggestedAction"]) == [str(int(shown["retryAfterSeconds"]))]
        assert caught.value.retry_after_seconds == seconds  # what the provider said


def calls_of_errors() -> list[tuple[str, ast.Call]]:
    names = {kind.__name__ for kind in CLASSES} - {"MissingExtra"}
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names:
                found.append((f"{path.relative_to(SOURCES)}:{node.lineno}", node))
    return found


def literal_of(node: ast.expr) -> str | None:
    """The text of a literal, with a mark for what is filled in; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = []
        for part in node.values:
            parts.append(str(part.value) if isinstance(part, ast.Constant) else "{}")
        return "".join(parts)
    return None


def test_messages_and_advice_are_sentences() -> None:
    odd = []
    for place, call in calls_of_errors():
        texts = [literal_of(call.args[0])] if call.args else []
        for keyword in call.keywords:
            if keyword.arg == "suggested_action":
                texts.append(literal_of(keyword.value))
        for text in filter(None, texts):
            begins = text[0].isupper() or text[0] in "{`'\"" or text.split()[0].isidentifier()
            if not begins or text != text.strip():
                odd.append(f"{place}: {text}")

    assert odd == []
