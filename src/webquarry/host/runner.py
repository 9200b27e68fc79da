"""Running a tool: arguments as JSON on stdin, a JSON object on stdout."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from webquarry.errors import TooLarge, ToolFailure, WebquarryError
from webquarry.host.arguments import check_arguments, encode
from webquarry.host.environment import (
    add_limits,
    environment_for,
    escape_unprintable,
    quote_output,
)
from webquarry.host.models import HostedTool, JsonObject
from webquarry.host.options import SUFFIX, BadOptions, find_options
from webquarry.host.probe import explain_failure, explain_start_failure
from webquarry.host.process import Completed, ProcessLimits, run_bounded
from webquarry.host.strict_json import NotJson, parse_json
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)

_LONGEST_MESSAGE = 1000
_RESULT_DEPTH = 200


async def run_tool(
    tool: HostedTool, arguments: Mapping[str, Any], settings: Settings, environ: Mapping[str, str]
) -> JsonObject:
    """Check the arguments, run the tool and return its answer. Raises WebquarryError with the
    stderr of the tool as a note.
    """
    checked = check_arguments(tool.name, arguments, tool.parameters)
    file = escape_unprintable(f"{tool.path.name}{SUFFIX}")
    try:
        options = find_options(tool.executable, settings)
    except BadOptions as problem:
        reason = f"was not run: its {file} {problem}"
        raise _build_failure(tool, reason, suggested_action=f"Correct {file}.") from problem
    limits = ProcessLimits(options.timeout_seconds, options.max_output_bytes)
    environment = environment_for(tool.executable, environ, options.variables)
    add_limits(environment, options.max_output_bytes, settings.fetch_max_bytes)
    try:
        completed = await run_bounded([str(tool.path)], limits, environment, encode(checked))
    except (OSError, ValueError) as error:
        reason = explain_start_failure(error)
        raise _build_failure(tool, f"did not start: {reason}") from error
    try:
        return _read_answer(tool, completed, limits, file)
    except WebquarryError as error:
        words = redact(completed.stderr.decode("utf-8", "replace")).strip()
        if words:
            error.add_note(f"The tool's stderr:\n{words}")
            log.debug("stderr of the tool %s: %s", tool.name, escape_unprintable(words))
        raise


def _read_answer(
    tool: HostedTool, completed: Completed, limits: ProcessLimits, file: str
) -> JsonObject:
    """Return the object that the tool printed."""
    if completed.ending == "timed_out":
        raise _build_failure(
            tool,
            f"did not end within {limits.seconds:g} seconds",
            retryable=True,
            suggested_action="Ask it for less, or give it more time with `timeout_seconds` in "
            f"{file}.",
        )
    if completed.ending == "too_much":
        raise TooLarge(
            f"The tool {tool.name} printed more than {limits.stdout_bytes} bytes.",
            suggested_action="Ask it for less, or give it more room with `max_output_bytes` in "
            f"{file}.",
        )
    failure = explain_failure(completed)
    if failure:
        raise _build_failure(
            tool,
            f"failed: {_read_own_error(completed.stdout) or failure}",
            suggested_action="Correct the input, or look at the tool.",
        )
    beginning = ""
    if completed.stdout.strip():
        beginning = f"; it begins with {quote_output(completed.stdout)}"
    try:
        answer = parse_json(completed.stdout, _RESULT_DEPTH)
    except NotJson as error:
        problem = escape_unprintable(redact(str(error)))
        reason = f"gave no usable answer: its output {problem}{beginning}"
        raise _build_failure(tool, reason) from error
    if not isinstance(answer, dict):
        reason = f"gave no usable answer: its output is no JSON object{beginning}"
        raise _build_failure(tool, reason)
    return answer


def _read_own_error(stdout: bytes) -> str:
    """Return the error that the tool printed, in one line; empty if it printed none."""
    try:
        answer = parse_json(stdout, _RESULT_DEPTH)
    except NotJson:
        return ""
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict):
        error = error.get("message")
    if not isinstance(error, str):
        return ""
    words = " ".join(redact(error).split())[:_LONGEST_MESSAGE]
    return escape_unprintable(words).removesuffix(".")


def _build_failure(
    tool: HostedTool,
    what: str,
    *,
    retryable: bool = False,
    suggested_action: str = "Look at the tool, or use another.",
) -> ToolFailure:
    return ToolFailure(
        f"The tool {tool.name} {what}.",
        retryable=retryable,
        suggested_action=suggested_action,
        provider=tool.name,
    )
