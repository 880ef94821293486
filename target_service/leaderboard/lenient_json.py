"""A second look at a refused body that reads on where a strict decoder stops."""

import json
from dataclasses import dataclass

# Python refuses to turn longer digit strings into integers, and none of them is a valid value.
_MOST_DIGITS = 20


@dataclass(frozen=True, slots=True)
class NotAnInteger:
    """A number that is no JSON integer of a sensible length, and no text either."""

    text: str


def read_leniently(body: bytes) -> object:
    """Return the body's value; NaN, Infinity and other numbers become NotAnInteger.

    Raises:
        ValueError: with a sentence about why this is no JSON.

    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError("must be JSON in UTF-8") from error
    try:
        return json.loads(
            text, parse_constant=NotAnInteger, parse_float=NotAnInteger, parse_int=_integer
        )
    except ValueError as error:
        raise ValueError(f"must be JSON: {error}") from error
    except RecursionError as error:
        raise ValueError("must be JSON that is not nested this deeply") from error


def _integer(digits: str) -> object:
    return int(digits) if len(digits) <= _MOST_DIGITS else NotAnInteger(digits)
