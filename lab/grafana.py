"""Grafana as a run needs it: a place to leave annotations of its start, phases and end."""

import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from grafana_api.grafana_api import GrafanaException  # type: ignore[import-untyped]  # no types
from grafana_api.grafana_face import GrafanaFace  # type: ignore[import-untyped]  # no types
from requests import RequestException, Response
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError

from lab.addresses import is_loopback, shown
from lab.cli.variables import Variables
from lab.stack.ports import HOST
from lab.writing import write_json

_ANSWER_SECONDS: Final = 2.0
# The first login of a Grafana that nobody has changed: that of compose and of `make watch`.
_FIRST_LOGIN: Final = ("admin", "admin")
# What the library lets through when the answer is none of Grafana's.
_STRANGE: Final = (RequestException, HTTPError, ValueError, TypeError)
_LARGEST_BYTES: Final = 1_000_000
_SHOWN_CHARACTERS: Final = 500


class GrafanaRefused(Exception):
    """Grafana, or what somebody took for it, does not take annotations; says why."""

    def __init__(self, said: str) -> None:
        super().__init__(shown(said))


class NoGrafana(GrafanaRefused):
    """There is no Grafana."""


class _Bounded(HTTPAdapter):
    """Answers as far as the first part of them: Grafana's own are short."""

    def send(self, *request: Any, **options: Any) -> Response:  # noqa: ANN401  as requests has it
        """Send a request, and read its answer up to a length."""
        answer = super().send(*request, **{**options, "stream": True})
        answer._content = answer.raw.read(_LARGEST_BYTES, decode_content=True)  # noqa: SLF001  the way to hand over what was read
        answer.close()
        return answer


@dataclass(frozen=True)
class Mark:
    """An instant, or a span, with what happened there."""

    text: str
    from_seconds: float
    to_seconds: float | None = None


@dataclass(frozen=True)
class Grafana:
    """A Grafana at an address; `is_named` when somebody said that it is there."""

    url: str
    token: str | None
    is_named: bool

    def annotate(self, marks: Sequence[Mark], tags: Sequence[str]) -> None:
        """Leave marks.

        Raises:
            NoGrafana: nothing answers there as Grafana does.
            GrafanaRefused: it does not take them.
        """
        face = self._face()
        if self.is_named and not self.token:
            raise GrafanaRefused("GRAFANA_TOKEN is missing: give the token of an editor")
        try:
            for mark in marks:
                face.annotations.add_annotation(
                    time_from=_milliseconds(mark.from_seconds),
                    time_to=_milliseconds(mark.to_seconds),
                    tags=list(tags),
                    text=mark.text,
                )
        except GrafanaException as error:
            said = f"it refused them ({self._without_token(str(error.message))})"
            raise GrafanaRefused(f"{said}: give an editor's token in GRAFANA_TOKEN") from None
        except _STRANGE as error:
            raise GrafanaRefused(f"it did not answer ({type(error).__name__})") from None

    def _without_token(self, said: str) -> str:
        """The words of the other side, which may repeat what it was sent, or never end."""
        return (said.replace(self.token, "***") if self.token else said)[:_SHOWN_CHARACTERS]

    def _face(self) -> Any:  # noqa: ANN401  the library has no types
        parts = urlsplit(self.url)
        prefix = parts.path.strip("/")
        face = GrafanaFace(
            self.token or ("" if self.is_named else _FIRST_LOGIN),
            host=parts.hostname,
            port=parts.port,
            url_path_prefix=f"{prefix}/" if prefix else "",
            protocol=parts.scheme,
            timeout=_ANSWER_SECONDS,
        )
        for scheme in ("http://", "https://"):
            face.api.s.mount(scheme, _Bounded())
        # a proxy of the shell's leads to other machines, never to this one
        face.api.s.trust_env = not is_loopback(parts.hostname)
        try:
            health = face.api.GET("/health")
        except (GrafanaException, *_STRANGE) as error:
            raise NoGrafana(f"no Grafana answers there ({type(error).__name__})") from None
        if not isinstance(health, dict) or "database" not in health:
            raise NoGrafana("what answers there is no Grafana")
        return face


