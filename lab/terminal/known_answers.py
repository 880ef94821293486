"""The answers that the fixed data set and its updates must give on the baseline's partitions."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final


@dataclass(frozen=True)
class Answers:
    """What the partitioned report shows and no machine may change."""

    hottest_share: str
    candidates: int
    fan_out: int
    score: int
    rank: int
    around: str


KNOWN: Final = Answers(
    hottest_share="10.0%",
    candidates=120,
    fan_out=12,
    score=660,
    rank=11_208,
    around="[('player-05370', 679.0), ('player-11778', 662.0), ('player-00042', 660.0), "
    "('player-00318', 622.0), ('player-08406', 619.0)]",
)


def differences(found: Answers, known: Answers) -> Iterator[str]:
    """Name every answer that is not the known one."""
    for field in fields(Answers):
        answer, wanted = getattr(found, field.name), getattr(known, field.name)
        if answer != wanted:
            yield f"{field.name.replace('_', ' ')} is {answer}, known is {wanted}"
