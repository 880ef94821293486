"""The leading process, a Locust master or one alone: when its run begins and how it ends."""

import subprocess
import sys

import gevent
from gevent.event import Event
from locust.env import Environment
from locust.runners import MasterRunner, Runner
from locust.web import WebUI

from locustfiles import quiet
from locustfiles.conductor import Conductor
from locustfiles.crew import Crew
from locustfiles.dispatcher import dispatcher_for
from locustfiles.errors import COMPLETE, INCOMPLETE
from locustfiles.hooks import listen, typed
from locustfiles.host_facts import CHECKOUT
from locustfiles.inputs import RunInputs
from locustfiles.last_scores import LastScores
from locustfiles.live_metrics import LiveMetrics, MetricsPage
from locustfiles.progress import Phases, Progress
from locustfiles.stopping import StopRequest
from locustfiles.tables_so_far import TablesSoFar
from locustfiles.web_page import RunOnPage, WebPage

# Lets Locust finish the stop that its web page asked for, before the process ends.
_AFTER_STOP_SECONDS = 1.0


class Lead:
    """Begins the run when Locust starts its test, and ends Locust when the run has ended.

    Raises:
        BadInput: the metrics cannot be served where they were wanted.
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
        self._crew = Crew(runner, classes, tuple(plan.rates_per_second), LastScores())
        self._conductor = Conductor(inputs, self._crew, self._progress, stop)
        options = inputs.options
        metrics = LiveMetrics(self._crew.live, plan.run_id, inputs.description.boards.mode)
        self._metrics = MetricsPage(metrics, options.metrics_host, options.metrics_port)
        self._users = plan.slices * len(classes)
        self._has_begun = False
        self._is_locust_ending = False
        self._is_over = Event()

    def take(self) -> None:
        """Take the lead: from now on Locust's events move the run."""
        environment = self._environment
        environment.dispatcher_class = dispatcher_for(self._inputs.plan.slices)
        environment.process_exit_code = INCOMPLETE
        self._crew.listen()
        quiet.silence_statistics(environment)
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
            self._conductor.hot_keys,
            TablesSoFar(self._conductor.results),
        )
        WebPage(web_ui, options.web_base_path if options else "", run, self._stop).add()

    def _begin(self, **_: object) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._stop.leave_to_locust()
            # Locust waits for as many users as were asked for on its web page.
            self._runner.target_user_count = self._users
            gevent.spawn(self._run)

    def _waits_for_workers(self) -> bool:
        """Whether Locust waits for workers before it does anything else."""
        options = self._environment.parsed_options
        return isinstance(self._runner, MasterRunner) and bool(options and options.headless)

    def _run(self) -> None:
        try:
            self._conductor.run()
            self._metrics.await_last_scrape()
            self._environment.process_exit_code = self._exit_code()
        finally:
            self._is_over.set()
            if not self._is_locust_ending:
                self._end_locust()

    def _exit_code(self) -> int:
        ending, directory = self._conductor.ending, self._inputs.directory
        if ending.reason:
            self._progress.say(f"{ending.ended}: {ending.reason}")
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
            self._wait_for_end("Locust was told to quit")

    def _wait_for_end(self, reason: str) -> None:
        self._is_locust_ending = True
        # Locust also stops when the last worker is gone, and that is for the run to say.
        if not self._crew.trouble():
            self._stop.ask(reason)
        self._is_over.wait()
