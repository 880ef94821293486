"""However a run is stopped, nothing is left running and the evidence says so."""

import pytest
from make_command import PHASES, Checkout


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM"])
def test_a_stopped_run_leaves_no_process(checkout: Checkout, phase: str, how: str) -> None:
    """Ctrl-C and SIGTERM end the run in every phase, with everything it started."""
    command = checkout.start_until(phase)

    if how == "Ctrl-C":
        command.interrupt()
    else:
        command.process.terminate()
    code = command.wait()

    assert code != 0
    assert "Traceback" not in command.output
    assert checkout.left_after() == []
    if phase == "measured":
        verdict = checkout.run_json()["verdict"]
        assert verdict["status"] == "invalid"
        assert any("SIG" in reason for reason in verdict["reasons"]), verdict
        if how == "Ctrl-C":
            told = "The run was stopped by SIGINT; its generator was then sent SIGTERM."
            assert told == verdict["reasons"][0]
