"""Running tools: arguments checked and sent as JSON on stdin, a JSON object read from stdout.

A program is started in a process group of its own, with limits of time and output. The group is
ended when the run is over, also when it succeeded or was cancelled, so that no process remains.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from webquarry.errors import BadInput, TooLarge, ToolFailure, WebquarryError
from webquarry.host.models import TYPES, HostedTool, JsonObject, Schema
from webquarry.host.options import (
    SUFFIX,
    BadOptions,
    add_limits,
    environment_for,
    escape_unprintable,
    find_options,
    last_line,
    quote_output,
)
from webquarry.host.schema import clean, close_objects, fits_type, type_of
from webquarry.host.strict_json import NotJson, parse_json
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)

_START_FAILURES = {
    errno.ENOEXEC: "it has no #! line, and is no program of this machine",
    errno.ENOENT: "the interpreter that its #! line names is missing",
    errno.EACCES: "the system does not let it be run",
}
_MAX_MESSAGE = 1000
_MAX_DEPTH = 200


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
        beginning = f"; it starts with {quote_output(completed.stdout)}"
    try:
        answer = parse_json(completed.stdout, _MAX_DEPTH)
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
        answer = parse_json(stdout, _MAX_DEPTH)
    except NotJson:
        return ""
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, str):
        return ""
    words = " ".join(redact(error).split())[:_MAX_MESSAGE]
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


_MAX_PROBLEMS = 5
_LONGEST_PROBLEM = 300  # characters; a message of jsonschema contains the whole value


def check_arguments(name: str, arguments: Any, parameters: Schema) -> JsonObject:
    """Return a copy of the arguments for the tool `name`, see `_settle`. Raises BadInput that names
    each invalid place.
    """
    if not isinstance(arguments, Mapping):
        raise BadInput(f"The arguments of {name} must be a JSON object, not {type_of(arguments)}.")
    try:
        plain = parse_json(encode(dict(arguments)))
    except NotJson as error:
        raise BadInput(f"The arguments of {name} cannot be sent: the JSON {error}.") from error
    except (TypeError, ValueError, RecursionError) as error:
        reason = escape_unprintable(str(error))
        raise BadInput(f"The arguments of {name} cannot be written as JSON: {reason}.") from error
    from jsonschema import Draft202012Validator

    schema = close_objects(clean(parameters))
    settled: JsonObject = _settle(plain, schema)
    problems = []
    for found in Draft202012Validator(schema).iter_errors(settled):
        problem = escape_unprintable(f"{found.json_path}: {found.message}")
        problems.append(problem[:_LONGEST_PROBLEM])
    if problems:
        told = "; ".join(problems[:_MAX_PROBLEMS])
        raise BadInput(f"The arguments of {name} are not valid: {told}.")
    return settled


def encode(value: JsonObject) -> bytes:
    """Return JSON as a tool reads it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def _settle(value: Any, schema: Schema) -> Any:
    """Drop nulls of known properties, write whole numbers as integers, and convert texts to the
    types of the schema where they are JSON of that type: models send numbers as strings.
    """
    kind = schema.get("type")
    if isinstance(value, str) and kind in TYPES and kind != "string":
        try:
            parsed = parse_json(value.encode("utf-8", "replace"))
        except NotJson:
            return value
        if fits_type(parsed, kind):
            value = parsed
    if isinstance(value, dict):
        known = schema.get("properties", {})
        return {
            name: _settle(part, _get_property(schema, name))
            for name, part in value.items()
            if part is not None or name not in known
        }
    if isinstance(value, list):
        return [_settle(part, schema.get("items", {})) for part in value]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _get_property(schema: Schema, name: str) -> Schema:
    """Return the schema of a property, empty if there is none."""
    part = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
    return part if isinstance(part, dict) else {}


Ending = Literal["exited", "timed_out", "too_much"]

_GRACE_SECONDS = 0.2  # between SIGTERM and SIGKILL
_LINGER_SECONDS = 1.0  # for the output, if another process holds it open after the program
_REAP_SECONDS = 5.0  # for a killed process to end


