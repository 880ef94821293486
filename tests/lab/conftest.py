"""A use of a checkout of its own, and a docker whose compose stack is up there."""

from pathlib import Path

import pytest
from pretend_docker import PretendDocker, install

from lab.stack.checkout_lock import Checkout, CheckoutLock
from lab.stack.stack import Session
from lab.stopping import StopRequest


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A checkout that nobody else uses."""
    root = tmp_path / "checkout"
    root.mkdir()
    lock = CheckoutLock(token="of a test", folder=1, pid=1, command="make test", since="now")  # noqa: S106  no secret
    return Session(Checkout(root), lock, StopRequest())


@pytest.fixture
def docker(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PretendDocker:
    """The only docker on PATH."""
    pretended = install(tmp_path / "bin", session.checkout.root)
    monkeypatch.setenv("PATH", str(pretended.folder))
    return pretended
