"""Boards that Redis refuses, in quarantine so that the others go on."""

import logging
import time
from dataclasses import dataclass

from redis.exceptions import ResponseError

from target_service.redis.commands import refusal_words

logger = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.5
_MAX_PAUSE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Pause:
    seconds: float
    until: float
    error: ResponseError


class Quarantine:
    """Each board is tried again after a growing pause; only its first refusal is logged."""

    def __init__(self) -> None:
        self._pauses: dict[str, _Pause] = {}

    def add(self, key: str, error: ResponseError) -> None:
        """Leave the board alone for a while."""
        before = self._pauses.get(key)
        if before and before.until > time.monotonic():
            return
        if before is None:
            refusal = refusal_words(error)
            logger.warning("The board %s is in quarantine: Redis refuses it (%s)", key, refusal)
        seconds = min(2 * before.seconds, _MAX_PAUSE_SECONDS) if before else _PAUSE_SECONDS
        self._pauses[key] = _Pause(seconds, time.monotonic() + seconds, error)

    def release(self, key: str) -> None:
        """End the quarantine of a board that Redis takes again."""
        if self._pauses.pop(key, None) is not None:
            logger.warning("Redis takes the board %s again", key)

    def refusal(self, key: str) -> ResponseError | None:
        """Redis' refusal of the board; None when it is not in quarantine."""
        pause = self._pauses.get(key)
        return None if pause is None else pause.error

    def keys(self) -> frozenset[str]:
        """The boards to leave alone now."""
        now = time.monotonic()
        return frozenset(key for key, pause in self._pauses.items() if pause.until > now)
