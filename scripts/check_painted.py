"""Whether the labels of the hidden-text cases are what Chromium paints.

    python scripts/check_painted.py [FOLDER] [WORDS-IN-THE-NAME]

Each case is painted as it is, and once more for every word with its letters in another order,
which takes the same room. Where the two pictures differ enough to be read, the word is
painted. Words that a click opens must not be painted at first.
"""

from __future__ import annotations

import sys
from pathlib import Path

from painted.browser import Browser, find_chromium
from painted.cases import Case, find_labelled_words, read_cases

CASES = Path(__file__).resolve().parent.parent / "tests" / "read" / "hidden"
_UNNOTICED = 30  # of 255 in a channel; a fainter difference is not read
_LOWEST = 4  # pixels; lower letters are not read


def is_painted(browser: Browser, case: Case, picture: str, word: str) -> bool:
    """Whether a person can read a word on the picture of its page."""
    changed = browser.paint(case.html.replace(word, word[1:] + word[0]))
    _, height = browser.measure_difference(picture, changed, _UNNOTICED)
    return height >= _LOWEST


def find_wrong_labels(browser: Browser, case: Case) -> list[str]:
    """What Chromium does not paint as a case says."""
    wrong = []
    picture = browser.paint(case.html)
    for word in find_labelled_words(case.html):
        painted = is_painted(browser, case, picture, word)
        if painted != word.startswith("SEE"):
            said = "is painted" if painted else "is not painted"
            wrong.append(f"{case.name}: {word} {said}")
    return wrong


def main() -> int:
    command = find_chromium()
    if command is None:
        print("No Chromium here: install it (Debian: apt install chromium) to check the labels.")
        return 0
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CASES
    part = " ".join(sys.argv[2:])
    cases = [case for case in read_cases(folder) if part in case.name]
    wrong: list[str] = []
    with Browser(command) as browser:
        for case in cases:
            wrong += find_wrong_labels(browser, case)
    print("\n".join(wrong))
    print(f"{len(cases)} cases, {len(wrong)} labels that are not what is painted.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
