"""Deliveries as trusted servers send them: one race, or many."""

from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from target_service.leaderboard.field_problems import explain_body, explain_fields
from target_service.leaderboard.fields import (
    Check,
    check_id,
    check_name,
    is_id,
    is_name,
    normalised,
)
from target_service.leaderboard.rules import Id
from target_service.moments import MOMENT_RULE, read_moment
from target_service.odometer.rules import (
    AMOUNT_LIMIT,
    AMOUNT_RULE,
    FIELDS_OF_A_RACE,
    RACES_AT_ONCE,
    Amount,
    FieldName,
    Moment,
)
from target_service.problems import FieldProblem


class Race(Struct, frozen=True, forbid_unknown_fields=True):
    """A completed race: whose, of which event, when it finished, and what it amounts to."""

    event_id: Id
    race_id: Id
    player_id: Id
    finished_at: Moment
    amounts: Annotated[dict[FieldName, Amount], Meta(min_length=1, max_length=FIELDS_OF_A_RACE)]


Races = Race | Annotated[list[Race], Meta(min_length=1, max_length=RACES_AT_ONCE)]
_decode = msgspec.json.Decoder(Races).decode
_decode_texts = msgspec.json.Decoder(list[msgspec.Raw]).decode


class Completed(Struct, frozen=True):
    """A race as it is compared and kept: ids normalised, the moment in milliseconds.

    `where` is its place in the body, as a prefix of its fields' names.
    """

    event_id: str
    race_id: str
    player_id: str
    finished_at_ms: int
    amounts: Mapping[str, int]
    where: str = ""


class BadRaces(Exception):
    """The body holds no races; says everything that is wrong with it."""

    def __init__(self, problems: list[FieldProblem]) -> None:
        super().__init__("; ".join(f"{one.field} {one.detail}" for one in problems))
        self.problems = problems


def read_races(body: bytes | str) -> list[Completed]:
    """Return the races of a body, or raise BadRaces."""
    try:
        races = _decode(body)
        if isinstance(races, Race):
            return [_completed(races, "")]
        return [_completed(race, f"[{index}].") for index, race in enumerate(races)]
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raw = body.encode(errors="surrogatepass") if isinstance(body, str) else body
        raise BadRaces(explain_body(raw, _explain) or [FieldProblem("body", str(error))]) from error


def read_race(body: str) -> Completed:
    """Return the one race of a body, or raise BadRaces."""
    if body.lstrip().startswith("["):
        raise BadRaces([FieldProblem("body", "must be an object")])
    (race,) = read_races(body)
    return race


def texts_of(body: str) -> list[str]:
    """Return each race's own text; none where the body is no JSON, or a list that is too long."""
    try:
        texts = _decode_texts(body)
    except msgspec.ValidationError:
        return [body]
    except msgspec.DecodeError:
        return []
    return [bytes(text).decode() for text in texts] if len(texts) <= RACES_AT_ONCE else []


def _completed(race: Race, where: str) -> Completed:
    event, race_id, player = map(normalised, (race.event_id, race.race_id, race.player_id))
    if not (is_id(event) and is_id(race_id) and is_id(player)):
        raise ValueError("an id is not well-formed")
    # To a pattern's `$` a name may have a line's end behind it.
    if not all(map(is_name, race.amounts)):
        raise ValueError("the name of an amount is not well-formed")
    return Completed(event, race_id, player, read_moment(race.finished_at), race.amounts, where)


def _explain(value: object) -> Iterator[FieldProblem]:
    if isinstance(value, dict):
        yield from _explain_race("", value)
    elif not isinstance(value, list) or not 1 <= len(value) <= RACES_AT_ONCE:
        yield FieldProblem("body", f"must be a race, or a list of 1 to {RACES_AT_ONCE} races")
    else:
        for index, race in enumerate(value):
            yield from _explain_race(f"[{index}]", race)


def _explain_race(where: str, race: object) -> Iterator[FieldProblem]:
    if not isinstance(race, dict):
        yield FieldProblem(where or "body", "must be an object")
        return
    prefix = f"{where}." if where else ""
    others = {name: value for name, value in race.items() if name != "amounts"}
    yield from explain_fields(others, _CHECKS, _CHECKS, prefix=prefix, kind="a race")
    yield from _explain_amounts(f"{prefix}amounts", race.get("amounts"))


def _explain_amounts(where: str, amounts: object) -> Iterator[FieldProblem]:
    if not isinstance(amounts, dict) or not 1 <= len(amounts) <= FIELDS_OF_A_RACE:
        yield FieldProblem(where, f"must be an object of 1 to {FIELDS_OF_A_RACE} amounts")
        return
    for name, amount in amounts.items():
        if check_name(name) is not None:
            yield FieldProblem(f"{where}.{name}", str(check_name(name)))
        # A boolean is an integer to isinstance, and to nobody else.
        elif type(amount) is not int or not 1 <= amount <= AMOUNT_LIMIT:
            yield FieldProblem(f"{where}.{name}", AMOUNT_RULE)


def _check_moment(value: object) -> str | None:
    try:
        read_moment(value if isinstance(value, str) else "")
    except ValueError:
        return MOMENT_RULE
    return None


_CHECKS: Mapping[str, Check] = {
    "event_id": check_id,
    "race_id": check_id,
    "player_id": check_id,
    "finished_at": _check_moment,
}
