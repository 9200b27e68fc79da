"""What is printed: text from the web obeys the terminal, never the other way round."""

from __future__ import annotations

import json

import click
import pytest

from webquarry.cli.output import command_output
from webquarry.errors import RateLimited
from webquarry.terminal import as_json, one_line, printable


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("plain\ttext\nand a line", "plain\ttext\nand a line"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;new title\x07text", "text"),
        ("\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(0line drawing", "line drawing"),
        ("\x9b31mred", "red"),
        ("\x9d0;title\x9ctext", "text"),
        ("over\rwritten", "overwritten"),
        ("bell\x07 null\x00 del\x7f", "bell null del"),
        ("user\u202egnp.exe", "usergnp.exe"),
        ("separator\u2028line", "separator\nline"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("an unfinished \x1b]0;title", "an unfinished "),
        ("日本語 עברית 👩‍👩‍👧 می‌خواهم", "日本語 עברית 👩‍👩‍👧 می‌خواهم"),
        ("[bold]brackets[/bold] stay", "[bold]brackets[/bold] stay"),
    ],
)
def test_control_sequences_are_removed(hostile: str, shown: str) -> None:
    assert printable(hostile) == shown


def test_a_line_stays_one_line() -> None:
    assert one_line("  two\n lines\t\x1b[1m and more \u2029") == "two lines and more"


@pytest.mark.parametrize(
    "text", ["\x9b31m", "\u2028", "\u202e", "\ud83d", "\x7f", "\x1b[0m", "é 日本語 👍"]
)
def test_json_keeps_the_value_but_prints_nothing_that_a_terminal_would_obey(text: str) -> None:
    printed = as_json({"text": text})

    assert json.loads(printed) == {"text": text}
    assert printable(printed) == printed
    printed.encode("utf-8")


def test_an_error_is_one_sentence_and_an_action_on_stderr_and_an_object_on_stdout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(click.exceptions.Exit) as ended, command_output(None):
        raise RateLimited(
            "Slow\ndown \x1b[31m[bold]please[/bold].",
            retry_after_seconds=3,
            suggested_action="Wait.",
        )
    captured = capsys.readouterr()

    assert ended.value.exit_code == 1
    assert captured.err == "Error: Slow down [bold]please[/bold].\nTry: Wait.\n"
    assert json.loads(captured.out)["error"] == {
        "kind": "rate_limited",
        "message": "Slow\ndown \x1b[31m[bold]please[/bold].",
        "retryable": True,
        "retryAfterSeconds": 3,
        "suggestedAction": "Wait.",
    }


def test_with_text_an_error_leaves_stdout_empty(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(click.exceptions.Exit), command_output(False):
        raise RateLimited("Slow down.")

    assert capsys.readouterr().out == ""


def test_unexpected_exception_is_reported_without_secrets(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(click.exceptions.Exit) as ended, command_output(True):
        raise RuntimeError("no luck with https://example.org/?api_key=hunter2hunter2")
    captured = capsys.readouterr()

    assert ended.value.exit_code == 1
    assert json.loads(captured.out)["error"]["kind"] == "internal"
    assert "RuntimeError: no luck" in captured.err
    assert "Traceback" not in captured.err
    assert "hunter2" not in captured.out + captured.err


@pytest.mark.parametrize(
    "raised",
    [click.exceptions.Exit(3), click.BadParameter("no"), BrokenPipeError(), KeyboardInterrupt()],
)
def test_exceptions_of_click_pass_through(raised: BaseException) -> None:
    with pytest.raises(type(raised)), command_output(True):
        raise raised
