"""The variables of `make`, read once from the environment, typed and checked."""

import difflib
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from lab.addresses import redis_address, web_address, without_password
from lab.cli.problems import Problems

_DURATION = re.compile(r"(\d+)\s*(s|m|h|)", re.ASCII)
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
# How Python keeps such bytes.
_NO_TEXT = re.compile(r"[\ud800-\udfff]")
# Read by the Makefile alone.
_MAKE_ONLY = frozenset({"PYTHON"})
# Read by `python -m reports`.
_REPORT_ONLY = frozenset({"OUT"})
# Read by `python -m dashboards.watch`.
_WATCH_ONLY = frozenset({"PROMETHEUS_BIN", "GRAFANA_BIN"})
# Single reports of the terminal lab; make runs them all.
_WITHOUT_TARGET = frozenset({"setup", "naive", "partitioned", "failures", "out-of-order"})


# Scenarios that have a target of their own.
_OWN_TARGETS = frozenset({"odometer", "achievements"})


def _seconds(text: object) -> object:
    if not isinstance(text, str):
        return text
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError("give whole seconds, minutes or hours, such as 90, 60s or 5m")
    return int(match[1]) * _SECONDS[match[2]]


def _words(text: object) -> object:
    return tuple(shlex.split(text)) if isinstance(text, str) else text


Seconds = Annotated[int, BeforeValidator(_seconds)]
Port = Annotated[int, Field(ge=1, le=65535)]


class Variables(BaseSettings):
    """What a user can set on the command line of make; each field is one variable."""

    model_config = SettingsConfigDict(env_ignore_empty=True, frozen=True, extra="ignore")

    scale: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.001
    duration: Annotated[Seconds, Field(ge=1, le=86_400)] = 60
    warmup: Annotated[Seconds, Field(ge=0, le=3_600)] = 5
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 20_260_906
    players: Annotated[int, Field(ge=1, le=12_000_000)] | None = None
    mode: Literal["naive", "partitioned"] = "naive"
    scenario: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,24}$")] = "peak"
    set: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_words)] = ()
    workers: Annotated[int, Field(ge=1, le=64)] = 1
    service_workers: Annotated[int, Field(ge=1, le=64)] = 1
    service_port: Port = 8000
    target: Annotated[str, BeforeValidator(web_address)] | None = None
    allow_writes: bool = False
    redis_url: Annotated[str, BeforeValidator(redis_address)] | None = None
    hotboard_redis_bin: Path | None = None
    top: Literal["live", "materialised"] = "live"
    rank_limit: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    # A load that measures the ranking has none unless one is named: `lab.stack.chosen`.
    ledger: Literal["sqlite", "none"] = "sqlite"
    ledger_sync: Literal["full", "normal"] = "full"
    ledger_path: Path | None = None
    stack: Literal["compose", "embedded"] | None = None
    redis_port: Port = 6379
    prometheus_port: Port = 9090
    grafana_port: Port = 3000
    grafana_url: Annotated[str, BeforeValidator(web_address)] | None = None
    grafana_token: str | None = None
    locust_ui: bool = True
    locust_port: Port = 8089
    # 0: nobody shall scrape the generator
    loadgen_port: Annotated[int, Field(ge=0, le=65535)] = 9646
    odometer_reads: Literal["projected", "direct"] = "projected"
    rounds: Annotated[int, Field(ge=1, le=99)] = 3
    drill: str | None = None
    lifted: bool = True
    a: str | None = None
    b: str | None = None
    totals: Path | None = None
    event: str | None = None
    run: str | None = None

    @field_validator("*", mode="before")
    @classmethod
    def _is_text(cls, value: object) -> object:
        """Bytes that are no UTF-8, which could be neither written down nor printed."""
        if isinstance(value, str) and _NO_TEXT.search(value):
            raise ValueError("give it in UTF-8")
        return value

    def repeating(self, command: str) -> str:
        """The command that repeats this one, with the variables that were set."""
        has_own = self.scenario in _OWN_TARGETS
        load = f"load-{self.scenario if has_own else self.mode}"
        named = {"load": load, "serve": f"serve MODE={self.mode}"}
        named |= {"drill": f"drill MODE={self.mode}"}
        named |= {"up": f"up MODE={self.mode}", "all": "lab"}
        # a token is nobody's business but Grafana's
        kept = self.model_fields_set - {"mode", "grafana_token"}
        if has_own and command == "load":
            kept = self.model_fields_set - {"scenario", "grafana_token"}
        changed = sorted(name.upper() for name in kept)
        named_values = ((name, os.environ[name]) for name in changed if name in os.environ)
        values = [f"{name}={without_password(value)}" for name, value in named_values]
        if command in _WITHOUT_TARGET:
            return shlex.join([*values, "python", "-m", "lab", command])
        return shlex.join(["make", *named.get(command, command).split(), *values])

    @property
    def names_ledger(self) -> bool:
        """Whether the user said which ledger there is to be, or anything else about it."""
        return not self.model_fields_set.isdisjoint({"ledger", "ledger_sync", "ledger_path"})

    def disagreements(self) -> Iterator[str]:
        """A sentence for all that does not go together, whatever the command."""
        yield from self._target_problems()
        yield from self._stack_problems()
        if self.ledger_path and self.ledger == "none":
            yield "LEDGER=none and LEDGER_PATH exclude each other: leave out one."

    def _target_problems(self) -> Iterator[str]:
        # No drill takes a TARGET, and it says so itself.
        if self.target and not self.allow_writes and self.drill is None:
            yield f"TARGET={self.target} would be written to: add ALLOW_WRITES=1 if it may be."
        if self.target and self.redis_url:
            yield "TARGET and REDIS_URL exclude each other: a foreign service has its own Redis."

    def _stack_problems(self) -> Iterator[str]:
        for name in ("target", "redis_url", "hotboard_redis_bin", "ledger_path"):
            if self.stack == "compose" and getattr(self, name):
                yield (
                    f"STACK=compose and {name.upper()} exclude each other: "
                    "the compose stack has its own service, Redis and ledger."
                )


