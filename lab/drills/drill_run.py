"""A drill beside the load: the fault and the watch on the backlog, each in a thread."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.drills.backlog import BacklogWatch, Sample
from lab.drills.drill import Drill
from lab.drills.fault import Scene, Span
from lab.drills.record import drill_document, prove_run
from lab.drills.request_rows import read_requests
from lab.drills.run_clock import RunClock, RunOver, await_clock
from lab.embedded_stack import EmbeddedStack
from lab.errors import LabError, PartFailed
from lab.ledger_file import LedgerFile
from lab.run_marks import RunMarks
from lab.session import Session
from lab.variables import Variables
from lab.writing import write_json
from workload.load import LoadSettings


@dataclass
class DrillRun:
    """One use of a drill, and what is known of it afterwards."""

    drill: Drill
    variables: Variables
    stack: EmbeddedStack
    ledger: LedgerFile
    folder: Path
    marks: RunMarks
    session: Session
    load: LoadSettings
    incidents: list[str] = field(default_factory=list)
    _spans: list[Span] = field(default_factory=list)
    _samples: list[Sample] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._fault = self.drill.fault_of(self.variables)

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
        proof = None
        try:
            proof = prove_run(self.folder, self.ledger)
        except FileNotFoundError as error:
            missing = f"the generator left no {Path(error.filename).name}"
            audited["not_comparable"].append({"name": "each event", "reason": missing})
        except PartFailed as error:
            audited["not_comparable"].append({"name": "each event", "reason": str(error)})
        else:
            audited["invariants"] += [one.document() for one in proof.invariants()]
        requests = read_requests(self.folder)
        findings = self._fault.findings(requests)
        audited["invariants"] += [one.document() for one in findings.invariants]
        document = drill_document(self.drill, self._spans, requests, self._samples, proof, findings)
        write_json(self.folder / "drill.json", document)
        return audited

    def _run(self, is_over: threading.Event) -> None:
        try:
            clock = await_clock(self.folder, self.variables.duration, is_over)
        except RunOver:
            self.incidents.append("The drill's fault never struck: the load did not begin.")
            return
        watch = BacklogWatch(self.ledger, self.session.stop, self._samples)
        watching = threading.Thread(target=watch.run, args=(clock, is_over))
        watching.start()
        self._strike(clock)
        watching.join()

    def _strike(self, clock: RunClock) -> None:
        scene = Scene(self.stack, self.ledger, clock, self.marks, self._spans, self.load)
        try:
            self._fault.strike(scene)
        except RunOver:
            self.incidents.append("The load ended before the drill's fault was over.")
        except LabError as error:
            self.incidents.append(f"The drill failed: {error}")
        except Exception as error:  # noqa: BLE001  a fault that half happened must be told
            self.incidents.append(f"The drill failed: {error!r}.")
