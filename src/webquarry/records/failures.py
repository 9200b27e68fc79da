"""Why records cannot be written or read, in words: a reason in, the error for whoever asked out.

The user of this machine is told which file it is and what to do about it. A caller of a server is
told the reason and no path: those who run the server find it in the log.
"""

from __future__ import annotations

from pathlib import Path

from webquarry.caller import LOCAL, caller
from webquarry.errors import RecordsFailure
from webquarry.store.sqlite import Trouble

# What will pass without anybody doing something to the file itself.
PASSING = frozenset({Trouble.BUSY, Trouble.MOVED, Trouble.FULL, Trouble.FAILING})

_ELSEWHERE = (
    "or keep records elsewhere with WEBQUARRY_STATE_FOLDER. WEBQUARRY_RECORDS=memory does without "
    "lasting records"
)
_BEGIN_ANEW = "`webquarry records reset` moves it away and begins a new one"
_WHAT = {
    Trouble.BUSY: "The record file {place} did not answer: {detail}.",
    Trouble.MOVED: "The record file {place} was deleted or replaced while it was written to; "
    "nothing was recorded.",
    Trouble.FULL: "The record file {place} cannot be written: the disk is full; nothing was "
    "recorded.",
    Trouble.READ_ONLY: "The record file {place} cannot be written: its folder is read-only.",
    Trouble.PERMISSION: "The record file {place} cannot be used by this user: {detail}.",
    Trouble.NO_FOLDER: "The folder {folder} for records cannot be used: {detail}.",
    Trouble.FAILING: "The record file {place} cannot be written: the disk did not take it "
    "({detail}); nothing was recorded.",
    Trouble.DAMAGED: "The record file {place} cannot be used: it is damaged ({detail}).",
    Trouble.NEWER: "The record file {place} cannot be used: a newer release wrote it ({detail}).",
    Trouble.LOST_KEY: "The record file {place} cannot be read: {detail}.",
    Trouble.FOREIGN: "The record file {place} cannot be used: {detail}.",
}
_ACTION = {
    Trouble.BUSY: "Try again in a moment.",
    Trouble.MOVED: "Try again: the file that is there now is used, or a new one begun.",
    Trouble.FULL: "Free some room on the disk of {folder} and try again, " + _ELSEWHERE + ".",
    Trouble.READ_ONLY: "Make {folder} writable and try again, " + _ELSEWHERE + ".",
    Trouble.PERMISSION: "Give {folder} and the files in it to the user that runs webquarry, "
    + _ELSEWHERE
    + ".",
    Trouble.NO_FOLDER: "Set WEBQUARRY_STATE_FOLDER to a folder that can be written to. "
    "WEBQUARRY_RECORDS=memory does without lasting records.",
    Trouble.FAILING: "See whether the disk of {folder} is full, over a quota or failing, then try "
    "again.",
    Trouble.DAMAGED: "Restore a backup of {folder}; or `webquarry records rescue --out FILE` "
    "writes down what can still be read, and then " + _BEGIN_ANEW + ".",
    Trouble.NEWER: "Use the newer release again, or " + _BEGIN_ANEW + ".",
    Trouble.LOST_KEY: "Restore state.key from a backup of {folder}: without it nothing in the file "
    "can be read. " + _BEGIN_ANEW.capitalize() + ".",
    Trouble.FOREIGN: "Move what is not webquarry's out of {folder}, " + _ELSEWHERE + ".",
}
_FOR_CALLERS = {
    Trouble.BUSY: "Try again in a moment.",
    Trouble.MOVED: "Try again in a moment.",
}


def build_failure(trouble: Trouble, detail: str, path: Path | None) -> RecordsFailure:
    """The error for whoever asks now."""
    is_local = caller() == LOCAL
    action = _ACTION[trouble]
    if not is_local:
        tell = f"Tell those who run this server that its records cannot be used ({trouble})."
        action = _FOR_CALLERS.get(trouble, tell)
        path = None
    folder = str(path.parent) if path else "the records"
    return RecordsFailure(
        describe(trouble, detail, path),
        reason=trouble,
        retryable=trouble in PASSING,
        suggested_action=action.format(folder=folder),
    )


def build_row_failure(detail: str) -> RecordsFailure:
    """The error for one record that is damaged, the others being sound."""
    action = "Tell those who run this server: one of its records is damaged."
    if caller() == LOCAL:
        action = (
            "Restore a backup of state.sqlite3 and state.key; `webquarry records rescue` says what "
            "can still be read."
        )
    return RecordsFailure(
        f"A record {detail}.",
        reason=Trouble.DAMAGED,
        retryable=False,
        suggested_action=action,
    )


def describe(trouble: Trouble, detail: str, path: Path | None) -> str:
    """What is the matter, in one sentence."""
    folder = path.parent if path else ""
    sentence = _WHAT[trouble].format(place=path or "", folder=folder, detail=detail)
    return " ".join(sentence.split())  # the place may be left out


def explain_error(error: BaseException) -> str:
    """What an error says, without paths."""
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower()
    if isinstance(error, UnicodeDecodeError):
        return "it holds bytes that are no text"
    if isinstance(error, MemoryError):
        return "it asks for more memory than there is"
    return str(error).rstrip(".") or type(error).__name__
