"""The OpenAPI document, generated from the types that decode requests and encode answers."""

import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

from msgspec.json import schema_components

from target_service import __version__
from target_service.achievements.messages import SweepNumber
from target_service.leaderboard.rules import Date, Id, Name
from target_service.operation import Operation
from target_service.problems import (
    ForeignHost,
    ForeignOrigin,
    Problem,
    ProblemDocument,
    UnsupportedMedia,
    type_of,
)

Document = dict[str, Any]

PATH_TYPES = {
    "region": Name,
    "mode": Name,
    "season": Name,
    "player_id": Id,
    "event_id": Id,
    "member_id": Id,
    "organization_id": Id,
    "night": Date,
    "sweep": SweepNumber,
}
_REFERENCE = "#/components/schemas/{name}"


def openapi_document(operations: Sequence[Operation]) -> Document:
    """Return the document of these operations."""
    types = {kind for operation in operations for kind in (operation.answer, operation.body)}
    named = sorted((kind for kind in types if kind is not None), key=str)
    wanted = [*named, ProblemDocument, *PATH_TYPES.values()]
    schemas, components = schema_components(wanted, ref_template=_REFERENCE)
    made = dict(zip([*named, ProblemDocument, *PATH_TYPES], schemas, strict=True))
    paths: dict[str, Document] = {}
    for operation in operations:
        described = _describe(operation, made)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "Hotboard leaderboard", "version": __version__},
        "paths": paths,
        "components": {"schemas": components},
    }


def _describe(operation: Operation, schemas: dict[Any, Document]) -> Document:
    described: Document = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [*_path_parameters(operation, schemas), *_query_parameters(operation)],
        "responses": {**_successes(operation, schemas), **_refusals(operation, schemas)},
    }
    if operation.body is not None:
        content = {"application/json": {"schema": schemas[operation.body]}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _path_parameters(operation: Operation, schemas: dict[Any, Document]) -> Iterable[Document]:
    for name in re.findall(r"\{(\w+)\}", operation.path):
        yield {"name": name, "in": "path", "required": True, "schema": schemas[name]}


def _query_parameters(operation: Operation) -> Iterable[Document]:
    for name, parameter in operation.parameters.items():
        yield {"name": name, "in": "query", "schema": parameter.schema()}


def _successes(operation: Operation, schemas: dict[Any, Document]) -> Document:
    if operation.answer is None:
        content: Document = {"text/plain": {"schema": {"type": "string"}}}
    else:
        content = {"application/json": {"schema": schemas[operation.answer]}}
    successes = {"200": {"description": HTTPStatus.OK.phrase, "content": content}}
    if operation.accepted is not None:
        successes["202"] = {"description": operation.accepted, "content": content}
    return successes


def _of_all(operation: Operation) -> Iterable[type[Problem]]:
    """What may be refused of any request, whatever the operation."""
    media = () if operation.body is None else (UnsupportedMedia,)
    return (ForeignOrigin, ForeignHost, *media)


def _refusals(operation: Operation, schemas: dict[Any, Document]) -> Document:
    """Return the refusals by status; several kinds may share one."""
    by_status: dict[str, list[str]] = {}
    for problem in (*operation.problems, *_of_all(operation)):
        by_status.setdefault(str(problem.status), []).append(type_of(problem))
    content = {"application/problem+json": {"schema": schemas[ProblemDocument]}}
    return {
        status: {"description": " or ".join(types), "content": content}
        for status, types in by_status.items()
    }
