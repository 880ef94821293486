"""GET /v1/organizations/{organization_id}/leaderboard: the members of an organisation by points."""

from typing import ClassVar

from target_service.achievements.board_copies import BoardCopies
from target_service.achievements.messages import Colleague, ColleaguesAnswer
from target_service.achievements.request import read_named
from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.messages import encode
from target_service.leaderboard.rules import K_RANGE
from target_service.operation import Operation
from target_service.problems import (
    BoardUnavailable,
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
    ServiceUnavailable,
    UnknownOrganization,
)
from target_service.query import IntegerParameter, Parameters

DEFAULT_K = 10
PARAMETERS: Parameters = {"k": IntegerParameter(*K_RANGE, default=DEFAULT_K)}


class ReadColleagues:
    """Reads the first entries of an organisation's board."""

    operation: ClassVar = Operation(
        name="colleagues",
        method="GET",
        path="/v1/organizations/{organization_id}/leaderboard",
        summary="The first K members of an organization by points",
        parameters=PARAMETERS,
        answer=ColleaguesAnswer,
        problems=(
            UnknownOrganization,
            InvalidRequest,
            ServiceUnavailable,
            BoardUnavailable,
            LedgerUnavailable,
            LedgerRequired,
        ),
    )

    def __init__(self, copies: BoardCopies) -> None:
        self._copies = copies

    async def __call__(self, call: Call) -> Answer:
        """Answer with the entries: points descending, then member id descending."""
        organization, values = read_named(call, "organization_id", PARAMETERS)
        found = await self._copies.top(organization, int(values.get("k", DEFAULT_K)))
        if found is None:
            raise UnknownOrganization(f"No member ever belonged to organization {organization}.")
        entries, as_of = found
        placed = [
            Colleague(member, points, position)
            for position, (member, points) in enumerate(entries, 1)
        ]
        return answer(encode(ColleaguesAnswer(organization, placed, as_of)))
