"""A stack of the terminal lab's own, with a client at its service."""

import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final

from lab.audit.ledger_file import LedgerFile
from lab.cli.variables import Variables
from lab.errors import PartFailed
from lab.stack.embedded import EmbeddedStack, embedded_stack
from lab.stack.stack import Session
from lab.terminal.board_client import BoardClient, Timing
from lab.terminal.plan import PLAYERS, READ_SAMPLES, TOP_K, UPDATES, WINDOW, Plan
from lab.terminal.report_lines import KeyHits, hits_between
from workload.assumptions import Assumptions
from workload.model import TrafficModel


def progress(step: str) -> None:
    """Name a step that takes a while, on stderr: stdout holds the reports alone."""
    print(f"... {step}", file=sys.stderr, flush=True)


# What the reports with figures measure is the cost of the keys, not of a durable write.
LEDGER: Final = "none"
# Its answers are about what is right: a Redis that a busy machine stops for a moment is waited for.
_SETTINGS: Final = MappingProxyType({"HOTBOARD_REDIS_TIMEOUT_SECONDS": "8"})
# The connections of a process that dies are reset a moment before it is seen to be dead.
_DYING_SECONDS: Final = 2.0
_POLL_SECONDS: Final = 0.02


@dataclass(frozen=True)
class Bench:
    """A service that is up, with no players yet, and the file of its ledger, if it keeps one."""

    client: BoardClient
    stack: EmbeddedStack
    ledger: LedgerFile

    def load(self, plan: Plan) -> None:
        """Load every player of the plan, in batches."""
        progress(f"loading {PLAYERS:,} players")
        for batch in plan.batches():
            event_ids = [f"load-{entry.player}" for entry in batch]
            self.client.submit_batch(batch[0].partition, event_ids, batch)

    def write(self, plan: Plan) -> tuple[Timing, KeyHits]:
        """Send the updates one by one; the hits are the service's own count."""
        progress(f"writing {UPDATES:,} scores one by one")
        requests = [
            partial(self.client.submit, f"update-{number}", update)
            for number, update in enumerate(plan.updates)
        ]
        return self._timed(requests, "write")

    def read(self, plan: Plan) -> tuple[Timing, KeyHits]:
        """Send the reads one by one, likewise."""
        progress(f"reading {READ_SAMPLES} samples")
        requests = [
            partial(self.client.around, entry, WINDOW) if entry else partial(self.client.top, TOP_K)
            for entry in plan.reads
        ]
        return self._timed(requests, "read")

    def _timed(self, requests: Iterable[Callable[[], object]], op: str) -> tuple[Timing, KeyHits]:
        before = self.client.metrics()
        durations = []
        began = time.perf_counter()
        for send in requests:
            send()
            durations.append(self.client.last_seconds)
        elapsed = time.perf_counter() - began
        return Timing(tuple(durations), elapsed), hits_between(before, self.client.metrics(), op)


@contextmanager
def bench(variables: Variables, assumptions: Assumptions, session: Session) -> Iterator[Bench]:
    """Keep a stack up while the block runs; its logs last as long.

    Raises:
        UsageError: a port is taken, no server binary, a foreign database.
        PartFailed: a part did not become ready.
    """
    progress(f"starting a Redis server and the service ({variables.mode})")
    folder = session.checkout.state / "lab"
    shutil.rmtree(folder, ignore_errors=True)
    ledger = LedgerFile(folder / "ledger.db", variables.mode)
    kept = False
    try:
        with (
            embedded_stack(
                variables, assumptions, folder, ledger.path, session, _SETTINGS
            ) as stack,
            closing(BoardClient(stack.service_url, session.stop.check)) as client,
            _blaming(stack),
        ):
            yield Bench(client, stack, ledger)
    except PartFailed:
        kept = True  # its sentence names the log
        raise
    finally:
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _blaming(stack: EmbeddedStack) -> Iterator[None]:
    """When a request fails because a part died, name the part instead of the request."""
    try:
        yield
    except PartFailed as error:
        deadline = time.monotonic() + _DYING_SECONDS
        while (failure := stack.failure()) is None and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        if failure is None:
            raise
        raise PartFailed(failure) from error


_DRILL: Final = MappingProxyType({"mode": "partitioned", "ledger": "sqlite", "redis_url": None})


@dataclass(frozen=True)
class Workbench:
    """The variables and assumptions of this use, and the way to a running stack."""

    variables: Variables
    assumptions: Assumptions
    session: Session

    @property
    def model(self) -> TrafficModel:
        """The traffic model that projected figures come from."""
        return TrafficModel(self.assumptions)

    @property
    def drilled(self) -> Variables:
        """What a drill runs on: twelve boards, a ledger, and a Redis that may be shut down."""
        return self.variables.model_copy(update=_DRILL)

    def bench(self, mode: str) -> AbstractContextManager[Bench]:
        """A fresh stack in one mode, up while the block runs."""
        chosen = self.variables.model_copy(update={"mode": mode, "ledger": LEDGER})
        return bench(chosen, self.assumptions, self.session)

    def drill_bench(self) -> AbstractContextManager[Bench]:
        """A fresh stack with a ledger, on a Redis server that is the lab's own in any case."""
        if self.variables.redis_url:
            progress("leaving REDIS_URL alone: the drill shuts its Redis down")
        return bench(self.drilled, self.assumptions, self.session)
