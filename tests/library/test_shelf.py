"""What is kept is found again, by nobody else, and takes no more room than it may."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from webquarry.library import KeptPage
from webquarry.library.shelf import Shelf, open_shelf_database

NOW = 1_800_000_000.0
TIDE = KeptPage(
    "https://tide.example/slack",
    "Slack water",
    b"# Slack water\n\nTurbines rest when the tide turns.\n\n## Battery\n\n"
    b"A vanadium battery carries the island through these hours.\n\n## Birds\n\n"
    b"Terns fish in the shallow bay.",
    NOW,
)
BREAD = KeptPage(
    "https://bread.example/rye",
    "Rye",
    b"The dough of the rye rests for hours before it is baked.",
    NOW,
)
ROOM = 100_000_000


class OpenShelf:
    """A shelf in a folder, opened anew as often as it is wanted."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "library.sqlite3"
        self.file = open_shelf_database(self.path)

    def open(self, room: int = ROOM) -> Shelf:
        self.file.close()
        return Shelf(*self.file.open(), room)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenShelf]:
    shelf = OpenShelf(tmp_path)
    yield shelf
    shelf.file.close()


def name_word(page: int, place: int) -> str:
    """A word of letters that no other page has."""
    number = page * 1_000 + place
    return "q" + "".join("bcdfghklmn"[int(digit)] + "o" for digit in str(number)) + "z"


def urls(shelf: Shelf, question: str, owner: str = "", now: float = NOW) -> list[str]:
    return [found.url for found in shelf.find(owner, question, 10, lambda _: True, now)]


def test_a_page_is_found_by_other_forms_of_its_words(opened: OpenShelf) -> None:
    shelf = opened.open()
    shelf.add("", [TIDE, BREAD])

    assert urls(shelf, "which turbine rested in turning tides?") == [TIDE.url, BREAD.url]
    assert urls(shelf, "vanadium batteries") == [TIDE.url]
    assert urls(shelf, "zeppelin") == []


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "Die Häuser der Fischer stehen auf dem Deich, und das Wasser ist kalt.",
            "Fischerhaus Haus",
        ),
        ("潮汐能量存储在岛上的电池里", "电池在哪里"),
        ("ज्वार के समय टर्बाइन आराम करते हैं और बैटरी द्वीप को चलाती है", "बैटरी क्या चलाती है"),
        ("Турбины отдыхают, когда прилив меняется, а батарея питает остров", "где турбина"),
    ],
)
def test_pages_of_any_language_are_found_without_saying_the_language(
    opened: OpenShelf, text: str, question: str
) -> None:
    shelf = opened.open()
    page = KeptPage("https://other.example/", "", text.encode(), NOW)
    shelf.add("", [BREAD, page])

    assert urls(shelf, question)[:1] == [page.url]


def test_the_passage_that_answers_is_shown(opened: OpenShelf) -> None:
    shelf = opened.open()
    shelf.add("", [TIDE])

    (found,) = shelf.find("", "slack water vanadium", 5, lambda _: True, NOW)

    assert found.text.startswith(b"A vanadium battery")
    assert found.text.rstrip().endswith(b"these hours.")
    assert found.fetched_at == NOW


def test_only_the_newest_version_of_a_page_is_stored(opened: OpenShelf) -> None:
    shelf = opened.open()
    newer = KeptPage(f"{TIDE.url}?utm_source=x", "Slack water", b"Nothing but gulls.", NOW + 9)
    older = KeptPage(TIDE.url, "Slack water", b"Nothing but whales.", NOW - 9)
    shelf.add("", [TIDE])
    shelf.add("", [newer])
    shelf.add("", [older])

    assert urls(shelf, "vanadium") == urls(shelf, "whales") == []
    assert urls(shelf, "gulls") == [newer.url]
    assert shelf.measure("", "").pages == 1


def test_what_one_caller_read_no_other_finds(opened: OpenShelf) -> None:
    shelf = opened.open()
    shelf.add("ada", [TIDE])
    shelf.add("ben", [BREAD])

    assert urls(shelf, "vanadium rye", "ada") == [TIDE.url]
    assert urls(shelf, "vanadium rye", "ben") == [BREAD.url]
    assert urls(shelf, "vanadium rye") == []
    assert shelf.forget("ben", TIDE.url) == 0
    assert shelf.holds("ada", TIDE.url)


