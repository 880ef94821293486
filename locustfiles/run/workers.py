"""The workers of a run as the master knows them, and the messages between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from locust.runners import STATE_MISSING, MasterRunner, Runner

from locustfiles.errors import RunCutShort
from locustfiles.live.metrics import LiveCounts
from locustfiles.recording.last_scores import LastScores
from locustfiles.recording.recording import Recording
from locustfiles.run.plan import Plan


class Message(Protocol):
    """One message: the worker that sent it and its data."""

    node_id: str
    data: Any


PRESENT: Final = "hotboard-present"
READY: Final = "hotboard-ready"
DELTA: Final = "hotboard-delta"
FINAL: Final = "hotboard-final"

PLAN: Final = "hotboard-plan"
GO: Final = "hotboard-go"
STOP: Final = "hotboard-stop"


@dataclass
class Worker:
    """One worker, and what it last reported."""

    node_id: str
    slice_index: int = -1
    is_complete: bool = False
    is_ready: bool = False
    has_reported: bool = False
    cpu_ratio: float | None = None
    stopped_by: str | None = None


class Workers:
    """Gives each worker its slice, once, and adds up what the workers count."""

    def __init__(
        self,
        runner: Runner,
        classes: frozenset[str],
        operations: Sequence[str],
        scores: LastScores,
    ) -> None:
        self._runner = runner
        self._one_of_each = dict.fromkeys(classes, 1)
        self._known: dict[str, Worker] = {}
        self.assigned: list[Worker] = []
        self.recording = Recording.of(operations)
        self.live = LiveCounts(operations)
        self.scores = scores

    def listen(self) -> None:
        """Receive the workers' messages from now on."""
        self._runner.register_message(PRESENT, self._on_present)
        self._runner.register_message(READY, self._on_ready)
        self._runner.register_message(DELTA, self._on_delta)
        self._runner.register_message(FINAL, self._on_final)

    def complete_node_ids(self) -> list[str]:
        """The workers that hold one instance of each class, in a fixed order."""
        return sorted(
            node for node, one in self._known.items() if one.is_complete and not self._is_gone(one)
        )

    def assign(self, plans: list[Plan]) -> None:
        """Send one plan to each of as many complete workers."""
        for node_id, plan in zip(self.complete_node_ids(), plans, strict=False):
            worker = self._known[node_id]
            worker.slice_index = plan.slice_index
            self.assigned.append(worker)
            self._runner.send_message(PLAN, plan.as_message(), node_id)

    def send_to_all(self, message: str, data: dict[str, Any]) -> None:
        """Send a message to every worker that has a slice and is still there."""
        for worker in self.assigned:
            if not self._is_gone(worker):
                self._runner.send_message(message, data, worker.node_id)

    def are_ready(self) -> bool:
        """Whether every slice's connections are open."""
        return all(worker.is_ready for worker in self.assigned)

    def lost(self) -> list[Worker]:
        """The workers that are gone and did not send their final counts."""
        return [one for one in self.assigned if not one.has_reported and self._is_gone(one)]

    def trouble(self) -> RunCutShort | None:
        """Why the run cannot go on with these workers, if it cannot."""
        for worker in self.lost():
            return RunCutShort("worker-lost", f"The worker of slice {worker.slice_index} was lost.")
        for worker in self.assigned:
            if worker.stopped_by is not None:
                reason = f"The worker of slice {worker.slice_index} ended early"
                return RunCutShort("interrupted", f"{reason}: {worker.stopped_by}.")
        if not self.assigned and self._all_are_gone():
            return RunCutShort("worker-lost", "Every worker was lost before the load began.")
        return None

    def unreported(self) -> list[Worker]:
        """The workers whose final counts have not arrived."""
        return [one for one in self.assigned if not one.has_reported]

    def _all_are_gone(self) -> bool:
        runner = self._runner
        return isinstance(runner, MasterRunner) and all(
            node.state == STATE_MISSING for node in runner.clients.all
        )

    def _is_gone(self, worker: Worker) -> bool:
        if not isinstance(self._runner, MasterRunner):
            return False
        node = self._runner.clients.get(worker.node_id)
        return node is None or node.state == STATE_MISSING

    def _on_present(self, msg: Message, **_: object) -> None:
        worker = self._known.setdefault(msg.node_id, Worker(msg.node_id))
        worker.is_complete = msg.data["users"] == self._one_of_each

    def _on_ready(self, msg: Message, **_: object) -> None:
        self._known[msg.node_id].is_ready = True

    def _on_delta(self, msg: Message, **_: object) -> None:
        if msg.node_id in self._known:
            self.recording.add_message(msg.data["recording"])
            self.live.add(msg.node_id, msg.data)
            self.scores.add_message(msg.data["scores"])

    def _on_final(self, msg: Message, **_: object) -> None:
        self._on_delta(msg)
        worker = self._known[msg.node_id]
        worker.cpu_ratio = msg.data["cpu_ratio"]
        worker.stopped_by = msg.data["stopped_by"]
        worker.has_reported = True
