"""The route class of the service: declared and documented by FastAPI, answered in few steps.

FastAPI's own handling of a request (exit stacks, dependencies, an answer validated and encoded)
costs some 50 µs; a route of this class costs about 10. It reads path, query and body with the
types that the endpoint declares, calls the endpoint, and sends what it returns.
"""

import inspect
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, get_type_hints
from urllib.parse import parse_qsl, unquote_to_bytes

from fastapi.routing import APIRoute
from pydantic import ConfigDict, TypeAdapter, ValidationError, create_model
from starlette.types import Receive, Scope, Send

from target_service.http.answers import JSON, Answer, answer, encoded
from target_service.http.fields import BODY_BYTES, BadFields, JsonReader, field_problems
from target_service.http.problems import (
    BodyTooLarge,
    FieldProblem,
    InvalidRequest,
    Problem,
    UnsupportedMedia,
)

MOST_PARAMETERS = 100

Values = dict[str, Any]


class ClientGone(Exception):
    """The client left before its request was whole; nobody waits for an answer."""


class FastRoute(APIRoute):
    """Reads what the endpoint declares, tells all problems at once, and sends what it returns.

    A parameter without a default, or with FastAPI's `...` for one, is required. An endpoint
    returns an `Answer` that is ready to be sent, or a value to be encoded. The path
    is matched as it was sent, still percent-encoded. HEAD is answered as GET is, without a body.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401  (FastAPI's own)
        super().__init__(path, endpoint, **options)
        # An empty segment is an id that breaks its rule, not another route.
        self.path_regex = re.compile(self.path_regex.pattern.replace("[^/]+", "[^/]*"))
        self._call: Callable[..., Awaitable[object]] = endpoint
        bodies = {field.name for field in self.dependant.body_params}
        self._parameters = Parameters(endpoint, tuple(self.param_convertors), bodies)
        self._body_name = bodies.pop() if bodies else ""
        kind = get_type_hints(endpoint, include_extras=True).get(self._body_name)
        self._body = JsonReader(kind) if self._body_name else None
        # Set where what the route needs is not there: the answer to every request.
        self.refusal: Problem | None = None

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or raise a Problem."""
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        if method not in (self.methods or ()):
            await super().handle(scope, receive, send)
            return
        if self.refusal is not None:
            raise self.refusal
        values, problems = self._parameters.read(scope["path_params"], scope["query_string"])
        if self._body is not None:
            body = await read_body(scope, receive)
            try:
                values[self._body_name] = self._body.read(body)
            except BadFields as error:
                problems += error.problems
        if problems:
            raise InvalidRequest(problems)
        result = await self._call(**values)
        message = result if isinstance(result, Answer) else answer(encoded(result))
        await send(message.start)
        await send(message.body)


class Parameters:
    """The path and the query of an endpoint, validated together."""

    def __init__(
        self, endpoint: Callable[..., Any], in_path: Sequence[str], without: set[str]
    ) -> None:
        hints = get_type_hints(endpoint, include_extras=True)
        given = inspect.signature(endpoint).parameters
        self._in_path = in_path
        self._in_query = [name for name in given if name not in without and name not in in_path]
        required = inspect.Parameter.empty
        fields: dict[str, Any] = {name: (hints[name], ...) for name in in_path}
        for name in self._in_query:
            default = given[name].default
            fields[name] = (hints[name], ... if default is required else default)
        model = create_model("Parameters", __config__=ConfigDict(extra="forbid"), **fields)
        self._validate = TypeAdapter(model).validator.validate_python
        defaults = {name: given[name].default for name in self._in_query}
        self._has_required = any(default in (required, ...) for default in defaults.values())
        self._defaults = defaults

    def read(self, path: Mapping[str, str], query: bytes) -> tuple[Values, list[FieldProblem]]:
        """Return the values, or every problem: of the path, of unknown names, of the query."""
        if not (path or query or self._has_required):
            return self._defaults.copy(), []
        values: Values = {name: _decoded(text) for name, text in path.items()}
        others: list[FieldProblem] = []
        if query:
            others = self._read_query(query, values)
        try:
            read: Values = self._validate(values).__dict__
        except ValidationError as error:
            problems = field_problems(error, "this request")
            of_path = [problem for problem in problems if problem.field in self._in_path]
            of_query = [problem for problem in problems if problem.field not in self._in_path]
            return {}, of_path + others + of_query
        return read, others

    def _read_query(self, query: bytes, values: Values) -> list[FieldProblem]:
        """Add the parameters given, and return what is wrong with their names."""
        name, equals, text = query.decode("latin-1").partition("=")
        if equals and name in self._in_query and text.isalnum() and text.isascii():
            values[name] = text
            return []
        try:
            pairs = parse_qsl(
                query.decode("ascii"),
                keep_blank_values=True,
                errors="strict",
                max_num_fields=MOST_PARAMETERS,
            )
        except ValueError:
            sentence = f"must be percent-encoded UTF-8 with at most {MOST_PARAMETERS} parameters"
            return [FieldProblem("query", sentence)]
        problems = []
        for name, times in Counter(name for name, _ in pairs).items():
            if name not in self._in_query:
                known = f"only {', '.join(self._in_query)}" if self._in_query else "none"
                problems.append(FieldProblem(name, f"is no parameter here; there is {known}"))
            elif times > 1:
                problems.append(FieldProblem(name, f"is given {times} times; give it once"))
        values.update((name, text) for name, text in pairs if name in self._in_query)
        return problems


async def read_body(scope: Scope, receive: Receive) -> bytes:
    """Return the whole body.

    Raises:
        UnsupportedMedia: it is not said to be JSON.
        BodyTooLarge: it is longer than any valid one.
        ClientGone: it will never be whole.

    """
    media = b""
    for name, value in scope["headers"]:
        if name == b"content-type":
            media = value
        elif name == b"content-length" and int(value) > BODY_BYTES:
            raise BodyTooLarge(BODY_BYTES)
    if media != JSON and media.partition(b";")[0].strip().lower() != JSON:
        raise UnsupportedMedia
    message = await receive()
    body: bytes = message.get("body", b"")
    chunks = [body]
    length = len(body)
    while message.get("more_body") and length <= BODY_BYTES:
        message = await receive()
        chunks.append(message.get("body", b""))
        length += len(chunks[-1])
    if message["type"] == "http.disconnect":
        raise ClientGone
    if length > BODY_BYTES:
        raise BodyTooLarge(BODY_BYTES)
    return body if len(chunks) == 1 else b"".join(chunks)


def _decoded(segment: str) -> str | None:
    """Undo the percent-encoding of a segment; None when it holds no UTF-8."""
    if "%" not in segment and segment.isascii():
        return segment
    try:
        return unquote_to_bytes(segment.encode("latin-1")).decode("utf-8")
    except UnicodeDecodeError:
        return None
