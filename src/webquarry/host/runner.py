"""Running one tool: arguments in on stdin, one JSON object out on stdout, within limits of time and
bytes.

Whatever goes wrong is a `WebquarryError`. What the tool said on stderr, cut and with secrets taken
out, is attached to it as a note; its message has the gist.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from webquarry.errors import ProviderFailure, TooLarge, WebquarryError
from webquarry.host.arguments import check_arguments, encode
from webquarry.host.environment import environment_for, quoted, visible
from webquarry.host.models import HostedTool
from webquarry.host.probe import how_it_failed, start_failure
from webquarry.host.process import Completed, Limits, run_bounded
from webquarry.host.strict_json import NotJson, parse_json
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)

_LONGEST_MESSAGE = 1000
_RESULT_DEPTH = 200


async def run_tool(
    tool: HostedTool, arguments: Mapping[str, Any], settings: Settings, environ: Mapping[str, str]
) -> dict[str, Any]:
    """Check the arguments, run the tool, give its answer."""
    stdin = encode(check_arguments(tool.name, arguments, tool.parameters))
    limits = Limits(settings.tool_timeout_seconds, settings.tool_max_output_bytes)
    environment = environment_for(tool.executable, environ)
    try:
        completed = await run_bounded([str(tool.path)], limits, environment, stdin)
    except (OSError, ValueError) as error:
        raise _failure(tool, f"did not start: {start_failure(error)}") from error
    try:
        return _answer(tool, completed, settings)
    except WebquarryError as error:
        words = redact(completed.stderr.decode("utf-8", "replace")).strip()
        if words:
            error.add_note(f"The tool's stderr:\n{words}")
            log.debug("the tool %s said on stderr: %s", tool.name, visible(words))
        raise


def _answer(tool: HostedTool, completed: Completed, settings: Settings) -> dict[str, Any]:
    if completed.ending == "timed_out":
        seconds = settings.tool_timeout_seconds
        raise _failure(
            tool,
            f"did not end within {seconds:g} seconds",
            retryable=True,
            suggested_action="Ask it for less, or raise WEBQUARRY_TOOL_TIMEOUT_SECONDS.",
        )
    if completed.ending == "too_much":
        raise TooLarge(
            f"The tool {tool.name} printed more than {settings.tool_max_output_bytes} bytes.",
            suggested_action="Ask it for less, or raise WEBQUARRY_TOOL_MAX_OUTPUT_BYTES.",
        )
    if completed.ending == "held_open":
        raise _failure(tool, "ended, but left a process behind that holds its output open")
    if completed.exit_code:
        raise _failure(
            tool,
            _parting_words(completed),
            suggested_action="Correct the input, or look at the tool.",
        )
    return _result(tool, completed.stdout)


def _parting_words(completed: Completed) -> str:
    """The tool's own error when it printed one, else how it ended."""
    try:
        told = parse_json(completed.stdout, _RESULT_DEPTH)
    except NotJson:
        told = None
    error = told.get("error") if isinstance(told, dict) else None
    if isinstance(error, dict):
        error = error.get("message")
    if isinstance(error, str) and error.strip():
        words = " ".join(redact(error).split())[:_LONGEST_MESSAGE]
        return f"failed: {visible(words).removesuffix('.')}"
    return f"failed: {how_it_failed(completed)}"


def _result(tool: HostedTool, stdout: bytes) -> dict[str, Any]:
    try:
        result = parse_json(stdout, _RESULT_DEPTH)
    except NotJson as error:
        shown = ""
        if stdout.strip():
            shown = f"; it begins with {quoted(stdout)}"
        raise _failure(
            tool, f"gave no usable answer: its output {visible(redact(str(error)))}{shown}"
        ) from error
    if not isinstance(result, dict):
        raise _failure(
            tool,
            f"gave no usable answer: its output is no JSON object; it begins with {quoted(stdout)}",
        )
    return result


def _failure(
    tool: HostedTool,
    what: str,
    retryable: bool = False,
    suggested_action: str = "Look at the tool, or use another.",
) -> ProviderFailure:
    return ProviderFailure(
        f"The tool {tool.name} {what}.",
        retryable=retryable,
        suggested_action=suggested_action,
        provider=tool.name,
    )
