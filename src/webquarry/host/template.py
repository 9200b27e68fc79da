"""A new tool from a template: an executable that works, and its file of options."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from webquarry.errors import BadInput
from webquarry.host.options import SUFFIX, escape_unprintable

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
_LONGEST_NAME = 64

_PROGRAM = '''\
#!/usr/bin/env python3
"""The tool {name}: reads a JSON object from stdin and prints one to stdout."""

import json
import sys

SCHEMA = {{
    "name": "{name}",
    "description": "Repeats a text. Describe here what the tool does and when to use it.",
    "parameters": {{
        "type": "object",
        "properties": {{
            "text": {{"type": "string", "description": "The text to repeat"}},
            "times": {{"type": "integer", "description": "How often; 1 by default"}},
        }},
        "required": ["text"],
    }},
}}


def run(arguments):
    """Return the answer. The message of an exception is the error that the model reads."""
    return {{"text": " ".join([arguments["text"]] * arguments.get("times", 1))}}


def main():
    """Print the schema, or run the tool. stderr is for people."""
    if sys.argv[1:] == ["--schema"]:
        print(json.dumps(SCHEMA))
        return 0
    try:
        answer = run(json.loads(sys.stdin.buffer.read()))
    except Exception as error:
        print(json.dumps({{"error": f"{{type(error).__name__}}: {{error}}"}}))
        return 1
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''

_OPTIONS = """\
# Options of the tool {name}. All of them are optional, and so is this file.

# Environment variables that it gets in addition to PATH, HOME, locale, proxies and XDG folders.
# variables = ["{variable}"]

# Timeout of a run.
# timeout_seconds = 30

# Output limit of a run. The tool reads it from WEBQUARRY_TOOL_MAX_OUTPUT_BYTES.
# max_output_bytes = 65536
"""


@dataclass(frozen=True)
class NewTool:
    """The files of a new tool."""

    name: str
    program: Path
    options: Path


def write_template(name: str, folder: Path) -> NewTool:
    """Write a tool of this name into a folder. Raises BadInput if a file exists."""
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise BadInput(
            f"{escape_unprintable(name)!r} cannot be the name of a tool.",
            suggested_action="Use lower-case letters, digits and underscores, such as file_edit.",
        )
    tool_name = name.replace("-", "_")
    program = folder / tool_name.replace("_", "-")
    options = folder / f"{program.name}{SUFFIX}"
    texts = {
        program: _PROGRAM.format(name=tool_name),
        options: _OPTIONS.format(name=tool_name, variable=f"{tool_name.upper()}_API_KEY"),
    }
    for path in texts:
        if os.path.lexists(path):
            raise BadInput(
                f"The file {escape_unprintable(str(path))} exists already and was not changed.",
                suggested_action="Use another name, or remove the file.",
            )
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, "utf-8")
    program.chmod(0o755)
    return NewTool(tool_name, program, options)
