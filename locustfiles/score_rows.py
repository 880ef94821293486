"""final_scores.csv: the newest score that each player was told was accepted."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from locustfiles.last_scores import LastScores
from locustfiles.operations import Places

_ROWS_PER_PIECE: Final = 200


def score_pieces(
    scores: LastScores,
    places: Places,
    boards: Mapping[str, str],
    slices: int,
    lost_slices: Collection[int],
) -> Iterator[str]:
    """The file in pieces: a row for each player that was loaded or written.

    What a lost worker last sent is not known, so all players of its slice are uncertain.
    """
    yield "player,board,score,sequence,unknown\n"
    players = sorted(scores.accepted.keys() | scores.uncertain)
    for start in range(0, len(players), _ROWS_PER_PIECE):
        rows = []
        for player in players[start : start + _ROWS_PER_PIECE]:
            board = boards[places.of(player).partition]
            event = scores.accepted.get(player)
            told = f"{event.score},{event.sequence}" if event else ","
            unknown = player in scores.uncertain or player % slices in lost_slices
            rows.append(f"{places.player_id(player)},{board},{told},{int(unknown)}\n")
        yield "".join(rows)
