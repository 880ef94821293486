"""PUT /v1/members/{member_id}: who a member is."""

from typing import ClassVar

import msgspec

from target_service.achievements.explain import explain_member
from target_service.achievements.messages import MemberAnswer, MemberBody
from target_service.achievements.records import Records
from target_service.achievements.request import read_body, refuse
from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.fields import is_id, normalised
from target_service.leaderboard.messages import encode
from target_service.operation import Operation
from target_service.problems import BodyTooLarge, InvalidRequest, LedgerRequired, LedgerUnavailable

_decode = msgspec.json.Decoder(MemberBody).decode


class EnrolMember:
    """Makes a member known, moves them to another organisation, gives or takes a tracking code."""

    operation: ClassVar = Operation(
        name="member",
        method="PUT",
        path="/v1/members/{member_id}",
        summary="Say which organization and which tracking code a member has",
        body=MemberBody,
        answer=MemberAnswer,
        problems=(BodyTooLarge, InvalidRequest, LedgerUnavailable, LedgerRequired),
    )

    def __init__(self, records: Records) -> None:
        self._records = records

    async def __call__(self, call: Call) -> Answer:
        """Answer with the member as known now."""
        body = await call.body()
        member, given = read_body(call, "member_id", body, _decode, explain_member)
        organization = given.organization and normalised(given.organization)
        tracking_code = given.tracking_code and normalised(given.tracking_code)
        if not all(is_id(name) for name in (organization, tracking_code) if name is not None):
            refuse(call, "member_id", body, explain_member)
        await self._records.enrol(member, tracking_code, organization)
        return answer(encode(MemberAnswer(member, organization, tracking_code)))
