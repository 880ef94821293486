"""Everything the service refuses, as RFC 9457 problem documents with stable types.

Problem
├── InvalidRequest      422  names every bad field at once
├── UnknownBoard        404
├── UnknownPlayer       404
├── UnknownEvent        404  no community event has that id
├── UnknownMember       404
├── UnknownOrganization 404
├── UnknownSweep        404
├── UnknownRoute        404
├── MethodNotAllowed    405
├── EventConflict       409  the event id was used for another event
├── OtherPartition      409  the player is at home on another partition of the season
├── EventOpened         409  a community event that has opened keeps its window and tiers
├── EventOver           409  nobody joins a community event after its window
├── TooManyEvents       409  too many community events have not ended
├── ImpossibleCounters  409  the counters of a member cannot be what the write would make them
├── SweepUnderWay       409  another sweep of the achievements is at work
├── ForeignOrigin       403  a page of another site had a browser send this
├── ForeignHost         421  the request is for a host that is not this service
├── UnsupportedMedia    415  the body is something else than JSON
├── BodyTooLarge        413
├── HeadTooLarge        431
├── TooSlow             408  the request was not whole in time
├── ComeBackLater            says when, in Retry-After
│   ├── RankLimited         429  too many exact ranks
│   ├── ServiceUnavailable  503  Redis is gone or too busy
│   ├── LedgerUnavailable   503  the ledger is full, busy or closed
│   ├── BoardUnavailable    503  the board is lost or behind, and comes back from the ledger
│   └── TopUnavailable      503  nobody has put the global top together yet
├── LedgerRequired      503  the service runs without the ledger that this part needs
└── InternalError       500  a defect of the service, never of the input
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from redis.exceptions import ResponseError

from target_service.http.answers import Answer, Document, Headers, answer, encode, schema_of
from target_service.redis.commands import RedisUnavailable, refusal_code, refusal_words

PROBLEM_JSON = b"application/problem+json"
NAME_CHARACTERS = 64
_CLOSE: Headers = ((b"connection", b"close"),)


class FieldProblem(Document, frozen=True):
    """One bad input: its name, and a sentence that says what it must be."""

    field: str
    detail: str


class ProblemDocument(Document, frozen=True, omit_defaults=True):
    """An RFC 9457 problem document: every bad field, and the code of what Redis refused."""

    type: str
    title: str
    status: int
    detail: str
    errors: tuple[FieldProblem, ...] = ()
    redis_error: str = ""


class Problem(Exception):
    """A refusal that becomes a problem document."""

    status: ClassVar[int]
    slug: ClassVar[str]
    title: ClassVar[str]

    def __init__(
        self,
        detail: str,
        errors: Sequence[FieldProblem] = (),
        headers: Headers = (),
        refused: ResponseError | None = None,
    ) -> None:
        super().__init__(detail)
        self.document = ProblemDocument(
            type=type_of(type(self)),
            title=self.title,
            status=self.status,
            detail=detail,
            errors=tuple(errors),
            redis_error="" if refused is None else refusal_code(refused),
        )
        self.headers = headers

    def answer(self) -> Answer:
        """Return the answer that carries the document."""
        body = encode(self.document)
        return answer(body, self.status, PROBLEM_JSON, self.headers)


class InvalidRequest(Problem):
    """The request breaks the rules of its fields."""

    status, slug, title = 422, "invalid-request", "Invalid request"

    def __init__(self, errors: Sequence[FieldProblem]) -> None:
        shown = [FieldProblem(_printable(error.field), error.detail) for error in errors]
        names = ", ".join(dict.fromkeys(error.field for error in shown))
        super().__init__(f"Correct these fields and try again: {names}.", shown)


class UnknownBoard(Problem):
    """No board of that region, mode and season is configured."""

    status, slug, title = 404, "unknown-board", "Unknown board"


class UnknownPlayer(Problem):
    """The player has no score on that board."""

    status, slug, title = 404, "unknown-player", "Unknown player"


class UnknownEvent(Problem):
    """No community event has that id."""

    status, slug, title = 404, "unknown-event", "Unknown event"


class UnknownMember(Problem):
    """Nobody ever said anything of that member."""

    status, slug, title = 404, "unknown-member", "Unknown member"


class UnknownOrganization(Problem):
    """No member ever belonged to that organisation."""

    status, slug, title = 404, "unknown-organization", "Unknown organization"


class UnknownSweep(Problem):
    """No sweep of that number is on record."""

    status, slug, title = 404, "unknown-sweep", "Unknown sweep"


class UnknownRoute(Problem):
    """The service has no such route."""

    status, slug, title = 404, "unknown-route", "Unknown route"


class MethodNotAllowed(Problem):
    """The route exists, but not with that method."""

    status, slug, title = 405, "method-not-allowed", "Method not allowed"

    def __init__(self, *allowed: str) -> None:
        header = ((b"allow", ", ".join(allowed).encode()),)
        super().__init__(f"This route takes {' or '.join(allowed)}.", headers=header)


class EventConflict(Problem):
    """The event id belongs to another event."""

    status, slug, title = 409, "event-conflict", "Event id already used"


class OtherPartition(Problem):
    """The player has scores on another partition of the season, and may have none here."""

    status, slug, title = 409, "other-partition", "Player of another partition"


class EventOpened(Problem):
    """A community event that has opened, or its aggregate, cannot be changed so."""

    status, slug, title = 409, "event-opened", "Event cannot be changed"


class EventOver(Problem):
    """The window of the community event has closed, and nobody can join any more."""

    status, slug, title = 409, "event-over", "Event is over"


class TooManyEvents(Problem):
    """As many community events as may be have not ended."""

    status, slug, title = 409, "too-many-events", "Too many events"


class ImpossibleCounters(Problem):
    """The write would leave counters that cannot be, so nothing of it is stored."""

    status, slug, title = 409, "impossible-counters", "Impossible counters"


class SweepUnderWay(Problem):
    """Another sweep is at work."""

    status, slug, title = 409, "sweep-under-way", "Sweep under way"


class ForeignOrigin(Problem):
    """A browser sends this for a page of another site."""

    status, slug, title = 403, "foreign-origin", "Foreign origin"


class ForeignHost(Problem):
    """The request is for a name that is not known to be this service's."""

    status, slug, title = 421, "foreign-host", "Foreign host"


