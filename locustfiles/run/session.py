"""Joins a run to Locust, in whichever role this process has."""

import sys

from locust import User
from locust.env import Environment
from locust.runners import MasterRunner, WorkerRunner

from locustfiles.errors import USAGE, BadInput
from locustfiles.options import RunOptions, page_problem, read_options, refusals, users_problem
from locustfiles.run.inputs import raise_limit, read_inputs
from locustfiles.run.locust_events import typed
from locustfiles.run.master import Master
from locustfiles.run.stopping import StopRequest
from locustfiles.run.worker import Generator, follow
from locustfiles.users import OpenLoopUser


def begin(environment: Environment, **_: object) -> None:
    """Set up this process once Locust has made its runner; bad input ends it here."""
    runner = environment.runner
    if runner is None:
        return
    raise_limit()
    stop = StopRequest()
    stop.listen_to_signals(runner)
    if not isinstance(runner, MasterRunner):
        OpenLoopUser.generator = Generator(runner, typed(environment.events.request.fire))
        OpenLoopUser.generator.listen()
    if isinstance(runner, WorkerRunner):
        follow(environment, runner, OpenLoopUser.generator, stop)
        return
    try:
        Master(environment, runner, read_inputs(_options(environment)), stop).listen()
    except BadInput as error:
        sys.stderr.write("".join(f"{problem}\n" for problem in error.problems))
        sys.exit(USAGE)


def _options(environment: Environment) -> RunOptions:
    """Read the options, and let Locust start what the schedule needs.

    Raises:
        BadInput: with everything that is wrong.
    """
    given = environment.parsed_options
    if given is None:
        raise BadInput("Locust was started without a command line.")
    workers = given.expect_workers if isinstance(environment.runner, MasterRunner) else 1
    known = sorted(environment.available_user_classes or {})
    chosen = sorted(one.__name__ for one in environment.user_classes)
    options, problems = read_options(given, workers)
    problems += refusals(given, chosen, known)
    if options is not None:
        environment.user_classes = _classes_of(options, environment)
        problems += users_problem(given.num_users, workers, len(environment.user_classes))
    if environment.web_ui is not None:
        problems += page_problem(environment.web_ui.host, environment.web_ui.port)
    if problems or options is None:
        raise BadInput(*problems)
    given.num_users = given.spawn_rate = workers * len(environment.user_classes)
    environment.host = options.target
    return options


def _classes_of(options: RunOptions, environment: Environment) -> list[type[User]]:
    """The user classes whose operations the scenario sends."""
    sent = options.scenario.rates()
    return [
        one
        for one in environment.user_classes
        if issubclass(one, OpenLoopUser) and one.operation in sent
    ]
