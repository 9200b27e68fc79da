"""What is asked of a worker process."""

from __future__ import annotations

import pytest

from webquarry.read.workers.job import Job


@pytest.mark.parametrize("parts", [(), (b"",), (b"a",), (b"a", b""), (b"", b"b"), (b"a", b"b")])
def test_a_body_is_its_pieces(parts: tuple[bytes, ...]) -> None:
    assert Job("fail", parts=parts).body == b"".join(parts)


def test_a_body_of_one_piece_is_not_copied() -> None:
    page = b"a page"

    assert Job("fail", parts=(page, b"")).body is page
