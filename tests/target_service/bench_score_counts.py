"""What a million different scores take in memory, and what asking and changing them costs.

The long form:

    .venv/bin/python tests/target_service/bench_score_counts.py --scores 1000000

The yardstick for memory is a dictionary of the same scores, for time one look into it.
"""

import argparse
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from target_service.leaderboard.score_counts import ScoreCounts

_PAGE = 10_000
_ASKED = 20_000
_MOVED = 500


def held_by(make: Callable[[], object]) -> int:
    """The bytes that what is made holds."""
    tracemalloc.start()
    made = make()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held if made else 0


def counted(scores: list[int]) -> ScoreCounts:
    """Count one player of each score, in pages as the ledger gives them."""
    counts = ScoreCounts()
    for start in range(0, len(scores), _PAGE):
        counts.extend([(score, 1) for score in scores[start : start + _PAGE]])
    return counts


def microseconds_each(work: Callable[[int], object], over: Iterable[int], number: int) -> float:
    """How long each of so many takes."""
    started = time.perf_counter()
    for one in over:
        work(one)
    return (time.perf_counter() - started) / number * 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scores", type=int, default=1_000_000)
    options = parser.parse_args()
    rng = random.Random(3)
    drawn: set[int] = set()
    while len(drawn) < options.scores:
        drawn.add(rng.randrange(-(2**53) + 1, 2**53))
    scores = sorted(drawn)
    ours, plain = held_by(lambda: counted(scores)), held_by(lambda: dict.fromkeys(scores, 1))
    counts, dictionary = counted(scores), dict.fromkeys(scores, 1)
    asked = rng.choices(scores, k=_ASKED)
    above_us = microseconds_each(counts.above, asked, len(asked))
    look_us = microseconds_each(dictionary.get, asked, len(asked))
    moved = rng.sample(scores, min(_ASKED, len(scores)))

    def move(start: int) -> None:
        given_up = moved[start : start + _MOVED]
        counts.move([score // 2 for score in given_up], given_up)

    move_us = microseconds_each(move, range(0, len(moved), _MOVED), len(moved))
    sys.stdout.write(
        f"{len(scores):,} different scores over a range of 2^54\n"
        f"memory {ours / 1e6:.1f} MB, {ours / len(scores):.1f} bytes a score; "
        f"a dictionary's table alone {plain / 1e6:.1f} MB, ratio {ours / plain:.2f}\n"
        f"players above a score {above_us:.1f} us; a look into the dictionary {look_us:.2f} us\n"
        f"a change {move_us:.1f} us, in batches of {_MOVED}\n"
    )


if __name__ == "__main__":
    main()
