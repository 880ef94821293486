"""Boards that Redis refuses to take, set aside so that the others go on."""

import logging
import time
from dataclasses import dataclass

from redis.exceptions import ResponseError

from target_service.redis.commands import refusal_words

logger = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.5
_PAUSE_AT_MOST_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Pause:
    seconds: float
    until: float
    error: ResponseError


class SetAside:
    """Each board is tried again after a pause that grows; the log has its first refusal alone."""

    def __init__(self) -> None:
        self._pauses: dict[str, _Pause] = {}

    def add(self, key: str, error: ResponseError) -> None:
        """Leave the board alone for a while."""
        before = self._pauses.get(key)
        if before and before.until > time.monotonic():
            return
        if before is None:
            told = refusal_words(error)
            logger.warning("The board %s is set aside: Redis refuses it (%s)", key, told)
        seconds = min(2 * before.seconds, _PAUSE_AT_MOST_SECONDS) if before else _PAUSE_SECONDS
        self._pauses[key] = _Pause(seconds, time.monotonic() + seconds, error)

    def takes_again(self, key: str) -> None:
        """Forget what was refused before."""
        if self._pauses.pop(key, None) is not None:
            logger.warning("The board %s is taken by Redis again", key)

    def refusal(self, key: str) -> ResponseError | None:
        """Why Redis does not take the board; None when it does."""
        pause = self._pauses.get(key)
        return None if pause is None else pause.error

    def keys(self) -> frozenset[str]:
        """The boards to be left alone now."""
        now = time.monotonic()
        return frozenset(key for key, pause in self._pauses.items() if pause.until > now)
