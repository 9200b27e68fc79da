"""One executable per tool. A JSON object comes in on stdin, one JSON object goes out on
stdout.

Every script points at `main`; its name picks the tool (`web-fetch-tool` is `web_fetch`), and so
does the name of the file that it is a link to. The answer comes as soon as one whole object and the
end of its line have come in: a host may leave stdin open.

Diagnostics go to stderr. A failure is `{"error": "<sentence>"}` and exit code 1. `--schema`,
`--version` and `--help` are answered before anything is imported but `os` and `sys`: hosts ask for
the schema often, and with little patience.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing itself costs more than the whole of --schema
if TYPE_CHECKING:
    from typing import Any

# os.path, because pathlib is too slow here
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
SCHEMAS = os.path.join(_PACKAGE, "schemas")  # noqa: PTH118
TOOLSET = "executables"

USAGE = """usage: echo '{{...}}' | {script}
       {script} --schema | --version | --help

Reads one JSON object with the tool's arguments from stdin and writes one JSON object to stdout.
A failure is {{"error": "..."}} and exit code 1; diagnostics go to stderr.
"""


def main() -> int:
    """Run the executable; the exit code comes back."""
    try:
        return _run(sys.argv[0], sys.argv[1:])
    except KeyboardInterrupt:
        return 130


def script_name(path: str) -> str:
    """The name a script was called by, whatever the platform has put around it."""
    name = path.replace("\\", "/").rpartition("/")[2]
    for suffix in (".exe", ".py", ".pyw", "-script"):
        name = name.removesuffix(suffix)
    return name


def find_tool(path: str) -> str | None:
    """The tool that a script of this path stands for, by its own name or that of the file that it
    is a link to; None when there is none.
    """
    script = script_name(path)
    name = _tool_of(script)
    if name or not os.path.isfile(path):  # noqa: PTH113 - see above
        return name
    # A link by another name; of two names of one file the short one is known too.
    return _tool_of(script_name(os.path.realpath(path))) or _tool_of(f"{script}-tool")


def _tool_of(script: str) -> str | None:
    """The tool of this script's name, if there is one."""
    name = script.removesuffix("-tool").replace("-", "_")
    if script.endswith("-tool") and os.path.isfile(_schema_of(name)):  # noqa: PTH113 - see above
        return name
    return None


def _schema_of(name: str) -> str:
    return os.path.join(SCHEMAS, f"{name}.json")  # noqa: PTH118 - see above


def _run(path: str, flags: list[str]) -> int:
    """Answer a flag, or call the tool."""
    script = script_name(path)
    name = find_tool(path)
    if name is None:
        return _report_misuse(script, f"There is no tool behind the name {script!r}.")
    if not flags:
        return _call_tool(script, name)
    if flags == ["--schema"]:
        with open(_schema_of(name), "rb") as file:  # noqa: PTH123 - see above
            return _write(file.read())
    if flags == ["--version"]:
        from webquarry import __version__

        return _write(f"{script} {__version__}\n".encode())
    if flags in (["--help"], ["-h"]):
        return _write(USAGE.format(script=script).encode())
    problem = f"Arguments come as JSON on stdin; {' '.join(flags)!r} is not a flag of {script}."
    return _report_misuse(script, problem)


def _call_tool(script: str, name: str) -> int:
    """Read the arguments, call the tool, write its answer; fields without a value are absent."""
    from webquarry import logs
    from webquarry.settings import Settings
    from webquarry.surfaces.arguments import MAX_BYTES, parse_arguments

    logs.set_up("warning")
    try:
        settings = Settings.from_environment()
        logs.set_up(settings.log_level)
        arguments = parse_arguments(_read_stdin(script, MAX_BYTES + 1))

        import asyncio

        from webquarry.toolkit import Toolkit
        from webquarry.tools import load

        tool = load(TOOLSET, name)
        tool.check(arguments)  # bad arguments are an error before anything is opened

        async def run() -> dict[str, Any]:
            async with Toolkit.open(settings, runner="fork") as kit:
                answer = await tool.call_and_log(kit, arguments)
                return answer.as_dict()

        answer = asyncio.run(run())
    except Exception as error:  # the promise is one JSON object, whatever happens
        return _report_error(error)
    return _write_json(answer)


def _read_stdin(script: str, size: int) -> bytes:
    """The first bytes of stdin, until its end or that of the line that makes a JSON object whole; a
    person at a terminal is told that we wait for them.
    """
    from webquarry.surfaces.arguments import read_whole_value

    if sys.stdin is None:
        return b""
    if sys.stdin.isatty() and sys.stderr is not None:
        sys.stderr.write(
            USAGE.format(script=script)
            + "\nWaiting for a JSON object; a whole one ends with its line, all else with Ctrl-D.\n"
        )
        sys.stderr.flush()
    stream: Any = sys.stdin.buffer
    return read_whole_value(stream, size)


def _report_error(error: Exception) -> int:
    """The error object on stdout; what kind it is, and what can be done, on stderr. Where it came
    from is only for those who asked to see it.
    """
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
        advice = " ".join(error.suggested_action.split())
        log.error("%s (%s): %s", error.kind, retry, advice)
        sentence = redact(" ".join(error.message.split()))
    else:  # a bug of ours
        log.error("internal: set WEBQUARRY_LOG_LEVEL=debug to see where it came from")
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        sentence = f"Internal error: {redact(reason).rstrip(': ')}"
    log.debug("where it came from", exc_info=error)
    _write_json({"error": sentence})
    return 1


def _report_misuse(script: str, sentence: str) -> int:
    """Wrong usage: the error object on stdout, the right usage on stderr."""
    if sys.stderr is not None:
        sys.stderr.write(USAGE.format(script=script))
    _write_json({"error": sentence})
    return 1


def _write_json(value: dict[str, Any]) -> int:
    """One JSON object and a newline, in UTF-8 whatever the locale says."""
    import json

    text = json.dumps(value, ensure_ascii=False)
    return _write(text.encode("utf-8", "replace") + b"\n")


def _write(text: bytes) -> int:
    """Bytes to stdout, past its encoding; 1 when they cannot be written."""
    if sys.stdout is None:
        return 1
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError) and sys.stderr is not None:
            sys.stderr.write(f"webquarry: ERROR: stdout cannot be written to: {error.strerror}\n")
        # What is left in the buffer goes nowhere, or the interpreter's last flush would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0
