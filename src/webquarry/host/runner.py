"""Running one tool: arguments in on stdin, one JSON object out on stdout, within limits of time and
bytes.

Whatever goes wrong is a `WebquarryError`. What the tool said on stderr, cut and with secrets taken
out, is attached to it as a note; its message has the gist.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from webquarry.errors import TooLarge, ToolFailure, WebquarryError
from webquarry.host.arguments import check_arguments, encode
from webquarry.host.environment import (
    environment_for,
    escape_unprintable,
    quote_output,
    tell_limit,
)
from webquarry.host.models import HostedTool, JsonObject
from webquarry.host.options.options import SUFFIX, BadOptions, find_options
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
    """Check the arguments, run the tool, give its answer."""
    checked = check_arguments(tool.name, arguments, tool.parameters)
    stdin = encode(checked)
    try:
        options = find_options(tool.executable, settings)
    except BadOptions as problem:
        file = escape_unprintable(f"{tool.path.name}{SUFFIX}")
        reason = f"was not run: its {file} {problem}"
        raise _build_failure(tool, reason, suggested_action=f"Correct {file}.") from problem
    limits = ProcessLimits(options.timeout_seconds, options.max_output_bytes)
    environment = environment_for(tool.executable, environ, options.variables)
    tell_limit(environment, options.max_output_bytes, settings.fetch_max_bytes)
    try:
        completed = await run_bounded([str(tool.executable.program)], limits, environment, stdin)
    except (OSError, ValueError) as error:
        reason = explain_start_failure(error)
        raise _build_failure(tool, f"did not start: {reason}") from error
    try:
        return _read_answer(tool, completed, limits)
    except WebquarryError as error:
        words = redact(completed.stderr.decode("utf-8", "replace")).strip()
        if words:
            error.add_note(f"The tool's stderr:\n{words}")
            log.debug("the tool %s said on stderr: %s", tool.name, escape_unprintable(words))
        raise


def _read_answer(tool: HostedTool, completed: Completed, limits: ProcessLimits) -> JsonObject:
    """The object that the tool printed; anything else is an error."""
    file = escape_unprintable(f"{tool.path.name}{SUFFIX}")
    if completed.ending == "timed_out":
        raise _build_failure(
            tool,
            f"did not end within {limits.seconds:g} seconds",
            retryable=True,
            suggested_action="Ask it for less, raise WEBQUARRY_TOOL_TIMEOUT_SECONDS, or give it "
            f"more time with `timeout_seconds` in {file}.",
        )
    if completed.ending == "too_much":
        raise TooLarge(
            f"The tool {tool.name} printed more than {limits.stdout_bytes} bytes.",
            suggested_action="Ask it for less, raise WEBQUARRY_TOOL_MAX_OUTPUT_BYTES, or give it "
            f"more room with `max_output_bytes` in {file}.",
        )
    if completed.ending == "held_open":
        raise _build_failure(tool, "ended, but left a process behind that holds its output open")
    if completed.exit_code:
        raise _build_failure(
            tool,
            f"failed: {_read_own_error(completed.stdout) or explain_failure(completed)}",
            suggested_action="Correct the input, or look at the tool.",
        )
    stdout = completed.stdout
    beginning = ""
    if stdout.strip():
        beginning = f"; it begins with {quote_output(stdout)}"
    try:
        answer = parse_json(stdout, _RESULT_DEPTH)
    except NotJson as error:
        problem = escape_unprintable(redact(str(error)))
        reason = f"gave no usable answer: its output {problem}{beginning}"
        raise _build_failure(tool, reason) from error
    if not isinstance(answer, dict):
        reason = f"gave no usable answer: its output is no JSON object{beginning}"
        raise _build_failure(tool, reason)
    return answer


def _read_own_error(stdout: bytes) -> str:
    """The error that the tool printed itself, on one line; empty when it printed none."""
    try:
        answer = parse_json(stdout, _RESULT_DEPTH)
    except NotJson:
        return ""
    if not isinstance(answer, dict):
        return ""
    error = answer.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    if not isinstance(error, str) or not error.strip():
        return ""
    words = " ".join(redact(error).split())[:_LONGEST_MESSAGE]
    return escape_unprintable(words).removesuffix(".")


def _build_failure(
    tool: HostedTool,
    what: str,
    retryable: bool = False,
    suggested_action: str = "Look at the tool, or use another.",
) -> ToolFailure:
    return ToolFailure(
        f"The tool {tool.name} {what}.",
        retryable=retryable,
        suggested_action=suggested_action,
        provider=tool.name,
    )
