"""The routes of the achievements: counters and members written, standings and boards read."""

from fastapi import FastAPI

from target_service.achievements.achievements import Achievements
from target_service.achievements.counting import Add
from target_service.achievements.counting import Count as CountOrder
from target_service.achievements.members import CannotBe, EventReused
from target_service.achievements.messages import (
    AchievementAnswer,
    AchievementsAnswer,
    Colleague,
    ColleaguesAnswer,
    CountAnswer,
    CounterBody,
    CounterValues,
    EventOfAMember,
    LevelAnswer,
    MemberAnswer,
    MemberBody,
    Night,
    NightAnswer,
    PendingAnswer,
    ReconcileAnswer,
    SweepAnswer,
    SweepNumber,
    UnlockAnswer,
    UnlockNumber,
    read_numbers,
)
from target_service.achievements.recount import MemberPage
from target_service.achievements.sweep_records import SweepRow
from target_service.achievements.tracks import COLUMNS, TRACKS, Track
from target_service.http.fields import Id, K
from target_service.http.problems import (
    OF_A_BODY,
    BoardUnavailable,
    EventConflict,
    FieldProblem,
    ImpossibleCounters,
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
    ServiceUnavailable,
    SweepUnderWay,
    UnknownMember,
    UnknownOrganization,
    UnknownSweep,
    refusals,
)
from target_service.timestamps import rfc3339, wall_clock_ms

DEFAULT_K = 10
_OF_ALL = (InvalidRequest, LedgerUnavailable, LedgerRequired)


def add_achievement_routes(app: FastAPI, achievements: Achievements) -> None:
    """Serve the achievements."""
    add_counter_routes(app, achievements)
    add_page_routes(app, achievements)
    add_sweep_routes(app, achievements)


def add_counter_routes(app: FastAPI, achievements: Achievements) -> None:
    """Serve what is written of members: what events add, what a reconcile sets, who they are."""

    @app.post(
        "/v1/members/{member_id}/counters",
        name="count",
        summary="Add one event, or many, to a member's counters",
        responses=refusals(EventConflict, ImpossibleCounters, *OF_A_BODY, *_OF_ALL),
    )
    async def count(member_id: Id, events: CounterBody) -> CountAnswer:
        given = [events] if isinstance(events, EventOfAMember) else events
        adds = [Add(event.event_id, read_numbers(event)) for event in given]
        try:
            counted = await achievements.records.count(CountOrder(member_id, adds))
        except EventReused as error:
            raise EventConflict(str(error)) from error
        except CannotBe as error:
            raise impossible(error) from error
        return CountAnswer(*counted)

    @app.put(
        "/v1/members/{member_id}/counters",
        name="reconcile",
        summary="Set a member's six counters to what they should be",
        responses=refusals(ImpossibleCounters, *OF_A_BODY, *_OF_ALL),
    )
    async def reconcile(member_id: Id, values: CounterValues) -> ReconcileAnswer:
        numbers = read_numbers(values)
        try:
            await achievements.records.reconcile(member_id, numbers)
        except CannotBe as error:
            raise impossible(error) from error
        return ReconcileAnswer(member_id, dict(zip(COLUMNS, numbers, strict=True)))

    @app.put(
        "/v1/members/{member_id}",
        name="member",
        summary="Say which organization and which tracking code a member has",
        responses=refusals(*OF_A_BODY, *_OF_ALL),
    )
    async def member(member_id: Id, body: MemberBody) -> MemberAnswer:
        await achievements.records.enrol(member_id, body.tracking_code, body.organization)
        return MemberAnswer(member_id, body.organization, body.tracking_code)


