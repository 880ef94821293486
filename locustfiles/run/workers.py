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
    """One message, from whom it came and what it says."""

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
class Member:
    """One worker, and what it said last."""

    node_id: str
    slice_index: int = -1
    is_complete: bool = False
    is_ready: bool = False
    has_reported: bool = False
    cpu_ratio: float | None = None
    stopped_by: str | None = None


class Crew:
    """Listens to the workers and adds up what they counted; a slice is given away once."""

    def __init__(
        self,
        runner: Runner,
        classes: frozenset[str],
        operations: Sequence[str],
        scores: LastScores,
    ) -> None:
        self._runner = runner
        self._one_of_each = dict.fromkeys(classes, 1)
        self._known: dict[str, Member] = {}
        self.members: list[Member] = []
        self.recording = Recording.of(operations)
        self.live = LiveCounts(operations)
        self.scores = scores

    def listen(self) -> None:
        """Take the workers' messages from now on."""
        self._runner.register_message(PRESENT, self._on_present)
        self._runner.register_message(READY, self._on_ready)
        self._runner.register_message(DELTA, self._on_delta)
        self._runner.register_message(FINAL, self._on_final)

    def complete(self) -> list[str]:
        """The workers that hold one instance of each class, in a fixed order."""
        return sorted(
            node for node, one in self._known.items() if one.is_complete and not self._is_gone(one)
        )

    def give(self, plans: list[Plan]) -> None:
        """Give one slice to each of as many complete workers."""
        for node_id, plan in zip(self.complete(), plans, strict=False):
            member = self._known[node_id]
            member.slice_index = plan.slice_index
            self.members.append(member)
            self._runner.send_message(PLAN, plan.as_message(), node_id)

    def tell(self, message: str, data: dict[str, Any]) -> None:
        """Send a message to every worker that has a slice and is still there."""
        for member in self.members:
            if not self._is_gone(member):
                self._runner.send_message(message, data, member.node_id)

    def are_ready(self) -> bool:
        """Whether every slice's connections are open."""
        return all(member.is_ready for member in self.members)

    def lost(self) -> list[Member]:
        """The workers that went away without their last numbers."""
        return [one for one in self.members if not one.has_reported and self._is_gone(one)]

    def trouble(self) -> RunCutShort | None:
        """Why the run cannot go on with these workers, if it cannot."""
        for member in self.lost():
            return RunCutShort("worker-lost", f"The worker of slice {member.slice_index} was lost.")
        for member in self.members:
            if member.stopped_by is not None:
                reason = f"The worker of slice {member.slice_index} ended early"
                return RunCutShort("interrupted", f"{reason}: {member.stopped_by}.")
        if not self.members and self._nobody_is_left():
            return RunCutShort("worker-lost", "Every worker was lost before the load began.")
        return None

    def silent(self) -> list[Member]:
        """The workers whose last numbers have not come."""
        return [one for one in self.members if not one.has_reported]

    def _nobody_is_left(self) -> bool:
        runner = self._runner
        return isinstance(runner, MasterRunner) and all(
            node.state == STATE_MISSING for node in runner.clients.all
        )

    def _is_gone(self, member: Member) -> bool:
        if not isinstance(self._runner, MasterRunner):
            return False
        node = self._runner.clients.get(member.node_id)
        return node is None or node.state == STATE_MISSING

    def _on_present(self, msg: Message, **_: object) -> None:
        member = self._known.setdefault(msg.node_id, Member(msg.node_id))
        member.is_complete = msg.data["users"] == self._one_of_each

    def _on_ready(self, msg: Message, **_: object) -> None:
        self._known[msg.node_id].is_ready = True

    def _on_delta(self, msg: Message, **_: object) -> None:
        if msg.node_id in self._known:
            self.recording.add_message(msg.data["recording"])
            self.live.add(msg.node_id, msg.data)
            self.scores.add_message(msg.data["scores"])

    def _on_final(self, msg: Message, **_: object) -> None:
        self._on_delta(msg)
        member = self._known[msg.node_id]
        member.cpu_ratio = msg.data["cpu_ratio"]
        member.stopped_by = msg.data["stopped_by"]
        member.has_reported = True
