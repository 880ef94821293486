"""Settings, read once from HOTBOARD_* environment variables and never changed."""

import os
import re
from datetime import time
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, ValidationInfo
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from target_service.redis.connection import connector

PREFIX = "HOTBOARD_"
MULTIPROCESS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


class InvalidSettings(Exception):
    """The environment does not describe a service; holds one sentence per problem."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(","))
    return value


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError("a name is repeated")
    return names


def _redis_url(url: str) -> str:
    try:
        connector(url, timeout_seconds=1)
    except TypeError as error:
        raise ValueError("it carries an unknown option") from error
    return url


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError("no such zone") from error
    return name


def _time_of_day(value: object) -> object:
    if not isinstance(value, str):
        return value
    if re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", value, re.ASCII) is None:
        raise ValueError("not a time of day")
    return time.fromisoformat(value)


def _path_if_any(value: object) -> object:
    """Take an empty path, which is all that compose can say of an absent file, for none."""
    return None if value == "" else value


def _after_reconcile(sweep_at: time, info: ValidationInfo) -> time:
    reconcile_at = info.data.get("achievements_reconcile_at")
    if reconcile_at is not None and sweep_at <= reconcile_at:
        raise ValueError("too early")
    return sweep_at


TimeOfDay = Annotated[time, BeforeValidator(_time_of_day)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,32}\z")]
Names = Annotated[
    tuple[Name, ...],
    NoDecode,
    BeforeValidator(_split),
    AfterValidator(_distinct),
    Field(
        min_length=1,
        max_length=64,
        description="1 to 64 different names of a-z, 0-9 and -, separated by commas, "
        "each at most 32 long",
    ),
]


class Settings(BaseSettings):
    """What one service process is told; each description completes 'it must be …'."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore")

    mode: Literal["naive", "partitioned"] = Field(description="naive or partitioned")
    redis_url: Annotated[str, AfterValidator(_redis_url)] = Field(
        default="redis://127.0.0.1:6379/0", description="a redis://, rediss:// or unix:// URL"
    )
    redis_timeout_seconds: float = Field(
        default=0.5, ge=0.01, le=60, allow_inf_nan=False, description="a number from 0.01 to 60"
    )
    ledger: Literal["sqlite", "none"] = Field(default="sqlite", description="sqlite or none")
    ledger_path: Path = Field(
        default=Path("hotboard-ledger.db"), description="the path of a file in a directory"
    )
    ledger_sync: Literal["full", "normal"] = Field(default="full", description="full or normal")
    top: Literal["live", "materialised"] = Field(default="live", description="live or materialised")
    top_interval_seconds: float = Field(
        default=1.0, ge=0.05, le=60, allow_inf_nan=False, description="a number from 0.05 to 60"
    )
    rank_limit: int = Field(
        default=100, ge=1, le=1_000_000, description="a whole number from 1 to 1000000"
    )
    odometer_reads: Literal["projected", "direct"] = Field(
        default="projected", description="projected or direct"
    )
    events_path: Annotated[Path | None, BeforeValidator(_path_if_any)] = Field(
        default=None, description="the path of a TOML file of community events"
    )
    achievements_zone: Annotated[str, AfterValidator(_zone)] = Field(
        default="UTC", description="a time zone of the IANA database, such as Europe/Berlin"
    )
    achievements_reconcile_at: TimeOfDay = Field(
        default=time(3, 15), description="a time of day such as 03:15"
    )
    achievements_sweep_at: Annotated[TimeOfDay, AfterValidator(_after_reconcile)] = Field(
        default=time(4, 40),
        validate_default=True,
        description=f"a time of day such as 04:40, later than {PREFIX}ACHIEVEMENTS_RECONCILE_AT",
    )
    regions: Names = ("na-east", "na-west", "eu", "apac")
    modes: Names = ("solo", "duo", "squad")
    seasons: Names = ("s1",)
    host: str = Field(default="127.0.0.1", min_length=1, description="a host name or address")
    allowed_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)] = Field(
        default=(),
        description="the names by which clients reach the service, separated by commas, or *",
    )
    port: int = Field(default=8000, ge=0, le=65535, description="a whole number from 0 to 65535")
    workers: int = Field(default=1, ge=1, le=64, description="a whole number from 1 to 64")


def read_settings() -> Settings:
    """Return the settings the environment describes.

    Raises:
        InvalidSettings: with a sentence for every problem found.

    """
    problems: list[str] = []
    settings = None
    try:
        settings = Settings()  # type: ignore[call-arg]  # the environment gives the mode
    except ValidationError as error:
        fields = dict.fromkeys(str(problem["loc"][0]) for problem in error.errors())
        problems = [_sentence(field) for field in fields]
    if _workers() > 1 and not os.environ.get(MULTIPROCESS_VARIABLE):
        problems.append(
            f"{PREFIX}WORKERS is {_workers()}, but {MULTIPROCESS_VARIABLE} is not set: without a "
            "directory to share, each worker would report only its own part of the counts."
        )
    if settings is not None and settings.events_path and settings.ledger == "none":
        problems.append(
            f"{PREFIX}EVENTS_PATH is set, but {PREFIX}LEDGER is none: "
            "community events are kept in the ledger."
        )
    if settings is None or problems:
        raise InvalidSettings(tuple(problems))
    return settings


def _workers() -> int:
    """Return the number of workers, also beside settings that are not valid."""
    try:
        return int(os.environ.get(f"{PREFIX}WORKERS", "1"))
    except ValueError:
        return 1


def _sentence(field: str) -> str:
    variable = PREFIX + field.upper()
    expected = Settings.model_fields[field].description
    value = os.environ.get(variable)
    if value is None:
        return f"{variable} is not set: it must be {expected}."
    # A URL may carry a password, which belongs in no log.
    shown = "not usable" if field == "redis_url" else repr(value)
    return f"{variable} is {shown}: it must be {expected}."
