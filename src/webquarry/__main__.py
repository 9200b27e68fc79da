"""The command line: `webquarry`, or `python -m webquarry`. `--version` imports nothing else."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; return the exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from webquarry import __version__

        sys.stdout.write(f"webquarry {__version__}\n")
        return 0
    if arguments[:1] == ["mcp"]:
        from webquarry.mcp.stdio import parse_arguments, run

        parsed = parse_arguments(arguments)
        if parsed is not None:  # the usual start by a client: the command line is not imported
            set_name, text_format = parsed
            return run(set_name, text_format=text_format)
    try:
        from webquarry.cli.app import run as run_command

        return run_command()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
