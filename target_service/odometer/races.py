"""POST /v1/races: deliveries of completed races from trusted servers."""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.messages import encode
from target_service.leaderboard.rules import Count
from target_service.odometer.decisions import Outcome
from target_service.odometer.intake import Intake
from target_service.odometer.race import BadRaces, Races, read_races
from target_service.operation import Operation
from target_service.problems import (
    BodyTooLarge,
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
)
from target_service.query import read_query


class RaceCounts(Struct, frozen=True):
    """Deliveries by what became of them; all of them are in the lake."""

    counted: Count
    duplicate: Count
    conflict: Count
    outside: Count
    late: Count


class RacesNotCounted(Struct, frozen=True):
    """Indexes of the deliveries that did not count."""

    duplicate: list[Count]
    conflict: list[Count]
    outside: list[Count]
    late: list[Count]


class RacesTaken(Struct, frozen=True):
    """What became of the deliveries."""

    counts: RaceCounts
    not_counted: RacesNotCounted


class TakeRaces:
    """Applies one delivery or many; none of them is an error once it is well-formed."""

    operation: ClassVar = Operation(
        name="races",
        method="POST",
        path="/v1/races",
        summary="Deliver completed races, one or many; sending them again changes nothing",
        body=Races,
        answer=RacesTaken,
        problems=(BodyTooLarge, InvalidRequest, LedgerUnavailable, LedgerRequired),
    )

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    async def __call__(self, call: Call) -> Answer:
        """Answer with counts, and the indexes of what did not count."""
        body = await call.body()
        _, problems = read_query(call.query, {})
        if problems:
            raise InvalidRequest(problems)
        try:
            outcomes = await self._intake.take(read_races(body), "http")
        except BadRaces as error:
            raise InvalidRequest(error.problems) from error
        return answer(encode(taken(outcomes)))


def taken(outcomes: Sequence[Outcome]) -> RacesTaken:
    """Return the counts of the outcomes, and where those that did not count were."""
    counts = Counter(outcomes)
    indexes: dict[str, list[int]] = {one.value: [] for one in Outcome}
    if len(counts) > 1 or Outcome.COUNTED not in counts:
        for index, outcome in enumerate(outcomes):
            indexes[outcome.value].append(index)
    del indexes[Outcome.COUNTED.value]
    return RacesTaken(
        RaceCounts(**{one.value: counts[one] for one in Outcome}), RacesNotCounted(**indexes)
    )
