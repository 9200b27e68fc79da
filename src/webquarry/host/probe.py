"""Descriptions of tools: running `--schema` and judging the output."""

from __future__ import annotations

import errno
import signal
from collections.abc import Mapping
from dataclasses import dataclass

from webquarry.host.environment import environment_for, last_line, quote_output
from webquarry.host.models import Executable, Finding, ToolSchema
from webquarry.host.options import SUFFIX, BadOptions, find_options
from webquarry.host.process import Completed, ProcessLimits, run_bounded
from webquarry.host.strict_json import NotJson, parse_json
from webquarry.host.validation import as_schema, check_schema
from webquarry.secret import redact
from webquarry.settings import Settings

_MAX_SCHEMA_BYTES = 1_048_576
_START_FAILURES = {
    errno.ENOEXEC: "it has no #! line, and is no program of this machine",
    errno.ENOENT: "the interpreter that its #! line names is missing",
    errno.EACCES: "the system does not let it be run",
}


@dataclass(frozen=True)
class Probe:
    """The description of an executable, or the reason why it has none."""

    schema: ToolSchema | None
    findings: tuple[Finding, ...] = ()
    reason: str = ""


async def probe(executable: Executable, settings: Settings, environ: Mapping[str, str]) -> Probe:
    """Run `executable --schema` and judge its output."""
    seconds = settings.tool_schema_seconds
    most_bytes = settings.tool_schema_max_bytes
    try:
        options = find_options(executable, settings)
        completed = await run_bounded(
            [str(executable.path), "--schema"],
            ProcessLimits(seconds, most_bytes),
            environment_for(executable, environ, options.variables),
        )
    except BadOptions as problem:
        return _refuse(f"its {executable.path.name}{SUFFIX} {problem}")
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        return _refuse(explain_start_failure(error))
    if completed.ending == "timed_out":
        unit = "second" if seconds == 1 else "seconds"
        return _refuse(f"it did not end within {seconds:g} {unit}")
    if completed.ending == "too_much":
        return _refuse_length(most_bytes)
    failure = explain_failure(completed)
    if failure:
        return _refuse(failure)
    return judge_schema(completed.stdout, executable.path.name, most_bytes)


def judge_schema(
    data: bytes, binary: str | None = None, most_bytes: int = _MAX_SCHEMA_BYTES
) -> Probe:
    """Return the description in these bytes, or the reason why it is not valid."""
    if len(data) > most_bytes:
        return _refuse_length(most_bytes)
    try:
        value = parse_json(data)
    except NotJson as error:
        beginning = f": {quote_output(data)}" if data.strip() else ""
        return _refuse(redact(f"its output {error}{beginning}"))
    findings = tuple(check_schema(value, binary))
    errors = [finding for finding in findings if finding.severity == "error"]
    if not errors:
        return Probe(as_schema(value), findings)
    first = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    reason = f"its schema is not valid: {first.path}: {first.message}{more}"
    return Probe(None, findings, redact(reason))


def explain_start_failure(error: Exception) -> str:
    """Return why a program did not start."""
    cause: object = error
    if isinstance(error, OSError):
        if error.errno in _START_FAILURES:
            return _START_FAILURES[error.errno]
        cause = error.strerror
    return f"it cannot be started: {redact(str(cause))}"


def explain_failure(completed: Completed) -> str:
    """Return why a run that ended by itself failed, with the last line of stderr; empty if it
    succeeded.
    """
    if completed.ending == "held_open":
        return "it ended, but left a process behind that holds its output open"
    code = completed.exit_code
    if not code:
        return ""
    cause = f"it ended with exit code {code}"
    if code < 0:
        try:
            cause = f"it was ended by {signal.Signals(-code).name}"
        except ValueError:
            cause = f"it was ended by signal {-code}"
    words = last_line(completed.stderr)
    return f"{cause}: {words}" if words else cause


def _refuse_length(most_bytes: int) -> Probe:
    return _refuse(f"its output is longer than {most_bytes} bytes")


def _refuse(reason: str) -> Probe:
    return Probe(None, (Finding("error", "$", reason),), reason)
