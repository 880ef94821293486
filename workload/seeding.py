"""Random generators that are named, so that any of them can be made anew anywhere."""

from hashlib import blake2b

import numpy as np


def named_generator(*names: str | int) -> np.random.Generator:
    """Make the one PCG64 generator that belongs to these names.

    The names are hashed, not added up: neighbouring seeds and seconds share nothing.
    """
    digest = blake2b(repr([str(name) for name in names]).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest)))
