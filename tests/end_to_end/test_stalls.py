"""A stall of the service cannot hide."""

import signal
import time

from make_command import Checkout


def test_a_frozen_service_shows_in_response_time_not_in_service_time(checkout: Checkout) -> None:
    """2.2 s of SIGSTOP in 8 s: more than a tenth of the submits wait, few are sent meanwhile.

    At a fifth of the usual load, so that a busy machine answers the others at once.
    """
    words = ("SCALE=0.0002", "DURATION=8s", "WARMUP=1s")
    command = checkout.start("load-naive", *words)
    command.wait_for("1 of 1 s")  # the warm-up is over
    (service,) = checkout.processes_with("target_service")
    time.sleep(1)
    service.send_signal(signal.SIGSTOP)
    time.sleep(2.2)
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
    # a whole second lay in the stall, whenever it began
    assert min(answers) < 24 < sum(answers) / len(answers)


def test_a_service_that_answers_nothing_fails_with_timeouts(checkout: Checkout) -> None:
    """A service frozen for good is a failed run whose failures are counted as timeouts.

    Unless the generator itself stood still meanwhile, which makes the same failures invalid.
    """
    words = ("load-naive", "DURATION=2s", "WARMUP=1s", "PLAYERS=600")
    command = checkout.start(*words, "SET=deadline_seconds=2 request_timeout_seconds=2")
    command.wait_for("warm-up")
    (service,) = checkout.processes_with("target_service")
    service.send_signal(signal.SIGSTOP)
    command.wait()

    verdict = checkout.run_json()["verdict"]
    was_late = any("the load generator, not the service" in reason for reason in verdict["reasons"])
    assert verdict["status"] == ("invalid" if was_late else "fail"), command.output
    assert {"timeout"} == {row["kind"] for row in checkout.table("failures.csv")}
    assert checkout.left_after() == []
