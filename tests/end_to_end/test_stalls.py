"""A stall of the service cannot hide."""

import signal
import time

from make_command import Checkout


def test_a_frozen_service_shows_in_response_time_not_in_service_time(checkout: Checkout) -> None:
    """1.4 s of SIGSTOP in 5 s: more than a tenth of the submits wait, few are sent meanwhile."""
    command = checkout.start("load-naive", "DURATION=5s", "WARMUP=1s", "PLAYERS=600")
    command.wait_for("1 of 1 s")  # the warm-up is over
    service = next(one for one in checkout.processes() if "target_service" in one.cmdline())
    time.sleep(1)
    service.send_signal(signal.SIGSTOP)
    time.sleep(1.4)
    service.send_signal(signal.SIGCONT)
    command.wait()

    submit = checkout.table("operations.csv")[0]
    assert submit["operation"] == "submit"
    assert float(submit["p99_ms"]) > 1000
    assert float(submit["service_p50_ms"]) * 20 < float(submit["p99_ms"])
    answers = [
        int(row["completed"])
        for row in checkout.table("timeline.csv")
        if row["operation"] == "submit" and int(row["offered"])
    ]
    assert min(answers) < 120 < sum(answers) / len(answers)


def test_a_service_that_answers_nothing_fails_with_timeouts(checkout: Checkout) -> None:
    """A service frozen for good is a failed run whose failures are counted as timeouts."""
    words = ("load-naive", "DURATION=2s", "WARMUP=1s", "PLAYERS=600")
    command = checkout.start(*words, "SET=deadline_seconds=2 request_timeout_seconds=2")
    command.wait_for("warm-up")
    service = next(one for one in checkout.processes() if "target_service" in one.cmdline())
    service.send_signal(signal.SIGSTOP)
    command.wait()

    assert checkout.run_json()["verdict"]["status"] == "fail", command.output
    assert {"timeout"} == {row["kind"] for row in checkout.table("failures.csv")}
    assert checkout.left_after() == []
