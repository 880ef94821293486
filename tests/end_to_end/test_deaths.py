"""A process that is killed takes nothing else down unseen, and leaves nothing behind."""

import json
import re
import signal

import psutil
import pytest
from make_command import Checkout


@pytest.mark.parametrize("phase", ["loading", "measured"])
def test_nothing_is_left_after_kill_9(checkout: Checkout, phase: str) -> None:
    """Kill -9 of make and of the lab ends Redis, the service and the generator too."""
    command = checkout.start_until(phase)
    make = psutil.Process(command.process.pid)
    for process in (make, *make.children()):
        process.kill()
    command.process.wait()

    assert checkout.left_after() == []
    if phase == "loading":
        return
    # nobody shall take what is left of the run for one whose audit had nothing to say
    audit = json.loads((checkout.run_directory() / "audit.json").read_text())
    assert not any(one["expected"] for one in audit["not_comparable"])


@pytest.mark.parametrize("phase", ["loading", "measured"])
def test_the_next_start_cleans_up_after_kill_9(checkout: Checkout, phase: str) -> None:
    """After kill -9 of make, of the lab and of its guard, the next command ends what they left."""
    command = checkout.start_until(phase)
    make = psutil.Process(command.process.pid)
    for process in (*checkout.processes_with("lab.guard"), make, *make.children()):
        process.kill()
    command.process.wait()
    assert checkout.processes()

    words = ("load-naive", "SCALE=0.0002", "DURATION=1s", "WARMUP=0s")
    code, output = checkout.make(*words)

    assert "processes left by `make load-naive" in output
    assert "Another" not in output
    assert code in {0, 2}
    assert checkout.left_after() == []


def test_a_lab_without_its_make_stops_by_itself(checkout: Checkout) -> None:
    """Kill -9 of make alone ends the run it started."""
    command = checkout.start_until("measured")

    command.process.kill()
    command.wait()

    assert checkout.left_after() == []


def test_a_lab_whose_make_dies_at_once_starts_nothing(checkout: Checkout) -> None:
    """Kill -9 of make while the lab is imported leaves no process and no run."""
    command = checkout.start("load-naive", "SCALE=0.0002", "DURATION=30s")
    command.wait_until(lambda: checkout.processes_with("-m lab"), "the lab")

    command.process.kill()
    command.wait()

    assert checkout.left_after() == []
    assert "The service is up" not in command.output


def test_a_second_run_is_refused(checkout: Checkout) -> None:
    """While a run holds the checkout, another one says whose it is and ends."""
    first = checkout.start_until("warm-up")

    code, output = checkout.make("load-partitioned")
    first.interrupt()
    first.wait()

    assert code == 2
    assert "is using this checkout" in output
    assert "make load-naive" in output


@pytest.mark.parametrize(
    ("word", "name"), [("target_service", "The service"), ("valkey-server", "The Redis")]
)
def test_a_part_that_dies_ends_the_run_as_invalid(checkout: Checkout, word: str, name: str) -> None:
    """When the service or Redis dies the run stops, says which part, and is invalid."""
    command = checkout.start_until("measured")
    (victim,) = checkout.processes_with(word)
    victim.send_signal(signal.SIGKILL)
    command.wait()

    verdict = checkout.run_json()["verdict"]
    assert verdict["status"] == "invalid"
    assert any(name in reason for reason in verdict["reasons"]), verdict
    assert checkout.left_after() == []


def test_a_killed_generator_was_killed_in_the_measured_phase(checkout: Checkout) -> None:
    """The lab says when, and the last checkpoint, from before, is not taken for the end."""
    command = checkout.start_until("measured")
    checkout.processes_with("-m locustfiles")[0].kill()
    command.wait()

    killed, cut_off, *_ = checkout.run_json()["verdict"]["reasons"]
    assert re.fullmatch(
        r"The generator was killed by signal 9, \d\.\d s into the measured phase\.", killed
    )
    assert re.fullmatch(
        r"the run was cut off and its last checkpoint holds \d of 30 measured seconds", cut_off
    )
    assert checkout.left_after() == []


def test_a_killed_worker_makes_the_run_invalid(checkout: Checkout) -> None:
    """Kill -9 of one of two generator workers ends the run with the reason."""
    command = checkout.start_until("measured", "WORKERS=2")
    checkout.processes_with("--worker")[0].kill()
    command.wait()

    verdict = checkout.run_json()["verdict"]
    assert verdict["status"] == "invalid"
    assert any("worker" in reason for reason in verdict["reasons"]), verdict
    assert checkout.left_after() == []


def test_a_worker_killed_before_the_run_begins_is_not_waited_for(checkout: Checkout) -> None:
    """The command names the worker and ends, long before the run could have taken too long."""
    command = checkout.start("load-naive", "WORKERS=2", "DURATION=1s", "PLAYERS=600")
    command.wait_for("The service is up")
    command.wait_until(lambda: checkout.processes_with("--worker"), "a worker")
    checkout.processes_with("--worker")[0].kill()
    code = command.wait()

    assert 2 == code
    assert "ended by itself (exit code -9, see " in command.output
    assert "Traceback" not in command.output
    assert checkout.left_after() == []
