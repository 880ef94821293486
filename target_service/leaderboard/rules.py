"""What the service accepts: limits, and the field types that carry them into the schema."""

from typing import Annotated, Any

from msgspec import Meta

SCORE_LIMIT = 2**53 - 1
SEQUENCE_LIMIT = 2**53 - 1
ID_CHARACTERS = 64
BATCH_EVENTS = 5_000
# A batch of 5,000 events with ids of 64 characters, every one of them escaped, just fits.
BODY_BYTES = 8 * 1024 * 1024
K_RANGE = (1, 1000)
WINDOW_RANGE = (1, 50)

NAME_PATTERN = "[a-z0-9-]{1,32}"
NAME_RULE = "must be 1 to 32 of the characters a-z, 0-9 and -"
# Control characters are Unicode category Cc; a lone surrogate is no character at all.
ID_PATTERN = r"[^\x00-\x1f\x7f-\x9f/\ud800-\udfff]{1,64}"
ID_RULE = (
    f"must be a string of 1 to {ID_CHARACTERS} characters (after NFC normalisation), "
    "without control characters and '/'"
)

_ID_SCHEMA: dict[str, Any] = {
    "minLength": 1,
    "maxLength": ID_CHARACTERS,
    "pattern": r"^[^\u0000-\u001f\u007f-\u009f/]+$",
}
Id = Annotated[
    str,
    Meta(
        description="Normalised to Unicode NFC, then 1 to 64 characters, "
        "without control characters and '/'.",
        extra_json_schema=_ID_SCHEMA,
    ),
]
Name = Annotated[str, Meta(extra_json_schema={"pattern": f"^{NAME_PATTERN}$"})]
Score = Annotated[int, Meta(ge=-SCORE_LIMIT, le=SCORE_LIMIT)]
Sequence = Annotated[int, Meta(ge=1, le=SEQUENCE_LIMIT)]
Count = Annotated[int, Meta(ge=0)]
Place = Annotated[int, Meta(ge=1)]
Date = Annotated[str, Meta(extra_json_schema={"format": "date"})]
Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