def add_page_routes(app: FastAPI, achievements: Achievements) -> None:
    """Serve what members look at: their standing, what is new to them, and their colleagues."""

    @app.get(
        "/v1/members/{member_id}/achievements",
        name="achievements",
        summary="Where a member stands on every track, recounted now",
        responses=refusals(UnknownMember, *_OF_ALL),
    )
    async def read_achievements(member_id: Id) -> AchievementsAnswer:
        page = await recounted(member_id, "achievements")
        at = {(one.achievement, one.level): rfc3339(one.at_ms) for one in page.unlocked}
        tracks = [
            _track_answer(track, total, level, at)
            for track, total, level in zip(TRACKS, page.totals, page.levels, strict=True)
        ]
        as_of = rfc3339(wall_clock_ms())
        return AchievementsAnswer(member_id, page.organization, page.points, tracks, as_of)

    @app.get(
        "/v1/members/{member_id}/achievements/pending",
        name="pending",
        summary="What a member has unlocked and not yet seen; `seen` says up to which number",
        responses=refusals(UnknownMember, *_OF_ALL),
    )
    async def pending(member_id: Id, seen: UnlockNumber = 0) -> PendingAnswer:
        # An answer that gets lost loses nothing: only the number sent back moves the mark.
        page = await recounted(member_id, "pending")
        if page.seen < seen and any(one.number == seen for one in page.unlocked):
            await achievements.records.see(member_id, seen)
        else:
            seen = page.seen
        unlocks = [
            UnlockAnswer(one.number, one.achievement, one.level, one.points, rfc3339(one.at_ms))
            for one in page.unlocked
            if one.number > seen
        ]
        return PendingAnswer(member_id, unlocks, rfc3339(wall_clock_ms()))

    async def recounted(member_id: str, source: str) -> MemberPage:
        page = await achievements.records.recounted(member_id)
        if page is None:
            raise UnknownMember(f"Member {member_id} is not known; nothing was counted for them.")
        achievements.series.recounts.labels(source).inc()
        return page

    @app.get(
        "/v1/organizations/{organization_id}/leaderboard",
        name="colleagues",
        summary="The first K members of an organization by points",
        responses=refusals(UnknownOrganization, ServiceUnavailable, BoardUnavailable, *_OF_ALL),
    )
    async def colleagues(organization_id: Id, k: K = DEFAULT_K) -> ColleaguesAnswer:
        found = await achievements.boards.top(organization_id, k)
        if found is None:
            raise UnknownOrganization(f"No member ever belonged to organization {organization_id}.")
        entries, as_of = found
        placed = [
            Colleague(member, points, position)
            for position, (member, points) in enumerate(entries, 1)
        ]
        return ColleaguesAnswer(organization_id, placed, as_of)


def add_sweep_routes(app: FastAPI, achievements: Achievements) -> None:
    """Serve what concerns the nightly sweep."""

    @app.post(
        "/v1/reconciles/{night}",
        name="reconcile_complete",
        summary="Say that the reconcile of a night is complete, so that its sweep may run",
        responses=refusals(*_OF_ALL),
    )
    async def reconcile_complete(night: Night) -> NightAnswer:
        said_ms = await achievements.records.complete_night(night.isoformat())
        in_time = achievements.nights.is_word_for(night, said_ms)
        sweep_at = rfc3339(achievements.nights.sweep_ms(night))
        return NightAnswer(night.isoformat(), rfc3339(said_ms), sweep_at, in_time)

    @app.post(
        "/v1/sweeps",
        name="sweep",
        summary="Begin to recount every member with a tracking code, now",
        responses=refusals(SweepUnderWay, *_OF_ALL),
    )
    async def begin_sweep() -> SweepAnswer:
        number = await achievements.scheduler.sweep()
        if number is None:
            raise SweepUnderWay("Another sweep is at work; wait until it has ended.")
        row = await achievements.records.sweep(number)
        return _sweep_answer(row or SweepRow(number, None, 0, None, None, 0, 0, 0, 0))

    @app.get(
        "/v1/sweeps/{sweep}",
        name="sweep_state",
        summary="What a sweep has done so far, and when it ended",
        responses=refusals(UnknownSweep, *_OF_ALL),
    )
    async def sweep_state(sweep: SweepNumber) -> SweepAnswer:
        row = await achievements.records.sweep(sweep)
        if row is None:
            raise UnknownSweep(f"There is no sweep {sweep}, or it is no longer on record.")
        return _sweep_answer(row)


def impossible(error: CannotBe) -> ImpossibleCounters:
    """Return the refusal that names the counters which cannot be."""
    problems = [FieldProblem(column, reason) for column, reason in error.problems]
    return ImpossibleCounters(
        "Nothing of this was stored: the counters would be impossible.", problems
    )


def _track_answer(
    track: Track, total: int, level: int, at: dict[tuple[str, int], str]
) -> AchievementAnswer:
    levels = [
        LevelAnswer(number, one.at, one.points, at.get((track.achievement, number)))
        for number, one in enumerate(track.levels, 1)
    ]
    return AchievementAnswer(track.achievement, track.column, total, level, levels)


def _sweep_answer(row: SweepRow) -> SweepAnswer:
    return SweepAnswer(
        number=row.number,
        night=row.night,
        started_at=rfc3339(row.started_ms),
        ended_at=None if row.ended_ms is None else rfc3339(row.ended_ms),
        scanned=row.scanned,
        changed=row.changed,
        unchanged=row.unchanged,
        unlocked=row.unlocked,
        failed=row.failed,
        seconds=None if row.took_ms is None else row.took_ms / 1_000,
    )
