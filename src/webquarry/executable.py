"""One executable per tool: a JSON object on stdin, one JSON object on stdout.

All scripts start `main`; the name of the script, or of the file that it links to, selects the tool
(`web-fetch-tool` is `web_fetch`). Diagnostics go to stderr. A failure is `{"error": "<sentence>"}`
and exit code 1. `--schema`, `--version` and `--help` import only `os` and `sys`, because hosts
request the schema often and with a short timeout.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing typing takes longer than all of --schema
if TYPE_CHECKING:
    from io import BufferedIOBase
    from typing import Any

# os.path, because importing pathlib is too slow here
_PACKAGE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
SCHEMAS = os.path.join(_PACKAGE, "schemas")  # noqa: PTH118
TOOLSET = "executables"
MAX_BYTES = 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some shells add one
_TYPE_NAMES = {
    list: "a list", str: "a text", int: "a number", float: "a number", bool: "true or false",
    type(None): "null",
}  # fmt: skip

USAGE = """usage: echo '{{...}}' | {script}
       {script} --schema | --version | --help

Reads one JSON object with the tool's arguments from stdin and writes one JSON object to stdout.
A failure is {{"error": "..."}} and exit code 1; diagnostics go to stderr.
"""


def main() -> int:
    """Run the executable; return the exit code."""
    try:
        return _run(sys.argv[0], sys.argv[1:])
    except KeyboardInterrupt:
        return 130


def script_name(path: str) -> str:
    """Name of a script without the parts that platforms add."""
    name = path.replace("\\", "/").rpartition("/")[2]
    for suffix in (".exe", ".py", ".pyw", "-script"):
        name = name.removesuffix(suffix)
    return name


def find_tool(path: str) -> str | None:
    """Tool of a script, by its name or that of the file that it links to."""
    script = script_name(path)
    names = [script]
    if os.path.isfile(path):  # noqa: PTH113
        names += [script_name(os.path.realpath(path)), f"{script}-tool"]
    for name in names:
        tool = name.removesuffix("-tool").replace("-", "_")
        if name.endswith("-tool") and os.path.isfile(_schema_path(tool)):  # noqa: PTH113
            return tool
    return None


def _schema_path(tool: str) -> str:
    return os.path.join(SCHEMAS, f"{tool}.json")  # noqa: PTH118


def _run(path: str, flags: list[str]) -> int:
    """Handle a flag, or call the tool."""
    script = script_name(path)
    tool = find_tool(path)
    if tool is None:
        return _report_misuse(script, f"There is no tool behind the name {script!r}.")
    if not flags:
        return _call_tool(script, tool)
    if flags == ["--schema"]:
        with open(_schema_path(tool), "rb") as file:  # noqa: PTH123
            return _write(file.read())
    if flags == ["--version"]:
        from webquarry import __version__

        return _write(f"{script} {__version__}\n".encode())
    if flags in (["--help"], ["-h"]):
        return _write(USAGE.format(script=script).encode())
    problem = f"Arguments come as JSON on stdin; {' '.join(flags)!r} is not a flag of {script}."
    return _report_misuse(script, problem)


def _call_tool(script: str, name: str) -> int:
    """Read the arguments, call the tool and write its answer."""
    from webquarry import logs
    from webquarry.settings import Settings

    logs.set_up("warning")
    try:
        settings = Settings.from_environment()
        logs.set_up(settings.log_level)
        arguments = parse_arguments(_read_stdin(script))

        import asyncio

        from webquarry.toolkit import Toolkit
        from webquarry.tools import load

        tool = load(TOOLSET, name)
        tool.check(arguments)  # report invalid arguments before anything is opened

        async def run() -> dict[str, Any]:
            async with Toolkit.open(settings, runner="fork") as kit:
                answer = await tool.call_and_log(kit, arguments)
                return answer.as_dict()

        answer = asyncio.run(run())
    except Exception as error:  # the output is one JSON object in any case
        return _report_error(error)
    return _write_json(answer)


def parse_arguments(data: bytes, place: str = "on stdin") -> dict[str, Any]:
    """Parse one JSON object strictly; raise BadInput for anything else."""
    from webquarry.errors import BadInput
    from webquarry.host.strict_json import NotJson, parse_json

    expected = f"one JSON object with the arguments was expected {place}."
    if len(data) > MAX_BYTES:
        raise BadInput(f"The input is larger than {MAX_BYTES} bytes.")
    try:
        value = parse_json(data.removeprefix(_BYTE_ORDER_MARK))
    except NotJson as error:
        raise BadInput(f"The input {error}; {expected}") from None
    if not isinstance(value, dict):
        raise BadInput(f"The input is {_TYPE_NAMES[type(value)]}; {expected}")
    return value


def read_whole_value(stream: BufferedIOBase, size: int) -> bytes:
    """Read up to `size` bytes, to the end of the line on which the first JSON value ends.

    Hosts may leave stdin open. Brackets are counted outside strings, which cannot span lines.
    """
    import re

    data, depth = b"", 0
    while len(data) < size and (line := stream.readline(size - len(data))):
        data += line
        rest = re.sub(rb'"(?:[^"\\\n]|\\.)*+"', b"", line)
        depth += len(re.findall(rb"[\[{]", rest)) - len(re.findall(rb"[\]}]", rest))
        is_open = depth > 0 and b'"' not in rest  # a quotation mark: the string has no end
        if data.removeprefix(_BYTE_ORDER_MARK).strip() and not is_open:
            break
    return data


def _read_stdin(script: str) -> bytes:
    """Read the arguments; explain to a person at a terminal what is expected."""
    if sys.stdin is None:
        return b""
    if sys.stdin.isatty() and sys.stderr is not None:
        sys.stderr.write(
            USAGE.format(script=script)
            + "\nWaiting for a JSON object; a whole one ends with its line, all else with Ctrl-D.\n"
        )
        sys.stderr.flush()
    from contextlib import suppress

    stream: Any = sys.stdin.buffer
    with suppress(OSError):
        os.set_blocking(stream.fileno(), True)  # some hosts pass a non-blocking stream
    return read_whole_value(stream, MAX_BYTES + 1)


def _report_error(error: Exception) -> int:
    """Write the error object to stdout, its kind and the suggested action to stderr."""
    import logging

    from webquarry.errors import WebquarryError
    from webquarry.secret import redact

    log = logging.getLogger("webquarry")
    if isinstance(error, WebquarryError):
        retry = "not worth trying again as it is"
        if error.retryable:
            retry = "can be tried again"
            if error.wait_seconds is not None:
                retry += f" after {error.wait_seconds:g} s"
        log.error("%s (%s): %s", error.kind, retry, " ".join(error.suggested_action.split()))
        sentence = redact(" ".join(error.message.split()))
    else:
        log.error("internal: set WEBQUARRY_LOG_LEVEL=debug for the traceback")
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        sentence = f"Internal error: {redact(reason).rstrip(': ')}"
    log.debug("traceback of the error", exc_info=error)
    _write_json({"error": sentence})
    return 1


def _report_misuse(script: str, sentence: str) -> int:
    """Write the error object to stdout and the usage to stderr."""
    if sys.stderr is not None:
        sys.stderr.write(USAGE.format(script=script))
    _write_json({"error": sentence})
    return 1


def _write_json(value: dict[str, Any]) -> int:
    """Write one JSON object and a newline in UTF-8."""
    import json

    return _write(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


def _write(text: bytes) -> int:
    """Write bytes to stdout; return 1 if that fails."""
    if sys.stdout is None:
        return 1
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError) and sys.stderr is not None:
            sys.stderr.write(f"webquarry: ERROR: stdout cannot be written to: {error.strerror}\n")
        # The interpreter flushes the rest of the buffer at exit and would report an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0
