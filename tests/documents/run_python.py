"""Runs the Python of a page as a notebook would, where `await` needs no function around it.

python run_python.py FILE
"""

from __future__ import annotations

import ast
import asyncio
import sys
from inspect import CO_COROUTINE
from pathlib import Path
from types import FunctionType


def main() -> None:
    file = Path(sys.argv[1])
    code = compile(file.read_text("utf-8"), file.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    run = FunctionType(code, {"__name__": "__main__"})
    if not code.co_flags & CO_COROUTINE:
        run()
        return

    asyncio.run(run())


if __name__ == "__main__":
    main()
