"""Reading an event's configuration, from JSON or TOML alike, with every problem at once."""

from itertools import pairwise
from typing import Annotated

from pydantic import AfterValidator, Field, StrictInt, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ValidationInfo

from target_service.http.fields import (
    Body,
    Moment,
    Name,
    Rule,
    field_problems,
    whole_number,
)
from target_service.http.problems import FieldProblem
from target_service.odometer.event import Aggregate, Configuration, Kind, Tier

# Larger than any honest race in a sensible unit (a million metres), and small enough that nine
# thousand million of the largest races fit into a total that every client reads exactly.
AMOUNT_LIMIT = 1_000_000
TOTAL_LIMIT = 2**53 - 1
RACES_AT_ONCE = 1_000
FIELDS_OF_A_RACE = 8
TIERS_AT_MOST = 16
# A race over the stream may come so long before its event is made.
WAITING_MINUTES = 10
# What producers send wrong is kept for them to see, but not for ever.
REJECTED_AT_MOST = 10_000
# That have not ended: each is looked at again and again. One that has costs its rows alone.
EVENTS_AT_MOST = 1_000
GRACE_SECONDS_RANGE = (0, 86_400)
REFRESH_MS_RANGE = (50, 60_000)
UNIT_CHARACTERS = 32
# The path of this id tells which versions there are.
RESERVED_ID = "versions"


GRACE_SECONDS = 30
REFRESH_MS = 1_000


def _printable(unit: str) -> str:
    if not unit.isprintable():
        raise ValueError(unit)
    return unit


def _rising(tiers: "list[TierSettings]") -> "list[TierSettings]":
    wrong = []
    if len({tier.name for tier in tiers}) < len(tiers):
        wrong.append("must have different names")
    if any(low.threshold >= high.threshold for low, high in pairwise(tiers)):
        wrong.append("must rise: each threshold above the one before")
    if wrong:
        raise PydanticCustomError("tiers", "{sentence}", {"sentence": " and ".join(wrong)})
    return tiers


class AggregateSettings(Body):
    """The field of a race that counts, how, and the unit of its whole numbers."""

    field: Name
    kind: Annotated[Kind, Field(strict=False), Rule(f"must be one of {', '.join(Kind)}")]
    unit: Annotated[
        str,
        Field(min_length=1, max_length=UNIT_CHARACTERS),
        AfterValidator(_printable),
        Rule(f"must be a text of 1 to {UNIT_CHARACTERS} printable characters"),
    ]


class TierSettings(Body):
    """A named threshold."""

    name: Name
    threshold: Annotated[StrictInt, Field(ge=1, le=TOTAL_LIMIT), whole_number(1, TOTAL_LIMIT)]


class EventSettings(Body):
    """An event as it is configured; the window is half-open, tiers rise."""

    aggregate: AggregateSettings
    opens_at: Moment
    closes_at: Moment
    tiers: Annotated[
        list[TierSettings], Field(max_length=TIERS_AT_MOST), AfterValidator(_rising)
    ] = Field(default=[])
    grace_seconds: Annotated[
        StrictInt,
        Field(ge=GRACE_SECONDS_RANGE[0], le=GRACE_SECONDS_RANGE[1]),
        whole_number(*GRACE_SECONDS_RANGE),
    ] = GRACE_SECONDS
    refresh_ms: Annotated[
        StrictInt,
        Field(ge=REFRESH_MS_RANGE[0], le=REFRESH_MS_RANGE[1]),
        whole_number(*REFRESH_MS_RANGE),
    ] = REFRESH_MS

    @field_validator("closes_at", mode="after")
    @classmethod
    def _after_opening(cls, closes_at: int, info: ValidationInfo) -> int:
        if closes_at <= info.data.get("opens_at", closes_at - 1):
            raise PydanticCustomError("window", "must be after opens_at")
        return closes_at


def settings_of(configuration: Configuration) -> EventSettings:
    """Return a configuration in the words it was given in."""
    aggregate = configuration.aggregate
    return EventSettings.model_construct(
        aggregate=AggregateSettings(
            field=aggregate.field, kind=aggregate.kind, unit=aggregate.unit
        ),
        opens_at=configuration.opens_at_ms,
        closes_at=configuration.closes_at_ms,
        tiers=[
            TierSettings(name=tier.name, threshold=tier.threshold) for tier in configuration.tiers
        ],
        grace_seconds=configuration.grace_seconds,
        refresh_ms=configuration.refresh_ms,
    )


def configuration_of(settings: EventSettings) -> Configuration:
    """Return what the settings configure."""
    aggregate = settings.aggregate
    return Configuration(
        Aggregate(aggregate.field, aggregate.kind, aggregate.unit),
        settings.opens_at,
        settings.closes_at,
        settings.grace_seconds,
        tuple(Tier(tier.name, tier.threshold) for tier in settings.tiers),
        settings.refresh_ms,
    )


def read_configuration(value: object) -> Configuration | list[FieldProblem]:
    """Return the configuration, or everything that is wrong with it."""
    try:
        return configuration_of(EventSettings.model_validate(value))
    except ValidationError as error:
        return field_problems(error, "an event")
