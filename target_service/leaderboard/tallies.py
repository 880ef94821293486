"""Counting hits, commands and times per board key, with the labelled children made once."""

from collections.abc import Callable, Mapping

from redis.exceptions import NoScriptError, ResponseError

from target_service.metrics import Metrics
from target_service.redis_wire.command import Reply

Inner = Callable[[Reply], Mapping[str, int]]


def _uncounted(_: float = 1) -> None:
    """Count nothing."""


class KeyTally:
    """Counts one plain command on one key.

    A key outside the closed list of boards has no label (None): its commands are counted, its
    hits are no part of the ranking's skew.
    """

    def __init__(self, metrics: Metrics, command: str, key: str | None, op: str) -> None:
        listed = key is not None
        self._hit = metrics.keys.ops.labels(key, op).inc if listed else _uncounted
        self._time = metrics.keys.op_duration.labels(key, op).observe if listed else _uncounted
        self._command = metrics.commands.answered.labels(command).inc
        self._unknown = metrics.commands.unknown.labels(command).inc

    def answered(self, reply: Reply, seconds: float) -> None:  # noqa: ARG002  (the protocol's)
        """Count the hit, its time and the command."""
        self._hit()
        self._time(seconds)
        self._command()

    def refused(self, error: ResponseError) -> None:  # noqa: ARG002  (the protocol's)
        """Count the command as unknown: an error may come before or after the server ran it."""
        self._unknown()

    def unanswered(self) -> None:
        """Count the command as unknown."""
        self._unknown()


class WriteTally(KeyTally):
    """Counts one write, and the members it writes."""

    def __init__(self, metrics: Metrics, command: str, key: str | None, members: int) -> None:
        super().__init__(metrics, command, key, "write")
        written = metrics.keys.members_written
        self._members_written = _uncounted if key is None else written.labels(key).inc
        self._members = members

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count the hit, its time, the command and the members."""
        super().answered(reply, seconds)
        self._members_written(self._members)


class ScriptTally(KeyTally):
    """Counts one script as one hit on its key, and as itself and the commands it ran."""

    def __init__(
        self, metrics: Metrics, key: str | None, op: str, inner: Inner, most: Mapping[str, int]
    ) -> None:
        """Take what the script ran, told from its reply, and the most it may run."""
        super().__init__(metrics, "evalsha", key, op)
        self._inner = inner
        self._commands = {name: metrics.commands.answered.labels(name).inc for name in most}
        self._unknowns = {name: metrics.commands.unknown.labels(name).inc for name in most}
        self._most = most

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count the hit, its time, the call and the commands inside it."""
        super().answered(reply, seconds)
        for name, times in self._inner(reply).items():
            self._commands[name](times)

    def refused(self, error: ResponseError) -> None:
        """Count a call of a script the server did not know: it ran, and nothing inside it did."""
        if isinstance(error, NoScriptError):
            self._command()
        else:
            self.unanswered()

    def unanswered(self) -> None:
        """Count the call and all that it may have run as unknown."""
        super().unanswered()
        for name, times in self._most.items():
            self._unknowns[name](times)
