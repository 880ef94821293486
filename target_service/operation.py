"""An operation as clients know it; routes and the OpenAPI document are made from it."""

from dataclasses import dataclass, field
from types import UnionType

from target_service.problems import Problem
from target_service.query import Parameters

BOARD_PATH = "/v1/boards/{region}/{mode}/{season}"
PLAYER_PATH = BOARD_PATH + "/players/{player_id}"


@dataclass(frozen=True, slots=True)
class Operation:
    """Name, method and path, what goes in, what comes out, and what may be refused.

    `accepted` describes the 202 that has the same form as the 200, if there is one.
    """

    name: str
    method: str
    path: str
    summary: str
    answer: type | None
    problems: tuple[type[Problem], ...] = ()
    parameters: Parameters = field(default_factory=dict)
    body: type | UnionType | None = None
    accepted: str | None = None
