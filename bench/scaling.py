"""How the processor time of every step grows with the size of what comes from the web.

    python bench/scaling.py [--seconds .03] [--only PATTERN] [--all]

Some shapes of input are made at a size and at twice that size. A shape fails if its time grows
faster than 2.6 times, also when it is measured again at larger sizes and over three doublings.
The time is that of the processor, the least of three runs, less what a small input of the same
shape costs.
"""

from __future__ import annotations

import argparse
import gc
import re
import sys
import time
from dataclasses import dataclass

from scaling_shapes import catalogue
from scaling_shapes.shape import Shape

MOST_GROWTH = 2.6  # when the size doubles
_ROUNDS = 3
_FURTHER_TRIES = 2
_FIRST_SIZE = 2_000  # characters
_SMALL_SIZE = 50
_TOO_SHORT = 0.005  # seconds; what takes less at the largest size cannot be told from noise
_LONGEST = 20.0  # seconds; a step that takes as long is not waited for at a larger size


@dataclass(frozen=True)
class Growth:
    """The time at a size, and at that size doubled once or more often."""

    size: int
    seconds: float
    doubled: float
    fixed: float
    doublings: int = 1

    @property
    def factor(self) -> float:
        """How many times the time grows with each doubling."""
        if self.doubled < _TOO_SHORT:
            return 1.0
        whole = (self.doubled - self.fixed) / max(self.seconds - self.fixed, 1e-6)
        return float(max(whole, 0.0) ** (1 / self.doublings))


def time_once(shape: Shape, size: int) -> float:
    """The processor time of one run; making the input does not count."""
    given = shape.make(size)
    started = time.process_time()
    shape.run(given)
    return time.process_time() - started


def time_best(shape: Shape, size: int) -> float:
    """The least of some runs."""
    first = time_once(shape, size)
    if first > _LONGEST:
        return first
    return min(first, *(time_once(shape, size) for _ in range(_ROUNDS - 1)))


def find_size(shape: Shape, seconds: float) -> int:
    """The least size at which a step takes so long, or the largest that it takes at all."""
    size = _FIRST_SIZE
    while 2 * size < shape.largest and time_once(shape, size) < seconds:
        size *= 2
    return size


def measure(shape: Shape, size: int, doublings: int = 1) -> Growth:
    """The growth from this size on."""
    fixed = time_best(shape, _SMALL_SIZE)
    seconds = time_best(shape, size)
    doubled = time_best(shape, size << doublings)
    return Growth(size, seconds, doubled, fixed, doublings)


def judge(shape: Shape, seconds: float) -> Growth:
    """The growth; measured again, at larger sizes, where it seems to be too fast: a machine that
    is busy with something else may have been the reason, or a size at which memory gets dearer.
    That is one step in the time, so at last three doublings are judged by their mean.
    """
    size = find_size(shape, seconds)
    best = measure(shape, size)
    for _ in range(_FURTHER_TRIES):
        if best.factor <= MOST_GROWTH or best.doubled > _LONGEST:
            break
        size = min(2 * size, shape.largest // 2)
        best = min(best, measure(shape, size), key=lambda growth: growth.factor)
    if best.factor > MOST_GROWTH and best.doubled <= _LONGEST:
        best = min(best, measure(shape, size // 4, doublings=3), key=lambda growth: growth.factor)
    return best


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=0.03, help="at the smaller size")
    parser.add_argument("--only", default="", help="shapes whose name fits this pattern")
    parser.add_argument("--all", action="store_true", help="also those that .ci/run leaves out")
    options = parser.parse_args()
    failed = []
    gc.disable()  # its runs would be counted with whatever step they fall into
    print(f"{'shape':44} {'size':>9} {'ms':>8} {'2 x size':>9} {'growth':>7} {'s/MB':>7}")
    shapes = catalogue.list_shapes(everything=options.all)
    time_once(shapes[0], _FIRST_SIZE)  # what is loaded once is not counted
    for shape in shapes:
        if not re.search(options.only, shape.name):
            continue
        growth = judge(shape, options.seconds)
        gc.collect(1)
        mark = ""
        if growth.factor > MOST_GROWTH:
            failed.append(shape.name)
            mark = "  too fast"
        per_megabyte = growth.doubled / (growth.size << growth.doublings) * 1e6
        print(
            f"{shape.name:44} {growth.size:9} {1e3 * growth.seconds:8.1f} "
            f"{1e3 * growth.doubled:9.1f} {growth.factor:7.2f} {per_megabyte:7.2f}{mark}",
            flush=True,
        )
    if failed:
        print(f"Time grows faster than {MOST_GROWTH} times with: {', '.join(failed)}.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
