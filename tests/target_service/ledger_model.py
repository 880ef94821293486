"""The rules of the ledger, the plain way."""

from dataclasses import dataclass, field

Payload = tuple[str, str, int, int | None]


@dataclass
class LedgerModel:
    """Every event that was stored, and every player's latest standing in one season."""

    events: dict[str, Payload] = field(default_factory=dict)
    standings: dict[str, tuple[str, int, int]] = field(default_factory=dict)

    def submit(
        self, event_id: str, player: str, board: str, score: int, sequence: int | None
    ) -> str:
        """Store one event and say what became of it."""
        payload = (player, board, score, sequence)
        if event_id in self.events:
            return "duplicate" if self.events[event_id] == payload else "conflict"
        home, _, last = self.standings.get(player, (board, 0, 0))
        if home != board:
            return "conflict"
        if sequence is not None and sequence <= last:
            return "stale"
        self.events[event_id] = payload
        self.standings[player] = (board, score, last if sequence is None else sequence)
        return "applied"

    def scores(self) -> dict[tuple[str, str], int]:
        """Every player's score, by board and player."""
        return {(board, player): score for player, (board, score, _) in self.standings.items()}