def test_no_word_and_no_address_lies_on_the_disk(opened: OpenShelf) -> None:
    shelf = opened.open()
    shelf.add("ada", [TIDE])
    opened.file.close()
    data = opened.path.read_bytes().lower()

    for word in (b"vanadium", b"turbin", b"slack", b"tide.example", b"ada", b"island"):
        assert not re.search(rb"(?<![a-z])" + word, data), word


def test_removed_pages_leave_the_index(opened: OpenShelf) -> None:
    shelf = opened.open()
    old = KeptPage("https://old.example/", "Old", b"Vanadium of yesterday.", NOW - 100)
    shelf.add("", [TIDE, BREAD, old])

    assert shelf.forget("", before=NOW - 50) == 1
    assert shelf.forget("", TIDE.url) == 1
    assert urls(shelf, "vanadium") == []
    assert urls(shelf, "rye") == [BREAD.url]
    database, _ = opened.file.open()
    database.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)")
    count_words = "SELECT coalesce(sum(doc), 0) FROM vocabulary"
    (words,) = database.execute(count_words).fetchone()
    assert shelf.forget("") == 1
    assert words
    assert database.execute(count_words).fetchone() == (0,)


@pytest.mark.slow
def test_least_recently_used_pages_are_evicted(opened: OpenShelf) -> None:
    shelf = opened.open(300_000)
    for number in range(60):
        text = " ".join(name_word(number, place) for place in range(900))
        page = KeptPage(f"https://many.example/{number}", "", text.encode(), NOW + number)
        shelf.add("", [page])
        if number == 10:
            first = urls(shelf, name_word(0, 1), now=NOW + 90_000)

    question = f"{name_word(0, 1)} {name_word(59, 1)}"
    assert first == ["https://many.example/0"]
    assert set(urls(shelf, question)) == {"https://many.example/0", "https://many.example/59"}
    assert urls(shelf, name_word(1, 1)) == []
    assert shelf.measure("", "").file_bytes <= 300_000


def test_pages_with_terms_of_another_version_are_indexed_again(
    opened: OpenShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = opened.open()
    shelf.add("", [TIDE, BREAD])
    monkeypatch.setattr("webquarry.library.shelf.TERMS_VERSION", 99)
    shelf = opened.open()

    assert shelf.repair()
    assert not shelf.repair()
    assert urls(shelf, "vanadium") == [TIDE.url]


def test_a_library_of_the_release_before_is_indexed_again(opened: OpenShelf) -> None:
    shelf = opened.open()
    shelf.add("", [TIDE, BREAD])
    shelf.connection.execute("CREATE TABLE next (id INTEGER NOT NULL)")
    shelf.connection.execute("PRAGMA user_version = 1")
    shelf = opened.open()

    assert urls(shelf, "vanadium") == []
    assert shelf.repair()
    assert urls(shelf, "vanadium") == [TIDE.url]
    assert shelf.forget("", TIDE.url) == 1
    assert urls(shelf, "vanadium") == []


KILLED = """
import sys
from pathlib import Path
from tests.library.test_shelf import BREAD, NOW, KeptPage, OpenShelf, name_word
shelf = OpenShelf(Path(sys.argv[1])).open()
shelf.add("", [BREAD])
print("kept", flush=True)
for number in range(100_000):
    text = " ".join(name_word(number, place) for place in range(500)).encode()
    shelf.add("", [KeptPage(f"https://many.example/{number}", "", text, NOW)])
    if number == 5:
        print("adding", flush=True)
"""


@pytest.mark.slow
def test_kill_while_adding_loses_no_stored_page(opened: OpenShelf, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "kept\n"
    assert process.stdout.readline() == "adding\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    shelf = opened.open()

    assert urls(shelf, "rye") == [BREAD.url]
    assert urls(shelf, name_word(3, 7)) == ["https://many.example/3"]
    assert opened.file.open()[0].execute("PRAGMA integrity_check").fetchone() == ("ok",)
    shelf.add("", [TIDE])
    assert urls(shelf, "vanadium") == [TIDE.url]
