"""Jobs of worker processes."""

from __future__ import annotations

import pytest

from tests.read.workers.jobs import fail
from webquarry._read.workers.job import Job, find_function


@pytest.mark.parametrize("parts", [(), (b"",), (b"a",), (b"a", b""), (b"", b"b"), (b"a", b"b")])
def test_body_joins_the_pieces(parts: tuple[bytes, ...]) -> None:
    assert Job(fail, parts=parts).body == b"".join(parts)


def test_body_of_one_piece_is_not_copied() -> None:
    page = b"a page"

    assert Job(fail, parts=(page, b"")).body is page


def test_reference_of_a_job_finds_its_function() -> None:
    assert Job(fail).reference == "tests.read.workers.jobs:fail"
    assert find_function(Job(fail).reference) is fail


def test_function_that_is_not_registered_is_not_found() -> None:
    with pytest.raises(KeyError):
        find_function("os:system")
