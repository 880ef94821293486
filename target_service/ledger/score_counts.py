"""How many players have each score at one moment, in pages."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import NamedTuple

import msgspec

from target_service.ledger.bulk import json_list
from target_service.ledger.store import Store

# Standings that changed since the last fold stand in `events`, and count instead of older ones.
_COUNTS = """
WITH served AS (
    SELECT b.id FROM boards b JOIN json_each(?1) j ON b.name = j.value WHERE b.season = ?2
),
tail AS MATERIALIZED (
    SELECT player, score, board, max(change) FROM events
    WHERE change > (SELECT folded_to FROM state)
    AND board IN (SELECT id FROM boards WHERE season = ?2) GROUP BY player
),
latest AS (
    SELECT score, board FROM tail UNION ALL
    SELECT score, board FROM players
    WHERE season = ?2 AND player NOT IN (SELECT player FROM tail)
),
counted AS (
    SELECT score, count(*) AS players FROM latest
    WHERE board IN (SELECT id FROM served) GROUP BY score
),
paged AS (
    SELECT score, players, (row_number() OVER (ORDER BY score) - 1) / ?3 AS page FROM counted
)
SELECT json_group_array(json_array(score, players)) FROM paged GROUP BY page ORDER BY page
"""
_PAGE = msgspec.json.Decoder(list[tuple[int, int]])


class CountedScores(NamedTuple):
    """The change that the counts are as of, and pages of scores and players, lowest first."""

    change: int
    pages: Iterator[list[tuple[int, int]]]


@contextmanager
def counted_scores(
    store: Store, season: str, boards: Sequence[str], page_scores: int
) -> Iterator[CountedScores]:
    """Open the counts of some boards of a season; blocks, and so does taking a page."""
    with closing(store.connect()) as connection, store.reading(connection):
        (change,) = connection.execute("SELECT last_change FROM state").fetchone()
        rows = connection.execute(_COUNTS, (json_list(boards), season, page_scores))
        yield CountedScores(change, (sorted(_PAGE.decode(page)) for (page,) in rows))
