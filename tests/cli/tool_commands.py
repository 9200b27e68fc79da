"""What the tests of `webquarry tools` share: the command called, its answer, its failure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from click.testing import CliRunner, Result

from webquarry.cli.tools import tools as app


def tools(*arguments: str, stdin: str | bytes = "") -> Result:
    return CliRunner().invoke(app, arguments, input=stdin)


def answer(*arguments: str, stdin: str | bytes = "") -> Any:
    result = tools(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)


def failure(arguments: Sequence[str], stdin: str | bytes = "") -> Result:
    result = tools(*arguments, stdin=stdin)
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    assert set(json.loads(result.stdout)) == {"error"}
    return result
