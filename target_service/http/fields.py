"""The fields of requests: each rule is declared once, for validation, refusal and documentation.

A field is a type annotated with its limits and a `Rule`, the sentence a client is told when a
value breaks any of them. FastAPI documents the type, pydantic validates with it.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import UnionType
from typing import Annotated, Any, Final, Self, TypeAlias, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PlainSerializer,
    StrictInt,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from target_service.http.problems import FieldProblem
from target_service.timestamps import MOMENT_PATTERN, MOMENT_RULE, read_moment, rfc3339

SCORE_LIMIT: Final = 2**53 - 1
SEQUENCE_LIMIT: Final = 2**53 - 1
ID_CHARACTERS: Final = 64
BATCH_EVENTS: Final = 5_000
K_RANGE: Final = (1, 1000)
WINDOW_RANGE: Final = (1, 50)
MOST_PROBLEMS: Final = 100
# A batch of 5,000 events with ids of 64 characters, every one of them escaped, just fits.
BODY_BYTES: Final = 8 * 1024 * 1024

NAME_PATTERN: Final = "[a-z0-9-]{1,32}"
NAME_RULE: Final = "must be 1 to 32 of the characters a-z, 0-9 and -"
ID_RULE: Final = (
    f"must be a string of 1 to {ID_CHARACTERS} characters (after NFC normalisation), "
    "without control characters and '/'"
)
# Control characters are Unicode category Cc; a lone surrogate is no character at all.
_is_id = re.compile(r"[^\x00-\x1f\x7f-\x9f/\ud800-\udfff]{1,64}").fullmatch
_is_plain_integer = re.compile(r"-?[0-9]{1,15}", re.ASCII).fullmatch
# Python refuses to turn longer digit strings into integers, and none of them is a valid value.
_MOST_DIGITS = 20

Path: TypeAlias = tuple[str | int, ...]
Sentences: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rule:
    """The sentence told when a value breaks its field's limits, whichever of them."""

    sentence: str

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Let every error of the annotated type be this one."""
        return core_schema.custom_error_schema(
            handler(source), custom_error_type="rule", custom_error_message=self.sentence
        )


def normalised_id(text: str) -> str:
    """Return the id in Unicode NFC, in which all ids are compared and stored."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    if _is_id(composed) is None:
        raise ValueError(ID_RULE)
    return composed


def whole_number(low: int, high: int) -> Rule:
    """Return the rule of an integer in a range that includes both ends."""
    return Rule(f"must be an integer from {low} to {high}")


def _from_digits(value: object) -> object:
    """Turn plain digits into the integer they write, and leave everything else to be refused."""
    return int(value) if isinstance(value, str) and _is_plain_integer(value) else None


_ID_SCHEMA: Final[dict[str, Any]] = {
    "type": "string",
    "description": "Normalised to Unicode NFC, then 1 to 64 characters, "
    "without control characters and '/'.",
    "minLength": 1,
    "maxLength": ID_CHARACTERS,
    "pattern": r"^[^\u0000-\u001f\u007f-\u009f/]+$",
}
# Nearly all ids are ASCII, which one look at the pattern tells; Python is asked about the others.
_AsciiId = Annotated[str, Field(pattern=r"^[ -.0-~]{1,64}$")]
_AnyId = Annotated[str, AfterValidator(normalised_id)]
Id = Annotated[
    Annotated[_AsciiId | _AnyId, Field(union_mode="left_to_right")],
    Rule(ID_RULE),
    WithJsonSchema(_ID_SCHEMA),
]
Name = Annotated[str, Field(pattern=f"^{NAME_PATTERN}$"), Rule(NAME_RULE)]
Score = Annotated[
    StrictInt, Field(ge=-SCORE_LIMIT, le=SCORE_LIMIT), whole_number(-SCORE_LIMIT, SCORE_LIMIT)
]
Sequence = Annotated[StrictInt, Field(ge=1, le=SEQUENCE_LIMIT), whole_number(1, SEQUENCE_LIMIT)]


def query_integer(low: int, high: int) -> tuple[Any, ...]:
    """Return what makes a query parameter an integer in plain digits, from `low` to `high`."""
    return (Field(ge=low, le=high), BeforeValidator(_from_digits), whole_number(low, high))


K = Annotated[int, *query_integer(*K_RANGE)]
Window = Annotated[int, *query_integer(*WINDOW_RANGE)]


def choice(*words: str) -> tuple[Any, ...]:
    """Return what makes a parameter one of a few words."""
    sentence = f"must be {' or '.join(words)}; nothing else is offered"
    return (Field(pattern=f"^({'|'.join(words)})$"), Rule(sentence))