def read_variables(problems: Problems) -> Variables:
    """Read the variables from the environment; a sentence for all that is wrong is added.

    One that is wrong has its default, so that the checks after this can look at the others.
    """
    overrides = os.environ.get("MAKEFLAGS", "")
    problems.add(unknown_overrides(overrides) + contradictions(overrides, os.environ))
    try:
        variables = Variables()
    except ValidationError as error:
        details = error.errors()
        problems.add(_sentence(dict(detail)) for detail in details)
        variables = _without({str(detail["loc"][0]) for detail in details})
    problems.add(variables.disagreements())
    return variables


def _without(wrong: AbstractSet[str]) -> Variables:
    """The variables as if nobody had set these."""
    found = Variables(**{name: Variables.model_fields[name].default for name in wrong})
    return Variables.model_construct(found.model_fields_set - wrong, **dict(found))


def unknown_overrides(makeflags: str) -> list[str]:
    """A sentence for every `NAME=value` on make's command line that no one reads.

    make passes them to its children in MAKEFLAGS after ` -- `.
    """
    _, separator, overrides = f" {makeflags}".partition(" -- ")
    if not separator:
        return []
    elsewhere = _MAKE_ONLY | _REPORT_ONLY | _WATCH_ONLY
    known = {name.upper() for name in Variables.model_fields} | elsewhere
    names = re.findall(r"(?:^|(?<=[^\\] ))([A-Za-z_][A-Za-z0-9_]*):?=", overrides)
    problems = []
    for name in names:
        if name in known:
            continue
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]}?" if close else " `make help` lists the variables."
        problems.append(f"{name} is no variable of this Makefile.{hint}")
    return problems


def contradictions(makeflags: str, environment: Mapping[str, str]) -> list[str]:
    """A sentence when make's command line asks for what its target has settled otherwise."""
    problems = []
    for name in ("MODE", "SCENARIO"):
        overridden = rf" -- (?:.*(?<!\\) )?{name}:?=((?:\\.|[^\\ ])*)"
        found = re.search(overridden, f" {makeflags}", re.DOTALL)
        settled = environment.get(name)
        asked = _unescaped(found[1]) if found else settled
        if settled not in {None, asked}:
            problems.append(
                f"{name}={asked} contradicts `make load-{settled}`, which names its "
                f"{name.lower()}: leave it out."
            )
    return problems


def _unescaped(value: str) -> str:
    """A value as it was before make put it into MAKEFLAGS."""
    return re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL).replace("$$", "$")


def _sentence(detail: Mapping[str, Any]) -> str:
    message = str(detail["msg"]).removeprefix("Value error, ")
    name = str(detail["loc"][0]).upper()
    value = without_password(str(detail["input"]))
    return f"{name}={value}: {message[0].lower()}{message[1:].rstrip('.')}."
