"""The master's part in Locust: a run begins with Locust's test, and Locust ends with the run.

Without workers of its own, one process is both master and worker.
"""

import logging
import subprocess
import sys
from collections.abc import Iterator

import gevent
from gevent.event import Event
from locust import User
from locust.dispatch import UsersDispatcher
from locust.env import Environment
from locust.runners import MasterRunner, Runner, WorkerNode
from locust.web import WebUI

from locustfiles.errors import COMPLETE, INCOMPLETE
from locustfiles.live.locust_page import RunOnPage, WebPage
from locustfiles.live.metrics import LiveMetrics, MetricsPage
from locustfiles.live.progress import Phases, Progress
from locustfiles.live.tables_so_far import TablesSoFar
from locustfiles.recording.host_facts import CHECKOUT
from locustfiles.recording.last_scores import LastScores
from locustfiles.run.inputs import RunInputs
from locustfiles.run.locust_events import listen, typed
from locustfiles.run.run_controller import RunController
from locustfiles.run.stopping import StopRequest
from locustfiles.run.workers import Workers

# Lets Locust finish the stop that its web page requested, before the process ends.
_AFTER_STOP_SECONDS = 1.0

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
        """Begin again with the same deal, whatever the number of users."""
        del target_user_count, spawn_rate, user_classes
        self._deals = iter((self._current(),))

    def add_worker(self, worker_node: WorkerNode) -> None:
        """Remember a worker that came too late to get users."""
        if worker_node.id not in self._nodes:
            self._nodes.append(worker_node.id)

    def remove_worker(self, worker_node: WorkerNode) -> None:
        """Forget a worker; its users are not given to another one."""
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


def silence_statistics(environment: Environment) -> None:
    """Print none of Locust's tables: they round to milliseconds and count failures in.

    With --print-stats they are printed.
    """
    options = environment.parsed_options
    if options is not None and not options.print_stats:
        options.only_summary = True
        logging.getLogger("locust.stats_logger").disabled = True


class Master:
    """Begins the run when Locust starts its test, and ends Locust when the run has ended.

    Raises:
        BadInput: the metrics cannot be served at the given address.
    """

    def __init__(
        self, environment: Environment, runner: Runner, inputs: RunInputs, stop: StopRequest
    ) -> None:
        self._environment = environment
        self._runner = runner
        self._inputs = inputs
        self._stop = stop
        plan = inputs.plan
        self._progress = Progress(Phases(plan.warmup_seconds, plan.duration_seconds))
        classes = frozenset(one.__name__ for one in environment.user_classes)
        self._workers = Workers(runner, classes, tuple(plan.rates_per_second), LastScores())
        self._controller = RunController(inputs, self._workers, self._progress, stop)
        options = inputs.options
        metrics = LiveMetrics(self._workers.live, plan.run_id, inputs.description.boards.mode)
        self._metrics = MetricsPage(metrics, options.metrics_host, options.metrics_port)
        self._users = plan.slices * len(classes)
        self._has_begun = False
        self._is_locust_ending = False
        self._is_over = Event()

    def listen(self) -> None:
        """Let Locust's events move the run from now on."""
        environment = self._environment
        environment.dispatcher_class = dispatcher_for(self._inputs.plan.slices)
        environment.process_exit_code = INCOMPLETE
        self._workers.listen()
        silence_statistics(environment)
        listen(environment.events.test_start, self._begin)
        listen(environment.events.test_stopping, self._stop_test)
        listen(environment.events.quitting, self._quit)
        if environment.web_ui is not None:
            self._add_to_page(environment.web_ui)
        if not self._waits_for_workers():
            gevent.spawn(self._stop.leave_to_locust)

    def _add_to_page(self, web_ui: WebUI) -> None:
        options = self._environment.parsed_options
        run = RunOnPage(
            self._inputs.plan.run_id,
            lambda: self._has_begun,
            self._controller.hot_keys,
            TablesSoFar(self._controller.results),
        )
        WebPage(web_ui, options.web_base_path if options else "", run, self._stop).add()

    def _begin(self, **_: object) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._stop.leave_to_locust()
            # Locust waits for the number of users that was entered on its web page.
            self._runner.target_user_count = self._users
            gevent.spawn(self._run)

    def _waits_for_workers(self) -> bool:
        """Whether Locust waits for workers before it does anything else."""
        options = self._environment.parsed_options
        return isinstance(self._runner, MasterRunner) and bool(options and options.headless)

    def _run(self) -> None:
        try:
            self._controller.run()
            self._metrics.await_last_scrape()
            self._environment.process_exit_code = self._exit_code()
        finally:
            self._is_over.set()
            if not self._is_locust_ending:
                self._end_locust()

    def _exit_code(self) -> int:
        ending, directory = self._controller.ending, self._inputs.directory
        if ending.reason:
            self._progress.print_line(f"{ending.ended}: {ending.reason}")
        if self._inputs.options.run_dir is not None:
            return COMPLETE if ending.ended == "completed" else INCOMPLETE
        words = [sys.executable, "-m", "reports", "tables", str(directory)]
        return subprocess.run(words, cwd=CHECKOUT, check=False).returncode  # noqa: S603  our own

    def _end_locust(self) -> None:
        self._runner.quit()
        if self._environment.web_ui is not None:
            typed(self._environment.web_ui.stop)()

    def _stop_test(self, **_: object) -> None:
        """Drain when Locust stops its test: from the web page, or as a part of quitting."""
        if self._has_begun and not self._is_over.is_set():
            self._wait_for_end("Locust stopped the test")
            gevent.spawn_later(_AFTER_STOP_SECONDS, self._end_locust)

    def _quit(self, **_: object) -> None:
        if self._has_begun:
            self._wait_for_end("Locust quits")

    def _wait_for_end(self, reason: str) -> None:
        self._is_locust_ending = True
        # Locust also stops when the last worker is gone; then the run itself gives the reason.
        if not self._workers.trouble():
            self._stop.ask(reason)
        self._is_over.wait()