def grafana_of(variables: Variables) -> Grafana:
    """The Grafana that was named, else where compose and `make watch` have theirs."""
    default = f"http://{HOST}:{variables.grafana_port}"
    named = variables.grafana_url
    return Grafana(named or default, variables.grafana_token, is_named=named is not None)


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


# The dashboards show the annotations under this tag.
_TAG: Final = "hotboard"
_PATIENCE_SECONDS: Final = 3.0


class RunMarks:
    """Leaves the marks of one run, and remembers the warnings that this led to."""

    def __init__(self, grafana: Grafana, mode: str, run_id: str) -> None:
        self._grafana = grafana
        self._tags = (_TAG, mode, run_id)
        self._leaving: threading.Thread | None = None
        self._is_given_up = False
        self._warnings: list[str] = []

    def start(self) -> None:
        """Mark the start, and go on at once."""
        self._leave([Mark("start", time.time())])

    def fault(self, what: str, from_seconds: float, to_seconds: float) -> None:
        """Mark a fault of a drill, and go on at once."""
        self._leave([Mark(what, from_seconds, to_seconds)])

    def finish(self, folder: Path) -> None:
        """Mark what the run directory tells, with a few seconds of patience at most."""
        self._await()
        self._leave(list(_marks(folder)))
        self._await()

    def take_warnings(self) -> list[str]:
        """The warnings that nobody has taken yet."""
        taken, self._warnings = self._warnings, []
        return taken

    def _leave(self, marks: Sequence[Mark]) -> None:
        if marks and not self._is_given_up:
            self._leaving = threading.Thread(target=self._try, args=(marks,), daemon=True)
            self._leaving.start()

    def _await(self) -> None:
        if self._leaving is not None:
            self._leaving.join(_PATIENCE_SECONDS)
            if self._leaving.is_alive():
                self._give_up(f"it did not answer within {_PATIENCE_SECONDS:g} s")

    def _try(self, marks: Sequence[Mark]) -> None:
        try:
            self._grafana.annotate(marks, self._tags)
        except NoGrafana as error:
            # most runs have none, which is no news unless somebody named it
            self._give_up(str(error) if self._grafana.is_named else None)
        except GrafanaRefused as error:
            self._give_up(str(error))

    def _give_up(self, reason: str | None) -> None:
        if reason is not None and not self._is_given_up:
            sentence = f"This run is not marked in Grafana at {self._grafana.url}: {reason}."
            self._warnings.append(sentence)
            print(sentence, file=sys.stderr, flush=True)
        self._is_given_up = True


def warn_in_record(folder: Path, warnings: Sequence[str]) -> None:
    """Add warnings to run.json, which is there once a run has begun."""
    path = folder / "run.json"
    if warnings and path.is_file():
        facts = json.loads(path.read_text(encoding="utf-8"))
        facts["warnings"] = [*facts.get("warnings", []), *warnings]
        write_json(path, facts)


def _marks(folder: Path) -> Iterator[Mark]:
    """The marks that follow from run.json as the verdict left it."""
    try:
        facts: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    ended = _seconds(facts.get("ended_at")) or time.time()
    begun, planned = _seconds(facts.get("measured_from")), _seconds(facts.get("measured_to"))
    if begun is not None and planned is not None and begun < ended:
        yield Mark("measured phase", begun, min(planned, ended))
    verdict = facts.get("verdict") or {"status": "none"}
    yield Mark("; ".join([f"end, verdict: {verdict['status']}", *_why(verdict)]), ended)


def _why(verdict: dict[str, Any]) -> list[str]:
    """The reasons of a verdict that is no pass, which has one for everything that held."""
    return [] if verdict["status"] == "pass" else list(verdict.get("reasons", []))


def _seconds(stamp: str | None) -> float | None:
    return None if stamp is None else datetime.fromisoformat(stamp).timestamp()