@dataclass(frozen=True)
class ProcessLimits:
    """How long a program may run and how much it may print."""

    seconds: float
    stdout_bytes: int
    stderr_bytes: int = 8192  # the rest is dropped


@dataclass(frozen=True)
class Completed:
    """How a run ended, and its output."""

    ending: Ending
    exit_code: int | None  # negative for a signal; None if the program did not end by itself
    stdout: bytes
    stderr: bytes


async def run_bounded(
    command: Sequence[str],
    limits: ProcessLimits,
    environment: Mapping[str, str],
    stdin: bytes = b"",
) -> Completed:
    """Run a program until it ends or exceeds a limit. Raises OSError if it cannot be started."""
    loop = asyncio.get_running_loop()
    run = _Run(loop, limits)
    starting = asyncio.ensure_future(
        loop.subprocess_exec(
            lambda: run,
            *command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
    )
    try:
        await asyncio.shield(starting)
        pipe: Any = run.transport.get_pipe_transport(0)
        pipe.write(stdin)
        pipe.write_eof()
        ending = await run.wait(limits.seconds)
    finally:
        # A cancellation waits for the start, so that the process can be ended.
        await asyncio.wait([starting])
        if starting.exception() is None:
            await run.end()
    exit_code = run.transport.get_returncode() if ending == "exited" else None
    return Completed(ending, exit_code, bytes(run.stdout), bytes(run.stderr))


class _Run(asyncio.SubprocessProtocol):
    """Collects the output of a program up to the limits."""

    transport: asyncio.SubprocessTransport

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: ProcessLimits) -> None:
        self._limits = limits
        self.stdout = bytearray()
        self.stderr = bytearray()
        self._overflowed = loop.create_future()
        self._closed = loop.create_future()  # stdout
        self._exited = loop.create_future()
        self._finished = loop.create_future()  # all pipes are closed, too

    async def wait(self, seconds: float) -> Ending:
        """Wait for the end of the program, or for the first limit that it exceeds."""
        await _wait_for_any(self._exited, self._overflowed, seconds=seconds)
        if self._exited.done() and not self._overflowed.done():
            await _wait_for_any(self._closed, self._overflowed, seconds=_LINGER_SECONDS)
        if self._overflowed.done():
            return "too_much"
        return "exited" if self._exited.done() else "timed_out"

    async def end(self) -> None:
        """End the process group and close the pipes."""
        try:
            if not self._exited.done():
                self._signal(force=False)
                await _wait_for_any(self._exited, seconds=_GRACE_SECONDS)
        finally:
            self._signal(force=True)
            try:
                await _wait_for_any(self._exited, seconds=_REAP_SECONDS)
            finally:
                stdin: Any = self.transport.get_pipe_transport(0)
                if stdin is not None and stdin.get_write_buffer_size():
                    stdin.abort()  # closing would wait for the rest to be read
                self.transport.close()
                await _wait_for_any(self._finished, seconds=_REAP_SECONDS)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self.transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.stderr += data[: self._limits.stderr_bytes - len(self.stderr)]
            return
        room = self._limits.stdout_bytes - len(self.stdout)
        self.stdout += data[:room]
        if len(data) > room:
            _set(self._overflowed)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            _set(self._closed)

    def process_exited(self) -> None:
        _set(self._exited)

    def connection_lost(self, exc: Exception | None) -> None:
        _set(self._finished)

    def _signal(self, *, force: bool) -> None:
        try:
            if sys.platform == "win32":
                self.transport.kill()
            else:
                number = signal.SIGKILL if force else signal.SIGTERM
                os.killpg(self.transport.get_pid(), number)
        except (ProcessLookupError, PermissionError):  # macOS: the latter for zombies
            return


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


async def _wait_for_any(*futures: asyncio.Future[None], seconds: float) -> None:
    await asyncio.wait(futures, timeout=max(seconds, 0), return_when=asyncio.FIRST_COMPLETED)
