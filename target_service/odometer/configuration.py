"""Reading an event's configuration, from JSON or TOML alike, with every problem at once."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain, pairwise
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from target_service.leaderboard.field_problems import bounded
from target_service.leaderboard.fields import Check, check_name, whole_number
from target_service.moments import MOMENT_RULE, read_moment, rfc3339
from target_service.odometer.aggregate import Aggregate, Kind
from target_service.odometer.event import Configuration
from target_service.odometer.rules import (
    GRACE_SECONDS_RANGE,
    REFRESH_MS_RANGE,
    TIERS_AT_MOST,
    TOTAL_LIMIT,
    UNIT_CHARACTERS,
    FieldName,
    Moment,
)
from target_service.odometer.tiers import Tier
from target_service.problems import FieldProblem

GRACE_SECONDS = 30
REFRESH_MS = 1_000
_UNIT_RULE = f"must be a text of 1 to {UNIT_CHARACTERS} printable characters"
_KINDS = ", ".join(Kind)


class AggregateSettings(Struct, frozen=True):
    """The field of a race that counts, how, and the unit of its whole numbers."""

    field: FieldName
    kind: Kind
    unit: Annotated[str, Meta(min_length=1, max_length=UNIT_CHARACTERS)]


class TierSettings(Struct, frozen=True):
    """A named threshold."""

    name: FieldName
    threshold: Annotated[int, Meta(ge=1, le=TOTAL_LIMIT)]


class EventSettings(Struct, frozen=True):
    """An event as it is configured; the window is half-open, tiers rise."""

    aggregate: AggregateSettings
    opens_at: Moment
    closes_at: Moment
    tiers: Annotated[list[TierSettings], Meta(max_length=TIERS_AT_MOST)] = []
    grace_seconds: Annotated[int, Meta(ge=GRACE_SECONDS_RANGE[0], le=GRACE_SECONDS_RANGE[1])] = (
        GRACE_SECONDS
    )
    refresh_ms: Annotated[int, Meta(ge=REFRESH_MS_RANGE[0], le=REFRESH_MS_RANGE[1])] = REFRESH_MS


def settings_of(configuration: Configuration) -> EventSettings:
    """Return a configuration in the words it was given in."""
    aggregate = configuration.aggregate
    return EventSettings(
        AggregateSettings(aggregate.field, aggregate.kind, aggregate.unit),
        rfc3339(configuration.opens_at_ms),
        rfc3339(configuration.closes_at_ms),
        [TierSettings(tier.name, tier.threshold) for tier in configuration.tiers],
        configuration.grace_seconds,
        configuration.refresh_ms,
    )


def read_configuration(value: object) -> Configuration | list[FieldProblem]:
    """Return the configuration, or everything that is wrong with it."""
    if not isinstance(value, dict):
        return [FieldProblem("body", "must be an object")]
    fields = {name: _plain(part) for name, part in value.items()}
    problems = bounded(chain(_shape(fields), _aggregate(fields), _window(fields), _tiers(fields)))
    if problems:
        return problems
    given = msgspec.convert(fields, EventSettings)
    return Configuration(
        Aggregate(given.aggregate.field, given.aggregate.kind, given.aggregate.unit),
        read_moment(given.opens_at),
        read_moment(given.closes_at),
        given.grace_seconds,
        tuple(Tier(tier.name, tier.threshold) for tier in given.tiers),
        given.refresh_ms,
    )


def _plain(value: object) -> object:
    """TOML has moments of its own; what is no whole millisecond of UTC stays so, and is refused."""
    if not isinstance(value, datetime) or value.tzinfo is None or value.microsecond % 1_000:
        return value
    try:
        at = value.astimezone(UTC)
    except OverflowError:
        return value
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1_000:03d}Z"


_REQUIRED = ("aggregate", "opens_at", "closes_at")
_NUMBERS: Mapping[str, Check] = {
    "grace_seconds": whole_number(*GRACE_SECONDS_RANGE),
    "refresh_ms": whole_number(*REFRESH_MS_RANGE),
}
_check_threshold = whole_number(1, TOTAL_LIMIT)


def _shape(fields: Mapping[str, object]) -> Iterator[FieldProblem]:
    yield from _missing_or_unknown("", fields, _REQUIRED, ("tiers", *_NUMBERS))
    for name, check in _NUMBERS.items():
        sentence = check(fields[name]) if name in fields else None
        if sentence is not None:
            yield FieldProblem(name, sentence)


def _aggregate(fields: Mapping[str, object]) -> Iterator[FieldProblem]:
    value = fields.get("aggregate", {})
    if not isinstance(value, dict):
        yield FieldProblem("aggregate", "must be an object of field, kind and unit")
        return
    if "aggregate" in fields:
        yield from _missing_or_unknown("aggregate.", value, ("field", "kind", "unit"), ())
    if "field" in value and (sentence := check_name(value["field"])):
        yield FieldProblem("aggregate.field", sentence)
    if "kind" in value and value["kind"] not in tuple(Kind):
        yield FieldProblem("aggregate.kind", f"must be one of {_KINDS}")
    if "unit" in value and not _is_unit(value["unit"]):
        yield FieldProblem("aggregate.unit", _UNIT_RULE)


def _is_unit(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and 1 <= len(value) <= UNIT_CHARACTERS


def _window(fields: Mapping[str, object]) -> Iterator[FieldProblem]:
    moments = []
    for name in ("opens_at", "closes_at"):
        value = fields.get(name)
        try:
            moments.append(read_moment(value if isinstance(value, str) else ""))
        except ValueError:
            if name in fields:
                yield FieldProblem(name, MOMENT_RULE)
    if len(moments) == len(("opens_at", "closes_at")) and moments[0] >= moments[1]:
        yield FieldProblem("closes_at", "must be after opens_at")


def _tiers(fields: Mapping[str, object]) -> Iterator[FieldProblem]:
    value = fields.get("tiers", [])
    if not isinstance(value, list) or len(value) > TIERS_AT_MOST:
        yield FieldProblem("tiers", f"must be a list of at most {TIERS_AT_MOST} tiers")
        return
    well_formed: list[Mapping[str, Any]] = []
    for index, tier in enumerate(value):
        problems = list(_tier(f"tiers[{index}]", tier))
        yield from problems
        if not problems:
            well_formed.append(tier)
    names = [tier["name"] for tier in well_formed]
    if len(set(names)) < len(names):
        yield FieldProblem("tiers", "must have different names")
    thresholds = [tier["threshold"] for tier in well_formed]
    if any(low >= high for low, high in pairwise(thresholds)):
        yield FieldProblem("tiers", "must rise: each threshold above the one before")


def _tier(where: str, tier: object) -> Iterator[FieldProblem]:
    if not isinstance(tier, dict):
        yield FieldProblem(where, "must be an object of name and threshold")
        return
    yield from _missing_or_unknown(f"{where}.", tier, ("name", "threshold"), ())
    checks: Mapping[str, Check] = {"name": check_name, "threshold": _check_threshold}
    for name, check in checks.items():
        sentence = check(tier[name]) if name in tier else None
        if sentence is not None:
            yield FieldProblem(f"{where}.{name}", sentence)


def _missing_or_unknown(
    prefix: str, given: Mapping[str, object], required: tuple[str, ...], optional: tuple[str, ...]
) -> Iterator[FieldProblem]:
    for name in required:
        if name not in given:
            yield FieldProblem(prefix + name, "is missing")
    for name in given:
        if name not in (*required, *optional):
            yield FieldProblem(prefix + name, "is not a field of an event")
