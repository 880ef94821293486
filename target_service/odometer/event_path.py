"""The event and the player that a path names."""

from target_service.call import Call
from target_service.leaderboard.path import read_player
from target_service.leaderboard.rules import ID_RULE
from target_service.problems import FieldProblem, InvalidRequest, UnknownEvent
from target_service.query import read_query

EVENT_PATH = "/v1/events/{event_id}"
# The path of this id tells which versions there are.
RESERVED_ID = "versions"
EVENT = 3
PLAYER = 5


def read_path(call: Call, *places: int) -> list[str]:
    """Return the ids at these places of the path; every bad one, and any query, is refused."""
    names = {EVENT: "event_id", PLAYER: "player_id"}
    _, problems = read_query(call.query, {})
    found = []
    for place in places:
        name = read_player(call.segments[place])
        if name is None:
            problems.append(FieldProblem(names[place], ID_RULE))
        elif place == EVENT and name == RESERVED_ID:
            problems.append(FieldProblem(names[place], f"cannot be {name}; choose another id"))
        else:
            found.append(name)
    if problems:
        raise InvalidRequest(problems)
    return found


def unknown_event(event_id: str) -> UnknownEvent:
    """Return the refusal of an event that nobody has made."""
    return UnknownEvent(f"There is no event {event_id}; PUT /v1/events/{{event_id}} makes one.")