class UnsupportedMedia(Problem):
    """The body is not said to be JSON."""

    status, slug, title = 415, "unsupported-media", "Unsupported media type"

    def __init__(self) -> None:
        super().__init__("Send JSON, and say so: Content-Type: application/json.")


class BodyTooLarge(Problem):
    """The body is larger than any valid one."""

    status, slug, title = 413, "body-too-large", "Body too large"

    def __init__(self, limit_bytes: int) -> None:
        # The rest of the body will not be read, so the connection cannot serve another request.
        super().__init__(f"A body has at most {limit_bytes:,} bytes.", headers=_CLOSE)


class HeadTooLarge(Problem):
    """The request line and the headers are larger than any that anybody needs."""

    status, slug, title = 431, "head-too-large", "Request head too large"

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(
            f"Request line and headers have at most {limit_bytes:,} bytes.", headers=_CLOSE
        )


class TooSlow(Problem):
    """The request did not come to its end."""

    status, slug, title = 408, "too-slow", "Request too slow"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"A request is whole within {seconds:g} seconds.", headers=_CLOSE)


class ComeBackLater(Problem):
    """A refusal of what may go well later; says when to try again."""

    def __init__(
        self, detail: str, retry_after_seconds: int = 1, refused: ResponseError | None = None
    ) -> None:
        after = str(retry_after_seconds).encode()
        super().__init__(detail, headers=((b"retry-after", after),), refused=refused)


class RankLimited(ComeBackLater):
    """More exact ranks are asked for than the service computes."""

    status, slug, title = 429, "rank-limited", "Too many exact ranks"


class ServiceUnavailable(ComeBackLater):
    """Redis cannot serve the request now; nothing tells whether a write was applied."""

    status, slug, title = 503, "redis-unavailable", "Redis unavailable"

    @classmethod
    def of(cls, error: RedisUnavailable | ResponseError) -> "ServiceUnavailable":
        """Return the refusal of what Redis did not answer, or refused itself."""
        if isinstance(error, ResponseError):
            return cls(f"Redis refused: {refusal_words(error)}", refused=error)
        return cls(str(error))


class LedgerUnavailable(ComeBackLater):
    """The ledger cannot take the write now; nothing tells whether it was stored."""

    status, slug, title = 503, "ledger-unavailable", "Ledger unavailable"


class BoardUnavailable(ComeBackLater):
    """Redis has lost the board or a part of it; it comes back from the ledger."""

    status, slug, title = 503, "board-unavailable", "Board unavailable"

    def __init__(self, board: str, refused: ResponseError | None = None) -> None:
        told = f"The board {board} in Redis is lost or behind; it is brought back from the ledger."
        if refused is not None:
            told += f" Redis refuses to take it: {refusal_words(refused)}"
        super().__init__(told, refused=refused)


class TopUnavailable(ComeBackLater):
    """There is no materialised top yet."""

    status, slug, title = 503, "top-unavailable", "Top unavailable"

    def __init__(self, season: str) -> None:
        super().__init__(f"The top of season {season} has not been put together yet.")


class LedgerRequired(Problem):
    """The part of the service keeps its truth in the ledger, and there is none."""

    status, slug, title = 503, "ledger-required", "Ledger required"


class InternalError(Problem):
    """The service itself failed."""

    status, slug, title = 500, "internal-error", "Internal error"


def _printable(name: str) -> str:
    """Return a name the client chose, short enough to repeat and encodable whatever it holds."""
    return name[:NAME_CHARACTERS].encode(errors="replace").decode()


def type_of(problem: type[Problem]) -> str:
    """Return the stable type that documents of this kind carry."""
    return f"urn:hotboard:problem:{problem.slug}"


# What may be refused of any request with a body.
OF_A_BODY: tuple[type[Problem], ...] = (BodyTooLarge, UnsupportedMedia)


def refusals(*problems: type[Problem]) -> dict[int | str, dict[str, Any]]:
    """Describe for FastAPI what a route may refuse; several problems may share a status."""
    by_status: dict[int | str, list[str]] = {}
    every: tuple[type[Problem], ...] = (*problems, ForeignOrigin, ForeignHost)
    for problem in every:
        by_status.setdefault(problem.status, []).append(type_of(problem))
    content = {PROBLEM_JSON.decode(): {"schema": schema_of(ProblemDocument)}}
    return {
        status: {"description": " or ".join(types), "content": content}
        for status, types in by_status.items()
    }
