"""Deliveries as trusted servers send them: one race, or many."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import Struct
from pydantic import Field, StrictInt

from target_service.http.fields import (
    BadFields,
    Body,
    Id,
    JsonReader,
    Moment,
    Name,
    whole_number,
)
from target_service.http.problems import FieldProblem
from target_service.odometer.configuration import AMOUNT_LIMIT, FIELDS_OF_A_RACE, RACES_AT_ONCE

Amount = Annotated[StrictInt, Field(ge=1, le=AMOUNT_LIMIT), whole_number(1, AMOUNT_LIMIT)]


class Race(Body):
    """A completed race: whose, of which event, when it finished, and what it amounts to."""

    event_id: Id
    race_id: Id
    player_id: Id
    finished_at: Moment
    amounts: Annotated[dict[Name, Amount], Field(min_length=1, max_length=FIELDS_OF_A_RACE)]


Races = Race | Annotated[list[Race], Field(min_length=1, max_length=RACES_AT_ONCE)]
_read = JsonReader(Races, "a race").read
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


def completed(races: Race | Sequence[Race]) -> list[Completed]:
    """Return the races of a body in the form in which they are compared and kept."""
    if isinstance(races, Race):
        return [_completed(races, "")]
    return [_completed(race, f"[{index}].") for index, race in enumerate(races)]


def read_races(body: bytes | str) -> list[Completed]:
    """Return the races of a body; raises BadFields."""
    raw = body.encode(errors="surrogatepass") if isinstance(body, str) else body
    return completed(_read(raw))


def read_race(body: str) -> Completed:
    """Return the one race of a body; raises BadFields."""
    if body.lstrip().startswith("["):
        raise BadFields([FieldProblem("body", "must be an object")])
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
    return Completed(
        race.event_id, race.race_id, race.player_id, race.finished_at, race.amounts, where
    )
