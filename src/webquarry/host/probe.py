"""Asking one executable what it is: `--schema`, within limits of time and bytes that are settings.

An executable goes in; its description with the findings comes out, or a sentence about why there is
none.
"""

from __future__ import annotations

import errno
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from webquarry.host.environment import environment_for, last_line, quote_output
from webquarry.host.models import Executable, Finding, ToolSchema
from webquarry.host.options.options import SUFFIX, BadOptions, find_options
from webquarry.host.process import Completed, ProcessLimits, run_bounded
from webquarry.host.strict_json import NotJson, parse_json
from webquarry.host.validation import as_schema, check_schema
from webquarry.secret import redact
from webquarry.settings import Settings

_MAX_SCHEMA_BYTES = 1_048_576  # where no settings are at hand
_START_FAILURES = {
    errno.ENOEXEC: "it has no #! line, and is no program of this machine",
    errno.ENOENT: "the interpreter that its #! line names is missing",
    errno.EACCES: "the system does not let it be run",
}


@dataclass(frozen=True)
class Probe:
    """What came of asking: a schema when there is no error among the findings, and a reason when
    there is none.
    """

    schema: ToolSchema | None
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    output: bytes = b""  # what a tool with a schema printed


async def probe(
    executable: Executable,
    settings: Settings,
    environ: Mapping[str, str],
    on_start: Callable[[int], None] = lambda pid: None,
) -> Probe:
    """Run `executable --schema` and judge what it prints."""
    seconds = settings.tool_schema_seconds
    most_bytes = settings.tool_schema_max_bytes
    limits = ProcessLimits(seconds, most_bytes)
    try:
        options = find_options(executable, settings)
    except BadOptions as problem:
        return _refuse(f"its {executable.path.name}{SUFFIX} {problem}")
    environment = environment_for(executable, environ, options.variables)
    try:
        completed = await run_bounded(
            [str(executable.program), "--schema"], limits, environment, on_start=on_start
        )
    except (OSError, ValueError) as error:  # ValueError: a name that no program can be started by
        return _refuse(explain_start_failure(error))
    if completed.ending == "timed_out":
        closed = ""
        if completed.closed_stdout:
            closed = "closed its output, but "
        unit = "second" if seconds == 1 else "seconds"
        return _refuse(
            f"it {closed}did not end within {seconds:g} {unit} (WEBQUARRY_TOOL_SCHEMA_SECONDS)"
        )
    if completed.ending == "too_much":
        return _refuse_length(most_bytes)
    if completed.ending == "held_open":
        return _refuse("it ended, but left a process behind that holds its output open")
    failure = explain_failure(completed)
    if failure:
        return _refuse(failure)
    return judge_schema(completed.stdout, executable.path.name, most_bytes)


def judge_schema(
    data: bytes, binary: str | None = None, most_bytes: int = _MAX_SCHEMA_BYTES
) -> Probe:
    """The description in these bytes, if it is one."""
    if len(data) > most_bytes:
        return _refuse_length(most_bytes)
    try:
        value = parse_json(data)
    except NotJson as error:
        beginning = ""
        if data.strip():
            beginning = f": {quote_output(data)}"
        return _refuse(redact(f"its output {error}{beginning}"))
    findings = tuple(check_schema(value, binary))
    errors = [finding for finding in findings if finding.severity == "error"]
    if not errors:
        return Probe(as_schema(value), findings, output=data)
    first = errors[0]
    more = ""
    further = len(errors) - 1
    if further:
        more = f" (and {further} more)"
    reason = f"its schema is not valid: {first.path}: {first.message}{more}"
    return Probe(None, findings, redact(reason))


def explain_start_failure(error: Exception) -> str:
    """Why a program did not start, in words."""
    cause: object = error
    if isinstance(error, OSError):
        if error.errno in _START_FAILURES:
            return _START_FAILURES[error.errno]
        cause = error.strerror
    return f"it cannot be started: {redact(str(cause))}"


def explain_failure(completed: Completed) -> str:
    """The exit code or signal in words, with the program's last words; empty when it ended well."""
    code = completed.exit_code
    if not code:
        return ""
    cause = f"it ended with exit code {code}"
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        cause = f"it was ended by {name}"
    words = last_line(completed.stderr)
    if words:
        return f"{cause}: {words}"
    return cause


def _refuse_length(most_bytes: int) -> Probe:
    return _refuse(
        f"its output is longer than {most_bytes} bytes (WEBQUARRY_TOOL_SCHEMA_MAX_BYTES)"
    )


def _refuse(reason: str) -> Probe:
    finding = Finding("error", "$", reason)
    return Probe(None, (finding,), reason)
