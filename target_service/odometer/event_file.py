"""The file of events: TOML, one table per event, put when the service starts."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from target_service.http.fields import normalised_id
from target_service.ledger.store import Store
from target_service.odometer import tables
from target_service.odometer.configuration import RESERVED_ID, read_configuration
from target_service.odometer.event import Configuration
from target_service.odometer.putting import Refused, put
from target_service.timestamps import wall_clock_ms

Events = Mapping[str, Configuration]


class EventsRefused(Exception):
    """Events of the file cannot be put; holds a sentence for each."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = sentences


def read_event_file(path: Path) -> Events:
    """Return the events of a file by id; raises EventsRefused with all that is wrong with it."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise EventsRefused([f"{path} cannot be read: {error}."]) from error
    except (ValueError, RecursionError) as error:
        raise EventsRefused([f"{path} is not TOML: {error}."]) from error
    problems = [f"{path}: {name} is no table of events." for name in document if name != "events"]
    found = document.get("events", {})
    if not isinstance(found, dict):
        raise EventsRefused([*problems, f"{path}: events must be a table of events by id."])
    events: dict[str, Configuration] = {}
    for event_id, value in found.items():
        try:
            name = normalised_id(event_id)
        except ValueError:
            name = RESERVED_ID
        if name == RESERVED_ID:
            problems.append(f"{path}: {event_id!r} is no event id: choose another.")
        if name in events:
            problems.append(f"{path}: {event_id!r} is there twice, in two ways of writing it.")
        configuration = read_configuration(value)
        if isinstance(configuration, list):
            problems += [
                f"{path}: events.{event_id}: {one.field} {one.detail}." for one in configuration
            ]
        else:
            events[name] = configuration
    if problems:
        raise EventsRefused(problems)
    return events


def put_events(store: Store, events: Events) -> None:
    """Put the events of a file, all or none; raises EventsRefused."""
    tables.prepare(store)
    connection = store.connect()
    try:
        with store.write_transaction(connection):
            now_ms = wall_clock_ms()
            done = [put(connection, name, wanted, now_ms) for name, wanted in events.items()]
            refused = [one.sentence for one in done if isinstance(one, Refused)]
            if refused:
                raise EventsRefused(refused)
    finally:
        connection.close()
