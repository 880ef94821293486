"""A checkout of its own for the tests that run the user's commands."""

from pathlib import Path

import pytest
from make_command import Checkout, copied_to


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A copy of the code for one test."""
    return copied_to(tmp_path)


@pytest.fixture(scope="module")
def new_checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the code for the tests of a file."""
    return copied_to(tmp_path_factory.mktemp("checkout"))
