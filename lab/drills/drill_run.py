"""A drill beside the load: the fault and the watch on the backlog, each in a thread."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab.audit.invariants import not_comparable
from lab.audit.ledger_file import LedgerFile
from lab.drills.fault import Scene, Span
from lab.drills.proof import drill_document, prove_run
from lab.drills.request_rows import read_requests
from lab.drills.run_clock import BacklogWatch, RunClock, RunOver, Sample, await_clock
from lab.errors import CannotWrite, Interrupted, LabError, PartFailed
from lab.grafana import RunMarks
from lab.run_order import RunOrder
from lab.stack.embedded import EmbeddedStack
from lab.stack.stack import Session
from lab.writing import write_json


class DrillRun:
    """One use of a drill, and what is known of it afterwards."""

    def __init__(
        self,
        order: RunOrder,
        stack: EmbeddedStack,
        ledger: LedgerFile,
        folder: Path,
        marks: RunMarks,
        session: Session,
    ) -> None:
        if order.drill is None:
            raise ValueError("No drill was ordered.")
        self.incidents: list[str] = []
        self._drill = order.drill
        self._fault = order.drill.fault_of(order.variables)
        self._order = order
        self._stack = stack
        self._ledger = ledger
        self._folder = folder
        self._marks = marks
        self._stop = session.stop
        self._spans: list[Span] = []
        self._samples: list[Sample] = []

    @contextmanager
    def beside_load(self) -> Iterator[None]:
        """Strike while the block runs; afterwards wait until the ranking has caught up."""
        is_over = threading.Event()
        thread = threading.Thread(target=self._run, args=(is_over,))
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def conclude(self, audited: dict[str, Any]) -> dict[str, Any]:
        """Write `drill.json`, and add the drill's own proof to the audit."""
        for one in audited["not_comparable"]:
            one["expected"] |= one["reason"] == self._drill.ends_counters
        proof = None
        try:
            proof = prove_run(self._folder, self._ledger)
        except FileNotFoundError as error:
            missing = f"the generator left no {Path(error.filename).name}"
            audited["not_comparable"].append(not_comparable("each event", missing))
        except PartFailed as error:
            audited["not_comparable"].append(not_comparable("each event", str(error)))
        else:
            audited["invariants"] += [one.document() for one in proof.invariants()]
        requests = read_requests(self._folder)
        findings = self._fault.findings(requests)
        audited["invariants"] += [one.document() for one in findings.invariants]
        document = drill_document(
            self._drill, self._spans, requests, self._samples, proof, findings
        )
        try:
            write_json(self._folder / "drill.json", document)
        except CannotWrite as error:
            self.incidents.append(str(error))
        return audited

    def _run(self, is_over: threading.Event) -> None:
        try:
            clock = await_clock(self._folder, self._order.variables.duration, is_over)
        except RunOver:
            self.incidents.append("The drill's fault never struck: the load did not begin.")
            return
        watch = BacklogWatch(self._ledger, self._stop, self._samples)
        watching = threading.Thread(target=watch.run, args=(clock, is_over))
        watching.start()
        self._strike(clock)
        watching.join()

    def _strike(self, clock: RunClock) -> None:
        scene = Scene(
            self._stack, self._ledger, clock, self._marks, self._spans, self._order.scenario.load
        )
        try:
            self._fault.strike(scene)
        except RunOver:
            stage = "was over" if self._spans else "struck"
            self.incidents.append(f"The load ended before the drill's fault {stage}.")
        except Interrupted as error:
            self.incidents.append(f"The drill was cut short: {error}.")
        except LabError as error:
            self.incidents.append(f"The drill failed: {error}")
        except Exception as error:  # noqa: BLE001  a fault that half happened must be told
            self.incidents.append(f"The drill failed: {error!r}.")
