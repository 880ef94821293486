"""What every process the lab starts has in common."""

from dataclasses import dataclass

from lab.checkout import Checkout
from lab.claim import Claim
from lab.stopping import StopRequest


@dataclass(frozen=True)
class Session:
    """One use of the checkout: its folders, the claim on it, and the wish to stop."""

    checkout: Checkout
    claim: Claim
    stop: StopRequest
