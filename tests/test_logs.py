"""What is written to stderr, as text and as JSON."""

from __future__ import annotations

import json
import logging

import pytest

from webquarry.logs import set_up
from webquarry.secret import Secret


@pytest.mark.parametrize("style", ["text", "json"])
def test_no_secret_is_in_a_log_line_or_its_traceback(
    style: str, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = Secret('canary-"quoted"-7c1d').reveal()
    set_up("info", style)
    try:
        raise ValueError(f"no {secret}")
    except ValueError:
        logging.getLogger("webquarry.test").exception("failed with %s", secret)

    said = capsys.readouterr().err
    assert "failed with ***" in said
    assert "7c1d" not in said


def test_json_logs_are_one_object_a_line_also_with_a_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    set_up("info", "json")
    try:
        raise ValueError("two\nlines")
    except ValueError:
        logging.getLogger("webquarry.test").exception("failed")
    logging.getLogger("webquarry.test").debug("unheard")

    (line,) = capsys.readouterr().err.splitlines()
    said = json.loads(line)
    assert (said["level"], said["logger"], said["message"]) == ("error", "webquarry.test", "failed")
    assert said["error"].startswith("Traceback")
