"""What decoding a body that somebody else wrote may raise: no JSON, the wrong kind, too deep."""

from typing import Final

import msgspec

UNREADABLE: Final = (msgspec.MsgspecError, RecursionError)
