"""The achievements' routes in the words of their API, and a look behind them."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
from leaderboard_client import Json
from redis import Redis

STREAM = "achievements:unlocks"
COLUMNS = (
    "page_views",
    "unique_visitors",
    "link_clicks",
    "signups",
    "organizations",
    "paid_accounts",
)
MEMBER_OPERATIONS = {
    ("POST", "/v1/members/{member_id}/counters"): "count",
    ("PUT", "/v1/members/{member_id}/counters"): "reconcile",
    ("PUT", "/v1/members/{member_id}"): "member",
    ("GET", "/v1/members/{member_id}/achievements"): "achievements",
    ("GET", "/v1/members/{member_id}/achievements/pending"): "pending",
    ("GET", "/v1/organizations/{organization_id}/leaderboard"): "colleagues",
    ("POST", "/v1/reconciles/{night}"): "reconcile_complete",
    ("POST", "/v1/sweeps"): "sweep",
    ("GET", "/v1/sweeps/{sweep}"): "sweep_state",
}


@dataclass(frozen=True)
class Achieving:
    """One service with a ledger."""

    http: httpx.Client
    redis: Redis
    ledger: Path

    def enrol(self, member: str, organization: str | None, code: str | None = None) -> None:
        """Make a member known."""
        body = {"organization": organization, "tracking_code": code}
        self.http.put(member_path(member), json=body).raise_for_status()

    def count(self, member: str, **adds: int) -> httpx.Response:
        """Add to a member's counters under a new event id."""
        return self.send(member, {"event_id": uuid4().hex, **adds})

    def send(self, member: str, body: object) -> httpx.Response:
        """Send what is to be added."""
        return self.http.post(member_path(member, "counters"), json=body)

    def reconcile(self, member: str, **values: int) -> httpx.Response:
        """Set a member's counters; what is not named is 0."""
        body = {column: values.get(column, 0) for column in COLUMNS}
        return self.http.put(member_path(member, "counters"), json=body)

    def page(self, member: str) -> Json:
        """Where a member stands."""
        answer = self.http.get(member_path(member, "achievements"))
        answer.raise_for_status()
        page: Json = answer.json()
        return page

    def pending(self, member: str, **query: int) -> list[Json]:
        """What a member has not seen yet."""
        answer = self.http.get(member_path(member, "achievements", "pending"), params=query)
        answer.raise_for_status()
        pending: list[Json] = answer.json()["pending"]
        return pending

    def colleagues(self, organization: str, k: int = 1000) -> list[tuple[str, int]]:
        """Members and points of an organisation's board, in order."""
        path = f"/v1/organizations/{quote(organization, safe='')}/leaderboard"
        answer = self.http.get(path, params={"k": k})
        answer.raise_for_status()
        return [(entry["member"], entry["points"]) for entry in answer.json()["entries"]]

    def sweep(self) -> Json:
        """Sweep now, and return the record once it has ended."""
        begun = self.http.post("/v1/sweeps")
        begun.raise_for_status()
        number = begun.json()["number"]
        while True:
            row: Json = self.http.get(f"/v1/sweeps/{number}").json()
            if row["ended_at"] is not None:
                return row
            time.sleep(0.02)

    def stream(self) -> list[tuple[str, dict[str, str]]]:
        """Every entry of the stream, in order."""
        entries: Any = self.redis.xrange(STREAM)
        return list(entries)

    def frames(self, *members: str) -> list[tuple[str, str, int]]:
        """Member, achievement and level of these members' frames on the stream, in order."""
        return [
            (fields["member"], fields["achievement"], int(fields["level"]))
            for _, fields in self.stream()
            if fields["member"] in members
        ]


def member_path(member: str, *rest: str) -> str:
    """The path of a member, or below it."""
    return "/".join(("/v1/members", quote(member, safe=""), *rest))
