"""The list of tracks: one column, one achievement, and nothing swapped."""

from itertools import pairwise

from target_service.achievements.tracks import COLUMNS, FUNNEL, NO_STANDING, TRACKS, settle

EARNED_BY = {
    "page_views": "shop-window",
    "unique_visitors": "crowd-puller",
    "link_clicks": "door-opener",
    "signups": "host",
    "organizations": "founder",
    "paid_accounts": "rainmaker",
}


def test_every_column_earns_exactly_one_achievement() -> None:
    """The list has each column once, in the order in which numbers are read."""
    assert [*EARNED_BY] == [track.column for track in TRACKS]
    assert EARNED_BY == {track.column: track.achievement for track in TRACKS}
    assert tuple(EARNED_BY) == COLUMNS
    assert len(set(EARNED_BY.values())) == len(TRACKS)
    assert set(FUNNEL) < set(COLUMNS)


def test_each_column_alone_unlocks_its_own_achievement() -> None:
    """Swapping two columns, here or where numbers are read, would unlock the wrong one."""
    for place, column in enumerate(COLUMNS):
        numbers = tuple(10**6 if other == place else 0 for other in range(len(COLUMNS)))
        _, unlocked = settle(NO_STANDING, numbers)

        assert {EARNED_BY[column]} == {unlock.achievement for unlock in unlocked}


def test_levels_rise() -> None:
    """A higher level asks for more, and every level is worth something."""
    for track in TRACKS:
        assert all(lower.at < higher.at for lower, higher in pairwise(track.levels))
        assert all(level.at >= 1 and level.points >= 1 for level in track.levels)
