"""The child process: documents come in over stdin, their Markdown goes out over stdout, until stdin
ends.

It imports what a format needs when the first document of that format comes, and the limits are set
before that document is looked at. Whatever goes wrong inside Python is answered; what goes wrong
below it ends the process, and the parent understands that too.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from webquarry.read.documents.frames import BrokenFrame, read_frame, write_frame
from webquarry.read.documents.limits import limit_document, limit_process, resident_bytes
from webquarry.read.documents.models import LARGEST_FILE, DocumentText, Job, Refusal

CONVERTERS = {
    "pdf": "webquarry.read.documents.pdf.convert",
    "docx": "webquarry.read.documents.docx.convert",
    "pptx": "webquarry.read.documents.pptx.convert",
}
_LARGEST_JOB = 100_000  # bytes
Converter = Callable[[bytes, str], DocumentText]


def serve(memory_bytes: int) -> None:
    """Answer until there is nothing more to read."""
    incoming = io.FileIO(os.dup(0), "r")
    outgoing = io.FileIO(os.dup(1), "w")
    # no library may read from, or write into, the pipes to the parent
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    limited = False
    while True:
        try:
            head = read_frame(incoming, _LARGEST_JOB)
            body = read_frame(incoming, LARGEST_FILE)
        except BrokenFrame:
            break
        if head is None or body is None:
            break
        job = Job(**json.loads(head))
        convert: Converter = importlib.import_module(CONVERTERS[job.kind]).convert
        if not limited:
            limit_process(memory_bytes)
            limited = True
        limit_document(job.cpu_seconds)
        answer = _convert_safely(convert, job, body)
        del body
        answer["resident"] = resident_bytes()
        write_frame(outgoing, json.dumps(answer).encode("ascii"))
    os._exit(0)  # nothing of ours is left to be tidied up, and libraries need not try


def _convert_safely(convert: Converter, job: Job, body: bytes) -> dict[str, Any]:
    """The answer to a job: the document, or the reason why there is none."""
    try:
        return {"document": convert(body, job.url).as_dict()}
    except Refusal as refusal:
        return {"refusal": str(refusal)}
    except MemoryError:
        return {"refusal": "could not be read safely: it needs too much memory", "last": True}
    except RecursionError:
        return {"refusal": "could not be read safely: it is nested too deeply"}
    except Exception as error:  # a document nobody foresaw must not end the service
        # The log is told where it happened; the message may repeat the document and stays here.
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = "?"
        if trace:
            path = Path(trace.tb_frame.f_code.co_filename)
            place = f"{path.name}:{trace.tb_lineno}"
        return {
            "refusal": "is damaged: no text can be made of it",
            "detail": f"{type(error).__name__} at {place}",
        }


if __name__ == "__main__":
    serve(int(sys.argv[1]))