class Body(BaseModel):
    """A JSON object that holds the declared fields and no others."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _moment_ms(value: object) -> int:
    """Read a moment: RFC 3339 text, or the moment that TOML has a form of its own for."""
    if isinstance(value, datetime):
        if value.tzinfo is None or value.microsecond % 1_000:
            raise ValueError(MOMENT_RULE)
        value = value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    return read_moment(value if isinstance(value, str) else "")


# A moment in milliseconds since 1970; RFC 3339 in UTC outside.
Moment = Annotated[
    int,
    BeforeValidator(_moment_ms),
    PlainSerializer(rfc3339),
    Rule(MOMENT_RULE),
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": f"^{MOMENT_PATTERN}$"}),
]


class UnevenColumns(PydanticCustomError):
    """Columns of one batch have different lengths; every one of them is told."""

    def __new__(cls, lengths: Mapping[str, int]) -> Self:
        """Make the error of these columns."""
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        sentence = f"must be as long as the other columns: {told}"
        return super().__new__(
            cls, "fields", "{columns}", {"columns": dict.fromkeys(lengths, sentence)}
        )


def field_problems(error: ValidationError, kind: str) -> list[FieldProblem]:
    """Say what is wrong with each field, in sentences, up to a hundred."""
    details = error.errors(include_url=False, include_input=False)
    return bounded(problem for detail in details for problem in _problems(detail, kind))


def bounded(problems: Iterable[FieldProblem]) -> list[FieldProblem]:
    """Return the problems, up to a hundred."""
    found: list[FieldProblem] = []
    for problem in problems:
        if len(found) == MOST_PROBLEMS:
            found.append(FieldProblem("body", "has more problems than are listed here"))
            break
        found.append(problem)
    return found


def _problems(detail: ErrorDetails, kind: str) -> Iterator[FieldProblem]:
    # The name of an entry stands in the path by itself already.
    where = field_name(tuple(part for part in detail["loc"] if part != "[key]"))
    match detail["type"]:
        case "missing":
            yield FieldProblem(where, "is missing")
        case "extra_forbidden":
            yield FieldProblem(where, f"is not a field of {kind}")
        case "model_type" | "model_attributes_type" | "dict_type":
            yield FieldProblem(where, "must be a JSON object")
        case "list_type":
            yield FieldProblem(where, "must be a list")
        case "too_short":
            yield FieldProblem(where, f"must hold at least {detail['ctx']['min_length']}")
        case "too_long":
            yield FieldProblem(where, f"must hold at most {detail['ctx']['max_length']:,}")
        case "fields":
            for name, sentence in detail["ctx"]["columns"].items():
                yield FieldProblem(name, sentence)
        case "string_unicode" if not detail["loc"]:
            yield FieldProblem("?", f"is not a field of {kind}")
        case _:
            yield FieldProblem(where, detail["msg"])


def field_name(path: Path) -> str:
    """Write where a value stands: `score`, `score[1]`, `[3].event_id`; the whole is the body."""
    name = ""
    for part in path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name or "body"


class BadFields(Exception):
    """A value that breaks the rules of its fields; holds every problem."""

    def __init__(self, problems: list[FieldProblem]) -> None:
        super().__init__("; ".join(f"{one.field} {one.detail}" for one in problems))
        self.problems = problems


class JsonReader:
    """Reads JSON as a declared type: a model, a list of models, or either of both.

    Where a strict parser stops a lenient one reads on, so that every bad field is named.
    """

    def __init__(self, kind: Any, name: str = "this request") -> None:  # noqa: ANN401  (any type)
        self._name = name
        kinds = get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)
        by_form = {_is_list(one): TypeAdapter(one).validator for one in kinds}
        only = next(iter(by_form.values()))
        self._of_lists = by_form.get(True, only)
        self._of_others = by_form.get(False, only)

    def read(self, body: bytes) -> Any:  # noqa: ANN401  (what the type says)
        """Return the value; raises BadFields."""
        validator = self._of_lists if body.lstrip()[:1] == b"[" else self._of_others
        try:
            return validator.validate_json(body)
        except ValidationError as error:
            problem = error
        if problem.errors(include_url=False, include_input=False)[0]["type"] == "json_invalid":
            try:
                return validator.validate_python(read_leniently(body))
            except ValidationError as error:
                problem = error
            except ValueError as error:
                raise BadFields([FieldProblem("body", str(error))]) from None
        raise BadFields(field_problems(problem, self._name)) from None


def _is_list(kind: Any) -> bool:  # noqa: ANN401  (any type)
    return get_origin(get_args(kind)[0] if get_origin(kind) is Annotated else kind) is list


@dataclass(frozen=True, slots=True)
class NotAnInteger:
    """A number that is no JSON integer of a sensible length, and no text either."""

    text: str


def read_leniently(body: bytes) -> object:
    """Return the value of JSON that a strict parser refused, so that its fields can be named.

    NaN, Infinity and numbers that are no integers of a sensible length become NotAnInteger.

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
