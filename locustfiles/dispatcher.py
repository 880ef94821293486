"""Deals one instance of every user class to every worker, once.

Locust's own dispatcher may put all instances of a class on one worker, and deals a lost worker's
users again; here a lost slice stays lost, and the run ends.
"""

from collections.abc import Iterator

from locust import User
from locust.dispatch import UsersDispatcher
from locust.runners import WorkerNode

Deal = dict[str, dict[str, int]]
Deals = Iterator[Deal]


class OneOfEach(UsersDispatcher):
    """Gives the first workers one instance of each class, and every other worker none."""

    slices: int

    def __init__(self, worker_nodes: list[WorkerNode], user_classes: list[type[User]]) -> None:
        super().__init__(worker_nodes, user_classes)
        self._names = [one.__name__ for one in user_classes]
        self._holders = frozenset(sorted(node.id for node in worker_nodes)[: self.slices])
        self._nodes = [node.id for node in worker_nodes]
        self._deals: Deals = iter(())

    def new_dispatch(
        self,
        target_user_count: int,
        spawn_rate: float,
        user_classes: list[type[User]] | None = None,
    ) -> None:
        """Begin again with the same deal, whatever number of users is asked for."""
        del target_user_count, spawn_rate, user_classes
        self._deals = iter((self._current(),))

    def add_worker(self, worker_node: WorkerNode) -> None:
        """Take note of a worker that came too late to be given anything."""
        if worker_node.id not in self._nodes:
            self._nodes.append(worker_node.id)

    def remove_worker(self, worker_node: WorkerNode) -> None:
        """Forget a worker; nobody gets its users."""
        self._nodes = [node for node in self._nodes if node != worker_node.id]

    def __next__(self) -> Deal:
        return next(self._deals)

    def _current(self) -> Deal:
        return {
            node: dict.fromkeys(self._names, int(node in self._holders)) for node in self._nodes
        }


def dispatcher_for(slices: int) -> type[UsersDispatcher]:
    """A dispatcher class, as Locust wants one, for a number of slices."""
    return type("OneOfEachWorker", (OneOfEach,), {"slices": slices})
